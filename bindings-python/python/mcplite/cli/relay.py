"""Between a client that stays and servers that come and go."""

from __future__ import annotations

import os
from select import select
from time import monotonic

from mcplite.cli.conversation import Conversation
from mcplite.cli.terminal import EXIT_OK, note
from mcplite.cli.watch import INTERVAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcplite.cli.child import Child, Nursery

_ENOUGH = 1 << 20
# A pipe that can be written to takes this much at once without blocking.
_CHUNK = 4096


class Relay:
    """Passes messages between standard input and output and the process that has the server."""

    def __init__(self, nursery: Nursery, *, grace: float, source: int = 0, sink: int = 1) -> None:
        self._nursery = nursery
        self._grace = grace
        self._source = source
        self._sink = sink
        self._talk = Conversation()
        self._child: Child | None = None
        self._state = "none"
        self._deadline = 0.0
        self._reason = ""
        self._next_look = 0.0
        self._is_reporting = False
        self._is_heard_out = False
        self._is_client_gone = False
        self._from_client = b""
        self._from_server = b""
        self._to_client = bytearray()
        self._to_server = bytearray()
        self._held: list[bytes] = []

    def run(self) -> int:
        """Relays until the client is gone and everything is answered."""
        try:
            self._start()
            while not self._is_over():
                self._turn()
                self._step()
        finally:
            self._stop()
        return EXIT_OK

    def _is_over(self) -> bool:
        if self._is_client_gone:
            return True
        return self._is_heard_out and self._child is None and not self._held and not self._to_client

    def _turn(self) -> None:
        """Reads and writes what can be read and written now."""
        child = self._child
        reading, writing = [], []
        if not self._is_heard_out and len(self._to_server) + len(self._held) < _ENOUGH:
            reading.append(self._source)
        if self._to_client:
            writing.append(self._sink)
        if child is not None:
            if len(self._to_client) < _ENOUGH:
                reading.append(child.output)
            if self._is_reporting:
                reading.append(child.reports)
            if self._to_server and not child.is_input_closed:
                writing.append(child.input)
        readable, writable, _ = select(reading, writing, [], INTERVAL / 3)
        if self._sink in writable:
            self._write_client()
        if child is not None:
            if child.input in writable:
                self._write_server(child)
            if child.reports in readable:
                self._is_reporting = child.take_report()
            if child.output in readable:
                self._hear_server(child)
        if self._source in readable:
            self._hear_client()

    def _write_client(self) -> None:
        try:
            count = os.write(self._sink, self._to_client[:_CHUNK])
        except OSError:
            self._is_client_gone = True
        else:
            del self._to_client[:count]

    def _write_server(self, child: Child) -> None:
        try:
            count = os.write(child.input, self._to_server[:_CHUNK])
        except OSError:
            self._to_server.clear()
        else:
            del self._to_server[:count]

    def _hear_client(self) -> None:
        data = os.read(self._source, 65536)
        *lines, self._from_client = (self._from_client + data).split(b"\n")
        if not data:
            self._is_heard_out = True
            lines.append(self._from_client)
        for line in lines:
            if line.strip():
                self._take(line + b"\n")

    def _take(self, line: bytes) -> None:
        if self._state == "none":
            for answer in self._talk.refuse(line, self._reason):
                self._to_client += answer
        elif self._state == "running" or self._talk.concerns_present(line):
            if self._talk.client_says(line):
                self._to_server += line
        else:
            self._held.append(line)

    def _hear_server(self, child: Child) -> None:
        data = os.read(child.output, 65536)
        *lines, self._from_server = (self._from_server + data).split(b"\n")
        for line in lines:
            if line and self._talk.server_says(line):
                self._to_client += line + b"\n"
        if not data:
            self._bury()

    def _step(self) -> None:
        """Goes on with what is under way: reloading, or the end."""
        now = monotonic()
        if now >= self._next_look:
            self._next_look = now + INTERVAL
            self._look(now)
        if self._state == "greeting" and self._talk.is_greeted:
            self._open_up()
        elif self._state == "draining" and (self._talk.is_idle or now >= self._deadline):
            self._state, self._deadline = "stopping", now + self._grace
        if self._state == "running" and self._is_heard_out and not self._to_server:
            self._state, self._deadline = "leaving", now + 3 * self._grace
        if self._state in ("stopping", "leaving") and self._child is not None:
            if not self._to_server:
                self._child.close_input()
            if now >= self._deadline:
                self._child.process.kill()

    def _look(self, now: float) -> None:
        if self._state in ("draining", "stopping", "leaving") or self._is_heard_out:
            return
        changed = self._nursery.look()
        if not changed:
            return
        note(f"{self._nursery.name(changed)} changed, reloading")
        if self._state == "none":
            self._start()
        else:
            self._state = "draining" if self._state == "running" else "stopping"
            self._deadline = now + self._grace

    def _start(self) -> None:
        self._child = self._nursery.start(is_piped=True)
        self._is_reporting = True
        self._from_server = b""
        self._to_server.clear()
        first = self._talk.replay()
        for line in first:
            self._to_server += line
        self._state = "greeting"

    def _open_up(self) -> None:
        for line in self._talk.announce():
            self._to_client += line
        self._state = "running"
        held, self._held = self._held, []
        for line in held:
            self._take(line)

    def _bury(self) -> None:
        """The process has said its last."""
        child, self._child = self._child, None
        if child is None:
            return
        code = child.end(self._grace)
        child.close()
        was, self._state = self._state, "none"
        if was == "stopping":
            self._reason = "the server was reloaded before it answered"
        elif was == "leaving":
            self._reason = "the server ended before it answered"
        else:
            self._reason = self._nursery.tell_end(code)
        for answer in self._talk.abandon(self._reason):
            self._to_client += answer
        if was == "stopping" and (self._held or not self._is_heard_out):
            self._start()
            return
        held, self._held = self._held, []
        for line in held:
            self._take(line)

    def _stop(self) -> None:
        if self._child is not None:
            self._child.close_input()
            self._child.process.terminate()
            self._child.end(1.0)
            self._child.close()
            self._child = None
