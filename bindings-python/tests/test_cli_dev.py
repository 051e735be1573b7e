"""`mcplite dev`, with a client that stays while the code changes."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli_support import DEMO, PATIENCE, SCRIPT, Talk, environment

MORE = (
    DEMO
    + '''

@server.tool
def twice(a: int) -> int:
    """Doubles a number."""
    return a * 2
'''
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "server.py"
    path.write_text(DEMO)
    return path


@pytest.fixture
def talk(file: Path) -> Iterator[Talk]:
    with Talk("dev", file, "--grace", "2", cwd=file.parent) as talk:
        yield talk


def test_a_change_gives_new_tools_over_the_same_connection(talk: Talk, file: Path) -> None:
    talk.initialize()
    assert talk.tools() == ["add"]
    file.write_text(MORE)
    talk.notification("notifications/tools/list_changed")
    assert talk.tools() == ["add", "twice"]
    assert talk.call("twice", a=21) == "42"
    assert talk.end() == 0


def test_the_client_sees_neither_the_second_handshake_nor_its_answer(
    talk: Talk, file: Path
) -> None:
    talk.initialize()
    file.write_text(MORE)
    talk.notification("notifications/tools/list_changed")
    assert talk.call("add", a=1) == "3"
    talk.end()
    assert [message.get("id") for message in talk.heard if "method" not in message] == [1, 2]


def test_a_running_call_is_finished_by_the_old_code_and_the_next_runs_in_the_new(
    file: Path,
) -> None:
    gate = file.parent / "gate"
    slow = (
        DEMO
        + f"""

@server.tool
def version() -> str:
    import os, sys, time
    print("waiting", file=sys.stderr, flush=True)
    while not os.path.exists({str(gate)!r}):
        time.sleep(0.01)
    return "old"
"""
    )
    file.write_text(slow)
    with Talk("dev", file, "--grace", "20", cwd=file.parent) as talk:
        talk.initialize()
        first = talk.send("tools/call", {"name": "version", "arguments": {}})
        talk.see("waiting")
        file.write_text(slow.replace('return "old"', 'return "new"'))
        talk.see("reloading")
        second = talk.send("tools/call", {"name": "version", "arguments": {}})
        gate.touch()
        assert talk.answer(first)["result"]["content"][0]["text"] == "old"
        assert talk.answer(second)["result"]["content"][0]["text"] == "new"


def test_a_call_that_does_not_end_in_time_is_answered_with_an_error(file: Path) -> None:
    file.write_text(
        DEMO
        + """

@server.tool
def forever() -> None:
    import sys, time
    print("waiting", file=sys.stderr, flush=True)
    while True:
        time.sleep(0.01)
"""
    )
    with Talk("dev", file, "--grace", "0.2", cwd=file.parent) as talk:
        talk.initialize()
        number = talk.send("tools/call", {"name": "forever", "arguments": {}})
        talk.see("waiting")
        file.write_text(MORE)
        answer = talk.answer(number)
        assert answer["error"]["code"] == -32603
        assert "reloaded" in answer["error"]["message"]
        talk.notification("notifications/tools/list_changed")
        assert talk.tools() == ["add", "twice"]


def test_a_file_that_cannot_be_compiled_leaves_the_old_server_running(
    talk: Talk, file: Path
) -> None:
    talk.initialize()
    file.write_text(DEMO + "\ndef (:\n")
    talk.see("not reloaded: SyntaxError")
    assert talk.call("add", a=1) == "3"
    file.write_text(MORE)
    talk.notification("notifications/tools/list_changed")
    assert talk.call("twice", a=4) == "8"


def test_a_file_that_cannot_be_loaded_is_told_and_a_later_change_heals_it(
    talk: Talk, file: Path
) -> None:
    talk.initialize()
    file.write_text(DEMO + "\nboom\n")
    talk.see("NameError")
    talk.see("waiting for a change")
    answer = talk.answer(talk.send("tools/list"))
    assert "server.py cannot be loaded" in answer["error"]["message"]
    file.write_text(MORE)
    talk.notification("notifications/tools/list_changed")
    assert talk.tools() == ["add", "twice"]


def test_a_server_that_dies_is_told_and_comes_back_with_the_next_change(file: Path) -> None:
    file.write_text(DEMO + "\n\n@server.tool\ndef die() -> None:\n    import os\n    os._exit(7)\n")
    with Talk("dev", file, cwd=file.parent) as talk:
        talk.initialize()
        answer = talk.answer(talk.send("tools/call", {"name": "die", "arguments": {}}))
        assert "exit code 7" in answer["error"]["message"]
        file.write_text(MORE)
        talk.notification("notifications/tools/list_changed")
        assert talk.call("twice", a=4) == "8"


def test_a_change_of_an_imported_file_reloads_too_and_of_another_does_not(file: Path) -> None:
    helper = file.parent / "helper.py"
    helper.write_text("WORD = 'one'\n")
    other = file.parent / "other.py"
    other.write_text("")
    file.write_text(
        DEMO.replace("from mcplite", "import helper\nfrom mcplite")
        + "\n\n@server.tool\ndef word() -> str:\n    return helper.WORD\n"
    )
    with Talk("dev", file, cwd=file.parent) as talk:
        talk.initialize()
        assert talk.call("word") == "one"
        other.write_text("x = 1\n")
        helper.write_text("WORD = 'two'\n")
        talk.see("mcplite: ")
        talk.notification("notifications/tools/list_changed")
        assert talk.errors.startswith("helper.py changed, reloading")
        assert talk.call("word") == "two"


def test_a_listening_modern_client_is_told_on_its_stream(talk: Talk, file: Path) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    number = talk.send(
        "subscriptions/listen", {"notifications": {"toolsListChanged": True}, "_meta": meta}
    )
    talk.notification("notifications/subscriptions/acknowledged")
    file.write_text(MORE)
    told = talk.notification("notifications/tools/list_changed")
    assert told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == number
    tools = talk.request("tools/list", {"_meta": meta})["tools"]
    assert [tool["name"] for tool in tools] == ["add", "twice"]
    methods = [message.get("method") for message in talk.heard]
    assert methods.count("notifications/subscriptions/acknowledged") == 1


def test_the_end_of_input_ends_it_with_everything_answered(talk: Talk) -> None:
    talk.initialize()
    for number in range(50):
        talk.send("tools/call", {"name": "add", "arguments": {"a": number}})
    assert talk.end() == 0
    answers = {m["id"]: m["result"]["content"][0]["text"] for m in talk.heard if m.get("id", 0) > 1}
    assert answers == {number + 2: str(number + 2) for number in range(50)}


def test_large_messages_pass_in_both_directions_at_once(file: Path) -> None:
    echo = "\n\n@server.tool\ndef echo(text: str) -> str:\n    return text\n"
    file.write_text(DEMO + echo)
    with Talk("dev", file, cwd=file.parent) as talk:
        talk.initialize()
        texts = {}
        for number in range(20):
            text = str(number) * 300_000
            texts[talk.send("tools/call", {"name": "echo", "arguments": {"text": text}})] = text
        assert talk.end() == 0
        answers = {
            m["id"]: m["result"]["content"][0]["text"] for m in talk.heard if m["id"] in texts
        }
        assert answers == texts


def test_ctrl_c_ends_it_and_its_server(talk: Talk) -> None:
    talk.initialize()
    talk.process.send_signal(signal.SIGINT)
    assert talk.process.wait(PATIENCE) == 130


def test_over_http_the_server_is_restarted_at_the_same_place(file: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [SCRIPT, "dev", file, "--http", str(port)],
        cwd=file.parent,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stderr is not None
    try:
        assert _tool_names(port) == ["add"]
        file.write_text(MORE)
        while "reloading" not in process.stderr.readline():
            pass
        process.stderr.readline()
        assert _tool_names(port) == ["add", "twice"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def _tool_names(port: int) -> list[str]:
    import json

    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/mcp",
        data=json.dumps(message).encode(),
        headers={
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/list",
        },
    )
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                return [tool["name"] for tool in json.load(response)["result"]["tools"]]
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.02)
