"""Servers for the tests of the client for tests."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from mcplite import Context, Server
from mcplite.errors import (
    ToolError,
)

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
ERAS = ["legacy", "modern"]
FORM = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}


def everything() -> Server:
    """A server that has something of everything."""
    server = Server("tested", version="2.1", instructions="Be kind.")

    @server.tool
    def add(a: int, b: int = 2) -> int:
        """Adds two numbers."""
        return a + b

    @server.tool
    def fail() -> None:
        raise ToolError("it broke", {"at": 7})

    @server.tool
    def work(ctx: Context) -> str:
        ctx.progress(1, 2, "half")
        ctx.progress(2, 2)
        ctx.log("info", {"step": 1}, "worker")
        return "worked"

    @server.tool
    def who(ctx: Context) -> str:
        return f"{ctx.principal} {ctx.state}"

    @server.tool
    async def later(text: str) -> str:
        await asyncio.sleep(0)
        return text

    @server.resource("cfg://main", mime_type="text/plain")
    def config() -> str:
        return "on"

    @server.resource("raw://{name}")
    def raw(name: str) -> bytes:
        return b"\xff" + name.encode()

    @server.prompt(description="Greets.")
    def greet(name: str) -> str:
        return f"Hello, {name}!"

    @server.completion("greet", "name")
    def names(value: str) -> list[str]:
        return [name for name in ("Ada", "Alan", "Grace") if name.startswith(value)]

    @server.completion("raw://{name}", "name")
    def files(value: str) -> list[str]:
        return ["file"]

    @server.on("my/method")
    def mine(params: Any) -> Any:
        return {"got": params.get("a")}

    return server


def inquisitive() -> Server:
    """A server whose tools ask their client."""
    server = Server("asking")

    @server.tool
    def form(ctx: Context) -> str:
        answer = ctx.elicit("Who are you?", FORM)
        return f"{answer.action} {answer.data}"

    @server.tool
    async def aform(ctx: Context) -> str:
        answer = await ctx.elicit("Who are you?", FORM)
        return f"{answer.action} {answer.data}"

    @server.tool
    def twice(ctx: Context) -> str:
        first = ctx.elicit("First?", str)
        second = ctx.elicit("Second?", str)
        return f"{first.data} {second.data}"

    @server.tool
    def think(ctx: Context) -> str:
        return str(ctx.sample("What is it?").text)

    @server.tool
    def page(ctx: Context) -> str:
        return ctx.elicit_url("Please pay.", "https://example.com/pay").action

    @server.tool
    def plain() -> str:
        return "still here"

    @server.tool
    def where(ctx: Context) -> str:
        return ", ".join(root["uri"] for root in ctx.roots())

    return server


def blocked(server: Server) -> tuple[threading.Event, threading.Event]:
    """Adds a tool that does not answer; says when it was called, and when it was cancelled."""
    called, cancelled = threading.Event(), threading.Event()

    @server.tool
    async def block() -> None:
        called.set()
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    return called, cancelled
