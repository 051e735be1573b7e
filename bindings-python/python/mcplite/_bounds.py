"""Metadata in `Annotated`: descriptions, bounds, examples and defaults, by duck-typing."""

from __future__ import annotations

from ._shapes import HintError, Mismatch, Shape, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ._hints import Walk

    Schema = dict[str, Any]

_NUMBERS = {
    "ge": ("minimum", "at least"),
    "gt": ("exclusiveMinimum", "greater than"),
    "le": ("maximum", "at most"),
    "lt": ("exclusiveMaximum", "less than"),
    "multiple_of": ("multipleOf", "a multiple of"),
}
_LENGTHS = {
    "min_length": {"string": "minLength", "array": "minItems", "object": "minProperties"},
    "max_length": {"string": "maxLength", "array": "maxItems", "object": "maxProperties"},
}


def annotated(walk: Walk, hint: Any, metadata: tuple[Any, ...]) -> Shape:
    """The shape of an `Annotated` hint."""
    if any(hasattr(type(note), "__get_pydantic_core_schema__") for note in metadata):
        from ._foreign import adapted

        shape = adapted(walk, hint)
        apply(shape, (note for note in metadata if isinstance(note, str)))
        return shape
    shape = walk.shape(hint.__origin__)
    apply(shape, metadata)
    return shape


def apply(shape: Shape, metadata: Iterable[Any]) -> None:
    """Adds to a shape what the metadata of its hint says; objects it does not know are ignored."""
    for note in metadata:
        if isinstance(note, str):
            shape.note = note
            continue
        if is_field(note):
            apply(shape, note.metadata)
            _take_default(shape, note)
        text = getattr(note, "documentation", None) or getattr(note, "description", None)
        if isinstance(text, str):
            shape.note = text
        _apply_bounds(shape, note)
        _apply_extras(shape.schema, note)


def is_field(note: Any) -> bool:
    """Whether this is what pydantic's `Field()` gives."""
    return type(note).__name__ == "FieldInfo" and isinstance(getattr(note, "metadata", None), list)


def _take_default(shape: Shape, field: Any) -> None:
    if field.default_factory is not None:
        shape.default = field.default_factory()
    elif type(field.default).__name__ != "PydanticUndefinedType" and field.default is not Ellipsis:
        shape.default = field.default


def _apply_extras(schema: Schema, note: Any) -> None:
    examples = getattr(note, "examples", None)
    if isinstance(examples, list) and examples:
        from ._values import plain

        schema["examples"] = plain(examples)
    title = getattr(note, "title", None)
    if isinstance(title, str):
        schema["title"] = title
    for name in ("json_schema_extra", "extra_json_schema"):
        extra = getattr(note, name, None)
        if isinstance(extra, dict):
            schema.update(extra)


def _apply_bounds(shape: Shape, note: Any) -> None:
    for name, (keyword, words) in _NUMBERS.items():
        bound = getattr(note, name, None)
        if bound is None or callable(bound):
            continue
        if isinstance(bound, (int, float)) and _set(
            shape.schema, {"integer": keyword, "number": keyword}, bound
        ):
            continue
        shape.convert = _bounded(shape, name, bound, words)
    for name, keywords in _LENGTHS.items():
        bound = getattr(note, name, None)
        if not isinstance(bound, int) or (name == "min_length" and bound == 0):
            continue
        if "contentEncoding" in shape.schema or not _set(shape.schema, keywords, bound):
            shape.convert = _sized(shape, name, bound)
    pattern = getattr(note, "pattern", None) or getattr(note, "regex", None)
    pattern = getattr(pattern, "pattern", pattern)
    if isinstance(pattern, str) and not _set(shape.schema, {"string": "pattern"}, pattern):
        raise HintError("a pattern needs a hint that is a string; remove it or use str")


def _set(schema: Schema, keywords: dict[str, str], bound: Any) -> bool:
    """Puts a bound where the schema has a type with a keyword for it; says whether it did."""
    keyword = keywords.get(schema.get("type", ""))
    if keyword is not None:
        schema[keyword] = bound
        return True
    alternatives = schema.get("anyOf", ())
    return bool([one for one in alternatives if _set(one, keywords, bound)])


def _bounded(shape: Shape, name: str, bound: Any, words: str) -> Callable[[Any], Any]:
    convert = shape.member()

    def read(value: Any) -> Any:
        converted = value if convert is None else convert(value)
        if converted is None:
            return None
        if name == "multiple_of":
            holds = converted % bound == 0
        elif name in ("ge", "gt"):
            holds = converted >= bound if name == "ge" else converted > bound
        else:
            holds = converted <= bound if name == "le" else converted < bound
        if not holds:
            raise Mismatch(f"must be {words} {bound}, but is {shown(value)}")
        return converted

    return read


def _sized(shape: Shape, name: str, bound: int) -> Callable[[Any], Any]:
    convert = shape.member()

    def read(value: Any) -> Any:
        converted = value if convert is None else convert(value)
        if converted is None:
            return None
        size = len(converted)
        if size < bound if name == "min_length" else size > bound:
            words = "at least" if name == "min_length" else "at most"
            raise Mismatch(f"must have {words} {bound} elements, but has {size}")
        return converted

    return read
