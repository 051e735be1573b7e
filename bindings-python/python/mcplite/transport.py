"""Transports: how messages come to a server and leave it, when that is neither stdio nor HTTP.

A transport carries whole messages as dicts. `server.start(transport)` connects it, `server.stop()`
lets requests in progress finish and disconnects it. A transport whose `start`, `stop` or `send` are
coroutines is connected with `await server.start_async(transport)`.
"""

from __future__ import annotations

from _thread import allocate_lock
from _weakref import ref

from . import _native
from .errors import ClosedError, MisuseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Task
    from collections.abc import Awaitable, Callable
    from typing import Any, Protocol, TypeAlias

    from .server import Server

    Incoming: TypeAlias = Callable[[dict[str, Any]], None]
else:
    Protocol = object

__all__ = [
    "AsyncConnection",
    "Connection",
    "MemoryTransport",
    "Transport",
    "connect",
    "connect_async",
]

_GRACE = 5.0


class Transport(Protocol):
    """What carries messages. Any object with these four methods is one."""

    def start(self) -> Awaitable[None] | None:
        """Opens what there is to open. The handler has been set by then."""
        raise NotImplementedError("a transport needs a method start()")

    def stop(self) -> Awaitable[None] | None:
        """Closes what `start` opened. Everything has been sent by then."""
        raise NotImplementedError("a transport needs a method stop()")

    def send(self, message: dict[str, Any], /) -> Awaitable[None] | None:
        """Carries one message to the client. Messages come one at a time, on any thread."""
        raise NotImplementedError("a transport needs a method send(message)")

    def on_message(self, handler: Incoming, /) -> None:
        """Sets what is to be called with each message of the client."""
        raise NotImplementedError("a transport needs a method on_message(handler)")


class MemoryTransport(Transport):
    """A transport within the process.

    `receive` hands messages in, and `inbox` has those that the server sent:

        transport = MemoryTransport()
        server.start(transport)
        transport.receive({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert transport.inbox == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
        server.stop()
    """

    def __init__(self) -> None:
        self.inbox: list[dict[str, Any]] = []
        self.is_running = False
        self._handler: Incoming | None = None

    def start(self) -> None:
        self.is_running = True

    def stop(self) -> None:
        self.is_running = False

    def send(self, message: dict[str, Any], /) -> None:
        self.inbox.append(message)

    def on_message(self, handler: Incoming, /) -> None:
        self._handler = handler

    def receive(self, message: dict[str, Any], /) -> None:
        """Hands in a message, as if a client had sent it."""
        if self._handler is None or not self.is_running:
            raise MisuseError(
                "nobody listens to this transport: call server.start(transport) first"
            )
        self._handler(message)


def connect(
    server: Server, transport: Transport, *, state: object = None, principal: str | None = None
) -> Connection:
    """Connects a client that comes by `transport` to a server, until the connection is closed."""
    connection = Connection(server.session(state=state, principal=principal), transport)
    try:
        transport.on_message(connection.receive)
        _refuse_awaitable(transport.start(), "start")
    except BaseException:
        connection.abandon()
        raise
    return connection


async def connect_async(
    server: Server, transport: Transport, *, state: object = None, principal: str | None = None
) -> AsyncConnection:
    """Does what `connect` does for a transport whose methods may be coroutines."""
    connection = AsyncConnection(server.session(state=state, principal=principal), transport)
    try:
        transport.on_message(connection.receive)
        await _settle(transport.start())
    except BaseException:
        connection.abandon()
        raise
    return connection


class _Link:
    """A session and the messages that it has for its transport, in order."""

    def __init__(self, session: _native.Session, transport: Transport) -> None:
        self._session = session
        self._transport = transport
        self._outgoing: list[dict[str, Any]] = []
        self._failure: BaseException | None = None
        self._is_closed = False
        weak = ref(self)

        def wake() -> None:
            if (link := weak()) is not None:
                link._wake()

        session.set_wake(wake)

    def receive(self, message: dict[str, Any]) -> None:
        """Takes one message of the client. Raises what `send` raised, if it did meanwhile."""
        if self._is_closed:
            raise ClosedError("the server was stopped and takes no more messages")
        output = self._session.handle(_native.dumps(message).encode())
        if output:
            self._outgoing.extend(_native.loads(line) for line in output.split(b"\n") if line)
        self._wake()
        self._raise_failure()

    def abandon(self) -> None:
        """Ends everything at once; what is in progress is cancelled."""
        self._is_closed = True
        self._session.set_wake(None)
        self._session.close()

    def _wake(self) -> None:
        """There may be something to send."""
        raise NotImplementedError

    def _fail(self, error: BaseException) -> None:
        """The transport cannot send, so that the client is gone."""
        self._failure = error
        self._session.close()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def _is_busy(self) -> bool:
        return not (self._session.is_finished or self._session.is_closed)

    def _take(self) -> dict[str, Any] | None:
        if not self._outgoing:
            while (line := self._session.poll()) is not None:
                self._outgoing.append(_native.loads(line))
        return self._outgoing.pop(0) if self._outgoing else None


class Connection(_Link):
    """One client of a server, by way of a transport."""

    def __init__(self, session: _native.Session, transport: Transport) -> None:
        self._sending = allocate_lock()
        self._has_more = False
        super().__init__(session, transport)

    def close(self, grace: float = _GRACE) -> None:
        """Takes no more messages, lets those in progress finish, and stops the transport.

        What has not finished after `grace` seconds is cancelled. If `send` raised, so does this.
        """
        if self._is_closed:
            return
        self._is_closed = True
        from time import monotonic

        end = monotonic() + grace
        try:
            if self._is_busy():
                self._session.end()
                self._wake()
            while self._is_busy() and (left := end - monotonic()) > 0:
                self._session.wait(left)
                self._wake()
            _refuse_awaitable(self._transport.stop(), "stop")
        finally:
            self.abandon()
        self._raise_failure()

    def _wake(self) -> None:
        # Whoever holds the lock also sends what others find: one message at a time, in order.
        self._has_more = True
        while self._has_more and self._sending.acquire(blocking=False):
            try:
                self._has_more = False
                while (message := self._take()) is not None:
                    _refuse_awaitable(self._transport.send(message), "send")
            except Exception as error:  # noqa: BLE001 - it is raised where somebody can see it
                self._fail(error)
            finally:
                self._sending.release()


class AsyncConnection(_Link):
    """One client of a server, by way of a transport with coroutines, on the running loop."""

    def __init__(self, session: _native.Session, transport: Transport) -> None:
        from asyncio import Event, get_running_loop

        self._loop = get_running_loop()
        self._sender: Task[None] | None = None
        self._is_idle = Event()
        super().__init__(session, transport)

    async def close(self, grace: float = _GRACE) -> None:
        """Takes no more messages, lets those in progress finish, and stops the transport.

        What has not finished after `grace` seconds is cancelled. If `send` raised, so does this.
        """
        if self._is_closed:
            return
        self._is_closed = True
        from asyncio import timeout

        try:
            if self._is_busy():
                self._session.end()
                self._kick()
            try:
                async with timeout(grace):
                    while self._is_busy() or self._sender is not None:
                        self._is_idle.clear()
                        await self._is_idle.wait()
            except TimeoutError:
                pass
            await _settle(self._transport.stop())
        finally:
            self.abandon()
            if self._sender is not None:
                self._sender.cancel()
        self._raise_failure()

    def _wake(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._kick)

    def _kick(self) -> None:
        if self._sender is None:
            self._sender = self._loop.create_task(self._send_all())

    async def _send_all(self) -> None:
        try:
            while (message := self._take()) is not None:
                await _settle(self._transport.send(message))
        except Exception as error:  # noqa: BLE001 - it is raised where somebody can see it
            self._fail(error)
        finally:
            self._sender = None
            self._is_idle.set()


def _refuse_awaitable(result: object, name: str) -> None:
    if result is None or not hasattr(result, "__await__"):
        return
    if hasattr(result, "close"):
        result.close()
    raise MisuseError(
        f"{name}() of this transport is a coroutine: use `await server.start_async(transport)`"
    )


async def _settle(result: object) -> None:
    if result is not None and hasattr(result, "__await__"):
        await result
