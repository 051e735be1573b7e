"""Classes with fields: dataclasses, TypedDicts, NamedTuples, attrs classes and other models."""

from __future__ import annotations

import sys

from ._shapes import MISSING, Mismatch, Shape, attempt, property_schema, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ._hints import Walk

    Convert = Callable[[Any], Any]
    Make = Callable[..., Any]
    Schema = dict[str, Any]


class Field:
    """A member of a class: its name in JSON, its hint, and whether it may be left out."""

    __slots__ = ("name", "hint", "required", "default", "note")

    def __init__(
        self,
        name: str,
        hint: Any,
        *,
        required: bool,
        default: Any = MISSING,
        note: object = None,
    ) -> None:
        self.name = name
        self.hint = hint
        self.required = required
        self.default = default
        self.note = note if isinstance(note, str) else None


def model(walk: Walk, owner: Any, hint: Any, key: Any) -> Shape | None:
    """The shape of a class with fields, or None if it is no such class."""
    name = owner.__name__
    fields: Callable[[Walk, Any], Iterable[Field]]
    make: Make = owner
    if hasattr(owner, "model_json_schema") and hasattr(owner, "model_validate"):
        from ._foreign import pydantic_model

        return pydantic_model(walk, owner)
    if "pydantic" in sys.modules and (
        hasattr(owner, "__get_pydantic_core_schema__") or hasattr(owner, "__pydantic_validator__")
    ):
        from ._foreign import adapted

        return adapted(walk, owner if hint is None else hint)
    if hasattr(owner, "__struct_fields__"):
        from ._foreign import msgspec_struct

        return msgspec_struct(walk, owner if hint is None else hint)
    if hasattr(owner, "__attrs_attrs__"):
        fields = _attrs_fields
    elif hasattr(owner, "__dataclass_fields__"):
        fields = _dataclass_fields
    elif hasattr(owner, "__required_keys__") and hasattr(owner, "__total__"):
        fields, make = _typed_dict_fields, dict
    elif issubclass(owner, tuple) and hasattr(owner, "_fields"):
        fields = _named_tuple_fields
    else:
        return None
    return walk.named(key, name, lambda: _object(walk, owner, fields(walk, owner), make))


def _attrs_fields(walk: Walk, owner: Any) -> Iterable[Field]:
    from ._values import attribute_key

    hints = walk.scope.class_hints(owner)
    for attribute in owner.__attrs_attrs__:
        if not attribute.init and not walk.output:
            continue
        default = attribute.default
        missing = type(default).__name__ == "_Nothing" or repr(default) == "NOTHING"
        made = missing or hasattr(default, "factory")
        yield Field(
            attribute_key(attribute),
            hints.get(attribute.name, object),
            required=missing or walk.output,
            default=MISSING if made else default,
            note=attribute.metadata.get("description"),
        )


def _dataclass_fields(walk: Walk, owner: Any) -> Iterable[Field]:
    hints = walk.scope.class_hints(owner)
    for field in owner.__dataclass_fields__.values():
        role = field._field_type.name
        if role == "_FIELD_CLASSVAR":
            continue
        if role == "_FIELD_INITVAR" if walk.output else not field.init:
            continue
        from dataclasses import MISSING as ABSENT

        required = field.default is ABSENT and field.default_factory is ABSENT
        yield Field(
            field.name,
            hints.get(field.name, object),
            required=required or walk.output,
            default=MISSING if field.default is ABSENT else field.default,
            note=field.metadata.get("description"),
        )


def _typed_dict_fields(walk: Walk, owner: Any) -> Iterable[Field]:
    from ._hints import form_of

    for name, hint in walk.scope.class_hints(owner).items():
        required = name in owner.__required_keys__
        inner = hint
        while True:
            form = form_of(inner)
            if form in ("Required", "NotRequired"):
                required = form == "Required"
                break
            if form != "ReadOnly" and not hasattr(inner, "__metadata__"):
                break
            inner = inner.__args__[0] if form == "ReadOnly" else inner.__origin__
        yield Field(name, hint, required=required)


def _named_tuple_fields(walk: Walk, owner: Any) -> Iterable[Field]:
    hints = walk.scope.class_hints(owner)
    for name in owner._fields:
        default = owner._field_defaults.get(name, MISSING)
        required = default is MISSING or walk.output
        yield Field(name, hints.get(name, object), required=required, default=default)


def _object(walk: Walk, owner: Any, fields: Iterable[Field], make: Make) -> Shape:
    from ._docstring import parse

    text = owner.__dict__.get("__doc__")
    generated = isinstance(text, str) and text.startswith(f"{owner.__name__}(")
    documentation = parse(None if generated else text)
    reader = _Reader(make)
    properties: dict[str, Schema] = {}
    required = []
    for field in fields:
        shape = walk.shape(field.hint)
        default = shape.default if field.default is MISSING else field.default
        note = shape.note or field.note or documentation.parameters.get(field.name)
        properties[field.name] = property_schema(shape, note, default, output=walk.output)
        needed = field.required
        absent: Any = MISSING
        if needed and not walk.output:
            if shape.default is not MISSING:
                needed, absent = False, shape.default
            elif shape.nullable:
                needed, absent = False, None
        if needed:
            required.append(field.name)
        reader.add(field.name, shape.member(), needed, absent)
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if not walk.output:
        schema["additionalProperties"] = False
    if documentation.description:
        schema["description"] = documentation.description
    return Shape(schema, None if make is dict and reader.is_idle else reader)


class _Reader:
    """Makes an object of a class from a JSON object."""

    __slots__ = ("make", "names", "required", "converters", "absent")

    def __init__(self, make: Make) -> None:
        self.make = make
        self.names: set[str] = set()
        self.required: list[str] = []
        self.converters: dict[str, Convert] = {}
        self.absent: dict[str, Any] = {}

    def add(self, name: str, convert: Convert | None, required: bool, absent: Any) -> None:
        self.names.add(name)
        if required:
            self.required.append(name)
        if convert is not None:
            self.converters[name] = convert
        if absent is not MISSING:
            self.absent[name] = absent

    @property
    def is_idle(self) -> bool:
        return not self.converters and not self.absent

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, dict):
            raise Mismatch(f"must be an object, but is {shown(value)}")
        for name in self.required:
            if name not in value:
                raise Mismatch(f'is missing the required property "{name}"')
        members = {**self.absent, **value}
        for name, member in value.items():
            if name not in self.names:
                raise Mismatch(f'has the unknown property "{name}"')
            convert = self.converters.get(name)
            if convert is not None:
                members[name] = attempt(convert, member, name)
        return self.make(**members)
