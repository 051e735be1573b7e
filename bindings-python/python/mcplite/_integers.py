"""Integers that are written as `5.0`: to JSON Schema they are integers, to Python they are not."""

from __future__ import annotations

from ._unions import fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Schema = dict[str, Any]


def inner_integers(schema: Schema) -> Callable[[str, Any], Any] | None:
    """Gives an argument with `int` where the schema of all arguments wants integers.

    None if it wants none anywhere.
    """
    definitions = schema.get("$defs", {})
    if not _wants_integers(schema):
        return None

    def convert(name: str, value: Any) -> Any:
        return _converted(_member(schema, name), value, definitions)

    return convert


def _wants_integers(schema: Any) -> bool:
    """Whether integers are wanted anywhere; at worst this finds a name that says so."""
    if isinstance(schema, dict):
        return any(_wants_integers(value) for value in schema.values())
    if isinstance(schema, list):
        return any(_wants_integers(value) for value in schema)
    return bool(schema == "integer")


def _converted(schema: Any, value: Any, definitions: dict[str, Schema]) -> Any:
    if not isinstance(schema, dict) or not isinstance(value, (float, list, dict)):
        return value
    reference = schema.get("$ref")
    if reference is not None:
        found = definitions.get(reference.rpartition("/")[2])
        return _converted(found, value, definitions)
    for alternative in schema.get("anyOf") or schema.get("oneOf") or ():
        if fits(alternative, value, definitions):
            return _converted(alternative, value, definitions)
    if isinstance(value, list):
        return [_converted(_item(schema, at), item, definitions) for at, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            name: _converted(_member(schema, name), member, definitions)
            for name, member in value.items()
        }
    kind = schema.get("type")
    is_wanted = kind == "integer" or (isinstance(kind, list) and "integer" in kind)
    return int(value) if is_wanted and value.is_integer() else value


def _item(schema: Schema, at: int) -> Any:
    first = schema.get("prefixItems", ())
    return first[at] if at < len(first) else schema.get("items")


def _member(schema: Schema, name: str) -> Any:
    properties = schema.get("properties", {})
    return properties[name] if name in properties else schema.get("additionalProperties")
