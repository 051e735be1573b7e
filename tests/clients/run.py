#!/usr/bin/env python3
"""Talk to the example `everything` with every official client: run.py PATH-OF-EVERYTHING [SUITE...]

The suites are python, node and inspector; without a name all of them run. Python packages are those
of the interpreter that runs this; npm packages are installed under target/.
"""

import re
import subprocess
import sys
from pathlib import Path

from modules import install, update_lock

HERE = Path(__file__).parent
# Far more than any suite takes: each one bounds its own waits.
SECONDS = 900
OUTCOME = re.compile(r"^(\d+) passed, (\d+) failed$")


def python(binary):
    return [sys.executable, "-B", HERE / "python" / "check.py", binary]


def node(binary):
    return ["node", install(HERE / "node", "clients-node") / "check.mjs", binary]


def inspector(binary):
    modules = install(HERE / "inspector", "clients-inspector")
    return [sys.executable, "-B", HERE / "inspector" / "check.py", binary, modules]


SUITES = {"python": python, "node": node, "inspector": inspector}


def run(command):
    """How much passed and failed; a suite that does not say so has failed."""
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                               timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"not over after {SECONDS} seconds: {command}")
        return 0, 1
    print(ended.stdout, end="", flush=True)
    outcome = OUTCOME.match((ended.stdout.splitlines() or [""])[-1])
    if outcome is None:
        return 0, 1
    passed, failed = map(int, outcome.groups())
    return passed, max(failed, int(ended.returncode != 0))


def main():
    if sys.argv[1:] == ["--update-locks"]:
        for suite in ("node", "inspector"):
            update_lock(HERE / suite)
        return 0
    binary, *names = sys.argv[1:] or [""]
    if not Path(binary).is_file() or not set(names) <= set(SUITES):
        print(__doc__, file=sys.stderr)
        return 2
    binary = Path(binary).resolve()
    outcomes = [run(SUITES[name](binary)) for name in names or SUITES]
    passed, failed = (sum(column) for column in zip(*outcomes))
    print(f"clients: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
