"""Who is measured: mcplite, what its users could pick instead, and what nobody can beat."""

from __future__ import annotations

from dataclasses import dataclass

from common.setup import Setup

OURS, PEER, FLOOR, LIMIT, YARDSTICK = "ours", "peer", "floor", "limit", "yardstick"
NATIVE, PYTHON, NODE, PORT = "native", "python", "node", "port"


@dataclass(frozen=True)
class Contender:
    """Somebody whose figures stand in the tables.

    A yardstick is measured for one comparison, and is no server that could be picked instead.
    """

    name: str
    kind: str
    # Which bench knows how to start it.
    language: str
    # For those of ours: whom they are compared with, of whom the fastest counts.
    peers: tuple[str, ...] = ()
    # What it is called where a name alone says too little.
    title: str = ""

    @property
    def is_slow(self) -> bool:
        """Whether a message takes it so long that it takes part in few rounds."""
        return self.language in (PYTHON, NODE)


ALL = {
    contender.name: contender
    for contender in (
        Contender(
            "mcplite", OURS, NATIVE, ("rmcp", "mcp", "fastmcp", "sdk", "server"), "mcplite (C)"
        ),
        Contender("mcplite for Python", OURS, PYTHON, ("mcp", "fastmcp")),
        Contender("mcplite for Node", OURS, NODE, ("sdk", "server")),
        Contender("rmcp", PEER, NATIVE, title="rmcp (Rust)"),
        Contender("mcp", PEER, PYTHON, title="mcp (Python)"),
        Contender("fastmcp", PEER, PYTHON, title="fastmcp (Python)"),
        Contender("sdk", PEER, NODE, title="sdk 1.x (Node)"),
        Contender("server", PEER, NODE, title="server 2.x (Node)"),
        Contender("jsonschema", YARDSTICK, NATIVE),
        Contender("hello", LIMIT, NATIVE),
        Contender("floor", FLOOR, NATIVE, title="floor (no protocol)"),
        Contender("SIMD parse", LIMIT, NATIVE),
        Contender("memcpy", LIMIT, NATIVE),
        Contender("fixed bytes", LIMIT, PORT),
    )
}

MEANING = {
    "mcplite": "the C library as it is shipped, called from C; schemas checked",
    "mcplite for Python": "its package for Python",
    "mcplite for Node": "its package for Node",
    "rmcp": "the official SDK for Rust",
    "mcp": "the official SDK for Python, 2.x",
    "fastmcp": "FastMCP 4.x for Python",
    "sdk": "`@modelcontextprotocol/sdk` 1.x",
    "server": "`@modelcontextprotocol/server` 2.x",
    "jsonschema": "the crate: a tree of the arguments is built and validated, and that is all",
    "hello": "a program in C that answers every line with the same line",
    "floor": "a loop around `serde_json`, written by hand for these messages: "
    "no protocol, no schema, no safety",
    "SIMD parse": "the request parsed by sonic-rs or simd-json, whichever is faster; no answer",
    "memcpy": "request and answer copied once each",
    "fixed bytes": "a program in C that parses nothing, and answers everything with the same bytes",
}


@dataclass(frozen=True)
class Entrant:
    """One contender in one of its set-ups."""

    contender: Contender
    setup: Setup

    @property
    def label(self) -> str:
        return f"{self.contender.name}, {self.setup.name}"
