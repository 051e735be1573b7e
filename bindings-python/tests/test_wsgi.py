"""Requests through the WSGI application, one at a time."""

from __future__ import annotations

import asyncio
import io
import json
import threading
import time
from typing import Any
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest

from mcplite import Context, Server
from web_support import INITIALIZE, JSON, call, legacy, modern


@pytest.fixture
def server() -> Any:
    server = Server("web", version="1.0")

    @server.tool
    def add(a: int, b: int) -> str:
        return str(a + b)

    @server.tool
    async def multiply(a: int, b: int) -> str:
        return str(a * b)

    @server.tool
    def where() -> str:
        return threading.current_thread().name

    @server.tool
    def who(ctx: Context) -> str:
        return f"{ctx.principal} at {ctx.state['PATH_INFO']}"

    yield server
    server.close()


def environment(
    request: dict[str, Any],
    *,
    method: str = "POST",
    path: str = "/mcp",
    root: str = "",
    query: str = "",
) -> dict[str, Any]:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": root,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "HTTP_HOST": "127.0.0.1",
        "CONTENT_LENGTH": str(len(request["content"])),
        "wsgi.input": io.BytesIO(request["content"]),
    }
    setup_testing_defaults(environ)
    for name, value in request["headers"].items():
        name = name.upper().replace("-", "_")
        environ[name if name == "CONTENT_TYPE" else f"HTTP_{name}"] = value
    return environ


class Reply:
    """A response, with what left while the application was still at work, and the rest."""

    def __init__(
        self, app: Any, environ: dict[str, Any], written: list[bytes] | None = None
    ) -> None:
        self.written = [] if written is None else written
        self.starts = 0
        self.rest = app(environ, self._start)

    def _start(self, status: str, headers: list[tuple[str, str]], _: Any = None) -> Any:
        self.starts += 1
        self.status = int(status.split()[0])
        self.headers = dict(headers)
        return self.written.append

    def read(self) -> bytes:
        """All of the body, if there is an end to it."""
        body = b"".join(self.written) + b"".join(self.rest)
        if hasattr(self.rest, "close"):
            self.rest.close()
        return body

    @property
    def text(self) -> str:
        body = self.read()
        assert self.status == 200, body
        text = json.loads(body)["result"]["content"][0]["text"]
        assert isinstance(text, str)
        return text


def ask(app: Any, request: dict[str, Any], **environ: Any) -> Reply:
    return Reply(app, environment(request, **environ))


def messages(body: bytes) -> list[dict[str, Any]]:
    lines = body.decode().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


def test_a_call_is_answered_with_its_result(server: Server) -> None:
    reply = ask(server.wsgi(), call("add", {"a": 2, "b": 3}))
    assert reply.headers["content-type"] == "application/json"
    length = int(reply.headers["Content-Length"])
    body = reply.read()
    assert len(body) == length
    assert json.loads(body)["result"]["content"][0]["text"] == "5"


def test_the_rules_of_wsgi_are_kept(server: Server) -> None:
    @server.tool
    def count(ctx: Context) -> str:
        ctx.progress(1, 2)
        return "counted"

    app = validator(server.wsgi(listeners=1))
    assert ask(app, call("add", {"a": 2, "b": 3})).text == "5"
    assert len(messages(ask(app, call("count", token="t")).read())) == 2
    stream = ask(app, modern("subscriptions/listen", {"notifications": {}}))
    assert len(messages(next(iter(stream.rest)))) == 1
    stream.rest.close()


def test_tools_run_on_the_thread_of_the_request(server: Server) -> None:
    assert ask(server.wsgi(), call("where")).text == threading.current_thread().name


def test_async_tools_are_waited_for(server: Server) -> None:
    assert ask(server.wsgi(), call("multiply", {"a": 2, "b": 3})).text == "6"


def test_a_session_lives_from_initialize_to_delete(server: Server) -> None:
    app = server.wsgi()
    session = ask(app, INITIALIZE).headers["mcp-session-id"]
    note = ask(app, legacy("notifications/initialized", session=session, id=None))
    assert (note.status, note.read(), note.headers["Content-Length"]) == (202, b"", "0")
    request = legacy("tools/call", {"name": "add", "arguments": {"a": 1, "b": 1}}, session=session)
    assert ask(app, request).text == "2"
    gone = {"headers": {"Mcp-Session-Id": session}, "content": b""}
    assert ask(app, gone, method="DELETE").status in (200, 202, 204)
    assert ask(app, request).status == 404


def test_what_a_tool_reports_leaves_while_it_runs(server: Server) -> None:
    written: list[bytes] = []
    seen: list[int] = []

    @server.tool
    def count(ctx: Context) -> str:
        for step in (1, 2):
            ctx.progress(step, 2)
            seen.append(len(messages(b"".join(written))))
        return "counted"

    reply = Reply(server.wsgi(), environment(call("count", token="t")), written)
    assert seen == [1, 2]
    assert reply.headers["content-type"] == "text/event-stream"
    assert "Content-Length" not in reply.headers
    told = messages(reply.read())
    assert [message.get("method") for message in told] == ["notifications/progress"] * 2 + [None]
    assert told[-1]["result"]["content"][0]["text"] == "counted"
    assert reply.starts == 1


def test_a_client_that_is_gone_cancels_the_call_that_reports_to_it(server: Server) -> None:
    outcomes: list[bool] = []

    @server.tool
    def report(ctx: Context) -> str:
        ctx.progress(1, 2)
        outcomes.append(ctx.cancelled)
        return "done"

    def start(status: str, headers: Any, _: Any = None) -> Any:
        def write(data: bytes) -> None:
            raise BrokenPipeError("gone")

        return write

    with pytest.raises(BrokenPipeError):
        server.wsgi()(environment(call("report", token="t")), start)
    assert outcomes == [True]


def test_the_progress_of_async_tools_is_streamed(server: Server) -> None:
    @server.tool
    async def count(ctx: Context) -> str:
        ctx.progress(1, 2)
        return "counted"

    reply = ask(server.wsgi(), call("count", token="t"))
    told = messages(reply.read())
    assert [message.get("method") for message in told] == ["notifications/progress", None]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_a_head_that_is_refused_is_answered_without_the_body(
    server: Server, headers: dict[str, str], status: int
) -> None:
    request = call("add", {"a": 2, "b": 3})
    request["headers"] |= headers
    environ = environment(request)
    assert Reply(server.wsgi(), environ).status == status
    assert environ["wsgi.input"].tell() == 0


def test_a_body_that_is_too_large_is_refused(server: Server) -> None:
    request = {"headers": JSON, "content": b" " * 2000}
    assert ask(server.wsgi(body_bytes=1000), request).status == 413


def test_a_body_without_a_length_is_read_to_its_end_where_it_has_one(server: Server) -> None:
    environ = environment(call("add", {"a": 2, "b": 3}))
    del environ["CONTENT_LENGTH"]
    environ["wsgi.input_terminated"] = True
    assert Reply(server.wsgi(), environ).text == "5"
    environ = environment(call("add", {"a": 2, "b": 3}))
    del environ["CONTENT_LENGTH"]
    assert Reply(server.wsgi(), environ).status == 400
    assert environ["wsgi.input"].tell() == 0


@pytest.mark.parametrize("length", ["-1", "x", "1_0", "²", "100000"])
def test_a_body_that_is_not_as_long_as_it_should_be_is_refused(server: Server, length: str) -> None:
    environ = environment(call("add", {"a": 2, "b": 3}))
    environ["CONTENT_LENGTH"] = length
    assert Reply(server.wsgi(), environ).status == 400


def test_an_error_while_the_body_is_read_is_passed_on(server: Server) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError("connection lost")

    environ = environment(call("add", {"a": 2, "b": 3}))
    environ["wsgi.input"] = Broken()
    with pytest.raises(OSError, match="connection lost"):
        Reply(server.wsgi(), environ)


def test_handlers_know_the_environment_and_whom_the_application_names(server: Server) -> None:
    request = call("who")
    request["headers"]["X-User"] = "ada"
    app = server.wsgi(principal=lambda environ: environ["HTTP_X_USER"])
    assert ask(app, request).text == "ada at /mcp"


def test_a_request_can_be_refused_by_its_headers(server: Server) -> None:
    app = server.wsgi(authorize=lambda request: request.header("authorization") and "bob")
    assert ask(app, call("who")).status == 401
    request = call("who")
    request["headers"]["Authorization"] = "Bearer x"
    assert ask(app, request).text == "bob at /mcp"


def test_answers_to_head_have_no_body(server: Server) -> None:
    reply = ask(server.wsgi(), {"headers": {}, "content": b""}, method="HEAD")
    assert (reply.status, reply.read()) == (405, b"")


def test_preflights_are_answered(server: Server) -> None:
    own = {"Origin": "https://page.example", "Access-Control-Request-Method": "POST"}
    app = server.wsgi(cors_origins=["https://page.example"])
    reply = ask(app, {"headers": own, "content": b""}, method="OPTIONS")
    assert (reply.status, reply.read()) == (204, b"")
    assert "Content-Length" not in reply.headers


@pytest.mark.parametrize(
    ("root", "path", "status"),
    [
        ("", "/mcp", 200),
        ("", "/mcp/", 200),
        ("", "/", 404),
        ("/tools", "", 200),
        ("/tools", "/", 200),
        ("/tools", "/mcp", 200),
        ("/tools", "/x", 404),
    ],
)
def test_the_endpoint_is_at_its_path_and_where_it_is_mounted(
    server: Server, root: str, path: str, status: int
) -> None:
    request = call("add", {"a": 2, "b": 3})
    assert ask(server.wsgi(), request, path=path, root=root).status == status


def test_a_fallback_gets_everything_else(server: Server) -> None:
    def other(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"other"]

    app = server.wsgi(fallback=other)
    assert ask(app, modern("tools/list"), path="/x").read() == b"other"
    assert ask(app, call("add", {"a": 2, "b": 3})).text == "5"


def test_a_server_that_is_closed_is_unavailable(server: Server) -> None:
    app = server.wsgi()
    server.close()
    assert ask(app, call("add", {"a": 2, "b": 3})).status == 503


def stream_of(app: Any) -> dict[str, Any]:
    session = ask(app, INITIALIZE).headers["mcp-session-id"]
    ask(app, legacy("notifications/initialized", session=session, id=None)).read()
    headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
    return {"headers": headers, "content": b""}


def test_streams_that_stay_open_are_refused_unless_there_is_room(server: Server) -> None:
    app = server.wsgi()
    reply = ask(app, stream_of(app), method="GET")
    assert (reply.status, reply.headers["Allow"]) == (405, "POST, DELETE")
    wanted = {"notifications": {"toolsListChanged": True}}
    assert ask(app, modern("subscriptions/listen", wanted)).status == 503


def test_listeners_are_told_of_changes_and_leave_their_room_to_others(server: Server) -> None:
    app = server.wsgi(listeners=1)
    for number in range(3):
        reply = ask(app, stream_of(app), method="GET")
        assert reply.status == 200
        assert ask(app, stream_of(app), method="GET").status == 405
        pieces = iter(reply.rest)
        server.tool(f"more{number}")(lambda: "more")
        told = next(pieces)
        while not messages(told):
            told = next(pieces)
        assert messages(told)[0]["method"] == "notifications/tools/list_changed"
        reply.rest.close()


def test_a_silent_stream_says_that_it_is_there(server: Server) -> None:
    app = server.wsgi(listeners=1, keepalive_ms=10)
    reply = ask(app, stream_of(app), method="GET")
    pieces = iter(reply.rest)
    assert [next(pieces) for _ in range(3)] == [b":\n\n"] * 3
    reply.rest.close()


def test_sessions_that_nobody_uses_end(server: Server) -> None:
    app = server.wsgi(session_idle_ms=1)
    session = ask(app, INITIALIZE).headers["mcp-session-id"]
    time.sleep(0.01)
    assert ask(app, legacy("tools/list", session=session)).status == 404


def test_async_tools_that_take_too_long_are_ended(server: Server) -> None:
    @server.tool(timeout=0.01)
    async def dawdle() -> str:
        await asyncio.Event().wait()
        return "never"

    reply = json.loads(ask(server.wsgi(), call("dawdle")).read())
    assert "error" in reply or reply["result"]["isError"]
