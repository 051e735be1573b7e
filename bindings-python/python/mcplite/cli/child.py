"""The process that `mcplite dev` starts again whenever its code changes."""

from __future__ import annotations

import os
import sys
from select import select
from subprocess import PIPE, Popen, TimeoutExpired

from mcplite.cli.terminal import EXIT_UNLOADABLE, note
from mcplite.cli.watch import Watcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcplite.cli.target import Target


class Child:
    """One process with the server, and what it has told about its files."""

    def __init__(self, command: Sequence[str], watcher: Watcher, *, is_piped: bool) -> None:
        self.reports, write = os.pipe()
        self._watcher = watcher
        self._pending = b""
        stream = PIPE if is_piped else None
        # Compiled files are known by whole seconds, too coarse for somebody who saves often.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            self.process = Popen(
                [*command, "--report", str(write)],
                stdin=stream,
                stdout=stream,
                bufsize=0,
                pass_fds=[write],
                env=environment,
            )
        finally:
            os.close(write)
        self.input = self.process.stdin.fileno() if self.process.stdin else -1
        self.output = self.process.stdout.fileno() if self.process.stdout else -1

    @property
    def is_input_closed(self) -> bool:
        """Whether the process has been told that no more will come."""
        return self.process.stdin is None or self.process.stdin.closed

    def close_input(self) -> None:
        """Tells the process that no more will come, which is its sign to end."""
        if self.process.stdin is not None:
            self.process.stdin.close()

    def take_report(self) -> bool:
        """Reads what the process says about its files; False when it will say no more."""
        data = os.read(self.reports, 65536)
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            self._watcher.add(os.fsdecode(line))
        return bool(data)

    def end(self, grace: float) -> int:
        """Waits for the end of the process, which is ended by force after the grace time."""
        try:
            code = self.process.wait(grace)
        except TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        while select([self.reports], [], [], 0)[0] and self.take_report():
            pass
        return code

    def close(self) -> None:
        """Gives back what is held of the process."""
        os.close(self.reports)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass


class Nursery:
    """Starts processes with the server of one target, and knows when the next is due."""

    def __init__(self, target: Target, options: Sequence[str], extra: Sequence[str]) -> None:
        self._target = target
        self._command = [sys.executable, "-m", "mcplite", "run", target.text, *options]
        self._watcher = Watcher(os.path.abspath(name) for name in extra)
        if target.is_file:
            self._watcher.add(target.place)
        self._changed: list[str] = []

    def start(self, *, is_piped: bool) -> Child:
        """Starts a process with the code as it is now."""
        self._watcher.changed()
        self._changed.clear()
        return Child(self._command, self._watcher, is_piped=is_piped)

    def look(self) -> list[str]:
        """The files that have changed, once they stand still and can be compiled."""
        fresh = self._watcher.changed()
        self._changed.extend(name for name in fresh if name not in self._changed)
        if fresh or not self._changed:
            return []
        changed, self._changed = self._changed, []
        return [] if any(_is_broken(name) for name in changed) else changed

    def tell_end(self, code: int) -> str:
        """Says on the terminal, and gives back, why there is no server now."""
        if code == EXIT_UNLOADABLE:
            self._watcher.add_folder(self._target.folder)
            reason = f"{self._target.label} cannot be loaded"
        else:
            reason = f"the server of {self._target.label} ended (exit code {code})"
        note(f"{reason}; waiting for a change")
        return reason

    def name(self, files: Sequence[str]) -> str:
        """Names files as a person would."""
        names = [os.path.relpath(name, self._target.root) for name in files]
        return ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")


def _is_broken(name: str) -> bool:
    """Whether a file is no Python, which is told: half a change is no reason to restart."""
    if not name.endswith(".py"):
        return False
    try:
        with open(name, "rb") as file:
            compile(file.read(), name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        note(f"not reloaded: {type(error).__name__}: {error}")
        return True
    except OSError:
        return True
    return False
