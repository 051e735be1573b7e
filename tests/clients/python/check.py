#!/usr/bin/env python3
"""Talk to the example `everything` over pipes and HTTP with the official Python client."""

import asyncio
import sys
import warnings
from importlib.metadata import version

from mcp.shared.exceptions import MCPDeprecationWarning

import exchanges
import offers
import sessions
from conversation import SECONDS, SPOKEN, Conversation

# What is not spoken, and why: by revision and behaviour.
UNSPOKEN = {
    ("2026-07-28", "ping"): "the revision has no ping",
    ("2026-07-28", "subscribing by request"): "the revision has listen streams in its place",
    ("2026-07-28", "setting the log level"): "the revision has a level in each request",
    ("2025-11-25", "listen streams"): "the revision has subscriptions in their place",
    ("2025-06-18 and before", "everything"): "the client opens with 2025-11-25 only",
}
# The same by way.
UNSPOKEN_OVER = {
    ("http", "closing"): "the server outlives its clients",
    ("sse", "closing"): "the server outlives its clients",
    ("sse", "2026-07-28"): "the transport is older than the revision",
}


def leaves(error):
    """The exceptions in nested groups of them."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for part in error.exceptions for leaf in leaves(part)]
    return [error]


async def bounded(behaviour, conversation):
    async with asyncio.timeout(SECONDS):
        await behaviour(conversation)


def failure(behaviour, conversation):
    """Why a behaviour is not as it should be, or nothing."""
    try:
        asyncio.run(bounded(behaviour, conversation))
    except Exception as error:
        return "; ".join(f"{type(leaf).__name__}: {leaf}" for leaf in leaves(error))
    return None


def behaviours(way):
    over_http = () if way == "stdio" else sessions.BEHAVIOURS
    return (*offers.BEHAVIOURS, *exchanges.BEHAVIOURS, *over_http)


def main():
    if len(sys.argv) != 2:
        print("usage: check.py PATH-OF-EVERYTHING", file=sys.stderr)
        return 2
    # What the modern era has no longer is spoken on purpose, with clients of the era before.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    client = f"mcp {version('mcp')} for Python"
    passed = failed = 0
    for revision, way in SPOKEN:
        conversation = Conversation(sys.argv[1], revision, way)
        spoken = []
        for behaviour in behaviours(way):
            name = behaviour.__name__.replace("_", " ")
            if (revision, name) in UNSPOKEN or (way, name) in UNSPOKEN_OVER:
                continue
            why = failure(behaviour, conversation)
            if why is None:
                passed += 1
                spoken.append(name)
            else:
                failed += 1
                print(f"FAILED {client}, {revision} over {way}, {name}: {why}")
        print(f"{client}, {revision} over {way}: {', '.join(spoken)}")
    for (where, name), why in (UNSPOKEN | UNSPOKEN_OVER).items():
        print(f"not spoken: {client}, {where}, {name}: {why}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
