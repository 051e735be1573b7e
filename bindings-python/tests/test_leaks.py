"""Nothing grows: calls, sessions, servers and contexts are let go of.

`MCPLITE_CALLS` says how many calls the longest test makes; fewer suit builds for debugging.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest

from mcplite import Context, McpError, Server
from process_support import INITIALIZE, PATIENCE, call, run_program

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS = int(os.environ.get("MCPLITE_CALLS", "1000000"))
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """How many bytes of memory the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * PAGE


def growth(work: Callable[[int], object], rounds: int) -> int:
    """How many bytes the process has grown by in the second half of some work."""
    for number in range(rounds // 2):
        work(number)
    gc.collect()
    before = resident()
    for number in range(rounds // 2, rounds):
        work(number)
    gc.collect()
    return resident() - before


LIMIT = 1_500_000
"""Bytes that come and go by themselves; 3 that each of 500 000 calls leaves behind are as many."""

ONLY_CALLS = """
from mcplite import Context, Server

server = Server("leaks", errors="spec")

@server.tool
def add(a: int, b: int) -> int:
    return a + b

@server.tool
def echo(ctx: Context, text: str, tags: list[str]) -> dict[str, object]:
    ctx.progress(1, 2)
    return {"text": text, "tags": tags, "client": ctx.client_info}

@server.tool
def fail() -> None:
    from mcplite import ToolError
    raise ToolError("again")

@server.resource("x://{name}")
def resource(name: str) -> bytes:
    return name.encode()

@server.prompt
def prompt(name: str) -> list[str]:
    return [name, name]
"""


@pytest.mark.parametrize("way", ["handle", "receive", "pool"])
def test_calls_leave_nothing_behind(way: str) -> None:
    # A process of its own, so that nobody else's memory counts.
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from process_support import INITIALIZE, call, request
from test_leaks import growth
{ONLY_CALLS}
messages = [
    call(1, "add", {{"a": 1, "b": 2}}),
    call(2, "echo", {{"text": "é" * 50, "tags": ["a", "b"]}}),
    call(3, "fail"),
    call(4, "add", {{"a": "x"}}),
    request(5, "resources/read", {{"uri": "x://name"}}),
    request(6, "prompts/get", {{"name": "prompt", "arguments": {{"name": "n"}}}}),
    request(7, "tools/list"),
    request(8, "no/such"),
    b"[",
]
session = server.session(state={{"some": "state"}}, principal="somebody")
session.handle(INITIALIZE)
if {way!r} == "pool":
    server._native.attend(2)

def work(number):
    message = messages[number % len(messages)] if number % 2 else messages[0]
    if {way!r} == "receive":
        assert session.receive(message + b"\\n")
    else:
        said = session.handle(message)
        while said is None:
            assert session.wait({PATIENCE})
            said = session.poll()

print(growth(work, {CALLS}))
"""
    done = run_program(program, patience=PATIENCE + CALLS / 2000)
    assert (done.stderr, done.returncode) == (b"", 0)
    assert int(done.stdout) < LIMIT


def cyclic(number: int) -> Server:
    """A server that its own handlers hold, with everything that may hold something."""
    server = Server(f"server {number}")
    session = server.session(state={"number": number})

    @server.tool
    def own() -> str:
        return f"{server} {session}"

    @server.tool
    async def later() -> str:
        return f"{server} {session}"

    @server.resource("x://{name}")
    def resource(name: str) -> str:
        return f"{server} {name}"

    @server.on("own/method")
    def method(params: object) -> object:
        return (server, params)[1]

    assert session.handle(INITIALIZE) is not None
    assert session.handle(call(1, "own")) is not None
    return server


def test_thousands_of_servers_in_cycles_are_collected() -> None:
    references: list[weakref.ref[Server]] = []

    def work(number: int) -> None:
        references.append(weakref.ref(cyclic(number)))
        if number % 100 == 99:
            gc.collect()
            assert not any(reference() for reference in references)
            references.clear()

    assert growth(work, 2000) < LIMIT


def test_thousands_of_sessions_are_let_go_of() -> None:
    server = Server("leaks")

    @server.tool
    def echo(text: str) -> str:
        return text

    def work(number: int) -> None:
        session = server.session(state=[number], principal=f"user {number}")
        session.set_wake(lambda: session)
        assert session.handle(INITIALIZE) is not None
        assert session.handle(call(1, "echo", {"text": "x"})) is not None
        if number % 2:
            session.close()

    assert growth(work, 4000) < LIMIT
    assert server._native.memory_used < LIMIT


def test_contexts_and_arguments_live_no_longer_than_their_call() -> None:
    server = Server("leaks")
    seen: list[weakref.ref[Any]] = []

    class Text(str):
        """A text that can be watched."""

        __slots__ = ("__weakref__",)

    @server.tool
    def look(ctx: Context, text: str) -> str:
        made = Text(text)
        seen.append(weakref.ref(made))
        ctx.log("info", {"text": made})
        return made

    @server.tool
    def fail(ctx: Context, text: str) -> None:
        made = Text(text)
        seen.append(weakref.ref(made))
        raise McpError(-32000, made, {"text": made})

    @server.tool
    async def later(ctx: Context, text: str) -> str:
        return look(ctx, text)

    session = server.session()
    assert session.handle(INITIALIZE) is not None
    for number, tool in enumerate(("look", "fail", "later")):
        if session.handle(call(number, tool, {"text": "x"})) is None:
            assert session.wait(PATIENCE)
            while session.poll():
                pass
    gc.collect()
    assert len(seen) == 3
    assert [reference() for reference in seen] == [None] * 3


def test_references_to_singletons_do_not_grow() -> None:
    server = Server("leaks")

    @server.tool
    def give(text: str = "", flag: bool = False, nothing: None = None) -> dict[str, object]:
        return {"true": True, "false": flag, "null": nothing, "empty": text, "list": ()}

    session = server.session()
    assert session.handle(INITIALIZE) is not None
    message = call(1, "give", {"flag": True, "nothing": None, "text": ""})
    session.handle(message)
    watched = [None, True, False, "", (), server, server._native, give, str]
    before = [sys.getrefcount(value) for value in watched]
    for _ in range(1000):
        assert session.handle(message) is not None
    grown = [now - old for now, old in zip(map(sys.getrefcount, watched), before, strict=True)]
    assert max(grown) < 100, dict(zip(map(repr, watched), grown, strict=True))


def test_pending_calls_are_let_go_of_with_their_session() -> None:
    server = Server("leaks")
    kept: list[weakref.ref[Any]] = []
    started, ended = threading.Semaphore(0), threading.Semaphore(0)

    class Watched:
        """What a call holds on to."""

    @server.tool
    async def wait(ctx: Context) -> None:
        import asyncio

        watched = Watched()
        kept.append(weakref.ref(watched))
        started.release()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.release()
            del watched

    for _ in range(50):
        with server.session() as session:
            assert session.handle(INITIALIZE) is not None
            assert session.handle(call(1, "wait")) is None
            assert started.acquire(timeout=PATIENCE)
        assert ended.acquire(timeout=PATIENCE), "closing the session cancels its calls"
    gc.collect()
    assert sum(reference() is not None for reference in kept) <= 1, "the last may be ending"
