"""The listener, and the threads that drive it and run handlers."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from process_support import PATIENCE, Server, started
from web_support import call, modern, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOLS = """
import sys
import threading
import time
from mcplite import Server

server = Server("threads", version="1")
released = threading.Event()

def tell(text):
    print(text, file=sys.stderr, flush=True)

@server.tool
def add(a: int, b: int) -> int:
    return a + b

@server.tool
def block() -> str:
    tell("blocked")
    while not released.wait(0.01):
        pass
    return "released"

@server.tool
def release() -> str:
    released.set()
    return "done"

@server.tool
def nap() -> str:
    time.sleep(0.003)
    return "slept"
"""
ASYNC = """
@server.tool
async def later(a: int, b: int) -> int:
    return a + b
"""
WORKERS = pytest.mark.parametrize("workers", [0, 1, None], ids=["inline", "one worker", "pool"])


@contextmanager
def listening(
    program: str, workers: int | None = None, **options: str
) -> Iterator[tuple[Server, httpx.Client]]:
    named = "".join(f", {name}={value}" for name, value in options.items())
    start = f"server.run_http(port=0, workers={workers}, on_listening=tell{named})"
    with started(f"{program}\n{start}\n") as server:
        url = server.error_line().removesuffix("/mcp")
        with httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False) as client:
            yield server, client


def post(client: httpx.Client, request: dict[str, object]) -> httpx.Response:
    return client.post("/mcp", **request)  # type: ignore[arg-type]


def interrupt(server: Server) -> None:
    """Ends a server as Ctrl-C does, which it takes without a word."""
    server.process.send_signal(signal.SIGINT)
    assert server.wait() == 0
    assert server.rest() == ([], "")


@WORKERS
def test_everybody_gets_their_own_answer(workers: int | None) -> None:
    with listening(TOOLS, workers) as (server, client), ThreadPoolExecutor(8) as threads:
        sums = threads.map(
            lambda a: text_of(post(client, call("add", {"a": a, "b": 1000}))), range(400)
        )
        assert list(sums) == [str(a + 1000) for a in range(400)]
        interrupt(server)


@WORKERS
def test_tools_that_take_their_time_and_quick_ones_mix(workers: int | None) -> None:
    with listening(TOOLS, workers) as (server, client), ThreadPoolExecutor(8) as threads:
        naps = threads.map(lambda _: text_of(post(client, call("nap"))), range(60))
        sums = threads.map(
            lambda a: text_of(post(client, call("add", {"a": a, "b": 1}))), range(200)
        )
        lists = threads.map(lambda _: post(client, modern("tools/list")).status_code, range(60))
        assert set(naps) == {"slept"}
        assert list(sums) == [str(a + 1) for a in range(200)]
        assert set(lists) == {200}
        interrupt(server)


@WORKERS
def test_lists_are_answered_while_a_tool_blocks(workers: int | None) -> None:
    with (
        listening(TOOLS, workers, grace="0.2") as (server, client),
        ThreadPoolExecutor(1) as thread,
    ):
        blocked = thread.submit(post, client, call("block"))
        assert server.error_line() == "blocked"
        for _ in range(50):
            assert post(client, modern("tools/list")).status_code == 200
        if workers is None:
            assert text_of(post(client, call("release"))) == "done"
            assert text_of(blocked.result(PATIENCE)) == "released"
        else:
            server.process.kill()
            with pytest.raises(httpx.TransportError):
                blocked.result(PATIENCE)


@WORKERS
def test_an_interrupt_ends_it(workers: int | None) -> None:
    with listening(TOOLS, workers) as (server, client):
        for a in range(20):
            assert text_of(post(client, call("add", {"a": a, "b": 1}))) == str(a + 1)
        interrupt(server)


def test_an_interrupt_ends_one_with_handlers_on_a_loop() -> None:
    with listening(TOOLS + ASYNC) as (server, client):
        for a in range(20):
            assert text_of(post(client, call("later", {"a": a, "b": 1}))) == str(a + 1)
            assert text_of(post(client, call("add", {"a": a, "b": 1}))) == str(a + 1)
        interrupt(server)


def test_an_interrupt_reaches_a_tool_on_the_thread_that_serves() -> None:
    with listening(TOOLS, 0) as (server, client), ThreadPoolExecutor(1) as thread:
        blocked = thread.submit(post, client, call("block"))
        assert server.error_line() == "blocked"
        interrupt(server)
        assert blocked.result(PATIENCE).json()["error"]["code"] == -32603


@WORKERS
def test_an_interrupt_inside_an_observer_is_not_lost(workers: int | None) -> None:
    program = """
@server.observer
def interrupt(event):
    if event.get("name") == "release":
        raise KeyboardInterrupt
"""
    with listening(TOOLS + program, workers) as (server, client):
        post(client, call("release"))
        assert server.wait() == 0
        assert server.rest() == ([], "")


@WORKERS
def test_an_interrupt_inside_an_authorizer_is_not_lost(workers: int | None) -> None:
    program = """
def authorize(request):
    if request.header("x-end"):
        raise KeyboardInterrupt
    return True
"""
    with listening(TOOLS + program, workers, authorize="authorize") as (server, client):
        assert text_of(post(client, call("add", {"a": 1, "b": 1}))) == "2"
        last = call("add", {"a": 1, "b": 1})
        last["headers"]["X-End"] = "now"
        assert post(client, last).status_code == 403
        assert server.wait() == 0
        assert server.rest() == ([], "")
