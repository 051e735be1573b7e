"""Each hint: its schema, what validates, and what the function gets."""

from __future__ import annotations

import collections
import collections.abc
import datetime as dt
import decimal
import enum
import re
import typing as t
import uuid

import annotated_types as at
import pytest
import typing_extensions as te
from jsonschema import Draft202012Validator

from hint_cases import (
    CONVERTED,
    PLAIN,
    POINT,
    Box,
    Case,
    Colour,
    Event,
    Json,
    Level,
    Node,
    Origin,
    Point,
    Seeded,
    Tree,
)
from mcplite import _hints


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
