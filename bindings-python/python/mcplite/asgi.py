"""A server as an ASGI application."""

from __future__ import annotations

from asyncio import get_running_loop, sleep, wait
from collections import deque
from threading import get_ident

from . import _native
from ._paths import Paths
from .errors import ClosedError, LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future, Task, TimerHandle
    from collections.abc import Awaitable, Callable, MutableMapping
    from typing import Any, TypeAlias

    from ._native import Exchange, Http
    from ._native import Server as NativeServer
    from .server import Server

    Scope: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
    Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

__all__ = ["Asgi"]

# Most answers come sooner, and nobody need listen for the client's end until then.
_PATIENCE = 0.05


class Asgi:
    """An ASGI application (version 3) that serves MCP at one path, for clients of every revision.

    `server.asgi()` makes one. It can be served as it is, by uvicorn, hypercorn and others that use
    asyncio, or mounted in another application. It needs no lifespan events: what there is to start
    starts with the first request.

        app = FastAPI()
        app.mount("/tools", server.asgi())

    Served as it is, the endpoint is at `path`. Mounted, the mount point itself is the endpoint,
    whatever `path` says, and so is `path` below it: `/tools` and `/tools/mcp` here. A slash at the
    end makes no difference. Starlette and FastAPI redirect from `/tools` to `/tools/` before they
    ask; `app.routes.append(Route("/tools", server.asgi("/tools")))` does without that.

    `principal` is called with the scope of each request and says who the client is, for
    applications that know already. `fallback` is the application that gets everything else,
    lifespan events too; without it, other paths are answered with 404. All other options are those
    of `server.http()`, `authorize` among them: requests from other machines need `allowed_hosts`.

    Handlers find the scope of their request as `ctx.state`.
    """

    __slots__ = (
        "_desk",
        "_fallback",
        "_http",
        "_native",
        "_own",
        "_paths",
        "_principal",
        "_server",
    )

    def __init__(
        self,
        server: Server,
        path: str = "/mcp",
        *,
        principal: Callable[[Scope], str | None] | None = None,
        fallback: Application | None = None,
        **options: Any,
    ) -> None:
        self._server = server
        self._native = server._native
        self._paths = Paths(path, options)
        self._own = self._paths.own
        self._http = server.http(self._own, **options)
        self._principal = principal
        self._fallback = fallback
        self._desk: _Desk | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            return await self._attend_to_others(scope, receive, send)
        target: str = scope["path"]
        if target != self._own:
            found = self._paths.find(target, scope.get("root_path", ""))
            if found is not None:
                target = found
            elif self._fallback is not None:
                return await self._fallback(scope, receive, send)
        if query := scope.get("query_string"):
            target = f"{target}?{query.decode('latin-1')}"
        loop = get_running_loop()
        desk = self._desk
        if desk is None or desk.loop is not loop:
            desk = self._begin(loop)
        try:
            opened = desk.begin(scope["method"], target, scope["headers"], scope)
        except (ClosedError, LimitError):
            return await _send_both(send, *_unavailable())
        # What the head alone decides is answered before the client is asked for the body.
        if isinstance(opened, tuple):
            return await _send_both(send, *opened)
        exchange = opened
        try:
            if self._principal is not None:
                exchange.set_principal(self._principal(scope))
            event = await receive()
            while event["type"] == "http.request" and event.get("more_body"):
                exchange.body(event.get("body") or b"")
                if (answer := exchange.answer()) is not None:
                    return await _send_both(send, *answer)
                event = await receive()
            if event["type"] != "http.request":
                return None
            finished = desk.finish(exchange, event.get("body") or b"", scope.get("client"))
            if isinstance(finished, tuple):
                answer = finished
            else:
                if finished is not None:
                    await finished
                answer = exchange.answer()
                if answer is None:
                    return await _Visit(desk, exchange, receive, send).answer()
            start, body = answer
        except BaseException:
            exchange.close()
            raise
        try:
            await send(start)
            await send(body)
        except OSError:
            # What servers raise when the client is gone.
            return None

    def _begin(self, loop: AbstractEventLoop) -> _Desk:
        """Has threads run handlers and keep time, unless the server wants none."""
        if self._server.workers:
            self._server._attend()
        self._server._adopt_loop()
        clock = None if self._server.workers else self._native
        self._desk = _Desk(loop, self._http, clock)
        return self._desk

    async def _attend_to_others(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._fallback is not None:
            await self._fallback(scope, receive, send)
        elif scope["type"] == "lifespan":
            event = ""
            while event != "lifespan.shutdown":
                event = (await receive())["type"]
                await send({"type": f"{event}.complete"})
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close"})
        else:
            raise ValueError(f"mcplite serves http, not {scope['type']}")


class _Desk:
    """What the requests on one loop have in common."""

    __slots__ = (
        "_clock",
        "_is_due",
        "_native",
        "_rung",
        "_thread",
        "_timer",
        "_visits",
        "begin",
        "finish",
        "loop",
    )

    def __init__(self, loop: AbstractEventLoop, http: Http, clock: NativeServer | None) -> None:
        self.loop = loop
        # What to keep time for, if no thread does.
        self._clock = clock
        self._thread = get_ident()
        self._visits: set[_Visit] = set()
        self._timer: TimerHandle | None = None
        self._rung: deque[_Visit] = deque()
        self._is_due = False
        self._native = _native.Desk(http, loop, self._watch)
        self.begin = self._native.begin
        self.finish = self._native.finish

    def enter(self, visit: _Visit) -> None:
        """Takes note of somebody who waits."""
        self._visits.add(visit)
        self._watch()

    def leave(self, visit: _Visit) -> None:
        """Nobody waits there any more."""
        self._visits.discard(visit)

    def tell(self, visit: _Visit) -> None:
        """Ends the wait of a visit. Runs on any thread."""
        if get_ident() == self._thread:
            return visit.end_wait()
        self._rung.append(visit)
        if not self._is_due:
            self._is_due = True
            try:
                self.loop.call_soon_threadsafe(self._tell_all)
            except RuntimeError:
                # The loop is closed, and with it everybody who waited.
                return None
        return None

    def _tell_all(self) -> None:
        self._is_due = False
        while self._rung:
            self._rung.popleft().end_wait()

    def _watch(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(_PATIENCE, self._look)

    def _look(self) -> None:
        """Listens for the end of clients that have waited for some time."""
        self._timer = None
        is_watched = self._native.look()
        for visit in self._visits:
            visit.watch()
        if self._clock is not None and self._clock.timeout_ms == 0:
            self._clock.tick()
        if is_watched or (self._clock is not None and self._visits):
            self._watch()


class _Visit:
    """A request whose answer takes its time, or comes by pieces."""

    __slots__ = (
        "_desk",
        "_exchange",
        "_is_gone",
        "_is_rung",
        "_receive",
        "_send",
        "_waiter",
        "_watch",
    )

    def __init__(self, desk: _Desk, exchange: Exchange, receive: Receive, send: Send) -> None:
        self._desk = desk
        self._exchange = exchange
        self._receive = receive
        self._send = send
        self._is_rung = False
        self._is_gone = False
        self._waiter: Future[None] | None = None
        self._watch: Task[None] | None = None

    async def answer(self) -> None:
        """Sends the answer as it comes, as long as the client is there."""
        exchange, send = self._exchange, self._send
        self._desk.enter(self)
        try:
            exchange.set_wake(self._ring)
            while (status := exchange.status) is None:
                if not await self._wait():
                    return exchange.close()
            if (answer := exchange.answer()) is not None:
                await _send_both(send, *answer)
            else:
                await self._stream(status)
        finally:
            self._desk.leave(self)
            # The exchange knows this visit, and should end with the request.
            del self._exchange
            if self._watch is not None:
                self._watch.cancel()
                await wait([self._watch])
                if not self._watch.cancelled():
                    self._watch.result()

    async def _stream(self, status: int) -> None:
        exchange, send = self._exchange, self._send
        try:
            await send(_head(status, exchange.response_headers))
            while True:
                if piece := exchange.poll():
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                elif exchange.is_finished:
                    return await send({"type": "http.response.body", "body": b""})
                elif not await self._wait():
                    return exchange.close()
        except OSError:
            # What servers raise when the client is gone.
            return exchange.close()

    async def _wait(self) -> bool:
        """Waits until there is something to look at; False if the client is gone."""
        if not self._is_rung:
            self._waiter = self._desk.loop.create_future()
            await self._waiter
        self._is_rung = False
        return not self._is_gone

    def _ring(self) -> None:
        if not self._is_rung:
            self._is_rung = True
            self._desk.tell(self)

    def end_wait(self) -> None:
        """There is something to look at."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def watch(self) -> None:
        """Listens for the end of the client."""
        if self._watch is None:
            self._watch = self._desk.loop.create_task(self._watch_client())

    async def _watch_client(self) -> None:
        try:
            while (await self._receive())["type"] != "http.disconnect":
                # There is nothing else to say by now, and whoever does is not listened to at once.
                await sleep(_PATIENCE)
        except OSError:
            # Another way to say that the client is gone.
            return
        finally:
            self._is_gone = True
            self._ring()


async def _send_both(send: Send, start: dict[str, Any], body: dict[str, Any]) -> None:
    try:
        await send(start)
        await send(body)
    except OSError:
        # What servers raise when the client is gone.
        return


def _unavailable() -> tuple[dict[str, Any], dict[str, Any]]:
    headers = [(b"retry-after", b"1"), (b"content-length", b"0")]
    return _head(503, headers), {"type": "http.response.body", "body": b""}


def _head(status: int, headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": headers}
