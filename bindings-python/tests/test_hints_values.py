"""Python values as plain values."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import ipaddress
import json
import pathlib
import re
import types
import uuid
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar, NamedTuple

import pytest

from mcplite import _hints


class Colour(enum.Enum):
    RED = "red"


class Size(enum.StrEnum):
    BIG = "big"


class Origin(enum.Enum):
    HERE = (0, 0)


class Pair(NamedTuple):
    a: int
    b: dt.date


@dataclass
class Point:
    x: int
    seed: InitVar[int] = 0
    when: dt.date | None = None
    inner: list[Point] = field(default_factory=list)
    kind: ClassVar[str] = "point"


class Text(str):
    __slots__ = ()


class Amount(int):
    pass


class Ratio(float):
    pass


class Own:
    def __json__(self) -> object:
        return {"own": {1}}


class Matrix:
    def tolist(self) -> list[list[int]]:
        return [[1, 2]]


DAY = dt.date(2026, 1, 31)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (1, 1),
        (1.5, 1.5),
        ("a", "a"),
        ([1, ["a"]], [1, ["a"]]),
        ({"a": {"b": 1}}, {"a": {"b": 1}}),
        ((1, (2,)), [1, [2]]),
        ({1}, [1]),
        (frozenset([1]), [1]),
        (collections.deque([1]), [1]),
        (range(2), [0, 1]),
        ({"a": 1}.keys(), ["a"]),
        ({"a": 1}.values(), [1]),
        ({"a": 1}.items(), [["a", 1]]),
        (types.MappingProxyType({"a": DAY}), {"a": "2026-01-31"}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.ChainMap({"a": 1}), {"a": 1}),
        (Text("a"), "a"),
        (Amount(1), 1),
        (Ratio(1.5), 1.5),
        (Colour.RED, "red"),
        (Size.BIG, "big"),
        (Origin.HERE, "HERE"),
        (re.A, 256),
        (dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC), "2026-01-31T12:00:00+00:00"),
        (DAY, "2026-01-31"),
        (dt.time(12, 30), "12:30:00"),
        (dt.timedelta(), "PT0S"),
        (dt.timedelta(days=1, hours=2, minutes=30), "P1DT2H30M"),
        (dt.timedelta(seconds=-1.5), "-PT1.5S"),
        (dt.timedelta(days=-2), "-P2D"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (decimal.Decimal("1.50"), "1.50"),
        (pathlib.PurePosixPath("a/b"), "a/b"),
        (ipaddress.ip_address("10.0.0.1"), "10.0.0.1"),
        (re.compile("a+"), "a+"),
        (b"hi", "aGk="),
        (bytearray(b"hi"), "aGk="),
        (memoryview(b"hi"), "aGk="),
        (Pair(1, DAY), {"a": 1, "b": "2026-01-31"}),
        (
            Point(1, inner=[Point(2, when=DAY)]),
            {
                "x": 1,
                "when": None,
                "inner": [{"x": 2, "when": "2026-01-31", "inner": []}],
            },
        ),
        (
            {1: "a", DAY: "b", Colour.RED: "c", None: "d", 1.5: "f"},
            {"1": "a", "2026-01-31": "b", "red": "c", "null": "d", "1.5": "f"},
        ),
        ({False: 0}, {"false": 0}),
        (Own(), {"own": [1]}),
        (Matrix(), [[1, 2]]),
    ],
    ids=repr,
)
def test_a_value_becomes_plain(value: object, expected: Any) -> None:
    found = _hints.plain(value)
    assert found == expected
    assert json.loads(json.dumps(found)) == found
    assert type(found) is type(expected)


@pytest.mark.parametrize("value", [object(), 1j, [object()], iter([1]), print, int])
def test_a_value_without_a_form_is_refused_by_the_name_of_its_type(value: object) -> None:
    kind = type(value[0] if isinstance(value, list) else value).__qualname__
    with pytest.raises(TypeError, match=f"type {kind} has no form in JSON; return a dict"):
        _hints.plain(value)


def test_keys_without_a_form_are_refused() -> None:
    with pytest.raises(TypeError, match="keys of type tuple has no form in JSON; use strings"):
        _hints.plain({(1, 2): 3})


def test_a_value_that_contains_itself_is_refused() -> None:
    ring: list[object] = []
    ring.append({"ring": ring})
    point = Point(1)
    point.inner.append(point)
    for value in (ring, point):
        with pytest.raises(ValueError, match="contains itself"):
            _hints.plain(value)


def test_a_value_that_stands_twice_is_no_cycle() -> None:
    shared = [1]
    assert _hints.plain([shared, shared]) == [[1], [1]]


def test_a_value_that_is_nested_too_deeply_is_refused() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(ValueError, match="nested too deeply"):
        _hints.plain(value)
