"""Runs a set-up over stdio once, checks its answers, and gives what was measured."""

from __future__ import annotations

from typing import Any

from common.bench import PATIENCE, Bench, Failure
from common.setup import Setup

# The first call, and those that warm a server up before others are timed: as in client/stdio.c.
UNTIMED = 1 + 200


def converse(
    bench: Bench, setup: Setup, pings: int = 0, calls: int = 0, window: int = 0
) -> dict[str, Any]:
    """One conversation, as the client tells of it: a first call, some in turn, some at once."""
    answers = bench.scratch / "answers"
    # The slowest answer some hundred calls a second, and are not stuck for that.
    patience = max(PATIENCE, calls // 300)
    numbers = (str(pings), str(calls), str(window), str(patience))
    result = bench.run_client(
        "stdio", setup.revision, *numbers, str(answers), *bench.command(setup)
    )
    if result["exit"] != 0:
        raise Failure(f"ended with code {result['exit']}: {bench.tail(bench.scratch / 'stderr')}")
    if setup.answers:
        bench.check_lines(answers, (UNTIMED + pings if pings else 1) + calls)
    return result


def measure_calls(bench: Bench, setup: Setup, pings: int, calls: int) -> dict[str, float]:
    """Calls one after another, then as many at once."""
    result = converse(bench, setup, pings, calls)
    return {
        "p50_us": result["p50_ns"] / 1e3,
        "p99_us": result["p99_ns"] / 1e3,
        "call_cpu_us": result["ping_cpu_ns"] / 1e3 / pings,
        "calls_per_s": calls / result["wall_ns"] * 1e9,
        "calls_per_cpu_s": calls / result["cpu_ns"] * 1e9,
    }
