"""`mcplite run`: finding the server of a file, and serving it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli_support import DEMO, PATIENCE, SCRIPT, Talk, environment, mcplite
from mcplite.cli.options import Options, add_options, plain
from mcplite.cli.parsing import Parser


def write(folder: Path, text: str, name: str = "server.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("target", ["server.py", "server.py:server", "server", "server:server"])
def test_the_server_of_a_file_or_module_is_served_over_stdio(tmp_path: Path, target: str) -> None:
    write(tmp_path, DEMO)
    with Talk("run", target, cwd=tmp_path) as talk:
        assert talk.initialize()["serverInfo"]["name"] == "demo"
        assert talk.call("add", a=40) == "42"
        assert talk.end() == 0


def test_python_dash_m_is_the_same_command(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "mcplite", "--help"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd=tmp_path,
    )
    assert told.returncode == 0
    assert told.stdout == mcplite("--help", cwd=tmp_path).stdout


def test_nothing_but_messages_is_on_standard_output(tmp_path: Path) -> None:
    write(
        tmp_path,
        "import os, subprocess, sys\n"
        "print('from import')\n"
        "os.write(1, b'from descriptor\\n')\n"
        "subprocess.run([sys.executable, '-c', 'print(\"from child\")'])\n"
        "keep = sys.stdout\n" + DEMO + "\n\n@server.tool\ndef noisy() -> str:\n"
        "    print('from tool')\n    print('kept', file=keep, end='')\n    return 'done'\n",
    )
    with Talk("run", "server.py", cwd=tmp_path) as talk:
        talk.initialize()
        assert talk.call("noisy") == "done"
        assert talk.end() == 0
        shown = talk.errors_to_end()
        for text in ("from import", "from descriptor", "from child", "from tool", "kept"):
            assert text in shown
        assert len(talk.heard) == 2


def test_a_tool_that_is_the_first_to_import_threading_does_not_keep_the_process_alive(
    tmp_path: Path,
) -> None:
    tool = "\n\n@server.tool\ndef late() -> str:\n    import threading\n"
    write(tmp_path, DEMO + tool + "    return threading.main_thread().name\n")
    with Talk("run", "server.py", cwd=tmp_path) as talk:
        talk.initialize()
        assert talk.call("late") == "MainThread"
        assert talk.end() == 0


def test_what_a_file_reads_from_standard_input_while_it_loads_is_not_the_clients(
    tmp_path: Path,
) -> None:
    write(tmp_path, "import sys\nassert sys.stdin.read() == ''\n" + DEMO)
    with Talk("run", "server.py", cwd=tmp_path) as talk:
        talk.initialize()
        assert talk.tools() == ["add"]


def test_the_folder_of_the_file_comes_first_and_its_name_is_not_main(tmp_path: Path) -> None:
    write(tmp_path, "WORD = 'found'\n", "inner/helper.py")
    write(
        tmp_path,
        "import helper\n"
        + DEMO
        + "\n\n@server.tool\ndef word() -> str:\n    return helper.WORD + ' ' + __name__\n"
        "\nif __name__ == '__main__':\n    raise SystemExit('no')\n",
        "inner/server.py",
    )
    with Talk("run", "inner/server.py", cwd=tmp_path) as talk:
        talk.initialize()
        assert talk.call("word") == "found server"


def test_a_file_named_like_an_imported_module_hides_nothing(tmp_path: Path) -> None:
    write(tmp_path, DEMO, "mcplite.py")
    with Talk("run", "mcplite.py", cwd=tmp_path) as talk:
        talk.initialize()
        assert talk.call("add", a=1) == "3"


def test_a_function_that_makes_the_server_is_called_when_it_is_named(tmp_path: Path) -> None:
    body = DEMO.replace("\n", "\n    ").rstrip()
    write(tmp_path, f"def make():\n    {body}\n    return server\n")
    with Talk("run", "server.py:make", cwd=tmp_path) as talk:
        talk.initialize()
        assert talk.call("add", a=1) == "3"


@pytest.mark.parametrize("start", ["server.run()", "server.run_http(port=1)"])
def test_a_file_that_runs_its_server_when_imported_is_served_all_the_same(
    tmp_path: Path, start: str
) -> None:
    write(tmp_path, DEMO + f"\n{start}\nraise RuntimeError('not reached')\n")
    with Talk("run", "server.py", cwd=tmp_path) as talk:
        talk.initialize()
        assert talk.call("add", a=1) == "3"


def test_options_change_how_tools_run(tmp_path: Path) -> None:
    write(
        tmp_path,
        "import threading\n" + DEMO + "\n\n@server.tool\ndef thread() -> str:\n"
        "    return str(threading.current_thread() is threading.main_thread())\n",
    )
    for option, is_main in (("--inline", "True"), ("--workers=2", "False")):
        with Talk("run", "server.py", option, cwd=tmp_path) as talk:
            talk.initialize()
            assert talk.call("thread") == is_main
            assert talk.end() == 0


def test_a_directory_is_changed_to_before_anything_is_imported(tmp_path: Path) -> None:
    write(tmp_path, DEMO, "inner/package/tools.py")
    with Talk("run", "package.tools", "--directory", "inner", cwd=tmp_path) as talk:
        talk.initialize()
        assert talk.tools() == ["add"]


@pytest.mark.parametrize(
    ("text", "target", "message", "hint"),
    [
        ("x = 1\n", "server.py", "there is no server in server.py", "Server(…)"),
        (
            "from mcplite import Server\na = Server('a')\nb = Server('b')\nc = a\n",
            "server.py",
            "there are 2 servers in server.py: a, b",
            "server.py:a or server.py:b",
        ),
        (DEMO, "server.py:other", "there is no 'other' in server.py", "servers there: server"),
        (DEMO + "x = 1\n", "server.py:x", "x in server.py is no server but an int", "function"),
        (
            "from mcplite import Server\ndef make() -> Server:\n    return Server('a')\n",
            "server.py",
            "there is no server in server.py",
            "server.py:make",
        ),
        ("def make():\n    1 / 0\n", "server.py:make", "make() in server.py failed", "ZeroDiv"),
        ("from . import x\n", "server.py", "relative import", "package.server"),
        ("import nowhere_at_all\n", "server.py", "No module named", "is not installed for"),
        ("raise SystemExit('no key')\n", "server.py", "ended the program", "no key"),
        ("", "nope.py", "there is no file nope.py", "looked in"),
        ("", "nope.module", "there is no module nope.module", "looked in"),
        ("", ".", "is a folder", "name the file"),
    ],
)
def test_a_server_that_cannot_be_found_is_told_with_what_to_do(
    tmp_path: Path, text: str, target: str, message: str, hint: str
) -> None:
    write(tmp_path, text)
    told = mcplite("run", target if target != "." else tmp_path, cwd=tmp_path)
    assert told.returncode == 3
    assert told.stdout == ""
    assert message in told.stderr
    assert hint in told.stderr
    assert "mcplite/cli" not in told.stderr


def test_an_error_in_the_file_is_shown_with_the_users_lines_only(tmp_path: Path) -> None:
    write(tmp_path, "def fails():\n    raise KeyError('here')\n", "helper.py")
    path = write(tmp_path, "import helper\n\nhelper.fails()\n")
    told = mcplite("run", "server.py", cwd=tmp_path)
    assert told.returncode == 3
    lines = told.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{path}", line 3, in <module>'
    assert lines[-1] == "mcplite: cannot load server.py: KeyError: 'here'"
    assert "importlib" not in told.stderr
    assert "mcplite/" not in told.stderr


def test_a_syntax_error_is_shown_with_its_place(tmp_path: Path) -> None:
    path = write(tmp_path, "x = 1\ndef (:\n")
    told = mcplite("run", "server.py", cwd=tmp_path)
    assert told.returncode == 3
    assert told.stderr.startswith(f'  File "{path}", line 2\n')
    assert told.stderr.splitlines()[-1].startswith("mcplite: cannot load server.py: SyntaxError: ")


def test_a_wrong_signature_is_shown_at_the_line_of_the_user(tmp_path: Path) -> None:
    path = write(tmp_path, DEMO + "\n\n@server.tool\ndef bad(x: open) -> None: ...\n")
    told = mcplite("run", "server.py", cwd=tmp_path)
    assert told.returncode == 3
    assert str(path) in told.stderr
    assert "bad" in told.stderr
    assert "mcplite/server.py" not in told.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "server.py", "--bogus"],
        ["run", "server.py", "--workers", "many"],
        ["run", "server.py", "--workers", "-1"],
        ["run", "server.py", "--inline", "--workers", "2"],
        ["run", "server.py", "--http", "1:2:x"],
        ["run", "server.py", "--http=host:port"],
        ["run", "server.py", "--directory", "nowhere"],
        ["run", "server.py", "--allow-host", "example.com"],
        ["run", "ser ver"],
        ["fly"],
        [],
    ],
)
def test_wrong_usage_is_code_2_and_no_traceback(tmp_path: Path, arguments: list[str]) -> None:
    write(tmp_path, DEMO)
    told = mcplite(*arguments, cwd=tmp_path)
    assert told.returncode == 2
    assert told.stdout == ""
    assert "Traceback" not in told.stderr
    assert "--help" in told.stderr or "mcplite:" in told.stderr


@pytest.mark.parametrize("more", ["", "\n\n@server.tool\nasync def later() -> None: ...\n"])
def test_ctrl_c_ends_a_served_client_with_130(tmp_path: Path, more: str) -> None:
    write(tmp_path, DEMO + more)
    with Talk("run", "server.py", cwd=tmp_path) as talk:
        talk.initialize()
        talk.process.send_signal(signal.SIGINT)
        assert talk.process.wait(PATIENCE) == 130
        assert "Traceback" not in talk.errors_to_end()


def test_it_is_served_over_http_at_the_given_address_and_path(tmp_path: Path) -> None:
    from urllib.request import Request, urlopen

    write(tmp_path, DEMO)
    process = subprocess.Popen(
        [SCRIPT, "run", "--http", "127.0.0.1:0", "server.py", "--path", "/tools"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        url = next(word for word in line.split() if word.startswith("http://"))
        assert url.endswith("/tools")
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        }
        kinds = "application/json, text/event-stream"
        headers = {"Content-Type": "application/json", "Accept": kinds}
        request = Request(url, data=json.dumps(message).encode(), headers=headers)
        with urlopen(request, timeout=PATIENCE) as response:
            assert json.load(response)["result"]["serverInfo"]["name"] == "demo"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.parametrize(
    ("arguments", "address"),
    [
        (["s.py"], None),
        (["s.py", "--http"], ("127.0.0.1", 8000)),
        (["--http", "s.py"], ("127.0.0.1", 8000)),
        (["--http", "9000", "s.py"], ("127.0.0.1", 9000)),
        (["s.py", "--http", ":9000"], ("127.0.0.1", 9000)),
        (["s.py", "--http", "0.0.0.0:9000"], ("0.0.0.0", 9000)),
        (["s.py", "--http", "[::1]:9000"], ("::1", 9000)),
        (["s.py", "--http", "localhost"], ("localhost", 8000)),
        (["s.py", "--http=[::1]"], ("::1", 8000)),
        (["--http=example.com", "s.py"], ("example.com", 8000)),
    ],
)
def test_an_address_is_read_with_and_without_the_parser(
    arguments: list[str], address: tuple[str, int] | None
) -> None:
    parser = Parser("run", description="", epilog="")
    add_options(parser)
    options = parser.parse([*arguments, "--inline"], Options())
    assert (options.target, options.address) == ("s.py", address)
    assert options.settings.get("workers") == 0
    quickly = plain([*arguments, "--inline"])
    if quickly is not None:
        assert vars(quickly) == vars(options)
    else:
        assert any("=" in argument for argument in arguments)


def test_what_is_not_plain_is_left_to_the_parser() -> None:
    for arguments in (
        ["--help"],
        ["a", "b"],
        ["a", "--workers", "-1"],
        ["a", "--path"],
        ["a", "--x"],
        [],
    ):
        assert plain(arguments) is None


def test_hosts_that_clients_may_name_are_passed_on() -> None:
    parser = Parser("run", description="", epilog="")
    add_options(parser)
    words = ["s.py", "--http", "--allow-host", "a.example", "--allow-host", "b.example"]
    options = parser.parse(words, Options())
    assert options.settings == {"path": "/mcp", "allowed_hosts": ["a.example", "b.example"]}


def test_an_address_in_use_is_told_in_one_line(tmp_path: Path) -> None:
    import socket

    write(tmp_path, DEMO)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = mcplite("run", "server.py", "--http", port, cwd=tmp_path)
    assert told.returncode == 1
    assert "Traceback" not in told.stderr
    assert str(port) in told.stderr.splitlines()[-1]


def test_serving_over_stdio_imports_little(tmp_path: Path) -> None:
    write(tmp_path, DEMO)
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "mcplite", "run", "server.py"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert told.returncode == 0
    plain = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "pass"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    heavy = {"argparse", "json", "asyncio", "inspect", "re", "typing", "subprocess", "shutil"}
    assert not (_imported(told.stderr) - _imported(plain.stderr)) & heavy


def _imported(report: str) -> set[str]:
    return {line.rpartition("|")[2].strip() for line in report.splitlines()}


@pytest.mark.parametrize("command", ["run", "inspect", "call", "dev", "install"])
def test_every_command_has_a_help_with_examples(tmp_path: Path, command: str) -> None:
    told = mcplite(command, "--help", cwd=tmp_path)
    assert told.returncode == 0
    assert f"mcplite {command} " in told.stdout
    assert "examples:" in told.stdout
    assert "SUPPRESS" not in told.stdout
    assert told.stdout == mcplite("help", command, cwd=tmp_path).stdout


def test_the_version_is_the_packages(tmp_path: Path) -> None:
    import mcplite as package

    assert mcplite("--version", cwd=tmp_path).stdout == f"mcplite {package.__version__}{os.linesep}"
