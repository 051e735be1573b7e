"""The official client for Python: single questions, over every way and in both eras."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters, types
from pydantic import ConfigDict

from mcp_support import CLIENT, client_of, deprecated, error_of, text_of, tool_names
from official_support import COMMAND, MODES, Talk, both_kinds, spoken, talk, urls

__all__ = ["talk", "urls"]

pytestmark = deprecated

INVALID_PARAMS, RESOURCE_NOT_FOUND = -32602, -32002
PNG = b"\x89PNG\r\n\x1a\n"


@spoken
async def test_the_client_learns_who_serves_and_what(talk: Talk) -> None:
    async with client_of(talk) as client:
        assert client.protocol_version == talk.revision
        assert client.server_info is not None
        assert client.server_info.model_dump(by_alias=True, exclude_none=True) == {
            "name": "everything",
            "version": "1.5",
            "title": "Everything",
            "websiteUrl": "https://example.com/everything",
            "icons": [{"src": "https://example.com/icon.svg", "mimeType": "image/svg+xml"}],
        }
        assert client.instructions == "Ask for anything."
        assert client.server_capabilities.model_dump(by_alias=True, exclude_none=True) == {
            "completions": {},
            "logging": {},
            "prompts": {"listChanged": True},
            "resources": {"subscribe": True, "listChanged": True},
            "tools": {"listChanged": True},
        }


@spoken
async def test_tools_are_listed_with_schemas_from_hints_and_docstrings(talk: Talk) -> None:
    async with client_of(talk) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert [name for name, tool in tools.items() if not tool.description] == []
        for name in ("add", "add_async"):
            add = tools[name]
            assert add.title == "Add"
            assert add.description == "Adds two numbers."
            assert add.input_schema == {
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "description": "the first"},
                    "b": {"type": "integer", "description": "the second", "default": 2},
                },
                "required": ["a"],
                "additionalProperties": False,
            }
            assert add.output_schema is not None
            assert add.output_schema["properties"] == {"result": {"type": "integer"}}
            assert add.annotations is not None and add.annotations.read_only_hint is True
            assert add.meta == {"com.example/rank": 1}
        for name in ("locate", "locate_async"):
            found = tools[name].output_schema
            assert found is not None
            assert found["required"] == ["city", "latitude", "tags"]


@both_kinds
@spoken
async def test_a_tool_answers_with_text_and_structured_content(talk: Talk, kind: str) -> None:
    async with client_of(talk) as client:
        added = await client.call_tool(f"add{kind}", {"a": 1, "b": 41})
        assert (added.structured_content, added.is_error) == ({"result": 42}, False)
        assert [block.model_dump(exclude_none=True) for block in added.content] == [
            {"type": "text", "text": "42"}
        ]
        assert await text_of(client, f"add{kind}", {"a": 1}) == "3"
        located = await client.call_tool(f"locate{kind}", {"city": "Ulm"})
        place = {"city": "Ulm", "latitude": 48.5, "tags": ["old", "big"]}
        assert located.structured_content == place


@both_kinds
@spoken
async def test_a_tool_answers_with_content_of_every_kind(talk: Talk, kind: str) -> None:
    async with client_of(talk) as client:
        text, image, audio, embedded, link = (await client.call_tool(f"media{kind}", {})).content
        assert isinstance(text, types.TextContent) and text.text == "Look:"
        assert text.annotations is not None and text.annotations.audience == ["user"]
        assert isinstance(image, types.ImageContent) and image.mime_type == "image/png"
        assert base64.b64decode(image.data) == PNG
        assert isinstance(audio, types.AudioContent) and audio.mime_type == "audio/wav"
        assert base64.b64decode(audio.data).startswith(b"RIFF")
        assert isinstance(embedded, types.EmbeddedResource)
        assert isinstance(embedded.resource, types.TextResourceContents)
        assert embedded.resource.text == "Read me."
        assert isinstance(link, types.ResourceLink) and str(link.uri) == "note://latest"
        assert link.description == "the newest"


@both_kinds
@spoken
async def test_failures_reach_the_model_and_mistakes_the_program(talk: Talk, kind: str) -> None:
    async with client_of(talk) as client:
        assert await text_of(client, f"fail{kind}", {"how": "politely"}) == "failed: it broke"
        wrong = await text_of(client, f"add{kind}", {"a": "two"})
        assert wrong == "failed: Invalid arguments: /a: must be an integer, but is a string"
        unknown = await text_of(client, f"locate{kind}", {"city": "Ulm", "system": "west"})
        assert unknown.startswith("failed: Invalid arguments: /system: ")
        assert (await error_of(client.call_tool("none", {}))).code == INVALID_PARAMS
        assert await text_of(client, f"add{kind}", {"a": 1}) == "3"


@both_kinds
@pytest.mark.parametrize("revision", MODES)
@spoken
async def test_an_exception_is_an_error_for_the_client_and_a_traceback_on_stderr(
    revision: str, kind: str, tmp_path: Path
) -> None:
    stderr = tmp_path / "stderr"
    async with client_of(Talk("stdio", revision, None), stderr=stderr) as client:
        said = await text_of(client, f"fail{kind}", {"how": "rudely"})
        assert said.startswith("failed: ") and "rudely" in said and "Traceback" not in said
        assert await text_of(client, f"add{kind}", {"a": 1}) == "3"
    told = stderr.read_text()
    assert "Traceback (most recent call last):" in told
    assert f"in fail{kind}\n" in told
    assert "KeyError: 'rudely'" in told


@both_kinds
@spoken
async def test_a_tool_that_takes_too_long_is_ended(talk: Talk, kind: str) -> None:
    async with client_of(talk) as client:
        assert (await text_of(client, f"sleep{kind}")).startswith("failed: Timed out")
        assert await text_of(client, f"add{kind}", {"a": 1}) == "3"


@both_kinds
@spoken
async def test_a_handler_knows_who_asks(talk: Talk, kind: str) -> None:
    async with client_of(talk) as client:
        found = (await client.call_tool(f"who{kind}", {})).structured_content
        own = {"name": CLIENT.name, "version": CLIENT.version}
        assert found == {"revision": talk.revision, "client": own, "tool": f"who{kind}"}


@spoken
async def test_resources_and_templates_are_listed(talk: Talk) -> None:
    async with client_of(talk) as client:
        listed = (await client.list_resources()).resources
        assert [(str(resource.uri), resource.mime_type) for resource in listed] == [
            ("file:///readme.txt", "text/plain"),
            ("note://latest", "text/plain"),
            ("data://pixel", "image/png"),
        ]
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == [
            "note://{name}",
            "user://{id}/{field}",
        ]


@spoken
async def test_resources_are_read(talk: Talk) -> None:
    async with client_of(talk) as client:

        async def read(uri: str) -> dict[str, Any]:
            (contents,) = (await client.read_resource(uri)).contents
            return contents.model_dump(by_alias=True, exclude_none=True)

        plain = {"mimeType": "text/plain"}
        readme = "file:///readme.txt"
        assert await read(readme) == {"uri": readme, "text": "Read me.", **plain}
        alpha = "note://alpha"
        assert await read(alpha) == {"uri": alpha, "text": "the first", **plain}
        assert base64.b64decode((await read("data://pixel"))["blob"]) == PNG
        assert (await read("user://7/name"))["text"] == '{"id":7,"field":"name"}'

        wanted = INVALID_PARAMS if talk.is_modern else RESOURCE_NOT_FOUND
        for missing in ("note://none", "file:///none.txt"):
            refused = await error_of(client.read_resource(missing))
            assert (refused.code, refused.error.data) == (wanted, {"uri": missing})
        assert (await error_of(client.read_resource("user://x/name"))).code == INVALID_PARAMS


@spoken
async def test_prompts_are_listed_and_filled_in(talk: Talk) -> None:
    async with client_of(talk) as client:
        greet, review = (await client.list_prompts()).prompts
        assert (greet.title, greet.description) == ("Greeting", "Greets somebody.")
        assert [
            (argument.name, argument.description, bool(argument.required))
            for argument in greet.arguments or ()
        ] == [("name", "who is greeted", True), ("style", None, False)]
        assert review.name == "review"

        (message,) = (await client.get_prompt("greet", {"name": "Ann"})).messages
        assert isinstance(message.content, types.TextContent)
        assert message.content.text == "Greet Ann in a formal way."
        messages = (await client.get_prompt("review", {"code": "x = 1"})).messages
        assert [(message.role, message.content.type) for message in messages] == [
            ("user", "text"),
            ("assistant", "text"),
            ("user", "image"),
        ]
        assert (await error_of(client.get_prompt("greet"))).code == INVALID_PARAMS
        assert (await error_of(client.get_prompt("none"))).code == INVALID_PARAMS


@spoken
async def test_arguments_are_completed(talk: Talk) -> None:
    async with client_of(talk) as client:
        greet = types.PromptReference(type="ref/prompt", name="greet")
        notes = types.ResourceTemplateReference(type="ref/resource", uri="note://{name}")

        async def complete(ref: Any, name: str, value: str) -> list[str]:
            return (await client.complete(ref, {"name": name, "value": value})).completion.values

        assert await complete(greet, "style", "f") == ["formal", "friendly", "funny"]
        assert await complete(greet, "style", "fr") == ["friendly"]
        assert await complete(greet, "style", "x") == []
        assert await complete(notes, "name", "") == ["alpha", "beta", "latest"]
        assert await complete(notes, "name", "b") == ["beta"]


class Anything(types.Result):
    """The result of a method that no revision knows."""

    model_config = ConfigDict(extra="allow")


class Echo(types.Request[dict[str, Any], str]):
    method: str = "everything/echo"


@both_kinds
@spoken
async def test_a_method_of_ones_own_is_answered(talk: Talk, kind: str) -> None:
    async with client_of(talk) as client:
        request = Echo(method=f"everything/echo{kind}", params={"text": "hi"})
        answer = await client.session.send_request(request, Anything)
        assert answer.model_dump()["text"] == "hi"


@spoken
async def test_answers_find_their_requests_whatever_their_order(talk: Talk) -> None:
    async with client_of(talk) as client:
        calls = [
            text_of(client, f"add{kind}", {"a": number, "b": 1000})
            for number in range(32)
            for kind in ("", "_async")
        ]
        wanted = [str(1000 + number) for number in range(32) for _ in range(2)]
        assert await asyncio.gather(*calls) == wanted


@spoken
async def test_a_ping_is_answered_where_the_revision_has_it(talk: Talk) -> None:
    async with client_of(talk) as client:
        if talk.is_modern:
            # The revision has no such method.
            with pytest.raises(MCPError):
                await client.send_ping()
        else:
            assert (await client.send_ping()).model_dump(exclude_none=True) == {}


@pytest.mark.parametrize("revision", MODES)
@spoken
async def test_the_server_ends_in_peace_when_its_client_goes(revision: str, tmp_path: Path) -> None:
    status = tmp_path / "status"
    command = ["-c", '"$@"; echo $? > "$0"', str(status), *COMMAND]
    watched = StdioServerParameters(command="/bin/sh", args=command)
    async with Client(watched, mode=MODES[revision]) as client:
        assert await tool_names(client)
    assert status.read_text() == "0\n"
