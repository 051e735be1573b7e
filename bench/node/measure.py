"""What is measured of a set-up at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from common.bench import Bench
from common.pipes import converse
from common.setup import FLOOR, Setup

# Enough for what grows with calls to be seen, with few enough open at a time that no backlog is.
MANY, OPEN = 100_000, 64
# Node itself, waiting on its standard input.
IDLE = Setup(FLOOR, "bare Node", ("bare_stdio.cjs",), answers=False)

# What a module costs is measured inside, in a process that has loaded nothing else.
LOADING = """
const before = process.cpuUsage(), begin = process.hrtime.bigint();
%s
const wall = process.hrtime.bigint() - begin, { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ wall_ns: Number(wall), cpu_ns: (user + system) * 1000 }));
"""
# In a file, as programs are: what Node takes to begin with modules is not what one of them costs.
WAYS = {"require": ("load.cjs", "require(%s);"), "import": ("load.mjs", "await import(%s);")}


class NodeBench(Bench):
    """Contenders in Node; which folder has their modules depends on whose they are."""

    tells_port = True

    def __init__(self, work: Path, node: str, folders: dict[str, Path]) -> None:
        super().__init__(work, "NODE", folders.values())
        self.surroundings["NODE_ENV"] = "production"
        self.node = node
        self.folders = folders

    def folder(self, setup: Setup) -> Path | None:
        return self.folders.get("mcplite" if setup.contender == "mcplite" else "peers")

    def has(self, setup: Setup) -> bool:
        return self.folder(setup) is not None

    def command(self, setup: Setup, *more: str) -> list[str]:
        """Its words say all; `more` would say it again, and which port to take."""
        file, *words = setup.arguments
        return [self.node, str((self.folder(setup) or Path()) / file), *words]

    def is_sum(self, answer: dict[str, Any], result: int) -> bool:
        return bool(answer["content"] == [{"type": "text", "text": str(result)}])


def measure_load(bench: NodeBench, setup: Setup) -> dict[str, float]:
    """Time and processor time that loading modules takes."""
    way, *names = setup.arguments
    name, statement = WAYS[way]
    program = (bench.folder(setup) or Path()) / name
    program.write_text(LOADING % "\n".join(statement % json.dumps(name) for name in names))
    taken = bench.run([bench.node, str(program)], bench.folder(setup))
    return {"load_ms": taken["wall_ns"] / 1e6, "load_cpu_ms": taken["cpu_ns"] / 1e6}


def measure_start(bench: NodeBench, setup: Setup) -> dict[str, float]:
    """Spawn to first reply and memory after the first call, also above those of bare Node."""
    nothing = bench.run_client("spawn", bench.node, "-e", "0")
    idle = converse(bench, IDLE)
    server = converse(bench, setup)
    return {
        "first_reply_ms": server["first_reply_ns"] / 1e6,
        "start_over_bare_ms": (server["first_reply_ns"] - nothing["wall_ns"]) / 1e6,
        "rss_mb": server["rss_kb"] / 1024,
        "rss_over_bare_mb": (server["rss_kb"] - idle["rss_kb"]) / 1024,
    }


def measure_memory(bench: NodeBench, setup: Setup) -> dict[str, float]:
    """Memory after many calls."""
    server = converse(bench, setup, calls=MANY, window=OPEN)
    return {
        "rss_after_mb": server["rss_after_kb"] / 1024,
        "grown_mb": (server["rss_after_kb"] - server["rss_kb"]) / 1024,
    }
