"""One run: contenders in turn, round after round, and what became of them."""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from http.client import HTTPException
from pathlib import Path

from common.bench import Bench, Failure
from common.listener import Listener, listening
from common.report import Report
from common.rows import Row, evaluate
from common.setup import Setup

# What a contender may do wrong without ending the run.
MISHAPS = (Failure, HTTPException, OSError, ValueError)


def begun(heading: str, introduction: list[str], command: str, is_quick: bool) -> Report:
    """A report with nothing in it yet."""
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    load = (os.getloadavg()[0], 0.0)
    return Report(heading, introduction, command, date, is_quick, {}, [], load)


def options(description: str | None, parts: Sequence[str], seconds: str) -> argparse.ArgumentParser:
    """The options that all benchmarks have."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"few rounds; under {seconds}")
    parser.add_argument("--only", choices=parts, help="measure one part only")
    return parser


class Run:
    """What a run has to measure with, and what it has found so far."""

    def __init__(self, report: Report, bench: Bench) -> None:
        self.report = report
        self.bench = bench
        self.began = time.monotonic()

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", file=sys.stderr, flush=True)

    def attempt(self, setup: Setup, where: str, work: Callable[[Setup], dict[str, float]]) -> None:
        """Measures a set-up once more, unless it has failed before."""
        if setup.label in self.report.failures or not self.bench.has(setup):
            return
        try:
            measured = work(setup)
        except MISHAPS as failure:
            self.fail(setup, where, failure)
            return
        kept = self.report.samples.setdefault(setup, {})
        for quantity, value in measured.items():
            kept.setdefault(quantity, []).append(value)
        listed = ", ".join(f"{name} {value:,.1f}" for name, value in list(measured.items())[:5])
        self.say(f"{where}  {setup.title}: {listed}")

    def fail(self, setup: Setup, where: str, failure: Exception) -> None:
        self.report.failures[setup.label] = str(failure) or repr(failure)
        self.say(f"{where}  {setup.title}: FAILED\n{failure}")

    def rounds(
        self,
        what: str,
        count: int,
        candidates: Sequence[Setup],
        work: Callable[[Setup], dict[str, float]],
    ) -> None:
        """Measures all set-ups in turn, in every second round in the opposite order."""
        chosen = self.chosen(candidates)
        for number in range(count):
            for setup in chosen if number % 2 == 0 else chosen[::-1]:
                self.attempt(setup, f"{what} {number + 1}/{count}", work)

    def side_by_side(
        self,
        what: str,
        groups: Sequence[Sequence[Setup]],
        restarts: int,
        slices: int,
        seconds: float,
        warm: float = 0,
    ) -> None:
        """Measures HTTP servers of a group that run at the same time and get short pieces of work
        in turn, for targets that leave little room for noise.

        Each is busy for `warm` seconds before: where code is compiled while it runs, the first
        thousands of requests say little about the others.
        """
        for restart in range(restarts):
            for group in groups:
                with ExitStack() as stack:
                    servers = list(self.start_all(stack, what, self.chosen(group)).items())
                    for setup, server in servers if warm else ():
                        self.warm_up(setup, what, server, warm)
                    for piece in range(slices):
                        where = f"{what} {restart * slices + piece + 1}/{restarts * slices}"
                        for width in (1, 16):
                            for setup, server in servers if piece % 2 == 0 else servers[::-1]:
                                self.attempt(setup, where, partial(_press, server, width, seconds))

    def warm_up(self, setup: Setup, what: str, server: Listener, seconds: float) -> None:
        """Keeps a server busy without keeping what was measured."""
        try:
            server.measure(16, seconds)
        except MISHAPS as failure:
            self.fail(setup, what, failure)

    def start_all(
        self, stack: ExitStack, what: str, applications: Sequence[Setup]
    ) -> dict[Setup, Listener]:
        """Starts servers until the stack is closed; those that fail are reported and left out.

        One that only sends bytes sends those that the first one answered.
        """
        servers: dict[Setup, Listener] = {}
        body = ""
        for setup in sorted(applications, key=lambda setup: not setup.answers):
            if setup.label in self.report.failures or not self.bench.has(setup):
                continue
            try:
                if not setup.answers and not body:
                    raise Failure("no server answered whose bytes it could send")
                more = [] if setup.answers else [body]
                server = stack.enter_context(listening(self.bench, setup, *more))
                body = body or server.body()
            except MISHAPS as failure:
                self.fail(setup, what, failure)
            else:
                servers[setup] = server
        return {setup: servers[setup] for setup in applications if setup in servers}

    def chosen(self, candidates: Sequence[Setup]) -> list[Setup]:
        return [setup for setup in candidates if setup.usual or not self.report.is_quick]

    def section(
        self, heading: str, of: list[Row], candidates: list[Setup], peers: Sequence[str]
    ) -> None:
        """Adds a table to the report."""
        results = [evaluate(row, candidates, self.report.samples, list(peers)) for row in of]
        self.report.sections.append((heading, list(peers), results))

    def conclude(self, folder: Path, name: str) -> int:
        """Writes and prints the report; gives the code with which the program ends."""
        report = self.report
        report.load = (report.load[0], os.getloadavg()[0])
        report.write(folder, name)
        print(report.markdown())
        self.say(f"wrote {os.path.relpath(folder / name)}.md and {name}.json")
        for sentence in report.missed:
            print(f"target: {sentence}", file=sys.stderr)
        for title in report.failures:
            print(f"failed: {title}", file=sys.stderr)
        return 1 if report.missed or report.failures else 0


def _press(server: Listener, width: int, seconds: float, _: Setup) -> dict[str, float]:
    return server.measure(width, seconds)
