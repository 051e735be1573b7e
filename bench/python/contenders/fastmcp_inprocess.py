"""FastMCP in one process: `fastmcp_inprocess.py play NAME ROUNDS DIR WORD...`.

Its tools are asynchronous, which is its fastest; it checks arguments by the hints of the function.
It offers no way in for bytes, so that this does what its own stdio transport does. `uvloop` chooses
that loop.
"""

from __future__ import annotations

from typing import Any

import anyio
from fastmcp import FastMCP
from fastmcp.tools import FunctionTool
from fastmcp.tools.base import ToolResult
from mcp_streams import play
from playing import Workload, command_line


def tool_of(workload: Workload) -> Any:
    if workload.deed == "splice":

        async def splice(text: str) -> Any:
            return ToolResult(content="", structured_content={"text": text})

        return splice
    if workload.argument == "slug":
        return publish

    async def say(text: str, count: int = 0) -> Any:
        return text

    return say


async def publish(
    title: str,
    slug: str,
    status: str,
    priority: int,
    score: float,
    author: str,
    email: str,
    language: str,
    created: str,
    updated: str,
    tags: list[str],
    address: dict[str, str],
    visible: bool,
    pinned: bool,
    views: int,
    ratio: float,
    category: str,
    summary: str,
    parent: int | None,
    channel: str,
) -> Any:
    return slug


def main() -> None:
    workload, rounds, words = command_line()
    server: Any = FastMCP("bench", version="1.0")
    tool = tool_of(workload)
    for definition in workload.tools:
        server.add_tool(
            FunctionTool(
                fn=tool,
                name=definition["name"],
                description=definition.get("description"),
                parameters=definition["inputSchema"],
            )
        )

    async def run(reader: Any, writer: Any) -> None:
        inner = server._mcp_server
        async with server._lifespan_manager():
            await inner.run(reader, writer, inner.create_initialization_options())

    anyio.run(play, workload, rounds, run, backend_options={"use_uvloop": "uvloop" in words})


main()
