"""Unions, and which member of one a value belongs to."""

from __future__ import annotations

from ._shapes import Mismatch, Shape, kind_of, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._hints import Walk

    Convert = Callable[[Any], Any]
    Schema = dict[str, Any]


def union(walk: Walk, hints: tuple[Any, ...]) -> Shape:
    """The shape of a union. None makes it optional; the first member that fits is taken."""
    shapes = []
    nullable = False
    for hint in hints:
        if hint is None or hint is type(None):
            nullable = True
        else:
            shape = walk.shape(hint)
            nullable = nullable or shape.nullable
            shapes.append(shape)
    if not shapes:
        return Shape({"type": "null"})
    if len(shapes) == 1:
        only = shapes[0]
        only.nullable = nullable
        return only
    for shape in shapes:
        if shape.note:
            shape.schema["description"] = shape.note
    schemas = _merged([shape.schema for shape in shapes])
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    if all(shape.convert is None for shape in shapes):
        return Shape(schema, None, nullable)
    return Shape(schema, _reader(walk, shapes), nullable)


def _merged(schemas: list[Schema]) -> list[Schema]:
    """The alternatives without those that others cover, and lists of values in one."""
    if {} in schemas:
        return [{}]
    merged: list[Schema] = []
    for schema in schemas:
        values = _values(schema)
        if schema in merged:
            continue
        if schema == {"type": "integer"} and {"type": "number"} in schemas:
            continue
        if values is not None:
            before = next((known for known in merged if _values(known) is not None), None)
            if before is not None and before.get("type") == schema.get("type"):
                before["enum"] = [*before["enum"], *(v for v in values if v not in before["enum"])]
                continue
        merged.append({**schema})
    return merged


def _values(schema: Schema) -> list[Any] | None:
    return schema["enum"] if set(schema) <= {"type", "enum"} and "enum" in schema else None


def _reader(walk: Walk, shapes: list[Shape]) -> Convert:
    definitions = walk.definitions
    members = [(shape.schema, shape.convert) for shape in shapes]

    def convert(value: Any) -> Any:
        reason: Mismatch | None = None
        for schema, member in members:
            if not fits(schema, value, definitions):
                continue
            if member is None:
                return value
            try:
                return member(value)
            except Mismatch as mismatch:
                reason = reason or mismatch
            except (ValueError, TypeError) as error:
                reason = reason or Mismatch(str(error))
        raise reason or Mismatch(f"fits none of the alternatives, it is {shown(value)}")

    return convert


def fits(schema: Schema, value: Any, definitions: dict[str, Schema]) -> bool:
    """Whether a plain value matches a generated schema, as far as types, names and lists go."""
    reference = schema.get("$ref")
    if reference is not None:
        return fits(definitions[reference.rpartition("/")[2]], value, definitions)
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives is not None and not any(
        fits(alternative, value, definitions) for alternative in alternatives
    ):
        return False
    if "enum" in schema and not any(_same(value, listed) for listed in schema["enum"]):
        return False
    if "const" in schema and not _same(value, schema["const"]):
        return False
    wanted = schema.get("type")
    if wanted is not None and not _is_kind(value, wanted):
        return False
    if isinstance(value, dict):
        return _fits_object(schema, value, definitions)
    if isinstance(value, list):
        return _fits_array(schema, value, definitions)
    return True


def _fits_object(schema: Schema, value: dict[str, Any], definitions: dict[str, Schema]) -> bool:
    properties = schema.get("properties", {})
    if any(name not in value for name in schema.get("required", ())):
        return False
    rest = schema.get("additionalProperties", True)
    for name, member in value.items():
        wanted = properties.get(name, rest)
        if wanted is False:
            return False
        if wanted is not True and not fits(wanted, member, definitions):
            return False
    return True


def _fits_array(schema: Schema, value: list[Any], definitions: dict[str, Schema]) -> bool:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return False
    first = schema.get("prefixItems", [])
    rest = schema.get("items", {})
    return all(
        fits(first[at] if at < len(first) else rest, item, definitions)
        for at, item in enumerate(value)
    )


def _is_kind(value: Any, wanted: str | list[str]) -> bool:
    if isinstance(wanted, list):
        return any(_is_kind(value, one) for one in wanted)
    kind = kind_of(value)
    if kind == wanted or (kind == "integer" and wanted == "number"):
        return True
    return wanted == "integer" and isinstance(value, float) and value.is_integer()


def _same(value: Any, other: Any) -> bool:
    return bool(value == other) and isinstance(value, bool) is isinstance(other, bool)
