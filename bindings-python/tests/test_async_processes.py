"""Async handlers in programs of their own: standard input and output, signals, and the end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import dedent
from typing import Any

import pytest

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}

SERVER = """
import asyncio, sys, threading
from mcplite import Context, Server

server = Server("s")

@server.tool
async def look() -> list[str]:
    task = asyncio.current_task()
    return [threading.current_thread().name, type(task).__name__]

@server.tool
async def meet(ctx: Context) -> str:
    global waiting
    waiting += 1
    if waiting == 2:
        together.set()
    await together.wait()
    return "met"

@server.tool
async def hang(ctx: Context) -> None:
    ctx.progress(1)
    try:
        await asyncio.Event().wait()
    finally:
        print("ended", file=sys.stderr)

@server.tool
def plain(text: str) -> str:
    print("this goes to standard error")
    return f"{text} {threading.current_thread().name}"

waiting = 0
together = asyncio.Event()
"""


class Program:
    """A server on the other side of two pipes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.last = 0
        self.errors: list[str] = []
        self._reader = threading.Thread(target=self._read_errors)
        self._reader.start()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors.extend(self.process.stderr)

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def begin(self, tool: str, **arguments: Any) -> int:
        self.last += 1
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": self.last}}
        request = {"jsonrpc": "2.0", "id": self.last, "method": "tools/call", "params": params}
        self.send(request)
        return self.last

    def call(self, tool: str, **arguments: Any) -> Any:
        id = self.begin(tool, **arguments)
        answer = self.hear()
        assert answer["id"] == id
        return answer["result"]

    def end(self) -> int:
        """Closes standard input and gives the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        code = self.process.wait(30)
        self._reader.join(30)
        return code


@contextmanager
def running(ending: str, *, flags: tuple[str, ...] = ()) -> Iterator[Program]:
    process = subprocess.Popen(
        [sys.executable, "-W", "error", *flags, "-c", SERVER + dedent(ending)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    program = Program(process)
    try:
        program.send(HELLO)
        assert program.hear()["result"]["serverInfo"]["name"] == "s"
        yield program
    finally:
        process.kill()
        program.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            pipe.close()


RUN = "server.run()"
SERVE = "asyncio.run(server.serve_stdio())"
INLINE = "asyncio.run(server.serve_stdio(workers=0))"


@pytest.mark.parametrize("ending", [RUN, SERVE, INLINE])
def test_async_and_def_handlers_are_served_over_stdio(ending: str) -> None:
    with running(ending) as program:
        assert program.call("look")["structuredContent"]["result"] == ["MainThread", "Task"]
        text = program.call("plain", text="hi")["content"][0]["text"]
        assert (text == "hi MainThread") is (ending == INLINE)
        first, second = program.begin("meet"), program.begin("meet")
        answers = [program.hear() for _ in range(2)]
        assert {answer["id"] for answer in answers} == {first, second}
        assert program.end() == 0
    assert program.errors == ["this goes to standard error\n"]


def test_standard_input_that_ends_lets_calls_finish() -> None:
    ending = """
        @server.tool
        async def finish() -> str:
            await asyncio.sleep(0.05)
            return "finished"

        server.run()
    """
    with running(ending) as program:
        id = program.begin("finish")
        assert program.process.stdin is not None
        program.process.stdin.close()
        answer = program.hear()
        assert answer["id"] == id
        assert answer["result"]["content"][0]["text"] == "finished"
        assert program.wait() == 0
    assert program.errors == []


def test_calls_that_do_not_finish_are_cancelled_when_the_grace_is_over() -> None:
    with running("server.run(grace=0.05)") as program:
        program.begin("hang")
        assert program.hear()["method"] == "notifications/progress"
        assert program.end() == 0
    assert program.errors == ["ended\n"]


@pytest.mark.parametrize("ending", ["server.run(grace=0.05)"])
def test_an_interrupt_ends_it_cleanly_with_calls_under_way(ending: str) -> None:
    with running(ending + "\nprint('over', file=sys.stderr)") as program:
        program.begin("hang")
        assert program.hear()["method"] == "notifications/progress"
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == 0
    assert program.errors == ["ended\n", "over\n"]


def test_an_interrupt_ends_it_cleanly_while_nothing_happens() -> None:
    with running("server.run()\nprint('over', file=sys.stderr)") as program:
        program.call("look")
        program.process.send_signal(signal.SIGINT)
        assert program.wait() == 0
    assert program.errors == ["over\n"]


def test_serving_is_a_task_that_can_be_cancelled() -> None:
    ending = """
        async def main() -> None:
            serving = asyncio.create_task(server.serve_stdio(grace=0.05))

            @server.tool
            async def stop() -> str:
                asyncio.get_running_loop().call_soon(serving.cancel)
                return "stopping"

            try:
                await serving
            except asyncio.CancelledError:
                print("cancelled", file=sys.stderr)

        asyncio.run(main())
    """
    with running(ending) as program:
        assert program.call("stop")["content"][0]["text"] == "stopping"
        assert program.wait() == 0
    assert program.errors == ["cancelled\n"]


def test_a_handler_may_shut_its_server_down() -> None:
    ending = """
        @server.tool
        async def leave() -> str:
            server.shutdown()
            return "left"

        server.run()
        print("over", file=sys.stderr)
    """
    with running(ending) as program:
        assert program.call("leave")["content"][0]["text"] == "left"
        assert program.wait() == 0
    assert program.errors == ["over\n"]


def test_debug_mode_and_development_mode_have_nothing_to_say() -> None:
    ending = """
        @server.tool
        async def ask(ctx: Context) -> str:
            await asyncio.sleep(0)
            return str(ctx.can_elicit())

        server.run()
    """
    with running(ending, flags=("-X", "dev")) as program:
        assert program.call("ask")["content"][0]["text"] == "False"
        first = program.begin("hang")
        assert program.hear()["method"] == "notifications/progress"
        note = {"method": "notifications/cancelled", "params": {"requestId": first}}
        program.send({"jsonrpc": "2.0", **note})
        assert program.call("look")["structuredContent"]["result"][0] == "MainThread"
        assert program.end() == 0
    # A machine with much to do is slow, and asyncio says so.
    assert [line for line in program.errors if "Executing" not in line] == ["ended\n"]


def test_a_call_whose_time_is_over_is_answered_and_cancelled() -> None:
    ending = """
        @server.tool(timeout=0.05)
        async def slow() -> None:
            await asyncio.Event().wait()

        @server.tool(timeout=0.05)
        def slow_too(ctx: Context) -> None:
            while not ctx.cancelled:
                pass

        server.run()
    """
    with running(ending) as program:
        assert "deadline" in json.dumps(program.call("slow"))
        assert "deadline" in json.dumps(program.call("slow_too"))
        assert program.end() == 0
    assert program.errors == []


def test_what_serving_needs_and_cannot_have_is_said() -> None:
    code = SERVER + "server.close()\nserver.run()"
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 1
    assert "ClosedError" in ran.stderr.splitlines()[-1]
