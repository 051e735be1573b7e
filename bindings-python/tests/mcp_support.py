"""The official client for Python, and what it says."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.stdio import stdio_client

from official_support import COMMAND, Talk

CLIENT = types.Implementation(name="official", version="3.1")
# What the modern era has no longer is spoken on purpose, with clients of the era before.
deprecated = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


@asynccontextmanager
async def client_of(
    talk: Talk, *, stderr: Path | None = None, **options: Any
) -> AsyncIterator[Client]:
    """A client; over stdio with a server of its own, that says nothing unless to `stderr`."""
    options = {"mode": talk.mode, "client_info": CLIENT, **options}
    if talk.url is not None:
        async with Client(talk.url, **options) as client:
            yield client
        return
    with tempfile.TemporaryDirectory() as folder:
        told = stderr or Path(folder, "stderr")
        with told.open("w") as errors:
            parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
            async with Client(stdio_client(parameters, errlog=errors), **options) as client:
                yield client
        assert stderr or told.read_text() == ""


async def text_of(
    client: Client, tool: str, arguments: dict[str, Any] | None = None, **options: Any
) -> str:
    """What a tool says; a failure is marked."""
    result = await client.call_tool(tool, arguments or {}, **options)
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return f"failed: {block.text}" if result.is_error else block.text


async def error_of(request: Awaitable[object]) -> MCPError:
    """The protocol error that answers a request."""
    with pytest.raises(MCPError) as raised:
        await request
    return raised.value


async def tool_names(client: Client) -> list[str]:
    return [tool.name for tool in (await client.list_tools()).tools]
