"""Reading `key=value` and `key:=json` into the arguments of a call."""

from __future__ import annotations

import json

from mcplite.cli.schema import Field, fields
from mcplite.cli.terminal import EXIT_USAGE, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def read_arguments(pairs: Sequence[str], schema: Any, whole: str | None = None) -> dict[str, Any]:
    """The arguments that a person gave, each of the type that the schema asks for.

    `whole` is a JSON object to begin with. A key that stands twice makes an array.
    """
    known = {name: field for name, field, _ in fields(schema)}
    arguments: dict[str, Any] = {} if whole is None else _whole(whole)
    told: dict[str, list[Any]] = {}
    for pair in pairs:
        name, value = _read_pair(pair, known, schema)
        told.setdefault(name, []).append(value)
    for name, values in told.items():
        is_array = name in known and known[name].types == {"array"}
        if len(values) == 1 and not (is_array and not isinstance(values[0], list)):
            arguments[name] = values[0]
        elif is_array or name not in known:
            arguments[name] = [
                item for value in values for item in (value if isinstance(value, list) else [value])
            ]
        else:
            raise _usage(f"{name} is given {len(values)} times, but takes one value")
    return arguments


def _whole(text: str) -> dict[str, Any]:
    if text == "-":
        import sys

        text = sys.stdin.read()
    try:
        value = json.loads(text)
    except ValueError as error:
        raise _usage(f"--json is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise _usage("--json must be an object, such as '{\"a\": 1}'")
    return value


def _read_pair(pair: str, known: dict[str, Field], schema: Any) -> tuple[str, Any]:
    name, equals, text = pair.partition("=")
    if not equals or not name.rstrip(":"):
        raise _usage(f"{pair!r} is no argument", "write key=value, or key:=json for a JSON value")
    if name.endswith(":"):
        name = name[:-1]
        try:
            return name, json.loads(text)
        except ValueError as error:
            raise _usage(f"the value of {name} is no JSON: {error}") from None
    if name not in known:
        return name, _unknown(name, text, known, schema)
    field = known[name]
    if field.types == {"array"} and not text.lstrip().startswith("["):
        field = field.items
    try:
        return name, field.read(text)
    except ValueError as error:
        raise _usage(f"{name} {error}") from None


def _unknown(name: str, text: str, known: dict[str, Field], schema: Any) -> Any:
    extra = schema.get("additionalProperties") if isinstance(schema, dict) else None
    if extra is False or (known and extra is None):
        from difflib import get_close_matches

        close = get_close_matches(name, known, 1)
        hint = f"did you mean {close[0]}?" if close else f"it takes {', '.join(known) or 'nothing'}"
        raise _usage(f"there is no argument {name!r}", hint)
    return Field(extra, schema).read(text)


def _usage(message: str, hint: str | None = None) -> Failure:
    return Failure(message, hint=hint, code=EXIT_USAGE)
