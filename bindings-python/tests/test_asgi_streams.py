"""Answers that take their time, or come by pieces, through the ASGI application."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import TYPE_CHECKING, Any

import pytest

from asgi_support import Visitor, ask, reply_of, scope_of
from mcplite import Context, Server, asgi
from web_support import INITIALIZE, call, legacy, modern

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Stage:
    """A server whose tools wait for their cue, and say what becomes of them."""

    def __init__(self, workers: int | None = None) -> None:
        self.server = server = Server("web", version="1.0", workers=workers)
        self.cue = threading.Event()
        self.cancelled = threading.Event()
        self.began = threading.Event()

        @server.tool
        def count(ctx: Context) -> str:
            ctx.progress(1, 2)
            self.began.set()
            self.cue.wait()
            ctx.progress(2, 2)
            return "counted"

        @server.tool
        def block() -> str:
            self.began.set()
            self.cue.wait()
            return "over"

        @server.tool
        async def hang(ctx: Context) -> str:
            self.began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise
            return "never"

        @server.tool
        async def report_and_hang(ctx: Context) -> str:
            ctx.progress(1, 2)
            return await hang(ctx)

        @server.tool(timeout=0.01)
        async def dawdle(ctx: Context) -> str:
            return await hang(ctx)

        @server.tool
        def add(a: int, b: int) -> str:
            return str(a + b)

    async def meet(self, event: threading.Event) -> None:
        """Waits for one of the events without keeping the loop."""
        assert await asyncio.to_thread(event.wait, 20)


@pytest.fixture
def stage() -> Any:
    stage = Stage()
    yield stage
    stage.cue.set()
    stage.server.close()


def run(talk: Callable[[], Awaitable[None]]) -> None:
    """Runs a test on a loop of its own, which nothing may be left on."""

    async def alone() -> None:
        async with asyncio.timeout(20):
            await talk()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left

    asyncio.run(alone(), debug=True)
    gc.collect()


def begin(app: Any, request: dict[str, Any]) -> tuple[Visitor, asyncio.Task[None]]:
    visitor = Visitor(app, scope_of(request["headers"]))
    visitor.say(request["content"])
    return visitor, asyncio.create_task(visitor.run())


def test_progress_leaves_while_the_tool_runs(stage: Stage) -> None:
    async def talk() -> None:
        visitor, task = begin(stage.server.asgi(), call("count", token="t"))
        start = await visitor.sent.get()
        assert dict(start["headers"])[b"content-type"] == b"text/event-stream"
        assert b"content-length" not in dict(start["headers"])
        first = await visitor.message()
        assert first["params"] == {"progressToken": "t", "progress": 1, "total": 2}
        assert not stage.cue.is_set()
        stage.cue.set()
        assert (await visitor.message())["params"]["progress"] == 2
        assert (await visitor.message())["result"]["content"][0]["text"] == "counted"
        await task
        last = visitor.sent.get_nowait()
        assert last["body"] == b""
        assert not last.get("more_body")
        assert visitor.sent.empty()

    run(talk)


def test_a_tool_that_blocks_keeps_nobody_else_waiting(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        visitor, task = begin(app, call("block"))
        await stage.meet(stage.began)
        assert (await ask(app, call("add", {"a": 2, "b": 3}))).text == "5"
        assert (await ask(app, legacy("ping"))).status in (200, 400)
        assert visitor.sent.empty()
        stage.cue.set()
        await task
        assert reply_of(visitor).text == "over"

    run(talk)


def test_a_client_that_leaves_before_the_answer_cancels_its_call(stage: Stage) -> None:
    async def talk() -> None:
        visitor, task = begin(stage.server.asgi(), call("hang"))
        await stage.meet(stage.began)
        visitor.leave()
        await task
        await stage.meet(stage.cancelled)
        assert visitor.sent.empty()

    run(talk)


def test_a_client_that_leaves_in_the_middle_of_a_stream_cancels_its_call(stage: Stage) -> None:
    async def talk() -> None:
        visitor, task = begin(stage.server.asgi(), call("report_and_hang", token="t"))
        await visitor.message()
        assert not stage.cancelled.is_set()
        visitor.leave()
        await task
        await stage.meet(stage.cancelled)
        assert visitor.sent.empty()

    run(talk)


@pytest.mark.parametrize("tool", ["hang", "report_and_hang"])
def test_a_request_whose_task_is_cancelled_cancels_its_call(stage: Stage, tool: str) -> None:
    async def talk() -> None:
        visitor, task = begin(stage.server.asgi(), call(tool, token="t"))
        await stage.meet(stage.began)
        while visitor.reads < 2:
            # Somebody listens for the end of the client by now.
            await asyncio.sleep(asgi._PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await stage.meet(stage.cancelled)

    run(talk)


def test_a_client_whose_connection_breaks_while_it_is_sent_to_cancels_its_call(
    stage: Stage,
) -> None:
    async def talk() -> None:
        request = call("report_and_hang", token="t")
        visitor = Visitor(stage.server.asgi(), scope_of(request["headers"]))
        visitor.say(request["content"])

        async def send(message: Any) -> None:
            if message["type"] == "http.response.body":
                raise OSError("gone")

        visitor._send = send  # type: ignore[method-assign]
        await visitor.run()
        await stage.meet(stage.cancelled)

    run(talk)


def test_a_legacy_call_goes_on_when_its_client_leaves(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        session = (await ask(app, INITIALIZE)).headers[b"mcp-session-id"].decode()
        await ask(app, legacy("notifications/initialized", session=session, id=None))
        params = {"name": "count", "arguments": {}, "_meta": {"progressToken": "t"}}
        visitor, task = begin(app, legacy("tools/call", params, session=session, id=7))
        start = await visitor.sent.get()
        assert start["status"] == 200
        piece = (await visitor.sent.get())["body"].decode()
        while "progressToken" not in piece:
            piece += (await visitor.sent.get())["body"].decode()
        visitor.leave()
        await task
        stage.cue.set()
        event = [line[4:] for line in piece.splitlines() if line.startswith("id: ")][-1]
        again = {"Accept": "text/event-stream", "Mcp-Session-Id": session, "Last-Event-ID": event}
        resumed = await ask(app, {"headers": again, "content": b""}, method="GET")
        assert b"counted" in resumed.body

    run(talk)


def test_a_session_is_told_of_changes_on_its_stream(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        session = (await ask(app, INITIALIZE)).headers[b"mcp-session-id"].decode()
        await ask(app, legacy("notifications/initialized", session=session, id=None))
        headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
        visitor = Visitor(app, scope_of(headers, method="GET"))
        visitor.say(b"")
        task = asyncio.create_task(visitor.run())
        assert (await visitor.sent.get())["status"] == 200
        stage.server.remove_tool("add")
        assert (await visitor.message())["method"] == "notifications/tools/list_changed"
        gone = {"headers": {"Mcp-Session-Id": session}, "content": b""}
        assert (await ask(app, gone, method="DELETE")).status in (200, 202, 204)
        await task

    run(talk)


def test_a_listen_stream_tells_of_changes_until_the_client_leaves(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        wanted = {"notifications": {"toolsListChanged": True}}
        visitor, task = begin(app, modern("subscriptions/listen", wanted))
        acknowledged = await visitor.message()
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        stage.server.remove_tool("add")
        assert (await visitor.message())["method"] == "notifications/tools/list_changed"
        visitor.leave()
        await task

    run(talk)


def test_clients_of_2024_11_05_have_their_two_paths(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi(sse_path="/sse", sse_post_path="/messages")
        visitor = Visitor(app, scope_of({"Accept": "text/event-stream"}, method="GET", path="/sse"))
        visitor.say(b"")
        task = asyncio.create_task(visitor.run())
        await visitor.sent.get()
        announced = (await visitor.sent.get())["body"].decode()
        path, query = announced.partition("data: ")[2].strip().split("?")
        assert path == "/messages"
        assert (await ask(app, INITIALIZE, path=path, query=query)).status == 202
        assert (await visitor.message())["result"]["serverInfo"]["name"] == "web"
        visitor.leave()
        await task
        assert (await ask(app, INITIALIZE, path=path, query=query)).status == 404

    run(talk)


def test_shutdown_ends_listen_streams_properly(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        wanted = {"notifications": {"toolsListChanged": True}}
        visitor, task = begin(app, modern("subscriptions/listen", wanted))
        await visitor.message()
        stage.server.shutdown()
        assert (await visitor.message())["result"]["resultType"] == "complete"
        await task

    run(talk)


@pytest.mark.parametrize("workers", [0, 1])
def test_silent_streams_say_that_they_are_there(workers: int) -> None:
    async def talk() -> None:
        app = Stage(workers).server.asgi(keepalive_ms=10)
        wanted = {"notifications": {"toolsListChanged": True}}
        visitor, task = begin(app, modern("subscriptions/listen", wanted))
        await visitor.message()
        for _ in range(3):
            assert (await visitor.sent.get())["body"] == b":\n\n"
        visitor.leave()
        await task

    run(talk)


@pytest.mark.parametrize("workers", [0, 1])
def test_calls_that_take_too_long_are_ended(workers: int) -> None:
    async def talk() -> None:
        stage = Stage(workers)

        reply = await ask(stage.server.asgi(), call("dawdle"))
        assert "error" in reply.json or reply.json["result"]["isError"]
        await stage.meet(stage.cancelled)

    run(talk)


def test_sessions_that_nobody_uses_end_without_threads_too() -> None:
    async def talk() -> None:
        app = Stage(0).server.asgi(session_idle_ms=1)
        session = (await ask(app, INITIALIZE)).headers[b"mcp-session-id"].decode()
        await asyncio.sleep(0.01)
        assert (await ask(app, legacy("tools/list", session=session))).status == 404

    run(talk)


def test_answers_that_are_there_at_once_are_not_listened_for(stage: Stage) -> None:
    async def talk() -> None:
        request = modern("tools/list")
        visitor = Visitor(stage.server.asgi(), scope_of(request["headers"]))
        visitor.say(request["content"])
        await visitor.run()
        assert reply_of(visitor).status == 200
        assert visitor.reads == 1

    run(talk)


def test_an_error_of_the_web_server_is_passed_on(stage: Stage) -> None:
    async def talk() -> None:
        request = call("hang")
        visitor = Visitor(stage.server.asgi(), scope_of(request["headers"]))
        visitor.say(request["content"])
        receive = visitor._receive

        async def fail() -> dict[str, Any]:
            if visitor.reads:
                raise RuntimeError("no more events")
            return await receive()

        visitor._receive = fail  # type: ignore[method-assign]
        with pytest.raises(RuntimeError, match="no more events"):
            await visitor.run()
        await stage.meet(stage.cancelled)

    run(talk)


def test_a_web_server_that_repeats_itself_does_not_keep_the_loop(stage: Stage) -> None:
    async def talk() -> None:
        app = stage.server.asgi()
        request = call("block")
        visitor = Visitor(app, scope_of(request["headers"]))

        async def repeat() -> dict[str, Any]:
            visitor.reads += 1
            if visitor.reads > 2:
                stage.cue.set()
            return {"type": "http.request", "body": request["content"], "more_body": False}

        visitor._receive = repeat  # type: ignore[method-assign]
        await visitor.run()
        assert reply_of(visitor).text == "over"

    run(talk)


def test_a_loop_that_is_closed_leaves_nobody_behind(stage: Stage) -> None:
    """As servers do that give up on what takes too long."""
    loop = asyncio.new_event_loop()
    request = call("block")
    visitor = Visitor(stage.server.asgi(), scope_of(request["headers"]))
    visitor.say(request["content"])
    task = loop.create_task(visitor.run())
    loop.run_until_complete(stage.meet(stage.began))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    stage.cue.set()


@pytest.mark.parametrize("workers", [0, 1, 8])
def test_many_clients_are_served_at_a_time(workers: int) -> None:
    async def talk() -> None:
        app = Stage(workers).server.asgi()
        replies = await asyncio.gather(
            *(ask(app, call("add", {"a": n, "b": n})) for n in range(200))
        )
        assert [reply.text for reply in replies] == [str(2 * n) for n in range(200)]

    run(talk)
