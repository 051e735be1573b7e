#!/usr/bin/env python3
"""Measures mcplite beside everything that could be picked instead, in one run, in turn.

    python bench/native/run.py [--quick] [--only PART] --wheel PATH --tarball PATH

A full run writes native.json, native.md and charts to docs/benchmarks; any other run writes them
to target/bench-native/quick. Ends with code 1 if a ratio or count is missed, or a contender fails.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from common.bench import Failure  # noqa: E402 - after what tells where modules are
from common.report import machine  # noqa: E402
from native import targets  # noqa: E402
from native.build import ROOT, WORK, prepare_all  # noqa: E402
from native.document import markdown, overview_table, target_table  # noqa: E402
from native.ledger import Ledger  # noqa: E402
from native.pages import write_pages  # noqa: E402
from native.parts import PARTS  # noqa: E402
from native.results import failed, plain  # noqa: E402
from native.scale import FULL, QUICK  # noqa: E402
from native.turns import Run  # noqa: E402

RESULTS = ROOT / "docs" / "benchmarks"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rounds; about three minutes")
    parser.add_argument("--only", choices=list(PARTS), help="measure one part only")
    parser.add_argument("--as-built", action="store_true", help="build nothing native anew")
    parser.add_argument("--wheel", type=Path, help="the wheel of mcplite for Python")
    parser.add_argument("--tarball", type=Path, nargs="+", default=[], help="its package for Node")
    parser.add_argument("--node", default=shutil.which("node") or "node", help="the Node to use")
    return parser.parse_args()


def main() -> int:
    given = options()
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    ledger, before = Ledger(), os.getloadavg()[0]
    try:
        built = prepare_all(ledger, given.wheel, given.tarball, given.node, not given.as_built)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    run = Run(ledger, built, QUICK if given.quick else FULL)
    parts = [given.only] if given.only else list(PARTS)
    for part in parts:
        PARTS[part].measure(run)
    measured = {key for part in parts for key in PARTS[part].keys}
    results = {
        "date": date,
        "command": "make bench-quick" if given.quick else "make bench",
        "quick": given.quick,
        "machine": machine(),
        "load": [round(before, 2), round(os.getloadavg()[0], 2)],
        "versions": built.versions,
    } | plain(ledger, targets.judge_all(ledger, measured))
    is_partial = given.quick or given.only is not None
    folder = WORK / "quick" if is_partial else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "native.json").write_text(json.dumps(results, indent=1) + "\n")
    write_pages(folder, results)
    lines = [*target_table(results), "", *overview_table(results)]
    print("\n".join(lines) if is_partial else markdown(results))
    run.say(f"wrote native.json, native.md and charts to {os.path.relpath(folder)}")
    sentences = failed(results)
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
