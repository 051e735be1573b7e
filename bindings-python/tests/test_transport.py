"""Transports: a server on whatever carries messages."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from mcplite import Context, Server
from mcplite.errors import ClosedError, MisuseError
from mcplite.transport import MemoryTransport, Transport, connect, connect_async

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}


def call(id: int, name: str) -> dict[str, Any]:
    params = {"name": name, "arguments": {}}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def answer(id: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}}


class Log(MemoryTransport):
    """Writes down what is done with it."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[str] = []

    def on_message(self, handler: Callable[[dict[str, Any]], None], /) -> None:
        self.events.append("on_message")
        super().on_message(handler)

    def start(self) -> None:
        self.events.append("start")
        super().start()

    def stop(self) -> None:
        self.events.append("stop")
        super().stop()

    def send(self, message: dict[str, Any], /) -> None:
        self.events.append("send")
        super().send(message)


def test_a_message_in_is_an_answer_out() -> None:
    transport = MemoryTransport()
    connection = connect(Server("s"), transport)
    transport.receive(PING)
    assert transport.inbox == [PONG]
    connection.close()


def test_the_server_starts_and_stops_its_transport() -> None:
    server = Server("s")
    transport = MemoryTransport()
    server.start(transport)
    assert transport.is_running
    transport.receive(PING)
    server.stop()
    assert not transport.is_running
    assert transport.inbox == [PONG]


def test_the_handler_is_set_before_the_start_and_everything_sent_before_the_stop() -> None:
    transport = Log()
    connection = connect(Server("s"), transport)
    transport.receive(PING)
    connection.close()
    connection.close()
    assert transport.events == ["on_message", "start", "send", "stop"]


def test_several_messages_leave_in_order() -> None:
    server = Server("s")

    @server.tool
    def talk(ctx: Context) -> str:
        ctx.log("info", "one")
        ctx.log("info", "two")
        return "three"

    transport = MemoryTransport()
    connection = connect(server, transport)
    transport.receive(INITIALIZE)
    transport.receive({"jsonrpc": "2.0", "method": "notifications/initialized"})
    del transport.inbox[:]
    transport.receive(call(1, "talk"))
    connection.close()
    told = [message.get("params", {}).get("data") for message in transport.inbox[:2]]
    assert told == ["one", "two"]
    assert transport.inbox[2:] == [answer(1, "three")]


def test_what_the_server_says_of_itself_leaves_at_once() -> None:
    server = Server("s")

    @server.tool
    def first() -> None: ...

    transport = MemoryTransport()
    connection = connect(server, transport)
    transport.receive(INITIALIZE)
    transport.receive({"jsonrpc": "2.0", "method": "notifications/initialized"})
    del transport.inbox[:]

    @server.tool
    def second() -> None: ...

    method = "notifications/tools/list_changed"
    assert [message["method"] for message in transport.inbox] == [method]
    connection.close()


def test_a_message_may_lead_to_a_message_from_inside_send() -> None:
    class Echo(MemoryTransport):
        def send(self, message: dict[str, Any], /) -> None:
            super().send(message)
            if message["id"] < 5:
                self.receive({**PING, "id": message["id"] + 1})

    transport = Echo()
    connection = connect(Server("s"), transport)
    transport.receive(PING)
    connection.close()
    assert [message["id"] for message in transport.inbox] == [1, 2, 3, 4, 5]


def test_stopping_lets_what_is_in_progress_finish() -> None:
    server = Server("s")
    entered, leave = threading.Event(), threading.Event()

    @server.tool
    async def slow() -> str:
        entered.set()
        await asyncio.get_running_loop().run_in_executor(None, leave.wait)
        return "done"

    transport = MemoryTransport()
    connection = connect(server, transport)
    transport.receive(INITIALIZE)
    transport.receive(call(1, "slow"))
    assert entered.wait(10)
    closing = threading.Thread(target=connection.close)
    closing.start()
    leave.set()
    closing.join(10)
    assert not closing.is_alive()
    assert transport.inbox[-1] == answer(1, "done")
    assert not transport.is_running


def test_what_takes_too_long_is_cancelled_when_the_grace_is_over() -> None:
    server = Server("s")
    entered, cancelled = threading.Event(), threading.Event()

    @server.tool
    async def endless() -> None:
        entered.set()
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    transport = MemoryTransport()
    connection = connect(server, transport)
    transport.receive(INITIALIZE)
    transport.receive(call(1, "endless"))
    assert entered.wait(10)
    connection.close(grace=0.01)
    assert cancelled.wait(10)
    assert [message["id"] for message in transport.inbox] == [0]


def test_a_stopped_server_takes_no_more_messages() -> None:
    transport = MemoryTransport()
    connection = connect(Server("s"), transport)
    connection.close()
    with pytest.raises(MisuseError, match="nobody listens"):
        transport.receive(PING)
    with pytest.raises(ClosedError, match="was stopped"):
        connection.receive(PING)


def test_a_transport_that_nobody_started_says_so() -> None:
    with pytest.raises(MisuseError, match="server.start"):
        MemoryTransport().receive(PING)


def test_a_failed_start_is_raised_and_leaves_nothing_open() -> None:
    class Broken(MemoryTransport):
        def start(self) -> None:
            raise OSError("no such port")

    transport = Broken()
    with pytest.raises(OSError, match="no such port"):
        connect(Server("s"), transport)
    transport.is_running = True
    with pytest.raises(ClosedError):
        transport.receive(PING)


def test_a_transport_that_lacks_a_method_is_told_which() -> None:
    class Mute(MemoryTransport):
        send = Transport.send  # type: ignore[assignment]

    transport = Mute()
    connection = connect(Server("s"), transport)
    with pytest.raises(NotImplementedError, match="send"):
        transport.receive(PING)
    connection.close()


def test_threads_may_hand_in_messages_at_once() -> None:
    server = Server("s")

    @server.tool
    async def later() -> str:
        await asyncio.sleep(0)
        return "done"

    class Careful(MemoryTransport):
        is_sending = False

        def send(self, message: dict[str, Any], /) -> None:
            assert not self.is_sending
            self.is_sending = True
            super().send(message)
            self.is_sending = False

    transport = Careful()
    connection = connect(server, transport)
    transport.receive(INITIALIZE)

    def feed(first: int) -> None:
        for id in range(first, first + 100):
            transport.receive(call(id, "later"))

    threads = [threading.Thread(target=feed, args=(100 * n + 1,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    connection.close()
    assert sorted(message["id"] for message in transport.inbox) == list(range(401))


def test_what_cannot_be_sent_later_is_raised_by_the_stop() -> None:
    server = Server("s")

    class Broken(MemoryTransport):
        def send(self, message: dict[str, Any], /) -> None:
            raise OSError("connection lost")

    transport = Broken()
    server.start(transport)
    with pytest.raises(OSError, match="connection lost"):
        transport.receive(PING)
    with pytest.raises(ClosedError):
        transport.receive(PING)
    server.stop()

    transport = Broken()
    connection = server.start(transport)
    connection._session.notify("notifications/mine")
    with pytest.raises(OSError, match="connection lost"):
        server.stop()
    assert not transport.is_running


def test_a_connection_that_is_dropped_is_gone() -> None:
    transport = MemoryTransport()
    connection = connect(Server("s"), transport)
    weak = weakref.ref(connection)
    transport.on_message(lambda message: None)
    del connection
    assert weak() is None


class AsyncTransport:
    """Carries messages with coroutines, one at a time."""

    def __init__(self) -> None:
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.events: list[str] = []
        self.is_sending = False
        self.handler: Callable[[dict[str, Any]], None]

    def on_message(self, handler: Callable[[dict[str, Any]], None], /) -> None:
        self.handler = handler

    async def start(self) -> None:
        await asyncio.sleep(0)
        self.events.append("start")

    async def stop(self) -> None:
        await asyncio.sleep(0)
        self.events.append("stop")

    async def send(self, message: dict[str, Any], /) -> None:
        assert not self.is_sending
        self.is_sending = True
        await asyncio.sleep(0)
        self.is_sending = False
        self.sent.put_nowait(message)


def test_coroutines_need_the_other_start() -> None:
    with pytest.raises(MisuseError, match="start_async"):
        connect(Server("s"), AsyncTransport())


def test_a_transport_with_coroutines_is_served_on_the_loop() -> None:
    async def main() -> None:
        server = Server("s")

        @server.tool
        async def here() -> str:
            return str(asyncio.get_running_loop() is loop)

        loop = asyncio.get_running_loop()
        transport = AsyncTransport()
        connection = await connect_async(server, transport)
        transport.handler(INITIALIZE)
        transport.handler(PING)
        transport.handler(call(2, "here"))
        async with asyncio.timeout(10):
            answers = [await transport.sent.get() for _ in range(3)]
        assert [message["id"] for message in answers] == [0, 1, 2]
        assert answers[2] == answer(2, "True")
        await connection.close()
        await connection.close()
        assert transport.events == ["start", "stop"]

    asyncio.run(main())


def test_plain_methods_do_for_the_other_start_too() -> None:
    async def main() -> None:
        transport = MemoryTransport()
        connection = await connect_async(Server("s"), transport)
        transport.receive(PING)
        await connection.close()
        assert transport.inbox == [PONG]

    asyncio.run(main())


def test_the_server_starts_and_stops_a_transport_with_coroutines() -> None:
    async def main() -> None:
        server = Server("s")
        transport = AsyncTransport()
        await server.start_async(transport)
        transport.handler(PING)
        await server.stop_async()
        assert transport.events == ["start", "stop"]
        assert transport.sent.get_nowait() == PONG

    asyncio.run(main())


def test_stopping_on_the_loop_lets_what_is_in_progress_finish() -> None:
    async def main() -> None:
        server = Server("s")
        leave = asyncio.Event()

        @server.tool
        async def slow() -> str:
            await leave.wait()
            return "done"

        transport = AsyncTransport()
        connection = await connect_async(server, transport)
        transport.handler(INITIALIZE)
        transport.handler(call(1, "slow"))
        closing = asyncio.create_task(connection.close())
        await asyncio.sleep(0)
        leave.set()
        await closing
        assert [transport.sent.get_nowait()["id"] for _ in range(2)] == [0, 1]

    asyncio.run(main())


def test_a_transport_that_cannot_send_ends_the_connection() -> None:
    class Broken(AsyncTransport):
        async def send(self, message: dict[str, Any], /) -> None:
            raise OSError("connection lost")

    async def main() -> None:
        transport = Broken()
        connection = await connect_async(Server("s"), transport)
        transport.handler(PING)
        with pytest.raises(OSError, match="connection lost"):
            await connection.close()
        assert transport.events == ["start", "stop"]

    asyncio.run(main())


def test_a_failed_start_on_the_loop_is_raised_and_leaves_nothing_open() -> None:
    class Broken(AsyncTransport):
        async def start(self) -> None:
            raise OSError("no such port")

    async def main() -> None:
        transport = Broken()
        with pytest.raises(OSError, match="no such port"):
            await connect_async(Server("s"), transport)
        with pytest.raises(ClosedError):
            transport.handler(PING)

    asyncio.run(main())


def test_what_takes_too_long_on_the_loop_is_cancelled_when_the_grace_is_over() -> None:
    async def main() -> None:
        server = Server("s")
        entered, cancelled = asyncio.Event(), asyncio.Event()

        @server.tool
        async def endless() -> None:
            entered.set()
            try:
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                cancelled.set()
                raise

        transport = AsyncTransport()
        connection = await connect_async(server, transport)
        transport.handler(INITIALIZE)
        transport.handler(call(1, "endless"))
        await entered.wait()
        await connection.close(grace=0.01)
        await cancelled.wait()
        assert transport.sent.get_nowait()["id"] == 0
        assert transport.sent.empty()

    asyncio.run(asyncio.wait_for(main(), 10))


def test_a_transport_is_any_object_with_the_methods() -> None:
    class Minimal:
        def __init__(self) -> None:
            self.handler: Callable[[dict[str, Any]], None]
            self.sent: list[dict[str, Any]] = []

        def start(self) -> Awaitable[None] | None:
            return None

        def stop(self) -> None: ...

        def send(self, message: dict[str, Any], /) -> None:
            self.sent.append(message)

        def on_message(self, handler: Callable[[dict[str, Any]], None], /) -> None:
            self.handler = handler

    transport = Minimal()
    connection = connect(Server("s"), transport)
    transport.handler(PING)
    connection.close()
    assert transport.sent == [PONG]
