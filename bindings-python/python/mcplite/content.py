"""What handlers return when text and plain values are not enough.

Every class has a method `block()`, which gives the object of the specification as a dict. Two
objects are equal if they are of the same class and have the same block.
"""

from __future__ import annotations

# What `collections.abc` is made of, and loaded already.
from _collections_abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike
    from typing import Any, ClassVar, Literal, TypeAlias

    Bytes: TypeAlias = bytes | bytearray | memoryview
    Role: TypeAlias = Literal["user", "assistant"]
    Block: TypeAlias = "Content | Mapping[str, Any]"
    Blocks: TypeAlias = "str | Block | Sequence[str | Block]"

__all__ = [
    "Assistant",
    "Audio",
    "Completion",
    "Content",
    "EmbeddedResource",
    "Image",
    "Message",
    "PromptResult",
    "ResourceContents",
    "ResourceLink",
    "Text",
    "ToolResult",
    "User",
]


class _Part:
    """Something with a block, which is what it is compared and shown by."""

    __slots__ = ()
    __mcp_content__: ClassVar[bool] = True

    def block(self) -> dict[str, Any]:
        """Gives the object as the specification writes it."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.block() == other.block()

    def __repr__(self) -> str:
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        members = ((name, getattr(self, name)) for name in names)
        shown = (f"{name}={_shorten(value)}" for name, value in members if value is not None)
        return f"{type(self).__name__}({', '.join(shown)})"


def _shorten(value: object) -> str:
    if isinstance(value, bytes) and len(value) > 32:
        return f"<{len(value)} bytes>"
    return repr(value)


class Content(_Part):
    """One block of content: what tools return and prompt messages contain.

    `annotations` may have `audience`, `priority` and `lastModified`; `meta` is sent as `_meta`.
    """

    __slots__ = ("annotations", "meta")

    def __init__(
        self, annotations: Mapping[str, Any] | None, meta: Mapping[str, Any] | None
    ) -> None:
        self.annotations = None if annotations is None else dict(annotations)
        self.meta = None if meta is None else dict(meta)

    def _finish(self, block: dict[str, Any]) -> dict[str, Any]:
        if self.annotations is not None:
            block["annotations"] = self.annotations
        if self.meta is not None:
            block["_meta"] = self.meta
        return block


class Text(Content):
    """A block of text. A plain `str` does as well, unless there are annotations."""

    __slots__ = ("text",)

    def __init__(
        self,
        text: str,
        *,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(annotations, meta)
        self.text = _as_text(text, "the text of Text")

    def block(self) -> dict[str, Any]:
        return self._finish({"type": "text", "text": self.text})


class _Media(Content):
    """Bytes of a type that belongs to one family."""

    __slots__ = ("data", "mime_type")
    _family: ClassVar[str]

    def __init__(
        self,
        source: Bytes | str | PathLike[str] | None = None,
        /,
        *,
        data: Bytes | None = None,
        path: str | PathLike[str] | None = None,
        format: str | None = None,
        mime_type: str | None = None,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(annotations, meta)
        name = type(self).__name__
        if source is not None:
            if data is not None or path is not None:
                raise TypeError(f"{name} takes bytes or a path, once")
            if isinstance(source, str) or hasattr(source, "__fspath__"):
                path = source
            else:
                data = source
        if (data is None) == (path is None):
            raise TypeError(f"{name} takes either data= (bytes) or path= (a file)")
        guess = None
        if path is not None:
            with open(path, "rb") as file:
                data = file.read()
            guess = self._guess_by_name(str(path))
        self.data = _as_bytes(data, f"the data of {name}")
        self.mime_type = self._settle(mime_type, format, guess)

    def _guess_by_name(self, path: str) -> str | None:
        from . import _media

        guess = _media.type_of_name(path)
        return guess if guess and guess.startswith(f"{self._family}/") else None

    def _settle(self, mime_type: str | None, format: str | None, guess: str | None) -> str:
        if mime_type is not None:
            if not mime_type.startswith(f"{self._family}/"):
                name = type(self).__name__
                raise ValueError(
                    f"{mime_type!r} is no type for {name}; EmbeddedResource takes any type"
                )
            return mime_type
        from . import _media

        if format is not None:
            return _media.type_of_format(self._family, format)
        found = guess or _media.type_of_bytes(self.data)
        if found is None or not found.startswith(f"{self._family}/"):
            name = type(self).__name__
            raise ValueError(f"cannot tell the type of this {name}: say format= or mime_type=")
        return found

    def block(self) -> dict[str, Any]:
        data = _base64(self.data)
        return self._finish({"type": self._family, "data": data, "mimeType": self.mime_type})


class Image(_Media):
    """A picture: `Image(data)`, `Image("plot.png")`, `Image(data=…, format="png")`.

    The type is `mime_type`, or that of `format`, or told by the file's name, or by the first bytes.
    A file is read at once.
    """

    __slots__ = ()
    _family = "image"


class Audio(_Media):
    """Sound: `Audio(data)`, `Audio("hello.wav")`, `Audio(data=…, format="mp3")`.

    The type is `mime_type`, or that of `format`, or told by the file's name, or by the first bytes.
    A file is read at once. Clients of 2024-11-05 get it as an embedded resource.
    """

    __slots__ = ()
    _family = "audio"


class ResourceLink(Content):
    """A link to a resource, which the client may read. Its name defaults to the end of the URI."""

    __slots__ = ("description", "icons", "mime_type", "name", "size", "title", "uri")

    def __init__(
        self,
        uri: str,
        name: str | None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        icons: Sequence[Mapping[str, Any]] | None = None,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(annotations, meta)
        self.uri = _as_text(uri, "the uri of ResourceLink")
        self.name = name if name is not None else uri.rstrip("/").rpartition("/")[2] or uri
        self.title = title
        self.description = description
        self.mime_type = mime_type
        self.size = size
        self.icons = None if icons is None else [dict(icon) for icon in icons]

    def block(self) -> dict[str, Any]:
        block: dict[str, Any] = {"type": "resource_link", "uri": self.uri, "name": self.name}
        for member, value in (
            ("title", self.title),
            ("description", self.description),
            ("mimeType", self.mime_type),
            ("size", self.size),
            ("icons", self.icons),
        ):
            if value is not None:
                block[member] = value
        return self._finish(block)


class EmbeddedResource(Content):
    """A resource with its contents: `str` is sent as text, bytes are sent as a blob."""

    __slots__ = ("contents", "mime_type", "uri")

    def __init__(
        self,
        uri: str,
        contents: str | Bytes,
        *,
        mime_type: str | None = None,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(annotations, meta)
        self.uri = _as_text(uri, "the uri of EmbeddedResource")
        self.contents = _as_contents(contents, "the contents of EmbeddedResource")
        self.mime_type = mime_type

    def block(self) -> dict[str, Any]:
        resource = _contents_block(self.uri, self.mime_type, self.contents)
        return self._finish({"type": "resource", "resource": resource})


class ResourceContents(_Part):
    """What a resource returns if `str`, bytes and JSON do not say enough, or several of them.

    Without `uri` it is the contents of the resource that was asked for.
    """

    __slots__ = ("contents", "meta", "mime_type", "uri")

    def __init__(
        self,
        contents: str | Bytes,
        *,
        uri: str | None = None,
        mime_type: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.contents = _as_contents(contents, "the contents of ResourceContents")
        self.uri = uri
        self.mime_type = mime_type
        self.meta = None if meta is None else dict(meta)

    def block(self, uri: str | None = None) -> dict[str, Any]:
        """Gives the contents as the specification writes them; `uri` is for those without one."""
        block = _contents_block(self.uri or uri, self.mime_type, self.contents)
        if self.meta is not None:
            block["_meta"] = self.meta
        return block


class Message(_Part):
    """One message. A `str` as content is a block of text.

    Several blocks are one message where a model is asked, and several messages in a prompt.
    """

    __slots__ = ("content", "role")

    def __init__(self, role: Role, content: Blocks) -> None:
        if role not in ("user", "assistant"):
            raise ValueError(f"a role is 'user' or 'assistant', not {role!r}")
        self.role = role
        self.content: Block | list[Block]
        if isinstance(content, (list, tuple)):
            self.content = [_as_block(part) for part in content]
        else:
            self.content = _as_block(content)

    def block(self) -> dict[str, Any]:
        content = self.content
        blocks = content if isinstance(content, list) else [content]
        made = [_block_of(part) for part in blocks]
        return {"role": self.role, "content": made if isinstance(content, list) else made[0]}


def User(content: Blocks) -> Message:
    """Makes a message of the user."""
    return Message("user", content)


def Assistant(content: Blocks) -> Message:
    """Makes a message of the model."""
    return Message("assistant", content)


class PromptResult(_Part):
    """The messages of a prompt, with a description. A `str` is a message of the user."""

    __slots__ = ("description", "messages", "meta")

    def __init__(
        self,
        messages: str | Message | Iterable[str | Content | Message | Mapping[str, Any]],
        description: str | None = None,
        *,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        given = [messages] if isinstance(messages, (str, Message)) else messages
        self.messages = [as_message(message) for message in given]
        self.description = description
        self.meta = None if meta is None else dict(meta)

    def block(self) -> dict[str, Any]:
        block: dict[str, Any] = {"messages": [message.block() for message in self.messages]}
        if self.description is not None:
            block["description"] = self.description
        if self.meta is not None:
            block["_meta"] = self.meta
        return block


def as_message(value: object) -> Message:
    """Makes a message of what stands for one: text, content, or a dict of the specification."""
    if isinstance(value, Message):
        return value
    if isinstance(value, (str, Content)):
        return Message("user", value)
    if isinstance(value, Mapping):
        if "role" in value and "content" in value:
            return Message(value["role"], value["content"])
        if "type" in value:
            return Message("user", value)
    kind = type(value).__name__
    raise TypeError(f"a prompt consists of str, content or Message objects, not of {kind}")


class ToolResult(_Part):
    """A whole result of a tool.

    `content` is one block or several, as text, content or dicts of the specification. `structured`
    is the structured content, as the output schema describes it; without `content`, clients also
    get it as text. With `is_error` the model reads the content as what went wrong.
    """

    __slots__ = ("content", "is_error", "meta", "structured")

    def __init__(
        self,
        content: str | Content | Iterable[str | Content | Mapping[str, Any]] | None = None,
        structured: Any = None,
        *,
        is_error: bool = False,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.content: list[Block] = []
        if content is not None:
            given = [content] if isinstance(content, (str, Content)) else content
            self.content.extend(_as_block(part) for part in given)
        self.structured = structured
        self.is_error = is_error
        self.meta = None if meta is None else dict(meta)

    def block(self) -> dict[str, Any]:
        block: dict[str, Any] = {"content": [_block_of(part) for part in self.content]}
        if self.structured is not None:
            block["structuredContent"] = self.structured
        if self.is_error:
            block["isError"] = True
        if self.meta is not None:
            block["_meta"] = self.meta
        return block


class Completion(_Part):
    """Suggestions for an argument, of which 100 at most are sent."""

    __slots__ = ("has_more", "total", "values")

    def __init__(
        self, values: Iterable[str], total: int | None = None, has_more: bool | None = None
    ) -> None:
        self.values = [values] if isinstance(values, str) else list(values)
        self.total = total
        self.has_more = has_more

    def block(self) -> dict[str, Any]:
        block: dict[str, Any] = {"values": self.values}
        if self.total is not None:
            block["total"] = self.total
        if self.has_more is not None:
            block["hasMore"] = self.has_more
        return block


def _as_block(part: object) -> Block:
    if isinstance(part, str):
        return Text(part)
    if isinstance(part, (Content, Mapping)):
        return part
    kind = type(part).__name__
    raise TypeError(f"content consists of str, content or blocks as dicts, not of {kind}")


def _block_of(part: Block) -> dict[str, Any]:
    return part.block() if isinstance(part, Content) else dict(part)


def _as_text(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"{what} is str, not {type(value).__name__}")


def _as_bytes(data: object, what: str) -> bytes:
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    raise TypeError(f"{what} is bytes, not {type(data).__name__}")


def _as_contents(contents: object, what: str) -> str | bytes:
    return contents if isinstance(contents, str) else _as_bytes(contents, what)


def _contents_block(
    uri: str | None, mime_type: str | None, contents: str | bytes
) -> dict[str, Any]:
    block: dict[str, Any] = {} if uri is None else {"uri": uri}
    if mime_type is not None:
        block["mimeType"] = mime_type
    if isinstance(contents, str):
        block["text"] = contents
    else:
        block["blob"] = _base64(contents)
    return block


def _base64(data: bytes) -> str:
    from binascii import b2a_base64

    return b2a_base64(data, newline=False).decode("ascii")
