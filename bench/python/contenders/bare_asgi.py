"""The least that an ASGI application can do: reads the request and answers with a given body.

`bare_asgi.py http PORT (plain | uvloop) (loop | thread) BODY`. With `thread`, it does nothing on
another thread before it answers.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

_, _, port, loop, place, body = sys.argv
BODY = body.encode()
HEADERS = [
    (b"content-type", b"application/json"),
    (b"content-length", str(len(BODY)).encode()),
]


def nothing() -> None:
    pass


async def app(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    if place == "thread":
        await asyncio.get_running_loop().run_in_executor(None, nothing)
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})


uvicorn.run(
    app,
    port=int(port),
    log_level="error",
    access_log=False,
    lifespan="off",
    loop="uvloop" if loop == "uvloop" else "asyncio",
    http="httptools" if loop == "uvloop" else "h11",
)
