"""What a hint comes to: a schema and, where JSON has another form, a converter."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Convert = Callable[[Any], Any]
    Schema = dict[str, Any]


class HintError(TypeError):
    """A type hint that no JSON Schema can express, or that cannot be resolved."""


class Mismatch(ValueError):
    """A value that is not what the hint says, with the place of it in the arguments."""

    def __init__(self, text: str, place: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.place = place

    def within(self, place: str) -> Mismatch:
        """The same mismatch, seen from the value around it."""
        inner = self.place
        joint = "" if not inner or inner.startswith("[") else "."
        return Mismatch(self.text, f"{place}{joint}{inner}")

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.place else self.text


class Shape:
    """The schema of a hint without null, its converter, and whether None is allowed too.

    `note` is the description that the hint itself gives, and `default` a default from metadata.
    """

    __slots__ = ("schema", "convert", "nullable", "note", "default")

    def __init__(
        self, schema: Schema, convert: Convert | None = None, nullable: bool = False
    ) -> None:
        self.schema = schema
        self.convert = convert
        self.nullable = nullable
        self.note: str | None = None
        self.default: Any = MISSING

    def with_null(self) -> Schema:
        """The schema for a place inside another, with null if None is allowed."""
        schema = {**self.schema, "description": self.note} if self.note else self.schema
        return nullable(schema) if self.nullable else schema

    def member(self) -> Convert | None:
        """The converter for a place where null may stand."""
        convert = self.convert
        if convert is None or not self.nullable:
            return convert
        return lambda value: None if value is None else convert(value)


class _Missing:
    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


def nullable(schema: Schema) -> Schema:
    """A schema that allows null besides."""
    kind = schema.get("type")
    if not schema or kind == "null":
        return schema
    if "enum" in schema:
        schema = {**schema, "enum": [*schema["enum"], None]}
        return {**schema, "type": [kind, "null"]} if isinstance(kind, str) else schema
    if set(schema) == {"anyOf"}:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]}


def property_schema(
    shape: Shape, note: str | None, default: Any, *, output: bool = False
) -> Schema:
    """The schema of a parameter or field, with description and default."""
    schema = {**(nullable(shape.schema) if output and shape.nullable else shape.schema)}
    if note:
        schema["description"] = note
    if not output and default is not MISSING and default is not None:
        word = json_word(default)
        if word is not None:
            schema["default"] = word
    return schema


def json_word(value: Any) -> Any:
    """A default as JSON shows it, or None if JSON has no word for it."""
    kind = type(value)
    if kind is str or kind is int or kind is bool:
        return value
    if kind is float:
        return value if value - value == 0 else None
    from ._values import plain

    try:
        return plain(value)
    except (TypeError, ValueError):
        return None


def attempt(convert: Convert, value: Any, place: str) -> Any:
    """Converts a value inside another; what goes wrong tells the place."""
    try:
        return convert(value)
    except Mismatch as mismatch:
        raise mismatch.within(place) from mismatch.__cause__
    except (ValueError, TypeError) as error:
        raise Mismatch(str(error) or type(error).__name__, place) from error


def shown(value: Any) -> str:
    """A value as an error message shows it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else f"{text[:76]}…"


def kind_of(value: Any) -> str:
    """The name that JSON Schema has for the type of a plain value, or an empty string."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    return ""


_KINDS: tuple[tuple[type, str], ...] = (
    (str, "string"),
    (int, "integer"),
    (float, "number"),
    (list, "array"),
    (dict, "object"),
)
