"""Middleware around handlers that ask their client."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from mcplite import Context, Server
from mcplite.testing import AsyncClient, Client
from stage_support import ERAS, around_handlers, layer


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("layers", [[False], [True], [True, False], [False, True]])
@pytest.mark.parametrize("tool_is_async", [False, True])
def test_handlers_inside_of_it_can_ask(era: str, layers: list[bool], tool_is_async: bool) -> None:
    server = Server("s")
    for is_async in layers:
        server.middleware(layer([], "layer", is_async))

    if tool_is_async:

        @server.tool("ask")
        async def ask_later(ctx: Context) -> str:
            return (await ctx.elicit("Well?", str)).data

    else:

        @server.tool
        def ask(ctx: Context) -> str:
            return ctx.elicit("Well?", str).data

    with Client(server, era=era, on_elicit="tea") as client:
        assert client.call("ask").text == "tea"


def test_a_def_handler_under_async_middleware_does_not_hold_up_the_loop() -> None:
    server = Server("s")
    go = threading.Event()
    server.middleware(layer([], "layer", True))

    @server.tool
    def wait() -> str:
        assert go.wait(10)
        return "waited"

    async def main() -> str:
        async with AsyncClient(server) as client:
            call = asyncio.create_task(client.call("wait"))
            await asyncio.sleep(0)
            await client.ping()
            go.set()
            return (await call).text

    assert asyncio.run(main()) == "waited"


@pytest.mark.parametrize("era", ERAS)
def test_middleware_itself_can_ask(era: str) -> None:
    server = Server("s")

    @server.middleware
    @around_handlers
    def confirm(request: Any, call_next: Any) -> Any:
        answer = request.context.elicit("Sure?", bool, key="confirm")
        return call_next() if answer.data else "refused"

    server.tool("work")(lambda: "worked")
    with Client(server, era=era, on_elicit=True) as client:
        assert client.call("work").text == "worked"
    with Client(server, era=era, on_elicit=False) as client:
        assert client.call("work").text == "refused"
