"""One conversation with the server: how it is opened, and the words to judge it."""

import asyncio
from dataclasses import dataclass

from mcp import Client, MCPError, StdioServerParameters, types

# How the client opens: by itself it finds the modern era; legacy must be asked for.
MODES = {"2026-07-28": "auto", "2025-11-25": "legacy"}
MODERN = "2026-07-28"
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
    """What a behaviour needs to start: the server and the revision to speak."""

    binary: str
    revision: str

    @property
    def modern(self):
        return self.revision == MODERN

    def client(self, command=None, **options):
        """The official client, which starts the server and stops it when it is left."""
        command, *args = command or [self.binary]
        server = StdioServerParameters(command=command, args=args)
        return Client(server, mode=MODES[self.revision], client_info=CLIENT, **options)


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
