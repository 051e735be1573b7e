"""How contenders of each kind are started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.bench import Bench
from common.setup import Setup
from native.contender import NATIVE, NODE, PORT, PYTHON, Entrant


class NativeBench(Bench):
    """Programs in C and Rust, looked for in some folders."""

    tells_port = True

    def __init__(self, work: Path, folders: Sequence[Path]) -> None:
        # Such variables say how much is logged, and what is written of a panic.
        super().__init__(work, "RUST", folders)
        self.folders = folders

    def has(self, setup: Setup) -> bool:
        return self.program(setup).is_file()

    def program(self, setup: Setup) -> Path:
        places = [folder / setup.arguments[0] for folder in self.folders]
        return next((place for place in places if place.is_file()), places[0])

    def command(self, setup: Setup, *more: str) -> list[str]:
        """Its words say all; `more` would say it again, and which port to take."""
        return [str(self.program(setup)), *setup.arguments[1:]]

    def is_sum(self, answer: dict[str, Any], result: int) -> bool:
        content = answer["content"]
        return bool(len(content) == 1 and content[0].get("text") == str(result))


class PortBench(NativeBench):
    """What the client itself can serve: it is told its port."""

    tells_port = False

    def has(self, setup: Setup) -> bool:
        return True

    def command(self, setup: Setup, *more: str) -> list[str]:
        return [str(self.client), *setup.arguments, *more[1:]]


@dataclass(frozen=True)
class Benches:
    """The benches of all languages; one whose packages could not be had is missing."""

    native: NativeBench
    port: PortBench
    python: Bench | None
    node: Bench | None

    def of(self, entrant: Entrant) -> Bench | None:
        """Whoever can start an entrant."""
        benches: dict[str, Bench | None] = {
            NATIVE: self.native,
            PORT: self.port,
            PYTHON: self.python,
            NODE: self.node,
        }
        bench = benches[entrant.contender.language]
        return bench if bench is not None and bench.has(entrant.setup) else None
