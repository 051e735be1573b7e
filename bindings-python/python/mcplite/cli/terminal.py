"""What the commands say to people: colours, tables, errors and exit codes."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TextIO

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_UNLOADABLE = 3
EXIT_INTERRUPTED = 130

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


class Failure(Exception):
    """Ends a command: one line that says what is wrong, and another that says what to do."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        detail: str | None = None,
        code: int = EXIT_FAILED,
        files: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.detail = detail
        self.code = code
        self.files = files


def complain(failure: Failure) -> None:
    """Writes a failure to standard error."""
    if failure.detail:
        write_error(failure.detail.rstrip("\n"))
    write_error(f"{styled('mcplite:', 'red', sys.stderr)} {failure.message}")
    if failure.hint:
        write_error(f"  {failure.hint}")


def note(text: str) -> None:
    """Tells the person something that is not the result."""
    write_error(f"{styled('mcplite:', 'dim', sys.stderr)} {text}")


def write_error(text: str) -> None:
    """Writes a line to standard error, if there is one."""
    if sys.stderr is not None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def has_colours(stream: TextIO) -> bool:
    """Whether the stream is a terminal whose owner wants colours."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def styled(text: str, style: str, stream: TextIO | None) -> str:
    """The text in a style, if the stream shows styles."""
    if stream is None or not has_colours(stream):
        return text
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def width(stream: TextIO) -> int:
    """How many columns a line has; plenty where nobody looks at a screen."""
    if not stream.isatty():
        return 120
    from shutil import get_terminal_size

    return max(40, get_terminal_size((100, 24)).columns)


def table(rows: Iterable[Sequence[str]], *, stream: TextIO) -> list[str]:
    """Aligned lines: empty columns are left out, long cells wrapped, the first column is bold."""
    from textwrap import wrap

    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = _fit([max(map(len, column)) for column in columns], width(stream) - 2)
    lines = []
    for row in zip(*columns, strict=True):
        cells = [wrap(cell, room) or [""] for cell, room in zip(row, widths, strict=True)]
        for number in range(max(map(len, cells))):
            parts = []
            for column, (cell, room) in enumerate(zip(cells, widths, strict=True)):
                text = (cell[number] if number < len(cell) else "").ljust(room)
                parts.append(text if column else styled(text, "bold", stream))
            lines.append(("  " + "  ".join(parts)).rstrip())
    return lines


def _fit(widths: list[int], room: int) -> list[int]:
    """Takes from the widest column until a line is no longer than the room there is."""
    fitting = list(widths)
    while sum(fitting) + 2 * (len(fitting) - 1) > room and max(fitting) > 10:
        fitting[fitting.index(max(fitting))] -= 1
    return fitting
