"""What a server offers: from a function to a definition and a handler."""

from __future__ import annotations

from . import _native
from ._middleware import CONTEXT, Passed, Request, around_engine, layered, surround
from .context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ._signature import Signature
    from .server import Server

    Layers = list[tuple[Callable[..., Any], bool]]

SEPARATOR = "__"


class Registered:
    """A tool, resource, template or prompt that a server offers.

    `definition` is the object that clients get to see, as the specification writes it. Completions
    and methods are kept like this too; theirs says what they belong to.
    """

    __slots__ = (
        "contents",
        "converters",
        "definition",
        "function",
        "kind",
        "name",
        "owner",
        "policy",
        "signature",
        "source",
    )

    def __init__(
        self,
        kind: str,
        name: str,
        definition: dict[str, Any],
        function: Callable[..., Any] | None,
        signature: Signature | None,
        owner: Server,
        *,
        policy: dict[str, Any] | None = None,
        converters: dict[str, Callable[[Any], Any]] | None = None,
        contents: bytes | None = None,
    ) -> None:
        self.kind = kind
        self.name = name
        self.definition = definition
        self.function = function
        self.signature = signature
        self.owner = owner
        self.policy = policy or {}
        self.converters = converters
        self.contents = contents
        # Of one that is mounted: the server it is mounted from, and what it is there.
        self.source: tuple[Server, Registered] | None = None

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"

    def mounted(self, prefix: str, source: Server) -> Registered:
        """The same for a server that mounts its server."""
        definition, name = self.definition, self.name
        before = f"{prefix}{SEPARATOR}" if prefix else ""
        if self.kind in ("tool", "prompt"):
            name = f"{before}{name}"
            definition = definition | {"name": name}
        elif self.kind == "completion" and definition["kind"] == "prompt":
            definition = definition | {"of": f"{before}{definition['of']}"}
            name = completion_name(definition)
        item = Registered(
            self.kind,
            name,
            definition,
            self.function,
            self.signature,
            self.owner,
            policy=self.policy,
            converters=self.converters,
            contents=self.contents,
        )
        item.source = source, self
        return item

    @property
    def keeps_name(self) -> bool:
        """Whether it is known by a URI, which stays what it is wherever it is mounted."""
        is_of_template = self.kind == "completion" and self.definition["kind"] == "template"
        return self.kind in ("resource", "template") or is_of_template

    def is_same(self, other: Registered | None) -> bool:
        """Whether both are what one server offers, which is mounted at two places."""
        if other is None or self.source is None or other.source is None:
            return False
        return self.keeps_name and self.source[1] is other.source[1]

    def layers(self, server: Server) -> Layers:
        """The middleware around it: that of `server`, then of those that it is mounted from."""
        if self.source is None:
            return server._layers
        source, inner = self.source
        return server._layers + inner.layers(source)

    def is_async(self, server: Server) -> bool:
        """Whether a loop runs it."""
        is_async = self.signature is not None and self.signature.is_async
        return is_async or any(is_async for _, is_async in self.layers(server))

    def register(self, server: Server, *, replace: bool) -> None:
        """Hands it to the engine."""
        native = server._native
        if self.kind == "method":
            native.register_method(self.name, self._method(server), replace=replace)
        elif self.kind == "completion":
            kind, of = self.definition["kind"], self.definition["of"]
            argument = self.definition["argument"]
            native.register_completion(
                kind, of, argument, self._completion(server), replace=replace
            )
        else:
            native.register(
                self.kind,
                _native.dumps(self.definition),
                self._handler(server),
                contents=self.contents,
                replace=replace,
                **self.policy,
            )

    def unregister(self, server: Server) -> None:
        """Takes it away from the engine."""
        if self.kind == "completion":
            definition = self.definition
            server._native.unregister_completion(
                definition["kind"], definition["of"], definition["argument"]
            )
        else:
            server._native.unregister(self.kind, self.name)

    def _handler(self, server: Server) -> _native.Handler | None:
        signature = self.signature
        if self.function is None or signature is None:
            return None
        layers = self.layers(server)
        function, is_async = self.function, signature.is_async
        context, positional = signature.context, len(signature.positional or ())
        is_placed = context is not None and context in (signature.positional or ())
        if layers or is_placed or (self.source is not None and context is not None):
            function, is_async = surround(self._call, is_async, layers)
            context, positional = CONTEXT, 0
        return _native.Handler(
            function,
            names=[parameter.name for parameter in signature.parameters],
            converters=_with_integers(signature, self.converters),
            defaults=signature.defaults or None,
            integers=None if self.converters is not None else _inner_integers(signature),
            positional=positional,
            context=context,
            structured="outputSchema" in self.definition,
            wrap=signature.wrap and "outputSchema" in self.definition,
            is_async=is_async,
        )

    def _completion(self, server: Server) -> _native.Handler:
        signature = self.signature
        assert signature is not None
        layers = self.layers(server)
        function, is_async = surround(self._suggest, signature.is_async, layers)
        return _native.Handler(function, context=CONTEXT, is_async=is_async)

    def _method(self, server: Server) -> _native.Handler:
        signature = self.signature
        assert signature is not None
        run, is_async = layered(self._perform, signature.is_async, self.layers(server))
        return _whole_request(server, run, is_async)

    def _context(self, request: Request) -> Context:
        """The context as the handler of its own server knows it."""
        context = request.context
        if context._server is not self.owner:
            context._server = self.owner
        return context

    def _call(self, request: Request) -> Any:
        """Calls the function with the arguments of a request, and its context if it wants one."""
        signature, function = self.signature, self.function
        assert signature is not None and function is not None
        arguments = request.arguments
        if signature.context is not None:
            arguments = arguments | {signature.context: self._context(request)}
        if signature.positional:
            arguments = dict(arguments)
            places = [arguments.pop(name) for name in signature.positional if name in arguments]
            return function(*places, **arguments)
        return function(**arguments)

    def _suggest(self, request: Request) -> Any:
        """Calls a completion with what was typed, and what is known if it wants that."""
        signature, function = self.signature, self.function
        assert signature is not None and function is not None
        taken = [parameter.name for parameter in signature.parameters]
        rest: dict[str, Any] = {}
        if "arguments" in taken:
            rest["arguments"] = request.arguments["arguments"]
        if signature.context is not None:
            rest[signature.context] = self._context(request)
        return function(request.arguments["value"], **rest) if taken else function(**rest)

    def _perform(self, request: Request) -> Any:
        """Calls a method with its params, and the context if it wants one."""
        signature, function = self.signature, self.function
        assert signature is not None and function is not None
        given = [request.arguments, self._context(request)][: len(signature.parameters)]
        rest = {signature.context: self._context(request)} if signature.context else {}
        return function(*given, **rest)


def engine_handler(server: Server) -> tuple[_native.Handler, bool]:
    """The middleware of a server around what the engine answers; says whether it is async."""
    run, is_async = around_engine(server._layers)

    def passed(request: Request) -> Passed:
        return Passed(run(request))

    async def passed_later(request: Request) -> Passed:
        return Passed(await run(request))

    return _whole_request(server, passed_later if is_async else passed, is_async), is_async


def _whole_request(
    server: Server, run: Callable[[Request], Any], is_async: bool
) -> _native.Handler:
    """A handler of requests whose arguments are all of their params."""

    def call(given: Any) -> Any:
        """Called with the call, or on a loop with its context."""
        context = given if isinstance(given, Context) else Context(given, server)
        return run(Request(context, context._call.arguments))

    def answered(given: Any) -> None:
        from ._results import answer

        answer(given, call(given))

    return _native.Handler(call if is_async else answered, pass_call=True, is_async=is_async)


def completion_name(definition: Mapping[str, Any]) -> str:
    """What a completion is known by."""
    return f"{definition['argument']} of {definition['of']}"


def _with_integers(
    signature: Signature, converters: Mapping[str, Callable[[Any], Any]] | None
) -> dict[str, Callable[[Any], Any]] | None:
    """The converters, and `int` where the schema says integer: `5.0` is one to JSON Schema."""
    made = dict(signature.converters if converters is None else converters)
    if converters is None:
        for parameter in signature.parameters:
            if parameter.schema.get("type") == "integer":
                made.setdefault(parameter.name, int)
    return made or None


def _inner_integers(signature: Signature) -> Callable[[str, Any], Any] | None:
    """What does the same inside of arguments and in `**others`, if there may be integers."""
    scalars = ("integer", "number", "string", "boolean", "null")
    is_flat = all(it.schema.get("type") in scalars for it in signature.parameters)
    if is_flat and not signature.input_schema.get("additionalProperties"):
        return None
    from ._integers import inner_integers

    return inner_integers(signature.input_schema)


def without_none(members: dict[str, Any]) -> dict[str, Any]:
    """The members that say something."""
    return {name: value for name, value in members.items() if value is not None}
