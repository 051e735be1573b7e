"""How async handlers end before their time."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from mcplite import Context, McpError, Server, Session
from mcplite.testing import AsyncClient, Client
from stage_support import ERAS, Hanging


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_cancels_cancels_the_coroutine(era: str) -> None:
    server = Server("s")
    stage = Hanging(server)
    with Client(server, era=era) as client:
        pending = client.begin("tools/call", {"name": "hang", "arguments": {}})
        assert stage.began.wait(10)
        pending.cancel("enough")
        assert stage.ended.wait(10)
    assert stage.raised == [asyncio.CancelledError]


def test_a_coroutine_may_clean_up_with_await_when_it_is_cancelled() -> None:
    server = Server("s")
    began, cleaned = threading.Event(), threading.Event()

    @server.tool
    async def hang(ctx: Context) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            assert ctx.cancelled
            ctx.progress(1)
            ctx.info("nobody hears this")
            cleaned.set()

    with Client(server) as client:
        pending = client.begin("tools/call", {"name": "hang", "arguments": {}})
        assert began.wait(10)
        pending.cancel()
        assert cleaned.wait(10)
        assert client.logs == []


@pytest.mark.parametrize("where", ["tool", "server"])
def test_a_call_whose_time_is_over_is_cancelled(where: str) -> None:
    server = Server("s", timeout=0.05 if where == "server" else None)
    stage = Hanging(server, timeout=0.05 if where == "tool" else None)
    with Client(server, raise_on_error=False) as client:
        try:
            said = client.call("hang").text
        except McpError as error:
            said = error.message
        assert "deadline has passed" in said
        assert stage.ended.wait(10)
    assert stage.raised == [asyncio.CancelledError]


def test_a_call_whose_time_is_over_is_cancelled_on_the_loop_of_the_caller() -> None:
    server = Server("s")
    stage = Hanging(server, timeout=0.05)

    async def main() -> str:
        async with AsyncClient(server, raise_on_error=False) as client:
            try:
                return (await client.call("hang")).text
            except McpError as error:
                return error.message

    assert "deadline has passed" in asyncio.run(main())
    assert stage.raised == [asyncio.CancelledError]


def test_a_short_time_is_over_before_a_long_one_that_began_earlier() -> None:
    server = Server("s")
    long = Hanging(server, name="long", timeout=60)
    short = Hanging(server, name="short", timeout=0.05)
    with Client(server) as client:
        client.begin("tools/call", {"name": "long", "arguments": {}})
        assert long.began.wait(10)
        client.begin("tools/call", {"name": "short", "arguments": {}})
        assert short.ended.wait(10)
        assert not long.ended.is_set()


def test_a_handler_that_cancels_itself_fails() -> None:
    server = Server("s")

    @server.tool
    async def give_up() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    with Client(server, raise_on_error=False) as client:
        with pytest.raises(McpError, match="the handler was cancelled"):
            client.call("give_up")


def feed(session: Session, id: int, tool: str) -> bytes | None:
    """Calls a tool as a client of the modern era does."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": {}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    return session.handle(json.dumps(message).encode())


def test_a_loop_that_ends_answers_for_its_calls() -> None:
    server = Server("s")
    stage = Hanging(server)

    async def main(session: Session) -> None:
        assert feed(session, 1, "hang") is None
        while not stage.began.is_set():
            await asyncio.sleep(0)

    with server.session() as session:
        asyncio.run(main(session))
        assert stage.raised == [asyncio.CancelledError]
        answer = session.poll()
        assert answer is not None
        assert "the handler was cancelled" in json.loads(answer)["error"]["message"]
        assert session.open_calls == 0
        # The next one runs in the background.
        stage.began.clear()
        assert feed(session, 2, "hang") is None
        assert stage.began.wait(10)


def test_cancelling_is_harmless_when_the_loop_is_closed() -> None:
    server = Server("s")
    stage = Hanging(server)
    loop = asyncio.new_event_loop()

    async def main(session: Session) -> None:
        assert feed(session, 1, "hang") is None
        while not stage.began.is_set():
            await asyncio.sleep(0)

    with server.session() as session:
        loop.run_until_complete(main(session))
        [task] = asyncio.all_tasks(loop)
        loop.close()
        note = {"method": "notifications/cancelled", "params": {"requestId": 1}}
        assert session.handle(json.dumps({"jsonrpc": "2.0", **note}).encode()) is None
        assert session.open_calls == 0
    # Nobody else can end it any more; it would say so when it is collected.
    coroutine: Any = task.get_coro()
    coroutine.close()
    setattr(task, "_log_destroy_pending", False)  # noqa: B010 - no part of its type
    assert stage.ended.is_set()


def test_a_handler_can_be_cancelled_after_it_has_asked_in_tasks_of_its_own() -> None:
    server = Server("s")
    answered, ended = threading.Event(), threading.Event()

    @server.tool
    async def ask(ctx: Context) -> None:
        await asyncio.gather(ctx.elicit("First?", str), ctx.elicit("Second?", str))
        answered.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def main() -> None:
        async with AsyncClient(server, era="legacy", on_elicit="x") as client:
            call = asyncio.create_task(client.call("ask"))
            assert await asyncio.to_thread(answered.wait, 10)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            assert await asyncio.to_thread(ended.wait, 10)

    asyncio.run(main())
