"""Type hints as JSON Schema, and JSON values as what the hints say."""

from __future__ import annotations

from ._containers import container
from ._scope import Names, Scope
from ._shapes import HintError, Mismatch, Shape
from ._values import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Convert = Callable[[Any], Any]
    Schema = dict[str, Any]

__all__ = ["HintError", "Mismatch", "Walk", "plain", "schema_of"]

_BASIC: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
    None: "null",
    type(None): "null",
}
_TRANSPARENT = frozenset(("Required", "NotRequired", "ReadOnly", "Final", "ClassVar"))

POSSIBLE = (
    "possible are str, int, float, bool, list, dict, tuple, set, Literal, Enum, unions, "
    "dates and times, UUID, Decimal, Path, bytes, TypedDict, NamedTuple, dataclasses, "
    "pydantic, msgspec and attrs models, and Any"
)


def schema_of(hint: Any) -> tuple[Schema, Convert | None]:
    """The JSON Schema of a hint, and the converter from JSON values, if they need one."""
    walk = Walk(Scope(Names({}, "")))
    shape = walk.shape(hint)
    schema = walk.rooted(shape.schema)
    if shape.note:
        schema["description"] = shape.note
    return schema, shape.member()


class Walk:
    """One walk over hints: what they refer to is inlined, except for recursion."""

    __slots__ = ("scope", "output", "definitions", "types", "_open", "_closed")

    def __init__(self, scope: Scope, *, output: bool = False) -> None:
        self.scope = scope
        self.output = output
        self.definitions: dict[str, Schema] = {}
        self.types: dict[Any, Any] = {}
        self._open: dict[Any, _Knot] = {}
        self._closed: dict[Any, _Knot] = {}

    def shape(self, hint: Any) -> Shape:
        """The shape of any hint."""
        if hint is None or type(hint) is type:
            basic = _BASIC.get(hint)
            if basic is not None:
                return Shape({"type": basic})
            if hint is object:
                return Shape({})
        if type(hint) is str:
            return self.shape(self.scope.evaluate(hint))
        metadata = getattr(hint, "__metadata__", None)
        if metadata is not None:
            from ._bounds import annotated

            return annotated(self, hint, metadata)
        form = form_of(hint)
        if form:
            return self._special(hint, form)
        origin = getattr(hint, "__origin__", None)
        if origin is not None:
            return self._generic(hint, origin, getattr(hint, "__args__", None))
        if isinstance(hint, type):
            return self._class(hint)
        raise inexpressible(hint)

    def rooted(self, schema: Schema) -> Schema:
        """A schema as a root: with the definitions it refers to, and itself no reference."""
        reference = schema.get("$ref")
        if reference is not None:
            schema = {**self.definitions[reference.rpartition("/")[2]], **schema}
            del schema["$ref"]
        if self.definitions:
            schema = {**schema, "$defs": self.definitions}
        return schema

    def named(self, key: Any, name: str, build: Callable[[], Shape]) -> Shape:
        """The shape of something with a name, which may lead back to itself."""
        knot = self._closed.get(key)
        if knot is not None:
            return Shape(knot.reference(), knot.convert)
        knot = self._open.get(key)
        if knot is not None:
            if not knot.name:
                knot.name = self._unused(name)
            return Shape(knot.reference(), knot.convert)
        knot = self._open[key] = _Knot()
        try:
            shape = knot.shape = build()
        finally:
            del self._open[key]
        if not knot.name:
            return shape
        self.definitions[knot.name] = shape.with_null()
        self._closed[key] = knot
        return Shape(knot.reference(), knot.convert)

    def _unused(self, name: str) -> str:
        taken = {*self.definitions, *(knot.name for knot in self._open.values())}
        number = 1
        candidate = name
        while candidate in taken:
            number += 1
            candidate = f"{name}{number}"
        return candidate

    def _special(self, hint: Any, form: str) -> Shape:
        if form == "Any":
            return Shape({})
        if form == "LiteralString":
            return Shape({"type": "string"})
        if form == "Union":
            from ._unions import union

            return union(self, hint.__args__)
        if form == "Literal":
            from ._enums import literal

            return literal(self, hint.__args__)
        if form in _TRANSPARENT and getattr(hint, "__args__", None):
            return self.shape(hint.__args__[0])
        if form == "NewType":
            return self.shape(hint.__supertype__)
        if form == "ForwardRef":
            return self.shape(self.scope.evaluate(hint.__forward_arg__))
        if form == "InitVar":
            return self.shape(hint.type)
        if form == "TypeAliasType":
            return self.named(hint, hint.__name__, lambda: self._alias(hint))
        if form == "TypeVar":
            return self._variable(hint)
        raise inexpressible(hint)

    def _alias(self, alias: Any) -> Shape:
        before = self.scope
        self.scope = before.of_module(alias.__module__)
        try:
            return self.shape(alias.__value__)
        finally:
            self.scope = before

    def _variable(self, hint: Any) -> Shape:
        if hint in self.types:
            return self.shape(self.types[hint])
        if hint.__constraints__:
            from ._unions import union

            return union(self, hint.__constraints__)
        return Shape({}) if hint.__bound__ is None else self.shape(hint.__bound__)

    def _generic(self, hint: Any, origin: Any, args: tuple[Any, ...] | None) -> Shape:
        if not isinstance(origin, type) or not _is_builtin(origin):
            return self._parametrised(hint, origin, args or ())
        found = container(self, origin, args)
        if found is None:
            raise inexpressible(hint)
        return found

    def _parametrised(self, hint: Any, origin: Any, args: tuple[Any, ...]) -> Shape:
        parameters = getattr(origin, "__type_params__", ()) or getattr(origin, "__parameters__", ())
        known = tuple(self._substituted(arg) for arg in args)
        key = (origin, _hashable(known))
        before = self.types
        self.types = {**before, **dict(zip(parameters, known, strict=False))}
        try:
            if isinstance(origin, type):
                return self._class(origin, hint, key)
            if form_of(origin) == "TypeAliasType":
                return self.named(key, origin.__name__, lambda: self._alias(origin))
        finally:
            self.types = before
        raise inexpressible(hint)

    def _substituted(self, hint: Any) -> Any:
        if form_of(hint) == "TypeVar":
            return self.types.get(hint, hint)
        inner = getattr(hint, "__parameters__", ())
        if inner and not isinstance(hint, type):
            return hint[tuple(self.types.get(variable, variable) for variable in inner)]
        return hint

    def _class(self, owner: Any, hint: Any = None, key: Any = None) -> Shape:
        if _is_builtin(owner):
            found = container(self, owner, None)
            if found is not None:
                return found
        if getattr(owner, "__mcp_content__", False):
            raise HintError(f"{owner.__qualname__} is content and has no schema; {POSSIBLE}")
        if hasattr(owner, "_member_map_"):
            from ._enums import enumeration

            return enumeration(owner)
        from ._models import model
        from ._scalars import scalar

        found = model(self, owner, hint, owner if key is None else key) or scalar(owner)
        if found is not None:
            return found
        for base in (str, int, float, list, dict):
            if issubclass(owner, base):
                return Shape({"type": _BASIC[base]}, owner)
        raise inexpressible(owner if hint is None else hint)


class _Knot:
    """A shape that is still being made while something inside refers to it."""

    __slots__ = ("name", "shape")

    def __init__(self) -> None:
        self.name = ""
        self.shape: Shape | None = None

    def reference(self) -> Schema:
        return {"$ref": f"#/$defs/{self.name}"}

    def convert(self, value: Any) -> Any:
        convert = None if self.shape is None else self.shape.member()
        return value if convert is None else convert(value)


def form_of(hint: Any) -> str:
    """The name of the special form that a hint is, such as "Union"; empty for the others."""
    kind = type(hint)
    name = kind.__name__
    if name in ("UnionType", "Union"):
        return "Union"
    if name in ("NewType", "TypeAliasType", "TypeVar", "ForwardRef", "InitVar"):
        return name
    if kind.__module__ == "typing" or kind.__module__ == "typing_extensions":
        origin = getattr(hint, "__origin__", hint)
        if not isinstance(origin, type):
            return getattr(origin, "_name", None) or ""
    if getattr(hint, "__module__", "") in ("typing", "typing_extensions"):
        name = getattr(hint, "__name__", "")
        return name if name == "Any" else ""
    return ""


def spelled(hint: Any) -> str:
    """A hint as people write it."""
    if type(hint) is str:
        return hint
    if isinstance(hint, type) and not hasattr(hint, "__origin__"):
        return hint.__qualname__
    return repr(hint).replace("typing.", "")


def inexpressible(hint: Any) -> HintError:
    """The error for a hint that JSON Schema has no words for."""
    return HintError(f"the hint {spelled(hint)} has no JSON Schema; {POSSIBLE}")


def _hashable(hints: tuple[Any, ...]) -> Any:
    """Hints as a key; metadata may be of any kind, also such as has no hash."""
    try:
        hash(hints)
    except TypeError:
        return repr(hints)
    return hints


def _is_builtin(owner: Any) -> bool:
    return owner.__module__ in ("builtins", "collections", "collections.abc")
