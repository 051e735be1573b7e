"""FastMCP: `fastmcp_server.py (stdio | http PORT) WORD...`; words choose the set-up.

Words: async; uvloop, for HTTP together with httptools; stateless.
"""

from __future__ import annotations

import sys
from typing import Any

from fastmcp import FastMCP


def make_server(words: list[str]) -> Any:
    server: Any = FastMCP("bench", version="1")

    if "async" in words:

        @server.tool
        async def add(a: int, b: int) -> int:
            return a + b

    else:

        @server.tool(name="add")
        def add_plainly(a: int, b: int) -> int:
            return a + b

    return server


def run_stdio(server: Any, words: list[str]) -> None:
    import anyio

    async def serve() -> None:
        await server.run_stdio_async(show_banner=False)

    anyio.run(serve, backend_options={"use_uvloop": "uvloop" in words})


def run_http(server: Any, port: int, words: list[str]) -> None:
    import uvicorn

    app = server.http_app(json_response=True, stateless_http="stateless" in words)
    fast = "uvloop" in words
    uvicorn.run(
        app,
        port=port,
        log_level="error",
        access_log=False,
        loop="uvloop" if fast else "asyncio",
        http="httptools" if fast else "h11",
    )


def main() -> None:
    transport, *words = sys.argv[1:]
    if transport == "stdio":
        run_stdio(make_server(words), words)
    else:
        run_http(make_server(words), int(words[0]), words)


main()
