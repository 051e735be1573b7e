"""Requests of the client for tests that end early, or with its connection."""

from __future__ import annotations

import asyncio

import pytest

from client_support import ERAS, blocked, everything, inquisitive
from mcplite import Server
from mcplite.errors import (
    CallCancelledError,
    ClosedError,
    MisuseError,
)
from mcplite.testing import AsyncClient, Client


@pytest.fixture
def server() -> Server:
    return everything()


@pytest.fixture
def asking() -> Server:
    return inquisitive()


@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_is_not_answered_is_named_and_cancelled(server: Server, era: str) -> None:
    blocked(server)
    with Client(server, era=era, timeout=0.01) as client:
        with pytest.raises(TimeoutError, match=r"tools/call of 'block' .* 0.01 seconds"):
            client.call("block")
        assert client._session is not None
        assert client._session.open_calls == 0
        assert client.call("add", a=1).text == "3"


@pytest.mark.parametrize("era", ERAS)
def test_a_request_is_begun_and_cancelled(server: Server, era: str) -> None:
    called, cancelled = blocked(server)
    with Client(server, era=era) as client:
        pending = client.begin("tools/call", {"name": "block", "arguments": {}})
        assert called.wait(10)
        assert not pending.is_answered
        assert client.call("add", a=1).text == "3"
        pending.cancel("enough")
        assert cancelled.wait(10)
        with pytest.raises(CallCancelledError):
            pending.result()
        with pytest.raises(MisuseError, match="is open"):
            pending.cancel()


@pytest.mark.parametrize("era", ERAS)
def test_a_request_is_begun_and_its_result_waited_for(asking: Server, era: str) -> None:
    with Client(asking, era=era, on_elicit="decline") as client:
        pending = client.begin("tools/call", {"name": "form", "arguments": {}})
        assert pending.result()["content"][0]["text"] == "decline None"


def test_leaving_cancels_what_is_in_progress(server: Server) -> None:
    called, cancelled = blocked(server)
    with Client(server) as client:
        client.begin("tools/call", {"name": "block", "arguments": {}})
        assert called.wait(10)
    assert cancelled.wait(10)


@pytest.mark.parametrize("era", ERAS)
def test_a_server_that_closes_ends_the_waiting(server: Server, era: str) -> None:
    called, _ = blocked(server)
    with Client(server, era=era) as client:
        pending = client.begin("tools/call", {"name": "block", "arguments": {}})
        assert called.wait(10)
        server.close()
        with pytest.raises(ClosedError, match="tools/call of 'block'"):
            pending.result()


def test_a_closed_client_says_so(server: Server) -> None:
    client = Client(server)
    assert client.call("add", a=1).text == "3"
    client.close()
    client.close()
    with pytest.raises(ClosedError, match="client is closed"):
        client.call("add", a=1)


@pytest.mark.parametrize("era", ERAS)
def test_a_cancelled_task_cancels_its_call(server: Server, era: str) -> None:
    called, cancelled = blocked(server)

    async def main() -> None:
        async with AsyncClient(server, era=era) as client:
            task = asyncio.create_task(client.call("block"))
            while not called.is_set():
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while not cancelled.is_set():
                await asyncio.sleep(0)
            assert (await client.call("add", a=1)).text == "3"

    asyncio.run(asyncio.wait_for(main(), 10))


@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_is_not_answered_is_named_on_a_loop(server: Server, era: str) -> None:
    blocked(server)

    async def main() -> None:
        async with AsyncClient(server, era=era, timeout=0.05) as client:
            with pytest.raises(TimeoutError, match=r"tools/call of 'block' .* 0.05 seconds"):
                await client.call("block")

    asyncio.run(main())


@pytest.mark.parametrize("era", ERAS)
def test_a_server_that_closes_ends_the_waiting_on_a_loop(server: Server, era: str) -> None:
    called, _ = blocked(server)

    async def main() -> None:
        async with AsyncClient(server, era=era) as client:
            task = asyncio.create_task(client.call("block"))
            while not called.is_set():
                await asyncio.sleep(0)
            server.close()
            with pytest.raises(ClosedError, match="tools/call of 'block'"):
                await task

    asyncio.run(main())


def test_a_closed_client_on_a_loop_says_so(server: Server) -> None:
    async def main() -> None:
        client = AsyncClient(server)
        assert client.notifications == []
        await client.ping()
        await client.close()
        with pytest.raises(ClosedError):
            await client.ping()

    asyncio.run(main())
