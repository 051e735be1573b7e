"""Many threads on one server, and the threads that `run` has for handlers."""

from __future__ import annotations

import json
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from mcplite import Server
from process_support import (
    INITIALIZE,
    PATIENCE,
    call,
    notification,
    request,
    serving,
)
from process_support import (
    Server as Process,
)

if TYPE_CHECKING:
    from mcplite import Session

TOOLS = """
import os, sys, threading, time
from mcplite import Context, Server

server = Server("busy", version="1")
released, everybody = threading.Event(), threading.Barrier(4)
running = peak = 0
lock = threading.Lock()

def tell(what):
    print(what, file=sys.stderr, flush=True)

@server.tool
def block(ctx: Context) -> str:
    tell("blocked")
    released.wait()
    return "released"

@server.tool
def release() -> None:
    released.set()

@server.tool
def watch(ctx: Context) -> None:
    tell("watching")
    while not ctx.cancelled:
        time.sleep(0.001)
    tell("cancelled")

@server.tool(timeout=0.1)
def slow(ctx: Context) -> None:
    while not ctx.cancelled:
        time.sleep(0.001)
    tell("timed out")

@server.tool
def meet() -> str:
    everybody.wait()
    return "met"

@server.tool
def count() -> int:
    global running, peak
    with lock:
        running += 1
        peak = max(peak, running)
    time.sleep(0.005)
    with lock:
        running -= 1
    return peak

@server.tool
def talk() -> str:
    print("by print")
    sys.stdout.write("by write\\n")
    sys.stdout.flush()
    os.system("echo by a child")
    os.write(1, b"by the descriptor\\n")
    print("without a flush")
    return "talked"

@server.tool
def listen() -> str:
    return repr(sys.stdin.read())
"""
RUN = TOOLS + "\nserver.run()"
INLINE = TOOLS + "\nserver.run(workers=0)"
ON_A_LOOP = (
    TOOLS
    + """
@server.tool
async def sleep() -> None:
    import asyncio
    tell("asleep")
    await asyncio.sleep(3600)

server.run(grace=0.2)
"""
)


def feed(session: Session, ids: range, size: int) -> list[object]:
    """Calls `echo` with texts of a size; gives the ids that were answered."""
    answered = []
    for number in ids:
        said = session.handle(call(number, "echo", {"text": f"{number:{size}}"})) or b""
        for line in said.split(b"\n") if said else ():
            message = json.loads(line)
            text = message["result"]["content"][0]["text"]
            assert text == f"{message['id']:{size}}"
            answered.append(message["id"])
    return answered


def echoing() -> Server:
    """A server whose tool says what it is told."""
    server = Server("shared")

    @server.tool
    def echo(text: str) -> str:
        return text

    return server


@pytest.mark.parametrize("size", [10, 100_000])
@pytest.mark.parametrize("workers", [0, 4])
def test_eight_threads_share_a_server_and_a_session(size: int, workers: int) -> None:
    server = echoing()
    if workers:
        server._native.attend(workers)
    session = server.session()
    assert session.handle(INITIALIZE) is not None
    each = 200 if size < 1000 else 20
    with ThreadPoolExecutor(8) as pool:
        ranges = [range(at * each, (at + 1) * each) for at in range(8)]
        answered = [
            id for ids in pool.map(lambda ids: feed(session, ids, size), ranges) for id in ids
        ]
    while len(answered) < 8 * each and session.wait(PATIENCE):
        message = session.poll()
        assert message is not None
        answered.append(json.loads(message)["id"])
    assert sorted(answered, key=str) == sorted(range(8 * each), key=str)
    server.close()


def test_eight_threads_have_sessions_of_their_own_while_tools_come_and_go() -> None:
    server = echoing()
    over = threading.Event()

    def meddle() -> None:
        while not over.is_set():
            server.tool("passing")(lambda: "here")
            server.notify_list_changed("tool")
            server.remove_tool("passing")

    def talk(number: int) -> int:
        with server.session() as session:
            assert session.handle(INITIALIZE) is not None
            answered = 0
            for at in range(200):
                said = session.handle(call(at, "echo", {"text": f"{number} {at}"})) or b""
                messages = [json.loads(line) for line in said.split(b"\n") if line]
                replies = [message for message in messages if message.get("id") == at]
                assert replies[0]["result"]["content"][0]["text"] == f"{number} {at}"
                answered += len(replies)
            return answered

    meddler = threading.Thread(target=meddle)
    meddler.start()
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(talk, range(8))) == [200] * 8
    finally:
        over.set()
        meddler.join()


def text_of(message: dict[str, Any]) -> str:
    """The text of a result."""
    text: str = message["result"]["content"][0]["text"]
    return text


def test_the_engine_answers_while_a_tool_is_busy() -> None:
    with serving(RUN) as server:
        server.send(call(1, "block"))
        assert server.error_line() == "blocked"
        assert server.ask(request(2, "ping")) == {"jsonrpc": "2.0", "id": 2, "result": {}}
        assert len(server.ask(request(3, "tools/list"))["result"]["tools"]) == 8
        assert server.ask(call(4, "nobody"))["error"]["code"] == -32602
        server.send(call(5, "release"))
        assert text_of(server.receive_all(2)[1]) == "released"


def test_the_engine_answers_while_a_tool_runs_on_the_thread_that_serves() -> None:
    with serving(INLINE) as server:
        server.send(call(1, "watch"))
        assert server.error_line() == "watching"
        assert server.ask(request(2, "ping"))["result"] == {}
        server.send(notification("notifications/cancelled", {"requestId": 1}))
        assert server.error_line() == "cancelled"
        assert text_of(server.ask(call(3, "listen"))) == "''"


def test_a_blocked_tool_does_not_keep_the_process_alive() -> None:
    with serving(TOOLS + "\nserver.run(grace=0.1)") as server:
        server.send(call(1, "block"))
        assert server.error_line() == "blocked"
        server.end_input()
        assert server.wait() == 0
        assert server.rest()[1] == ""


def test_a_tool_may_finish_when_the_input_has_ended() -> None:
    with serving(TOOLS + f"\nserver.run(grace={PATIENCE})") as server:
        server.send(call(1, "block"), call(2, "release"))
        server.end_input()
        assert text_of(server.receive_all(2)[1]) == "released"
        assert server.wait() == 0


def test_a_tool_that_is_too_slow_is_answered_for_and_told() -> None:
    with serving(RUN) as server:
        said = server.ask(call(1, "slow"))
        assert said["id"] == 1
        assert "error" in said or said["result"]["isError"]
        assert server.error_line() == "timed out"


def test_a_tool_hears_of_its_cancellation() -> None:
    with serving(RUN) as server:
        server.send(call(1, "watch"))
        assert server.error_line() == "watching"
        server.send(notification("notifications/cancelled", {"requestId": 1, "reason": "enough"}))
        assert server.error_line() == "cancelled"
        assert server.ask(request(2, "ping"))["id"] == 2, "a cancelled call has no answer"


def test_tools_that_wait_for_each_other_run_at_the_same_time() -> None:
    with serving(RUN) as server:
        server.send(*(call(number, "meet") for number in range(4)))
        answers = server.receive_all(4)
        assert [text_of(answers[number]) for number in range(4)] == ["met"] * 4


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_tools_run_at_a_time_than_there_are_workers(workers: int) -> None:
    with serving(TOOLS + f"\nserver.run(workers={workers})") as server:
        server.send(*(call(number, "count") for number in range(100)))
        answers = server.receive_all(100)
        peaks = [message["result"]["structuredContent"]["result"] for message in answers.values()]
        assert max(peaks) == workers


@pytest.mark.parametrize("program", [RUN, INLINE, ON_A_LOOP], ids=["pool", "inline", "loop"])
def test_an_interrupt_ends_an_idle_server_in_silence(program: str) -> None:
    with serving(program) as server:
        server.process.send_signal(signal.SIGINT)
        assert server.wait() == 0
        assert server.rest() == ([], "")


@pytest.mark.parametrize(
    ("program", "tool", "sign"),
    [
        (TOOLS + "\nserver.run(grace=0.2)", "block", "blocked"),
        (ON_A_LOOP, "block", "blocked"),
        (ON_A_LOOP, "sleep", "asleep"),
    ],
    ids=["pool", "pool-beside-a-loop", "loop"],
)
def test_an_interrupt_ends_a_busy_server_in_silence(program: str, tool: str, sign: str) -> None:
    with serving(program) as server:
        server.send(call(1, tool))
        assert server.error_line() == sign
        server.process.send_signal(signal.SIGINT)
        assert server.wait() == 0
        said, errors = server.rest()
        assert errors == ""
        assert all(json.loads(line)["id"] == 1 for line in said)


def test_an_interrupt_reaches_a_tool_on_the_thread_that_serves() -> None:
    with serving(INLINE) as server:
        server.send(call(1, "watch"))
        assert server.error_line() == "watching"
        server.process.send_signal(signal.SIGINT)
        assert server.receive()["error"]["code"] == -32603
        assert server.wait() == 0
        assert server.rest() == ([], "")


@pytest.mark.parametrize("program", [RUN, INLINE, ON_A_LOOP], ids=["pool", "inline", "loop"])
def test_what_a_tool_prints_goes_to_standard_error(program: str) -> None:
    with serving(program) as server:
        assert text_of(server.ask(call(1, "talk"))) == "talked"
        server.end_input()
        assert server.wait() == 0
        said, errors = server.rest()
        assert said == []
        assert errors.splitlines() == [
            "by print",
            "by write",
            "by a child",
            "by the descriptor",
            "without a flush",
        ]


def test_a_tool_cannot_read_what_the_client_sends() -> None:
    with serving(RUN) as server:
        assert text_of(server.ask(call(1, "listen"))) == "''"
        end(server)


def end(server: Process) -> None:
    """Ends the input, and expects nothing more."""
    server.end_input()
    assert server.wait() == 0
    assert server.rest() == ([], "")
