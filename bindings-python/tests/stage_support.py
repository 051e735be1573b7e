"""What several tests have in common: tools that ask or hang, layers, messages."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

from mcplite import Context, Server

ERAS = ["legacy", "modern"]
KINDS = ["sync", "async"]


def asking_tool(server: Server, kind: str, function: Any) -> list[str]:
    """Registers `ask`, whose function asks once; gives the list in which its runs are noted."""
    runs: list[str] = []

    if kind == "sync":

        @server.tool
        def ask(ctx: Context) -> str:
            runs.append("before")
            answer = function(ctx)
            runs.append("after")
            return repr(answer)

    else:

        @server.tool("ask")
        async def ask_later(ctx: Context) -> str:
            runs.append("before")
            answer = await function(ctx)
            runs.append("after")
            return repr(answer)

    return runs


class Hanging:
    """A tool that waits until it is cancelled, and what is seen of it."""

    def __init__(self, server: Server, **options: Any) -> None:
        self.began = threading.Event()
        self.ended = threading.Event()
        self.raised: list[type[BaseException]] = []

        @server.tool(**options)
        async def hang() -> None:
            self.began.set()
            try:
                await asyncio.Event().wait()
            except BaseException as error:
                self.raised.append(type(error))
                raise
            finally:
                self.ended.set()


def around_handlers(function: Any) -> Any:
    """The same middleware, which lets everything pass that the engine answers itself."""
    is_handled = {"tools/call", "prompts/get", "resources/read"}.__contains__

    def run(request: Any, call_next: Any) -> Any:
        return function(request, call_next) if is_handled(request.method) else call_next()

    async def run_later(request: Any, call_next: Any) -> Any:
        return await (function(request, call_next) if is_handled(request.method) else call_next())

    return run_later if asyncio.iscoroutinefunction(function) else run


def layer(path: list[str], name: str, is_async: bool) -> Any:
    """Middleware around handlers that notes when it is entered and left."""

    def run(request: Any, call_next: Any) -> Any:
        path.append(f"+{name}")
        try:
            return call_next()
        finally:
            path.append(f"-{name}")

    async def run_later(request: Any, call_next: Any) -> Any:
        path.append(f"+{name}")
        try:
            return await call_next()
        finally:
            path.append(f"-{name}")

    return around_handlers(run_later if is_async else run)


def message(id: int | None, method: str, params: dict[str, Any] | None = None) -> bytes:
    body: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if id is not None:
        body["id"] = id
    if params is not None:
        body["params"] = params
    return json.dumps(body).encode()


def call(id: int, name: str, **arguments: Any) -> bytes:
    return message(id, "tools/call", {"name": name, "arguments": arguments})


HELLO = message(
    0,
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
)


def read(output: bytes | None) -> list[Any]:
    return [json.loads(line) for line in (output or b"").split(b"\n") if line]
