#!/usr/bin/env python3
"""Run the official conformance suite against a server of the fixtures.

usage: run.py [--required] [--results FOLDER] [--server COMMAND...]
       run.py --update-locks

The server is started once, as COMMAND fixtures.json; by default it is the one in C. The command is everything
that follows. With --required only the requirements are run. Everything that the suite writes goes below the
folder, by default target/conformance-results; results.json there has the sum.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import table
from server import Server
from suite import Suite, update_lock, version
from verdict import judge

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "target"
# What is run, how many scenarios that is and how many of them are scored: a new suite with fewer is noticed.
RUNS = [
    (("--requirements", "2025-11-25"), 33, 30),
    (("--requirements", "2026-07-28"), 50, 37),
    (("--suite", "all"), 65, 65),
    (("--suite", "all", "--spec-version", "2026-07-28"), 40, 40),
    (("--suite", "all", "--spec-version", "2025-11-25"), 33, 33),
    (("--suite", "all", "--spec-version", "2025-06-18"), 27, 27),
    (("--suite", "all", "--spec-version", "2025-03-26"), 1, 1),
]


def run_one(suite, server, selection, counts, results):
    """The verdict on one run, told in a line, and what failed in a line each."""
    start = time.monotonic()
    name = "-".join(word.strip("-") for word in selection)
    # `list` knows no suites: it lists all of them.
    scenarios = suite.scenarios([word for word in selection if word not in ("--suite", "all")])
    folder = results / name
    verdict = judge(scenarios, folder, suite.run(server.url, selection, folder))
    if (len(scenarios), sum(scenarios.values())) != counts:
        verdict.failed["the suite"] = [f"it lists {len(scenarios)} scenarios, {sum(scenarios.values())} scored"]
    if not server.is_alive():
        verdict.failed["the server"] = ["it ended in the middle"]
    print(f"{name}: {len(verdict.passed)} passed, {len(verdict.failed)} failed, "
          f"{len(verdict.out_of_scope)} out of scope, {time.monotonic() - start:.1f} s", flush=True)
    for scenario, complaints in verdict.failed.items():
        for complaint in complaints:
            print(f"  {scenario}: {complaint}", flush=True)
    return verdict


def summary(selection, verdict):
    """A row of the table. What is scored is of interest for requirements only."""
    row = {"run": " ".join(selection), "passed": len(verdict.passed),
           "total": len(verdict.passed) + len(verdict.failed), "extensions": len(verdict.out_of_scope)}
    if "--requirements" in selection:
        row["scored"] = verdict.scored
    return row


def run_all(suite, runs, command, results):
    """Rows of the table, and how much passed and failed."""
    rows, passed, failed = [], 0, 0
    server = Server([*command, HERE / "fixtures.json"])
    try:
        for selection, *counts in runs:
            if not server.url.startswith("http://") or not server.is_alive():
                print(f"{' '.join(selection)}: there is no server")
                failed += 1
                continue
            verdict = run_one(suite, server, selection, tuple(counts), results)
            rows.append(summary(selection, verdict))
            passed, failed = passed + len(verdict.passed), failed + len(verdict.failed)
    finally:
        problem = server.end()
    if problem:
        print(f"the server {problem}")
        failed += 1
    return rows, passed, failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--update-locks", action="store_true")
    parser.add_argument("--required", action="store_true")
    parser.add_argument("--results", type=Path, default=TARGET / "conformance-results")
    parser.add_argument("--server", nargs=argparse.REMAINDER, default=[TARGET / "conformance-c" / "server"])
    chosen = parser.parse_args()
    if chosen.update_locks:
        update_lock()
        return 0
    runs = [run for run in RUNS if not chosen.required or "--requirements" in run[0]]
    rows, passed, failed = run_all(Suite(), runs, chosen.server, chosen.results)
    chosen.results.mkdir(parents=True, exist_ok=True)
    outcome = {"suite": version(), "rows": rows, "failed": failed}
    (chosen.results / "results.json").write_text(json.dumps(outcome, indent=2) + "\n")
    print("\n" + table.write(outcome))
    print(f"conformance: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
