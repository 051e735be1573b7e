#!/usr/bin/env python3
"""Measures mcplite beside `mcp` and `fastmcp`, in one run, in turn.

    python bench/python/run.py [--quick] --wheel PATH

Writes docs/benchmarks/python.md and python.json; a quick or partial run writes to
target/bench-python instead. Ends with code 1 if a target is missed or a contender fails.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from pathlib import Path

sys.dont_write_bytecode = True

import environments  # noqa: E402 - after what keeps the sources clean
import measure  # noqa: E402
import rows  # noqa: E402
import setups  # noqa: E402
from environments import Failure  # noqa: E402
from report import Report, unmeasured  # noqa: E402
from setups import Setup  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "bench-python"
PEERS = ["mcp", "fastmcp"]


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


class Run:
    """One run: what it has to measure with, and what it has found so far."""

    def __init__(self, report: Report, bench: measure.Bench, is_quick: bool) -> None:
        self.report = report
        self.bench = bench
        self.is_quick = is_quick
        self.began = time.monotonic()

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", file=sys.stderr, flush=True)

    def attempt(self, setup: Setup, where: str, work: Callable[[Setup], dict[str, float]]) -> None:
        """Measures a set-up once more, unless it has failed before."""
        if unmeasured(setup) in self.report.failures:
            return
        if setup.environment not in self.bench.interpreters:
            return
        try:
            measured = work(setup)
        except (Failure, HTTPException, OSError, ValueError) as failure:
            self.fail(setup, where, failure)
            return
        kept = self.report.samples.setdefault(setup, {})
        for quantity, value in measured.items():
            kept.setdefault(quantity, []).append(value)
        listed = ", ".join(f"{name} {value:,.1f}" for name, value in list(measured.items())[:5])
        self.say(f"{where}  {setup.title}: {listed}")

    def fail(self, setup: Setup, where: str, failure: Exception) -> None:
        self.report.failures[unmeasured(setup)] = str(failure) or repr(failure)
        self.say(f"{where}  {setup.title}: FAILED\n{failure}")

    def rounds(
        self,
        what: str,
        count: int,
        candidates: Sequence[Setup],
        work: Callable[[Setup], dict[str, float]],
    ) -> None:
        """Measures all set-ups in turn, in every second round in the opposite order."""
        chosen = [setup for setup in candidates if setup.usual or not self.is_quick]
        for number in range(count):
            order = chosen if number % 2 == 0 else chosen[::-1]
            for setup in order:
                where = f"{what} {number + 1}/{count}"
                self.attempt(setup, where, work)

    def measure_asgi(self, restarts: int, slices: int, seconds: float) -> None:
        """Applications of mcplite, and bare ones that answer with the same body.

        They run at the same time and get short pieces of work in turn, because the target leaves
        little room for noise.
        """
        if "mcplite" not in self.bench.interpreters:
            return
        for restart in range(restarts):
            for bare, applications in setups.ASGI:
                with ExitStack() as stack:
                    servers = self.start_all(stack, [*applications, *bare])
                    for piece in range(slices):
                        where = f"asgi {restart * slices + piece + 1}/{restarts * slices}"
                        for width in (1, 16):
                            for setup, server in servers.items():
                                self.attempt(setup, where, partial(press, server, width, seconds))

    def start_all(
        self, stack: ExitStack, applications: Sequence[Setup]
    ) -> dict[Setup, measure.Listener]:
        """Starts servers until the stack is closed; those that fail are reported and left out."""
        servers: dict[Setup, measure.Listener] = {}
        body = ""
        for setup in applications:
            more = [] if setup.answers else [body]
            if unmeasured(setup) in self.report.failures or more == [""]:
                continue
            try:
                server = stack.enter_context(measure.listening(self.bench, setup, *more))
                body = server.body()
            except (Failure, OSError, ValueError) as failure:
                self.fail(setup, "asgi", failure)
            else:
                servers[setup] = server
        return servers

    def measure_all(self, scale: Scale, only: str | None) -> None:
        bench = self.bench
        if only in (None, "import"):
            self.rounds(
                "import",
                scale.imports,
                setups.IMPORTS,
                lambda setup: measure.measure_import(bench, setup),
            )
            self.section("Import", rows.IMPORT_ROWS, setups.IMPORTS)
        if only in (None, "start"):
            self.rounds(
                "start",
                scale.starts,
                setups.START,
                lambda setup: measure.measure_start(bench, setup),
            )
            self.section("Start and memory", rows.START_ROWS, setups.START)
        if only in (None, "stdio"):
            self.rounds(
                "stdio",
                scale.calls,
                setups.STDIO,
                lambda setup: measure.measure_calls(bench, setup, scale.pings, scale.seconds),
            )
            self.section("Calls over stdio", rows.CALL_ROWS, setups.STDIO)
        if only in (None, "http"):
            self.rounds(
                "http",
                scale.http,
                setups.HTTP,
                lambda setup: measure.measure_http(bench, setup, scale.seconds),
            )
            peers = [*PEERS, setups.FLOOR]
            self.section("HTTP on the native listener", rows.HTTP_ROWS, setups.HTTP, peers)
        if only in (None, "asgi"):
            self.measure_asgi(scale.restarts, scale.slices, scale.slice_seconds)
            everything = [setup for bare, ours in setups.ASGI for setup in (*bare, *ours)]
            peers = [setups.BARE, setups.THREADED]
            self.section("ASGI beside a bare application", rows.ASGI_ROWS, everything, peers)

    def section(
        self,
        heading: str,
        of: list[rows.Row],
        candidates: list[Setup],
        peers: Sequence[str] = PEERS,
    ) -> None:
        results = [rows.evaluate(row, candidates, self.report.samples, list(peers)) for row in of]
        self.report.sections.append((heading, list(peers), results))


def press(server: measure.Listener, width: int, seconds: float, _: Setup) -> dict[str, float]:
    return server.measure(width, seconds)


def prepare(report: Report, wheel: Path | None, python: Path | None) -> measure.Bench:
    """Compiles the client and makes the environments; one that fails is reported and left out."""
    client = WORK / "client"
    environments.compile_client(HERE / "client", client)
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
    scratch = WORK / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    return measure.Bench(client, scratch, interpreters)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="few rounds; under two minutes")
    parser.add_argument("--wheel", type=Path, help="the wheel of mcplite to measure")
    parser.add_argument("--python", type=Path, help="or an interpreter that has it, and uvicorn")
    parser.add_argument("--only", choices=["import", "start", "stdio", "http", "asgi"])
    options = parser.parse_args()

    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    report = Report(date, options.quick, {}, [], (os.getloadavg()[0], 0.0))
    try:
        bench = prepare(report, options.wheel, options.python)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    run = Run(report, bench, options.quick)
    run.measure_all(QUICK if options.quick else FULL, options.only)
    report.load = (report.load[0], os.getloadavg()[0])

    is_partial = options.quick or options.only is not None
    folder = WORK if is_partial else ROOT / "docs" / "benchmarks"
    report.write(folder, "python")
    print(report.markdown())
    run.say(f"wrote {(folder / 'python.md').relative_to(ROOT)} and python.json")
    for sentence in report.missed:
        print(f"target: {sentence}", file=sys.stderr)
    for title in report.failures:
        print(f"failed: {title}", file=sys.stderr)
    return 1 if report.missed or report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
