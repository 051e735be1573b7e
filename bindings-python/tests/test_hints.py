"""Each hint: its schema, what validates, and what the function gets."""

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

import annotated_types as at
import pytest
import typing_extensions as te
from jsonschema import Draft202012Validator

from mcplite import _hints

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


def described(case: Case) -> str:
    return _hints.spelled(case.hint)


@pytest.mark.parametrize("case", PLAIN + CONVERTED, ids=described)
def test_a_hint_has_its_schema(case: Case) -> None:
    schema, _ = _hints.schema_of(case.hint)
    assert schema == case.schema
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("case", PLAIN + CONVERTED, ids=described)
def test_the_schema_of_a_hint_tells_good_from_bad(case: Case) -> None:
    schema, _ = _hints.schema_of(case.hint)
    validator = Draft202012Validator(schema)
    for value, _ in case.good:
        assert validator.is_valid(value), value
    for value in case.bad:
        assert not validator.is_valid(value), value


@pytest.mark.parametrize("case", PLAIN, ids=described)
def test_a_hint_that_json_has_a_word_for_has_no_converter(case: Case) -> None:
    assert _hints.schema_of(case.hint)[1] is None


@pytest.mark.parametrize("case", CONVERTED, ids=described)
def test_a_value_becomes_what_the_hint_says(case: Case) -> None:
    _, convert = _hints.schema_of(case.hint)
    assert convert is not None
    for value, expected in case.good:
        converted = convert(value)
        assert converted == expected
        assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("metadata", "hint", "added"),
    [
        ([at.Ge(1), at.Le(5)], int, {"minimum": 1, "maximum": 5}),
        ([at.Gt(1), at.Lt(5)], float, {"exclusiveMinimum": 1, "exclusiveMaximum": 5}),
        ([at.Interval(ge=1, lt=5)], int, {"minimum": 1, "exclusiveMaximum": 5}),
        ([at.MultipleOf(5)], int, {"multipleOf": 5}),
        ([at.Len(2, 3)], str, {"minLength": 2, "maxLength": 3}),
        ([at.MinLen(2)], list, {"minItems": 2}),
        ([at.MaxLen(2)], dict, {"maxProperties": 2}),
        (["how many"], int, {"description": "how many"}),
        ([te.Doc("how many")], int, {"description": "how many"}),
        ([at.Ge(1), "at least one"], int | None, {"minimum": 1, "description": "at least one"}),
        ([object(), 42], int, {}),
    ],
)
def test_metadata_becomes_keywords(
    metadata: list[t.Any], hint: t.Any, added: dict[str, t.Any]
) -> None:
    expected = {**_hints.schema_of(hint)[0], **added}
    schema, convert = _hints.schema_of(t.Annotated[(hint, *metadata)])
    assert schema == expected
    assert convert is None
    Draft202012Validator.check_schema(schema)


def test_bounds_that_no_keyword_has_are_kept_by_the_converter() -> None:
    price = t.Annotated[decimal.Decimal, at.Gt(decimal.Decimal(0))]
    schema, convert = _hints.schema_of(price)
    assert schema == {"type": "string", "format": "decimal"}
    assert convert is not None
    assert convert("0.01") == decimal.Decimal("0.01")
    with pytest.raises(ValueError, match='must be greater than 0, but is "0.00"'):
        convert("0.00")


def test_the_length_of_bytes_is_that_of_the_bytes() -> None:
    schema, convert = _hints.schema_of(t.Annotated[bytes, at.MaxLen(2)])
    assert "maxLength" not in schema
    assert convert is not None
    assert convert("aGk=") == b"hi"
    with pytest.raises(ValueError, match="must have at most 2 elements, but has 3"):
        convert("aGkh")


@pytest.mark.parametrize(
    ("hint", "value", "message"),
    [
        (dt.date, "soon", 'must be a date such as "2026-01-31", but is "soon"'),
        (dt.timedelta, "P1M", "must be a duration in ISO 8601"),
        (dt.timedelta, "P", "must be a duration in ISO 8601"),
        (dt.timedelta, "PT", "must be a duration in ISO 8601"),
        (dt.timedelta, "PT1M1H", "must be a duration in ISO 8601"),
        (dt.timedelta, "--P1D", "must be a duration in ISO 8601"),
        (uuid.UUID, "1", 'must be a UUID, but is "1"'),
        (decimal.Decimal, "a", "must be a decimal number"),
        (bytes, "?", "must be base64"),
        (re.Pattern, "(", "must be a regular expression"),
        (Colour, "blue", 'must be one of "red" (RED), "green" (GREEN), but is "blue"'),
        (Level, True, "must be one of 1 (LOW), 2 (HIGH), but is true"),
        (Origin, "X", 'must be one of HERE, THERE, but is "X"'),
        (Point, {"y": 1}, 'is missing the required property "x"'),
        (Point, {"x": 1, "z": 1}, 'has the unknown property "z"'),
        (Point, 5, "must be an object, but is 5"),
        (Seeded, {"seed": -1}, "the seed must not be negative"),
        (Event, {"when": "soon", "where": {"x": 1}}, "when: must be a date and time"),
        (dict[str, list[dt.date]], {"a": ["2026-01-31", "x"]}, "a[1]: must be a date"),
        (dict[int, int], {"a": 1}, 'a: must be a whole number, but is "a"'),
        (tuple[dt.date, int], ["x", 1], "[0]: must be a date"),
        (tuple[int, int], [1], "must be an array of 2 items"),
        (list[Node], [{"value": 1, "children": [5]}], "[0].children[0]: must be an object"),
        (dt.date | int, [], "fits none of the alternatives, it is an array"),
        (dt.date | int, "x", "must be a date"),
    ],
)
def test_a_value_that_does_not_convert_says_where_and_why(
    hint: t.Any, value: t.Any, message: str
) -> None:
    _, convert = _hints.schema_of(hint)
    assert convert is not None
    with pytest.raises(ValueError, match=re.escape(message)):
        convert(value)


def test_a_dataclass_with_init_variables_is_made_by_them() -> None:
    schema, convert = _hints.schema_of(Seeded)
    assert schema["properties"] == {"seed": {"type": "integer"}}
    assert convert is not None
    assert convert({"seed": 2}).total == 4


def test_a_recursive_typed_dict_keeps_its_reference() -> None:
    schema, convert = _hints.schema_of(list[Tree])
    assert schema["items"] == {"$ref": "#/$defs/Tree"}
    assert Draft202012Validator(schema).is_valid([{"left": {"left": {}}}])
    assert not Draft202012Validator(schema).is_valid([{"left": {"left": 1}}])
    assert convert is not None
    assert convert([{"left": {}}]) == [{"left": {}}]


def test_a_recursive_alias_keeps_its_reference() -> None:
    schema, convert = _hints.schema_of(Json)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    value = {"a": [1, {"b": None}], "c": "d"}
    assert validator.is_valid(value)
    assert convert is None or convert(value) == value


def test_a_class_that_is_used_twice_is_inlined_twice() -> None:
    schema, _ = _hints.schema_of(tuple[Point, Point])
    assert schema["prefixItems"] == [POINT, POINT]
    assert "$defs" not in schema


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (complex, "the hint complex has no JSON Schema; possible are str"),
        (t.Callable[[], int], "has no JSON Schema"),
        (type[int], "has no JSON Schema"),
        (t.Never, "has no JSON Schema"),
        (collections.abc.Iterator[int], "has no JSON Schema"),
        (dict[tuple[int, int], str], "keys of type tuple[int, int] have no form in JSON"),
        (t.Literal[b"a"], "the literal b'a' has no form in JSON"),
        (enum.Enum("Empty", []), "the Enum Empty has no members"),
        (t.Annotated[int, re.compile("a")], "a pattern needs a hint that is a string"),
        ("Nowhere", "the name 'Nowhere' in the hint 'Nowhere' is not defined"),
        ("1 +", "cannot be evaluated"),
    ],
)
def test_a_hint_without_a_schema_is_refused_with_words(hint: t.Any, words: str) -> None:
    with pytest.raises(_hints.HintError, match=re.escape(words)):
        _hints.schema_of(hint)


def test_a_type_variable_stands_for_its_bound_or_its_constraints() -> None:
    bound = t.TypeVar("bound", bound=int)
    either = t.TypeVar("either", int, str)
    assert _hints.schema_of(bound)[0] == {"type": "integer"}
    assert _hints.schema_of(either)[0] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert _hints.schema_of(Box)[0]["properties"]["content"] == {}


def test_descriptions_inside_containers_and_unions_stay_with_their_member() -> None:
    name = t.Annotated[str, "a name"]
    described = {"type": "string", "description": "a name"}
    assert _hints.schema_of(list[name])[0] == {"type": "array", "items": described}
    assert _hints.schema_of(dict[str, name])[0]["additionalProperties"] == described
    assert _hints.schema_of(name | int)[0] == {"anyOf": [described, {"type": "integer"}]}


def test_generic_classes_take_hints_with_metadata_that_has_no_hash() -> None:
    schema, _ = _hints.schema_of(Box[t.Annotated[int, ["anything"]]])
    assert schema["properties"]["content"] == {"type": "integer"}
