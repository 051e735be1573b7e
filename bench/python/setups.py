"""What is measured: each contender in the set-ups that might be its fastest."""

from __future__ import annotations

from dataclasses import replace

from common.setup import FLOOR, MODERN, Setup

# Where these packages are looked for; a later one is taken if an earlier one cannot be installed.
REQUIREMENTS = {
    "mcp": ["mcp==2.3.0", "mcp>=2,<3"],
    "fastmcp": ["fastmcp==4.1.4", "fastmcp>=4,<5"],
}
UVICORN = ["uvicorn", "uvloop", "httptools"]

# What the first line of a server costs: the least that it must import.
IMPORTS = [
    Setup("mcplite", "import mcplite", ("-c", "import mcplite")),
    Setup("mcplite", "from mcplite import Server", ("-c", "from mcplite import Server")),
    Setup("mcp", "low-level server", ("-c", "from mcp.server.lowlevel import Server")),
    Setup("mcp", "MCPServer", ("-c", "from mcp.server.mcpserver import MCPServer"), usual=False),
    Setup("fastmcp", "FastMCP", ("-c", "from fastmcp import FastMCP")),
]

# Those of mcplite stand beside what they are compared with, so that the same noise meets both.
STDIO = [
    Setup(
        "mcp",
        "low-level, telemetry removed, uvloop",
        ("mcp_server.py", "stdio", "silent", "uvloop"),
    ),
    Setup("mcplite", "inline", ("mcplite_stdio.py", "inline")),
    Setup("mcplite", "pool", ("mcplite_stdio.py", "pool")),
    Setup("mcplite", "async", ("mcplite_stdio.py", "async")),
    Setup(
        "mcp",
        "low-level, telemetry removed",
        ("mcp_server.py", "stdio", "silent"),
        usual=False,
    ),
    Setup("mcp", "low-level", ("mcp_server.py", "stdio", "lowlevel"), usual=False),
    Setup("mcp", "MCPServer, async", ("mcp_server.py", "stdio", "async"), usual=False),
    Setup("mcp", "MCPServer, sync", ("mcp_server.py", "stdio", "sync"), usual=False),
    Setup("fastmcp", "async", ("fastmcp_server.py", "stdio", "async")),
    Setup("fastmcp", "async, uvloop", ("fastmcp_server.py", "stdio", "async", "uvloop"), False),
    Setup("fastmcp", "sync", ("fastmcp_server.py", "stdio"), usual=False),
]

# Whose start and memory are measured: nothing is gained there by another loop.
START = [
    replace(setup, usual=True)
    for setup in STDIO
    if (setup.contender, setup.name)
    in {
        ("mcplite", "pool"),
        ("mcplite", "async"),
        ("mcp", "low-level, telemetry removed"),
        ("fastmcp", "async"),
    }
]

HTTP = [
    Setup("mcplite", "async", ("mcplite_http.py", "async"), revision=MODERN),
    Setup(
        "mcp",
        "low-level, telemetry removed, uvloop and httptools, stateless, 2026-07-28",
        ("mcp_server.py", "silent", "stateless", "uvloop"),
        revision=MODERN,
    ),
    Setup("mcplite", "inline", ("mcplite_http.py", "inline"), revision=MODERN),
    Setup(FLOOR, "C, the same bytes for everybody", (FLOOR,), revision=MODERN, answers=False),
    Setup("mcplite", "pool", ("mcplite_http.py", "pool"), revision=MODERN),
    Setup(
        "mcp",
        "low-level, telemetry removed, uvloop and httptools, session, 2025-11-25",
        ("mcp_server.py", "silent", "uvloop"),
        session=True,
    ),
    Setup(
        "mcp",
        "low-level, telemetry removed, uvloop and httptools, stateless, 2025-11-25",
        ("mcp_server.py", "silent", "stateless", "uvloop"),
        usual=False,
    ),
    Setup(
        "mcp",
        "MCPServer, async, uvloop and httptools, stateless, 2026-07-28",
        ("mcp_server.py", "async", "stateless", "uvloop"),
        usual=False,
        revision=MODERN,
    ),
    Setup(
        "mcp",
        "low-level, plain uvicorn, stateless, 2025-11-25",
        ("mcp_server.py", "lowlevel", "stateless"),
        usual=False,
    ),
    Setup(
        "fastmcp",
        "async, uvloop and httptools, session, 2025-11-25",
        ("fastmcp_server.py", "async", "uvloop"),
        session=True,
    ),
    Setup(
        "fastmcp",
        "async, uvloop and httptools, stateless, 2026-07-28",
        ("fastmcp_server.py", "async", "stateless", "uvloop"),
        usual=False,
        revision=MODERN,
    ),
    Setup(
        "fastmcp",
        "async, uvloop and httptools, stateless, 2025-11-25",
        ("fastmcp_server.py", "async", "stateless", "uvloop"),
        usual=False,
    ),
]

# Loops of uvicorn, and for each the bare applications and those of mcplite beside them.
# One of them does nothing on another thread, as most frameworks do with `def` handlers.
LOOPS = {"plain uvicorn": "plain", "uvloop and httptools": "uvloop"}
BARE, THREADED = "bare", "bare on a thread"
ASGI = [
    (
        [
            Setup(BARE, loop, ("bare_asgi.py", word, "loop"), revision=MODERN, answers=False),
            Setup(THREADED, loop, ("bare_asgi.py", word, "thread"), revision=MODERN, answers=False),
        ],
        [
            Setup("mcplite", f"{kind}, {loop}", ("mcplite_asgi.py", kind, word), revision=MODERN)
            for kind in ("inline", "pool", "async")
        ],
    )
    for loop, word in LOOPS.items()
]
