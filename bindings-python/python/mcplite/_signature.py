"""Functions as tools: name, description, schemas and converters, from signature and docstring."""

from __future__ import annotations

import os

from ._callables import (
    FUNCTION,
    METHOD,
    annotations_of,
    closure,
    innermost,
    is_async,
    is_object,
    name_of,
)
from ._docstring import parse
from ._hints import HintError, Walk, form_of, spelled
from ._scope import Names, Scope
from ._shapes import MISSING, Shape, attempt, property_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Convert = Callable[[Any], Any]
    Schema = dict[str, Any]

__all__ = ["Parameter", "Signature", "SignatureError", "inspect_function"]

_POSITIONAL_ONLY, _EITHER, _VARIADIC, _KEYWORD_ONLY, _KEYWORDS = range(5)
_VARARGS, _VARKEYWORDS = 0x04, 0x08


class SignatureError(TypeError):
    """A function whose signature cannot be a tool's; the message says where and what to do."""


class Parameter:
    """A parameter as clients see it."""

    __slots__ = ("name", "required", "schema", "description", "default")

    def __init__(
        self, name: str, required: bool, schema: Schema, description: str | None, default: Any
    ) -> None:
        self.name = name
        self.required = required
        self.schema = schema
        self.description = description
        self.default = default

    def __repr__(self) -> str:
        return f"Parameter({self.name!r}, required={self.required})"


class Signature:
    """What the engine needs to know of a function.

    `defaults` are values to pass where the client has left an argument out and the function itself
    has no default; `positional` are the parameters to pass by position, in order, if some must be.
    """

    __slots__ = (
        "name",
        "description",
        "input_schema",
        "parameters",
        "converters",
        "defaults",
        "positional",
        "context",
        "is_async",
        "output_schema",
        "wrap",
    )

    def __init__(self, name: str, description: str | None) -> None:
        self.name = name
        self.description = description
        self.input_schema: Schema = {}
        self.parameters: list[Parameter] = []
        self.converters: dict[str, Convert] = {}
        self.defaults: dict[str, Any] = {}
        self.positional: tuple[str, ...] | None = None
        self.context: str | None = None
        self.is_async = False
        self.output_schema: Schema | None = None
        self.wrap = False

    def __repr__(self) -> str:
        return f"Signature({self.name!r}, {self.parameters!r})"


def inspect_function(
    function: Callable[..., Any], context_type: type, *, output: bool = True
) -> Signature:
    """Reads the signature, the hints and the docstring of a function.

    A parameter annotated with `context_type` is for the context: clients do not see it. Without
    `output` the return annotation is not looked at. Raises SignatureError, which names file, line
    and parameter, if there is something that a client could not send.
    """
    return _Inspection(function, context_type).run(output)


class _Inspection:
    __slots__ = ("function", "inner", "context_type", "walk", "annotations", "members", "result")

    def __init__(self, function: Any, context_type: type) -> None:
        self.function = function
        self.context_type = context_type
        self.inner = innermost(function)
        name = name_of(function, self.inner)
        documentation = getattr(self.inner, "__doc__", None)
        if documentation is None and not isinstance(function, (FUNCTION, METHOD)):
            documentation = type(function).__doc__ if is_object(function) else None
        docstring = parse(documentation)
        self.result = Signature(name, docstring.description)
        space = getattr(self.inner, "__globals__", {})
        names = Names(space, getattr(self.inner, "__qualname__", ""))
        names.update(closure(self.inner))
        self.walk = Walk(Scope(names))
        self.annotations = annotations_of(self.inner)
        self.members = self._members()
        self._read(docstring.parameters)

    def run(self, output: bool) -> Signature:
        result = self.result
        result.is_async = is_async(self.function)
        if "return" in self.annotations:
            self._read_result(self.annotations["return"], output)
        return result

    def _members(self) -> list[tuple[str, int, Any, Any]]:
        """Name, kind, hint and default of each parameter; without hint or default, MISSING."""
        function = self.function
        bound = 0
        if type(function) is METHOD:
            bound = 1
            function = function.__func__
        while type(function) is FUNCTION:
            attributes = function.__dict__
            if "__signature__" in attributes:
                break
            if "__wrapped__" not in attributes:
                return self._plain_members(function, bound)
            function = attributes["__wrapped__"]
        return self._unusual_members()

    def _plain_members(self, function: Any, bound: int) -> list[tuple[str, int, Any, Any]]:
        code = function.__code__
        hints = self.annotations
        names = code.co_varnames
        count, only, named = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
        defaults = function.__defaults__ or ()
        named_defaults = function.__kwdefaults__ or {}
        first_default = count - len(defaults)
        members = []
        for at in range(bound, count):
            name = names[at]
            default = defaults[at - first_default] if at >= first_default else MISSING
            kind = _POSITIONAL_ONLY if at < only else _EITHER
            members.append((name, kind, hints.get(name, MISSING), default))
        for name in names[count : count + named]:
            default = named_defaults.get(name, MISSING)
            members.append((name, _KEYWORD_ONLY, hints.get(name, MISSING), default))
        rest = count + named
        if code.co_flags & _VARARGS:
            members.append((names[rest], _VARIADIC, MISSING, MISSING))
            rest += 1
        if code.co_flags & _VARKEYWORDS:
            members.append((names[rest], _KEYWORDS, hints.get(names[rest], MISSING), MISSING))
        return members

    def _unusual_members(self) -> list[tuple[str, int, Any, Any]]:
        from inspect import Parameter as Described
        from inspect import signature

        try:
            described = signature(self.function)
        except (ValueError, TypeError) as error:
            raise self._error(f"its signature is not known ({error}); wrap it in a def") from None
        return [
            (
                parameter.name,
                int(parameter.kind),
                MISSING if parameter.annotation is Described.empty else parameter.annotation,
                MISSING if parameter.default is Described.empty else parameter.default,
            )
            for parameter in described.parameters.values()
        ]

    def _read(self, texts: dict[str, str]) -> None:
        result = self.result
        properties: dict[str, Schema] = {}
        required = []
        schema: Schema = {"type": "object", "properties": properties}
        closed: Any = False
        for name, kind, hint, default in self.members:
            if kind == _VARIADIC:
                raise self._error(
                    f"parameter *{name} cannot be sent by a client, because arguments have names; "
                    f"use a parameter {name}: list instead"
                )
            if hint is not MISSING and self._is_context(hint):
                if result.context is not None:
                    raise self._error(
                        f"parameter {name} is a second {self.context_type.__name__}; keep one"
                    )
                result.context = name
                continue
            if kind == _KEYWORDS:
                closed = self._rest(name, hint)
                continue
            parameter = self._parameter(name, hint, default, texts.get(name))
            properties[name] = parameter.schema
            if parameter.required:
                required.append(name)
            result.parameters.append(parameter)
        if required:
            schema["required"] = required
        if closed != {}:
            schema["additionalProperties"] = closed
        result.input_schema = self.walk.rooted(schema)
        self._read_positions()

    def _parameter(self, name: str, hint: Any, default: Any, text: str | None) -> Parameter:
        shape = Shape({}) if hint is MISSING else self._shape(hint, f"parameter {name}")
        result = self.result
        if default is not MISSING and type(default).__name__ == "FieldInfo":
            from ._bounds import apply

            apply(shape, (default,))
            default = MISSING
        if default is MISSING and shape.default is not MISSING:
            default = result.defaults[name] = shape.default
        if default is MISSING and shape.nullable:
            default = result.defaults[name] = None
        convert = shape.member()
        if convert is not None:
            result.converters[name] = _named(convert, name)
        note = shape.note or text
        schema = property_schema(shape, note, default)
        return Parameter(name, default is MISSING, schema, schema.get("description"), default)

    def _rest(self, name: str, hint: Any) -> Any:
        """What is allowed besides the named parameters: the schema of `**kwargs`."""
        if hint is MISSING:
            return {}
        shape = self._shape(hint, f"parameter **{name}")
        if shape.convert is not None:
            raise self._error(
                f"parameter **{name} has the hint {spelled(hint)}, which needs a conversion; use "
                "str, int, float, bool, list, dict or Any, or name the parameters"
            )
        return shape.with_null()

    def _read_positions(self) -> None:
        if all(kind != _POSITIONAL_ONLY for _, kind, _, _ in self.members):
            return
        positions = [member for member in self.members if member[1] in (_POSITIONAL_ONLY, _EITHER)]
        self.result.positional = tuple(member[0] for member in positions)
        for name, _, _, default in positions:
            if default is not MISSING and name != self.result.context:
                self.result.defaults.setdefault(name, default)

    def _is_context(self, hint: Any) -> bool:
        if type(hint) is str:
            try:
                return self._is_context(self.walk.scope.evaluate(hint))
            except HintError:
                return _mentions(hint, self.context_type.__name__)
        if isinstance(hint, type) and not hasattr(hint, "__origin__"):
            return issubclass(hint, self.context_type)
        if hasattr(hint, "__metadata__"):
            return self._is_context(hint.__origin__)
        if form_of(hint) == "Union":
            return any(self._is_context(arg) for arg in hint.__args__)
        if form_of(hint) == "ForwardRef":
            return self._is_context(hint.__forward_arg__)
        origin = getattr(hint, "__origin__", None)
        return isinstance(origin, type) and issubclass(origin, self.context_type)

    def _read_result(self, hint: Any, output: bool) -> None:
        if hint is None or hint is str:
            return
        from ._outputs import describe

        walk = Walk(self.walk.scope, output=True)
        try:
            is_awaitable, schema, wrap = describe(walk, hint)
        except HintError as error:
            if not output:
                return
            raise self._error(
                f"the return annotation: {error}; or leave the annotation out"
            ) from error
        self.result.is_async = self.result.is_async or is_awaitable
        if output:
            self.result.output_schema, self.result.wrap = schema, wrap

    def _shape(self, hint: Any, place: str) -> Shape:
        try:
            return self.walk.shape(hint)
        except HintError as error:
            raise self._error(f"{place}: {error}") from error

    def _error(self, text: str) -> SignatureError:
        return refusal(self.function, self.result.name, text)


def refusal(function: Callable[..., Any], name: str, text: str) -> SignatureError:
    """An error that says where the function is and what is wrong with it."""
    return SignatureError(f"{place_of(function)}function {name}(): {text}")


def place_of(function: Any) -> str:
    """Where a function is, as the start of a message: file and line, if they are known."""
    code = getattr(innermost(function), "__code__", None)
    if code is None:
        return ""
    here = os.getcwd() + os.sep
    return f"{code.co_filename.removeprefix(here)}:{code.co_firstlineno}: "


def _mentions(text: str, name: str) -> bool:
    """Whether a hint that cannot be resolved is the context's class by name."""
    for letter in "|[],":
        text = text.replace(letter, " ")
    return any(word.rpartition(".")[2] == name for word in text.split())


def _named(convert: Convert, name: str) -> Convert:
    return lambda value: attempt(convert, value, name)
