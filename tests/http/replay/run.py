#!/usr/bin/env python3
"""Plays the HTTP transcripts against a server in C, over real sockets.

    tests/http/replay/run.py --library target/debug [--cc gcc] [PATH...]
"""

import argparse
import subprocess
import sys
from pathlib import Path

import transcript
from player import Difference, Player
from wire import Broken

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tests" / "transcripts"
# What builds the fixture in C is shared with the transcripts of sessions.
SHARED = ROOT / "tests" / "c" / "transcripts"
PROGRAM = ROOT / "target" / "http-replay" / "server"
FLAGS = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SYSTEM_LIBRARIES = ["-lpthread", "-ldl", "-lm", "-lgcc_s", "-lc"]


def build(compiler, library):
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    own = sorted(Path(__file__).parent.glob("*.c"))
    shared = [path for path in sorted(SHARED.glob("*.c")) if path.name != "main.c"]
    subprocess.run([compiler, *FLAGS, "-I", ROOT / "include", "-I", SHARED, *own, *shared,
                    library / "libmcplite.a", *SYSTEM_LIBRARIES, "-o", PROGRAM], check=True)


def play(path):
    """What is wrong, or None."""
    try:
        player = Player(PROGRAM, FIXTURES, transcript.read(path))
        try:
            player.play()
        finally:
            player.close()
    except (transcript.FormatError, Difference, Broken, OSError, subprocess.SubprocessError) as problem:
        return str(problem)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, required=True, help="where libmcplite.a is")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("paths", nargs="*", type=Path,
                        default=[ROOT / "tests" / "http" / "transcripts"])
    options = parser.parse_args()
    build(options.cc, options.library)
    passed = failed = 0
    for path in transcript.find(options.paths):
        reason = transcript.read(path).sans_io
        if reason:
            print(f"{path.stem}: not over a socket: {reason}", flush=True)
            continue
        problem = play(path)
        print(f"{path.stem}: " + ("ok" if problem is None else f"FAILED\n{path}:{problem}"), flush=True)
        passed, failed = passed + (problem is None), failed + (problem is not None)
    print(f"http-transcripts: {passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
