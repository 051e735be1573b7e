"""`mcplite install`: the configuration of clients, printed and written."""

from __future__ import annotations

import json
import os
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cli_support import DEMO, mcplite
from mcplite.cli.clients import CLIENTS
from mcplite.cli.settings_file import merged_json, merged_toml, toml_snippet
from mcplite.cli.terminal import Failure


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "server.py").write_text(DEMO)
    (tmp_path / "home").mkdir()
    return folder


def install(project: Path, *arguments: str) -> Any:
    home = str(project.parent / "home")
    env = {"HOME": home, "XDG_CONFIG_HOME": "", "USERPROFILE": home}
    return mcplite("install", *arguments, cwd=project, env=env)


def names(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name != "__pycache__")


def run_arguments(project: Path) -> list[str]:
    return ["-m", "mcplite", "run", str(project / "server.py")]


def with_same_python(entry: dict[str, Any]) -> dict[str, Any]:
    """An interpreter has several names in its folder."""
    assert os.path.samefile(entry["command"], sys.executable)
    assert os.path.dirname(entry["command"]) == os.path.dirname(sys.executable)
    return {**entry, "command": sys.executable}


@pytest.mark.parametrize(
    ("client", "member", "has_type", "place"),
    [
        ("claude-code", "mcpServers", True, "project/.mcp.json"),
        ("claude-desktop", "mcpServers", False, "claude_desktop_config.json"),
        ("cursor", "mcpServers", False, "project/.cursor/mcp.json"),
        ("vscode", "servers", True, "project/.vscode/mcp.json"),
    ],
)
def test_the_snippet_is_printed_and_its_place_told(
    project: Path, client: str, member: str, has_type: bool, place: str
) -> None:
    told = install(project, "server.py", "--client", client, "--env", "KEY=a=b")
    assert told.returncode == 0
    entry: dict[str, Any] = {"type": "stdio"} if has_type else {}
    entry |= {"command": sys.executable, "args": run_arguments(project), "env": {"KEY": "a=b"}}
    assert with_same_python(json.loads(told.stdout)[member]["demo"]) == entry
    assert list(json.loads(told.stdout)) == [member]
    assert place in told.stderr
    assert names(project) == ["server.py"]


def test_the_snippet_for_codex_is_a_table(project: Path) -> None:
    told = install(project, "server.py:server", "--client", "codex", "--name", "my.tools")
    assert told.returncode == 0
    arguments = [*run_arguments(project)[:-1], str(project / "server.py") + ":server"]
    entry = {"command": sys.executable, "args": arguments}
    table = tomllib.loads(told.stdout)["mcp_servers"]["my-tools"]
    assert with_same_python(table) == entry
    assert "home/.codex/config.toml" in told.stderr


def test_what_is_printed_starts_the_server(project: Path) -> None:
    import subprocess

    told = install(project, "server.py", "--client", "cursor")
    entry = json.loads(told.stdout)["mcpServers"]["demo"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    answer = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps(message) + "\n",
        capture_output=True,
        text=True,
        timeout=30,
        cwd="/",
    )
    assert json.loads(answer.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_module_is_started_in_its_folder(project: Path) -> None:
    told = install(project, "server", "--client", "cursor")
    arguments = json.loads(told.stdout)["mcpServers"]["demo"]["args"]
    assert arguments == ["-m", "mcplite", "run", "server", "--directory", str(project)]


def test_writing_makes_the_file_and_its_folders(project: Path) -> None:
    told = install(project, "server.py", "--client", "claude-desktop", "--write")
    assert told.returncode == 0
    assert told.stdout == ""
    file = project.parent / "home/.config/Claude/claude_desktop_config.json"
    if sys.platform == "darwin":
        folder = project.parent / "home/Library/Application Support/Claude"
        file = folder / "claude_desktop_config.json"
    assert json.loads(file.read_text())["mcpServers"]["demo"]["args"] == run_arguments(project)
    assert not file.with_name(file.name + ".bak").exists()


def test_writing_keeps_everything_else_and_a_backup(project: Path) -> None:
    file = project / ".mcp.json"
    before = '{\n    "other": [1.5, "é"],\n    "mcpServers": {"x": {"command": "y"}}\n}\n'
    file.write_text(before)
    file.chmod(0o640)
    told = install(project, "server.py", "--client", "claude-code", "--write")
    assert told.returncode == 0
    after = json.loads(file.read_text())
    assert after["other"] == [1.5, "é"]
    assert after["mcpServers"]["x"] == {"command": "y"}
    assert after["mcpServers"]["demo"]["args"] == run_arguments(project)
    assert '\n    "other"' in file.read_text()
    assert "é" in file.read_text()
    assert (project / ".mcp.json.bak").read_text() == before
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    again = install(project, "server.py", "--client", "claude-code", "--write")
    assert "already" in again.stderr
    assert (project / ".mcp.json.bak").read_text() == before


def test_a_link_to_the_file_stays_a_link(project: Path) -> None:
    real = project / "dotfiles.json"
    real.write_text("{}")
    (project / ".mcp.json").symlink_to(real)
    install(project, "server.py", "--client", "claude-code", "--write")
    assert (project / ".mcp.json").is_symlink()
    assert "demo" in json.loads(real.read_text())["mcpServers"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{ // comment\n}", "no valid JSON"),
        ('{"a": 1, "a": 2}', "twice"),
        ("[]", "no JSON object"),
        ('{"mcpServers": []}', "mcpServers is no JSON object"),
        ('{"a": NaN}', "no valid JSON"),
    ],
)
def test_a_file_that_cannot_be_kept_whole_is_left_as_it_is(
    project: Path, text: str, why: str
) -> None:
    file = project / ".mcp.json"
    file.write_text(text)
    told = install(project, "server.py", "--client", "claude-code", "--write")
    assert told.returncode == 1
    assert why in told.stderr
    assert "paste" in told.stderr
    assert file.read_text() == text
    assert names(project) == [".mcp.json", "server.py"]


def test_an_entry_of_the_same_name_keeps_what_we_do_not_set() -> None:
    old = {"command": "old", "disabled": True, "env": {"A": "1", "B": "2"}}
    text = json.dumps({"mcpServers": {"n": old}})
    new = {"command": "new", "args": ["x"], "env": {"B": "3"}}
    merged = json.loads(merged_json(text, "mcpServers", "n", new, "f"))["mcpServers"]["n"]
    assert merged == {
        "command": "new",
        "args": ["x"],
        "disabled": True,
        "env": {"A": "1", "B": "3"},
    }


def test_a_remote_entry_of_the_same_name_is_replaced_whole() -> None:
    text = json.dumps({"mcpServers": {"n": {"url": "http://x", "headers": {}}}})
    merged = json.loads(merged_json(text, "mcpServers", "n", {"command": "c"}, "f"))
    assert merged["mcpServers"]["n"] == {"command": "c"}


CODEX = """\
# my settings
model = "gpt"  # keep this

[mcp_servers.other]
command = "other"
args = [
  "[mcp_servers.demo]",
]

[mcp_servers.demo]
command = "old"
startup_timeout_sec = 20

[mcp_servers.demo.env]
A = "1"

[profiles.x]
model = "y"
"""


def test_a_table_of_codex_is_replaced_in_its_place() -> None:
    new = {"command": "new", "args": ["a\\b", "ü"], "env": {"B": "2"}}
    merged = merged_toml(CODEX, "mcp_servers", "demo", new, "f")
    assert merged.startswith(CODEX[: CODEX.index("[mcp_servers.demo]\n")])
    assert merged.endswith('\n[profiles.x]\nmodel = "y"\n')
    assert tomllib.loads(merged)["mcp_servers"]["demo"] == {
        "command": "new",
        "args": ["a\\b", "ü"],
        "startup_timeout_sec": 20,
        "env": {"A": "1", "B": "2"},
    }
    assert merged_toml(merged, "mcp_servers", "demo", new, "f") == merged


@pytest.mark.parametrize("before", ["", "a = 1", "a = 1\n", "[t]\nx = 1\n"])
def test_a_table_of_codex_is_appended(before: str) -> None:
    merged = merged_toml(before, "mcp_servers", "demo", {"command": "c", "args": []}, "f")
    assert merged.startswith(before)
    assert tomllib.loads(merged) == {
        **tomllib.loads(before),
        "mcp_servers": {"demo": {"command": "c", "args": []}},
    }


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { demo = { command = "x" } }\n',
        'mcp_servers.demo.command = "x"\n',
        '[mcp_servers]\ndemo = { command = "x" }\n',
        "mcp_servers = 1\n",
        "not toml",
        '[mcp_servers.demo]\nsince = 2026-01-01\ncommand = "x"\n',
        'a = """\n[mcp_servers.demo]\n"""\n',
    ],
)
def test_what_cannot_be_edited_line_by_line_is_refused(text: str) -> None:
    if text.startswith("a ="):
        merged_toml(text + '[mcp_servers.other]\ncommand = "x"\n', "mcp_servers", "n", {}, "f")
    with pytest.raises(Failure, match="left as it is"):
        merged_toml(text, "mcp_servers", "demo", {"command": "c"}, "f")


@pytest.mark.parametrize("name", ["plain", "with space", "dot.ted", 'quo"te', "ünï", "a-b_c"])
def test_any_name_can_be_written_as_toml(name: str) -> None:
    entry = {"command": "c\x7f\n\"'", "args": ["\\", "\t"], "env": {name: "1"}, "n": 1.5, "b": True}
    assert tomllib.loads(toml_snippet("m", name, entry)) == {"m": {name: entry}}


def test_the_folders_of_each_system_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("APPDATA", "/roaming")
    desktop, code = CLIENTS["claude-desktop"], CLIENTS["vscode"]
    for platform, folder in (
        ("linux", "/home/me/.config"),
        ("darwin", "/home/me/Library/Application Support"),
        ("win32", "/roaming"),
    ):
        monkeypatch.setattr(sys, "platform", platform)
        assert desktop.file(None, "/p") == f"{folder}/Claude/claude_desktop_config.json"
        assert code.file("user", "/p") == f"{folder}/Code/User/mcp.json"
    monkeypatch.setenv("CODEX_HOME", "/codex")
    assert CLIENTS["codex"].file(None, "/p") == "/codex/config.toml"
    assert CLIENTS["codex"].file("project", "/p") == "/p/.codex/config.toml"
    assert CLIENTS["cursor"].file("user", "/p") == "/home/me/.cursor/mcp.json"


@pytest.mark.parametrize(
    "arguments",
    [
        ["server.py"],
        ["server.py", "--client", "notepad"],
        ["server.py", "--client", "cursor", "--env", "NOVALUE"],
        ["server.py", "--client", "claude-desktop", "--scope", "project"],
        ["server.py", "--client", "claude-code", "--scope", "user"],
        ["server.py", "--client", "cursor", "--python", "/nowhere/python"],
    ],
)
def test_wrong_usage_is_code_2(project: Path, arguments: list[str]) -> None:
    told = install(project, *arguments)
    assert told.returncode == 2
    assert told.stdout == ""


def test_a_file_that_cannot_be_loaded_is_installed_only_with_a_name(project: Path) -> None:
    (project / "server.py").write_text("import nowhere_at_all\n")
    assert install(project, "server.py", "--client", "cursor").returncode == 3
    told = install(project, "server.py", "--client", "cursor", "--name", "n")
    assert list(json.loads(told.stdout)["mcpServers"]) == ["n"]
    other = install(project, "server.py", "--client", "cursor", "--python", sys.executable)
    assert list(json.loads(other.stdout)["mcpServers"]) == ["server"]


def test_the_environment_is_there_when_the_file_is_loaded(project: Path) -> None:
    (project / "server.py").write_text("import os\nos.environ['NEEDED']\n" + DEMO)
    assert install(project, "server.py", "--client", "cursor").returncode == 3
    told = install(project, "server.py", "--client", "cursor", "--env", "NEEDED=1")
    assert told.returncode == 0
