"""Content: blocks as the specification writes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mcplite import content
from mcplite.content import (
    Assistant,
    Audio,
    Completion,
    EmbeddedResource,
    Image,
    Message,
    PromptResult,
    ResourceContents,
    ResourceLink,
    Text,
    ToolResult,
    User,
)

PNG = b"\x89PNG\r\n\x1a\n"
ANNOTATIONS = {"audience": ["user"], "priority": 1}

BLOCKS: list[tuple[Any, dict[str, Any]]] = [
    (Text("hi"), {"type": "text", "text": "hi"}),
    (
        Text("hi", annotations=ANNOTATIONS, meta={"a/b": 1}),
        {"type": "text", "text": "hi", "annotations": ANNOTATIONS, "_meta": {"a/b": 1}},
    ),
    (
        Image(b"ok", format="png"),
        {"type": "image", "data": "b2s=", "mimeType": "image/png"},
    ),
    (
        Audio(data=b"ok", mime_type="audio/x-mine"),
        {"type": "audio", "data": "b2s=", "mimeType": "audio/x-mine"},
    ),
    (
        ResourceLink("file:///a/b.txt"),
        {"type": "resource_link", "uri": "file:///a/b.txt", "name": "b.txt"},
    ),
    (
        ResourceLink(
            "a:b",
            "B",
            title="The B",
            description="One",
            mime_type="text/plain",
            size=0,
            icons=[{"src": "a:c"}],
        ),
        {
            "type": "resource_link",
            "uri": "a:b",
            "name": "B",
            "title": "The B",
            "description": "One",
            "mimeType": "text/plain",
            "size": 0,
            "icons": [{"src": "a:c"}],
        },
    ),
    (
        EmbeddedResource("a:b", "text", mime_type="text/plain"),
        {
            "type": "resource",
            "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "text"},
        },
    ),
    (
        EmbeddedResource("a:b", b"ok"),
        {"type": "resource", "resource": {"uri": "a:b", "blob": "b2s="}},
    ),
    (ResourceContents(b"ok", uri="a:b"), {"uri": "a:b", "blob": "b2s="}),
    (
        ResourceContents("ok", mime_type="text/html", meta={"a/b": 1}),
        {"mimeType": "text/html", "text": "ok", "_meta": {"a/b": 1}},
    ),
    (User("hi"), {"role": "user", "content": {"type": "text", "text": "hi"}}),
    (
        Assistant(Image(b"ok", format="gif")),
        {
            "role": "assistant",
            "content": {"type": "image", "data": "b2s=", "mimeType": "image/gif"},
        },
    ),
    (
        Message("user", {"type": "text", "text": "as a dict"}),
        {"role": "user", "content": {"type": "text", "text": "as a dict"}},
    ),
    (
        User(["a", {"type": "tool_result", "toolUseId": "b", "content": []}]),
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "a"},
                {"type": "tool_result", "toolUseId": "b", "content": []},
            ],
        },
    ),
    (
        PromptResult(["a", Assistant("b")], "Both", meta={"a/b": 1}),
        {
            "messages": [User("a").block(), Assistant("b").block()],
            "description": "Both",
            "_meta": {"a/b": 1},
        },
    ),
    (
        ToolResult(["a", Text("b"), {"type": "text", "text": "c"}], {"n": 1}, is_error=True),
        {
            "content": [{"type": "text", "text": text} for text in "abc"],
            "structuredContent": {"n": 1},
            "isError": True,
        },
    ),
    (
        ToolResult("a", meta={"a/b": 1}),
        {"content": [{"type": "text", "text": "a"}], "_meta": {"a/b": 1}},
    ),
    (PromptResult(Assistant("a")), {"messages": [Assistant("a").block()]}),
    (Completion(["a", "b"], 7, True), {"values": ["a", "b"], "total": 7, "hasMore": True}),
    (Completion(iter("ab")), {"values": ["a", "b"]}),
]


@pytest.mark.parametrize(("value", "block"), BLOCKS, ids=lambda value: type(value).__name__)
def test_a_block_is_what_the_specification_writes(value: Any, block: dict[str, Any]) -> None:
    assert value.block() == block


@pytest.mark.parametrize("value", [row[0] for row in BLOCKS], ids=lambda row: type(row).__name__)
def test_every_kind_is_marked_and_has_no_dict(value: Any) -> None:
    assert value.__mcp_content__ is True
    assert not hasattr(value, "__dict__")


def test_things_with_the_same_block_are_equal() -> None:
    assert Text("a") == Text("a")
    assert Text("a") != Text("b")
    assert Text("a") != "a"
    assert User("a") == Message("user", Text("a"))
    assert Image(b"ok", format="png") != Audio(b"ok", format="png")


def test_what_is_shown_is_short_and_complete() -> None:
    assert repr(Text("a")) == "Text(text='a')"
    assert repr(Text("a", meta={"k": 1})) == "Text(text='a', meta={'k': 1})"
    assert repr(Image(PNG * 9)) == "Image(data=<72 bytes>, mime_type='image/png')"
    assert repr(User("a")) == "Message(content=Text(text='a'), role='user')"


@pytest.mark.parametrize(
    ("name", "mime_type"),
    [("a.png", "image/png"), ("a.JPG", "image/jpeg"), ("a.svg", "image/svg+xml")],
)
def test_an_image_is_read_from_a_file(tmp_path: Path, name: str, mime_type: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"bytes")
    for image in (Image(path), Image(str(path)), Image(path=path)):
        assert (image.data, image.mime_type) == (b"bytes", mime_type)


def test_rare_suffixes_are_looked_up(tmp_path: Path) -> None:
    path = tmp_path / "a.ico"
    path.write_bytes(b"bytes")
    assert Image(path).mime_type in ("image/vnd.microsoft.icon", "image/x-icon")


def test_a_file_of_another_family_is_told_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "download.bin"
    path.write_bytes(PNG)
    assert Image(path).mime_type == "image/png"


@pytest.mark.parametrize(
    ("kind", "data", "mime_type"),
    [
        (Image, PNG, "image/png"),
        (Image, b"\xff\xd8\xff\xe0", "image/jpeg"),
        (Image, b"GIF89a", "image/gif"),
        (Image, b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (Image, b"\0\0\0\x20ftypavif", "image/avif"),
        (Audio, b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (Audio, b"ID3\x04", "audio/mpeg"),
        (Audio, b"OggS", "audio/ogg"),
        (Audio, b"fLaC", "audio/flac"),
    ],
)
def test_the_type_is_told_by_the_first_bytes(kind: Any, data: bytes, mime_type: str) -> None:
    for form in (data, bytearray(data), memoryview(data)):
        assert kind(form).mime_type == mime_type


@pytest.mark.parametrize(
    ("kind", "format", "mime_type"),
    [
        (Image, "png", "image/png"),
        (Image, ".JPG", "image/jpeg"),
        (Image, "heic", "image/heic"),
        (Audio, "mp3", "audio/mpeg"),
        (Audio, "wav", "audio/wav"),
    ],
)
def test_a_format_is_what_people_call_it(kind: Any, format: str, mime_type: str) -> None:
    assert kind(b"", format=format).mime_type == mime_type


@pytest.mark.parametrize(
    ("make", "args", "options", "kind", "words"),
    [
        (Image, (), {}, TypeError, "either data= (bytes) or path="),
        (Image, (b"a",), {"data": b"b"}, TypeError, "once"),
        (Image, (), {"data": b"a", "path": "b"}, TypeError, "either"),
        (Image, (), {"data": "YQ=="}, TypeError, "the data of Image is bytes, not str"),
        (Image, (7,), {}, TypeError, "is bytes, not int"),
        (Image, (b"what",), {}, ValueError, "say format= or mime_type="),
        (Image, (b"fLaC",), {}, ValueError, "say format= or mime_type="),
        (Audio, (b"a",), {"mime_type": "image/png"}, ValueError, "no type for Audio"),
        (Text, (1,), {}, TypeError, "the text of Text is str, not int"),
        (ResourceLink, (b"a",), {}, TypeError, "the uri of ResourceLink is str"),
        (EmbeddedResource, ("a:b", {"a": 1}), {}, TypeError, "is bytes, not dict"),
        (Message, ("system", "a"), {}, ValueError, "not 'system'"),
        (Message, ("user", 1), {}, TypeError, "not of int"),
        (Message, ("user", ["a", 1]), {}, TypeError, "not of int"),
        (PromptResult, ([1],), {}, TypeError, "not of int"),
        (PromptResult, ([{"a": 1}],), {}, TypeError, "not of dict"),
        (ToolResult, ([1],), {}, TypeError, "not of int"),
    ],
)
def test_mistakes_are_named(
    make: Any, args: tuple[Any, ...], options: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind) as caught:
        make(*args, **options)
    assert words in str(caught.value)


def test_a_missing_file_is_an_error_where_it_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Image(tmp_path / "none.png")


def test_a_single_text_is_one_suggestion() -> None:
    assert Completion("abc").values == ["abc"]


def test_importing_and_using_content_needs_no_heavy_modules() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        "from mcplite.content import Image, Text\n"
        "Image(b'\\x89PNG').block(), Text('a').block()\n"
        "heavy = {'typing', 'mimetypes', 'base64', 'inspect', 're', 'json', 'collections'}\n"
        "print(sorted(heavy & (set(sys.modules) - before)))"
    )
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_everything_public_is_listed() -> None:
    own = {
        name
        for name, value in vars(content).items()
        if getattr(value, "__module__", "") == content.__name__ and not name.startswith("_")
    }
    assert own - {"as_message"} == set(content.__all__)
