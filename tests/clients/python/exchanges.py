"""What goes on between a request and its answer, and what the server says unasked."""

import asyncio
import re
from contextlib import asynccontextmanager

from mcp import types
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged

from conversation import Mismatch, error, expect, expect_in, text, tool_names, within

NOTE = "note://latest"


async def progress(talk):
    async with talk.client() as client:
        heard = asyncio.Queue()

        async def hear(done, total, message):
            await heard.put((done, total, bool(message)))

        said = await text(client, "countdown", {"from": 4}, progress_callback=hear)
        expect("countdown", said, "liftoff")
        for step in (1, 2, 3, 4):
            expect("progress", await within(heard.get()), (step, 4, True))
        # Without a callback there is no token, and then there is nothing to hear.
        expect("unheard", await text(client, "countdown", {"from": 3}), "liftoff")
        expect("still", heard.qsize(), 0)


async def parting(talk):
    """The server ends the connection of a call, and the client comes back for what is missing."""
    async with talk.client() as client:
        heard = asyncio.Queue()

        async def hear(done, _total, _message):
            await heard.put(done)

        can_come_back = talk.way == "http" and not talk.modern
        said = await text(client, "part", progress_callback=hear)
        expect("parting", said, "met again" if can_come_back else "stayed")
        expect("progress", [await within(heard.get()) for _ in range(2)], [1, 2])


async def cancelled_count(client):
    return int(re.search(r"\d+", await text(client, "cancelled"))[0])


async def until_cancelled(client, wanted):
    """Asks until the tool knows: it is told on a thread of its own, perhaps after our question."""
    while (count := await cancelled_count(client)) < wanted:
        pass
    return count


async def cancel(talk):
    """A call that is given up reaches the tool, also while others go on."""
    async with talk.client() as client:
        for count in (1, 2):
            waits = asyncio.Event()

            async def hear(_done, _total, _message, waits=waits):
                waits.set()

            call = asyncio.create_task(client.call_tool("wait", {}, progress_callback=hear))
            await within(waits.wait())
            expect("meanwhile", await text(client, "echo", {"text": "on"}), "on")
            expect("before", (call.done(), await cancelled_count(client)), (False, count - 1))
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            expect("given up", call.cancelled(), True)
            expect("cancelled", await until_cancelled(client, count), count)


async def give_up_by_timeout(talk):
    """The client's own patience ends: it cancels what it does not wait for."""
    waits = asyncio.Event()

    async def hear(_done, _total, _message):
        waits.set()

    async with talk.client() as client:
        # A call that is cancelled before its tool begins never reaches it: one must have begun.
        while not waits.is_set():
            refused = await error(client.call_tool("wait", {}, read_timeout_seconds=0.05,
                                                   progress_callback=hear))
            expect_in("error", "imed out", refused.message)
        await until_cancelled(client, 1)


class User:
    """The person and the model behind the client; `seen` is what they were asked."""

    def __init__(self, action="accept", content=None):
        self.seen = []
        self.reply = types.ElicitResult(action=action, content=content)

    async def elicit(self, _context, params):
        self.seen.append(params.requested_schema["required"])
        return self.reply

    async def sample(self, _context, params):
        self.seen.append(params.messages[0].role)
        content = types.TextContent(type="text", text="Old pond")
        return types.CreateMessageResult(role="assistant", model="m", content=content)

    async def roots(self, _context):
        self.seen.append("roots")
        uris = ("file:///a", "file:///b")
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in uris])


async def elicitation(talk):
    user = User(content={"name": "Ann"})
    async with talk.client(elicitation_callback=user.elicit) as client:
        expect("accepted", await text(client, "ask_name"), "Hello, Ann!")
        for action in ("decline", "cancel"):
            user.reply = types.ElicitResult(action=action)
            expect(action, await text(client, "ask_name"), "declined")
        expect("questions", user.seen, [["name"]] * 3)


async def sampling(talk):
    user = User()
    async with talk.client(sampling_callback=user.sample) as client:
        expect("answer", await text(client, "ask_model"), "Old pond")
        expect("questions", user.seen, ["user"])


async def roots(talk):
    user = User()
    async with talk.client(list_roots_callback=user.roots) as client:
        expect("answer", await text(client, "ask_roots"), "2 roots: file:///a")
        expect("questions", user.seen, ["roots"])


async def questions_at_once(talk):
    """Three calls wait for three answers, which come in any order."""
    user = User(content={"name": "Ann"})
    async with talk.client(elicitation_callback=user.elicit, sampling_callback=user.sample,
                           list_roots_callback=user.roots) as client:
        tools = ("ask_name", "ask_model", "ask_roots")
        said = await asyncio.gather(*(text(client, tool) for tool in tools))
        expect("answers", said, ["Hello, Ann!", "Old pond", "2 roots: file:///a"])


async def undeclared(talk):
    """A client that declares nothing is not asked."""
    async with talk.client() as client:
        for tool in ("ask_name", "ask_model", "ask_roots"):
            if talk.modern:
                said = (await error(client.call_tool(tool, {}))).message
            else:
                said = await text(client, tool)
            expect_in(tool, "Missing required client capability", said)


LOGGED = [("debug", False), ("info", False), ("warning", True)]


async def logging(talk):
    """The client hears messages of its level and above, one of them with data of its own shape."""
    for level, wanted in (("debug", LOGGED), ("info", LOGGED[1:]), ("warning", LOGGED[2:]),
                          ("error", [])):
        heard = asyncio.Queue()

        async def hear(params, heard=heard):
            await heard.put((params.level, isinstance(params.data, dict)))

        # In the modern era each request says what it wants; before, the connection did.
        own = {"log_level": level} if talk.modern else {}
        async with talk.client(logging_callback=hear, **own) as client:
            if not talk.modern:
                await client.set_logging_level(level)
            await client.call_tool("log", {})
            for message in wanted:
                expect(f"heard at {level}", await within(heard.get()), message)
            await text(client, "echo", {"text": "nothing more"})
            expect(f"unheard at {level}", heard.qsize(), 0)


@asynccontextmanager
async def changes_legacy(talk):
    """A legacy client, and what it hears of changes: notifications without a stream."""
    heard = asyncio.Queue()

    async def handler(message):
        if isinstance(message, types.ToolListChangedNotification):
            await heard.put("tools")
        elif isinstance(message, types.ResourceUpdatedNotification):
            await heard.put(str(message.params.uri))

    async with talk.client(message_handler=handler) as client:
        await client.subscribe_resource(NOTE)
        yield client, heard.get
        await client.unsubscribe_resource(NOTE)
        # Without a subscription only the change of the list is told.
        await text(client, "touch")
        expect("after unsubscribing", await within(heard.get()), "tools")
        await text(client, "echo", {"text": "nothing more"})
        expect("unheard", heard.qsize(), 0)


@asynccontextmanager
async def changes_modern(talk):
    """A modern client, and what it hears of changes: events of a listen stream."""
    async with talk.client() as client:
        async with client.listen(tools_list_changed=True, resource_subscriptions=[NOTE]) as stream:
            promised = stream.honored.model_dump(by_alias=True, exclude_none=True)
            expect("promised", promised,
                   {"toolsListChanged": True, "resourceSubscriptions": [NOTE]})

            async def hear():
                match await anext(stream):
                    case ToolsListChanged():
                        return "tools"
                    case ResourceUpdated(uri=uri):
                        return uri

            yield client, hear
        # Leaving the stream cancels it; another one gets only what it asks for.
        async with client.listen(resource_subscriptions=[NOTE]) as stream:
            await text(client, "touch")
            expect("second stream", await within(anext(stream)), ResourceUpdated(uri=NOTE))


async def changes(talk):
    """A resource changes, and a tool comes and goes: the client is told and looks again."""
    async with (changes_modern if talk.modern else changes_legacy)(talk) as (client, hear):
        async def note():
            return (await client.read_resource(NOTE)).contents[0].text

        before, names = await note(), await tool_names(client)
        for there in (True, False):
            await text(client, "touch")
            told = {await within(hear()), await within(hear())}
            expect("told", told, {"tools", NOTE})
            expect("late is listed", "late" in await tool_names(client), there)
            if there:
                expect("late answers", (await client.call_tool("late", {})).is_error, False)
            after = await note()
            if after == before:
                raise Mismatch(f"the note is as before: {after!r}")
            before = after
        expect("tools in the end", await tool_names(client), names)


BEHAVIOURS = (progress, parting, cancel, give_up_by_timeout, elicitation, sampling, roots,
              questions_at_once, undeclared, logging, changes)
