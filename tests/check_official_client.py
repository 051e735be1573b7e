#!/usr/bin/env python3
"""Talk to the examples over real pipes with the official Python client, in both eras."""

import asyncio
import subprocess
import sys
import warnings
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from mcp.shared.exceptions import MCPDeprecationWarning

ROOT = Path(__file__).parent.parent
EXAMPLES = ("hello", "ask")
# How the client opens: by itself it finds the modern era; legacy must be asked for.
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
NOTE = "note://latest"
SECONDS = 60


class Mismatch(Exception):
    """The conversation went otherwise than it should."""


def expect(what, found, wanted):
    if found != wanted:
        raise Mismatch(f"{what}: {found!r} instead of {wanted!r}")


def server(example):
    return StdioServerParameters(command=str(ROOT / "target" / "debug" / "examples" / example))


async def text(client, tool, **arguments):
    """What a tool says; a failure is marked."""
    result = await client.call_tool(tool, arguments)
    return ("failed: " if result.is_error else "") + result.content[0].text


async def talk_to_hello(mode):
    async with Client(server("hello"), mode=mode) as client:
        expect("revision", client.protocol_version, ERAS[mode])
        expect("tools", [tool.name for tool in (await client.list_tools()).tools], ["greet"])
        expect("greet", await text(client, "greet", name="Ann"), "Hello, Ann!")


class User:
    """The person and the model behind the client; `seen` is what they were asked."""

    def __init__(self):
        self.seen = []
        self.reply = types.ElicitResult(action="accept", content={"name": "Ann"})

    async def elicit(self, _context, params):
        self.seen.append(params.message)
        return self.reply

    async def sample(self, _context, params):
        self.seen.append(params.messages[0].content.text)
        return types.CreateMessageResult(role="assistant", model="m",
                                         content=types.TextContent(type="text", text="Old pond"))

    async def roots(self, _context):
        self.seen.append("roots")
        roots = [types.Root(uri=uri) for uri in ("file:///a", "file:///b")]
        return types.ListRootsResult(roots=roots)

    def callbacks(self):
        return {"elicitation_callback": self.elicit, "sampling_callback": self.sample,
                "list_roots_callback": self.roots}


async def answer_questions(mode):
    """The same callbacks answer in both eras; a modern client tries again by itself."""
    user = User()
    async with Client(server("ask"), mode=mode, **user.callbacks()) as client:
        expect("revision", client.protocol_version, ERAS[mode])
        expect("greet", await text(client, "greet"), "Hello, Ann!")
        expect("haiku", await text(client, "haiku", topic="frogs"), "Old pond")
        expect("folders", await text(client, "folders"), "2 open")
        expect("questions", user.seen,
               ["What is your name?", "Write a haiku about frogs.", "roots"])
        user.reply = types.ElicitResult(action="decline")
        expect("declined", await text(client, "greet"), "Hello, whoever you are!")
        at_once = await asyncio.gather(text(client, "haiku"), text(client, "folders"))
        expect("two at once", at_once, ["Old pond", "2 open"])


async def refuse_questions(mode):
    """A client that answers with an error, and one that declares nothing."""
    user = User()
    user.reply = types.ErrorData(code=-1, message="Not now")
    async with Client(server("ask"), mode=mode, **user.callbacks()) as client:
        # A modern client does not send its error: it gives the call up by itself.
        expect("refused", await failure(client, "greet"),
               "Not now" if mode == "auto" else "failed: No answer from the client: Not now")
        expect("afterwards", await text(client, "folders"), "2 open")
    async with Client(server("ask"), mode=mode) as client:
        missing = "Missing required client capability: elicitation.form"
        expect("undeclared", await failure(client, "greet"),
               missing if mode == "auto" else f"failed: {missing}")
        expect("done without", await text(client, "folders"), "The client does not say.")


async def give_up(mode):
    """The client cancels a call while its user is asked: the question is taken back."""
    asked, taken_back = asyncio.Event(), asyncio.Event()

    async def elicit(_context, _params):
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            taken_back.set()

    async with Client(server("ask"), mode=mode, elicitation_callback=elicit) as client:
        call = asyncio.create_task(client.call_tool("greet", {}))
        await asked.wait()
        # In the modern era the question is the client's alone by now, and nothing is sent.
        call.cancel()
        await taken_back.wait()
        await asyncio.gather(call, return_exceptions=True)
        expect("given up", call.cancelled(), True)
        expect("afterwards", await text(client, "folders"), "The client does not say.")


async def failure(client, tool):
    """The message of the error, or the text of the failed tool."""
    try:
        return await text(client, tool)
    except MCPError as error:
        return error.message


@asynccontextmanager
async def changes_legacy():
    """A legacy client, and what it hears of changes: notifications without a stream."""
    heard = asyncio.Queue()

    async def handler(message):
        if isinstance(message, types.ToolListChangedNotification):
            await heard.put("tools")
        elif isinstance(message, types.ResourceUpdatedNotification):
            await heard.put(str(message.params.uri))

    async with Client(server("ask"), mode="legacy", message_handler=handler) as client:
        with warnings.catch_warnings():
            # Subscribing is deprecated because the modern revision has no such request.
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            await client.subscribe_resource(NOTE)
            yield client, heard.get
            await client.unsubscribe_resource(NOTE)
        await text(client, "note", text="unheard")
        expect("after unsubscribing", heard.qsize(), 0)


@asynccontextmanager
async def changes_auto():
    """A modern client, and what it hears of changes: events of a listen stream."""
    async with Client(server("ask"), mode="auto") as client:
        async with client.listen(tools_list_changed=True, prompts_list_changed=True,
                                 resource_subscriptions=[NOTE, "note://none"]) as stream:
            # There are no prompts and there is no such note.
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
        # Leaving the stream cancels it; the connection goes on, and another one can be opened.
        async with client.listen(resource_subscriptions=[NOTE]) as stream:
            await text(client, "note", text="heard again")
            expect("second stream", await anext(stream), ResourceUpdated(uri=NOTE))


async def hear_of_changes(mode):
    async with {"legacy": changes_legacy, "auto": changes_auto}[mode]() as (client, hear):
        expect("note before", await note(client), "nothing yet")
        expect("note", await text(client, "note", text="buy milk"), "Noted.")
        expect("told of the note", await hear(), NOTE)
        expect("note after", await note(client), "buy milk")
        before = [tool.name for tool in (await client.list_tools()).tools]
        expect("learn", await text(client, "learn"), "There is a new tool.")
        expect("told of the tools", await hear(), "tools")
        after = [tool.name for tool in (await client.list_tools()).tools]
        expect("tools", after, [*before, "learnt"])
        expect("learnt", await text(client, "learnt"), "Here I am.")


async def note(client):
    return (await client.read_resource(NOTE)).contents[0].text


# What is not shown: the end of a stream by the server's will, because the example ends when its
# client does; pages to visit, because the example has none; and notifications/cancelled as such,
# because the client applies it without showing it to anybody.
CONVERSATIONS = (talk_to_hello, answer_questions, refuse_questions, give_up, hear_of_changes)


def leaves(error):
    """The exceptions in nested groups of them."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for part in error.exceptions for leaf in leaves(part)]
    return [error]


def main():
    build = ["cargo", "build", "--quiet", "--package", "mcplite-core"]
    for example in EXAMPLES:
        build += ["--example", example]
    subprocess.run(build, cwd=ROOT, check=True)
    for mode, revision in ERAS.items():
        for converse in CONVERSATIONS:
            failures = []
            try:
                asyncio.run(asyncio.wait_for(converse(mode), timeout=SECONDS))
            except* (Mismatch, TimeoutError) as group:
                failures = leaves(group)
            if failures:
                print(f"{mode}: {converse.__name__}: {failures}", file=sys.stderr)
                return 1
        names = ", ".join(converse.__name__ for converse in CONVERSATIONS)
        print(f"{mode}: {revision} spoken with the official client: {names}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
