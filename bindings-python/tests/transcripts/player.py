"""Reading and playing transcripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from mcplite._native import Session

from .stage import SHARED, Options, Stage
from .states import States

Feed = Callable[[Session, bytes], bytes]


def in_folder(name: str) -> list[Path]:
    """Every transcript in a folder of the shared tests."""
    found = sorted((SHARED / name).glob("*.txt"))
    assert len(found) > 10, "the transcripts are there"
    return found


def whole(session: Session, line: bytes) -> bytes:
    """Hands in a whole message at once."""
    return session.handle(line) or b""


def byte_by_byte(session: Session, line: bytes) -> bytes:
    """Hands in a line through the framer."""
    return b"".join(session.receive(bytes([byte])) for byte in line + b"\n")


def options_of(text: str) -> Options:
    """The lines that start with `@`, each as key and value."""
    lines = [line[2:].partition(" ") for line in text.split("\n") if line.startswith("@ ")]
    return [(key, value) for key, _, value in lines]


def bytes_of(text: str) -> bytes:
    """What a JSON string says in which every character stands for the byte of its number."""
    read: str = json.loads(text)
    return read.encode("latin-1")


def play(text: str, feed: Feed) -> str:
    """The text with its server lines replaced by what the engine says."""
    player = Player(options_of(text), feed)
    out: list[str] = []
    is_gap = False
    for line in text.split("\n"):
        mark, _, rest = line.partition(" ")
        is_gap |= not line
        if mark in ("<", ""):
            continue
        if is_gap:
            out.append("")
            is_gap = False
        out.append(line)
        out += [f"< {answer}" for answer in player.step(mark, rest)]
    return "\n".join(out) + "\n"


class Player:
    """One transcript in the middle of being played."""

    def __init__(self, options: Options, feed: Feed) -> None:
        self._stage = Stage(options)
        self._feed = feed
        self._states = States()
        self._session = self._connected()

    def step(self, mark: str, rest: str) -> list[str]:
        """Does what a line says, and gives what the server says to it."""
        said = b""
        if mark == ">":
            said = self._feed(self._session, self._states.fill_in(rest).encode())
        elif mark == ">>":
            said = self._feed(self._session, bytes_of(rest))
        elif mark == "!":
            self._act(rest)
        elif mark not in ("#", "@"):
            raise LookupError(f"unknown mark {mark}")
        if said and not said.endswith(b"\n"):
            said += b"\n"
        answers = (said + self._session.drain()).decode().split("\n")[:-1]
        for answer in answers:
            self._states.note(answer)
        return answers

    def _act(self, action: str) -> None:
        verb, one, two = [*action.split(" ", 2), "", ""][:3]
        if verb == "connect":
            self._session.close()
            self._session = self._connected()
        elif verb == "notify":
            self._session.notify(one, two)
        elif verb == "principal":
            self._session.set_principal(one or None)
        elif verb == "end":
            self._session.end()
        else:
            self._stage.act(action)

    def _connected(self) -> Session:
        session = self._stage.server.session()
        session.set_principal("somebody")
        return session
