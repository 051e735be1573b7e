"""A connection fed by hand: bytes in, bytes out."""

from __future__ import annotations

import array
import json
import threading
from typing import Any

import pytest

from mcplite import Context, Server, Session
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


def test_a_message_is_answered(session: Session) -> None:
    assert session.handle(message(1, "ping")) == b'{"jsonrpc":"2.0","id":1,"result":{}}'
    assert session.handle(message(None, "notifications/initialized")) is None
    assert session.poll() is None
    assert session.drain() == b""


def test_all_that_waits_is_given_with_the_answer(session: Session) -> None:
    session.handle(message(1, "logging/setLevel", {"level": "debug"}))
    output = session.handle(call(2, "work"))
    log, answer = read(output)
    assert log["method"] == "notifications/message"
    assert answer["id"] == 2
    assert not (output or b"").endswith(b"\n")


@pytest.mark.parametrize(
    "make", [bytes, bytearray, memoryview, lambda data: array.array("B", data)]
)
def test_any_bytes_are_taken(session: Session, make: Any) -> None:
    assert read(session.handle(make(message(1, "ping"))))[0]["id"] == 1
    assert read(session.receive(make(message(2, "ping") + b"\n")))[0]["id"] == 2


def test_views_that_are_not_contiguous_are_taken_in_their_order(session: Session) -> None:
    spread = bytes(byte for byte in message(1, "ping") for _ in range(2))
    assert read(session.handle(memoryview(spread)[::2]))[0]["id"] == 1


@pytest.mark.parametrize("data", ["text", 7, None, ["list"]])
def test_what_is_no_bytes_is_refused_with_help(session: Session, data: Any) -> None:
    with pytest.raises(TypeError, match=f"bytes, not {type(data).__name__}") as caught:
        session.handle(data)
    if isinstance(data, str):
        assert "encode it as UTF-8" in str(caught.value)
    with pytest.raises(TypeError, match=f"bytes, not {type(data).__name__}"):
        session.receive(data)
    assert read(session.handle(message(1, "ping")))[0]["id"] == 1


STREAM = b"\n".join(
    [
        message(1, "ping"),
        call(2, "echo", text="zwölf €\U0001f600"),
        b"\r",
        message(3, "ping") + b"\r",
        b"",
    ]
)


def test_a_stream_may_be_split_anywhere(server: Server) -> None:
    whole = None
    for place in range(len(STREAM) + 1):
        session = server.session()
        session.handle(HELLO)
        output = session.receive(STREAM[:place]) + session.receive(STREAM[place:])
        assert [answer["id"] for answer in read(output)] == [1, 2, 3]
        whole = whole or output
        assert output == whole
        assert output.endswith(b"\n")


def test_a_stream_may_come_byte_by_byte(session: Session) -> None:
    outputs = [session.receive(bytes([byte])) for byte in STREAM]
    answers = read(b"".join(outputs))
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert answers[1]["result"]["content"][0]["text"] == "zwölf €\U0001f600"
    assert all(output.endswith(b"\n") for output in outputs if output)


def test_the_end_of_a_stream_ends_its_last_line(session: Session) -> None:
    assert session.receive(message(1, "ping")) == b""
    session.end()
    assert [answer["id"] for answer in read(session.drain())] == [1]
    assert session.is_finished


def test_messages_are_polled_one_by_one(server: Server, session: Session) -> None:
    session.handle(message(None, "notifications/initialized"))
    for name in ("a", "b"):
        session.notify("notifications/own", json.dumps({"name": name}))
    assert session.wait(10)
    assert [json.loads(session.poll() or b"")["params"]["name"] for _ in "ab"] == ["a", "b"]
    assert session.poll() is None
    session.notify("notifications/own")
    assert session.wait()
    assert [note["method"] for note in read(session.drain())] == ["notifications/own"]


def test_waiting_ends_with_its_time(session: Session) -> None:
    assert session.wait(0) is False
    assert session.wait(0.01) is False
    assert session.wait(-1) is False


def test_waiting_ends_when_another_thread_has_something(session: Session) -> None:
    thread = threading.Timer(0.01, session.notify, args=("notifications/own",))
    thread.start()
    assert session.wait(10)
    assert read(session.poll())[0]["method"] == "notifications/own"
    thread.join()


def test_waiting_ends_when_the_session_is_closed(session: Session) -> None:
    thread = threading.Timer(0.01, session.close)
    thread.start()
    assert session.wait(10) is False
    thread.join()
    assert session.is_closed


def test_somebody_is_told_of_output(server: Server, session: Session) -> None:
    told = threading.Event()
    session.set_wake(told.set)

    @server.tool
    async def later() -> str:
        return "later"

    told.clear()
    session.drain()
    if session.handle(call(1, "later")) is None:
        assert told.wait(10)
        assert session.wait(10)
    session.set_wake(None)
    told.clear()
    session.notify("notifications/own")
    assert not told.is_set()


def test_what_a_wake_raises_is_told_and_harms_nothing(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", lambda args: told.append(args.exc_type))

    def broken() -> None:
        raise ZeroDivisionError

    session.set_wake(broken)
    session.notify("notifications/own")
    assert told == [ZeroDivisionError]
    assert session.poll() is not None


def test_a_handler_may_use_another_session(server: Server, session: Session) -> None:
    inner = server.session()
    inner.handle(HELLO)

    @server.tool
    def nested() -> str:
        [answer] = read(inner.handle(call(1, "echo", text="inside")))
        return str(answer["result"]["content"][0]["text"])

    [answer] = read(session.handle(call(1, "nested")))
    assert answer["result"]["content"][0]["text"] == "inside"


def test_a_handler_may_feed_its_own_session(server: Server, session: Session) -> None:
    found: list[Any] = []

    @server.tool
    def nested() -> None:
        found.extend(read(session.handle(message(9, "ping"))))

    [answer] = read(session.handle(call(1, "nested")))
    assert answer["id"] == 1
    assert [inner["id"] for inner in found] == [9]


def test_an_exception_that_ends_programs_ends_handle(server: Server, session: Session) -> None:
    @server.tool
    def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit) as caught:
        session.handle(call(1, "leave"))
    assert caught.value.code == 3
    [answer] = read(session.drain())
    assert "ending" in json.dumps(answer)
    assert read(session.handle(message(2, "ping")))[0]["id"] == 2
