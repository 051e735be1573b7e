#!/usr/bin/env python3
"""Measures mcplite beside the official packages for Node, in one run, in turn.

    python bench/node/run.py [--quick] --tarball PATH

Writes docs/benchmarks/node.md and node.json; a quick or partial run writes to target/bench-node
instead. Ends with code 1 if a target is missed or a contender fails.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from common.bench import Failure  # noqa: E402 - after what tells where modules are
from common.pipes import measure_calls  # noqa: E402
from common.report import Report  # noqa: E402
from common.run import Run, begun, options  # noqa: E402
from common.setup import FLOOR, Setup  # noqa: E402
from node import environments, measure, rows, setups  # noqa: E402

PEERS = [setups.SDK, setups.SERVER]
LOW_LEVEL = [setups.LOW_SDK, setups.LOW_SERVER]
PARTS = ["load", "start", "memory", "stdio", "http", "hono"]
PIPELINED = 20_000
INTRODUCTION = [
    "`sdk` is `@modelcontextprotocol/sdk` 1.x and `server` is `@modelcontextprotocol/server` 2.x, "
    "both with schemas that they check arguments by.",
    "`floor` is Node without any package: a module with nothing in it; over stdio a loop that "
    "parses lines and writes answers; over HTTP a server that reads requests and sends the same "
    "bytes to everybody, the second time as an application of Hono.",
]


@dataclass(frozen=True)
class Scale:
    """How often and how long each thing is measured."""

    loads: int
    starts: int
    memories: int
    calls: int
    pings: int
    restarts: int
    slices: int
    seconds: float
    warm: float


FULL = Scale(
    loads=21,
    starts=15,
    memories=3,
    calls=7,
    pings=3000,
    restarts=3,
    slices=5,
    seconds=0.4,
    warm=4.0,
)
QUICK = Scale(
    loads=4,
    starts=3,
    memories=1,
    calls=3,
    pings=3000,
    restarts=1,
    slices=3,
    seconds=0.4,
    warm=2.5,
)


def measure_all(run: Run, bench: measure.NodeBench, scale: Scale, only: str | None) -> None:
    """Measures one part, or all."""
    with_floor = [*PEERS, FLOOR]
    if only in (None, "load"):
        run.rounds("load", scale.loads, setups.LOAD, lambda s: measure.measure_load(bench, s))
        run.section("Loading", rows.LOAD_ROWS, setups.LOAD, with_floor)
    if only in (None, "start"):
        run.rounds("start", scale.starts, setups.START, lambda s: measure.measure_start(bench, s))
        run.section("Start", rows.START_ROWS, setups.START, with_floor)
    if only in (None, "memory"):
        run.rounds(
            "memory", scale.memories, setups.MEMORY, lambda s: measure.measure_memory(bench, s)
        )
        run.section("Memory", rows.MEMORY_ROWS, setups.MEMORY, with_floor)
    if only in (None, "stdio"):
        run.rounds(
            "stdio",
            scale.calls,
            setups.STDIO,
            lambda s: measure_calls(bench, s, scale.pings, PIPELINED),
        )
        run.section("Calls over stdio", rows.CALL_ROWS, setups.STDIO, with_floor)
        heading = "Calls over stdio beside servers that check no schema"
        run.section(heading, rows.LOW_CALL_ROWS, setups.STDIO, LOW_LEVEL)
    if only in (None, "http"):
        side_by_side(run, "http", setups.HTTP, scale)
        run.section("HTTP through node:http", rows.HTTP_ROWS, setups.HTTP, with_floor)
        heading = "HTTP through node:http beside servers that check no schema"
        run.section(heading, rows.LOW_HTTP_ROWS, setups.HTTP, LOW_LEVEL)
    if only in (None, "hono"):
        side_by_side(run, "hono", setups.HONO, scale)
        run.section("HTTP through Hono", rows.HONO_ROWS, setups.HONO, [setups.SERVER, FLOOR])


def side_by_side(run: Run, what: str, group: list[Setup], scale: Scale) -> None:
    run.side_by_side(what, [group], scale.restarts, scale.slices, scale.seconds, warm=scale.warm)


def prepare(report: Report, node: str, tarballs: list[Path]) -> measure.NodeBench:
    """Installs the packages and compiles the client; what fails is reported and left out."""
    folders: dict[str, Path] = {}
    for name in ("mcplite", "peers"):
        print(f"packages of {name}", file=sys.stderr, flush=True)
        try:
            folder = environments.prepare(name, tarballs)
            report.versions[name] = environments.versions(node, name, folder)
        except (Failure, OSError, ValueError) as failure:
            report.failures[name] = str(failure)
            print(f"{name}: FAILED: {failure}", file=sys.stderr)
        else:
            folders[name] = folder
    return measure.NodeBench(environments.WORK, node, folders)


def main() -> int:
    parser = options(__doc__, PARTS, "three minutes")
    parser.add_argument(
        "--tarball",
        type=Path,
        nargs="+",
        default=[],
        help="the package of mcplite to measure, with those that have its binary if there are any",
    )
    parser.add_argument("--node", default=shutil.which("node"), help="the Node to measure with")
    parser.add_argument(
        "--update-lock", action="store_true", help="only write package-lock.json anew"
    )
    given = parser.parse_args()
    if given.update_lock:
        environments.update_lock()
        return 0
    heading = "mcplite for Node beside the official packages"
    report = begun(heading, INTRODUCTION, "make bench-node", given.quick)
    try:
        if given.node is None:
            raise Failure("there is no Node")
        bench = prepare(report, given.node, given.tarball)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    run = Run(report, bench)
    measure_all(run, bench, QUICK if given.quick else FULL, given.only)
    is_partial = given.quick or given.only is not None
    docs = environments.ROOT / "docs" / "benchmarks"
    return run.conclude(environments.WORK if is_partial else docs, "node")


if __name__ == "__main__":
    sys.exit(main())
