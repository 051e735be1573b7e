"""What a JSON Schema says about values that people type, and how it is told to people."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_ALL = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


class Field:
    """One property: its schema, and the root in which `$ref` finds its targets."""

    def __init__(self, schema: Any, root: Any) -> None:
        self._root = root
        self._schema = schema if isinstance(schema, dict) else {}

    @property
    def types(self) -> frozenset[str]:
        """The JSON types that a value may have."""
        return _types(self._schema, self._root, 0)

    @property
    def is_any(self) -> bool:
        """Whether nothing is said about the type."""
        return self.types >= _ALL - {"integer"}

    @property
    def choices(self) -> list[Any]:
        """The values that are allowed, if they are listed."""
        return list(_choices(self._schema, self._root, 0))

    @property
    def default(self) -> Any:
        """The value that is taken when none is given."""
        return self._schema.get("default")

    @property
    def description(self) -> str:
        """What the property is for."""
        return str(self._schema.get("description") or self._schema.get("title") or "")

    @property
    def items(self) -> Field:
        """What the items of an array are."""
        for schema in _alternatives(self._schema, self._root, 0):
            if isinstance(schema.get("items"), dict):
                return Field(schema["items"], self._root)
        return Field({}, self._root)

    @property
    def label(self) -> str:
        """The type in a few words."""
        choices = self.choices
        if choices:
            return "|".join(in_words(value) for value in choices)
        if self.is_any:
            return "any"
        words = []
        for name in sorted(self.types, key=_ORDER.index):
            if name == "array":
                items = self.items
                words.append("array" if items.is_any else f"array of {items.label}")
            elif name != "integer" or "number" not in self.types:
                words.append(name)
        return " or ".join(words)

    def read(self, text: str) -> Any:
        """The value that a person means; ValueError says what it should be."""
        types = self.types
        if self.is_any:
            return _loose(text)
        if text in self.choices:
            return text
        for name in _ORDER:
            if name in types:
                found, value = _READERS[name](text)
                if found:
                    return value
        if "string" in types:
            return text
        raise ValueError(f"must be {_article(self.label)}, not {text!r}")


def in_words(value: object) -> str:
    """A value as a person would type it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def fields(schema: Any) -> Iterator[tuple[str, Field, bool]]:
    """The properties of an object: name, field, and whether it is required."""
    if not isinstance(schema, dict):
        return
    required = schema.get("required") or ()
    for name, property_schema in (schema.get("properties") or {}).items():
        yield name, Field(property_schema, schema), name in required


def _alternatives(schema: Any, root: Any, depth: int) -> Iterator[dict[str, Any]]:
    if not isinstance(schema, dict) or depth > 16:
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        yield from _alternatives(_resolve(reference, root), root, depth + 1)
    several = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(several, list):
        for one in several:
            yield from _alternatives(one, root, depth + 1)
    elif reference is None:
        yield schema


def _resolve(reference: str, root: Any) -> Any:
    found = root
    for part in reference[1:].split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _types(schema: Any, root: Any, depth: int) -> frozenset[str]:
    found: set[str] = set()
    for one in _alternatives(schema, root, depth):
        named = one.get("type")
        if isinstance(named, str):
            found.add(named)
        elif isinstance(named, list):
            found.update(name for name in named if isinstance(name, str))
        elif "const" in one:
            found.add(_type_of(one["const"]))
        elif isinstance(one.get("enum"), list):
            found.update(_type_of(value) for value in one["enum"])
        else:
            found |= _ALL
    return frozenset(found & _ALL) or _ALL


def _choices(schema: Any, root: Any, depth: int) -> Iterator[Any]:
    for one in _alternatives(schema, root, depth):
        if "const" in one:
            yield one["const"]
        elif isinstance(one.get("enum"), list):
            yield from one["enum"]


def _type_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _loose(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _read_json(text: str, *kinds: type) -> tuple[bool, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return False, None
    return isinstance(value, kinds) and not isinstance(value, bool), value


def _read_boolean(text: str) -> tuple[bool, Any]:
    word = text.lower()
    return word in _TRUE + _FALSE, word in _TRUE


def _read_integer(text: str) -> tuple[bool, Any]:
    try:
        return True, int(text, 10)
    except ValueError:
        return False, None


def _article(label: str) -> str:
    if "|" in label:
        return f"one of {label}"
    return f"{'an' if label[:1] in 'aeio' else 'a'} {label}"


_READERS: dict[str, Callable[[str], tuple[bool, Any]]] = {
    "integer": _read_integer,
    "number": lambda text: _read_json(text, int, float),
    "boolean": _read_boolean,
    "array": lambda text: _read_json(text, list),
    "object": lambda text: _read_json(text, dict),
    "null": lambda text: (text in ("null", ""), None),
    "string": lambda text: (True, text),
}
# What is the more special reading of a text comes first.
_ORDER = tuple(_READERS)
