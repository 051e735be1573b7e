"""What is measured of a set-up at a time, with the client in C."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common.bench import Bench
from common.listener import listening
from common.pipes import converse, measure_calls
from common.setup import FLOOR, Setup

CONTENDERS = Path(__file__).resolve().parent / "contenders"
MOST_CALLS = 400_000


class PythonBench(Bench):
    """Contenders in Python, each with the interpreter of an environment of its own."""

    def __init__(self, work: Path, interpreters: dict[str, Path]) -> None:
        # Such variables tell Python to write no bytecode or to keep no buffers.
        super().__init__(work, "PYTHON", [CONTENDERS.parent])
        self.interpreters = interpreters
        # How many calls a set-up answers in a second, as far as is known.
        self.rates: dict[Setup, float] = {}

    def environment(self, setup: Setup) -> str:
        """The virtual environment that it runs in; what is no peer runs in that of mcplite."""
        return setup.contender if setup.contender in self.interpreters else "mcplite"

    def has(self, setup: Setup) -> bool:
        return setup.contender in self.interpreters or (
            not setup.answers and "mcplite" in self.interpreters
        )

    def interpreter(self, setup: Setup) -> str:
        return str(self.interpreters[self.environment(setup)])

    def command(self, setup: Setup, *more: str) -> list[str]:
        file, *words = setup.arguments
        if setup.contender == FLOOR:
            return [str(self.client), file, *more[1:]]
        script = [str(CONTENDERS / file)] if file != "-c" else ["-c"]
        return [self.interpreter(setup), *script, *more, *words]

    def is_sum(self, answer: dict[str, Any], result: int) -> bool:
        return bool(answer.get("structuredContent") == {"result": result})


def measure_import(bench: PythonBench, setup: Setup) -> dict[str, float]:
    """Time and processor time of an import, as what Python takes longer than for nothing."""
    bare = bench.run_client("spawn", bench.interpreter(setup), "-c", "pass")
    full = bench.run_client("spawn", *bench.command(setup))
    return {
        "import_ms": (full["wall_ns"] - bare["wall_ns"]) / 1e6,
        "import_cpu_ms": (full["cpu_ns"] - bare["cpu_ns"]) / 1e6,
    }


def measure_start(bench: PythonBench, setup: Setup) -> dict[str, float]:
    """Spawn to first reply and memory after the first call, also above those of bare Python."""
    nothing = bench.run_client("spawn", bench.interpreter(setup), "-c", "pass")
    bare = Setup(setup.contender, "bare Python", ("bare_stdio.py",), answers=False)
    idle = converse(bench, bare)
    server = converse(bench, setup)
    return {
        "first_reply_ms": server["first_reply_ns"] / 1e6,
        "start_over_bare_ms": (server["first_reply_ns"] - nothing["wall_ns"]) / 1e6,
        "rss_mb": server["rss_kb"] / 1024,
        "rss_over_bare_mb": (server["rss_kb"] - idle["rss_kb"]) / 1024,
    }


def measure_pipes(bench: PythonBench, setup: Setup, pings: int, seconds: float) -> dict[str, float]:
    """Calls one after another, then as many at once as are answered in about `seconds`."""
    is_ours = setup.contender == "mcplite"
    if is_ours and setup not in bench.rates:
        bench.rates[setup] = measure_calls(bench, setup, 1, 20_000)["calls_per_s"]
    rate = bench.rates.get(setup, 500)
    calls = min(max(int(rate * seconds), 20_000 if is_ours else 300), MOST_CALLS)
    measured = measure_calls(bench, setup, 5 * pings if is_ours else pings, calls)
    bench.rates[setup] = measured["calls_per_s"]
    return measured


def measure_http(bench: PythonBench, setup: Setup, seconds: float) -> dict[str, float]:
    """Requests on 1 and on 16 connections to a server that is started for them."""
    measured: dict[str, float] = {}
    with listening(bench, setup) as server:
        for connections in (1, 16):
            measured |= server.measure(connections, seconds)
    return measured
