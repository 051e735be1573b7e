"""Conversations with `servers/everything.py`: the ways to it, and words to judge them."""

from __future__ import annotations

import asyncio
import functools
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SERVER = Path(__file__).parent / "servers" / "everything.py"
COMMAND = [sys.executable, "-W", "error", "-B", str(SERVER)]
MODERN, LEGACY = "2026-07-28", "2025-11-25"
# How clients open: by themselves they find the modern era, the one before must be asked for.
MODES = {MODERN: "auto", LEGACY: "legacy"}
WAYS = {"stdio": None, "native": "--http", "asgi": "--asgi"}
# For a whole conversation; far more than it takes.
SECONDS = 30


@contextmanager
def serving(option: str) -> Iterator[str]:
    """The URL of a server of its own process, which ends in peace and without a word."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([*COMMAND, option], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout is not None
    too_late = threading.Timer(SECONDS, process.kill)
    too_late.start()
    try:
        url = process.stdout.readline().strip()
        too_late.cancel()
        yield url
        said = process.communicate(timeout=SECONDS)
        assert (process.returncode, said) == (0, ("", ""))
    finally:
        too_late.cancel()
        process.kill()
        process.communicate()


@dataclass(frozen=True)
class Talk:
    """What a conversation needs to start: the way to the server, and the revision to speak."""

    way: str
    revision: str
    # Over stdio clients start the server themselves.
    url: str | None

    @property
    def is_modern(self) -> bool:
        return self.revision == MODERN

    @property
    def mode(self) -> str:
        return MODES[self.revision]


TALKS = [(way, revision) for way in WAYS for revision in MODES]
# For tests that need more than the one client of a server over stdio.
over_http = pytest.mark.parametrize(
    "talk", [talk for talk in TALKS if talk[0] != "stdio"], ids=" ".join, indirect=True
)
both_kinds = pytest.mark.parametrize("kind", ["", "_async"], ids=["def", "async"])


@pytest.fixture(scope="module")
def urls() -> Iterator[Callable[[str], str]]:
    """Where the servers listen; each is started when it is first needed."""
    started: dict[str, str] = {}
    with ExitStack() as stack:

        def url(option: str) -> str:
            if option not in started:
                started[option] = stack.enter_context(serving(option))
            return started[option]

        yield url


@pytest.fixture(params=TALKS, ids=" ".join)
def talk(request: pytest.FixtureRequest, urls: Callable[[str], str]) -> Talk:
    way, revision = request.param
    option = WAYS[way]
    return Talk(way, revision, option and urls(option))


def spoken(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs a test on a loop of its own, but not for ever."""

    @functools.wraps(test)
    def run(**fixtures: object) -> None:
        async def bounded() -> None:
            async with asyncio.timeout(SECONDS):
                await test(**fixtures)

        asyncio.run(bounded())

    return run


async def given_up(call: asyncio.Task[object]) -> bool:
    """Cancels a call, and tells whether it came to that."""
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    return call.cancelled()


class Heard:
    """A callback that remembers what it was called with."""

    def __init__(self, pick: Callable[..., Any]) -> None:
        self._pick = pick
        self._queue: asyncio.Queue[Any] = asyncio.Queue()

    async def __call__(self, *said: Any, **named: Any) -> None:
        picked = self._pick(*said, **named)
        if picked is not None:
            await self._queue.put(picked)

    def next(self) -> Awaitable[Any]:
        """The next thing that was said, or will be."""
        return self._queue.get()

    @property
    def waiting(self) -> int:
        return self._queue.qsize()
