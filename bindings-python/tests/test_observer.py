"""Watching what happens, and rewriting errors."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from mcplite import Context, McpError, Server, ToolError
from mcplite.testing import Client

ERAS = ["legacy", "modern"]


@pytest.fixture
def server() -> Server:
    server = Server("s")

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool
    def fail() -> None:
        raise ToolError("it broke", {"at": 7})

    @server.tool
    def refuse() -> None:
        raise McpError(4200, "not now", {"at": 8})

    @server.tool
    async def hang() -> None:
        await asyncio.Event().wait()

    @server.tool
    def ask(ctx: Context) -> str:
        return ctx.elicit("Well?", str).data

    return server


def test_an_observer_sees_requests_begin_and_end(server: Server) -> None:
    events: list[dict[str, Any]] = []

    @server.observer
    def watch(event: dict[str, Any]) -> None:
        events.append(event)

    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with Client(server) as client:
        del events[:]
        client.call_tool("add", {"a": 1, "b": 2}, meta={"traceparent": trace})
        for event in events:
            assert event.pop("duration_us", 0) >= 0
    assert events == [
        {"event": "request-received", "method": "tools/call", "id": 2},
        {"event": "tool-invoked", "name": "add", "outcome": "ok", "traceparent": trace},
        {"event": "request-completed", "method": "tools/call", "id": 2, "outcome": "ok"},
        {"event": "session-closed"},
    ]


@pytest.mark.parametrize("era", ERAS)
def test_an_observer_sees_how_calls_end(server: Server, era: str) -> None:
    outcomes: list[tuple[str, str, int | None]] = []
    done = threading.Event()

    def watch(event: dict[str, Any]) -> None:
        if event["event"] == "tool-invoked":
            outcomes.append((event["name"], event["outcome"], event.get("code")))
            if event["outcome"] == "cancelled":
                done.set()

    server.observer(watch)
    with Client(server, era=era, raise_on_error=False, on_elicit="x") as client:
        client.call("add", a=1, b=2)
        client.call("fail")
        with pytest.raises(McpError):
            client.call("refuse")
        client.call("ask")
        client.begin("tools/call", {"name": "hang", "arguments": {}}).cancel()
        assert done.wait(10)
    assert outcomes == [
        ("add", "ok", None),
        ("fail", "tool-error", None),
        ("refuse", "error", 4200),
        ("ask", "asked", None),
        ("ask", "ok", None),
        ("hang", "cancelled", None),
    ]


def test_an_observer_sees_connections_come_and_go(server: Server) -> None:
    events: list[str] = []
    server.observer(lambda event: events.append(event["event"]))
    server.session().close()
    assert events == ["session-opened", "session-closed"]
    server.observer(None)
    server.session().close()
    assert len(events) == 2


def test_an_observer_sees_http_exchanges(server: Server) -> None:
    events: list[dict[str, Any]] = []
    server.observer(events.append)
    endpoint = server.http("/mcp")
    exchange = endpoint.open("GET", "/other?x=1")
    exchange.headers([(b"Host", b"localhost")])
    exchange.end()
    assert exchange.status == 404
    exchange.close()
    endpoint.close()
    [ended] = [event for event in events if event["event"] == "exchange-ended"]
    assert (ended["method"], ended["status"]) == ("GET", 404)
    assert ended["path"].startswith("/other")


def test_an_error_handler_sees_what_is_to_be_said(server: Server) -> None:
    seen: list[dict[str, Any]] = []

    @server.on_error
    def note(error: dict[str, Any]) -> None:
        seen.append(dict(error))

    with Client(server) as client:
        with pytest.raises(ToolError, match="it broke"):
            client.call("fail")
        with pytest.raises(McpError, match="not now"):
            client.call("refuse")
        with pytest.raises(McpError):
            client.request("no/such")
    failed, refused, unknown = seen
    assert (failed["kind"], failed["message"], failed["data"]) == (
        "tool-failed",
        "it broke",
        {"at": 7},
    )
    assert (failed["as_result"], failed["method"], failed["name"]) == (True, "tools/call", "fail")
    assert (refused["kind"], refused["code"], refused["data"]) == (None, 4200, {"at": 8})
    assert (refused["as_result"], refused["id"]) == (False, 3)
    assert (unknown["kind"], unknown["code"]) == ("unknown-method", -32601)


def test_an_error_handler_rewrites_code_message_and_data(server: Server) -> None:
    @server.on_error
    def rewrite(error: dict[str, Any]) -> dict[str, Any]:
        error["code"] = 4300
        error["message"] = f"sorry: {error['message']}"
        error["data"] = {"was": error["data"]}
        return error

    with Client(server) as client, pytest.raises(McpError) as caught:
        client.call("refuse")
    raised = caught.value
    assert (raised.code, raised.message) == (4300, "sorry: not now")
    assert raised.data == {"was": {"at": 8}}


def test_an_error_handler_removes_data(server: Server) -> None:
    server.on_error(lambda error: error | {"data": None})
    with Client(server) as client, pytest.raises(McpError) as caught:
        client.call("refuse")
    assert caught.value.data is None


def test_an_error_handler_makes_a_result_of_an_error_and_the_other_way_round(
    server: Server,
) -> None:
    server.on_error(lambda error: error | {"as_result": not error["as_result"]})
    with Client(server, raise_on_error=False) as client:
        result = client.call("refuse")
        assert (result.is_error, result.text) == (True, "not now")
        with pytest.raises(McpError, match="it broke"):
            client.call("fail")
        server.on_error(None)
        assert client.call("fail").is_error


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_hooks_raise_is_told_and_changes_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr("sys.unraisablehook", lambda args: told.append(str(args.exc_value)))

    def broken(event: dict[str, Any]) -> None:
        raise RuntimeError(f"broken by {event.get('event') or event['message']}")

    server.observer(broken)
    server.on_error(broken)
    with Client(server) as client:
        assert client.call("add", a=1, b=2).data == 3
        with pytest.raises(McpError, match="not now"):
            client.call("refuse")
    assert "broken by tool-invoked" in told
    assert "broken by not now" in told


def test_an_error_handler_that_gives_half_a_dict_is_told_so(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr("sys.unraisablehook", lambda args: told.append(str(args.exc_value)))
    server.on_error(lambda error: {"message": "other"})
    with Client(server) as client, pytest.raises(McpError, match="not now"):
        client.call("refuse")
    assert told == ["an error handler gives back the dict it was given; code is missing"]
