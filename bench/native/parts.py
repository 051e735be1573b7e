"""The parts of a run: who does what how often, in turn."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass

from common.bench import Bench
from native import entrants, servers
from native import measurement as measurements
from native.build import ALLOCATION_SHIM, LEAN_LIBRARY, LIBRARY, MESSAGES, SMALL_LIBRARY
from native.contender import LIMIT, NATIVE, Entrant
from native.playing import Player
from native.scale import Scale
from native.servers import Measured
from native.targets import ALL as TARGETS
from native.turns import Run

# Rounds that are enough to count, by workload; small ones take the last.
COUNTED_ROUNDS = {"echo": 20, "list": 50, "": 200}
# What a quick run plays with slow contenders, too.
QUICK_WORKLOADS = ("small-call",)
# How often a quick run plays with limits; a single round would be worth nothing on a busy machine.
LIMIT_ROUNDS = 3
# What a validator alone can do.
VALIDATING = "twenty-"


def measure_in_process(run: Run) -> None:
    """Times all workloads, then counts what can be counted of them."""
    scale, player = run.scale, Player(MESSAGES)

    def play_all(where: str, workload: str, entrant: Entrant) -> None:
        seconds = scale.slow_play_seconds if entrant.contender.is_slow else scale.play_seconds
        run.attempt(
            where,
            [workload],
            entrant,
            lambda bench: {workload: player.time(bench, entrant, workload, seconds)},
        )

    for number in range(scale.plays):
        where = f"in process {number + 1}/{scale.plays}"
        for workload in measurements.WORKLOADS:
            field = [it for it in entrants.IN_PROCESS if _plays(it, workload, number, scale)]
            for entrant in field if number % 2 == 0 else field[::-1]:
                play_all(where, workload, entrant)
    _count_all(run, player)


def _plays(entrant: Entrant, workload: str, number: int, scale: Scale) -> bool:
    if entrant.contender.name == "jsonschema" and not workload.startswith(VALIDATING):
        return False
    if scale.is_quick and not entrant.setup.usual:
        return False
    if not entrant.contender.is_slow:
        return not scale.is_quick or number < LIMIT_ROUNDS or entrant.contender.kind != LIMIT
    return number < scale.slow_plays and (not scale.is_quick or workload in QUICK_WORKLOADS)


def _count_all(run: Run, player: Player) -> None:
    """Counts the steady state of native programs; a quick run only what targets speak of."""
    if shutil.which("valgrind") is None:
        run.ledger.remarks.append("Instructions are not counted: valgrind is not installed.")
    wanted = {
        (figure.measurement, figure.contender)
        for target in TARGETS
        for figure in (target.figure, target.against)
        if figure and figure.quantity == "instructions"
    }
    for workload in measurements.WORKLOADS:
        rounds = next(
            count for start, count in COUNTED_ROUNDS.items() if workload.startswith(start)
        )
        for entrant in entrants.IN_PROCESS:
            name = entrant.contender.name
            if entrant not in run.ledger.samples.get(workload, {}):
                continue
            if entrant.contender.language != NATIVE:
                continue
            if run.scale.is_quick and (workload, name) not in wanted:
                continue
            _count(run, player, workload, entrant, rounds)


def _count(run: Run, player: Player, workload: str, entrant: Entrant, rounds: int) -> None:
    def count(bench: Bench) -> Measured:
        counted = {
            "allocations": player.count_allocations(
                bench, entrant, workload, rounds, ALLOCATION_SHIM
            )
        }
        if shutil.which("valgrind") is not None:
            counted["instructions"] = player.count_instructions(bench, entrant, workload, rounds)
        return {workload: counted}

    run.attempt("counts", [workload], entrant, count)


def measure_stdio(run: Run) -> None:
    """Calls in turn and at once."""
    scale, keys = run.scale, ["stdio-flood", "stdio-turns"]

    def visit(where: str, entrant: Entrant) -> None:
        slow = entrant.contender.is_slow
        turns = scale.slow_turns if slow else scale.turns
        calls = scale.slow_calls if slow else scale.calls
        run.attempt(
            where,
            keys,
            entrant,
            lambda bench: servers.measure_pipes(bench, entrant.setup, turns, calls),
        )

    run.turns("stdio", entrants.STDIO, scale.talks, scale.slow_talks, visit)
    if scale.slow_calls != scale.calls:
        run.ledger.remarks.append(
            f"Over stdio, contenders in Python and Node got {scale.slow_calls:,} calls at once "
            f"instead of {scale.calls:,}."
        )


def measure_http(run: Run) -> None:
    """Requests on connections that stay open, then streams."""
    scale = run.scale
    for what, field, widths in (
        ("http", entrants.HTTP, {1: "http-1", 16: "http-16"}),
        ("streams", entrants.STREAMS, {16: "http-16-stream"}),
    ):

        def visit(where: str, entrant: Entrant, widths: dict[int, str] = widths) -> None:
            seconds = scale.serve_seconds
            warm = scale.slow_warm_seconds if entrant.contender.is_slow else 0
            run.attempt(
                where,
                list(widths.values()),
                entrant,
                lambda bench: servers.measure_http(bench, entrant.setup, widths, seconds, warm),
            )

        run.turns(what, field, scale.serves, scale.slow_serves, visit)


def measure_threads(run: Run) -> None:
    """Threads that share one server."""
    calls = run.scale.thread_calls
    for number in range(run.scale.thread_rounds):
        for count in measurements.THREAD_COUNTS:
            key = f"threads-{count}"

            def play(bench: Bench, count: int = count, key: str = key) -> Measured:
                command = bench.command(entrants.THREADS.setup)
                told = bench.run([*command, str(count), str(calls), str(MESSAGES)])
                total = count * calls
                return {
                    key: {
                        "calls_per_s": total / told["wall_ns"] * 1e9,
                        "cpu_us": told["cpu_ns"] / 1e3 / total,
                    }
                }

            where = f"threads {number + 1}/{run.scale.thread_rounds}"
            run.attempt(where, [key], entrants.THREADS, play)


def measure_start(run: Run) -> None:
    """Start to first reply, and resident memory."""
    scale = run.scale

    def start(where: str, entrant: Entrant) -> None:
        run.attempt(
            where,
            ["start", "rss-1"],
            entrant,
            lambda bench: servers.measure_start(bench, entrant.setup),
        )

    def grow(where: str, entrant: Entrant) -> None:
        run.attempt(
            where,
            ["rss-100k"],
            entrant,
            lambda bench: servers.measure_growth(bench, entrant.setup),
        )

    run.turns("start", entrants.START, scale.starts, scale.slow_starts, start)
    run.turns("growth", entrants.START, scale.growths, 0 if scale.is_quick else 1, grow)


def measure_memory(run: Run) -> None:
    """Live bytes, as the allocator counts them."""

    def measure(bench: Bench, entrant: Entrant) -> Measured:
        command = bench.command(entrant.setup)
        told = bench.run(["env", f"LD_PRELOAD={ALLOCATION_SHIM}", *command, str(MESSAGES)])
        return {
            "live-server": {"live_bytes": told["server_100_tools_live_bytes"]},
            "live-idle": {"live_bytes": told["idle_connection_live_bytes"]},
        } | (
            {"live-listed": {"live_bytes": told["server_100_tools_listed_live_bytes"]}}
            if "server_100_tools_listed_live_bytes" in told
            else {}
        )

    for entrant in entrants.MEMORY:
        run.attempt(
            "memory",
            ["live-server", "live-listed", "live-idle"],
            entrant,
            lambda bench, entrant=entrant: measure(bench, entrant),  # type: ignore[misc]
        )


def measure_library(run: Run) -> None:
    """The size of what is shipped."""
    folders = (
        ("size-whole", LIBRARY),
        ("size-core", LEAN_LIBRARY),
        ("size-small", SMALL_LIBRARY),
    )
    for key, folder in folders:
        size = (folder / "libmcplite.so").resolve().stat().st_size
        run.ledger.add(key, entrants.LIBRARY, {"file_bytes": size})
        run.say(f"library  {key}: {size:,} bytes")


@dataclass(frozen=True)
class Part:
    """Something that can be measured alone."""

    measure: Callable[[Run], None]
    keys: tuple[str, ...]


PARTS = {
    "in-process": Part(measure_in_process, tuple(measurements.WORKLOADS)),
    "stdio": Part(measure_stdio, ("stdio-flood", "stdio-turns")),
    "http": Part(measure_http, ("http-1", "http-16", "http-16-stream")),
    "threads": Part(
        measure_threads, tuple(f"threads-{count}" for count in measurements.THREAD_COUNTS)
    ),
    "start": Part(measure_start, ("start", "rss-1", "rss-100k")),
    "memory": Part(measure_memory, ("live-server", "live-listed", "live-idle")),
    "library": Part(measure_library, ("size-whole", "size-core")),
}
