"""HTTP servers that run, and requests on connections to them that stay open."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.bench import Bench, Failure
from common.setup import HANDSHAKE, MODERN, Setup

# How long a server may take until it listens.
START = 30
# How often the tool tells of its progress.
PROGRESS = 3


@dataclass(frozen=True)
class Listener:
    """An HTTP server that runs."""

    bench: Bench
    setup: Setup
    port: int
    pid: int
    request: bytes
    # What the server writes besides answers.
    log: Path

    def measure(self, connections: int, seconds: float) -> dict[str, float]:
        """Keeps some connections busy, for a third of the time before anything counts."""
        try:
            return self._measure(connections, seconds)
        except Failure as failure:
            raise Failure(f"{failure}\n{self.bench.tail(self.log)}".strip()) from failure

    def _measure(self, connections: int, seconds: float) -> dict[str, float]:
        request, bodies = self.bench.scratch / "request", self.bench.scratch / "bodies"
        request.write_bytes(self.request)
        result = self.bench.run_client(
            "http",
            *(str(self.port), str(self.pid), str(connections), str(seconds / 3), str(seconds)),
            *(str(request), str(bodies)),
        )
        if result["messages"] != (1 + PROGRESS if self.setup.progress else 1):
            raise Failure(f"{result['messages']} messages in answer to a request")
        if self.setup.answers:
            for index, line in enumerate(bodies.read_text().splitlines()):
                # A slow server may not have come to every connection yet.
                if line:
                    self.check(json.loads(line), 1000 + index)
        return {
            f"http{connections}_per_s": result["count"] / result["wall_ns"] * 1e9,
            f"http{connections}_per_cpu_s": result["count"] / result["cpu_ns"] * 1e9,
            f"http{connections}_p50_us": result["p50_ns"] / 1e3,
            f"http{connections}_p99_us": result["p99_ns"] / 1e3,
        }

    @contextmanager
    def on_one_processor(self) -> Iterator[None]:
        """Keeps the server and the client on one processor, the client because it is our child."""
        before = os.sched_getaffinity(0)
        only = {max(before)}
        os.sched_setaffinity(0, only)
        self._move(only)
        try:
            yield
        finally:
            os.sched_setaffinity(0, before)
            self._move(before)

    def _move(self, processors: set[int]) -> None:
        for thread in Path(f"/proc/{self.pid}/task").iterdir():
            # One that has ended meanwhile need not be moved.
            with suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread.name), processors)

    def check(self, message: dict[str, Any], number: int) -> None:
        """The answer, or the last message of a stream, is the right one."""
        if not self.setup.progress:
            self.bench.check_message(message, number, 42)
        elif message.get("id") != number or "done" not in json.dumps(message.get("result")):
            raise Failure(f"a wrong answer: {json.dumps(message)[:300]}")

    def body(self) -> str:
        """What it answers to one request."""
        self.measure(1, 0.05)
        return (self.bench.scratch / "bodies").read_text().strip()


@contextmanager
def listening(bench: Bench, setup: Setup, *more: str) -> Iterator[Listener]:
    """Starts an HTTP server, and ends it after use."""
    port = 0 if bench.tells_port else _free_port()
    log = bench.scratch / f"server-{time.monotonic_ns()}"
    with log.open("wb") as stderr:
        server = subprocess.Popen(
            [*bench.command(setup, "http", str(port)), *more],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if bench.tells_port else stderr,
            stderr=stderr,
            env=bench.surroundings,
        )
    try:
        try:
            if bench.tells_port:
                port = _told_port(server)
            else:
                _await_port(server, port)
            request = _request(setup, port)
        except Failure as failure:
            raise Failure(f"{failure}\n{bench.tail(log)}".strip()) from failure
        yield Listener(bench, setup, port, server.pid, request, log)
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(3)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        if server.stdout is not None:
            server.stdout.close()
        log.unlink()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as placeholder:
        port: int = placeholder.getsockname()[1]
        return port


def _told_port(server: subprocess.Popen[bytes]) -> int:
    """The port of a server that writes it as its first line."""
    assert server.stdout is not None
    ready, _, _ = select.select([server.stdout], [], [], START)
    if not ready:
        raise Failure(f"does not listen after {START} s")
    line = server.stdout.readline().strip()
    if not line.isdigit():
        raise Failure(f"the server tells no port: {line.decode(errors='replace')}".strip())
    return int(line)


def _await_port(server: subprocess.Popen[bytes], port: int) -> None:
    """Tries until somebody listens: servers that are started by frameworks do not say when."""
    deadline = time.monotonic() + START
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise Failure(f"the server ended with code {server.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise Failure(f"nobody listens on its port after {START} s")


def _request(setup: Setup, port: int) -> bytes:
    """A call as bytes; the client gives each connection numbers of its own, from 1000 upwards."""
    name, arguments = ("progress", {}) if setup.progress else ("add", {"a": 40, "b": 2})
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    meta: dict[str, Any] = {"progressToken": 1000} if setup.progress else {}
    headers = _headers(port) | {"MCP-Protocol-Version": setup.revision}
    if setup.revision == MODERN:
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": name}
        prefix = "io.modelcontextprotocol/"
        meta |= {
            prefix + "protocolVersion": MODERN,
            prefix + "clientInfo": {"name": "bench", "version": "1"},
            prefix + "clientCapabilities": {},
        }
    if meta:
        params["_meta"] = meta
    if setup.session:
        headers["Mcp-Session-Id"] = _open_session(port)
    message = {"jsonrpc": "2.0", "id": 1000, "method": "tools/call", "params": params}
    body = json.dumps(message, separators=(",", ":"))
    headers["Content-Length"] = str(len(body))
    lines = [f"{name}: {value}\r\n" for name, value in headers.items()]
    return f"POST /mcp HTTP/1.1\r\n{''.join(lines)}\r\n{body}".encode()


def _headers(port: int) -> dict[str, str]:
    return {
        "Host": f"127.0.0.1:{port}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }


def _open_session(port: int) -> str:
    """Greets a server as clients before 2026-07-28 do, and gives the ID of the session."""
    params = {
        "protocolVersion": HANDSHAKE,
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", "/mcp", json.dumps(hello), _headers(port))
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
        session = response.headers.get("Mcp-Session-Id")
        if session is None:
            raise Failure(f"initialize opened no session: {response.status} {text[:200]}")
        greeted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        inside = {"Mcp-Session-Id": session, "MCP-Protocol-Version": HANDSHAKE}
        connection.request("POST", "/mcp", json.dumps(greeted), _headers(port) | inside)
        connection.getresponse().read()
    finally:
        connection.close()
    return session
