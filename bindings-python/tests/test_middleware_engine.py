"""Middleware around what the engine answers itself: lists, pings, subscriptions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from asgi_support import ask
from mcplite import McpError, NotAuthorisedError, NotFoundError, Server
from mcplite.errors import InvalidParamsError
from mcplite.testing import AsyncClient, Client
from process_support import request, serving
from stage_support import ERAS, HELLO, KINDS, message, read
from transcripts import http_player, player
from web_support import modern

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Where requests that the engine answers count as calls, which transcripts can tell.
LIKE_CALLS = ("the server takes no more requests", "2 requests are open")
TRANSCRIPTS = [path for path in player.in_folder("transcripts") if path.stem != "queued"]


def check_played(text: str, play: Callable[[str], str]) -> None:
    text = f"@ around pass\n{text}"
    for line, played in zip(text.split("\n"), play(text).split("\n"), strict=False):
        if line != played and any(excuse in played for excuse in LIKE_CALLS):
            return
        assert played == line


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_passing_everything_on_changes_not_a_byte(path: Path) -> None:
    check_played(path.read_text("utf-8"), lambda text: player.play(text, player.whole))


@pytest.mark.parametrize("path", player.in_folder("http/transcripts"), ids=lambda path: path.stem)
def test_passing_everything_on_over_http_changes_not_a_byte(path: Path) -> None:
    feed = http_player.whole_body
    check_played(path.read_text("utf-8"), lambda text: http_player.play(text, feed))


def offering(**options: Any) -> Server:
    server = Server("s", **options)
    for name in ("plain", "secret", "other"):
        server.tool(name)(lambda: "done")
    server.prompt("p")(lambda what="": "")
    server.completion("p", "other")(lambda value: [])
    server.resource("x:{y}")(lambda y: "")
    server.add_resource("r:1", "fixed")
    return server


def add_layer(server: Server, kind: str, change: Callable[[Any, Any], Any]) -> None:
    """Middleware that gives what `change` makes of a request and its result."""
    if kind == "sync":
        server.middleware(lambda request, call_next: change(request, call_next()))
    else:

        @server.middleware
        async def layer(request: Any, call_next: Any) -> Any:
            return change(request, await call_next())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("era", ERAS)
def test_every_request_comes_by(kind: str, era: str) -> None:
    server = offering()
    seen: list[tuple[str, str]] = []

    def note(request: Any, result: Any) -> Any:
        seen.append((request.method, request.name))
        assert isinstance(result, dict)
        return result

    add_layer(server, kind, note)
    with Client(server, era=era) as client:
        seen.clear()
        assert len(client.list_tools()) == 3
        assert len(client.list_prompts()) == 1
        assert len(client.list_resources()) == 1
        assert len(client.list_templates()) == 1
        assert client.read("r:1").text == "fixed"
        assert client.complete("p", "what", "").values == []
        subscription = client.listen(uris=["r:1"], tools=True)
        server.notify_updated("r:1")
        assert client.wait_for("notifications/resources/updated")["uri"] == "r:1"
        client.unlisten(subscription)
        if era == "legacy":
            client.ping()
            client.set_log_level("error")
    always = [
        ("tools/list", ""),
        ("prompts/list", ""),
        ("resources/list", ""),
        ("resources/templates/list", ""),
        ("resources/read", "r:1"),
        ("completion/complete", "p"),
    ]
    if era == "modern":
        assert seen == [*always, ("subscriptions/listen", "")]
    else:
        watching = [("resources/subscribe", "r:1"), ("resources/unsubscribe", "r:1")]
        assert seen == [*always, *watching, ("ping", ""), ("logging/setLevel", "")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("era", ERAS)
def test_lists_depend_on_who_asks(kind: str, era: str) -> None:
    server = offering()

    def hide(request: Any, result: Any) -> Any:
        if request.method == "tools/list" and request.context.principal != "ada":
            result["tools"] = [tool for tool in result["tools"] if tool["name"] != "secret"]
        return result

    add_layer(server, kind, hide)
    with Client(server, era=era, principal="ada") as client:
        assert [tool["name"] for tool in client.list_tools()] == ["plain", "secret", "other"]
    with Client(server, era=era, principal="bob") as client:
        assert [tool["name"] for tool in client.list_tools()] == ["plain", "other"]
        # Hidden is not forbidden.
        assert client.call("secret").text == "done"


def test_what_is_hidden_can_be_refused_in_the_same_place() -> None:
    server = offering()

    @server.middleware
    def guard(request: Any, call_next: Any) -> Any:
        if request.method == "tools/call" and request.name == "secret":
            raise NotAuthorisedError("it is a secret")
        result = call_next()
        if request.method == "tools/list":
            result["tools"] = [tool for tool in result["tools"] if tool["name"] != "secret"]
        return result

    with Client(server) as client:
        assert len(client.list_tools()) == 2
        with pytest.raises(McpError, match="it is a secret"):
            client.call("secret")


def test_pages_and_hints_of_caches_stay() -> None:
    server = offering(page_size=2, cache_ttl=5.0, cache_public=True)
    pages: list[Any] = []
    add_layer(server, "sync", lambda request, result: pages.append(result) or result)
    with Client(server, era="modern") as client:
        pages.clear()
        assert len(client.list_tools()) == 3
        result = client.request("tools/list")
    assert [len(page["tools"]) for page in pages] == [2, 1, 2]
    assert result == pages[0]
    assert "nextCursor" in result and "nextCursor" not in pages[1]
    assert (result["ttlMs"], result["cacheScope"]) == (5000, "public")
    assert result["resultType"] == "complete"


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_raises_is_the_answer(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    server = offering()

    def refuse(request: Any, result: Any) -> Any:
        if request.method == "tools/list":
            raise NotAuthorisedError("not you")
        if request.method == "ping":
            raise RuntimeError("a bug")
        return result

    add_layer(server, kind, refuse)
    with Client(server, era="legacy") as client:
        with pytest.raises(McpError, match="not you"):
            client.list_tools()
        assert caplog.records == []
        with pytest.raises(McpError, match="a bug") as caught:
            client.ping()
        assert caught.value.code == -32603
        assert len(caplog.records) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_engine_refuses_is_raised_and_told_as_ever(kind: str) -> None:
    refused = [
        message(1, "tools/list", {"cursor": "x"}),
        message(2, "resources/subscribe", {"uri": "r:unknown"}),
        message(3, "logging/setLevel", {"level": "loud"}),
    ]

    async def told(server: Server) -> list[Any]:
        async with AsyncClient(server) as _:
            session = server.session()
            session.handle(HELLO)
            answers = []
            for line in refused:
                said = session.handle(line) or b""
                while not said:
                    await asyncio.sleep(0.001)
                    said = session.drain()
                answers += read(said)
            return answers

    plain, layered = offering(), offering()
    raised: list[McpError] = []

    def note(error: McpError) -> None:
        raised.append(error)
        raise error

    if kind == "sync":

        @layered.middleware
        def layer(request: Any, call_next: Any) -> Any:
            try:
                return call_next()
            except McpError as error:
                note(error)

    else:

        @layered.middleware
        async def layer_later(request: Any, call_next: Any) -> Any:
            try:
                return await call_next()
            except McpError as error:
                note(error)

    assert asyncio.run(told(layered)) == asyncio.run(told(plain))
    assert [type(error) for error in raised] == [
        InvalidParamsError,
        NotFoundError,
        InvalidParamsError,
    ]
    assert [error.code for error in raised] == [-32602, -32002, -32602]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_is_opened_when_the_request_is_passed_on(kind: str) -> None:
    server = offering()
    is_allowed = False

    def guard(request: Any) -> None:
        if request.method == "subscriptions/listen" and not is_allowed:
            raise NotAuthorisedError("nothing to hear")

    if kind == "sync":

        @server.middleware
        def layer(request: Any, call_next: Any) -> Any:
            guard(request)
            return call_next()

    else:

        @server.middleware
        async def layer_later(request: Any, call_next: Any) -> Any:
            guard(request)
            return await call_next()

    with Client(server, era="modern") as client:
        with pytest.raises(McpError, match="nothing to hear"):
            client.listen(tools=True)
        is_allowed = True
        client.listen(tools=True)
        server.tool("new")(lambda: None)
        client.wait_for("notifications/tools/list_changed")


@pytest.mark.parametrize("given", [None, [], {"items": []}, "text"])
def test_a_list_is_not_answered_with_something_else(given: object, capsys: Any) -> None:
    server = offering()
    is_list = "tools/list".__eq__
    add_layer(server, "sync", lambda request, it: given if is_list(request.method) else it)
    with Client(server) as client, pytest.raises(McpError, match="that call_next"):
        client.list_tools()


def test_what_has_nothing_to_say_may_be_answered_with_nothing() -> None:
    server = offering()
    add_layer(server, "sync", lambda request, result: None if request.method == "ping" else result)
    with Client(server, era="legacy") as client:
        client.ping()


def test_fixed_contents_are_answered_like_those_of_a_handler() -> None:
    server = offering()
    add_layer(server, "sync", lambda request, it: "new" if request.name == "r:1" else it)
    with Client(server) as client:
        assert client.read("r:1").text == "new"


def test_it_stands_around_lists_of_its_own_server_only() -> None:
    outer, inner = Server("outer"), offering()
    seen: list[str] = []
    add_layer(inner, "sync", lambda request, result: seen.append(request.method) or result)
    outer.mount("in", inner)
    with Client(outer) as client:
        client.list_tools()
        client.call("in__plain")
    assert seen == ["tools/call"]


@pytest.mark.parametrize("kind", KINDS)
def test_lists_pass_by_over_asgi(kind: str) -> None:
    server = offering()
    add_layer(server, kind, lambda request, result: {**result, "tools": []})
    reply = asyncio.run(ask(server.asgi(), modern("tools/list")))
    server.close()
    assert reply.json["result"]["tools"] == []


@pytest.mark.parametrize("kind", KINDS)
def test_lists_pass_by_over_standard_input_and_output(kind: str) -> None:
    start = "async def" if kind == "async" else "def"
    wait = "await " if kind == "async" else ""
    program = f"""
        from mcplite import Server
        server = Server("s")
        server.tool("hidden")(lambda: None)

        @server.middleware
        {start} hide(request, call_next):
            result = {wait}call_next()
            return {{**result, "tools": []}} if request.method == "tools/list" else result

        server.run()
    """
    with serving(program) as process:
        assert process.ask(request(1, "tools/list"))["result"] == {"tools": []}
        assert process.ask(request(2, "ping"))["result"] == {}
