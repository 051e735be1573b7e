"""What handlers share with one another and with whoever plays a transcript."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mcplite._native import Call

PNG = b"\x89PNG"
WAV = b"RIFF"


@dataclass
class Memory:
    """One for each server."""

    questions: dict[str, Any] = field(default_factory=dict)
    """The questions of the fixture file, by their names."""
    held: dict[str, Call] = field(default_factory=dict)
    """Calls that wait to be answered, by their key."""
    elicited: set[str] = field(default_factory=set)
    """The ids of the pages where the user is done."""
    last: str = ""
    """What the notification that `remember` is for said last, as JSON."""

    def hold(self, call: Call) -> None:
        """Keeps a call under the key that it names."""
        self.held[text_argument(call, "key", "held")] = call


def text_argument(call: Call, name: str, otherwise: str = "") -> str:
    """An argument that is a text, or what stands for it if it is none."""
    value = call.arguments.get(name)
    return value if isinstance(value, str) else otherwise
