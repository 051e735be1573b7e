"""The official SDK in one process: `mcp_inprocess.py play NAME ROUNDS DIR WORD...`.

Its low-level server without its telemetry, which is its fastest: it holds arguments against no
schema. `uvloop` chooses that loop.
"""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp_streams import play
from playing import Workload, command_line


def make_server(workload: Workload) -> Any:
    tools = [types.Tool.model_validate(definition) for definition in workload.tools]

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        value = (params.arguments or {})[workload.argument]
        if workload.deed == "splice":
            content = types.TextContent(type="text", text="")
            return types.CallToolResult(content=[content], structured_content={"text": value})
        return types.CallToolResult(content=[types.TextContent(type="text", text=value)])

    server: Server[Any] = Server(
        "bench", version="1.0", on_list_tools=list_tools, on_call_tool=call_tool
    )
    server.middleware.clear()
    return server


def main() -> None:
    workload, rounds, words = command_line()
    server = make_server(workload)

    async def run(reader: Any, writer: Any) -> None:
        await server.run(reader, writer, server.create_initialization_options())

    anyio.run(play, workload, rounds, run, backend_options={"use_uvloop": "uvloop" in words})


main()
