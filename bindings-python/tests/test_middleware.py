"""Functions around requests that a handler answers."""

from __future__ import annotations

from typing import Any

import pytest

from mcplite import Context, Image, McpError, Server, ToolError
from mcplite.testing import Client
from stage_support import around_handlers, layer


@pytest.mark.parametrize("tool_is_async", [False, True])
@pytest.mark.parametrize("outer_is_async", [False, True])
@pytest.mark.parametrize("inner_is_async", [False, True])
def test_the_first_is_outermost_whatever_is_async(
    tool_is_async: bool, outer_is_async: bool, inner_is_async: bool
) -> None:
    server = Server("s")
    path: list[str] = []

    if tool_is_async:

        @server.tool("work")
        async def work_later(n: int) -> int:
            path.append("tool")
            return n + 1

    else:

        @server.tool
        def work(n: int) -> int:
            path.append("tool")
            return n + 1

    server.middleware(layer(path, "outer", outer_is_async))
    server.middleware(layer(path, "inner", inner_is_async))
    with Client(server) as client:
        assert client.call("work", n=1).data == 2
    # What a `def` layer gets from an async one is a coroutine, which runs when the layer has left.
    assert path.index("+outer") < path.index("+inner") < path.index("tool")
    assert sorted(path) == sorted(["+outer", "+inner", "tool", "-inner", "-outer"])


def test_layers_and_tool_are_nested() -> None:
    server = Server("s")
    path: list[str] = []
    server.middleware(layer(path, "outer", False))

    @server.middleware
    @around_handlers
    def inner(request: Any, call_next: Any) -> Any:
        path.append(f"{request.method} {request.name} {request.arguments} {request!r}")
        return call_next()

    server.tool("work")(lambda: path.append("tool"))
    with Client(server) as client:
        client.call("work")
        assert path == [
            "+outer",
            "tools/call work {} <Request tools/call work>",
            "tool",
            "-outer",
        ]


def test_requests_of_all_kinds_pass_by() -> None:
    server = Server("s")
    seen: list[tuple[str, str]] = []

    @server.middleware
    def note(request: Any, call_next: Any) -> Any:
        seen.append((request.method, request.name))
        return call_next()

    server.tool("t")(lambda: None)
    server.prompt("p")(lambda: "")
    server.resource("r:1")(lambda: "")
    server.resource("x:{y}")(lambda y: "")
    server.completion("x:{y}", "y")(lambda value: [])
    server.on("my/method", lambda params: {})
    with Client(server) as client:
        client.call("t")
        client.get_prompt("p")
        client.read("r:1")
        client.read("x:2")
        client.complete("x:{y}", "y", "z")
        client.request("my/method")
    assert seen == [
        ("server/discover", ""),
        ("tools/call", "t"),
        ("prompts/get", "p"),
        ("resources/read", "r:1"),
        ("resources/read", "x:2"),
        ("completion/complete", "x:{y}"),
        ("my/method", ""),
    ]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_it_is_put_around_what_was_there_before(kind: str) -> None:
    server = Server("s")
    path: list[str] = []

    @server.tool
    def work(ctx: Context, a: int, /, b: int, *, c: int = 3) -> list[int]:
        assert ctx.name == "work"
        return [a, b, c]

    with Client(server) as client:
        assert client.call("work", a=1, b=2).data == [1, 2, 3]
        server.middleware(layer(path, "late", kind == "async"))
        assert client.call("work", a=1, b=2).data == [1, 2, 3]
        assert path == ["+late", "-late"]


def test_it_changes_arguments() -> None:
    server = Server("s")

    @server.middleware
    @around_handlers
    def change(request: Any, call_next: Any) -> Any:
        request.arguments["name"] = request.arguments["name"].upper()
        request.arguments.setdefault("times", 2)
        return call_next()

    @server.middleware
    @around_handlers
    def replace(request: Any, call_next: Any) -> Any:
        changed = type(request)(request.context, {**request.arguments, "mark": "!"})
        return call_next(changed)

    @server.tool
    def greet(name: str, times: int = 1, mark: str = "?") -> str:
        return (name + mark) * times

    with Client(server) as client:
        assert client.call("greet", name="ada").text == "ADA!ADA!"


def test_it_sees_arguments_as_the_handler_gets_them() -> None:
    server = Server("s")
    seen: list[Any] = []

    @server.middleware
    @around_handlers
    def note(request: Any, call_next: Any) -> Any:
        seen.append((request.arguments, request.context.arguments))
        return call_next()

    @server.tool
    def work(key: bytes, n: int) -> None: ...

    with Client(server) as client:
        client.call("work", key="eA==", n=2.0)
    assert seen == [({"key": b"x", "n": 2}, {"key": "eA==", "n": 2.0})]
    assert type(seen[0][0]["n"]) is int


@pytest.mark.parametrize("outer", [None, False, True])
@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("tool_is_async", [False, True])
def test_it_answers_in_the_place_of_the_handler(
    outer: bool | None, kind: str, tool_is_async: bool
) -> None:
    server = Server("s")
    called: list[None] = []
    if outer is not None:
        server.middleware(layer([], "outer", outer))

    def cached(request: Any, call_next: Any) -> Any:
        return {"n": 7}

    async def cached_later(request: Any, call_next: Any) -> Any:
        return {"n": 7}

    server.middleware(around_handlers(cached if kind == "sync" else cached_later))

    def work() -> dict[str, int]:
        called.append(None)
        return {"n": 8}

    async def work_later() -> dict[str, int]:
        return work()

    server.tool("work")(work_later if tool_is_async else work)
    with Client(server) as client:
        assert client.call("work").structured == {"n": 7}
    assert called == []


def test_it_changes_results() -> None:
    server = Server("s")

    @server.middleware
    @around_handlers
    async def change(request: Any, call_next: Any) -> Any:
        given = await call_next()
        return Image(b"x", mime_type="image/png") if isinstance(given, str) else given * 10

    server.tool("text")(lambda: "text")

    @server.tool
    async def number() -> int:
        return 4

    with Client(server) as client:
        assert client.call("number").data == 40
        assert client.call("text").content[0]["type"] == "image"


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_what_it_raises_is_the_answer(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    server = Server("s")

    def check(request: Any) -> None:
        if request.name == "forbidden":
            raise McpError(-32099, "not for you", {"why": 1})
        if request.name == "broken":
            raise RuntimeError("a bug")

    if kind == "sync":

        @server.middleware
        def guard(request: Any, call_next: Any) -> Any:
            check(request)
            return call_next()

    else:

        @server.middleware
        async def guard_later(request: Any, call_next: Any) -> Any:
            check(request)
            return await call_next()

    for name in ("forbidden", "broken", "fine"):
        server.tool(name)(lambda: "fine")
    with Client(server) as client:
        with pytest.raises(McpError, match="not for you") as caught:
            client.call("forbidden")
        assert caught.value.data == {"why": 1}
        assert caplog.records == []
        with pytest.raises(ToolError, match="a bug"):
            client.call("broken")
        assert len(caplog.records) == 1
        assert client.call("fine").text == "fine"


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_it_catches_what_handlers_raise(kind: str) -> None:
    server = Server("s")

    if kind == "sync":

        @server.middleware
        def rescue(request: Any, call_next: Any) -> Any:
            try:
                return call_next()
            except LookupError as error:
                return f"rescued {error}"

    else:

        @server.middleware
        async def rescue_later(request: Any, call_next: Any) -> Any:
            try:
                return await call_next()
            except LookupError as error:
                return f"rescued {error}"

    @server.tool
    def fail() -> str:
        raise LookupError("it")

    with Client(server) as client:
        assert client.call("fail").text == "rescued it"
