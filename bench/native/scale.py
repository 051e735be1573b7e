"""How often and how long each thing is measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Slow contenders, which are those in Python and Node, take part in the first rounds only."""

    is_quick: bool
    # In process: rounds, and how long each workload is played.
    plays: int
    slow_plays: int
    play_seconds: float
    slow_play_seconds: float
    # Over stdio: rounds, calls one after another, and calls at once.
    talks: int
    slow_talks: int
    turns: int
    slow_turns: int
    calls: int
    slow_calls: int
    # Over HTTP: rounds, and how long connections are kept busy.
    serves: int
    slow_serves: int
    serve_seconds: float
    slow_warm_seconds: float
    # Threads, starts and memory.
    thread_rounds: int
    thread_calls: int
    starts: int
    slow_starts: int
    growths: int


FULL = Scale(
    is_quick=False,
    plays=5,
    slow_plays=2,
    play_seconds=0.3,
    slow_play_seconds=0.3,
    talks=5,
    slow_talks=2,
    turns=5_000,
    slow_turns=1_000,
    calls=20_000,
    slow_calls=20_000,
    serves=5,
    slow_serves=2,
    serve_seconds=1.0,
    slow_warm_seconds=3.0,
    thread_rounds=9,
    thread_calls=500_000,
    starts=15,
    slow_starts=3,
    growths=1,
)
QUICK = Scale(
    is_quick=True,
    plays=5,
    slow_plays=1,
    play_seconds=0.04,
    slow_play_seconds=0.3,
    talks=5,
    slow_talks=1,
    turns=1_000,
    slow_turns=200,
    calls=20_000,
    slow_calls=1_000,
    serves=3,
    slow_serves=1,
    serve_seconds=0.3,
    slow_warm_seconds=0.5,
    thread_rounds=5,
    thread_calls=100_000,
    starts=7,
    slow_starts=1,
    growths=1,
)
