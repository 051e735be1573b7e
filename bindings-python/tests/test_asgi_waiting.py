"""Requests that wait for a handler, through the ASGI application: alone and together."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from asgi_support import Visitor, ask, reply_of, scope_of
from mcplite import Server, asgi
from web_support import INITIALIZE, call, legacy


class Stage:
    """A server with tools that are quick, that wait for their cue, and that run on the loop."""

    def __init__(self) -> None:
        self.server = server = Server("web", version="1.0")
        self.cue = threading.Event()
        self.began = threading.Event()

        @server.tool
        def add(a: int, b: int) -> str:
            return str(a + b)

        @server.tool
        def block() -> str:
            self.began.set()
            assert self.cue.wait(20)
            return "over"

        @server.tool
        async def pause(seconds: float) -> str:
            await asyncio.sleep(seconds)
            return "rested"

        @server.tool
        async def linger() -> str:
            while not self.cue.is_set():
                await asyncio.sleep(0.01)
            return "over"


@pytest.fixture
def stage() -> Any:
    stage = Stage()
    yield stage
    stage.cue.set()
    stage.server.close()


def run(talk: Any) -> None:
    async def alone() -> None:
        async with asyncio.timeout(20):
            await talk()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(alone(), debug=True)


def visit(app: Any, request: dict[str, Any], client: object = None) -> Visitor:
    visitor = Visitor(app, scope_of(request["headers"]) | {"client": client})
    visitor.say(request["content"])
    return visitor


def sum_of(n: int) -> dict[str, Any]:
    return call("add", {"a": n, "b": n})


async def ask_for_sums(app: Any, clients: int, each: int) -> None:
    """Each client asks one thing after the other."""

    async def talk(client: int) -> None:
        for n in range(each):
            visitor = visit(app, sum_of(n), ("127.0.0.1", client))
            await visitor.run()
            assert reply_of(visitor).text == str(2 * n)

    await asyncio.gather(*(talk(client) for client in range(clients)))


@pytest.mark.parametrize(("clients", "each"), [(1, 60), (2, 40), (30, 20)])
def test_clients_get_their_own_answers(stage: Stage, clients: int, each: int) -> None:
    run(lambda: ask_for_sums(stage.server.asgi(), clients, each))


def test_clients_without_a_name_are_served_too(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        for n in range(20):
            visitor = visit(app, sum_of(n))
            await visitor.run()
            assert reply_of(visitor).text == str(2 * n)

    run(talk)


def test_quick_and_slow_tools_and_those_of_the_loop_mix(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        slow = asyncio.create_task(ask(app, call("block")))
        assert await asyncio.to_thread(stage.began.wait, 20)
        rests = [ask(app, call("pause", {"seconds": n / 1000})) for n in range(20)]
        rested = asyncio.gather(*rests)
        await ask_for_sums(app, 8, 20)
        assert {reply.text for reply in await rested} == {"rested"}
        assert not slow.done()
        stage.cue.set()
        assert (await slow).text == "over"

    run(talk)


def test_a_tool_that_blocks_does_not_keep_the_loop(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        await ask_for_sums(app, 1, 20)
        slow = asyncio.create_task(ask(app, call("block")))
        assert await asyncio.to_thread(stage.began.wait, 20)
        used = time.thread_time()
        for _ in range(100):
            await asyncio.sleep(0)
        assert not slow.done()
        # One moment of standing still is spent on it, asleep.
        assert time.thread_time() - used < 1
        stage.cue.set()
        assert (await slow).text == "over"

    run(talk)


def test_a_tool_that_blocks_is_followed_by_others_that_came_with_it(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        slow = asyncio.create_task(ask(app, call("block")))
        await asyncio.gather(*(ask(app, sum_of(n)) for n in range(10)))
        assert not slow.done()
        stage.cue.set()
        assert (await slow).text == "over"

    run(talk)


@pytest.mark.parametrize("tool", ["block", "linger"])
def test_an_answer_may_come_after_one_has_begun_to_listen(stage: Stage, tool: str) -> None:
    async def talk() -> None:
        visitor = visit(stage.server.asgi(), call(tool))
        task = asyncio.create_task(visitor.run())
        while visitor.reads < 2:
            await asyncio.sleep(asgi._PATIENCE / 4)
        assert not task.done()
        stage.cue.set()
        await task
        assert reply_of(visitor).text == "over"

    run(talk)


def test_a_request_can_be_cancelled_before_anybody_listens(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        visitor = visit(app, call("block"))
        task = asyncio.create_task(visitor.run())
        assert await asyncio.to_thread(stage.began.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert visitor.reads == 1
        stage.cue.set()
        # What is told to nobody disturbs nobody.
        await ask_for_sums(app, 4, 4)

    run(talk)


def test_many_loops_share_one_application(stage: Stage) -> None:
    app = stage.server.asgi()
    with ThreadPoolExecutor(4) as threads:
        talks = [threads.submit(run, lambda: ask_for_sums(app, 4, 25)) for _ in range(8)]
        for talk in talks:
            talk.result(60)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("is_told", [False, True])
def test_a_loop_that_is_closed_while_a_call_runs_keeps_nothing_alive(
    stage: Stage, *, is_told: bool
) -> None:
    class Scope(dict[str, Any]):
        """As a dict, and can be watched."""

    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    app = stage.server.asgi()
    request = call("block")
    visitor = Visitor(app, Scope(scope_of(request["headers"])))
    visitor.say(request["content"])
    gone = weakref.ref(visitor.scope)
    task = loop.create_task(visitor.run())

    async def until_it_began() -> None:
        while not stage.began.is_set():
            await asyncio.sleep(0.001)

    loop.run_until_complete(until_it_began())
    loop.close()
    if is_told:
        stage.cue.set()
        stage.server._native.close()
    del visitor, task, loop
    deadline = time.monotonic() + 20
    while gone() is not None and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
    assert gone() is None
    del app


def test_a_call_runs_whose_loop_has_stopped_before_its_turn(stage: Stage) -> None:
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    app = stage.server.asgi()
    opened = loop.run_until_complete(ask(app, INITIALIZE))
    session = opened.headers[b"mcp-session-id"].decode()
    request = legacy("tools/call", {"name": "block", "arguments": {}}, session=session)
    visitor = visit(app, request)
    receive = visitor._receive

    async def stop() -> dict[str, Any]:
        loop.stop()
        return await receive()

    visitor._receive = stop  # type: ignore[method-assign]
    task = loop.create_task(visitor.run())
    loop.run_forever()
    assert not task.done()
    # The next loop takes over what the first has left, and is not kept by it.
    assert asyncio.run(ask(app, sum_of(2))).text == "4"
    assert not stage.cue.is_set()
    assert stage.began.wait(20)
    stage.cue.set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    loop.close()
