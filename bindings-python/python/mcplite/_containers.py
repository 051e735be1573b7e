"""Containers: arrays and objects whose members have hints of their own."""

from __future__ import annotations

from ._shapes import HintError, Mismatch, Shape, attempt, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ._hints import Walk

    Convert = Callable[[Any], Any]
    Schema = dict[str, Any]

_ABC = "collections.abc."
_LISTS = frozenset(
    _ABC + name for name in ("Sequence", "MutableSequence", "Iterable", "Collection", "Reversible")
) | {"builtins.list"}
_SETS = frozenset(("builtins.set", "builtins.frozenset", _ABC + "Set", _ABC + "MutableSet"))
_DICTS = frozenset(("builtins.dict", _ABC + "Mapping", _ABC + "MutableMapping"))
_INTEGER_KEY = "^-?[0-9]+$"


def container(walk: Walk, owner: Any, args: tuple[Any, ...] | None) -> Shape | None:
    name = f"{owner.__module__}.{owner.__qualname__}"
    if name in _LISTS:
        return _array(walk, args, None)
    if name in _DICTS:
        return _mapping(walk, args, None)
    if name in _SETS:
        shape = _array(walk, args, frozenset if owner is frozenset else set)
        shape.schema["uniqueItems"] = True
        return shape
    if owner is tuple:
        return _tuple(walk, args)
    if name == "collections.deque":
        return _array(walk, args, owner)
    if name == "collections.OrderedDict":
        return _mapping(walk, args, owner)
    if name == "collections.Counter":
        return _mapping(walk, (args[0] if args else str, int), owner)
    if name == "collections.defaultdict":
        return _mapping(walk, args, lambda members: owner(None, members))
    return None


def _array(walk: Walk, args: tuple[Any, ...] | None, make: Convert | None) -> Shape:
    schema: Schema = {"type": "array"}
    convert = None
    if args:
        member = walk.shape(args[0])
        items = member.with_null()
        if items:
            schema["items"] = items
        convert = member.member()
    if convert is None and make is None:
        return Shape(schema)
    return Shape(schema, _array_reader(convert, make))


def _tuple(walk: Walk, args: tuple[Any, ...] | None) -> Shape:
    if args is None:
        return _array(walk, None, tuple)
    if len(args) == 2 and args[1] is Ellipsis:
        return _array(walk, args[:1], tuple)
    members = [walk.shape(arg) for arg in args]
    count = len(members)
    schema: Schema = {"type": "array", "minItems": count, "maxItems": count}
    if members:
        schema["prefixItems"] = [member.with_null() for member in members]
    converters = [member.member() for member in members]

    def convert(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != count:
            raise Mismatch(f"must be an array of {count} items, but is {shown(value)}")
        return tuple(
            item if converter is None else attempt(converter, item, f"[{at}]")
            for at, (item, converter) in enumerate(zip(value, converters, strict=True))
        )

    return Shape(schema, convert)


def _mapping(walk: Walk, args: tuple[Any, ...] | None, make: Convert | None) -> Shape:
    schema: Schema = {"type": "object"}
    key_convert = convert = None
    if args:
        key_schema, key_convert = _key(walk, args[0])
        if key_schema:
            schema["propertyNames"] = key_schema
        member = walk.shape(args[1])
        values = member.with_null()
        if values:
            schema["additionalProperties"] = values
        convert = member.member()
    if key_convert is None and convert is None and make is None:
        return Shape(schema)
    return Shape(schema, _mapping_reader(key_convert, convert, make))


def _key(walk: Walk, hint: Any) -> tuple[Schema, Convert | None]:
    shape = walk.shape(hint)
    kind = shape.schema.get("type")
    if not shape.schema or (kind == "string" and not shape.nullable):
        bare = shape.schema == {"type": "string"}
        return ({} if bare else shape.schema), shape.convert
    if kind == "integer" and shape.convert is None:
        return {"pattern": _INTEGER_KEY}, _integer_key
    from ._hints import spelled

    raise HintError(
        f"keys of type {spelled(hint)} have no form in JSON; use str or int as the type of keys"
    )


def _array_reader(convert: Convert | None, make: Convert | None) -> Convert:
    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise Mismatch(f"must be an array, but is {shown(value)}")
        items: Iterable[Any] = value
        if convert is not None:
            items = [attempt(convert, item, f"[{at}]") for at, item in enumerate(value)]
        return items if make is None else make(items)

    return read


def _mapping_reader(
    key_convert: Convert | None, convert: Convert | None, make: Convert | None
) -> Convert:
    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Mismatch(f"must be an object, but is {shown(value)}")
        members = {
            key if key_convert is None else attempt(key_convert, key, key): (
                member if convert is None else attempt(convert, member, key)
            )
            for key, member in value.items()
        }
        return members if make is None else make(members)

    return read


def _integer_key(key: str) -> int:
    try:
        return int(key)
    except ValueError:
        raise Mismatch(f"must be a whole number, but is {shown(key)}") from None
