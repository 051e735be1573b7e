"""What the client gives back: results as the server sent them, with what tests want of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class _Outcome:
    __slots__ = ("raw",)

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw

    @property
    def meta(self) -> dict[str, Any]:
        """The `_meta` of the result."""
        meta: dict[str, Any] = self.raw.get("_meta", {})
        return meta

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.raw!r})"


class CallResult(_Outcome):
    """The result of a tool. `raw` is the object that the server sent."""

    __slots__ = ()

    @property
    def content(self) -> list[dict[str, Any]]:
        """The blocks of content."""
        content: list[dict[str, Any]] = self.raw.get("content", [])
        return content

    @property
    def text(self) -> str:
        """The text of all blocks that have any, one line for each."""
        return _join(self.content)

    @property
    def structured(self) -> Any:
        """The structured content as it was sent, or None."""
        return self.raw.get("structuredContent")

    @property
    def data(self) -> Any:
        """The structured content, or what is in it if it only wraps a value as `result`."""
        structured = self.structured
        if isinstance(structured, dict) and structured.keys() == {"result"}:
            return structured["result"]
        return structured

    @property
    def is_error(self) -> bool:
        """Whether the tool failed, and the content says why."""
        return self.raw.get("isError", False) is True


class ReadResult(_Outcome):
    """The contents of a resource. `raw` is the object that the server sent."""

    __slots__ = ()

    @property
    def contents(self) -> list[dict[str, Any]]:
        """The contents, each with `uri` and `text` or `blob`."""
        contents: list[dict[str, Any]] = self.raw["contents"]
        return contents

    @property
    def text(self) -> str:
        """The text of all contents that have any, one line for each."""
        return _join(self.contents)

    @property
    def data(self) -> bytes:
        """The bytes of the first contents, text in UTF-8."""
        first = self.contents[0]
        if "text" in first:
            text: str = first["text"]
            return text.encode()
        from binascii import a2b_base64

        return a2b_base64(first["blob"])

    @property
    def mime_type(self) -> str | None:
        """The type of the first contents."""
        return self.contents[0].get("mimeType")


class PromptMessages(_Outcome):
    """The messages of a prompt. `raw` is the object that the server sent."""

    __slots__ = ()

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages, each with `role` and `content`."""
        messages: list[dict[str, Any]] = self.raw["messages"]
        return messages

    @property
    def text(self) -> str:
        """The text of all messages that have any, one line for each."""
        return _join([message["content"] for message in self.messages])

    @property
    def description(self) -> str | None:
        """What the server says that the messages are."""
        return self.raw.get("description")


class Subscription:
    """What the client listens to, and `accepted`, what of it the server agreed to tell."""

    __slots__ = ("accepted", "id", "uris")

    def __init__(self, id: int, uris: Sequence[str], accepted: dict[str, Any]) -> None:
        self.id = id
        self.uris = tuple(uris)
        self.accepted = accepted

    def __repr__(self) -> str:
        return f"Subscription(id={self.id}, accepted={self.accepted!r})"


def _join(blocks: Sequence[dict[str, Any]]) -> str:
    return "\n".join(block["text"] for block in blocks if "text" in block)
