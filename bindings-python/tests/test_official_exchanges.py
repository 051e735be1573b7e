"""The official client for Python: what goes on during a call, and what the server says unasked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client, types
from mcp.client.subscriptions import PromptsListChanged, ResourceUpdated, ToolsListChanged
from pydantic import FileUrl

from mcp_support import client_of, deprecated, error_of, text_of, tool_names
from official_support import (
    Heard,
    Talk,
    both_kinds,
    given_up,
    over_http,
    spoken,
    talk,
    urls,
)

__all__ = ["talk", "urls"]

pytestmark = deprecated

NOTE = "note://latest"


@both_kinds
@spoken
async def test_progress_is_told_to_clients_that_want_to_know(talk: Talk, kind: str) -> None:
    heard = Heard(lambda done, total, message: (done, total, message))
    async with client_of(talk) as client:
        said = await text_of(client, f"count{kind}", {"to": 3}, progress_callback=heard)
        assert said == "counted"
        for number in (1, 2, 3):
            assert await heard.next() == (number, 3, f"number {number}")
        assert await text_of(client, f"count{kind}", {"to": 3}) == "counted"
        assert heard.waiting == 0


@both_kinds
@spoken
async def test_a_cancelled_call_reaches_its_handler_while_others_go_on(
    talk: Talk, kind: str
) -> None:
    began = Heard(lambda *_: True)
    key = f"cancelled {talk.way} {talk.revision} {kind}"
    async with client_of(talk) as client:
        waiting = client.call_tool(f"wait{kind}", {"key": key}, progress_callback=began)
        call = asyncio.create_task(waiting)
        await began.next()
        assert await text_of(client, f"add{kind}", {"a": 1}) == "3"
        assert not call.done()
        assert await given_up(call)
        assert await text_of(client, "until_given_up", {"key": key}) == "1 given up"
        assert await text_of(client, f"add{kind}", {"a": 1}) == "3"


@both_kinds
@spoken
async def test_a_client_that_loses_patience_cancels(talk: Talk, kind: str) -> None:
    began = Heard(lambda *_: True)
    key = f"impatient {talk.way} {talk.revision} {kind}"
    async with client_of(talk) as client:
        # A call that is cancelled before its handler begins never reaches it: one must have begun.
        while not began.waiting:
            refused = await error_of(
                client.call_tool(
                    f"wait{kind}", {"key": key}, read_timeout_seconds=0.1, progress_callback=began
                )
            )
            assert "imed out" in refused.message
        assert await text_of(client, "until_given_up", {"key": key}) != "0 given up"


@over_http
@both_kinds
@spoken
async def test_a_call_whose_client_goes_is_cancelled(talk: Talk, kind: str) -> None:
    began = Heard(lambda *_: True)
    key = f"gone {talk.way} {talk.revision} {kind}"
    async with client_of(talk) as client:
        waiting = client.call_tool(f"wait{kind}", {"key": key}, progress_callback=began)
        call = asyncio.create_task(waiting)
        await began.next()
    await asyncio.gather(call, return_exceptions=True)
    async with client_of(talk) as other:
        assert await text_of(other, "until_given_up", {"key": key}) == "1 given up"


class User:
    """The person, the model and the program behind the client; `seen` is what they were asked."""

    def __init__(self, *replies: types.ElicitResult) -> None:
        self.seen: list[Any] = []
        self.replies = list(replies)

    async def elicit(self, _context: object, params: Any) -> types.ElicitResult:
        self.seen.append((params.message, params.requested_schema))
        return self.replies.pop(0)

    async def sample(self, _context: object, params: Any) -> types.CreateMessageResult:
        self.seen.append((params.messages[0].content.text, params.max_tokens, params.system_prompt))
        content = types.TextContent(type="text", text="Old pond")
        return types.CreateMessageResult(role="assistant", model="m", content=content)

    async def roots(self, _context: object) -> types.ListRootsResult:
        self.seen.append("roots")
        uris = [FileUrl("file:///a"), FileUrl("file:///b")]
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in uris])


def accept(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


@both_kinds
@spoken
async def test_a_handler_asks_the_user_who_accepts_declines_or_cancels(
    talk: Talk, kind: str
) -> None:
    decline, cancel = (types.ElicitResult(action=action) for action in ("decline", "cancel"))
    user = User(accept(value="Ann"), decline, cancel)
    async with client_of(talk, elicitation_callback=user.elicit) as client:
        said = [await text_of(client, f"ask_name{kind}") for _ in range(3)]
    assert said == ["Hello, Ann!", "no name: decline", "no name: cancel"]
    schema = {
        "type": "object",
        "properties": {"value": {"type": "string"}},
        "required": ["value"],
    }
    assert user.seen == [("What is your name?", schema)] * 3


@both_kinds
@spoken
async def test_a_handler_asks_twice_and_gets_what_it_asked_for(talk: Talk, kind: str) -> None:
    user = User(accept(name="Ann", age=41), accept(value=True))
    async with client_of(talk, elicitation_callback=user.elicit) as client:
        assert await text_of(client, f"ask_person{kind}") == "Ann, 41: True"
    (first, form), (second, _) = user.seen
    assert (first, second) == ("Who are you?", "Are you really Ann?")
    assert form["properties"] == {
        "name": {"type": "string"},
        "age": {"type": "integer", "default": 30},
    }


@both_kinds
@spoken
async def test_a_handler_asks_the_model(talk: Talk, kind: str) -> None:
    user = User()
    async with client_of(talk, sampling_callback=user.sample) as client:
        said = await text_of(client, f"ask_model{kind}", {"what": "A haiku?"})
    assert said == "The model says: Old pond"
    assert user.seen == [("A haiku?", 50, "Be brief.")]


@both_kinds
@spoken
async def test_a_handler_asks_for_roots(talk: Talk, kind: str) -> None:
    user = User()
    async with client_of(talk, list_roots_callback=user.roots) as client:
        result = await client.call_tool(f"ask_roots{kind}", {})
    assert result.structured_content == {"result": ["file:///a", "file:///b"]}
    assert user.seen == ["roots"]


@spoken
async def test_a_handler_asks_everybody_at_once(talk: Talk) -> None:
    user = User(accept(value="Ann"))
    async with client_of(
        talk,
        elicitation_callback=user.elicit,
        sampling_callback=user.sample,
        list_roots_callback=user.roots,
    ) as client:
        assert await text_of(client, "ask_all") == "Ann, Old pond, 2"
    assert len(user.seen) == 3


@spoken
async def test_calls_that_ask_do_not_wait_for_each_other(talk: Talk) -> None:
    """Two users are asked before one of them answers."""
    everybody = asyncio.Barrier(2)

    async def elicit(_context: object, _params: object) -> types.ElicitResult:
        await everybody.wait()
        return accept(value="Ann")

    async with client_of(talk, elicitation_callback=elicit) as client:
        said = await asyncio.gather(
            *(text_of(client, f"ask_name{kind}") for kind in ("", "_async"))
        )
    assert said == ["Hello, Ann!"] * 2


@both_kinds
@spoken
async def test_a_call_is_cancelled_while_the_user_thinks(talk: Talk, kind: str) -> None:
    asked = asyncio.Event()

    async def elicit(_context: object, _params: object) -> types.ElicitResult:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    async with client_of(talk, elicitation_callback=elicit) as client:
        call = asyncio.create_task(client.call_tool(f"ask_name{kind}", {}))
        await asked.wait()
        assert await given_up(call)
        assert await text_of(client, f"add{kind}", {"a": 1}) == "3"


@both_kinds
@spoken
async def test_a_client_that_declares_nothing_is_not_asked(talk: Talk, kind: str) -> None:
    async with client_of(talk) as client:
        for tool, arguments in (("ask_name", {}), ("ask_model", {"what": "?"}), ("ask_roots", {})):
            if talk.is_modern:
                refused = await error_of(client.call_tool(f"{tool}{kind}", arguments))
                assert refused.code == -32021
                assert "requiredCapabilities" in refused.error.data
            else:
                said = await text_of(client, f"{tool}{kind}", arguments)
                assert said.startswith("failed: Missing required client capability")


LOGGED = [
    ("debug", "in detail", None),
    ("info", "in general", None),
    ("warning", {"left": 3}, "tank"),
]


@both_kinds
@spoken
async def test_a_client_hears_log_messages_of_its_level_and_above(talk: Talk, kind: str) -> None:
    heard = Heard(lambda params: (params.level, params.data, params.logger))
    levels: list[types.LoggingLevel] = ["debug", "info", "warning", "error"]
    async with client_of(talk, logging_callback=heard) as client:
        for first, level in enumerate(levels):
            # In the modern era each request says what it wants; before, the connection did.
            meta: Any = None
            if talk.is_modern:
                meta = {"io.modelcontextprotocol/logLevel": level}
            else:
                await client.set_logging_level(level)
            assert await text_of(client, f"log{kind}", meta=meta) == "logged"
            for message in LOGGED[first:]:
                assert await heard.next() == message
            assert await text_of(client, f"add{kind}", {"a": 1}) == "3"
            assert heard.waiting == 0
        if talk.is_modern:
            assert await text_of(client, f"log{kind}") == "logged"
            assert await text_of(client, f"add{kind}", {"a": 1}) == "3"
            assert heard.waiting == 0


Changes = AsyncIterator[tuple[Client, Callable[[], Awaitable[str]]]]


def of_notification(message: object) -> str | None:
    match message:
        case types.ToolListChangedNotification():
            return "tools"
        case types.PromptListChangedNotification():
            return "prompts"
        case types.ResourceUpdatedNotification():
            return str(message.params.uri)
        case _:
            return None


def of_event(event: object) -> str:
    match event:
        case ToolsListChanged():
            return "tools"
        case PromptsListChanged():
            return "prompts"
        case ResourceUpdated(uri=uri):
            return uri
        case _:
            raise AssertionError(f"unexpected: {event!r}")


@asynccontextmanager
async def changes_of(talk: Talk) -> Changes:
    """A client, and what it hears of changes: events of a stream, or before notifications."""
    if talk.is_modern:
        async with (
            client_of(talk) as client,
            client.listen(
                tools_list_changed=True, prompts_list_changed=True, resource_subscriptions=[NOTE]
            ) as stream,
        ):

            async def hear() -> str:
                return of_event(await anext(stream))

            yield client, hear
        return
    heard = Heard(of_notification)
    async with client_of(talk, message_handler=heard) as client:
        await client.subscribe_resource(NOTE)
        yield client, heard.next
        await client.unsubscribe_resource(NOTE)
        # Without a subscription only the changes of lists are told.
        await text_of(client, "touch")
        assert {await heard.next(), await heard.next()} == {"tools", "prompts"}
        await text_of(client, "touch")
        assert {await heard.next(), await heard.next()} == {"tools", "prompts"}


@spoken
async def test_a_client_is_told_of_changes_and_looks_again(talk: Talk) -> None:
    async with changes_of(talk) as (client, hear):
        names = await tool_names(client)
        for is_there in (True, False):
            before = await client.read_resource(NOTE)
            assert await text_of(client, "touch") == "touched"
            assert {await hear() for _ in range(3)} == {"tools", "prompts", NOTE}
            assert ("late" in await tool_names(client)) is is_there
            prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
            assert ("later" in prompts) is is_there
            assert (await client.read_resource(NOTE)).contents != before.contents
            if is_there:
                assert await text_of(client, "late") == "here"
        assert await tool_names(client) == names


@over_http
@spoken
async def test_a_client_is_told_what_another_one_changes(talk: Talk) -> None:
    async with client_of(talk) as other, changes_of(talk) as (client, hear):
        # The stream of a legacy client is open when it has been heard from.
        await client.list_tools()
        for _ in range(2):
            await text_of(other, "touch")
            assert {await hear() for _ in range(3)} == {"tools", "prompts", NOTE}
