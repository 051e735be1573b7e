"""The official SDK in one process: `mcp_inprocess.py play NAME ROUNDS DIR WORD...`.

Its low-level server without its telemetry, which is its fastest: it holds arguments against no
schema. The streams are those of its own stdio transport, which parses and writes in the same words.
`uvloop` chooses that loop.
"""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import SessionMessage
from playing import Watch, Workload, command_line


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


async def play(workload: Workload, rounds: int) -> None:
    server = make_server(workload)
    to_server, from_client = create_context_streams[SessionMessage | Exception](0)
    to_client, from_server = create_context_streams[SessionMessage](0)
    parse = types.jsonrpc_message_adapter.validate_json

    async def tell(message: bytes) -> None:
        await to_server.send(SessionMessage(parse(message, by_name=False)))

    async def ask(message: bytes) -> str:
        await tell(message)
        answer = await from_server.receive()
        return answer.message.model_dump_json(by_alias=True, exclude_unset=True)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, from_client, to_client, server.create_initialization_options())
        if not workload.is_modern:
            hello, greeted = workload.handshake
            await ask(hello)
            await tell(greeted)
        watch = Watch()
        answer = await ask(workload.request)
        workload.check(answer)
        for _ in range(rounds - 1):
            answer = await ask(workload.request)
        watch.report(workload, rounds, answer)
        tasks.cancel_scope.cancel()


def main() -> None:
    workload, rounds, words = command_line()
    anyio.run(play, workload, rounds, backend_options={"use_uvloop": "uvloop" in words})


main()
