"""Models of pydantic and msgspec: their libraries say what the schema is, here it is cleaned."""

from __future__ import annotations

import sys

from ._shapes import HintError, Mismatch, Shape
from ._unions import fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._hints import Walk

    Convert = Callable[[Any], Any]
    Schema = dict[str, Any]

_NULL = {"type": "null"}
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLES = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then")
_DATA = ("enum", "const", "default", "examples", "required")


def pydantic_model(walk: Walk, owner: Any) -> Shape:
    """The shape of a pydantic model."""
    mode = "serialization" if walk.output else "validation"
    try:
        schema = owner.model_json_schema(mode=mode)
    except Exception as error:
        raise _refused(owner, error) from error
    return _shape(walk, schema, owner.model_validate)


def adapted(walk: Walk, hint: Any) -> Shape:
    """The shape of a hint that only pydantic understands, such as a URL or a validator."""
    library: Any = sys.modules["pydantic"]
    mode = "serialization" if walk.output else "validation"
    try:
        adapter = library.TypeAdapter(hint)
        schema = adapter.json_schema(mode=mode)
    except Exception as error:
        raise _refused(hint, error) from error
    return _shape(walk, schema, adapter.validate_python)


def msgspec_struct(walk: Walk, hint: Any) -> Shape:
    """The shape of a msgspec struct."""
    library: Any = sys.modules["msgspec"]
    try:
        schema = library.json.schema(hint)
    except Exception as error:
        raise _refused(hint, error) from error
    return _shape(walk, schema, lambda value: library.convert(value, hint))


def _refused(hint: Any, error: Exception) -> HintError:
    from ._hints import spelled

    return HintError(f"the library of {spelled(hint)} has no schema for it: {error}")


def _shape(walk: Walk, schema: Schema, read: Convert) -> Shape:
    raw = {**schema}
    definitions = raw.pop("$defs", {})
    cleaner = _Cleaner(walk, definitions)
    cleaned = cleaner.clean(raw)
    null = False
    if not walk.output:
        cleaned, null = _without_null(cleaned)

    def convert(value: Any) -> Any:
        if cleaner.is_relaxed:
            value = _filled(raw, value, definitions)
        try:
            return read(value)
        except ValueError as error:
            raise _readable(error) from error

    return Shape(cleaned, convert, null)


class _Cleaner:
    """Inlines references, drops generated titles, and null where a property may be left out."""

    __slots__ = ("walk", "definitions", "is_relaxed", "_open", "_names")

    def __init__(self, walk: Walk, definitions: dict[str, Schema]) -> None:
        self.walk = walk
        self.definitions = definitions
        self.is_relaxed = False
        self._open: list[str] = []
        self._names: dict[str, str] = {}

    def clean(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return {**self._resolved(reference.rpartition("/")[2]), **self.clean(beside)}
        cleaned: Schema = {}
        for key, value in schema.items():
            if key in _DATA:
                if key != "default" or (value is not None and not self.walk.output):
                    cleaned[key] = value
            elif key in ("title", "discriminator"):
                continue
            elif key in _MAPS:
                cleaned[key] = {name: self._titled(member, name) for name, member in value.items()}
            elif key in _LISTS:
                cleaned[key] = [self._schema(member) for member in value]
            elif key in _SINGLES:
                cleaned[key] = self._schema(value)
            else:
                cleaned[key] = value
        if "properties" in cleaned and not self.walk.output:
            self._relax(cleaned)
        return cleaned

    def _schema(self, schema: Any) -> Any:
        return self.clean(schema) if isinstance(schema, dict) else schema

    def _titled(self, schema: Any, name: str) -> Any:
        """A property, with its title only if that says more than its name."""
        cleaned = self._schema(schema)
        title = schema.get("title", "") if isinstance(schema, dict) else ""
        if title and title.casefold() != name.replace("_", " ").strip().casefold():
            cleaned["title"] = title
        return cleaned

    def _relax(self, schema: Schema) -> None:
        required = schema.get("required", [])
        for name, member in schema["properties"].items():
            stripped, null = _without_null(member)
            if null:
                schema["properties"][name] = stripped
                if name in required:
                    self.is_relaxed = True
                    required = [other for other in required if other != name]
        schema.pop("required", None)
        if required:
            schema["required"] = required

    def _resolved(self, name: str) -> Schema:
        if name in self._open or name in self._names:
            if name not in self._names:
                self._names[name] = self._free(name)
            return {"$ref": f"#/$defs/{self._names[name]}"}
        self._open.append(name)
        cleaned = self.clean(self.definitions[name])
        self._open.pop()
        if name not in self._names:
            return cleaned
        self.walk.definitions[self._names[name]] = cleaned
        return {"$ref": f"#/$defs/{self._names[name]}"}

    def _free(self, name: str) -> str:
        number = 1
        candidate = name
        while candidate in self.walk.definitions or candidate in self._names.values():
            number += 1
            candidate = f"{name}{number}"
        return candidate


def _without_null(schema: Schema) -> tuple[Schema, bool]:
    """A schema without the alternative null, and whether it had one."""
    alternatives = schema.get("anyOf")
    if alternatives is not None and _NULL in alternatives:
        rest = [alternative for alternative in alternatives if alternative != _NULL]
        beside = {key: value for key, value in schema.items() if key != "anyOf"}
        if len(rest) == 1:
            return {**rest[0], **beside}, True
        return {"anyOf": rest, **beside}, True
    values = schema.get("enum")
    if values is not None and None in values and len(values) > 1:
        return {**schema, "enum": [value for value in values if value is not None]}, True
    return schema, False


def _filled(schema: Schema, value: Any, definitions: dict[str, Schema]) -> Any:
    """The value with None for the members that only the cleaned schema lets one leave out."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _filled(definitions[reference.rpartition("/")[2]], value, definitions)
    for one in schema.get("anyOf") or schema.get("oneOf") or ():
        relaxed = definitions[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
        if fits({**relaxed, "required": ()}, value, definitions):
            return _filled(relaxed, value, definitions)
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [_filled(schema["items"], item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    rest = schema.get("additionalProperties")
    filled = {}
    for name, member in value.items():
        inner = properties.get(name, rest)
        filled[name] = _filled(inner, member, definitions) if isinstance(inner, dict) else member
    for name in schema.get("required", ()):
        if name not in filled and _without_null(properties.get(name, {}))[1]:
            filled[name] = None
    return filled


def _readable(error: ValueError) -> Mismatch:
    """The first of the mistakes that the library found, with its place."""
    errors = getattr(error, "errors", None)
    if callable(errors):
        first = errors()[0]
        place = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in first["loc"])
        return Mismatch(str(first["msg"]), place.lstrip("."))
    text, _, place = str(error).partition(" - at `$")
    return Mismatch(text, place.rstrip("`").lstrip("."))
