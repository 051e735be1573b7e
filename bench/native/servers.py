"""Servers as processes: over pipes and over HTTP, their start and their memory."""

from __future__ import annotations

from contextlib import nullcontext

from common.bench import Bench
from common.listener import listening
from common.pipes import converse
from common.setup import Setup

# Enough for what grows with calls to be seen, with few enough open at a time that no backlog is.
MANY, OPEN = 100_000, 64

Measured = dict[str, dict[str, float]]


def measure_pipes(bench: Bench, setup: Setup, turns: int, calls: int) -> Measured:
    """Calls one after another, then as many as there are at once."""
    told = converse(bench, setup, turns, calls)
    return {
        "stdio-flood": {
            "calls_per_s": calls / told["wall_ns"] * 1e9,
            "cpu_us": told["cpu_ns"] / 1e3 / calls,
            "peak_kib": told["peak_kb"],
        },
        "stdio-turns": {
            "p50_us": told["p50_ns"] / 1e3,
            "p99_us": told["p99_ns"] / 1e3,
            "cpu_us": told["ping_cpu_ns"] / 1e3 / turns,
        },
    }


def measure_start(bench: Bench, setup: Setup) -> Measured:
    """Spawn to first reply, and the memory that a server has after its first call."""
    told = converse(bench, setup)
    return {
        "start": {"first_reply_ms": told["first_reply_ns"] / 1e6},
        "rss-1": {"rss_kib": told["rss_kb"]},
    }


def measure_growth(bench: Bench, setup: Setup) -> Measured:
    """Memory after many calls."""
    told = converse(bench, setup, calls=MANY, window=OPEN)
    return {"rss-100k": {"rss_kib": told["rss_after_kb"]}}


def measure_http(
    bench: Bench, setup: Setup, widths: dict[int, str], seconds: float, warm: float
) -> Measured:
    """Requests on so many connections at a time, to a server that is started for them.

    It is busy for `warm` seconds before: where code is compiled while it runs, the first thousands
    of requests say little about the others.
    """
    measured: Measured = {}
    with listening(bench, setup) as server:
        if warm:
            server.measure(max(widths), warm)
        for width, key in widths.items():
            # One at a time needs no more; on two, what counts is how long one takes to wake the other.
            with server.on_one_processor() if width == 1 else nullcontext():
                told = server.measure(width, seconds)
            prefix = f"http{width}_"
            measured[key] = {
                "calls_per_s": told[prefix + "per_s"],
                "cpu_us": 1e6 / told[prefix + "per_cpu_s"],
                "p50_us": told[prefix + "p50_us"],
                "p99_us": told[prefix + "p99_us"],
            }
    return measured
