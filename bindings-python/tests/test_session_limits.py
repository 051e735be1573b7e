"""A connection fed by hand: too much of everything, and the end."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from mcplite import Context, Server, Session
from mcplite.errors import ClosedError, LimitError
from stage_support import HELLO, call, message, read


@pytest.fixture
def server() -> Server:
    server = Server("s")

    @server.tool
    def echo(text: str) -> str:
        return text

    @server.tool
    def work(ctx: Context) -> str:
        ctx.info("working")
        return "worked"

    return server


@pytest.fixture
def session(server: Server) -> Session:
    session = server.session()
    assert session.handle(HELLO)
    return session


def test_a_closed_session_takes_nothing_and_says_so(server: Server, session: Session) -> None:
    with session as same:
        assert same is session
    assert session.is_closed
    for use in (session.handle, session.receive):
        with pytest.raises(ClosedError):
            use(message(1, "ping"))
    assert session.poll() is None
    assert session.wait(10) is False
    session.close()
    other = server.session()
    server.close()
    assert other.is_closed
    with pytest.raises(ClosedError):
        server.session()


def test_closing_ends_open_calls(server: Server, session: Session) -> None:
    began, ended = threading.Event(), threading.Event()

    @server.tool
    async def hang() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    session.handle(call(1, "hang"))
    assert began.wait(10)
    assert session.open_calls == 1
    session.close()
    assert ended.wait(10)


@pytest.fixture
def full() -> Session:
    """A session whose output nobody takes."""
    session = Server("s", limits={"output_bytes": 4096}).session()
    session.handle(HELLO)
    with pytest.raises(LimitError, match="output_bytes"):
        for _ in range(100):
            session.notify("notifications/own", json.dumps({"text": "x" * 100}))
    return session


def test_a_client_that_does_not_read_is_not_listened_to(full: Session) -> None:
    with pytest.raises(LimitError, match="output_bytes"):
        full.handle(message(1, "ping"))
    assert 10 < len(read(full.drain())) < 100
    assert read(full.handle(message(1, "ping")))[0]["id"] == 1
    full.notify("notifications/own")


def test_receiving_takes_what_waits_first(full: Session) -> None:
    output = read(full.receive(message(1, "ping") + b"\n"))
    assert len(output) > 10
    assert output[-1] == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_stream_with_large_answers_is_answered(server: Server, session: Session) -> None:
    server.tool("large")(lambda: "x" * 1_000_000)
    stream = b"".join(call(id, "large") + b"\n" for id in range(1, 31))
    answers = read(session.receive(stream))
    assert [answer["id"] for answer in answers] == list(range(1, 31))


def test_limits_hold() -> None:
    server = Server("s", limits={"message_bytes": 1000, "depth": 10})
    server.tool("echo")(lambda text: text)
    session = server.session()
    session.handle(HELLO)
    [error] = read(session.handle(call(1, "echo", text="x" * 2000)))
    assert "error" in error
    nested: Any = "x"
    for _ in range(20):
        nested = [nested]
    [error] = read(session.handle(call(2, "echo", text=nested)))
    assert "error" in error
    assert read(session.handle(message(3, "ping")))[0]["result"] == {}


def test_too_many_open_calls_are_refused() -> None:
    server = Server("s", limits={"open_calls": 2})

    @server.tool
    async def hang() -> None:
        await asyncio.Event().wait()

    with server.session() as session:
        session.handle(HELLO)
        assert session.handle(call(1, "hang")) is None
        assert session.handle(call(2, "hang")) is None
        [error] = read(session.handle(call(3, "hang")))
        assert error["id"] == 3
        assert "error" in error
        assert session.open_calls == 2


@pytest.mark.parametrize("garbage", [b"", b"{", b"\xff", b"[]", b"7", b'{"id":1}'])
def test_garbage_is_answered_and_harms_nothing(session: Session, garbage: bytes) -> None:
    for answer in read(session.handle(garbage)):
        assert answer["error"]["code"] in (-32700, -32600)
    assert read(session.handle(message(1, "ping")))[0]["id"] == 1


def test_large_messages_come_back_whole(session: Session) -> None:
    text = "ä" * 500_000
    [answer] = read(session.handle(call(1, "echo", text=text)))
    assert answer["result"]["content"][0]["text"] == text
