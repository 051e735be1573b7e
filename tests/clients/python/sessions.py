"""What there is over HTTP only: a server that outlives its clients."""

import asyncio

from mcp import types

from conversation import expect, text, within


async def two_clients(talk):
    """One of them goes, and the server stays for the other."""
    async with talk.server() as server, talk.client_of(server) as client:
        async with talk.client_of(server) as other:
            expect("one", await text(other, "echo", {"text": "1"}), "1")
        expect("the other", await text(client, "echo", {"text": "2"}), "2")


async def changes_by_another(talk):
    """What one client does, another one is told."""
    told = asyncio.Event()

    async def handler(message):
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    async with talk.server() as server, talk.client_of(server) as other:
        if talk.modern:
            async with (talk.client_of(server) as client,
                        client.listen(tools_list_changed=True) as stream):
                await text(other, "touch")
                await within(anext(stream))
        else:
            async with talk.client_of(server, message_handler=handler) as client:
                await client.list_tools()
                await text(other, "touch")
                await within(told.wait())


async def sudden_end(talk):
    """A client that goes in the middle of a call takes nobody with it."""
    waits = asyncio.Event()

    async def hear(_done, _total, _message):
        waits.set()

    async with talk.server() as server:
        async with talk.client_of(server) as client:
            call = asyncio.create_task(client.call_tool("wait", {}, progress_callback=hear))
            await within(waits.wait())
        await asyncio.gather(call, return_exceptions=True)
        async with talk.client_of(server) as other:
            expect("afterwards", await text(other, "echo", {"text": "here"}), "here")


BEHAVIOURS = (two_clients, changes_by_another, sudden_end)
