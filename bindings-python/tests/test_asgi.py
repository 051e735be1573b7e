"""Requests through the ASGI application, one at a time."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from asgi_support import Visitor, ask, reply_of, scope_of
from mcplite import Context, Server
from mcplite._paths import Paths
from web_support import INITIALIZE, JSON, call, legacy, modern


@pytest.fixture
def server() -> Any:
    server = Server("web", version="1.0")

    @server.tool
    def add(a: int, b: int) -> str:
        return str(a + b)

    @server.tool
    async def multiply(a: int, b: int) -> str:
        await asyncio.sleep(0)
        return str(a * b)

    @server.tool
    def where() -> str:
        return threading.current_thread().name

    @server.tool
    def who(ctx: Context) -> str:
        return f"{ctx.principal} at {ctx.state['path']}"

    yield server
    server.close()


def test_a_call_is_answered_with_its_result(server: Server) -> None:
    reply = asyncio.run(ask(server.asgi(), call("add", {"a": 2, "b": 3})))
    assert reply.text == "5"
    assert reply.headers[b"content-type"] == b"application/json"
    assert reply.headers[b"content-length"] == str(len(reply.body)).encode()


def test_async_tools_run_on_the_loop_of_the_request(server: Server) -> None:
    seen: list[object] = []

    @server.tool
    async def note() -> str:
        seen.append(asyncio.get_running_loop())
        return "noted"

    async def ask_twice() -> object:
        app = server.asgi()
        assert (await ask(app, call("note"))).text == "noted"
        assert (await ask(app, call("multiply", {"a": 2, "b": 3}))).text == "6"
        return asyncio.get_running_loop()

    assert seen == [asyncio.run(ask_twice())]


def test_sync_tools_do_not_run_on_the_thread_of_the_loop(server: Server) -> None:
    reply = asyncio.run(ask(server.asgi(), call("where")))
    assert reply.text != threading.current_thread().name


def test_one_application_serves_several_loops_one_after_the_other(server: Server) -> None:
    app = server.asgi()
    for _ in range(3):
        assert asyncio.run(ask(app, call("multiply", {"a": 2, "b": 3}))).text == "6"
        assert asyncio.run(ask(app, call("add", {"a": 2, "b": 3}))).text == "5"


def test_a_session_lives_from_initialize_to_delete(server: Server) -> None:
    async def talk() -> None:
        app = server.asgi()
        opened = await ask(app, INITIALIZE)
        assert opened.json["result"]["protocolVersion"] == "2025-11-25"
        session = opened.headers[b"mcp-session-id"].decode()
        note = await ask(app, legacy("notifications/initialized", session=session, id=None))
        assert (note.status, note.body) == (202, b"")
        assert note.headers[b"content-length"] == b"0"
        request = legacy(
            "tools/call", {"name": "add", "arguments": {"a": 1, "b": 1}}, session=session
        )
        assert (await ask(app, request)).text == "2"
        gone = {"headers": {"Mcp-Session-Id": session}, "content": b""}
        assert (await ask(app, gone, method="DELETE")).status in (200, 202, 204)
        assert (await ask(app, request)).status == 404

    asyncio.run(talk())


def test_a_body_may_come_in_any_pieces(server: Server) -> None:
    async def talk() -> None:
        app = server.asgi()
        request = call("add", {"a": 2, "b": 3})
        visitor = Visitor(app, scope_of(request["headers"]))
        for byte in request["content"]:
            visitor.say(bytes([byte]), more=True)
        visitor.say(b"")
        await visitor.run()
        assert reply_of(visitor).text == "5"

    asyncio.run(talk())


@pytest.mark.parametrize("body", [bytearray, memoryview])
def test_a_body_may_be_any_buffer(server: Server, body: Any) -> None:
    async def talk() -> None:
        request = call("add", {"a": 2, "b": 3})
        visitor = Visitor(server.asgi(), scope_of(request["headers"]))
        visitor.say(body(request["content"]))
        await visitor.run()
        assert reply_of(visitor).text == "5"

    asyncio.run(talk())


def test_a_body_that_nobody_names_is_empty(server: Server) -> None:
    async def talk() -> None:
        visitor = Visitor(server.asgi(), scope_of(call("add")["headers"] | {"Content-Length": "0"}))
        visitor.events.put_nowait({"type": "http.request"})
        await visitor.run()
        assert reply_of(visitor).status == 400

    asyncio.run(talk())


@pytest.mark.parametrize(
    "shape",
    [
        lambda pairs: [list(pair) for pair in pairs],
        tuple,
        iter,
        lambda pairs: [(bytearray(name), memoryview(value)) for name, value in pairs],
        lambda pairs: [(name.upper(), b" " + value + b"\t") for name, value in pairs],
    ],
)
def test_headers_may_come_in_any_shape(server: Server, shape: Any) -> None:
    async def talk() -> None:
        request = call("add", {"a": 2, "b": 3})
        scope = scope_of(request["headers"])
        visitor = Visitor(server.asgi(), scope | {"headers": shape(scope["headers"])})
        visitor.say(request["content"])
        await visitor.run()
        assert reply_of(visitor).text == "5"

    asyncio.run(talk())


@pytest.mark.parametrize("header", [None, (b"x",), ("x", b"y"), (b"x", 5), 5])
def test_what_is_no_header_is_an_error_of_the_web_server(server: Server, header: Any) -> None:
    async def talk() -> None:
        scope = scope_of({})
        await Visitor(server.asgi(), scope | {"headers": [*scope["headers"], header]}).run()

    with pytest.raises((TypeError, IndexError)):
        asyncio.run(talk())


def test_handlers_see_each_header_as_it_came(server: Server) -> None:
    seen: dict[str, str] = {}

    @server.tool
    def look(ctx: Context) -> str:
        seen.update(ctx.headers)
        return "seen"

    async def talk() -> None:
        request = call("look")
        scope = scope_of(request["headers"])
        more = [(b"x-twice", b"1"), (b"X-Twice", b"2"), (b"x-high", b"\xe9\xff"), (b"x-none", b"")]
        visitor = Visitor(server.asgi(), scope | {"headers": scope["headers"] + more})
        visitor.say(request["content"])
        await visitor.run()
        assert reply_of(visitor).text == "seen"

    asyncio.run(talk())
    assert (seen["x-twice"], seen["x-high"], seen["x-none"]) == ("1, 2", "\xe9\xff", "")


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ((b"mcp-name", b"add"), 400),
        ((b"content-length", b"0"), 400),
        ((b"host", b"127.0.0.1"), 400),
        ((b"x", b"a\nb"), 400),
        ((b"x y", b"a"), 400),
        ((b"", b"a"), 400),
        ((b"x", b"a" * 100_000), 431),
    ],
)
def test_headers_that_may_not_be_there_are_refused(
    server: Server, header: tuple[bytes, bytes], status: int
) -> None:
    async def talk() -> None:
        request = call("add", {"a": 2, "b": 3})
        length = {"Content-Length": str(len(request["content"]))}
        scope = scope_of(request["headers"] | length)
        visitor = Visitor(server.asgi(), scope | {"headers": [*scope["headers"], header]})
        visitor.say(request["content"])
        await visitor.run()
        assert reply_of(visitor).status == status

    asyncio.run(talk())


def test_each_answer_has_headers_of_its_own(server: Server) -> None:
    async def talk() -> None:
        app = server.asgi()
        for _ in range(2):
            request = call("add", {"a": 2, "b": 3})
            visitor = Visitor(app, scope_of(request["headers"]))
            visitor.say(request["content"])
            await visitor.run()
            start = visitor.sent.get_nowait()
            assert [name for name, _ in start["headers"]] == [b"content-type", b"content-length"]
            # As middleware does.
            start["headers"].append((b"x-mine", b"1"))

    asyncio.run(talk())


def test_get_and_head_are_told_what_is_missing(server: Server) -> None:
    nothing = {"headers": {}, "content": b""}
    assert asyncio.run(ask(server.asgi(), nothing, method="HEAD")).status == 405
    json = {"headers": {"Accept": "application/json"}, "content": b""}
    assert asyncio.run(ask(server.asgi(), json, method="GET")).status == 406
    assert asyncio.run(ask(server.asgi(), nothing, method="DELETE")).status == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Content-Length": "5000000"}, 413),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_a_head_that_is_refused_is_answered_without_the_body(
    server: Server, headers: dict[str, str], status: int
) -> None:
    async def talk() -> None:
        request = call("add", {"a": 2, "b": 3})
        visitor = Visitor(server.asgi(), scope_of(request["headers"] | headers))
        await visitor.run()
        assert (reply_of(visitor).status, visitor.reads) == (status, 0)

    asyncio.run(talk())


def test_a_body_that_is_too_large_is_refused_before_its_end(server: Server) -> None:
    async def talk() -> None:
        visitor = Visitor(server.asgi(body_bytes=1000), scope_of(JSON))
        for _ in range(20):
            visitor.say(b" " * 100, more=True)
        await visitor.run()
        assert reply_of(visitor).status == 413
        assert visitor.reads < 20

    asyncio.run(talk())


def test_a_client_that_leaves_before_the_end_of_its_body_is_not_answered(server: Server) -> None:
    async def talk() -> None:
        request = call("add", {"a": 2, "b": 3})
        visitor = Visitor(server.asgi(), scope_of(request["headers"]))
        visitor.say(request["content"], more=True)
        visitor.leave()
        await visitor.run()
        assert visitor.sent.empty()

    asyncio.run(talk())


def test_hosts_and_origins_can_be_allowed(server: Server) -> None:
    app = server.asgi(allowed_hosts=["example.org"], cors_origins=["https://page.example"])
    own = {"Host": "example.org", "Origin": "https://page.example"}
    request = call("add", {"a": 2, "b": 3})
    request["headers"] |= own
    reply = asyncio.run(ask(app, request))
    assert reply.text == "5"
    assert reply.headers[b"access-control-allow-origin"] == b"https://page.example"
    preflight = {"headers": own | {"Access-Control-Request-Method": "POST"}, "content": b""}
    reply = asyncio.run(ask(app, preflight, method="OPTIONS"))
    assert (reply.status, reply.body) == (204, b"")
    assert b"content-length" not in reply.headers


def test_methods_that_there_are_not_are_named(server: Server) -> None:
    reply = asyncio.run(ask(server.asgi(), {"headers": {}, "content": b""}, method="PUT"))
    assert (reply.status, reply.headers[b"allow"]) == (405, b"POST, GET, DELETE")


def test_handlers_know_the_scope_and_whom_the_application_names(server: Server) -> None:
    app = server.asgi(principal=lambda scope: dict(scope["headers"])[b"x-user"].decode())
    request = call("who")
    request["headers"]["X-User"] = "ada"
    assert asyncio.run(ask(app, request)).text == "ada at /mcp"


def test_a_request_can_be_refused_by_its_headers(server: Server) -> None:
    app = server.asgi(authorize=lambda request: request.header("authorization") and "bob")
    reply = asyncio.run(ask(app, call("who")))
    assert reply.status == 401
    assert reply.headers[b"www-authenticate"].startswith(b"Bearer")
    request = call("who")
    request["headers"]["Authorization"] = "Bearer x"
    assert asyncio.run(ask(app, request)).text == "bob at /mcp"


def test_a_principal_that_cannot_be_told_is_the_error_of_the_application(server: Server) -> None:
    def fail(scope: Any) -> str:
        raise LookupError("no user")

    with pytest.raises(LookupError, match="no user"):
        asyncio.run(ask(server.asgi(principal=fail), call("who")))


def test_a_server_that_is_closed_is_unavailable(server: Server) -> None:
    app = server.asgi()
    server.close()
    reply = asyncio.run(ask(app, call("add", {"a": 2, "b": 3})))
    assert reply.status == 503
    assert b"retry-after" in reply.headers


def test_lifespan_events_are_answered(server: Server) -> None:
    async def talk() -> list[str]:
        visitor = Visitor(server.asgi(), {"type": "lifespan", "asgi": {"version": "3.0"}})
        visitor.events.put_nowait({"type": "lifespan.startup"})
        visitor.events.put_nowait({"type": "lifespan.shutdown"})
        await visitor.run()
        return [visitor.sent.get_nowait()["type"] for _ in range(visitor.sent.qsize())]

    assert asyncio.run(talk()) == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_web_sockets_are_closed(server: Server) -> None:
    async def talk() -> None:
        visitor = Visitor(server.asgi(), {"type": "websocket", "path": "/mcp", "headers": []})
        visitor.events.put_nowait({"type": "websocket.connect"})
        await visitor.run()
        assert visitor.sent.get_nowait() == {"type": "websocket.close"}

    asyncio.run(talk())


def test_what_nobody_knows_is_an_error(server: Server) -> None:
    async def talk() -> None:
        await Visitor(server.asgi(), {"type": "smtp"}).run()

    with pytest.raises(ValueError, match="smtp"):
        asyncio.run(talk())


@pytest.mark.parametrize(
    ("own", "path", "root", "found"),
    [
        ("/mcp", "/mcp", "", "/mcp"),
        ("/mcp", "/mcp/", "", "/mcp"),
        ("/mcp", "/", "", None),
        ("/mcp", "/mcpx", "", None),
        ("/mcp", "/mcp/x", "", None),
        ("/mcp", "/tools", "/tools", "/mcp"),
        ("/mcp", "/tools/", "/tools", "/mcp"),
        ("/mcp", "/tools/", "/tools/", "/mcp"),
        ("/mcp", "/tools/mcp", "/tools", "/mcp"),
        ("/mcp", "/tools/mcp/", "/tools", "/mcp"),
        ("/mcp", "/tools/x", "/tools", None),
        ("/mcp", "/toolsx", "/tools", None),
        ("/mcp", "/mcp", "/mcp", "/mcp"),
        # Where the path is what is below the mount point, as some servers have it.
        ("/mcp", "/", "/tools", "/mcp"),
        ("/mcp", "", "/tools", "/mcp"),
        ("/mcp", "/mcp", "/tools", "/mcp"),
        ("/", "/", "", "/"),
        ("", "/", "", "/"),
        ("/", "/tools", "/tools", "/"),
        ("/mcp/", "/mcp", "", "/mcp/"),
        ("/mcp", "/messages", "", "/messages"),
        ("/mcp", "/sse", "/", "/sse"),
        ("/mcp", "/.well-known/oauth-protected-resource/mcp", "", "="),
        ("/mcp", "/.well-known/oauth-protected-resource", "/.well-known", "="),
        ("/mcp", "/.well-known/other", "", None),
    ],
)
def test_the_endpoint_is_at_its_path_and_where_it_is_mounted(
    own: str, path: str, root: str, found: str | None
) -> None:
    options = {"sse_path": "/sse", "sse_post_path": "/messages", "resource_metadata": "{}"}
    assert Paths(own, options).find(path, root) == (path if found == "=" else found)


def test_paths_that_are_not_switched_on_are_not_ours() -> None:
    for path in ("/sse", "/.well-known/oauth-protected-resource"):
        assert Paths("/mcp", {}).find(path, "") is None


def test_other_paths_are_not_found(server: Server) -> None:
    reply = asyncio.run(ask(server.asgi(), call("add", {"a": 2, "b": 3}), path="/other"))
    assert reply.status == 404


def test_the_mount_point_is_the_endpoint(server: Server) -> None:
    request = call("add", {"a": 2, "b": 3})
    for path in ("/tools", "/tools/", "/tools/mcp"):
        reply = asyncio.run(ask(server.asgi(), request, path=path, root_path="/tools"))
        assert reply.text == "5"


def test_metadata_is_where_clients_look_for_it(server: Server) -> None:
    metadata = {"resource": "https://example.org/mcp"}
    app = server.asgi(resource_metadata=metadata)
    path = "/.well-known/oauth-protected-resource/mcp"
    reply = asyncio.run(ask(app, {"headers": {}, "content": b""}, method="GET", path=path))
    assert reply.json == metadata


def test_a_fallback_gets_everything_else(server: Server) -> None:
    seen: list[str] = []

    async def other(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope.get("path", scope["type"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"other"})

    app = server.asgi(fallback=other)
    assert asyncio.run(ask(app, modern("tools/list"), path="/x")).body == b"other"
    assert asyncio.run(ask(app, call("add", {"a": 2, "b": 3}))).text == "5"

    async def live() -> None:
        await Visitor(app, {"type": "lifespan"}).run()

    asyncio.run(live())
    assert seen == ["/x", "lifespan"]
