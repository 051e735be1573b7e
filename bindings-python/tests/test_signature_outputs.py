"""Return annotations as output schemas."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    pass
from signature_support import Image, Model, Movie, Node, Pair, Point, read

INTEGER = {"type": "integer"}
NULLABLE = {"anyOf": [{"type": "string"}, {"type": "null"}]}
POINT = {
    "type": "object",
    "properties": {"x": INTEGER, "note": NULLABLE},
    "required": ["x", "note"],
}


@pytest.mark.parametrize(
    "hint",
    [
        None,
        Any,
        str,
        bytes,
        object,
        str | None,
        bytes | str,
        Image,
        Image | None,
        list[Image],
        tuple[Image, ...],
        tuple[str, Image],
        Sequence[Image],
        list[str | Image],
        Annotated[Image, "drawn"],
        Image | dict[str, int],
        Iterator[int],
        "Image",
        "list[Image]",
    ],
    ids=str,
)
def test_text_content_and_anything_have_no_output_schema(hint: Any) -> None:
    def tool() -> None: ...

    tool.__annotations__["return"] = hint
    assert read(tool).output_schema is None
    assert not read(tool).wrap


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": INTEGER}),
        (Point, POINT),
        (
            Movie,
            {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "year": {"anyOf": [INTEGER, {"type": "null"}]},
                },
            },
        ),
        (
            Pair,
            {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, "required": ["a", "b"]},
        ),
        (
            Model,
            {
                "type": "object",
                "properties": {"size": {"anyOf": [INTEGER, {"type": "null"}]}},
                "required": ["size"],
            },
        ),
        (Annotated[dict[str, int], "counts"], None),
        ("Point", POINT),
    ],
    ids=str,
)
def test_objects_are_their_own_output_schema(hint: Any, schema: dict[str, Any] | None) -> None:
    def tool() -> None: ...

    tool.__annotations__["return"] = hint
    signature = read(tool)
    assert not signature.wrap
    assert signature.output_schema is not None
    if schema is None:
        assert signature.output_schema["description"] == "counts"
    else:
        assert signature.output_schema == schema


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (int, INTEGER),
        (bool, {"type": "boolean"}),
        (list[int], {"type": "array", "items": INTEGER}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (int | None, {"anyOf": [INTEGER, {"type": "null"}]}),
        (int | str | None, {"anyOf": [INTEGER, {"type": "string"}, {"type": "null"}]}),
        (Point | None, {"anyOf": [POINT, {"type": "null"}]}),
        (list[Point], {"type": "array", "items": POINT}),
        (Literal["a", None], {"type": ["string", "null"], "enum": ["a", None]}),
        (dt.date, {"type": "string", "format": "date"}),
        (
            dict[int, str],
            {
                "type": "object",
                "propertyNames": {"pattern": "^-?[0-9]+$"},
                "additionalProperties": {"type": "string"},
            },
        ),
    ],
    ids=str,
)
def test_everything_else_is_wrapped(hint: Any, schema: dict[str, Any]) -> None:
    def tool() -> None: ...

    tool.__annotations__["return"] = hint
    signature = read(tool)
    assert signature.wrap
    assert signature.output_schema == {
        "type": "object",
        "properties": {"result": schema},
        "required": ["result"],
    }


def test_a_recursive_result_keeps_its_reference_at_the_root() -> None:
    def one() -> Node:
        return Node()

    def many() -> list[Node]:
        return []

    schema = read(one).output_schema
    assert schema is not None
    assert Draft202012Validator(schema).is_valid({"next": {"next": None}})
    assert not Draft202012Validator(schema).is_valid({"next": {}})
    schema = read(many).output_schema
    assert schema is not None
    assert schema["properties"]["result"]["items"] == {"$ref": "#/$defs/Node"}
    assert Draft202012Validator(schema).is_valid({"result": [{"next": None}]})


def test_without_output_the_return_annotation_does_not_matter() -> None:
    def tool() -> complex:
        return 1j

    assert read(tool, output=False).output_schema is None
