"""Noticing that the code of a program has changed."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

INTERVAL = 0.3


class Reporter:
    """Tells the process above, line by line, which files of the project this one has imported."""

    def __init__(self, descriptor: int, root: str) -> None:
        self._descriptor = descriptor
        self._root = root
        self._told: set[str] = set()
        self._count = 0
        self._parent = os.getppid()

    def start(self, extra: Iterable[str] = ()) -> None:
        """Reports what is imported now, and from time to time what has been imported since."""
        from threading import Thread

        self._report(extra)
        Thread(target=self._follow, name="mcplite-watch", daemon=True).start()

    def _follow(self) -> None:
        from time import sleep

        while os.getppid() == self._parent:
            sleep(INTERVAL)
            if len(sys.modules) != self._count and not self._report():
                return
        # Nobody is left to restart or to end this process.
        os.kill(os.getpid(), 2)

    def _report(self, extra: Iterable[str] = ()) -> bool:
        modules = list(sys.modules.values())
        self._count = len(modules)
        found = imported_files(modules, self._root) | {os.path.abspath(name) for name in extra}
        fresh = found - self._told
        self._told |= fresh
        try:
            for name in sorted(fresh):
                os.write(self._descriptor, os.fsencode(name) + b"\n")
        except OSError:
            return False
        return True


def imported_files(modules: Iterable[object], root: str) -> set[str]:
    """The source files of modules that lie in a project, without what is installed there."""
    prefix = os.path.join(root, "")
    files = set()
    for module in modules:
        name = getattr(module, "__file__", None)
        if isinstance(name, str) and name.startswith(prefix) and "site-packages" not in name:
            files.add(name)
    return files


class Watcher:
    """Knows files by their time and size, and says which have changed since it was last asked."""

    def __init__(self, files: Iterable[str] = ()) -> None:
        self._seen: dict[str, tuple[int, int] | None] = {}
        for name in files:
            self.add(name)

    def add(self, name: str) -> None:
        """Watches one more file, as it is now; it need not exist yet."""
        if name not in self._seen:
            self._seen[name] = _state(name)

    def add_folder(self, folder: str) -> None:
        """Watches the Python files directly in a folder."""
        try:
            names = os.listdir(folder)
        except OSError:
            return
        for name in names:
            if name.endswith(".py"):
                self.add(os.path.join(folder, name))

    def changed(self) -> list[str]:
        """The files that are not what they were, each told once."""
        found = []
        for name, before in self._seen.items():
            now = _state(name)
            # Editors that replace a file let it vanish for a moment.
            if now is not None and now != before:
                self._seen[name] = now
                found.append(name)
        return found

    @property
    def files(self) -> list[str]:
        """What is watched."""
        return list(self._seen)


def _state(name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
