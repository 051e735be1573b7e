"""The client of FastMCP, over every way and in both eras."""

from __future__ import annotations

import asyncio
import base64
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError
from mcp import MCPError, types

from official_support import (
    COMMAND,
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

# What the modern era has no longer is spoken on purpose, with clients of the era before.
pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


@asynccontextmanager
async def client_of(talk: Talk, **options: Any) -> AsyncIterator[Client[Any]]:
    """A client; over stdio with a server of its own, that says nothing on stderr."""
    if talk.url is not None:
        async with Client(talk.url, mode=talk.mode, **options) as client:
            yield client
        return
    with tempfile.TemporaryDirectory() as folder:
        stderr = Path(folder, "stderr")
        transport = StdioTransport(COMMAND[0], COMMAND[1:], keep_alive=False, log_file=stderr)
        async with Client(transport, mode=talk.mode, **options) as client:
            yield client
        assert stderr.read_text() == ""


async def text_of(client: Client[Any], tool: str, arguments: Any = None, **options: Any) -> str:
    (block,) = (await client.call_tool(tool, arguments or {}, **options)).content
    assert isinstance(block, types.TextContent)
    return block.text


@spoken
async def test_the_client_learns_who_serves_and_what(talk: Talk) -> None:
    async with client_of(talk) as client:
        assert client.protocol_version == talk.revision
        served = client.server_info
        assert served is not None and (served.name, served.version) == ("everything", "1.5")
        assert client.instructions == "Ask for anything."
        tools = [tool.name for tool in await client.list_tools()]
        assert {"add", "add_async", "ask_all"} <= set(tools)
        resources = [str(resource.uri) for resource in await client.list_resources()]
        assert resources == ["file:///readme.txt", "note://latest", "data://pixel"]
        templates = [template.uri_template for template in await client.list_resource_templates()]
        assert templates == ["note://{name}", "user://{id}/{field}"]
        assert [prompt.name for prompt in await client.list_prompts()] == ["greet", "review"]


@both_kinds
@spoken
async def test_a_tool_answers_with_text_and_data(talk: Talk, kind: str) -> None:
    async with client_of(talk) as client:
        assert await text_of(client, f"add{kind}", {"a": 1, "b": 41}) == "42"
        located = await client.call_tool(f"locate{kind}", {"city": "Ulm"})
        assert located.structured_content == {
            "city": "Ulm",
            "latitude": 48.5,
            "tags": ["old", "big"],
        }
        # Made by the client from the output schema.
        assert (located.data.city, located.data.latitude) == ("Ulm", 48.5)
        kinds = [block.type for block in (await client.call_tool(f"media{kind}")).content]
        assert kinds == ["text", "image", "audio", "resource", "resource_link"]


@both_kinds
@spoken
async def test_failures_are_raised(talk: Talk, kind: str) -> None:
    async with client_of(talk) as client:
        with pytest.raises(ToolError, match="^it broke$"):
            await client.call_tool(f"fail{kind}", {"how": "politely"})
        with pytest.raises(ToolError, match="/a: must be an integer"):
            await client.call_tool(f"add{kind}", {"a": "two"})
        with pytest.raises(ToolError, match="^Timed out"):
            await client.call_tool(f"sleep{kind}")
        with pytest.raises(MCPError, match="none"):
            await client.call_tool("none")
        assert await text_of(client, f"add{kind}", {"a": 1}) == "3"


@spoken
async def test_resources_are_read_prompts_filled_in_and_arguments_completed(talk: Talk) -> None:
    async with client_of(talk) as client:
        (alpha,) = await client.read_resource("note://alpha")
        assert isinstance(alpha, types.TextResourceContents)
        assert (alpha.text, alpha.mime_type) == ("the first", "text/plain")
        (pixel,) = await client.read_resource("data://pixel")
        assert isinstance(pixel, types.BlobResourceContents)
        assert base64.b64decode(pixel.blob).startswith(b"\x89PNG")
        with pytest.raises(MCPError, match="there is no note none"):
            await client.read_resource("note://none")

        (message,) = (await client.get_prompt("greet", {"name": "Ann", "style": "funny"})).messages
        assert isinstance(message.content, types.TextContent)
        assert message.content.text == "Greet Ann in a funny way."
        roles = [
            message.role for message in (await client.get_prompt("review", {"code": "x"})).messages
        ]
        assert roles == ["user", "assistant", "user"]

        greet = types.PromptReference(type="ref/prompt", name="greet")
        found = await client.complete(greet, {"name": "style", "value": "f"})
        assert found.values == ["formal", "friendly", "funny"]
        notes = types.ResourceTemplateReference(type="ref/resource", uri="note://{name}")
        assert (await client.complete(notes, {"name": "name", "value": "b"})).values == ["beta"]


@both_kinds
@spoken
async def test_progress_is_told(talk: Talk, kind: str) -> None:
    heard = Heard(lambda done, total, message: (done, total, message))
    async with client_of(talk) as client:
        said = await text_of(client, f"count{kind}", {"to": 2}, progress_handler=heard)
        assert said == "counted"
        assert await heard.next() == (1, 2, "number 1")
        assert await heard.next() == (2, 2, "number 2")


@both_kinds
@spoken
async def test_a_cancelled_call_reaches_its_handler(talk: Talk, kind: str) -> None:
    began = Heard(lambda *_: True)
    key = f"fastmcp {talk.way} {talk.revision} {kind}"
    async with client_of(talk) as client:
        waiting = client.call_tool(f"wait{kind}", {"key": key}, progress_handler=began)
        call = asyncio.create_task(waiting)
        await began.next()
        assert await given_up(call)
        assert await text_of(client, "until_given_up", {"key": key}) == "1 given up"


@both_kinds
@spoken
async def test_a_handler_asks_the_user(talk: Talk, kind: str) -> None:
    replies: list[Any] = [
        {"value": "Ann"},
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
    ]

    async def elicit(message: str, form: Any, _params: object, _context: object) -> Any:
        assert message == "What is your name?"
        reply = replies.pop(0)
        return form(**reply) if isinstance(reply, dict) else reply

    async with client_of(talk, elicitation_handler=elicit) as client:
        said = [await text_of(client, f"ask_name{kind}") for _ in range(3)]
    assert said == ["Hello, Ann!", "no name: decline", "no name: cancel"]


@both_kinds
@spoken
async def test_a_handler_asks_the_model_and_for_roots(talk: Talk, kind: str) -> None:
    asked = []

    async def sample(messages: Any, params: Any, _context: object) -> str:
        asked.append((messages[0].content.text, params.max_tokens))
        return "Old pond"

    roots = ["file:///a", "file:///b"]
    async with client_of(talk, sampling_handler=sample, roots=roots) as client:
        said = await text_of(client, f"ask_model{kind}", {"what": "A haiku?"})
        found = await client.call_tool(f"ask_roots{kind}")
    assert said == "The model says: Old pond"
    assert asked == [("A haiku?", 50)]
    assert found.structured_content == {"result": roots}


@both_kinds
@spoken
async def test_log_messages_are_heard(talk: Talk, kind: str) -> None:
    heard = Heard(lambda message: (message.level, message.data))
    async with client_of(talk, log_handler=heard) as client:
        meta = None
        if talk.is_modern:
            meta = {"io.modelcontextprotocol/logLevel": "info"}
        else:
            await client.set_logging_level("info")
        assert await text_of(client, f"log{kind}", meta=meta) == "logged"
        assert await heard.next() == ("info", "in general")
        assert await heard.next() == ("warning", {"left": 3})


def of_list_change(message: object) -> str | None:
    return "tools" if isinstance(message, types.ToolListChangedNotification) else None


@pytest.mark.parametrize(
    "talk",
    [(way, "2025-11-25") for way in ("stdio", "native", "asgi")],
    ids=" ".join,
    indirect=True,
)
@spoken
async def test_a_legacy_client_is_told_of_changes(talk: Talk) -> None:
    """The client has no way to listen in the modern era."""
    heard = Heard(of_list_change)
    async with client_of(talk, message_handler=heard) as client:
        for is_there in (True, False):
            assert await text_of(client, "touch") == "touched"
            assert await heard.next() == "tools"
            names = [tool.name for tool in await client.list_tools()]
            assert ("late" in names) is is_there


@over_http
@spoken
async def test_the_server_stays_when_one_of_its_clients_goes(talk: Talk) -> None:
    async with client_of(talk) as client:
        async with client_of(talk) as other:
            assert await text_of(other, "add", {"a": 1}) == "3"
        assert await text_of(client, "add_async", {"a": 1}) == "3"
