"""Handlers that raise, and who holds whom; `host_cases.txt` says which test proves which case."""

from __future__ import annotations

import gc
import json
import re
import weakref
from pathlib import Path
from typing import Any

import pytest

from host_support import answer, connected, is_failure, server_of, ways_to_call
from mcplite import Server, _native
from process_support import INITIALIZE, PATIENCE, call, request

HERE = Path(__file__).resolve().parent


class OwnBaseError(BaseException):
    """Not an `Exception`."""


class MuteError(Exception):
    """Cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def too_deep() -> None:
    """Never comes back."""
    too_deep()


RAISED: dict[str, BaseException] = {
    "exception": Exception("it broke"),
    "base": OwnBaseError("it broke"),
    "memory": MemoryError(),
    "generator": GeneratorExit(),
    "stop": StopIteration(1),
    "mute": MuteError(),
    "surrogate": ValueError("\ud800"),
}
INTERRUPTS: dict[str, type[BaseException]] = {
    "interrupt": KeyboardInterrupt,
    "exit": SystemExit,
}


def raising(name: str) -> None:
    """A handler that never returns."""
    if name == "recursion":
        too_deep()
    raise INTERRUPTS[name]() if name in INTERRUPTS else RAISED[name]


@pytest.mark.parametrize("name", [*RAISED, "recursion"])
def test_a_handler_that_raises_is_an_error_answer(name: str) -> None:
    session = connected(server_of(raising))
    for message in ways_to_call(name):
        assert is_failure(answer(session, message))
    assert answer(session, request(9, "ping"))["result"] == {}


@pytest.mark.parametrize("name", INTERRUPTS)
def test_an_interrupt_in_a_handler_reaches_whoever_feeds_the_session(name: str) -> None:
    session = connected(server_of(raising))
    for message in ways_to_call(name):
        with pytest.raises(INTERRUPTS[name]):
            session.handle(message)
        assert is_failure(json.loads(session.drain())), "the client hears of it as well"
    assert answer(session, request(9, "ping"))["result"] == {}


def test_an_interrupt_in_an_async_handler_leaves_the_background_loop_alive() -> None:
    server = Server("careless")

    @server.tool
    async def leave() -> None:
        raise SystemExit(3)

    @server.tool
    async def stay() -> str:
        return "here"

    session = connected(server)
    with pytest.raises(SystemExit, match="3"):
        assert is_failure(answer(session, call(1, "leave"))), "the client hears of it as well"
        session.wait(PATIENCE)
    session.drain()
    assert answer(session, call(2, "stay"))["result"]["content"][0]["text"] == "here"


def test_an_async_handler_that_ends_an_attempt_without_asking_is_answered() -> None:
    server = Server("careless")

    @server.tool
    async def give_up() -> None:
        raise _native.Asked

    assert is_failure(answer(connected(server), call(1, "give_up")))


def registered(server: Server) -> weakref.ref[Any]:
    """Registers a function that nobody else holds."""

    def function() -> str:
        return "alive"

    server.tool("function", replace=True)(function)
    return weakref.ref(function)


def test_a_registered_function_lives_until_it_is_removed() -> None:
    server = Server("careless")
    function = registered(server)
    gc.collect()
    session = connected(server)
    assert answer(session, call(1, "function"))["result"]["content"][0]["text"] == "alive"
    server.remove_tool("function")
    gc.collect()
    assert function() is None


def test_a_replaced_function_is_let_go() -> None:
    server = Server("careless")
    first, second = registered(server), registered(server)
    gc.collect()
    assert first() is None
    assert second() is not None


class Holder:
    """Does nothing, and holds what it is given."""

    def __init__(self, *held: object) -> None:
        self.held = held

    def __call__(self, *given: object) -> None:
        return None


def test_a_server_that_its_own_handlers_hold_is_collected() -> None:
    def made() -> list[weakref.ref[Any]]:
        server = Server("careless")
        session = server.session(state=[server])

        @server.tool
        def tool() -> str:
            return f"{server} {session}"

        @server.middleware
        def around(request: Any, call_next: Any) -> Any:
            return call_next()

        server.observer(Holder(server, session))
        server.on_error(Holder(server, session))
        session.set_wake(Holder(server, session))
        http = server.http(authorize=Holder(server, session))
        exchange = http.open("GET", "/mcp")
        exchange.set_wake(Holder(server, http, exchange))
        assert session.handle(INITIALIZE) is not None
        assert session.handle(call(1, "tool")) is not None
        return [weakref.ref(server), weakref.ref(server._native), weakref.ref(tool)]

    gone = made()
    gc.collect()
    assert [reference() for reference in gone] == [None, None, None]
    assert gc.garbage == []


def test_every_case_about_python_names_the_tests_that_prove_it() -> None:
    listing = (HERE / "host_cases.txt").read_text("utf-8").splitlines()
    lines = [line.split() for line in listing if line and not line.startswith("#")]
    assert [case for case, *_ in lines] == [
        "py.handler-raises",
        "py.handler-returns-junk",
        "py.subclass-traps",
        "py.callback-gc",
        "py.cycle",
        "py.shutdown-pending",
        "py.shutdown-thread",
        "py.subinterpreter",
        "py.free-threaded",
        "py.fork",
        "py.buffer-mutation",
    ]
    for _, *places in lines:
        assert places
        for place in places:
            file, _, function = place.partition(":")
            text = (HERE / file).read_text("utf-8")
            assert re.search(rf"^def {function}\(", text, re.MULTILINE), place
