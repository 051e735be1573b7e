"""One conversation with the server: how it is opened, and the words to judge it."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass

from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.sse import sse_client

from server import http_server

# How the client opens: by itself it finds the modern era; legacy must be asked for.
MODES = {"2026-07-28": "auto", "2025-11-25": "legacy"}
MODERN = "2026-07-28"
# In which revision, and how the server is reached; sse is the HTTP of 2024-11-05.
SPOKEN = (("2026-07-28", "stdio"), ("2025-11-25", "stdio"), ("2026-07-28", "http"),
          ("2025-11-25", "http"), ("2025-11-25", "sse"))
SECONDS = 30
CLIENT = types.Implementation(name="check-python", version="3.1")


class Mismatch(Exception):
    """The conversation went otherwise than it should."""


def expect(what, found, wanted):
    if found != wanted:
        raise Mismatch(f"{what}: {found!r} instead of {wanted!r}")


def expect_in(what, part, whole):
    if part not in whole:
        raise Mismatch(f"{what}: {part!r} is not in {whole!r}")


@dataclass(frozen=True)
class Conversation:
    """What a behaviour needs to start: the server, the revision to speak, and the way to it."""

    binary: str
    revision: str
    way: str

    @property
    def modern(self):
        return self.revision == MODERN

    @asynccontextmanager
    async def server(self, command=None):
        """What the official client is to talk to. Over pipes it starts that itself."""
        if self.way == "stdio":
            command, *args = command or [self.binary]
            yield StdioServerParameters(command=command, args=args)
            return
        async with http_server(self.binary) as url:
            yield url

    def client_of(self, server, **options):
        """The official client of a server that `server` gave."""
        if self.way == "http":
            server = f"{server}/mcp"
        elif self.way == "sse":
            server = sse_client(f"{server}/sse")
        return Client(server, mode=MODES[self.revision], client_info=CLIENT, **options)

    @asynccontextmanager
    async def client(self, command=None, **options):
        """The official client, with a server of its own that ends after it."""
        async with self.server(command) as server, self.client_of(server, **options) as client:
            yield client


async def text(client, tool, arguments=None, **options):
    """What a tool says; a failure is marked."""
    result = await client.call_tool(tool, arguments or {}, **options)
    return ("failed: " if result.is_error else "") + result.content[0].text


async def error(request):
    """The protocol error that answers a request."""
    try:
        answer = await request
    except MCPError as refused:
        return refused
    raise Mismatch(f"an answer instead of an error: {answer!r}")


async def tool_names(client):
    return [tool.name for tool in (await client.list_tools()).tools]


async def within(waiting):
    """Waits for what must come, but not for ever."""
    return await asyncio.wait_for(waiting, SECONDS)
