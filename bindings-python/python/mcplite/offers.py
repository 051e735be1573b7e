"""What a server offers: tools, resources, prompts, completions and methods."""

from __future__ import annotations

from ._items import Registered, completion_name, without_none
from ._registry import Registry
from .context import Context
from .errors import MisuseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar, overload

    F = TypeVar("F", bound=Callable[..., Any])
else:

    def overload(function: object) -> None:
        """Stands in for `typing.overload`, which only type checkers need."""


class Offers(Registry):
    """What a server offers. `Server` is the class to use."""

    @overload
    def tool(self, function: F, /) -> F: ...
    @overload
    def tool(
        self,
        name: str | None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        input_schema: Mapping[str, Any] | None = None,
        output_schema: Mapping[str, Any] | None = None,
        annotations: Mapping[str, Any] | None = None,
        icons: Sequence[Mapping[str, Any]] | None = None,
        meta: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        coerce: bool | None = None,
        structured: bool = True,
        hidden: bool = False,
        host_enforces: bool = False,
        replace: bool = False,
    ) -> Callable[[F], F]: ...
    def tool(self, name: Any = None, **options: Any) -> Any:
        """Offers a function as a tool: `@server.tool`, or `@server.tool("name", title=…)`.

        Name, description and schemas come from the function, its docstring and its hints, unless
        they are given. A given `input_schema` goes to clients as it is, and arguments to the
        function by name. With `structured=False` the return annotation makes no output schema.
        `host_enforces` says that the function checks patterns that the engine cannot, such as those
        with look-around, which are refused otherwise.
        """
        if callable(name):
            self._add_tool(name, None, **options)
            return name

        def decorate(function: F) -> F:
            self._add_tool(function, name, **options)
            return function

        return decorate

    def _add_tool(
        self,
        function: Callable[..., Any],
        name: str | None,
        *,
        title: str | None = None,
        description: str | None = None,
        input_schema: Mapping[str, Any] | None = None,
        output_schema: Mapping[str, Any] | None = None,
        annotations: Mapping[str, Any] | None = None,
        icons: Sequence[Mapping[str, Any]] | None = None,
        meta: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        coerce: bool | None = None,
        structured: bool = True,
        hidden: bool = False,
        host_enforces: bool = False,
        replace: bool = False,
    ) -> None:
        from ._signature import inspect_function

        signature = inspect_function(function, Context, output=structured and output_schema is None)
        if output_schema is not None:
            signature.wrap = False
        definition = without_none(
            {
                "name": name or signature.name,
                "title": title,
                "description": description or signature.description,
                "inputSchema": input_schema or signature.input_schema,
                "outputSchema": output_schema or signature.output_schema,
                "annotations": annotations,
                "icons": icons,
                "_meta": meta,
            }
        )
        policy = {
            "deadline_ms": milliseconds(timeout),
            "coerce": coerce,
            "hidden": hidden,
            "host_enforces": host_enforces,
        }
        converters: dict[str, Callable[[Any], Any]] | None = None if input_schema is None else {}
        item = Registered(
            "tool",
            definition["name"],
            definition,
            function,
            signature,
            self._server,
            policy=policy,
            converters=converters,
        )
        self._add(item, replace=replace)

    def resource(
        self,
        uri: str,
        /,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: Mapping[str, Any] | None = None,
        icons: Sequence[Mapping[str, Any]] | None = None,
        meta: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        cache_ttl: float | None = None,
        cache_public: bool = False,
        hidden: bool = False,
        replace: bool = False,
    ) -> Callable[[F], F]:
        """Offers a resource, or with `{variables}` in its URI a family of them.

        The function gives the contents: `str`, `bytes`, or what is written as JSON. The variables
        are its parameters.
        """
        if callable(uri):
            raise MisuseError('a resource needs its URI: @server.resource("cfg://{key}")')

        def decorate(function: F) -> F:
            from ._signature import inspect_function
            from ._texts import converters

            signature = inspect_function(function, Context, output=False)
            is_template = "{" in uri
            definition = without_none(
                {
                    "uriTemplate" if is_template else "uri": uri,
                    "name": name or signature.name,
                    "title": title,
                    "description": description or signature.description,
                    "mimeType": mime_type,
                    "size": size,
                    "annotations": annotations,
                    "icons": icons,
                    "_meta": meta,
                }
            )
            policy = {
                "deadline_ms": milliseconds(timeout),
                "cache_ttl_ms": milliseconds(cache_ttl),
                "cache_public": cache_public,
                "hidden": hidden,
            }
            kind = "template" if is_template else "resource"
            item = Registered(
                kind,
                uri,
                definition,
                function,
                signature,
                self._server,
                policy=policy,
                converters=converters(signature),
            )
            _check_variables(uri, item)
            self._add(item, replace=replace)
            return function

        return decorate

    def add_resource(
        self,
        uri: str,
        contents: str | bytes,
        *,
        name: str | None = None,
        mime_type: str | None = None,
        replace: bool = False,
        **members: Any,
    ) -> None:
        """Offers a resource that never changes; the engine answers for it by itself."""
        is_text = isinstance(contents, str)
        definition = without_none(
            {
                "uri": uri,
                "name": name or uri,
                "mimeType": mime_type or ("text/plain" if is_text else None),
                **members,
            }
        )
        data = contents.encode() if isinstance(contents, str) else bytes(contents)
        item = Registered("resource", uri, definition, None, None, self._server, contents=data)
        self._add(item, replace=replace)

    @overload
    def prompt(self, function: F, /) -> F: ...
    @overload
    def prompt(
        self,
        name: str | None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        arguments: Sequence[Mapping[str, Any]] | None = None,
        icons: Sequence[Mapping[str, Any]] | None = None,
        meta: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        replace: bool = False,
    ) -> Callable[[F], F]: ...
    def prompt(self, name: Any = None, **options: Any) -> Any:
        """Offers a function as a prompt: it gives a text, or a list of messages.

        `arguments` describes them in the specification's words, instead of the signature.
        """
        if callable(name):
            self._add_prompt(name, None, **options)
            return name

        def decorate(function: F) -> F:
            self._add_prompt(function, name, **options)
            return function

        return decorate

    def _add_prompt(
        self,
        function: Callable[..., Any],
        name: str | None,
        *,
        title: str | None = None,
        description: str | None = None,
        arguments: Sequence[Mapping[str, Any]] | None = None,
        icons: Sequence[Mapping[str, Any]] | None = None,
        meta: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        replace: bool = False,
    ) -> None:
        from ._signature import inspect_function
        from ._texts import converters

        signature = inspect_function(function, Context, output=False)
        found = [
            without_none(
                {
                    "name": parameter.name,
                    "description": parameter.description,
                    "required": True if parameter.required else None,
                }
            )
            for parameter in signature.parameters
        ]
        definition = without_none(
            {
                "name": name or signature.name,
                "title": title,
                "description": description or signature.description,
                "arguments": arguments or found or None,
                "icons": icons,
                "_meta": meta,
            }
        )
        item = Registered(
            "prompt",
            definition["name"],
            definition,
            function,
            signature,
            self._server,
            policy={"deadline_ms": milliseconds(timeout)},
            converters=converters(signature),
        )
        self._add(item, replace=replace)

    def completion(self, of: str, argument: str, /, *, replace: bool = False) -> Callable[[F], F]:
        """Suggests values for an argument of a prompt, or a variable of a URI template.

        The function gets what the user has typed, as `value`, and if it takes `arguments`, those
        that are known already. It gives a list of texts, or a `Completion`. The prompt or template
        may be registered later; one that is not there when serving begins is reported.
        """

        def decorate(function: F) -> F:
            from ._signature import inspect_function, refusal

            signature = inspect_function(function, Context, output=False)
            needed = [it.name for it in signature.parameters if it.required][1:]
            if set(needed) - {"arguments"}:
                raise refusal(
                    function, signature.name, "a completion takes a value, and perhaps `arguments`"
                )
            kind = "template" if "{" in of else "prompt"
            definition = {"kind": kind, "of": of, "argument": argument}
            name = completion_name(definition)
            item = Registered("completion", name, definition, function, signature, self._server)
            self._add(item, replace=replace)
            return function

        return decorate

    @overload
    def on(self, method: str, /, *, replace: bool = False) -> Callable[[F], F]: ...
    @overload
    def on(self, method: str, handler: F, /, *, replace: bool = False) -> F: ...
    def on(self, method: str, handler: Any = None, /, *, replace: bool = False) -> Any:
        """Answers a method of your own, or one of the protocol in the engine's place.

        The handler gets the params, and as a second argument or by annotation the context. What it
        returns is the result. `*` stands for all methods that nobody else answers.
        """
        if handler is None:
            return lambda function: self.on(method, function, replace=replace)
        from ._signature import inspect_function, refusal

        signature = inspect_function(handler, Context, output=False)
        if sum(parameter.required for parameter in signature.parameters) > 2:
            raise refusal(handler, signature.name, "a handler takes params, and perhaps a context")
        item = Registered("method", method, {}, handler, signature, self._server)
        self._add(item, replace=replace)
        return handler

    def remove_tool(self, name: str) -> None:
        """Offers a tool no more. Calls under way finish."""
        self._remove("tool", name)

    def remove_prompt(self, name: str) -> None:
        """Offers a prompt no more."""
        self._remove("prompt", name)

    def remove_resource(self, uri: str) -> None:
        """Offers a resource, or a family of them, no more."""
        self._remove("template" if "{" in uri else "resource", uri)


def milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else max(0, round(seconds * 1000))


def variables_of(template: str) -> set[str]:
    """The names of the variables of a URI template."""
    variables: set[str] = set()
    for part in template.split("{")[1:]:
        names = part.split("}")[0].lstrip("+#./;?&")
        variables.update(name.split(":")[0].rstrip("*") for name in names.split(","))
    return variables


def _check_variables(uri: str, item: Registered) -> None:
    """The variables of a template are the parameters of its function."""
    from ._signature import refusal

    signature = item.signature
    assert signature is not None and item.function is not None
    variables = variables_of(uri)
    taken = {parameter.name for parameter in signature.parameters}
    missing = {parameter.name for parameter in signature.parameters if parameter.required}
    unknown = variables - taken
    problem = None
    if "additionalProperties" in signature.input_schema and unknown:
        problem = f"it has no parameter for {_listed(unknown)} of the URI {uri}"
    elif missing - variables:
        problem = f"it needs {_listed(missing - variables)}, which the URI {uri} does not have"
    if problem:
        raise refusal(item.function, signature.name, problem)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
