"""Values that are not what they seem: what handlers return, and what programs hand in."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from host_support import answer, connected, is_failure, server_of, ways_to_call
from mcplite import Server, _native
from process_support import INITIALIZE, call, request

if TYPE_CHECKING:
    from collections.abc import Callable


def loop_of(kind: type) -> Any:
    """A value that contains itself."""
    made = kind()
    if isinstance(made, dict):
        made["itself"] = made
    else:
        made.append(made)
    return made


def nested(depth: int) -> list[Any]:
    """Lists in lists."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


JUNK: dict[str, Callable[[], Any]] = {
    "object": object,
    "nan": lambda: float("nan"),
    "infinity": lambda: [float("inf")],
    "huge": lambda: 10**5000,
    "list-in-itself": lambda: loop_of(list),
    "dict-in-itself": lambda: loop_of(dict),
    "deep": lambda: nested(100_000),
    "surrogate": lambda: ["\ud800"],
    "surrogate-key": lambda: {"\ud800": 1},
    "type": lambda: int,
    "generator": lambda: (number for number in range(3)),
    "complex": lambda: 1j,
    "module": lambda: json,
    "ellipsis": lambda: ...,
    "tuple-keys": lambda: {(1, 2): 3},
}


@pytest.mark.parametrize("name", JUNK)
def test_junk_from_a_handler_is_an_error_answer(name: str) -> None:
    session = connected(server_of(lambda name: JUNK[name]()))
    tool, structured, prompt, resource, _, own = ways_to_call(name)
    for message in (tool, structured, prompt, resource, own):
        assert is_failure(answer(session, message))
    assert answer(session, request(9, "ping"))["result"] == {}


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ({2}, {"type": "text", "text": "[2]"}),
        (b"\xff", {"type": "resource", "blob": "/w=="}),
        (None, None),
    ],
)
def test_sets_bytes_and_nothing_are_no_junk(value: object, content: dict[str, str] | None) -> None:
    server = Server("careless")

    @server.tool
    def give() -> Any:
        return value

    blocks = answer(connected(server), call(1, "give"))["result"]["content"]
    shown = [block | block.pop("resource", {}) for block in blocks]
    assert [{key: block[key] for key in content or ()} for block in shown] == (
        [content] if content else []
    )


class Str(str):
    """A text with traps."""

    __slots__ = ()

    def __hash__(self) -> int:
        raise RuntimeError("hash")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")

    def __len__(self) -> int:
        return 10**9


class Dict(dict[Any, Any]):
    """A dict with traps."""

    def __iter__(self) -> Any:
        raise RuntimeError("iter")

    def items(self) -> Any:
        raise RuntimeError("items")

    def __len__(self) -> int:
        return 10**9


class Int(int):
    """A number with traps."""

    def __index__(self) -> int:
        raise RuntimeError("index")

    def __repr__(self) -> str:
        return "}"


class Liar:
    """Is no dict."""

    __class__ = dict  # type: ignore[assignment]


TRAPS: dict[str, tuple[Callable[[], Any], str | None]] = {
    "text": (lambda: Str("hi"), "hi"),
    "dict": (lambda: Dict(a=1), '{"a":1}'),
    "number": (lambda: Int(5), "5"),
    "large-number": (lambda: Int(10**30), str(10**30)),
    "inside": (lambda: [Dict(a=[Int(3), Str("x")])], '[{"a":[3,"x"]}]'),
    "liar": (Liar, None),
}


@pytest.mark.parametrize("name", TRAPS)
def test_subclasses_with_traps_are_values_or_errors(name: str) -> None:
    session = connected(server_of(lambda name: TRAPS[name][0]()))
    for message in ways_to_call(name):
        assert {"result", "error"} & set(answer(session, message))
    said = answer(session, call(1, "tool", {"name": name}))
    expected = TRAPS[name][1]
    if expected is None:
        assert is_failure(said)
    else:
        assert said["result"]["content"][0]["text"] == expected


def test_what_is_handed_in_may_be_of_a_subclass() -> None:
    class Bytes(bytes):
        def __len__(self) -> int:
            return 10**9

    session = server_of(str).session()
    assert session.handle(Bytes(INITIALIZE)) is not None
    assert session.handle(Bytes(request(1, "ping"))) == b'{"jsonrpc":"2.0","id":1,"result":{}}'
    server = _native.Server(Str("name"), Str("1"))
    server.configure(Dict(title=Str("Title")))
    said = server.session().handle(INITIALIZE)
    assert said is not None and b'"name":"name"' in said


def test_values_may_change_while_they_are_written() -> None:
    class Changing:
        def __init__(self, around: Any) -> None:
            self.around = around

        def __json__(self) -> int:
            self.around.clear()
            return 1

    def give(name: str) -> Any:
        made: Any = {"first": 1} if name == "dict" else [1]
        changing = Changing(made)
        if name == "dict":
            made |= {"changing": changing, "last": 2}
        else:
            made += [changing, 2]
        return made

    session = connected(server_of(give))
    for name in ("dict", "list"):
        assert json.loads(_native.dumps(give(name)))
        for message in ways_to_call(name):
            assert "panic" not in json.dumps(answer(session, message))


def test_a_buffer_may_change_while_it_is_read() -> None:
    server = Server("careless")
    message = bytearray(call(1, "echo", {"first": "a" * 100_000, "second": "b" * 100_000}))

    @server.tool
    def echo(first: str, second: str) -> str:
        message[:] = b"#" * 10
        message.clear()
        return first[:2] + second[-2:]

    assert answer(connected(server), message)["result"]["content"][0]["text"] == "aabb"
    assert message == b""


def test_a_buffer_that_another_thread_changes_gives_one_whole_answer() -> None:
    server = Server("careless")

    @server.tool
    def size(text: str) -> int:
        return len(text)

    message = bytearray(call(1, "size", {"text": "x" * 300_000}))
    whole, over = bytes(message), threading.Event()

    def meddle() -> None:
        while not over.is_set():
            message[100:200] = b"#" * 100
            message.clear()
            message.extend(whole)

    meddler = threading.Thread(target=meddle)
    meddler.start()
    session = connected(server)
    try:
        for _ in range(200):
            said = session.handle(message)
            assert said is None or json.loads(said)["jsonrpc"] == "2.0"
    finally:
        over.set()
        meddler.join()
    assert answer(session, request(2, "ping"))["result"] == {}
