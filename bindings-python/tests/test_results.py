"""What handlers return, and what clients get."""

from __future__ import annotations

import datetime
import enum
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from json import loads
from typing import Any

import pytest

from mcplite import Server
from mcplite.content import (
    Assistant,
    Audio,
    Completion,
    EmbeddedResource,
    Image,
    PromptResult,
    ResourceContents,
    ResourceLink,
    Text,
    ToolResult,
    User,
)
from mcplite.errors import McpError, ToolError
from mcplite.testing import Client

PNG = b"\x89PNG\r\n\x1a\n"
OPAQUE = b"\x00\xff"


@dataclass
class Point:
    x: int
    y: int


class Colour(enum.Enum):
    RED = "red"


class Name(str):
    pass


class Odd:
    pass


class Spoken:
    def __json__(self) -> object:
        return ["said"]


Pair = namedtuple("Pair", "left right")


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def server_returning(value: object) -> Server:
    """A server whose items all return the same value, without an annotation that would say more."""
    server = Server("returning")

    @server.tool
    def tool():  # type: ignore[no-untyped-def]
        return value

    @server.resource("it:self", mime_type="text/x-it")
    def resource():  # type: ignore[no-untyped-def]
        return value

    @server.prompt
    def prompt(word=""):  # type: ignore[no-untyped-def]
        return value

    @server.completion("prompt", "word")
    def complete(value_so_far):  # type: ignore[no-untyped-def]
        return value

    @server.on("my/method")
    def method(params):  # type: ignore[no-untyped-def]
        return value

    return server


def call(value: object) -> dict[str, Any]:
    with Client(server_returning(value), raise_on_error=False) as client:
        return client.call("tool").raw


def told(caplog: pytest.LogCaptureFixture) -> TypeError:
    """What the developer was told, once."""
    [record] = caplog.records
    assert record.exc_info is not None
    error = record.exc_info[1]
    assert isinstance(error, TypeError)
    return error


PLAIN_TOOL: list[tuple[Any, list[dict[str, Any]]]] = [
    (None, []),
    ("", [text("")]),
    ("a\nb", [text("a\nb")]),
    (Name("sub"), [text("sub")]),
    (7, [text("7")]),
    (1.5, [text("1.5")]),
    (True, [text("true")]),
    (2**70, [text(str(2**70))]),
    (Colour.RED, [text("red")]),
    (datetime.date(2026, 1, 2), [text("2026-01-02")]),
    ([], [text("[]")]),
    ([1, "a"], [text('[1,"a"]')]),
    ((1, 2), [text("[1,2]")]),
    ({3}, [text("[3]")]),
    ([{"a": 1}], [text('[{"a":1}]')]),
    ([Point(1, 2)], [text('[{"x":1,"y":2}]')]),
    (Spoken(), [text('["said"]')]),
    (["a", "b"], [text("a"), text("b")]),
    (("a",), [text("a")]),
    (Text("a", meta={"k": 1}), [{**text("a"), "_meta": {"k": 1}}]),
    (Image(PNG), [{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]),
    (
        Audio(b"ok", format="wav", annotations={"priority": 1}),
        [
            {
                "type": "audio",
                "data": "b2s=",
                "mimeType": "audio/wav",
                "annotations": {"priority": 1},
            }
        ],
    ),
    (ResourceLink("a:b", "B"), [{"type": "resource_link", "uri": "a:b", "name": "B"}]),
    (EmbeddedResource("a:b", "c"), [{"type": "resource", "resource": {"uri": "a:b", "text": "c"}}]),
    (
        ["see", Image(PNG), {"a": Point(1, 2)}, 7],
        [text("see"), Image(PNG).block(), text('{"a":{"x":1,"y":2}}'), text("7")],
    ),
    (PNG, [Image(PNG).block()]),
    (
        bytearray(OPAQUE),
        [
            {
                "type": "resource",
                "resource": {
                    "uri": "attachment:data",
                    "mimeType": "application/octet-stream",
                    "blob": "AP8=",
                },
            }
        ],
    ),
    (["a", PNG], [text("a"), Image(PNG).block()]),
    (ToolResult("a"), [text("a")]),
    (ToolResult(), []),
]


@pytest.mark.parametrize(("value", "content"), PLAIN_TOOL, ids=lambda value: repr(value)[:40])
def test_a_tool_returns_content(value: Any, content: list[dict[str, Any]]) -> None:
    result = call(value)
    assert result["content"] == content
    assert "structuredContent" not in result
    assert "isError" not in result


@pytest.mark.parametrize(
    ("value", "structured"),
    [
        ({}, {}),
        ({"a": [1, None]}, {"a": [1, None]}),
        ({"at": datetime.date(2026, 1, 2)}, {"at": "2026-01-02"}),
        (Point(1, 2), {"x": 1, "y": 2}),
        (Pair("l", "r"), {"left": "l", "right": "r"}),
        (ToolResult(structured={"n": Point(1, 2)}), {"n": {"x": 1, "y": 2}}),
    ],
    ids=repr,
)
def test_a_tool_returns_structure_with_its_text(value: Any, structured: dict[str, Any]) -> None:
    result = call(value)
    assert result["structuredContent"] == structured
    [block] = result["content"]
    assert block["type"] == "text"
    assert loads(block["text"]) == structured


def test_a_whole_result_is_sent_as_it_is() -> None:
    result = call(ToolResult(["a", {"type": "text", "text": "b"}], {"n": 1}, meta={"k/l": 2}))
    assert result["content"] == [text("a"), text("b")]
    assert result["structuredContent"] == {"n": 1}
    assert result["_meta"]["k/l"] == 2
    assert "isError" not in result


def test_a_result_can_be_an_error_with_content() -> None:
    result = call(ToolResult(["no", Image(PNG)], {"why": Point(1, 2)}, is_error=True))
    assert result["isError"] is True
    assert result["content"] == [text("no"), Image(PNG).block()]
    assert result["structuredContent"] == {"why": {"x": 1, "y": 2}}


def test_content_goes_before_an_output_schema() -> None:
    server = Server("promising")

    @server.tool
    def promised() -> int:
        return ToolResult("seven", {"result": 7})  # type: ignore[return-value]

    with Client(server) as client:
        result = client.call("promised")
    assert (result.text, result.data) == ("seven", 7)


@pytest.mark.parametrize("value", [Odd(), [Odd()], {"a": Odd()}, ToolResult(structured=Odd())])
def test_what_a_tool_cannot_send_is_named_to_the_developer(
    caplog: pytest.LogCaptureFixture, value: object
) -> None:
    server = server_returning(value)
    with Client(server) as client, pytest.raises((ToolError, McpError)):
        client.call("tool")
    error = told(caplog)
    assert "the tool 'tool' returned" in str(error)
    assert "Odd" in str(error)


URI = "it:self"
TYPE = "text/x-it"


@pytest.mark.parametrize(
    ("value", "contents"),
    [
        ("a", [{"uri": URI, "mimeType": TYPE, "text": "a"}]),
        (OPAQUE, [{"uri": URI, "mimeType": TYPE, "blob": "AP8="}]),
        (memoryview(OPAQUE), [{"uri": URI, "mimeType": TYPE, "blob": "AP8="}]),
        ({"a": 1}, [{"uri": URI, "mimeType": TYPE, "text": '{"a":1}'}]),
        ([1, "a"], [{"uri": URI, "mimeType": TYPE, "text": '[1,"a"]'}]),
        (["a"], [{"uri": URI, "mimeType": TYPE, "text": '["a"]'}]),
        (7, [{"uri": URI, "mimeType": TYPE, "text": "7"}]),
        (Point(1, 2), [{"uri": URI, "mimeType": TYPE, "text": '{"x":1,"y":2}'}]),
        (Text("a"), [{"uri": URI, "mimeType": TYPE, "text": "a"}]),
        (Image(PNG), [{"uri": URI, "mimeType": "image/png", "blob": "iVBORw0KGgo="}]),
        (EmbeddedResource("a:b", "c"), [{"uri": "a:b", "text": "c"}]),
        (ResourceContents("a"), [{"uri": URI, "mimeType": TYPE, "text": "a"}]),
        (
            ResourceContents(b"ok", mime_type="text/plain", meta={"k/l": 1}),
            [{"uri": URI, "mimeType": "text/plain", "blob": "b2s=", "_meta": {"k/l": 1}}],
        ),
        (
            [ResourceContents("a", uri="a:1"), "b", {"c": 1}],
            [
                {"uri": "a:1", "text": "a"},
                {"uri": URI, "mimeType": TYPE, "text": "b"},
                {"uri": URI, "mimeType": TYPE, "text": '{"c":1}'},
            ],
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_resource_returns_contents(value: Any, contents: list[dict[str, Any]]) -> None:
    with Client(server_returning(value)) as client:
        assert client.read(URI).contents == contents


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "raise NotFoundError"),
        (ResourceLink("a:b"), "not links"),
        (Odd(), "the resource 'it:self' returned Odd"),
    ],
)
def test_what_a_resource_cannot_send_is_named_to_the_developer(
    caplog: pytest.LogCaptureFixture, value: Any, words: str
) -> None:
    server = server_returning(value)
    with Client(server) as client, pytest.raises(McpError):
        client.read(URI)
    error = told(caplog)
    assert words in str(error)


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("a", [User("a")]),
        (Assistant("a"), [Assistant("a")]),
        (Image(PNG), [User(Image(PNG))]),
        ([], []),
        (("a", Assistant("b"), "c"), [User("a"), Assistant("b"), User("c")]),
        ([{"role": "assistant", "content": "a"}], [Assistant("a")]),
        ([{"role": "user", "content": text("a")}], [User("a")]),
        (text("a"), [User("a")]),
        (Assistant(["a", Image(PNG)]), [Assistant("a"), Assistant(Image(PNG))]),
        ({"messages": [User("a").block()]}, [User("a")]),
        (PromptResult("a"), [User("a")]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_prompt_returns_messages(value: Any, messages: list[Any]) -> None:
    with Client(server_returning(value)) as client:
        result = client.get_prompt("prompt")
    assert result.messages == [message.block() for message in messages]


def test_a_prompt_describes_itself() -> None:
    with Client(server_returning(PromptResult(["a"], "An a", meta={"k/l": 1}))) as client:
        result = client.get_prompt("prompt")
    assert result.description == "An a"
    assert result.meta["k/l"] == 1


@pytest.mark.parametrize("value", [None, 7, {"a": 1}, [Odd()]])
def test_what_a_prompt_cannot_send_is_named_to_the_developer(
    caplog: pytest.LogCaptureFixture, value: object
) -> None:
    server = server_returning(value)
    with Client(server) as client, pytest.raises(McpError):
        client.get_prompt("prompt")
    error = told(caplog)
    assert "the prompt 'prompt' returned" in str(error)


def numbers() -> Iterator[str]:
    return (str(number) for number in count())


FIRST_HUNDRED = [str(number) for number in range(100)]


@pytest.mark.parametrize(
    ("value", "completion"),
    [
        (None, Completion([])),
        ([], Completion([])),
        ("a", Completion(["a"])),
        (("a", "b"), Completion(["a", "b"])),
        ({"a": 1}, Completion(["a"])),
        (numbers(), Completion(FIRST_HUNDRED, None, True)),
        ([str(number) for number in range(200)], Completion(FIRST_HUNDRED, 200, True)),
        (Completion(["a"], 9, True), Completion(["a"], 9, True)),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_completion_returns_suggestions(value: Any, completion: Completion) -> None:
    with Client(server_returning(value)) as client:
        assert client.complete("prompt", "word", "a") == completion


@pytest.mark.parametrize("value", [7, [7], b"a", Odd()])
def test_what_a_completion_cannot_send_is_named_to_the_developer(
    caplog: pytest.LogCaptureFixture, value: object
) -> None:
    server = server_returning(value)
    with Client(server) as client, pytest.raises(McpError):
        client.complete("prompt", "word")
    error = told(caplog)
    assert "cannot be sent: suggestions are" in str(error)


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (None, {}),
        ({"a": 1}, {"a": 1}),
        ({"a": Point(1, 2)}, {"a": {"x": 1, "y": 2}}),
        (Point(1, 2), {"x": 1, "y": 2}),
        (7, {"result": 7}),
        ("a", {"result": "a"}),
        ([1], {"result": [1]}),
        (Colour.RED, {"result": "red"}),
        (Text("a"), text("a")),
    ],
    ids=repr,
)
def test_a_method_of_ones_own_returns_an_object(value: Any, result: dict[str, Any]) -> None:
    with Client(server_returning(value), era="legacy") as client:
        assert client.request("my/method") == result
