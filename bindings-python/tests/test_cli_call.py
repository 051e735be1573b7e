"""`mcplite inspect` and `mcplite call`, with a server that has a bit of everything."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli_support import PATIENCE, SCRIPT, environment, mcplite

SERVER = '''\
import sys
from typing import Literal

from mcplite import Context, Image, Server

print("loading")
server = Server("full", version="2.0", title="The Full One", instructions="Use it.\\n\\nWell.")


@server.tool
def add(a: int, b: int = 2) -> int:
    """Adds two numbers.

    Args:
        a: the first
    """
    print("adding")
    return a + b


@server.tool
def paint(colour: Literal["red", "green"], tags: list[str] = [], deep: bool = False) -> dict:
    """Paints."""
    return {"colour": colour, "tags": tags, "deep": deep}


@server.tool
def fail() -> str:
    """Never works."""
    raise ValueError("it broke")


@server.tool
def report(ctx: Context) -> str:
    """Tells what it does."""
    ctx.progress(1, 2, "half")
    ctx.log("warning", {"heat": 9}, "oven")
    return "told"


@server.tool
async def ask(ctx: Context) -> str:
    """Asks."""
    answer = await ctx.elicit("How many?", int)
    return f"{answer.action}: {answer.data!r}"


@server.tool
def wait(ctx: Context) -> None:
    """Waits for its end."""
    import time

    ctx.progress(0, None, "waiting")
    while True:
        time.sleep(0.01)


@server.tool
def picture() -> Image:
    """Draws."""
    return Image(b"\\x89PNG1234", mime_type="image/png")


@server.resource("cfg://{key}", mime_type="application/json")
def config(key: str) -> dict:
    """A setting."""
    return {"key": key}


@server.resource("bin://data")
def data() -> bytes:
    """Bytes."""
    return b"\\xff\\x00\\xfe"


@server.resource("text://hello", mime_type="text/plain")
def hello() -> str:
    return "hello"


@server.prompt
def review(code: str, style: str = "short") -> str:
    """Reviews code."""
    return f"Review {code}, {style}."
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("call")
    (path / "server.py").write_text(SERVER)
    return path


def call(folder: Path, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return mcplite("call", "server.py", *words, cwd=folder, stdin=stdin)


def test_inspect_shows_a_line_for_everything(folder: Path) -> None:
    told = mcplite("inspect", "server.py", cwd=folder)
    assert told.returncode == 0
    lines = [" ".join(line.split()) for line in told.stdout.splitlines()]
    assert lines[0] == "The Full One 2.0 (2026-07-28)"
    assert lines[1] == "Use it."
    assert "Tools (7)" in lines
    assert "add a: integer, b: integer = 2 Adds two numbers." in lines
    assert any(line.startswith("paint colour: red|green, tags: array of string") for line in lines)
    assert "Resources (2)" in lines
    assert "text://hello text/plain" in lines
    assert "cfg://{key} application/json A setting." in lines
    assert "review code, style? Reviews code." in lines
    assert "\x1b" not in told.stdout
    assert told.stderr == "loading\n"


def test_inspect_gives_the_definitions_of_the_protocol_as_json(folder: Path) -> None:
    told = mcplite("inspect", "server.py", "--json", cwd=folder)
    whole = json.loads(told.stdout)
    assert whole["serverInfo"]["name"] == "full"
    assert whole["protocolVersion"] == "2026-07-28"
    assert whole["instructions"] == "Use it.\n\nWell."
    add = next(tool for tool in whole["tools"] if tool["name"] == "add")
    assert add["inputSchema"]["properties"]["a"] == {"type": "integer", "description": "the first"}
    assert [item["uriTemplate"] for item in whole["resourceTemplates"]] == ["cfg://{key}"]
    assert [prompt["name"] for prompt in whole["prompts"]] == ["review"]


def test_inspect_shows_what_a_client_of_another_era_sees(folder: Path) -> None:
    told = mcplite("inspect", "server.py", "--json", "--era", "2024-11-05", cwd=folder)
    whole = json.loads(told.stdout)
    assert whole["protocolVersion"] == "2024-11-05"
    assert not any("outputSchema" in tool for tool in whole["tools"])


def test_an_era_that_there_is_not_is_wrong_usage(folder: Path) -> None:
    told = mcplite("inspect", "server.py", "--era", "1999-01-01", cwd=folder)
    assert told.returncode == 2
    assert "2025-06-18" in told.stderr


def test_a_server_that_speaks_only_legacy_revisions_is_shown_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(
        "from mcplite import Server\nserver = Server('old', revisions=['2025-06-18'])\n"
    )
    told = mcplite("inspect", "old.py", cwd=tmp_path)
    assert told.stdout.startswith("old 0.0.0  (2025-06-18)\n")
    assert "It offers nothing yet" in told.stdout


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["add", "a=40"], "42\n"),
        (["add", "a=1", "--json", '{"b": 5}'], "6\n"),
        (["--era", "legacy", "add", "b=3", "a=1"], "4\n"),
        (["add", "a=1", "--structured"], '{"result": 3}\n'),
        (["--resource", "cfg://x"], '{"key":"x"}'),
        (["--resource", "text://hello"], "hello"),
        (["--prompt", "review", "code=x = 1"], "user: Review x = 1, short.\n"),
        (["--prompt", "review", "code=1", "style=long"], "user: Review 1, long.\n"),
        (["picture"], "[image, image/png: 8 bytes]\n"),
        (["report"], "told\n"),
    ],
)
def test_a_call_prints_its_result_and_nothing_else(
    folder: Path, words: list[str], output: str
) -> None:
    told = call(folder, *words)
    assert (told.returncode, told.stdout) == (0, output), told.stderr


def test_arguments_are_typed_by_the_schema(folder: Path) -> None:
    told = call(folder, "paint", "colour=red", "tags=1", "tags=b", "deep=yes", "--structured")
    assert json.loads(told.stdout) == {"colour": "red", "tags": ["1", "b"], "deep": True}


def test_arguments_come_from_standard_input_with_a_dash(folder: Path) -> None:
    told = call(folder, "add", "--json", "-", stdin='{"a": 5}')
    assert told.stdout == "7\n"


def test_the_whole_result_is_given_raw(folder: Path) -> None:
    result = json.loads(call(folder, "add", "a=1", "--raw").stdout)
    assert result["content"] == [{"type": "text", "text": "3"}]
    assert result["structuredContent"] == {"result": 3}


def test_bytes_of_a_resource_are_written_as_they_are(folder: Path) -> None:
    told = subprocess.run(
        [SCRIPT, "call", "server.py", "--resource", "bin://data"],
        cwd=folder,
        capture_output=True,
        timeout=PATIENCE,
        env=environment(),
    )
    assert told.stdout == b"\xff\x00\xfe"


def test_progress_logs_and_prints_go_to_standard_error(folder: Path) -> None:
    told = call(folder, "report")
    assert "progress: 1/2 half\n" in told.stderr
    assert 'warning: oven: {"heat": 9}\n' in told.stderr
    assert "adding\n" in call(folder, "add", "a=1").stderr


def test_a_tool_that_fails_is_code_1_and_its_text_on_standard_error(folder: Path) -> None:
    told = call(folder, "fail")
    assert told.returncode == 1
    assert told.stdout == ""
    assert "it broke" in told.stderr.splitlines()[-1]
    assert "mcplite/cli" not in told.stderr


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["nope"], 2, "there is no tool 'nope'"),
        (["ad"], 2, "did you mean add?"),
        (["a=1"], 2, "the name of the tool comes before its arguments"),
        (["add", "a=x"], 2, "a must be an integer"),
        (["add", "c=1"], 2, "there is no argument 'c'"),
        (["add", "--bogus"], 2, "see mcplite call --help"),
        (["add", "a=1", "--raw", "--structured"], 2, "not allowed with"),
        (["--prompt", "reviw"], 2, "did you mean review?"),
        (["--resource", "cfg://x", "a=1"], 2, "takes no arguments"),
        (["add"], 1, '"a"'),
        (["--resource", "none://"], 1, "Resource not found"),
        (["--prompt", "review"], 1, "code"),
        (["picture", "--structured"], 1, "no structured content"),
    ],
)
def test_what_is_wrong_is_told_in_words_and_by_the_exit_code(
    folder: Path, words: list[str], code: int, text: str
) -> None:
    told = call(folder, *words)
    assert told.returncode == code
    assert told.stdout == ""
    assert text in told.stderr
    assert "Traceback" not in told.stderr


def test_without_a_tool_what_can_be_called_is_listed(folder: Path) -> None:
    told = call(folder)
    lines = told.stdout.splitlines()
    assert "mcplite call server.py add a=integer [b=integer]" in lines
    assert "    Adds two numbers." in lines
    assert "mcplite call server.py --resource text://hello" in lines
    assert "mcplite call server.py --resource 'cfg://{key}'" in lines
    assert "mcplite call server.py --prompt review code=… [style=…]" in lines


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_question_is_declined_with_a_note_where_nobody_sits(folder: Path, era: str) -> None:
    told = call(folder, "ask", "--era", era)
    assert told.stdout == "decline: None\n"
    assert "declined, since there is nobody to ask: How many?" in told.stderr


class Terminal:
    """A script with a person in front of it."""

    def __init__(self, *arguments: str, cwd: Path, env: dict[str, str] | None = None) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [SCRIPT, *arguments],
            cwd=cwd,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment(TERM="xterm", **(env or {})),
        )
        os.close(slave)
        self.shown = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def _read(self) -> bool:
        assert select.select([self._master], [], [], PATIENCE)[0], self.shown
        try:
            data = os.read(self._master, 4096)
        except OSError:
            return False
        self.shown += data.decode()
        return bool(data)

    def see(self, text: str) -> None:
        while text not in self.shown:
            assert self._read(), f"{text!r} is not in {self.shown!r}"

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> int:
        while self._read():
            pass
        return self.process.wait(PATIENCE)


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_question_is_asked_at_the_terminal_until_it_is_answered(folder: Path, era: str) -> None:
    with Terminal("call", "server.py", "ask", "--era", era, cwd=folder) as terminal:
        terminal.see("How many?")
        terminal.see(": ")
        terminal.type("many\n")
        terminal.see("must be an integer")
        terminal.type("5\n")
        assert terminal.end() == 0
        assert "accept: 5" in terminal.shown


def test_ctrl_d_declines_a_question(folder: Path) -> None:
    with Terminal("call", "server.py", "ask", cwd=folder) as terminal:
        terminal.see("(integer)")
        terminal.type("\x04")
        assert terminal.end() == 0
        assert "decline: None" in terminal.shown


def test_colours_are_for_terminals_that_want_them(folder: Path) -> None:
    with Terminal("inspect", "server.py", cwd=folder) as terminal:
        assert terminal.end() == 0
        assert "\x1b[" in terminal.shown
    with Terminal("inspect", "server.py", cwd=folder, env={"NO_COLOR": "1"}) as terminal:
        assert terminal.end() == 0
        assert "\x1b[" not in terminal.shown


def test_bytes_are_not_thrown_at_a_terminal(folder: Path) -> None:
    with Terminal("call", "server.py", "--resource", "bin://data", cwd=folder) as terminal:
        assert terminal.end() == 0
        assert "3 bytes: send the output to a file" in terminal.shown


def test_ctrl_c_ends_a_call_with_130(folder: Path) -> None:
    with Terminal("call", "server.py", "wait", cwd=folder) as terminal:
        terminal.see("waiting")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130
        assert "Traceback" not in terminal.shown


def test_a_reader_that_has_seen_enough_is_no_error(folder: Path) -> None:
    told = subprocess.run(
        f"{SCRIPT} inspect server.py --json | head -c 1",
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment(),
    )
    assert told.stdout == "{"
    assert told.stderr == "loading\n"


def test_termination_ends_a_call(folder: Path) -> None:
    with Terminal("call", "server.py", "wait", cwd=folder) as terminal:
        terminal.see("waiting")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.end() == -signal.SIGTERM
