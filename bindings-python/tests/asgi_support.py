"""Drives ASGI applications by hand."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping


def scope_of(
    headers: dict[str, str],
    *,
    method: str = "POST",
    path: str = "/mcp",
    root_path: str = "",
    query: str = "",
) -> dict[str, Any]:
    """The scope of a request, with the Host of this machine if there is no other."""
    headers = {"Host": "127.0.0.1:8000", **headers}
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": root_path,
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }


class Visitor:
    """One request: the application gets `events`, and `sent` is what it has sent."""

    def __init__(self, app: Any, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
        self.reads = 0
        self._app = app
        self._messages: list[dict[str, Any]] = []

    async def run(self) -> None:
        await self._app(self.scope, self._receive, self._send)

    def say(self, body: bytes, *, more: bool = False) -> None:
        self.events.put_nowait({"type": "http.request", "body": body, "more_body": more})

    def leave(self) -> None:
        self.events.put_nowait({"type": "http.disconnect"})

    async def message(self) -> dict[str, Any]:
        """The next message of a stream of events."""
        while not self._messages:
            body = (await self.sent.get()).get("body", b"").decode()
            lines = [line for line in body.splitlines() if line.startswith("data: ")]
            self._messages += [json.loads(line.removeprefix("data: ")) for line in lines]
        return self._messages.pop(0)

    async def _receive(self) -> dict[str, Any]:
        self.reads += 1
        return await self.events.get()

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        self.sent.put_nowait(message)


class Reply:
    """A whole response."""

    def __init__(self, sent: Iterator[MutableMapping[str, Any]]) -> None:
        start = next(sent)
        assert start["type"] == "http.response.start"
        self.status = start["status"]
        self.headers = dict(start["headers"])
        assert len(self.headers) == len(start["headers"])
        self.body = b""
        more = True
        for message in sent:
            assert more
            assert message["type"] == "http.response.body"
            self.body += message["body"]
            more = message.get("more_body", False)
        assert not more

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """What a tool has answered with."""
        assert self.status == 200, self.body
        text = self.json["result"]["content"][0]["text"]
        assert isinstance(text, str)
        return text


async def ask(app: Any, request: dict[str, Any], **scope: Any) -> Reply:
    """Sends a whole request, and waits for the whole response."""
    visitor = Visitor(app, scope_of(request["headers"], **scope))
    visitor.say(request["content"])
    await visitor.run()
    return reply_of(visitor)


def reply_of(visitor: Visitor) -> Reply:
    """What was sent."""
    return Reply(iter([visitor.sent.get_nowait() for _ in range(visitor.sent.qsize())]))
