"""One way of running one contender."""

from __future__ import annotations

from dataclasses import dataclass

HANDSHAKE = "2025-11-25"
MODERN = "2026-07-28"
# No server can do less.
FLOOR = "floor"


@dataclass(frozen=True)
class Setup:
    """How a contender is run, and how it is talked to.

    `usual` set-ups are also measured by a quick run; of the others, a full run finds the fastest.
    """

    contender: str
    name: str
    arguments: tuple[str, ...]
    usual: bool = True
    revision: str = HANDSHAKE
    session: bool = False
    # Whether it knows what it answers, and does not only send bytes.
    answers: bool = True
    # Whether the tool that tells of its progress is called, so that every answer is a stream.
    progress: bool = False

    @property
    def title(self) -> str:
        return f"{self.contender}, {self.name}"

    @property
    def label(self) -> str:
        """Its title and what tells it from others of that title."""
        return f"{self.title} ({' '.join(self.arguments)})"
