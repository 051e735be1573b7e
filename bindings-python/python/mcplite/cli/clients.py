"""The clients that `mcplite install` knows: where each keeps its servers, and in which words."""

from __future__ import annotations

import os
import sys

from mcplite.cli.terminal import EXIT_USAGE, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Client:
    """One client program: its files, the member with its servers, and what it wants to know."""

    def __init__(
        self,
        name: str,
        title: str,
        *,
        project: str | None = None,
        user: str | None = None,
        member: str = "mcpServers",
        with_type: bool = False,
        is_toml: bool = False,
        after: str = "",
    ) -> None:
        self.name = name
        self.title = title
        self.member = member
        self.is_toml = is_toml
        self.after = after
        self._project = project
        self._user = user
        self._with_type = with_type

    def entry(self, command: str, arguments: list[str], env: dict[str, str]) -> dict[str, Any]:
        """What the client is told about one server."""
        entry: dict[str, Any] = {"type": "stdio"} if self._with_type else {}
        entry |= {"command": command, "args": arguments}
        if env:
            entry["env"] = env
        return entry

    def file(self, scope: str | None, project: str) -> str:
        """Where the client looks for servers: of this project, or of this user."""
        where = scope or ("project" if self._project and not self.is_toml else "user")
        if where == "project" and self._project:
            return os.path.join(project, *self._project.split("/"))
        if where == "user" and self._user:
            return os.path.join(_base(self._user), *self._user.split("/")[1:])
        other = "user" if where == "project" else "project"
        hint = f"use --scope {other}"
        if self.name == "claude-code":
            hint = "its own command does that: claude mcp add-json --scope user NAME '{…}'"
        raise Failure(
            f"{self.title} has no file for --scope {where} that can be edited",
            hint=hint,
            code=EXIT_USAGE,
        )


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            project=".mcp.json",
            with_type=True,
            after="start claude in that folder and approve the server; /mcp shows it",
        ),
        Client(
            "claude-desktop",
            "Claude Desktop",
            user="<applications>/Claude/claude_desktop_config.json",
            after="quit Claude Desktop and start it again",
        ),
        Client(
            "cursor",
            "Cursor",
            project=".cursor/mcp.json",
            user="<home>/.cursor/mcp.json",
            after="see Cursor Settings, Tools & MCP",
        ),
        Client(
            "vscode",
            "VS Code",
            project=".vscode/mcp.json",
            user="<applications>/Code/User/mcp.json",
            member="servers",
            with_type=True,
            after="run the command `MCP: List Servers` and start it",
        ),
        Client(
            "codex",
            "Codex",
            project=".codex/config.toml",
            user="<codex>/config.toml",
            member="mcp_servers",
            is_toml=True,
            after="start codex again; /mcp shows the server",
        ),
    )
}


def _base(path: str) -> str:
    home = os.path.expanduser("~")
    match path.split("/")[0]:
        case "<codex>":
            return os.environ.get("CODEX_HOME") or os.path.join(home, ".codex")
        case "<applications>":
            return _applications(home)
        case _:
            return home


def _applications(home: str) -> str:
    """Where programs keep their settings on this system."""
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    if sys.platform == "win32":
        return os.environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming")
    return os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
