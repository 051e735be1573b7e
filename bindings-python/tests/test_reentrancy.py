"""Handlers and hooks that use the server that runs them."""

from __future__ import annotations

import gc
import json
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest

from host_support import answer, connected
from mcplite import Server
from mcplite.errors import BusyError, ClosedError
from process_support import INITIALIZE, PATIENCE, call, request

if TYPE_CHECKING:
    from collections.abc import Callable

PONG = {"jsonrpc": "2.0", "id": 9, "result": {}}


def text_of(message: dict[str, Any]) -> str:
    """The text of a result."""
    text: str = message["result"]["content"][0]["text"]
    return text


def test_a_handler_may_feed_its_own_session_to_a_depth() -> None:
    server = Server("nested")
    depths: list[int] = []

    @server.tool
    def nest(depth: int) -> str:
        try:
            session.handle(call(depth + 1, "nest", {"depth": depth + 1}))
        except BusyError:
            depths.append(depth)
        return "back"

    session = connected(server)
    answer(session, call(0, "nest", {"depth": 0}))
    assert depths == [7]
    assert session.open_calls == 0
    assert answer(session, request(9, "ping")) == PONG


def test_a_handler_may_change_what_is_offered() -> None:
    server = Server("changing")

    @server.tool
    def change() -> str:
        server.remove_tool("change")
        server.tool("added")(lambda: "added")

        @server.middleware
        def loud(request: Any, call_next: Callable[[], Any]) -> Any:
            return call_next().upper()

        gc.collect()
        return "changed"

    session = connected(server)
    assert text_of(answer(session, call(1, "change"))) == "changed"
    assert answer(session, call(2, "change"))["error"]["code"] == -32602
    assert text_of(answer(session, call(3, "added"))) == "ADDED"


def test_a_handler_may_take_the_output_of_its_session() -> None:
    server = Server("taking")
    taken: list[object] = []

    @server.tool
    def take() -> str:
        session.notify("notifications/own")
        taken.extend([session.wait(0), session.poll(), session.drain(), session.poll()])
        return "taken"

    session = connected(server)
    assert text_of(answer(session, call(1, "take"))) == "taken"
    news = b'{"jsonrpc":"2.0","method":"notifications/own"}'
    assert taken == [True, news, b"", None]


def test_a_handler_may_close_its_session() -> None:
    server = Server("closing")

    @server.tool
    def close() -> None:
        session.close()

    session = connected(server)
    assert session.handle(call(1, "close")) is None
    with pytest.raises(ClosedError):
        session.handle(request(2, "ping"))
    assert answer(connected(server), request(9, "ping")) == PONG


@pytest.mark.parametrize("ending", ["shutdown", "close"])
def test_a_handler_may_end_its_server(ending: str) -> None:
    server = Server("ending")

    @server.tool
    def end() -> str:
        getattr(server, ending)()
        return "ended"

    session = connected(server)
    said = session.handle(call(1, "end"))
    assert session.is_finished
    if ending == "shutdown":
        assert said is not None and text_of(json.loads(said)) == "ended"
    else:
        assert said is None and session.is_closed


def test_a_handler_may_hold_the_last_reference_to_its_server() -> None:
    def made() -> tuple[list[Any], weakref.ref[Server]]:
        server = Server("going")
        kept: list[Any] = [server, connected(server)]

        @server.tool
        def drop() -> str:
            kept.clear()
            gc.collect()
            return "dropped"

        return kept, weakref.ref(server)

    kept, server = made()
    assert text_of(answer(kept[1], call(1, "drop"))) == "dropped"
    gc.collect()
    assert server() is None


@pytest.mark.parametrize("whose", ["session", "server"])
def test_whoever_waits_hears_of_the_end(whose: str) -> None:
    server = Server("ending")
    session = connected(server)
    heard: list[bool] = []
    waiting = threading.Thread(target=lambda: heard.append(session.wait()))
    waiting.start()
    (session if whose == "session" else server).close()
    waiting.join(PATIENCE)
    assert heard == [False]


def test_hooks_may_use_the_session_that_calls_them() -> None:
    server = Server("hooked")
    taken: list[bytes] = []
    with server.session() as session:
        server.observer(lambda event: session.drain())
        session.set_wake(lambda: taken.append(session.drain()))
        session.handle(INITIALIZE)
        assert session.handle(request(9, "ping")) is None
        assert json.loads(taken[-1]) == PONG


@pytest.fixture
def unraisable(monkeypatch: pytest.MonkeyPatch) -> list[type[BaseException] | None]:
    """The types of exceptions that nobody could catch."""
    told: list[type[BaseException] | None] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: told.append(what.exc_type))
    return told


def test_hooks_that_are_collected_with_their_session_are_not_called(
    unraisable: list[type[BaseException] | None],
) -> None:
    def use() -> None:
        server = Server("hooked")
        session = connected(server)
        server.observer(lambda event: session.open_calls)
        session.set_wake(lambda: session.open_calls)
        assert answer(session, request(9, "ping")) == PONG

    use()
    gc.collect()
    assert unraisable == []


def raising(*given: object) -> None:
    """A hook that is of no use."""
    raise ZeroDivisionError


def test_hooks_that_raise_are_told_of_and_change_nothing(
    unraisable: list[type[BaseException] | None],
) -> None:
    server = Server("hooked")
    session = server.session()
    for hook in (raising, None):
        server.observer(hook)
        server.on_error(hook)
        session.set_wake(hook)
        assert session.handle(INITIALIZE) is not None
        assert answer(session, request(1, "no/such"))["error"]["code"] == -32601
        assert answer(session, request(9, "ping")) == PONG
        if hook:
            assert set(unraisable) == {ZeroDivisionError}
            unraisable.clear()
    assert unraisable == []


@pytest.mark.parametrize("given", [{"code": "x"}, {"message": "\ud800"}, {"data": object()}])
def test_an_error_handler_that_gives_junk_is_told_of_and_changes_nothing(
    given: dict[str, Any], unraisable: list[type[BaseException] | None]
) -> None:
    server = Server("hooked")
    session = connected(server)
    server.on_error(lambda error: error | given)
    said = answer(session, request(1, "no/such"))
    assert said["error"]["code"] == -32601 and "no/such" in said["error"]["message"]
    assert len(unraisable) == 1
