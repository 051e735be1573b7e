"""What is measured: each contender in the set-ups that might be its fastest."""

from __future__ import annotations

from common.setup import FLOOR, MODERN, Setup

SDK, SERVER = "sdk", "server"
# They check no schema: what they save by that is shown, and is no target.
LOW_SDK, LOW_SERVER = "sdk, low-level", "server, low-level"
_SDK, _SERVER = "official_sdk.cjs", "official_server.cjs"
_OURS = "mcplite_server.cjs"

# How modules are loaded, and which: the least that a server over stdio needs.
_SDK_MODULES = (
    "@modelcontextprotocol/sdk/server/mcp.js",
    "@modelcontextprotocol/sdk/server/stdio.js",
)
_SERVER_MODULES = ("@modelcontextprotocol/server", "@modelcontextprotocol/server/stdio")
LOAD = [
    Setup(contender, way, (way, *names))
    for way, bare in (("require", "./bare_module.cjs"), ("import", "./bare_module.mjs"))
    for contender, names in (
        ("mcplite", ("mcplite",)),
        (SDK, _SDK_MODULES),
        (SERVER, _SERVER_MODULES),
        (FLOOR, (bare,)),
    )
]

# Those of mcplite stand beside what they are compared with, so that the same noise meets both.
STDIO = [
    Setup(SDK, "McpServer", (_SDK, "stdio", "mcpserver")),
    Setup("mcplite", "sync", (_OURS, "stdio", "sync")),
    Setup(FLOOR, "lines, parsed and written", ("bare_lines.cjs",)),
    Setup(SERVER, "McpServer, zod", (_SERVER, "stdio", "zod")),
    Setup("mcplite", "async", (_OURS, "stdio", "async")),
    Setup(LOW_SDK, "checked by hand", (_SDK, "stdio", "lowlevel")),
    Setup(LOW_SERVER, "checked by hand", (_SERVER, "stdio", "lowlevel")),
    Setup("mcplite", "sync, 2026-07-28", (_OURS, "stdio", "sync"), revision=MODERN),
    Setup(SERVER, "McpServer, zod, 2026-07-28", (_SERVER, "stdio", "zod"), revision=MODERN),
    Setup(SDK, "McpServer, async", (_SDK, "stdio", "mcpserver", "async"), usual=False),
    Setup(SERVER, "McpServer, zod, async", (_SERVER, "stdio", "zod", "async"), usual=False),
    Setup(SERVER, "McpServer, JSON Schema", (_SERVER, "stdio", "jsonschema"), usual=False),
    Setup(SERVER, "McpServer, zod, connect", (_SERVER, "stdio", "zod", "connect"), usual=False),
]


def _of_stdio(*names: tuple[str, str]) -> list[Setup]:
    return [setup for setup in STDIO if (setup.contender, setup.name) in names]


# Whose start and memory are measured: those that differ there.
START = _of_stdio(
    (SDK, "McpServer"),
    ("mcplite", "sync"),
    (FLOOR, "lines, parsed and written"),
    (SERVER, "McpServer, zod"),
    ("mcplite", "async"),
    ("mcplite", "sync, 2026-07-28"),
    (SERVER, "McpServer, zod, 2026-07-28"),
)
MEMORY = _of_stdio(
    (SDK, "McpServer"),
    ("mcplite", "sync"),
    (FLOOR, "lines, parsed and written"),
    (SERVER, "McpServer, zod"),
    ("mcplite", "async"),
)

# All run at the same time. The first that answers lends its body to the floor.
HTTP = [
    Setup("mcplite", "sync", (_OURS, "http", "sync"), revision=MODERN),
    Setup(
        SERVER,
        "McpServer, zod, createMcpHandler, @hono/node-server, 2026-07-28",
        (_SERVER, "http", "zod", "listener"),
        revision=MODERN,
    ),
    Setup(FLOOR, "node:http, the same bytes", ("bare_http.cjs", "node"), answers=False),
    Setup("mcplite", "async", (_OURS, "http", "async"), revision=MODERN),
    Setup(
        SDK, "McpServer, session, 2025-11-25", (_SDK, "http", "mcpserver", "session"), session=True
    ),
    Setup("mcplite", "sync, session, 2025-11-25", (_OURS, "http", "sync"), session=True),
    Setup(
        SERVER,
        "McpServer, zod, session, 2025-11-25",
        (_SERVER, "http", "zod", "session"),
        session=True,
    ),
    Setup(
        LOW_SDK,
        "checked by hand, session, 2025-11-25",
        (_SDK, "http", "lowlevel", "session"),
        session=True,
    ),
    Setup(
        LOW_SERVER,
        "checked by hand, createMcpHandler, @hono/node-server, 2026-07-28",
        (_SERVER, "http", "lowlevel", "listener"),
        revision=MODERN,
    ),
    Setup(SDK, "McpServer, stateless, 2025-11-25", (_SDK, "http", "mcpserver", "stateless"), False),
    Setup(
        SERVER,
        "McpServer, zod, createMcpHandler, toNodeHandler, 2026-07-28",
        (_SERVER, "http", "zod"),
        usual=False,
        revision=MODERN,
    ),
    Setup(
        LOW_SERVER,
        "checked by hand, session, 2025-11-25",
        (_SERVER, "http", "lowlevel", "session"),
        usual=False,
        session=True,
    ),
]

# The same behind an application of Hono on @hono/node-server.
HONO = [
    Setup("mcplite", "sync, hono", (_OURS, "hono", "sync"), revision=MODERN),
    Setup(FLOOR, "hono, the same bytes", ("bare_http.cjs", "hono"), answers=False),
    Setup("mcplite", "async, hono", (_OURS, "hono", "async"), revision=MODERN),
    Setup(
        SERVER,
        "McpServer, zod, createMcpHandler, hono, 2026-07-28",
        (_SERVER, "http", "zod", "hono"),
        revision=MODERN,
    ),
]
