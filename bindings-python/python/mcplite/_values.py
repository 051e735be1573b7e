"""Python values as the plain values that JSON has words for."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import timedelta
    from typing import Any

_PLAIN = frozenset((str, int, float, bool, type(None)))
_FORMATTED = frozenset(("datetime.datetime", "datetime.date", "datetime.time"))
_SPELLED = frozenset(
    (
        "uuid.UUID",
        "decimal.Decimal",
        "fractions.Fraction",
        "ipaddress.IPv4Address",
        "ipaddress.IPv6Address",
        "ipaddress.IPv4Network",
        "ipaddress.IPv6Network",
        "ipaddress.IPv4Interface",
        "ipaddress.IPv6Interface",
        "zoneinfo.ZoneInfo",
    )
)


def plain(value: object) -> Any:
    """Turns a value into dicts, lists, strings, numbers, booleans and None, all the way down.

    Dataclasses, NamedTuples, pydantic and attrs models and msgspec structs become dicts; enums
    become their values; dates, times and durations become ISO 8601 strings; UUIDs, paths and
    decimals become strings; bytes become base64; sets, tuples, deques and views become lists.
    An object with a method `__json__()` is asked for its plain value.

    Raises TypeError for a value that has no such form and ValueError for one that contains itself.
    """
    try:
        return _plain(value, set())
    except RecursionError:
        raise ValueError("the value is nested too deeply for JSON") from None


def _plain(value: Any, around: set[int]) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    scalar = _scalar(value, kind)
    if scalar is not None:
        return scalar
    mark = id(value)
    if mark in around:
        raise ValueError(
            f"a {kind.__qualname__} that contains itself has no form in JSON; "
            "return a value without cycles"
        )
    around.add(mark)
    try:
        return _compound(value, kind, around)
    finally:
        around.discard(mark)


def _scalar(value: Any, kind: type) -> Any:
    """The plain form of a value without members, or None if it is none."""
    if kind is list or kind is dict or kind is tuple:
        return None
    if hasattr(kind, "_member_map_"):
        return enum_value(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        from binascii import b2a_base64

        return b2a_base64(value, newline=False).decode("ascii")
    for base in kind.__mro__:
        name = f"{base.__module__}.{base.__qualname__}"
        if name in _FORMATTED:
            return value.isoformat()
        if name in _SPELLED or base.__name__ == "PurePath":
            return str(value)
        if name == "datetime.timedelta":
            return duration(value)
        if name == "re.Pattern":
            return value.pattern
    return None


def _compound(value: Any, kind: type, around: set[int]) -> Any:
    if kind is list or kind is tuple:
        return [_plain(member, around) for member in value]
    if kind is dict:
        return _members(value.items(), around)
    if hasattr(kind, "__await__"):
        if hasattr(kind, "close"):
            value.close()
        raise TypeError(f"a {kind.__qualname__} must be awaited: write `async def`, or `await` it")
    if hasattr(kind, "__json__"):
        return _plain(value.__json__(), around)
    if hasattr(kind, "model_dump") and hasattr(kind, "model_validate"):
        return value.model_dump(mode="json", by_alias=True)
    if hasattr(kind, "__pydantic_serializer__"):
        return kind.__pydantic_serializer__.to_python(value, mode="json", by_alias=True)
    if hasattr(kind, "__struct_fields__"):
        library: Any = sys.modules["msgspec"]
        return library.to_builtins(value, str_keys=True)
    if hasattr(kind, "__dataclass_fields__"):
        from dataclasses import fields

        return {field.name: _plain(getattr(value, field.name), around) for field in fields(value)}
    if hasattr(kind, "__attrs_attrs__"):
        return {
            attribute_key(attribute): _plain(getattr(value, attribute.name), around)
            for attribute in kind.__attrs_attrs__
        }
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return {name: _plain(getattr(value, name), around) for name in kind._fields}
    if hasattr(kind, "tolist"):
        return _plain(value.tolist(), around)
    return _collection(value, kind, around)


def _collection(value: Any, kind: type, around: set[int]) -> Any:
    from collections.abc import Collection, Mapping

    if isinstance(value, Mapping):
        return _members(value.items(), around)
    if isinstance(value, Collection):
        return [_plain(member, around) for member in value]
    name = kind.__qualname__
    raise TypeError(
        f"a value of type {name} has no form in JSON; return a dict, a list, a dataclass or a "
        f"plain value instead, or give {name} a method __json__() that does"
    )


def _members(items: Any, around: set[int]) -> dict[str, Any]:
    return {key if type(key) is str else _key(key): _plain(member, around) for key, member in items}


def _key(key: object) -> str:
    name = _plain(key, set()) if not isinstance(key, tuple) else key
    if isinstance(name, str):
        return name
    if name is None:
        return "null"
    if isinstance(name, bool):
        return "true" if name else "false"
    if isinstance(name, (int, float)):
        return repr(name)
    raise TypeError(
        f"a dict with keys of type {type(key).__qualname__} has no form in JSON; use strings"
    )


def attribute_key(attribute: Any) -> str:
    """The name that an attrs attribute has in JSON, which is the one that `__init__` takes."""
    alias = getattr(attribute, "alias", None)
    return alias if isinstance(alias, str) else str(attribute.name.lstrip("_"))


def uses_names(enum: Any) -> bool:
    """Whether the members of an enum go by name, because JSON has no words for their values."""
    members = enum.__members__.values()
    return any(not isinstance(member.value, (str, int, float, type(None))) for member in members)


def enum_value(member: Any) -> Any:
    """The plain value of a member of an enum."""
    if uses_names(type(member)):
        return member.name
    value = member.value
    return value if type(value) in _PLAIN else _plain(value, set())


def duration(value: timedelta) -> str:
    """A duration in ISO 8601, such as `P1DT2H30M`."""
    days, seconds, micro = value.days, value.seconds, value.microseconds
    sign = ""
    if days < 0:
        value = -value
        days, seconds, micro = value.days, value.seconds, value.microseconds
        sign = "-"
    hours, seconds = divmod(seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    text = f"{sign}P{days}D" if days else f"{sign}P"
    clock = f"{hours}H" if hours else ""
    clock += f"{minutes}M" if minutes else ""
    if micro:
        clock += f"{seconds}.{micro:06}".rstrip("0") + "S"
    elif seconds:
        clock += f"{seconds}S"
    if clock:
        return f"{text}T{clock}"
    return text if days else "PT0S"
