"""Enumerations and literals: values from a list."""

from __future__ import annotations

from ._shapes import HintError, Mismatch, Shape, kind_of, shown
from ._values import enum_value, uses_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._hints import Walk


def enumeration(owner: Any) -> Shape:
    """The shape of an Enum: its values, or its names if JSON has no words for the values."""
    members = list(owner.__members__.values())
    if not members:
        raise HintError(f"the Enum {owner.__qualname__} has no members; give it some")
    if getattr(owner, "_boundary_", None) is not None:
        return Shape({"type": "integer", "minimum": 0}, owner)
    by_name = uses_names(owner)
    table = {member.name if by_name else enum_value(member): member for member in members}
    if by_name:
        words = ", ".join(table)
    else:
        words = ", ".join(f"{shown(value)} ({member.name})" for value, member in table.items())

    def convert(value: Any) -> Any:
        member = table.get(value) if kind_of(value) not in ("array", "object") else None
        if member is None or isinstance(value, bool) is not isinstance(_key(member), bool):
            raise Mismatch(f"must be one of {words}, but is {shown(value)}")
        return member

    def _key(member: Any) -> Any:
        return member.name if by_name else enum_value(member)

    return Shape(listed(list(table)), convert)


def literal(walk: Walk, values: tuple[Any, ...]) -> Shape:
    """The shape of a Literal; None in it makes it optional, members of an Enum go by value."""
    plain: list[Any] = []
    members: dict[Any, Any] = {}
    nullable = False
    for value in values:
        if hasattr(type(value), "_member_map_"):
            member, value = value, enum_value(value)
            members[value] = member
        if value is None:
            nullable = True
        elif type(value) in (str, int, bool):
            plain.append(value)
        else:
            raise HintError(
                f"the literal {value!r} has no form in JSON; use str, int, bool, None or Enum"
            )
    if not plain:
        return Shape({"type": "null"})
    convert = (lambda value: members.get(value, value)) if members else None
    return Shape(listed(plain), convert, nullable)


def listed(values: list[Any]) -> dict[str, Any]:
    """The schema of a list of plain values."""
    kinds = {kind_of(value) for value in values}
    schema: dict[str, Any] = {"type": kinds.pop()} if len(kinds) == 1 else {}
    schema["enum"] = values
    return schema
