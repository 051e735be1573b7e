"""Models of pydantic, msgspec and attrs, which mcplite knows by their looks."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

import attrs
import msgspec
import pydantic
import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from mcplite import _hints
from mcplite._scope import Names, Scope

T = TypeVar("T")
DATE_TIME = {"type": "string", "format": "date-time"}


class Address(BaseModel):
    street: str
    number: int | None
    floor: int | None = None


class Person(BaseModel):
    """Somebody."""

    name: str = Field(min_length=1, description="the full name")
    born: dt.datetime
    home: Address
    title: str = Field(default="", title="Form of address")
    others: list[Address] = []


class Category(BaseModel):
    name: str
    children: list[Category] = []


class Crate(BaseModel, Generic[T]):
    content: T


class Renamed(BaseModel):
    model_config = pydantic.ConfigDict(populate_by_name=True)
    inner: int = Field(alias="outer")


@pydantic.dataclasses.dataclass
class Checked:
    count: Annotated[int, Field(ge=1)]


class Place(msgspec.Struct):
    lat: float
    name: str | None
    when: dt.datetime | None = None


class Trip(msgspec.Struct):
    """A journey."""

    start: Place
    stops: list[Place] = []
    days: Annotated[int, msgspec.Meta(ge=1)] = 1


class Chain(msgspec.Struct):
    next: Chain | None = None


@attrs.define
class Size:
    width: int
    when: dt.datetime
    height: int = 5
    tags: list[str] = attrs.field(factory=list, metadata={"description": "words"})
    _hidden: int = 0
    area: int = attrs.field(init=False, default=0)


ADDRESS = {
    "type": "object",
    "properties": {
        "street": {"type": "string"},
        "number": {"type": "integer"},
        "floor": {"type": "integer"},
    },
    "required": ["street"],
}
PERSON = {
    "type": "object",
    "description": "Somebody.",
    "properties": {
        "name": {"type": "string", "minLength": 1, "description": "the full name"},
        "born": DATE_TIME,
        "home": ADDRESS,
        "title": {"type": "string", "default": "", "title": "Form of address"},
        "others": {"type": "array", "items": ADDRESS, "default": []},
    },
    "required": ["name", "born", "home"],
}
PLACE = {
    "type": "object",
    "properties": {
        "lat": {"type": "number"},
        "name": {"type": "string"},
        "when": {"type": "string"},
    },
    "required": ["lat"],
}
BORN = "2000-01-31T00:00:00"


def convert(hint: Any, value: Any) -> Any:
    schema, converter = _hints.schema_of(hint)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(value)
    assert converter is not None
    return converter(value)


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (Person, PERSON),
        (Address | None, ADDRESS),
        (list[Address], {"type": "array", "items": ADDRESS}),
        (
            Crate[int],
            {
                "type": "object",
                "properties": {"content": {"type": "integer"}},
                "required": ["content"],
            },
        ),
        (
            Renamed,
            {"type": "object", "properties": {"outer": {"type": "integer"}}, "required": ["outer"]},
        ),
        (
            Checked,
            {
                "type": "object",
                "properties": {"count": {"type": "integer", "minimum": 1}},
                "required": ["count"],
            },
        ),
        (Place, PLACE),
        (
            Trip,
            {
                "type": "object",
                "description": "A journey.",
                "properties": {
                    "start": PLACE,
                    "stops": {"type": "array", "items": PLACE, "default": []},
                    "days": {"type": "integer", "minimum": 1, "default": 1},
                },
                "required": ["start"],
            },
        ),
        (
            Size,
            {
                "type": "object",
                "properties": {
                    "width": {"type": "integer"},
                    "when": DATE_TIME,
                    "height": {"type": "integer", "default": 5},
                    "tags": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "words",
                    },
                    "hidden": {"type": "integer", "default": 0},
                },
                "required": ["width", "when"],
                "additionalProperties": False,
            },
        ),
    ],
    ids=[
        "pydantic",
        "optional",
        "list",
        "generic",
        "alias",
        "dataclass",
        "struct",
        "trip",
        "attrs",
    ],
)
def test_schemas_of_models_are_inlined_null_free_and_without_noise(
    hint: Any, schema: dict[str, Any]
) -> None:
    assert _hints.schema_of(hint)[0] == schema


def test_a_pydantic_model_is_validated_by_pydantic() -> None:
    value = {"name": "A", "born": BORN, "home": {"street": "S"}, "others": [{"street": "T"}]}
    person = convert(Person, value)
    assert person == Person(
        name="A",
        born=dt.datetime(2000, 1, 31),
        home=Address(street="S", number=None),
        others=[Address(street="T", number=None)],
    )


def test_a_msgspec_struct_is_converted_by_msgspec() -> None:
    trip = convert(Trip, {"start": {"lat": 1.5}, "stops": [{"lat": 2, "name": "N"}]})
    assert trip == Trip(Place(1.5, None), [Place(2.0, "N")])


def test_an_attrs_class_is_made_by_its_initialiser() -> None:
    size = convert(Size, {"width": 1, "when": BORN, "hidden": 3})
    assert size == Size(1, dt.datetime(2000, 1, 31), hidden=3)


def test_a_pydantic_dataclass_and_an_alias_are_understood() -> None:
    assert convert(Checked, {"count": 2}) == Checked(2)
    assert convert(Renamed, {"outer": 2}) == Renamed(outer=2)


@pytest.mark.parametrize(
    ("hint", "name", "value"),
    [
        (Category, "Category", {"name": "a", "children": [{"name": "b"}]}),
        (Chain, "Chain", {"next": {"next": {}}}),
    ],
)
def test_recursive_models_keep_one_reference(hint: Any, name: str, value: Any) -> None:
    schema, _ = _hints.schema_of(hint)
    assert schema["type"] == "object"
    assert list(schema["$defs"]) == [name]
    assert convert(hint, value) == convert(list[hint], [value])[0]
    assert not Draft202012Validator(schema).is_valid({"name": 1, "next": 1})


@pytest.mark.parametrize(
    ("hint", "value", "message"),
    [
        (list[Address], [{"street": 1}], "[0].street: Input should be a valid string"),
        (list[Place], [{"lat": "x"}], "[0].lat: Expected `float`, got `str`"),
        (Trip, {"start": {"lat": 1}, "stops": [{"lat": 1}, 2]}, "stops[1]: Expected `object`"),
        (Size, {"width": 1, "when": "x"}, "when: must be a date and time"),
        (Size, {"width": 1}, 'is missing the required property "when"'),
    ],
)
def test_what_the_library_finds_wrong_is_told_with_its_place(
    hint: Any, value: Any, message: str
) -> None:
    _, converter = _hints.schema_of(hint)
    assert converter is not None
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        converter(value)


@pytest.mark.parametrize(
    ("hint", "added"),
    [
        (Annotated[int, Field(ge=1, le=5, description="d")], {"minimum": 1, "maximum": 5}),
        (Annotated[int, Field(gt=1, multiple_of=2, description="d")], {"exclusiveMinimum": 1}),
        (Annotated[int, Field(description="d", examples=[7])], {"examples": [7]}),
        (Annotated[str, Field(pattern="^a", max_length=3, description="d")], {"pattern": "^a"}),
        (Annotated[int, msgspec.Meta(ge=1, description="d")], {"minimum": 1}),
        (Annotated[str, msgspec.Meta(pattern="^a", description="d")], {"pattern": "^a"}),
        (Annotated[pydantic.PositiveInt, "d"], {"exclusiveMinimum": 0}),
    ],
)
def test_metadata_of_the_libraries_becomes_keywords(hint: Any, added: dict[str, Any]) -> None:
    schema, converter = _hints.schema_of(hint)
    assert schema["description"] == "d"
    assert schema.items() >= added.items()
    assert converter is None
    Draft202012Validator.check_schema(schema)


def test_types_and_validators_that_only_pydantic_knows_go_through_it() -> None:
    schema, converter = _hints.schema_of(pydantic.HttpUrl)
    assert schema["format"] == "uri"
    assert converter is not None
    assert converter("http://a.example/").host == "a.example"
    doubled = Annotated[int, pydantic.AfterValidator(lambda value: value * 2), "twice"]
    schema, converter = _hints.schema_of(doubled)
    assert schema == {"type": "integer", "description": "twice"}
    assert converter is not None
    assert converter(2) == 4


def test_a_union_of_models_is_told_apart_by_a_literal() -> None:
    class Cat(BaseModel):
        kind: Literal["cat"]

    class Dog(BaseModel):
        kind: Literal["dog"]

    assert convert(Cat | Dog, {"kind": "dog"}) == Dog(kind="dog")
    assert convert(Cat | Dog, {"kind": "cat"}) == Cat(kind="cat")


def test_a_model_that_its_library_has_no_schema_for_is_refused() -> None:
    class Odd(BaseModel):
        model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
        value: re.Match[str]

    with pytest.raises(_hints.HintError, match="the library of .*Odd has no schema for it"):
        _hints.schema_of(Odd)


def test_plain_values_of_models_match_their_output_schemas() -> None:
    person = Person(name="A", born=dt.datetime(2000, 1, 31), home=Address(street="S", number=None))
    values: list[tuple[Any, Any]] = [
        (Person, person),
        (Renamed, Renamed(outer=1)),
        (Checked, Checked(1)),
        (Trip, Trip(Place(1.0, None), [Place(2.0, "N", dt.datetime(2000, 1, 31))])),
        (Size, Size(1, dt.datetime(2000, 1, 31), hidden=3)),
        (Category, Category(name="a", children=[Category(name="b")])),
        (Chain, Chain(Chain())),
    ]
    for hint, value in values:
        walk = _hints.Walk(Scope(Names({}, "")), output=True)
        schema = walk.rooted(walk.shape(hint).with_null())
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(_hints.plain(value))


def test_models_become_plain_values() -> None:
    assert _hints.plain([Address(street="S", number=None)]) == [
        {"street": "S", "number": None, "floor": None}
    ]
    assert _hints.plain(Renamed(outer=1)) == {"outer": 1}
    assert _hints.plain(Checked(1)) == {"count": 1}
    assert _hints.plain(Place(1.5, None, dt.datetime(2000, 1, 31))) == {
        "lat": 1.5,
        "name": None,
        "when": BORN,
    }
    assert _hints.plain(Size(1, dt.datetime(2000, 1, 31))) == {
        "width": 1,
        "when": BORN,
        "height": 5,
        "tags": [],
        "hidden": 0,
        "area": 0,
    }


def test_what_was_left_out_is_none_in_unions_of_models_too() -> None:
    class Cat(BaseModel):
        kind: Literal["cat"]
        lives: int | None

    class Dog(BaseModel):
        kind: Literal["dog"]
        owner: str | None

    class Home(BaseModel):
        pet: Cat | Dog = Field(discriminator="kind")
        guest: Cat | None = None

    value = {"pet": {"kind": "dog"}, "guest": {"kind": "cat"}}
    assert convert(Home, value) == Home(
        pet=Dog(kind="dog", owner=None), guest=Cat(kind="cat", lives=None)
    )


def test_a_default_in_metadata_counts_where_the_class_has_none() -> None:
    @dataclass
    class Page:
        size: Annotated[int, Field(default=10)]
        number: Annotated[int, Field(default=7)] = 1

    schema, _ = _hints.schema_of(Page)
    assert schema["properties"]["size"]["default"] == 10
    assert schema["properties"]["number"]["default"] == 1
    assert "required" not in schema
    assert convert(Page, {}) == Page(10, 1)
