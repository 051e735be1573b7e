"""What the server says, read by a parser that is not the engine's own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


class WrongError(Exception):
    """The server said something that it must not say."""


@dataclass(frozen=True)
class Message:
    """One message of the server."""

    value: dict[str, Any]
    id_text: str
    """The id as it was written, if it is a number."""

    @property
    def id(self) -> Any:
        """The id, which is None if there is none."""
        return self.value.get("id")

    @property
    def is_reply(self) -> bool:
        """Whether it answers something."""
        return "result" in self.value or "error" in self.value

    @property
    def is_request(self) -> bool:
        """Whether it wants an answer."""
        return "method" in self.value and "id" in self.value

    def __str__(self) -> str:
        return repr(self.value)[:160]


class _Number(str):
    """A number as it was written."""


def read_frame(frame: bytes) -> list[Message]:
    """The messages of one frame: one, or those of a batch."""
    try:
        text = frame.decode()
        values = json.loads(text, parse_int=_number, parse_constant=_refuse)
        written = json.loads(text, parse_int=_Number, parse_float=_Number)
    except ValueError as error:
        raise WrongError(f"output is not JSON: {error}: {frame[:160]!r}") from error
    if not isinstance(values, list):
        values, written = [values], [written]
    if not values or "\r" in text or "\n" in text:
        raise WrongError(f"not one line of messages: {frame[:160]!r}")
    if any(not isinstance(it, dict) or it.get("jsonrpc") != "2.0" for it in values):
        raise WrongError(f"not a JSON-RPC object: {frame[:160]!r}")
    ids = [it.get("id") for it in written]
    pairs = zip(values, ids, strict=True)
    return [Message(it, str(id) if isinstance(id, _Number) else "") for it, id in pairs]


def _number(text: str) -> int:
    # Python refuses integers as long as ids may be; their text is compared instead.
    return int(text) if len(text) <= 18 else 0


def _refuse(name: str) -> float:
    raise ValueError(f"JSON has no {name}")
