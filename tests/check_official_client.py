#!/usr/bin/env python3
"""Talk to the hello example over a real pipe with the official Python client, in both eras."""

import asyncio
import subprocess
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

ROOT = Path(__file__).parent.parent
BUILD = ["cargo", "build", "--quiet", "--package", "mcplite-core", "--example", "hello"]
SERVER = ROOT / "target" / "debug" / "examples" / "hello"
# How the client opens: by itself it finds the modern era; legacy must be asked for.
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


async def converse(mode):
    """One conversation; returns the revision that was spoken, the tools and the answer."""
    async with Client(StdioServerParameters(command=str(SERVER)), mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool("greet", {"name": "Ann"})
        return client.protocol_version, tools, result.content[0].text


def main():
    subprocess.run(BUILD, cwd=ROOT, check=True)
    for mode, revision in ERAS.items():
        spoken = asyncio.run(asyncio.wait_for(converse(mode), timeout=60))
        if spoken != (revision, ["greet"], "Hello, Ann!"):
            print(f"{mode}: {spoken}", file=sys.stderr)
            return 1
        print(f"{mode}: {revision} spoken with the official client")
    return 0


if __name__ == "__main__":
    sys.exit(main())
