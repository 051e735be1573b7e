#!/usr/bin/env python3
"""Talk to the example `everything` over real pipes with the official Python client."""

import asyncio
import sys
import warnings
from importlib.metadata import version

from mcp.shared.exceptions import MCPDeprecationWarning

import exchanges
import offers
from conversation import MODES, SECONDS, Conversation

# What is not spoken, and why: by revision and behaviour.
UNSPOKEN = {
    ("2026-07-28", "ping"): "the revision has no ping",
    ("2026-07-28", "subscribing by request"): "the revision has listen streams in its place",
    ("2026-07-28", "setting the log level"): "the revision has a level in each request",
    ("2025-11-25", "listen streams"): "the revision has subscriptions in their place",
    ("2025-06-18 and before", "everything"): "the client opens with 2025-11-25 only",
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


def main():
    if len(sys.argv) != 2:
        print("usage: check.py PATH-OF-EVERYTHING", file=sys.stderr)
        return 2
    # What the modern era has no longer is spoken on purpose, with clients of the era before.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    client = f"mcp {version('mcp')} for Python"
    passed = failed = 0
    for revision in MODES:
        conversation = Conversation(sys.argv[1], revision)
        spoken = []
        for behaviour in (*offers.BEHAVIOURS, *exchanges.BEHAVIOURS):
            name = behaviour.__name__.replace("_", " ")
            if (revision, name) in UNSPOKEN:
                continue
            why = failure(behaviour, conversation)
            if why is None:
                passed += 1
                spoken.append(name)
            else:
                failed += 1
                print(f"FAILED {client}, {revision}, {name}: {why}")
        print(f"{client}, {revision}: {', '.join(spoken)}")
    for (revision, name), why in UNSPOKEN.items():
        print(f"not spoken: {client}, {revision}, {name}: {why}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
