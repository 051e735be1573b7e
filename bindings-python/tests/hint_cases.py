"""Hints with their schemas, values that fit, and values that do not."""

from __future__ import annotations

import collections
import collections.abc
import datetime as dt
import decimal
import enum
import ipaddress
import pathlib
import re
import sys
import typing as t
import uuid
from dataclasses import InitVar, dataclass, field

import typing_extensions as te

INTEGERS = {"type": "array", "items": {"type": "integer"}}


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Origin(enum.Enum):
    HERE = (0, 0)
    THERE = (1, 1)


class Access(enum.Flag):
    READ = 1
    WRITE = 2


@dataclass
class Point:
    """A point in the plane.

    Attributes:
        x: to the right
    """

    x: int
    y: int = 0


@dataclass
class Event:
    when: dt.datetime
    where: Point
    note: str | None
    guests: list[Point] = field(default_factory=list)


@dataclass
class Node:
    value: int
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None


@dataclass
class Seeded:
    total: int = field(init=False)
    seed: InitVar[int]
    kind: t.ClassVar[str] = "seeded"

    def __post_init__(self, seed: int) -> None:
        if seed < 0:
            raise ValueError("the seed must not be negative")
        self.total = seed * 2


T = t.TypeVar("T")


@dataclass
class Box(t.Generic[T]):
    content: T
    more: list[T] = field(default_factory=list)


class Movie(t.TypedDict):
    name: str
    year: t.NotRequired[int]


class Draft(t.TypedDict, total=False):
    title: t.Required[t.Annotated[str, "the working title"]]
    day: dt.date
    owner: str | None


class Tree(t.TypedDict):
    left: t.NotRequired[Tree]


class Pair(t.NamedTuple):
    a: int
    b: dt.date | None = None


UserId = t.NewType("UserId", int)
Json = te.TypeAliasType("Json", "dict[str, Json] | list[Json] | str | float | bool | None")
Alias = te.TypeAliasType("Alias", list[int])


class Slug(str):
    __slots__ = ()


POINT = {
    "type": "object",
    "properties": {
        "x": {"type": "integer", "description": "to the right"},
        "y": {"type": "integer", "default": 0},
    },
    "required": ["x"],
    "additionalProperties": False,
    "description": "A point in the plane.",
}


DAY = {"type": "string", "format": "date"}


class Case(t.NamedTuple):
    hint: t.Any
    schema: dict[str, t.Any]
    good: list[tuple[t.Any, t.Any]]
    bad: list[t.Any]


def same(*values: t.Any) -> list[tuple[t.Any, t.Any]]:
    """Values that reach the function as they are."""
    return [(value, value) for value in values]


PLAIN = [
    Case(str, {"type": "string"}, same("", "a"), [1, None]),
    Case(int, {"type": "integer"}, same(0, -5), ["5", 1.5, True]),
    Case(float, {"type": "number"}, same(1.5, 2), ["1.5"]),
    Case(bool, {"type": "boolean"}, same(True), [1, "true"]),
    Case(None, {"type": "null"}, same(None), [0]),
    Case(t.Any, {}, same(None, 1, "x", [1]), []),
    Case(object, {}, same(None, {"a": 1}), []),
    Case(te.LiteralString, {"type": "string"}, same("x"), [1]),
    Case(list, {"type": "array"}, same([], [1, "a"]), [{}, "[]"]),
    Case(t.List, {"type": "array"}, same([1]), [{}]),  # noqa: UP006
    Case(list[int], INTEGERS, same([], [1]), [["1"], 1]),
    Case(t.List[int], INTEGERS, same([1]), [["1"]]),  # noqa: UP006
    Case(list[t.Any], {"type": "array"}, same([1, "a"]), [1]),
    Case(t.Sequence[int], INTEGERS, same([1]), [["1"]]),
    Case(collections.abc.Sequence[int], INTEGERS, same([1]), [["1"]]),
    Case(collections.abc.Iterable[int], INTEGERS, same([1]), [["1"]]),
    Case(collections.abc.Collection, {"type": "array"}, same([1]), [1]),
    Case(list[list[int]], {"type": "array", "items": INTEGERS}, same([[1]]), [[1]]),
    Case(dict, {"type": "object"}, same({"a": 1}), [[]]),
    Case(t.Dict, {"type": "object"}, same({"a": 1}), [[]]),  # noqa: UP006
    Case(dict[str, t.Any], {"type": "object"}, same({"a": 1}), [[]]),
    Case(
        t.Mapping[str, int],
        {"type": "object", "additionalProperties": {"type": "integer"}},
        same({"a": 1}),
        [{"a": "1"}],
    ),
    Case(
        dict[t.Literal["a", "b"], int],
        {
            "type": "object",
            "propertyNames": {"type": "string", "enum": ["a", "b"]},
            "additionalProperties": {"type": "integer"},
        },
        same({"a": 1}),
        [{"c": 1}],
    ),
    Case(int | None, {"type": "integer"}, same(1), ["1"]),
    Case(t.Optional[int], {"type": "integer"}, same(1), ["1"]),  # noqa: UP045
    Case(
        int | str,
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        same(1, "a"),
        [1.5, None],
    ),
    Case(
        t.Union[int, str, None],  # noqa: UP007
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        same(1, "a"),
        [[]],
    ),
    Case(int | float, {"type": "number"}, same(1, 1.5), ["1"]),
    Case(int | t.Any, {}, same(1, "a"), []),
    Case(
        list[int | None],
        {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        same([1, None]),
        [["a"]],
    ),
    Case(t.Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, same("a"), ["c", 1]),
    Case(t.Literal[1, "b"], {"enum": [1, "b"]}, same(1, "b"), ["c"]),
    Case(t.Literal["a", None], {"type": "string", "enum": ["a"]}, same("a"), ["c"]),
    Case(
        t.Literal["a"] | t.Literal["b", "a"],
        {"type": "string", "enum": ["a", "b"]},
        same("b"),
        ["c"],
    ),
    Case(UserId, {"type": "integer"}, same(7), ["7"]),
    Case(Alias, INTEGERS, same([1]), [["a"]]),
    Case(t.Final[int], {"type": "integer"}, same(1), ["1"]),
    Case(
        Movie,
        {
            "type": "object",
            "properties": {"name": {"type": "string"}, "year": {"type": "integer"}},
            "required": ["name"],
            "additionalProperties": False,
        },
        same({"name": "M"}, {"name": "M", "year": 1931}),
        [{}, {"name": "M", "director": "F"}],
    ),
]


CONVERTED = [
    Case(
        tuple[int, ...],
        INTEGERS,
        [([1, 2], (1, 2))],
        [["a"]],
    ),
    Case(tuple, {"type": "array"}, [([1, "a"], (1, "a"))], [{}]),
    Case(
        tuple[int, dt.date],
        {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"type": "integer"}, DAY]},
        [([1, "2026-01-31"], (1, dt.date(2026, 1, 31)))],
        [[1], ["a", "2026-01-31"], [1, "2026-01-31", 2]],
    ),
    Case(tuple[()], {"type": "array", "minItems": 0, "maxItems": 0}, [([], ())], [[1]]),
    Case(set[int], {**INTEGERS, "uniqueItems": True}, [([1, 2], {1, 2})], [[1, 1], ["a"]]),
    Case(frozenset, {"type": "array", "uniqueItems": True}, [([1], frozenset([1]))], [[1, 1]]),
    Case(t.AbstractSet[int], {**INTEGERS, "uniqueItems": True}, [([1], {1})], [[1, 1]]),
    Case(collections.deque[int], INTEGERS, [([1], collections.deque([1]))], [["a"]]),
    Case(
        dict[int, str],
        {
            "type": "object",
            "propertyNames": {"pattern": "^-?[0-9]+$"},
            "additionalProperties": {"type": "string"},
        },
        [({"1": "a", "-2": "b"}, {1: "a", -2: "b"})],
        [{"one": "a"}, {"1": 1}],
    ),
    Case(
        dict[dt.date, Colour],
        {
            "type": "object",
            "propertyNames": DAY,
            "additionalProperties": {"type": "string", "enum": ["red", "green"]},
        },
        [({"2026-01-31": "red"}, {dt.date(2026, 1, 31): Colour.RED})],
        [{"2026-01-31": "blue"}],
    ),
    Case(
        collections.Counter[str],
        {"type": "object", "additionalProperties": {"type": "integer"}},
        [({"a": 2}, collections.Counter(a=2))],
        [{"a": "b"}],
    ),
    Case(
        collections.OrderedDict[str, int],
        {"type": "object", "additionalProperties": {"type": "integer"}},
        [({"a": 2}, collections.OrderedDict(a=2))],
        [{"a": "b"}],
    ),
    Case(
        collections.defaultdict[str, int],
        {"type": "object", "additionalProperties": {"type": "integer"}},
        [({"a": 2}, collections.defaultdict(None, a=2))],
        [{"a": "b"}],
    ),
    Case(Colour, {"type": "string", "enum": ["red", "green"]}, [("red", Colour.RED)], ["RED"]),
    Case(Level, {"type": "integer", "enum": [1, 2]}, [(2, Level.HIGH)], [3, "2"]),
    Case(Origin, {"type": "string", "enum": ["HERE", "THERE"]}, [("HERE", Origin.HERE)], ["X"]),
    Case(
        Access,
        {"type": "integer", "minimum": 0},
        [(3, Access.READ | Access.WRITE)],
        [-1, "1"],
    ),
    Case(
        t.Literal[Colour.RED, "none"],
        {"type": "string", "enum": ["red", "none"]},
        [("red", Colour.RED), ("none", "none")],
        ["green"],
    ),
    Case(
        dt.datetime,
        {"type": "string", "format": "date-time"},
        [("2026-01-31T12:30:00Z", dt.datetime(2026, 1, 31, 12, 30, tzinfo=dt.UTC))],
        [1],
    ),
    Case(dt.date, DAY, [("2026-01-31", dt.date(2026, 1, 31))], [1]),
    Case(dt.time, {"type": "string", "format": "time"}, [("12:30:00", dt.time(12, 30))], [1]),
    Case(
        dt.timedelta,
        {"type": "string", "format": "duration"},
        [
            ("P1DT2H30M", dt.timedelta(days=1, hours=2, minutes=30)),
            ("-PT1.5S", dt.timedelta(seconds=-1.5)),
            ("P2W", dt.timedelta(weeks=2)),
        ],
        [90],
    ),
    Case(
        uuid.UUID,
        {"type": "string", "format": "uuid"},
        [("12345678-1234-5678-1234-567812345678", uuid.UUID("12345678123456781234567812345678"))],
        [1],
    ),
    Case(
        decimal.Decimal,
        {"type": "string", "format": "decimal"},
        [("12.50", decimal.Decimal("12.50"))],
        [12.5],
    ),
    Case(pathlib.Path, {"type": "string"}, [("a/b", pathlib.Path("a/b"))], [1]),
    Case(pathlib.PurePosixPath, {"type": "string"}, [("/", pathlib.PurePosixPath("/"))], [1]),
    Case(
        bytes,
        {"type": "string", "contentEncoding": "base64"},
        [("aGk=", b"hi"), ("", b"")],
        [1],
    ),
    Case(
        ipaddress.IPv4Address,
        {"type": "string", "format": "ipv4"},
        [("10.0.0.1", ipaddress.IPv4Address("10.0.0.1"))],
        [1],
    ),
    Case(re.Pattern, {"type": "string", "format": "regex"}, [("a+", re.compile("a+"))], [1]),
    Case(re.Pattern[str], {"type": "string", "format": "regex"}, [("a", re.compile("a"))], [1]),
    Case(Slug, {"type": "string"}, [("a-b", Slug("a-b"))], [1]),
    Case(
        list[dt.date],
        {"type": "array", "items": DAY},
        [(["2026-01-31"], [dt.date(2026, 1, 31)])],
        [[1]],
    ),
    Case(
        list[dt.date | None],
        {"type": "array", "items": {"anyOf": [DAY, {"type": "null"}]}},
        [(["2026-01-31", None], [dt.date(2026, 1, 31), None])],
        [[1]],
    ),
    Case(
        dt.date | int,
        {"anyOf": [DAY, {"type": "integer"}]},
        [("2026-01-31", dt.date(2026, 1, 31)), (5, 5)],
        [1.5],
    ),
    Case(
        dt.date | str,
        {"anyOf": [DAY, {"type": "string"}]},
        [("2026-01-31", dt.date(2026, 1, 31)), ("soon", "soon")],
        [1],
    ),
    Case(Point, POINT, [({"x": 1}, Point(1)), ({"x": 1, "y": 2}, Point(1, 2))], [{}, {"x": "1"}]),
    Case(
        Point | Movie,
        {"anyOf": [POINT, PLAIN[-1].schema]},
        [({"x": 1}, Point(1)), ({"name": "M"}, {"name": "M"})],
        [{"y": 1}],
    ),
    Case(
        Event,
        {
            "type": "object",
            "properties": {
                "when": {"type": "string", "format": "date-time"},
                "where": POINT,
                "note": {"type": "string"},
                "guests": {"type": "array", "items": POINT},
            },
            "required": ["when", "where"],
            "additionalProperties": False,
        },
        [
            (
                {"when": "2026-01-31T12:30:00", "where": {"x": 1}, "guests": [{"x": 2}]},
                Event(dt.datetime(2026, 1, 31, 12, 30), Point(1), None, [Point(2)]),
            )
        ],
        [{"when": "2026-01-31T12:30:00"}],
    ),
    Case(
        Draft,
        {
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "the working title"},
                "day": DAY,
                "owner": {"type": "string"},
            },
            "required": ["title"],
            "additionalProperties": False,
        },
        [({"title": "T", "day": "2026-01-31"}, {"title": "T", "day": dt.date(2026, 1, 31)})],
        [{}],
    ),
    Case(
        Pair,
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": DAY},
            "required": ["a"],
            "additionalProperties": False,
        },
        [({"a": 1}, Pair(1)), ({"a": 1, "b": "2026-01-31"}, Pair(1, dt.date(2026, 1, 31)))],
        [[1, None], {}],
    ),
    Case(
        Box[dt.date],
        {
            "type": "object",
            "properties": {"content": DAY, "more": {"type": "array", "items": DAY}},
            "required": ["content"],
            "additionalProperties": False,
        },
        [({"content": "2026-01-31"}, Box(dt.date(2026, 1, 31)))],
        [{"content": 1}],
    ),
    Case(
        Node,
        {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                "parent": {"$ref": "#/$defs/Node"},
            },
            "required": ["value"],
            "additionalProperties": False,
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": {
                        "value": {"type": "integer"},
                        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                        "parent": {"$ref": "#/$defs/Node"},
                    },
                    "required": ["value"],
                    "additionalProperties": False,
                }
            },
        },
        [({"value": 1, "children": [{"value": 2}]}, Node(1, [Node(2)]))],
        [{"value": 1, "children": [{"value": "2"}]}],
    ),
]


if sys.version_info >= (3, 12):
    namespace: dict[str, t.Any] = {"date": dt.date}
    exec("type Days = list[date]\ntype Many[T] = list[T]", namespace)
    CONVERTED += [
        Case(
            namespace["Days"],
            {"type": "array", "items": DAY},
            [(["2026-01-31"], [dt.date(2026, 1, 31)])],
            [[1]],
        )
    ]
    PLAIN += [Case(namespace["Many"][int], INTEGERS, same([1]), [["a"]])]
