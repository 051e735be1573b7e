"""The server that hostile HTTP requests are sent to, on a port of the system's choice.

Prints its address, serves until its input ends, and then prints how that went. The arguments are
settings, as in `tests/adversarial/http_server.c`.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

from mcplite import Context, Server

NUMBERS = {
    "max-sessions": "sessions",
    "session-idle": "session_idle_ms",
    "header-timeout": "header_timeout_ms",
    "body-timeout": "body_timeout_ms",
}
settings = dict(setting.split("=", 1) for setting in sys.argv[1:])
revisions = ["2026-07-28"] if settings.pop("revisions", None) == "16" else None
server = Server("hostile", version="1", revisions=revisions)
counts = {"ran": 0, "cancelled": 0}
held: list[asyncio.Future[None]] = []
lock = threading.Lock()


def count(what: str) -> None:
    """Counts something, on whatever thread."""
    with lock:
        counts[what] += 1


@server.tool
def echo(text: str, **others: object) -> str:
    """Says it again."""
    count("ran")
    return text


REGION = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "text": {"type": "string"},
        "region": {"type": "string", "x-mcp-header": "Region"},
    },
}


@server.tool(input_schema=REGION)
def echo_h(text: str, region: str = "", **others: object) -> str:
    """Says it again, and has an argument that a header repeats."""
    count("ran")
    return text


@server.tool
def add(a: float, b: float) -> float:
    """Adds two numbers."""
    count("ran")
    return a + b


@server.tool
def fail() -> None:
    """Always fails."""
    count("ran")
    raise RuntimeError("it always fails")


@server.tool
async def slow(ctx: Context) -> str:
    """Is held until `release`."""
    count("ran")
    ctx.progress(1, message="begun")
    future = asyncio.get_running_loop().create_future()
    held.append(future)
    try:
        await future
    except asyncio.CancelledError:
        count("cancelled")
        held.remove(future)
        raise
    return "slow is done"


@server.tool(structured=False)
async def release() -> str:
    """Answers all that is held; says how many of them nobody had given up."""
    alive = [held.pop() for _ in range(len(held))]
    for future in alive:
        future.set_result(None)
    return str(len(alive))


@server.tool(structured=False)
def status() -> dict[str, int]:
    """Says what has happened."""
    return {**counts, "held": len(held)}


@server.tool
def touch() -> str:
    """Tells those who watch that something has changed."""
    server.notify_list_changed("tool")
    return "touched"


server.add_resource("test://static", "static text", name="static")


@server.prompt
def greet(name: str) -> str:
    """Greets somebody."""
    return "Hello!"


def options() -> dict[str, Any]:
    """The options of the endpoint."""
    made: dict[str, Any] = {}
    for name, value in settings.items():
        if name == "cors":
            made["cors_origins"] = [value]
        elif name == "stateless":
            made["stateless"] = value == "1"
        else:
            made[NUMBERS[name]] = int(value)
    return made


def wait_for_the_end() -> None:
    """Shuts the server down when the input ends."""
    sys.stdin.read()
    server.shutdown()


def announce(address: str) -> None:
    """Tells where the server is, without the path."""
    print(address.removesuffix("/mcp"), flush=True)


if __name__ == "__main__":
    threading.Thread(target=wait_for_the_end, daemon=True).start()
    server.run_http(port=0, grace=0.2, on_listening=announce, **options())
    print("ended: ok")
