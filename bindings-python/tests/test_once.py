"""What happens once, however often a handler runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mcplite import Context, Server, ToolError
from mcplite._native import dumps, loads
from mcplite.testing import AsyncClient, Client

ERAS = ["legacy", "modern"]


@pytest.mark.parametrize("era", ERAS)
def test_a_function_is_called_once_though_the_handler_runs_again(era: str) -> None:
    server = Server("s")
    calls: list[Any] = []

    def charge(amount: int, currency: str) -> dict[str, Any]:
        calls.append((amount, currency))
        return {"receipt": len(calls)}

    @server.tool
    def buy(ctx: Context) -> dict[str, Any]:
        first = ctx.once("first", charge, 5, "EUR")
        ctx.elicit("Sure?", bool)
        second = ctx.once("second", charge, 6, "EUR")
        ctx.elicit("Really?", bool)
        assert ctx.once("first", charge, 7, "EUR") == first
        return {"receipts": [first["receipt"], second["receipt"]]}

    with Client(server, era=era, on_elicit=True) as client:
        assert client.call("buy").data == {"receipts": [1, 2]}
        assert calls == [(5, "EUR"), (6, "EUR")]
        assert client.call("buy").data == {"receipts": [3, 4]}


@pytest.mark.parametrize("era", ERAS)
def test_a_coroutine_is_awaited_once(era: str) -> None:
    server = Server("s")
    calls: list[str] = []

    async def charge() -> str:
        await asyncio.sleep(0)
        calls.append("async")
        return "receipt"

    def count() -> int:
        calls.append("sync")
        return len(calls)

    @server.tool
    async def buy(ctx: Context) -> str:
        receipt = await ctx.once("charge", charge)
        number = ctx.once("count", count)
        answer = await ctx.elicit("Sure?", bool)
        again = await ctx.once("charge", charge)
        return f"{receipt} {again} {number} {answer.data}"

    async def main() -> None:
        async with AsyncClient(server, era=era, on_elicit=True) as client:
            assert (await client.call("buy")).text == "receipt receipt 2 True"

    asyncio.run(main())
    assert calls == ["async", "sync"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("value", [None, 0, "", [], {}, [1, {"a": None}]])
def test_whatever_it_gives_is_remembered(era: str, value: Any) -> None:
    server = Server("s")
    calls: list[None] = []

    def work() -> Any:
        calls.append(None)
        return value

    @server.tool
    def use(ctx: Context) -> None:
        assert ctx.once("work", work) == value
        ctx.elicit("Sure?", bool)
        assert ctx.once("work", work) == value

    with Client(server, era=era, on_elicit=True) as client:
        client.call("use")
    assert len(calls) == 1


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_what_fails_is_tried_again(era: str, kind: str) -> None:
    server = Server("s")
    tries: list[None] = []

    def work() -> str:
        tries.append(None)
        if len(tries) == 1:
            raise ConnectionError("not there")
        return "done"

    async def later() -> str:
        return work()

    if kind == "sync":

        @server.tool
        def use(ctx: Context) -> str:
            with pytest.raises(ConnectionError):
                ctx.once("work", work)
            return ctx.once("work", work)

    else:

        @server.tool("use")
        async def use_later(ctx: Context) -> str:
            with pytest.raises(ConnectionError):
                await ctx.once("work", later)
            return await ctx.once("work", later)

    with Client(server, era=era) as client:
        assert client.call("use").text == "done"
    assert len(tries) == 2


@pytest.mark.parametrize("era", ERAS)
def test_a_handler_that_fails_in_it_fails(era: str) -> None:
    server = Server("s")

    def work() -> str:
        raise ConnectionError("not there")

    @server.tool
    def use(ctx: Context) -> str:
        return ctx.once("work", work)

    with Client(server, era=era) as client, pytest.raises(ToolError, match="not there"):
        client.call("use")


def test_what_is_no_json_cannot_be_remembered() -> None:
    server = Server("s")

    @server.tool
    def use(ctx: Context) -> None:
        ctx.once("work", object)

    with Client(server) as client, pytest.raises(ToolError, match="object"):
        client.call("use")


def test_what_is_remembered_is_sealed_where_it_leaves_the_process() -> None:
    server = Server("s")

    @server.tool
    def use(ctx: Context) -> None:
        ctx.once("work", lambda: "a-secret-of-the-server")
        ctx.elicit("Sure?", bool)

    prefix = "io.modelcontextprotocol/"
    meta = {
        prefix + "protocolVersion": "2026-07-28",
        prefix + "clientInfo": {"name": "t", "version": "1"},
        prefix + "clientCapabilities": {"elicitation": {"form": {}}},
    }
    params = {"name": "use", "arguments": {}, "_meta": meta}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    with server.session() as session:
        reply = session.handle(dumps(request).encode())
    assert reply is not None
    result = loads(reply)["result"]
    assert result["resultType"] == "input_required"
    assert len(result["requestState"]) > 0
    assert b"secret" not in reply


def test_servers_of_several_processes_share_what_is_remembered_by_their_keys() -> None:
    calls: list[None] = []

    def make() -> Server:
        server = Server("s", seal_keys=[b"k" * 32])

        @server.tool
        def use(ctx: Context) -> str:
            ctx.once("work", lambda: calls.append(None))
            return f"{ctx.elicit('Sure?', str).data}"

        return server

    first, second = make(), make()
    with Client(first, on_elicit="yes") as client:
        # The answer goes to another server than the question came from.
        def turn(params: Any) -> str:
            client._session = second.session()
            return "yes"

        client._answers._elicit = turn
        assert client.call("use").text == "yes"
    assert len(calls) == 1
