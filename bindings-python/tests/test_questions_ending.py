"""Questions that end early, late or never."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from mcplite import Context, McpError, Server, ToolError
from mcplite.testing import AsyncClient, Client
from stage_support import ERAS, KINDS, asking_tool


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_question_may_go_unanswered_only_so_long(era: str, kind: str) -> None:
    server = Server("s", question_ttl=60)
    runs = asking_tool(server, kind, lambda ctx: ctx.elicit("Well?", str))
    now = 1_000_000
    server._native.set_clock(lambda: now)

    def dawdle(params: Any) -> str:
        nonlocal now
        now += 61_000
        server._native.tick()
        return "too late"

    with Client(server, era=era, on_elicit=dawdle) as client, pytest.raises(McpError):
        client.call("ask")
    assert "after" not in runs


def test_a_question_in_time_is_in_time() -> None:
    server = Server("s", question_ttl=60)
    runs = asking_tool(server, "sync", lambda ctx: ctx.elicit("Well?", str))
    now = 1_000_000
    server._native.set_clock(lambda: now)

    def hurry(params: Any) -> str:
        nonlocal now
        now += 59_000
        server._native.tick()
        return "in time"

    for era in ERAS:
        with Client(server, era=era, on_elicit=hurry) as client:
            client.call("ask")
    assert runs.count("after") == 2


def hear_question(client: Client) -> None:
    """Waits until the server has asked, and does not answer."""
    assert client._session is not None
    while not client._wire.questions:
        assert client._session.wait(10)
        client._hear()


def test_cancelling_a_call_that_asks_ends_its_coroutine() -> None:
    server = Server("s")
    asked, ended = threading.Event(), threading.Event()
    raised: list[str] = []

    @server.tool
    async def ask(ctx: Context) -> None:
        try:
            asked.set()
            await ctx.elicit("Well?", str)
        except BaseException as error:
            raised.append(type(error).__name__)
            raise
        finally:
            ended.set()

    with Client(server, era="legacy", capabilities={"elicitation": {}}) as client:
        pending = client.begin("tools/call", {"name": "ask", "arguments": {}})
        assert asked.wait(10)
        hear_question(client)
        pending.cancel()
        assert ended.wait(10)
    assert raised == ["CancelledError"]


def test_leaving_ends_the_coroutine_of_a_call_that_asks() -> None:
    server = Server("s")
    ended = threading.Event()

    @server.tool
    async def ask(ctx: Context) -> None:
        try:
            await ctx.elicit("Well?", str)
        finally:
            ended.set()

    with Client(server, era="legacy", capabilities={"elicitation": {}}) as client:
        client.begin("tools/call", {"name": "ask", "arguments": {}})
        hear_question(client)
        assert not ended.is_set()
    assert ended.wait(10)


def test_a_question_that_nobody_answers_ends_its_coroutine_in_time() -> None:
    server = Server("s", question_ttl=0.05)
    ended = threading.Event()

    @server.tool
    async def ask(ctx: Context) -> None:
        try:
            await ctx.elicit("Well?", str)
        finally:
            ended.set()

    with Client(server, era="legacy", capabilities={"elicitation": {}}) as client:
        client.begin("tools/call", {"name": "ask", "arguments": {}})
        hear_question(client)
        # Nothing comes in any more: it is the server's own clock that ends it.
        assert ended.wait(10)


@pytest.mark.parametrize("ending", ["gives up", "fails"])
def test_a_handler_that_does_not_wait_for_its_question_is_answered_for(ending: str) -> None:
    server = Server("s")
    ended = asyncio.Event()

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ToolError("fails")

    @server.tool
    async def ask(ctx: Context) -> str:
        try:
            if ending == "fails":
                await asyncio.gather(ctx.elicit("Well?", str), fail())
            else:
                async with asyncio.timeout(0.01):
                    await ctx.elicit("Well?", str)
        except TimeoutError:
            return "gives up"
        finally:
            ended.set()
        return "never"

    async def reply(params: Any) -> str:
        await ended.wait()
        return "too late"

    async def main() -> str:
        options: Any = {"era": "legacy", "on_elicit": reply, "raise_on_error": False}
        async with AsyncClient(server, **options) as client:
            return (await client.call("ask")).text

    assert asyncio.run(main()) == ending
