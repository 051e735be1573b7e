"""Who takes part in which measurement, and in which set-ups.

Peers stand in the set-ups that `bench/python` and `bench/node` found to be their fastest.
"""

from __future__ import annotations

from dataclasses import replace

from common.setup import FLOOR as FLOOR_NAME
from common.setup import HANDSHAKE, MODERN, Setup
from native.contender import ALL, Entrant
from node import setups as node_setups
from python import setups as python_setups


def _entrant(
    contender: str,
    name: str,
    *arguments: str,
    revision: str = HANDSHAKE,
    session: bool = False,
    answers: bool = True,
    usual: bool = True,
) -> Entrant:
    setup = Setup(contender, name, arguments, usual, revision, session, answers)
    return Entrant(ALL[contender], setup)


def _package(language: str, name: str, *arguments: str) -> Entrant:
    """mcplite for another language, which the benches of those know as mcplite."""
    return Entrant(ALL[f"mcplite for {language}"], Setup("mcplite", name, arguments))


def _known(setups: list[Setup], contender: str, name: str, ours: str = "") -> Entrant:
    """A set-up of the benchmarks of Python or Node, which here stands for its contender."""
    found = [it for it in setups if (it.contender, it.name) == (contender, name)]
    return Entrant(ALL[ours or contender], replace(found[0], usual=True))


IN_PROCESS = [
    _entrant("mcplite", "C", "mcplite_inprocess"),
    _entrant("floor", "Rust", "floor"),
    _entrant("rmcp", "Rust", "rmcp_peer"),
    _entrant("jsonschema", "Rust", "jsonschema_peer"),
    _entrant("SIMD parse", "sonic-rs", "limit", "sonic"),
    _entrant("SIMD parse", "simd-json", "limit", "simd"),
    _entrant("memcpy", "C library", "limit", "copy"),
    _package("Python", "Python", "mcplite_inprocess.py"),
    # On uvloop, which is faster for both than the loop of the standard library.
    _entrant("mcp", "low-level, no schema checked, uvloop", "mcp_inprocess.py", "uvloop"),
    _entrant("fastmcp", "FastMCP, uvloop", "fastmcp_inprocess.py", "uvloop"),
    _package("Node", "Node", "mcplite_inprocess.cjs"),
    _entrant("sdk", "low-level, no schema checked", "sdk_inprocess.cjs"),
    _entrant("server", "low-level, no schema checked", "server_inprocess.cjs"),
    _entrant("server", "McpServer", "server_inprocess.cjs", "jsonschema"),
]

STDIO = [
    _entrant("mcplite", "C", "mcplite_stdio"),
    _entrant("rmcp", "one thread", "rmcp_peer", "stdio"),
    _entrant("floor", "Rust", "floor", "stdio"),
    _entrant("rmcp", "many threads", "rmcp_peer", "stdio", "multi"),
    _entrant("rmcp", "one thread, tokio's streams", "rmcp_peer", "stdio", "blocking", usual=False),
    _entrant("fixed bytes", "C", "lines", answers=False),
    _known(python_setups.STDIO, "mcplite", "inline", "mcplite for Python"),
    _known(python_setups.STDIO, "mcp", "low-level, telemetry removed, uvloop"),
    _known(python_setups.STDIO, "fastmcp", "async, uvloop"),
    _known(node_setups.STDIO, "mcplite", "sync", "mcplite for Node"),
    _known(node_setups.STDIO, "sdk", "McpServer"),
    _known(node_setups.STDIO, "server", "McpServer, zod"),
]

START = [
    _entrant("hello", "C", "hello", answers=False),
    *(it for it in STDIO if it.setup.usual and it.contender.name != "fixed bytes"),
]

_RMCP = ("rmcp_peer", "http")
HTTP = [
    _entrant("mcplite", "C", "mcplite_http", revision=MODERN),
    _entrant("mcplite", "C, session, 2025-11-25", "mcplite_http", session=True),
    _entrant("rmcp", "one thread, stateless, 2026-07-28", *_RMCP, revision=MODERN),
    _entrant("rmcp", "one thread, stateless, 2025-11-25", *_RMCP),
    _entrant("floor", "Rust", "floor", "http", revision=MODERN),
    _entrant(
        "rmcp",
        "many threads, stateless, 2026-07-28",
        *_RMCP,
        "multi",
        revision=MODERN,
        usual=False,
    ),
    _entrant("rmcp", "one thread, session, 2025-11-25", *_RMCP, "session", session=True),
    _entrant("fixed bytes", "C", FLOOR_NAME, revision=MODERN, answers=False),
    _known(python_setups.HTTP, "mcplite", "inline", "mcplite for Python"),
    _known(
        python_setups.HTTP,
        "mcp",
        "low-level, telemetry removed, uvloop and httptools, session, 2025-11-25",
    ),
    _known(python_setups.HTTP, "fastmcp", "async, uvloop and httptools, session, 2025-11-25"),
    _known(node_setups.HTTP, "mcplite", "sync", "mcplite for Node"),
    _known(node_setups.HTTP, "sdk", "McpServer, session, 2025-11-25"),
    _known(
        node_setups.HTTP,
        "server",
        "McpServer, zod, createMcpHandler, @hono/node-server, 2026-07-28",
    ),
]


def _streaming(entrant: Entrant) -> Entrant:
    return Entrant(entrant.contender, replace(entrant.setup, progress=True))


# Only native programs have a tool that tells of its progress. Without sessions rmcp answers with
# JSON alone, in which there is no place for it.
STREAMS = [
    _streaming(entrant)
    for entrant in HTTP
    if entrant.contender.name in ("mcplite", "floor")
    or (entrant.contender.name == "rmcp" and entrant.setup.session)
]

THREADS = _entrant("mcplite", "C", "mcplite_threads")
MEMORY = [
    _entrant("mcplite", "C", "mcplite_memory"),
    _entrant("rmcp", "Rust", "rmcp_peer", "memory"),
]
LIBRARY = _entrant("mcplite", "C", "library")
