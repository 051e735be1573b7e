"""In process: time, instructions and allocations of one message, bytes to bytes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from common.bench import PATIENCE, Bench, Failure
from native.contender import NATIVE, Entrant

# Callgrind counts a `rep movsb` as one instruction a byte, so glibc must copy in another way.
TUNABLES = {"GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=1000000000"}
# The first runs of an entrant only say how many rounds are worth timing.
FIRST_ROUNDS, GROWTH, MOST_ROUNDS = 20, 10, 5_000_000


class Player:
    """Plays workloads from a folder that has their messages."""

    def __init__(self, messages: Path) -> None:
        self.messages = messages
        # How many seconds a round takes, as far as is known.
        self.pace: dict[tuple[Entrant, str], float] = {}

    def command(self, bench: Bench, entrant: Entrant, workload: str, rounds: int) -> list[str]:
        file, *words = bench.command(entrant.setup)
        # Interpreters come before the program, and what chooses a set-up after it.
        lead = [file] if entrant.contender.language == NATIVE else [file, words.pop(0)]
        return [*lead, "play", workload, str(rounds), str(self.messages), *words]

    def play(self, bench: Bench, entrant: Entrant, workload: str, rounds: int) -> dict[str, Any]:
        return bench.run(self.command(bench, entrant, workload, rounds))

    def time(
        self, bench: Bench, entrant: Entrant, workload: str, seconds: float
    ) -> dict[str, float]:
        """Times as many rounds as take about so many seconds."""
        if (entrant, workload) not in self.pace:
            self.pace[entrant, workload] = self._find_pace(bench, entrant, workload, seconds)
        pace = max(self.pace[entrant, workload], seconds / MOST_ROUNDS)
        rounds = max(FIRST_ROUNDS, round(seconds / pace))
        played = self.play(bench, entrant, workload, rounds)
        self.pace[entrant, workload] = played["wall_ns"] / 1e9 / rounds
        return {
            "cpu_us": played["cpu_ns"] / 1e3 / rounds,
            "wall_us": played["wall_ns"] / 1e3 / rounds,
        }

    def _find_pace(self, bench: Bench, entrant: Entrant, workload: str, seconds: float) -> float:
        """Plays ever more rounds: the first ones take longest where code is compiled meanwhile."""
        rounds = FIRST_ROUNDS
        while True:
            taken: float = self.play(bench, entrant, workload, rounds)["wall_ns"] / 1e9
            if taken >= seconds / 4 or rounds >= MOST_ROUNDS:
                return taken / rounds
            rounds *= GROWTH

    def count_instructions(
        self, bench: Bench, entrant: Entrant, workload: str, rounds: int
    ) -> float:
        """Instructions of one round: two runs side by side, and what both have is not counted."""
        few = self._start(bench, self.command(bench, entrant, workload, rounds))
        many = self._start(bench, self.command(bench, entrant, workload, 2 * rounds))
        counts = [_collected(few), _collected(many)]
        return (counts[1] - counts[0]) / rounds

    def count_allocations(
        self, bench: Bench, entrant: Entrant, workload: str, rounds: int, shim: Path
    ) -> float:
        """Allocations of one round, again by two runs."""
        counts: list[int] = []
        for number in (rounds, 2 * rounds):
            tally = bench.scratch / "allocations"
            tally.unlink(missing_ok=True)
            command = self.command(bench, entrant, workload, number)
            counted = ["env", f"LD_PRELOAD={shim}", f"MCPLITE_BENCH_ALLOCATIONS={tally}"]
            bench.run([*counted, *command])
            if not tally.is_file():
                raise Failure("the program ended without a count of its allocations")
            counts.append(json.loads(tally.read_text())["allocations"])
        return (counts[1] - counts[0]) / rounds

    def _start(self, bench: Bench, command: list[str]) -> subprocess.Popen[str]:
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        return subprocess.Popen(
            [*valgrind, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=bench.surroundings | TUNABLES,
            text=True,
        )


def _collected(run: subprocess.Popen[str]) -> int:
    """The total in what callgrind says at the end."""
    try:
        _, log = run.communicate(timeout=2 * PATIENCE)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        raise Failure(f"callgrind did not end after {2 * PATIENCE} s") from None
    if run.returncode != 0:
        raise Failure("callgrind: " + "\n".join(log.strip().splitlines()[-4:]))
    for line in log.splitlines():
        _, found, count = line.partition("Collected :")
        if found:
            return int(count)
    raise Failure("callgrind gave no count")
