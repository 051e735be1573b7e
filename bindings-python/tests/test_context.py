"""What a handler knows of its request, and can tell the client."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from mcplite import Context, McpError, Server, ToolError
from mcplite.testing import Client

ERAS = ["legacy", "modern"]
REVISIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}


@pytest.fixture
def server() -> Server:
    return Server("s", state={"of": "server"})


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_progress_is_told_with_total_and_message(server: Server, era: str, kind: str) -> None:
    def work(ctx: Context) -> None:
        ctx.progress(1)
        ctx.progress(1.5, 2)
        ctx.progress(2, 2, "done")

    async def work_later(ctx: Context) -> None:
        await asyncio.sleep(0)
        work(ctx)

    server.tool("work")(work if kind == "sync" else work_later)
    with Client(server, era=era) as client:
        client.call("work")
        told = [
            (step["progress"], step.get("total"), step.get("message")) for step in client.progress
        ]
    assert told == [(1, None, None), (1.5, 2, None), (2, 2, "done")]


@pytest.mark.parametrize("era", ERAS)
def test_progress_is_told_only_to_those_who_want_it(server: Server, era: str) -> None:
    @server.tool
    def work(ctx: Context) -> None:
        ctx.progress(1)

    with Client(server, era=era) as client:
        client.call_tool("work", meta={"progressToken": None})
        client.request("tools/list")
        assert [note for note in client.notifications if "progress" in note["method"]] == []
        client.call("work")
        assert len(client.progress) == 1


@pytest.mark.parametrize("era", ERAS)
def test_log_messages_have_a_level_and_any_data(server: Server, era: str) -> None:
    @server.tool
    def work(ctx: Context) -> None:
        ctx.debug("d")
        ctx.info({"a": [1, None]})
        ctx.warning(3)
        ctx.error("e")
        ctx.log("emergency", "x", logger="mine")

    with Client(server, era=era, log_level="info") as client:
        client.call("work")
        logs = [(log["level"], log["data"], log.get("logger")) for log in client.logs]
    assert logs == [
        ("info", {"a": [1, None]}, None),
        ("warning", 3, None),
        ("error", "e", None),
        ("emergency", "x", "mine"),
    ]


def test_a_level_that_there_is_not_is_refused(server: Server) -> None:
    @server.tool
    def work(ctx: Context) -> None:
        ctx.log("warn", "x")

    with Client(server) as client, pytest.raises(ToolError, match="those are debug, info, notice"):
        client.call("work")


@pytest.mark.parametrize("era", ERAS)
def test_handlers_know_their_client(server: Server, era: str) -> None:
    seen: list[Any] = []

    @server.tool
    def look(ctx: Context) -> None:
        seen.append((ctx.client_info, ctx.client_capabilities, ctx.revision))

    info = {"name": "editor", "version": "7"}
    with Client(server, era=era, client_info=info, on_sample="x") as client:
        client.call("look")
    [(found, capabilities, revision)] = seen
    assert (found, revision) == (info, REVISIONS[era])
    assert "sampling" in capabilities


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_handlers_know_their_request(server: Server, era: str, kind: str) -> None:
    def look(ctx: Context, key: bytes) -> dict[str, Any]:
        return {
            "method": ctx.method,
            "name": ctx.name,
            "id": ctx.request_id,
            "arguments": ctx.arguments,
            "meta": ctx.meta["my/own"],
            "headers": ctx.headers,
            "session": ctx.session_id,
            "cancelled": ctx.cancelled,
            "server": ctx.server is server,
        }

    async def look_later(ctx: Context, key: bytes) -> dict[str, Any]:
        return look(ctx, key)

    server.tool("look")(look if kind == "sync" else look_later)
    with Client(server, era=era) as client:
        pending = client.begin(
            "tools/call",
            {"name": "look", "arguments": {"key": "eA=="}, "_meta": {"my/own": [1]}},
        )
        found = pending.result()["structuredContent"]
    assert found == {
        "method": "tools/call",
        "name": "look",
        "id": pending.id,
        "arguments": {"key": "eA=="},
        "meta": [1],
        "headers": {},
        "session": None,
        "cancelled": False,
        "server": True,
    }


@pytest.mark.parametrize("id", [1, -5, "text", "", 2**53])
def test_the_id_of_a_request_is_what_the_client_sent(server: Server, id: Any) -> None:
    server.on("my/id", lambda params, ctx: {"id": ctx.request_id})
    request = {"jsonrpc": "2.0", "id": id, "method": "my/id"}
    with server.session() as session:
        start(session)
        reply = session.handle(json.dumps(request).encode())
    assert reply is not None
    answer = json.loads(reply)
    assert (answer["id"], answer["result"]["id"]) == (id, id)


def start(session: Any) -> None:
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    assert session.handle(json.dumps(hello).encode())


def test_who_asks_and_what_is_attached_belong_to_the_connection(server: Server) -> None:
    @server.tool
    def look(ctx: Context) -> str:
        return f"{ctx.principal} {ctx.state}"

    attached = {"of": "connection"}
    with Client(server, principal="ada", state=attached) as client:
        assert client.call("look").text == "ada {'of': 'connection'}"
        assert client._session is not None
        client._session.set_principal("alan")
        client._session.set_state(None)
        assert client.call("look").text == "alan {'of': 'server'}"
    with Client(server) as client:
        assert client.call("look").text == "None {'of': 'server'}"


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_headers_and_principal_come_with_an_http_request(server: Server, kind: str) -> None:
    seen: list[Any] = []

    def look(ctx: Context) -> str:
        seen.append((ctx.headers, ctx.principal, ctx.state, ctx.session_id))
        return "looked"

    async def look_later(ctx: Context) -> str:
        return look(ctx)

    server.tool("look")(look if kind == "sync" else look_later)

    def authorize(request: Any) -> str | int:
        assert (request.method, request.path) == ("POST", "/mcp")
        token = request.header("Authorization")
        if token is None:
            return 401
        request.set_state({"of": "request"})
        return str(token).removeprefix("Bearer ")

    endpoint = server.http("/mcp", authorize=authorize)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "look", "arguments": {}, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    def exchange(*extra: tuple[bytes, bytes]) -> tuple[int | None, bytes]:
        opened = endpoint.open("POST", "/mcp")
        opened.headers(
            [
                (b"Host", b"localhost"),
                (b"Content-Type", b"application/json"),
                (b"Accept", b"application/json, text/event-stream"),
                (b"MCP-Protocol-Version", b"2026-07-28"),
                (b"Mcp-Method", b"tools/call"),
                (b"Mcp-Name", b"look"),
                *extra,
            ]
        )
        opened.body(json.dumps(body).encode())
        opened.end()
        said = b""
        while not opened.is_finished:
            piece = opened.poll()
            if piece is None:
                assert opened.wait(10) or opened.is_finished
            said += piece or b""
        return opened.status, said

    status, said = exchange((b"Authorization", b"Bearer ada"), (b"X-Own", b"a"), (b"x-own", b"b"))
    assert (status, b"looked" in said) == (200, True)
    [(headers, principal, state, session)] = seen
    assert headers["x-own"] == "a, b"
    assert headers["authorization"] == "Bearer ada"
    assert (principal, state, session) == ("ada", {"of": "request"}, None)
    assert exchange()[0] == 401
    assert len(seen) == 1
    endpoint.close()


@pytest.mark.parametrize("era", ERAS)
def test_a_def_handler_sees_that_it_was_cancelled(server: Server, era: str) -> None:
    began, seen = threading.Event(), threading.Event()

    @server.tool
    def work(ctx: Context) -> None:
        assert not ctx.cancelled
        began.set()
        while not ctx.cancelled:
            pass
        ctx.progress(1)
        ctx.info("too late")
        seen.set()

    with Client(server, era=era) as client:
        client.ping()
        params = {"name": "work", "arguments": {}}
        caller = threading.Thread(target=client.begin, args=("tools/call", params))
        caller.start()
        assert began.wait(10)
        assert client._session is not None
        cancelled = {"requestId": client._wire.last_id}
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
        client._session.handle(json.dumps(note).encode())
        assert seen.wait(10)
        caller.join(10)
        assert (client.logs, client.progress) == ([], [])


def test_a_stream_is_closed_only_where_there_is_one(server: Server) -> None:
    @server.tool
    def work(ctx: Context) -> bool:
        return ctx.close_stream()

    with Client(server, era="legacy") as client:
        assert client.call("work").data is False


def test_a_context_tells_nothing_after_the_answer(server: Server) -> None:
    kept: list[Context] = []

    @server.tool
    def work(ctx: Context) -> None:
        kept.append(ctx)

    with Client(server) as client:
        client.call("work")
        [ctx] = kept
        ctx.progress(1)
        ctx.info("late")
        client.ping()
        assert (client.progress, client.logs) == ([], [])
        assert ctx.name == "work"
        with pytest.raises(McpError):
            ctx.elicit("Well?", str)
