"""`mcplite inspect`: shows what a server offers."""

from __future__ import annotations

import json
import sys

from mcplite.cli.schema import fields
from mcplite.cli.terminal import EXIT_OK, note, styled, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from mcplite.testing import Client

_DESCRIPTION = """\
Shows the tools, resources and prompts of a server, as a client sees them."""

_EXAMPLES = """\
examples:
  mcplite inspect server.py
  mcplite inspect server.py --json             the whole definitions
  mcplite inspect server.py --era 2025-06-18   as a client of that revision sees them
"""


def execute(arguments: Sequence[str]) -> int:
    """Runs the command with its arguments."""
    from mcplite._completions import misplaced
    from mcplite.cli.connection import add_era, catalog, connect
    from mcplite.cli.parsing import Namespace, Parser
    from mcplite.cli.quiet import Quiet
    from mcplite.cli.target import Target

    parser = Parser("inspect", description=_DESCRIPTION, epilog=_EXAMPLES)
    parser.add_argument("target", metavar="file.py[:server]", help="the file or module to look at")
    parser.add_argument("--json", action="store_true", help="print the definitions as JSON")
    add_era(parser)
    options = parser.parse(arguments, Namespace())
    with Quiet():
        server = Target(options.target).load()
        client = connect(server, options.era)
        lists = catalog(client)
        client.close()
    for _, problem in misplaced(server):
        note(problem)
    if options.json:
        print(json.dumps(_whole(client, lists), indent=2, ensure_ascii=False))
    else:
        for line in _page(client, lists):
            print(line)
    return EXIT_OK


def _whole(client: Client, lists: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    whole = {
        "serverInfo": client.server_info,
        "protocolVersion": client.revision,
        "capabilities": client.server_capabilities,
    }
    if client.instructions is not None:
        whole["instructions"] = client.instructions
    return {**whole, **lists}


def _page(client: Client, lists: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    info = client.server_info
    name = str(info.get("title") or info.get("name", ""))
    yield f"{styled(name, 'bold', sys.stdout)} {info.get('version', '')}  ({client.revision})"
    if client.instructions:
        yield first_line(client.instructions)
    is_empty = True
    for title, rows in (
        ("Tools", [(i["name"], signature(i), _about(i)) for i in lists["tools"]]),
        ("Resources", [(i["uri"], _kind(i), _about(i)) for i in lists["resources"]]),
        (
            "Resource templates",
            [(i["uriTemplate"], _kind(i), _about(i)) for i in lists["resourceTemplates"]],
        ),
        ("Prompts", [(i["name"], _asked(i), _about(i)) for i in lists["prompts"]]),
    ):
        if rows:
            is_empty = False
            yield ""
            yield styled(f"{title} ({len(rows)})", "cyan", sys.stdout)
            yield from table(rows, stream=sys.stdout)
    if is_empty:
        yield ""
        yield "It offers nothing yet: decorate a function with @server.tool."


def signature(tool: dict[str, Any]) -> str:
    """The parameters of a tool in one line."""
    parts = []
    for name, field, is_required in fields(tool.get("inputSchema")):
        if field.default is not None:
            default = json.dumps(field.default, ensure_ascii=False)
            parts.append(f"{name}: {field.label} = {default}")
        else:
            parts.append(f"{name}{'' if is_required else '?'}: {field.label}")
    return ", ".join(parts)


def first_line(text: str) -> str:
    """The first line of a description that says anything."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _about(item: dict[str, Any]) -> str:
    return first_line(str(item.get("description") or item.get("title") or ""))


def _kind(item: dict[str, Any]) -> str:
    return str(item.get("mimeType", ""))


def _asked(prompt: dict[str, Any]) -> str:
    return ", ".join(
        f"{argument['name']}{'' if argument.get('required') else '?'}"
        for argument in prompt.get("arguments") or ()
    )
