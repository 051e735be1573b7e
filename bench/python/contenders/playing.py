"""What programs that play workloads share: `PROGRAM play NAME ROUNDS DIR WORD...`.

DIR has what `report messages` writes. One object of JSON is printed; code 3 says that a contender
has no such thing.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Workload:
    """One message, who answers it, and what the answer must say."""

    name: str
    handshake: list[bytes]
    request: bytes
    tools: list[dict[str, Any]]
    # ping, list, say or splice.
    deed: str
    argument: str
    text: str

    @property
    def is_modern(self) -> bool:
        """Whether no handshake comes before the message."""
        return self.name == "modern-call"

    def check(self, answer: bytes | str | None) -> None:
        """Ends the program unless an answer is the right one."""
        message = json.loads(answer or "{}")
        result = message.get("result")
        right = message.get("id") == 1 and isinstance(result, dict)
        if right and self.deed == "list":
            # A server may say more of its tools than it was told.
            right = [
                {name: tool.get(name) for name in wanted}
                for tool, wanted in zip(result["tools"], self.tools, strict=True)
            ] == self.tools
        elif right and self.deed == "say":
            right = result["content"][0]["text"] == self.text
        elif right and self.deed == "splice":
            right = result["structuredContent"] == json.loads(self.request)["params"]["arguments"]
        if not right:
            sys.exit(f"a wrong answer: {answer!r:.400}")


def command_line() -> tuple[Workload, int, list[str]]:
    """The workload, the rounds and the words that the program is started with."""
    if len(sys.argv) < 5 or sys.argv[1] != "play":
        sys.exit("usage: play NAME ROUNDS DIR WORD...")
    _, _, name, rounds, folder, *words = sys.argv

    def part(ending: str) -> bytes:
        return Path(folder, f"{name}.{ending}").read_bytes()

    workload = Workload(
        name=name,
        handshake=Path(folder, "handshake").read_bytes().splitlines(),
        request=part("request"),
        tools=json.loads(part("tools")),
        deed=part("deed").decode(),
        argument=part("argument").decode(),
        text=part("text").decode(),
    )
    return workload, int(rounds), words


class Watch:
    """Two clocks that run: the one on the wall, and that of this process."""

    def __init__(self) -> None:
        self.cpu = time.process_time_ns()
        self.wall = time.perf_counter_ns()

    def report(self, workload: Workload, rounds: int, answer: bytes | str | None) -> None:
        """Stops the clocks, checks the last answer and prints what was measured."""
        wall = time.perf_counter_ns() - self.wall
        cpu = time.process_time_ns() - self.cpu
        workload.check(answer)
        figures = {
            "rounds": rounds,
            "wall_ns": wall,
            "cpu_ns": cpu,
            "request_bytes": len(workload.request),
            "answer_bytes": len(answer or b""),
        }
        print(json.dumps(figures))
