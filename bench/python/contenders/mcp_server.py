"""The official SDK: `mcp_server.py (stdio | http PORT) WORD...`; words choose the set-up.

Kinds: lowlevel, silent (lowlevel without its telemetry), sync, async.
Loops: uvloop, for HTTP together with httptools. HTTP: stateless.
"""

from __future__ import annotations

import sys
from typing import Any

SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}
OUTPUT_SCHEMA = {
    "type": "object",
    "properties": {"result": {"type": "integer"}},
    "required": ["result"],
}


def lowlevel(words: list[str]) -> Any:
    """The server without signatures: it neither makes schemas nor checks arguments."""
    import mcp_types as types
    from mcp.server.lowlevel import Server

    tool = types.Tool(name="add", input_schema=SCHEMA, output_schema=OUTPUT_SCHEMA)

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        result = arguments["a"] + arguments["b"]
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=str(result))],
            structured_content={"result": result},
        )

    server: Server[Any] = Server(
        "bench", version="1", on_list_tools=list_tools, on_call_tool=call_tool
    )
    if "silent" in words:
        server.middleware.clear()
    return server


def decorated(words: list[str]) -> Any:
    """The server that everybody writes."""
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("bench", version="1", log_level="ERROR")

    if "async" in words:

        @server.tool()
        async def add(a: int, b: int) -> int:
            return a + b

    else:

        @server.tool(name="add")
        def add_plainly(a: int, b: int) -> int:
            return a + b

    return server


def run_stdio(server: Any, words: list[str]) -> None:
    import anyio

    async def serve() -> None:
        if hasattr(server, "run_stdio_async"):
            await server.run_stdio_async()
            return
        from mcp.server.stdio import stdio_server

        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())

    anyio.run(serve, backend_options={"use_uvloop": "uvloop" in words})


def run_http(server: Any, port: int, words: list[str]) -> None:
    import uvicorn

    app = server.streamable_http_app(json_response=True, stateless_http="stateless" in words)
    fast = "uvloop" in words
    uvicorn.run(
        app,
        port=port,
        log_level="error",
        access_log=False,
        loop="uvloop" if fast else "asyncio",
        http="httptools" if fast else "h11",
    )


def main() -> None:
    transport, *words = sys.argv[1:]
    server = lowlevel(words) if {"lowlevel", "silent"} & set(words) else decorated(words)
    if transport == "stdio":
        run_stdio(server, words)
    else:
        run_http(server, int(words[0]), words)


main()
