"""Keeping standard output for what belongs there."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


class Quiet:
    """Keeps standard output for results: while it holds, what the program prints goes to stderr."""

    def __init__(self, *, input_too: bool = False) -> None:
        self._input_too = input_too
        self._kept: list[tuple[int, int]] = []
        self._stdout = sys.stdout

    def __enter__(self) -> None:
        self._stdout = sys.stdout
        if sys.stdout is not None:
            sys.stdout.flush()
        sys.stdout = sys.stderr
        nowhere = os.open(os.devnull, os.O_RDWR)
        self._redirect(1, 2, nowhere)
        if self._input_too:
            self._redirect(0, nowhere, nowhere)
        os.close(nowhere)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for descriptor, kept in self._kept:
            os.dup2(kept, descriptor)
            os.close(kept)
        self._kept.clear()
        sys.stdout = self._stdout

    def _redirect(self, descriptor: int, instead: int, nowhere: int) -> None:
        try:
            kept = os.dup(descriptor)
        except OSError:
            return
        self._kept.append((descriptor, kept))
        try:
            os.dup2(instead, descriptor)
        except OSError:
            os.dup2(nowhere, descriptor)
