"""`${/arguments/name}` in a fixture: a JSON Pointer to what an attempt knows."""

from __future__ import annotations

import json
import re
from typing import Any

PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")


def find(known: Any, pointer: str) -> Any:
    """The value that is pointed at; nothing is an empty text."""
    for part in pointer.split("/")[1:]:
        if isinstance(known, list) and part.isdigit() and int(part) < len(known):
            known = known[int(part)]
        elif isinstance(known, dict) and part in known:
            known = known[part]
        else:
            return ""
    return known


def fill_in(value: Any, known: dict[str, Any]) -> Any:
    """The same value, with what placeholders in its texts stand for."""

    def text(match: re.Match[str]) -> str:
        found = find(known, match[1])
        return found if isinstance(found, str) else json.dumps(found, separators=(",", ":"))

    if isinstance(value, str):
        return PLACEHOLDER.sub(text, value)
    if isinstance(value, list):
        return [fill_in(part, known) for part in value]
    if isinstance(value, dict):
        return {name: fill_in(part, known) for name, part in value.items()}
    return value
