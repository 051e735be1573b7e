"""A server as an ASGI application."""

from __future__ import annotations

from asyncio import get_running_loop, sleep, wait
from collections import deque
from threading import get_ident

from ._paths import Paths
from .errors import ClosedError, LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future, Task, TimerHandle
    from collections.abc import Awaitable, Callable, MutableMapping
    from typing import Any, TypeAlias

    from ._native import Exchange
    from ._native import Server as NativeServer
    from .server import Server

    Scope: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
    Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

__all__ = ["Asgi"]

# Most answers come sooner, and nobody need listen for the client's end until then.
_PATIENCE = 0.05
# How long the loop may stand still for an answer, and for how many calls it does not after that was
# in vain.
_MOMENT = 0.0002
_PAUSE = 8


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
        "_open",
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
        self._open = self._http.begin
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
        if desk.clock is not None and desk.clock.timeout_ms == 0:
            desk.clock.tick()
        try:
            exchange = self._open(scope["method"], target, scope["headers"], scope)
        except (ClosedError, LimitError):
            return await _send_whole(send, 503, [(b"retry-after", b"1")], b"")
        try:
            if self._principal is not None:
                exchange.set_principal(self._principal(scope))
            # What the head alone decides is answered before the client is asked for the body.
            while exchange.status is None:
                event = await receive()
                if event["type"] != "http.request":
                    return None
                body = event.get("body") or b""
                if event.get("more_body"):
                    exchange.body(body)
                    continue
                answer = desk.finish(exchange, body, scope.get("client"))
                if answer is not None:
                    return await _send_whole(send, *answer)
                break
            if exchange.status is None or exchange.is_stream:
                await _Visit(desk, exchange, receive, send).answer()
            else:
                await _send_whole(
                    send, exchange.status, exchange.response_headers, exchange.poll() or b""
                )
        except BaseException:
            exchange.close()
            raise

    def _begin(self, loop: AbstractEventLoop) -> _Desk:
        """Has threads run handlers and keep time, unless the server wants none."""
        if self._server.workers:
            self._server._attend()
        self._server._adopt_loop()
        self._desk = _Desk(loop, self._native, is_alone=not self._server.workers)
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
        "_client",
        "_is_due",
        "_pause",
        "_rung",
        "_thread",
        "_timer",
        "_visits",
        "clock",
        "loop",
    )

    def __init__(self, loop: AbstractEventLoop, native: NativeServer, *, is_alone: bool) -> None:
        self.loop = loop
        # What to keep time for, if no thread does.
        self.clock = native if is_alone else None
        self._thread = get_ident()
        self._visits: set[_Visit] = set()
        self._timer: TimerHandle | None = None
        self._rung: deque[_Visit] = deque()
        self._is_due = False
        self._pause = 0
        # Who has asked last.
        self._client: object = None

    def finish(
        self, exchange: Exchange, body: bytes, client: object
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes] | None:
        """Completes a request; gives the response if it is there, and is no stream.

        Waits a moment for a handler on another thread, which mostly needs no more than that: to go
        through the loop takes longer than most handlers do. Not so where several clients ask: while
        one is waited for, the others could be read.
        """
        if client != self._client:
            self._client = client
            self._pause = _PAUSE
        if self._pause:
            self._pause -= 1
            return exchange.finish(body, 0.0)
        answer = exchange.finish(body, _MOMENT)
        if answer is None and exchange.status is None:
            self._pause = _PAUSE
        return answer

    def enter(self, visit: _Visit) -> None:
        """Takes note of somebody who waits."""
        self._visits.add(visit)
        if self._timer is None:
            self._timer = self.loop.call_later(_PATIENCE, self._look)

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

    def _look(self) -> None:
        """Listens for the end of clients that have waited for some time."""
        for visit in self._visits:
            visit.watch()
        if self.clock is None or not self._visits:
            self._timer = None
            return
        if self.clock.timeout_ms == 0:
            self.clock.tick()
        self._timer = self.loop.call_later(_PATIENCE, self._look)


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
            if exchange.is_stream:
                await self._stream(status)
            else:
                body = exchange.poll() or b""
                await _send_whole(send, status, exchange.response_headers, body)
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


async def _send_whole(
    send: Send, status: int | None, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    if status != 204:
        headers.append((b"content-length", b"%d" % len(body)))
    try:
        await send(_head(status, headers))
        await send({"type": "http.response.body", "body": body})
    except OSError:
        # What servers raise when the client is gone.
        return


def _head(status: int | None, headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": headers}
