"""Reading `key=value` by the schema of a tool."""

from __future__ import annotations

from typing import Any

import pytest

from mcplite.cli.arguments import read_arguments
from mcplite.cli.schema import Field, fields
from mcplite.cli.terminal import Failure

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "i": {"type": "integer"},
        "n": {"type": "number"},
        "b": {"type": "boolean"},
        "s": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "o": {"type": "object"},
        "either": {"type": ["integer", "string"]},
        "one": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "colour": {"enum": ["red", "green"]},
        "level": {"enum": [1, 2]},
        "ref": {"$ref": "#/$defs/Count"},
        "free": {},
    },
    "$defs": {"Count": {"type": "integer"}},
}


@pytest.mark.parametrize(
    ("pair", "value"),
    [
        ("i=5", 5),
        ("i=-5", -5),
        ("i=123456789012345678901234567890", 123456789012345678901234567890),
        ("n=5", 5),
        ("n=1.5e3", 1500.0),
        ("b=true", True),
        ("b=No", False),
        ("b=1", True),
        ("s=5", "5"),
        ("s=", ""),
        ("s=a=b", "a=b"),
        ("s=true", "true"),
        ("s:=5", 5),
        ('tags=["a", "b"]', ["a", "b"]),
        ("tags=a", ["a"]),
        ("tags=5", ["5"]),
        ("numbers=5", [5]),
        ('o={"x": [1]}', {"x": [1]}),
        ("either=5", 5),
        ("either=five", "five"),
        ("one=null", None),
        ("one=true", True),
        ("colour=red", "red"),
        ("level=2", 2),
        ("ref=7", 7),
        ("free=7", 7),
        ("free=word", "word"),
        ('free={"a": 1}', {"a": 1}),
    ],
)
def test_a_value_has_the_type_that_its_schema_asks_for(pair: str, value: object) -> None:
    name = pair.partition("=")[0].rstrip(":")
    found = read_arguments([pair], SCHEMA)
    assert found == {name: value}
    assert type(found[name]) is type(value)


def test_a_key_that_stands_twice_makes_an_array() -> None:
    assert read_arguments(["tags=a", "tags=b", 'tags=["c"]'], SCHEMA) == {"tags": ["a", "b", "c"]}
    assert read_arguments(["numbers=1", "numbers=2"], SCHEMA) == {"numbers": [1, 2]}


def test_single_arguments_are_added_to_a_whole_object() -> None:
    assert read_arguments(["i=2"], SCHEMA, '{"i": 1, "s": "x"}') == {"i": 2, "s": "x"}


def test_what_the_schema_does_not_know_is_free_where_it_allows_more() -> None:
    assert read_arguments(["x=1", "y=z"], {"type": "object"}) == {"x": 1, "y": "z"}
    texts = {"additionalProperties": {"type": "string"}}
    assert read_arguments(["x=1"], texts) == {"x": "1"}


@pytest.mark.parametrize(
    ("pairs", "whole", "message"),
    [
        (["i=five"], None, "i must be an integer, not 'five'"),
        (["b=perhaps"], None, "b must be a boolean"),
        (["o=[1]"], None, "o must be an object"),
        (["level=3"], None, None),
        (["numbers=a"], None, "numbers must be an integer"),
        (["i:=five"], None, "the value of i is no JSON"),
        (["five"], None, "'five' is no argument"),
        (["=5"], None, "is no argument"),
        (["colr=red"], None, "there is no argument 'colr'"),
        (["i=1", "i=2"], None, "i is given 2 times"),
        ([], "[1]", "--json must be an object"),
        ([], "{", "--json is no JSON"),
    ],
)
def test_mistakes_are_told_as_usage(
    pairs: list[str], whole: str | None, message: str | None
) -> None:
    if message is None:
        assert read_arguments(pairs, SCHEMA, whole) == {"level": 3}
        return
    with pytest.raises(Failure) as caught:
        read_arguments(pairs, SCHEMA, whole)
    assert message in caught.value.message
    assert caught.value.code == 2


def test_a_slip_of_the_pen_is_answered_with_what_was_meant() -> None:
    with pytest.raises(Failure) as caught:
        read_arguments(["colr=red"], SCHEMA)
    assert caught.value.hint == "did you mean colour?"


@pytest.mark.parametrize(
    ("schema", "label"),
    [
        ({"type": "integer"}, "integer"),
        ({"type": ["integer", "null"]}, "integer or null"),
        ({"type": "array", "items": {"type": "string"}}, "array of string"),
        ({"type": "array"}, "array"),
        ({"enum": ["a", 1]}, "a|1"),
        ({"const": "x"}, "x"),
        ({}, "any"),
        (True, "any"),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, "number or string"),
    ],
)
def test_a_type_is_told_in_a_few_words(schema: Any, label: str) -> None:
    assert Field(schema, schema).label == label


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema: dict[str, Any] = {"properties": {"x": {"$ref": "#/properties/x"}}}
    [(_, field, _)] = fields(schema)
    assert field.label == "any"
