#!/usr/bin/env python3
"""Loads and vexes an HTTP server, and sees whether it stays what it was.

    tests/http/load/run.py --library target/debug [--full] [--only NAME]

Prints figures, and checks only what does not depend on the speed of the machine.
"""

import argparse
import resource
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
from tally import Tally  # noqa: E402 - from the folder that was named just before

import watched  # noqa: E402

import faults  # noqa: E402
import steady  # noqa: E402
import streams  # noqa: E402

SCENARIOS = steady.SCENARIOS + streams.SCENARIOS + faults.SCENARIOS
# For a thousand connections, with room to spare.
DESCRIPTORS = 4096


class Stage:
    """What scenarios need: the programs, their sizes, and somebody who listens."""

    def __init__(self, library, is_full):
        self.folder = watched.build(library, watched.ROOT / "target" / "load")
        self.is_full = is_full
        self.servers = []

    def server(self, *settings):
        self.servers.append(watched.Watched(self.folder / "server", settings))
        return self.servers[-1]

    def pick(self, smoke, full):
        return full if self.is_full else smoke

    def tell(self, *figures):
        for line in figures:
            print(f"    {line}", flush=True)

    def clear(self):
        """Ends what a scenario that failed has left behind."""
        for server in self.servers:
            if server.is_alive():
                server.process.kill()
                server.process.wait()
        self.servers.clear()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True, type=Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, most), most))
    stage, tally = Stage(options.library, options.full), Tally("load")
    for scenario in SCENARIOS:
        if options.only in scenario.__name__:
            began = time.monotonic()
            print(scenario.__name__.replace("_", " "), flush=True)
            tally.run(scenario, stage)
            stage.clear()
            stage.tell(f"{time.monotonic() - began:.1f} s")
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
