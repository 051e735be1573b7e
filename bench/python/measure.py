"""Runs a set-up once with the client in C, checks its answers, and gives what was measured."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from environments import Failure
from setups import FLOOR, MODERN, Setup

CONTENDERS = Path(__file__).resolve().parent / "contenders"
# How long one run may take before its server counts as stuck.
PATIENCE = 90
# The first call, and those that warm a server up before others are timed: as in client/stdio.c.
UNTIMED = 1 + 200
MOST_CALLS = 400_000
# Without what this shell tells Python, such as to write no bytecode or to keep no buffers.
SURROUNDINGS = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}


@dataclass
class Bench:
    """What all measurements need: the client, the interpreters, and room for files."""

    client: Path
    scratch: Path
    interpreters: dict[str, Path]
    # How many calls a set-up answers in a second, as far as is known.
    rates: dict[Setup, float] = field(default_factory=dict)

    def command(self, setup: Setup, *more: str) -> list[str]:
        file, *words = setup.arguments
        if setup.contender == FLOOR:
            return [str(self.client), file, *more[1:]]
        script = [str(CONTENDERS / file)] if file != "-c" else ["-c"]
        return [str(self.interpreters[setup.environment]), *script, *more, *words]

    def run_client(self, *arguments: str) -> dict[str, Any]:
        """Runs the client; raises what it, or the server before it, had to say."""
        log = self.scratch / "stderr"
        with log.open("wb") as stderr:
            try:
                done = subprocess.run(
                    [self.client, *arguments],
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    env=SURROUNDINGS,
                    timeout=2 * PATIENCE,
                )
            except subprocess.TimeoutExpired:
                raise Failure(f"no end after {2 * PATIENCE} s") from None
        if done.returncode != 0:
            raise Failure(_tail(log))
        result: dict[str, Any] = json.loads(done.stdout)
        return result


def measure_import(bench: Bench, setup: Setup) -> dict[str, float]:
    """Time and processor time of an import, as what Python takes longer than for nothing."""
    interpreter = str(bench.interpreters[setup.environment])
    bare = bench.run_client("spawn", interpreter, "-c", "pass")
    full = bench.run_client("spawn", *bench.command(setup))
    return {
        "import_ms": (full["wall_ns"] - bare["wall_ns"]) / 1e6,
        "import_cpu_ms": (full["cpu_ns"] - bare["cpu_ns"]) / 1e6,
    }


def measure_start(bench: Bench, setup: Setup) -> dict[str, float]:
    """Spawn to first reply and memory after the first call, also above those of bare Python."""
    interpreter = str(bench.interpreters[setup.environment])
    nothing = bench.run_client("spawn", interpreter, "-c", "pass")
    answers = str(bench.scratch / "answers")
    common = ("stdio", "0", "0", str(PATIENCE), answers)
    idle = bench.run_client(*common, interpreter, str(CONTENDERS / "bare_stdio.py"))
    server = bench.run_client(*common, *bench.command(setup))
    _check_lines(Path(answers), 1)
    return {
        "first_reply_ms": server["first_reply_ns"] / 1e6,
        "start_over_bare_ms": (server["first_reply_ns"] - nothing["wall_ns"]) / 1e6,
        "rss_mb": server["rss_kb"] / 1024,
        "rss_over_bare_mb": (server["rss_kb"] - idle["rss_kb"]) / 1024,
    }


def measure_calls(bench: Bench, setup: Setup, pings: int, seconds: float) -> dict[str, float]:
    """Calls one after another, then as many at once as are answered in about `seconds`."""
    is_ours = setup.contender == "mcplite"
    if is_ours and setup not in bench.rates:
        bench.rates[setup] = _calls(bench, setup, 1, 20_000)["calls_per_s"]
    rate = bench.rates.get(setup, 500)
    calls = min(max(int(rate * seconds), 20_000 if is_ours else 300), MOST_CALLS)
    measured = _calls(bench, setup, 5 * pings if is_ours else pings, calls)
    bench.rates[setup] = measured["calls_per_s"]
    return measured


def _calls(bench: Bench, setup: Setup, pings: int, calls: int) -> dict[str, float]:
    answers = bench.scratch / "answers"
    common = ("stdio", str(pings), str(calls), str(PATIENCE), str(answers))
    result = bench.run_client(*common, *bench.command(setup))
    if result["exit"] != 0:
        raise Failure(f"ended with code {result['exit']}: {_tail(bench.scratch / 'stderr')}")
    _check_lines(answers, UNTIMED + pings + calls)
    return {
        "p50_us": result["p50_ns"] / 1e3,
        "p99_us": result["p99_ns"] / 1e3,
        "call_cpu_us": result["ping_cpu_ns"] / 1e3 / pings,
        "calls_per_s": calls / result["wall_ns"] * 1e9,
        "calls_per_cpu_s": calls / result["cpu_ns"] * 1e9,
    }


def measure_http(bench: Bench, setup: Setup, seconds: float) -> dict[str, float]:
    """Requests on 1 and on 16 connections to a server that is started for them."""
    measured: dict[str, float] = {}
    with listening(bench, setup) as server:
        for connections in (1, 16):
            measured |= server.measure(connections, seconds)
    return measured


@dataclass(frozen=True)
class Listener:
    """An HTTP server that runs."""

    bench: Bench
    setup: Setup
    port: int
    pid: int
    request: bytes

    def measure(self, connections: int, seconds: float) -> dict[str, float]:
        """Keeps some connections busy, for a third of the time before anything counts."""
        request, bodies = self.bench.scratch / "request", self.bench.scratch / "bodies"
        request.write_bytes(self.request)
        result = self.bench.run_client(
            "http",
            *(str(self.port), str(self.pid), str(connections), str(seconds / 3), str(seconds)),
            *(str(request), str(bodies)),
        )
        if self.setup.answers:
            for index, line in enumerate(bodies.read_text().splitlines()):
                _check_message(json.loads(line), 1000 + index, 42)
        return {
            f"http{connections}_per_s": result["count"] / result["wall_ns"] * 1e9,
            f"http{connections}_per_cpu_s": result["count"] / result["cpu_ns"] * 1e9,
            f"http{connections}_p50_us": result["p50_ns"] / 1e3,
            f"http{connections}_p99_us": result["p99_ns"] / 1e3,
        }

    def body(self) -> str:
        """What it answers to one request."""
        self.measure(1, 0.05)
        return (self.bench.scratch / "bodies").read_text().strip()


@contextmanager
def listening(bench: Bench, setup: Setup, *more: str) -> Iterator[Listener]:
    """Starts an HTTP server, and ends it after use."""
    with socket.create_server(("127.0.0.1", 0)) as placeholder:
        port = placeholder.getsockname()[1]
    log = bench.scratch / f"server-{port}"
    with log.open("wb") as stderr:
        command = [*bench.command(setup, "http", str(port)), *more]
        server = subprocess.Popen(command, stdout=stderr, stderr=stderr, env=SURROUNDINGS)
    try:
        _await_port(server, port)
        yield Listener(bench, setup, port, server.pid, _request(setup, port))
    except Failure as failure:
        raise Failure(f"{failure}\n{_tail(log)}".strip()) from failure
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(3)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.unlink()


def _await_port(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise Failure(f"the server ended with code {server.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise Failure("nobody listens on its port after 30 s")


def _request(setup: Setup, port: int) -> bytes:
    """A call as bytes; the client gives each connection an ID of its own, from 1000 upwards."""
    params: dict[str, Any] = {"name": "add", "arguments": {"a": 40, "b": 2}}
    headers = _headers(port) | {"MCP-Protocol-Version": setup.revision}
    if setup.revision == MODERN:
        headers |= {"Mcp-Method": "tools/call", "Mcp-Name": "add"}
        prefix = "io.modelcontextprotocol/"
        params["_meta"] = {
            prefix + "protocolVersion": MODERN,
            prefix + "clientInfo": {"name": "bench", "version": "1"},
            prefix + "clientCapabilities": {},
        }
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
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", "/mcp", json.dumps(hello), _headers(port))
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
    finally:
        connection.close()
    session = response.headers.get("Mcp-Session-Id")
    if session is None:
        raise Failure(f"initialize opened no session: {response.status} {text[:200]}")
    return session


def _check_lines(answers: Path, count: int) -> None:
    """Every call was answered once and rightly: the sum of its own number and 2."""
    lines = answers.read_bytes().splitlines()
    if len(lines) != count:
        raise Failure(f"{len(lines)} answers instead of {count}")
    seen = set()
    for line in lines:
        message = json.loads(line)
        number = message.get("id") if isinstance(message, dict) else None
        _check_message(message, number, number + 2 if isinstance(number, int) else 0)
        seen.add(number)
    if seen != set(range(1, count + 1)):
        raise Failure("some calls were answered twice and others never")


def _check_message(message: Any, number: object, result: int) -> None:
    if not isinstance(message, dict):
        raise Failure(f"not an answer: {str(message)[:300]}")
    answer = message.get("result", {})
    if (
        message.get("id") != number
        or answer.get("structuredContent") != {"result": result}
        or not answer.get("content")
        or answer.get("isError")
    ):
        raise Failure(f"a wrong answer: {json.dumps(message)[:300]}")


def _tail(log: Path) -> str:
    """The last lines that a program wrote, without the folders of this machine."""
    text = log.read_text(errors="replace").strip()
    text = text.replace(str(CONTENDERS), "contenders").replace(os.getcwd() + os.sep, "")
    return "\n".join(text.splitlines()[-6:])
