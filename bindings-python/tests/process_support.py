"""Messages, and Python programs as processes of their own."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import mcplite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PATIENCE = 60.0
"""Seconds after which something that should have happened will not happen any more."""

PACKAGES = Path(mcplite.__file__).resolve().parents[1]


def request(id: object, method: str, params: dict[str, Any] | None = None) -> bytes:
    """A request of a client before 2026-07-28."""
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}
    return json.dumps(message).encode()


def call(id: object, tool: str, arguments: dict[str, Any] | None = None) -> bytes:
    """A call of a tool."""
    return request(id, "tools/call", {"name": tool, "arguments": arguments or {}})


def notification(method: str, params: dict[str, Any] | None = None) -> bytes:
    """A message that gets no answer."""
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}}).encode()


INITIALIZE = request(
    "init",
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
)


def run_program(
    program: str,
    *,
    stdin: bytes | None = None,
    python: Sequence[str] = (sys.executable,),
    patience: float = PATIENCE,
) -> subprocess.CompletedProcess[bytes]:
    """Runs a program to its end, with warnings as errors."""
    return subprocess.run(
        [*python, "-W", "error", "-c", dedent(program)],
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        check=False,
        timeout=patience,
        env=_environment(),
    )


def _environment() -> dict[str, str]:
    # Other versions of Python have no packages of their own.
    return os.environ | {"PYTHONPATH": str(PACKAGES), "RUST_BACKTRACE": "0"}


class Server:
    """A program that serves standard input and output."""

    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", dedent(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
        )
        self._lines: dict[str, queue.Queue[bytes | None]] = {}
        for name in ("stdout", "stderr"):
            self._lines[name] = queue.Queue()
            threading.Thread(target=self._read, args=(name,), daemon=True).start()

    def _read(self, name: str) -> None:
        for line in getattr(self.process, name):
            self._lines[name].put(line)
        self._lines[name].put(None)

    def send(self, *messages: bytes) -> None:
        """Sends messages, each as a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(message + b"\n" for message in messages))
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next message of the server."""
        line = self._lines["stdout"].get(timeout=PATIENCE)
        assert line is not None, "the server has ended"
        message: dict[str, Any] = json.loads(line)
        return message

    def receive_all(self, count: int) -> dict[object, dict[str, Any]]:
        """The next messages of the server, by their ids."""
        messages = [self.receive() for _ in range(count)]
        return {message["id"]: message for message in messages}

    def ask(self, message: bytes) -> dict[str, Any]:
        """Sends a request and waits for the next message."""
        self.send(message)
        return self.receive()

    def initialize(self) -> None:
        """Goes through the handshake."""
        assert "result" in self.ask(INITIALIZE)
        self.send(notification("notifications/initialized"))

    def error_line(self) -> str:
        """The next line on standard error."""
        line = self._lines["stderr"].get(timeout=PATIENCE)
        assert line is not None, "the server has ended"
        return line.decode().rstrip("\n")

    def end_input(self) -> None:
        """Says that nothing more will come."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self) -> int:
        """Waits for the end; gives the exit code."""
        return self.process.wait(PATIENCE)

    def rest(self) -> tuple[list[bytes], str]:
        """What is left of both outputs when the process has ended."""
        out, errors = (self._drained(name) for name in ("stdout", "stderr"))
        return out, b"".join(errors).decode()

    def _drained(self, name: str) -> list[bytes]:
        lines = []
        while (line := self._lines[name].get(timeout=PATIENCE)) is not None:
            lines.append(line)
        return lines


@contextmanager
def serving(program: str) -> Iterator[Server]:
    """A server that has shaken hands; it is killed at the end if it still lives."""
    with started(program) as server:
        server.initialize()
        yield server


@contextmanager
def started(program: str) -> Iterator[Server]:
    """A server that nobody has talked to; it is killed at the end if it still lives."""
    server = Server(program)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        for stream in (server.process.stdin, server.process.stdout, server.process.stderr):
            assert stream is not None
            stream.close()


def seconds_since(start: float) -> float:
    """How long ago that was, by `time.monotonic`."""
    return time.monotonic() - start
