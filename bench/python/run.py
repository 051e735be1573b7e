#!/usr/bin/env python3
"""Measures mcplite beside `mcp` and `fastmcp`, in one run, in turn.

    python bench/python/run.py [--quick] --wheel PATH

Writes docs/benchmarks/python.md and python.json; a quick or partial run writes to
target/bench-python instead. Ends with code 1 if a target is missed or a contender fails.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from common.bench import Failure  # noqa: E402 - after what tells where modules are
from common.report import Report  # noqa: E402
from common.run import Run, begun, options  # noqa: E402
from common.setup import FLOOR  # noqa: E402
from python import environments, measure, rows, setups  # noqa: E402

ROOT = HERE.parent.parent
WORK = ROOT / "target" / "bench-python"
PEERS = ["mcp", "fastmcp"]
PARTS = ["import", "start", "stdio", "http", "asgi"]


@dataclass(frozen=True)
class Scale:
    """How often and how long each thing is measured."""

    imports: int
    starts: int
    calls: int
    http: int
    pings: int
    seconds: float
    restarts: int
    slices: int
    slice_seconds: float


FULL = Scale(
    imports=25,
    starts=15,
    calls=5,
    http=5,
    pings=1000,
    seconds=1.0,
    restarts=3,
    slices=5,
    slice_seconds=0.4,
)
QUICK = Scale(
    imports=4,
    starts=3,
    calls=2,
    http=2,
    pings=300,
    seconds=0.5,
    restarts=1,
    slices=3,
    slice_seconds=0.3,
)


def measure_all(run: Run, bench: measure.PythonBench, scale: Scale, only: str | None) -> None:
    """Measures one part, or all."""
    if only in (None, "import"):
        run.rounds(
            "import",
            scale.imports,
            setups.IMPORTS,
            lambda setup: measure.measure_import(bench, setup),
        )
        run.section("Import", rows.IMPORT_ROWS, setups.IMPORTS, PEERS)
    if only in (None, "start"):
        run.rounds(
            "start",
            scale.starts,
            setups.START,
            lambda setup: measure.measure_start(bench, setup),
        )
        run.section("Start and memory", rows.START_ROWS, setups.START, PEERS)
    if only in (None, "stdio"):
        run.rounds(
            "stdio",
            scale.calls,
            setups.STDIO,
            lambda setup: measure.measure_pipes(bench, setup, scale.pings, scale.seconds),
        )
        run.section("Calls over stdio", rows.CALL_ROWS, setups.STDIO, PEERS)
    if only in (None, "http"):
        run.rounds(
            "http",
            scale.http,
            setups.HTTP,
            lambda setup: measure.measure_http(bench, setup, scale.seconds),
        )
        peers = [*PEERS, FLOOR]
        run.section("HTTP on the native listener", rows.HTTP_ROWS, setups.HTTP, peers)
    if only in (None, "asgi"):
        # An application that answers comes first: the bare ones send the body that it sends.
        groups = [[*ours, *bare] for bare, ours in setups.ASGI]
        run.side_by_side("asgi", groups, scale.restarts, scale.slices, scale.slice_seconds)
        everything = [setup for group in groups for setup in group]
        peers = [setups.BARE, setups.THREADED]
        run.section("ASGI beside a bare application", rows.ASGI_ROWS, everything, peers)


def prepare(report: Report, wheel: Path | None, python: Path | None) -> measure.PythonBench:
    """Compiles the client and makes the environments; one that fails is reported and left out."""
    interpreters: dict[str, Path] = {}
    for name in ("mcplite", *PEERS):
        print(f"environment of {name}", file=sys.stderr, flush=True)
        try:
            if name == "mcplite" and python is not None:
                interpreters[name], remark = python.absolute(), ""
            else:
                interpreters[name], remark = environments.prepare(WORK / name, name, wheel)
            report.versions[name] = environments.versions(interpreters[name])
        except Failure as failure:
            report.failures[name] = str(failure)
            print(f"{name}: FAILED: {failure}", file=sys.stderr)
            continue
        if remark:
            report.remarks.append(remark)
    return measure.PythonBench(WORK, interpreters)


def main() -> int:
    parser = options(__doc__, PARTS, "two minutes")
    parser.add_argument("--wheel", type=Path, help="the wheel of mcplite to measure")
    parser.add_argument("--python", type=Path, help="or an interpreter that has it, and uvicorn")
    given = parser.parse_args()
    report = begun(
        "mcplite for Python beside `mcp` and `fastmcp`", [], "make bench-python", given.quick
    )
    try:
        bench = prepare(report, given.wheel, given.python)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    run = Run(report, bench)
    measure_all(run, bench, QUICK if given.quick else FULL, given.only)
    is_partial = given.quick or given.only is not None
    return run.conclude(WORK if is_partial else ROOT / "docs" / "benchmarks", "python")


if __name__ == "__main__":
    sys.exit(main())
