"""Playing a workload on the streams of the official SDK, on which fastmcp stands too.

They are those of its own stdio transport, which parses and writes in the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import mcp_types as types
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import SessionMessage
from playing import Watch, Workload


async def play(
    workload: Workload, rounds: int, run: Callable[[Any, Any], Coroutine[Any, Any, None]]
) -> None:
    """Plays a workload; `run` serves what it reads from one stream, and writes to the other."""
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
        tasks.start_soon(run, from_client, to_client)
        if not workload.is_modern:
            hello, greeted = workload.handshake
            await ask(hello)
            await tell(greeted)
        workload.check(await ask(workload.request))
        answer = ""
        watch = Watch()
        for _ in range(rounds):
            answer = await ask(workload.request)
        watch.report(workload, rounds, answer)
        tasks.cancel_scope.cancel()
