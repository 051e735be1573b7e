"""What all measurements need: the client in C, how contenders are started, room for files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from common.setup import Setup

CLIENT_SOURCES = Path(__file__).resolve().parent / "client"
# How long one run may take before its server counts as stuck.
PATIENCE = 90
# With which a program ends that has no way of doing what it is asked.
UNABLE = 3


class Failure(Exception):
    """Something that a contender could not do; its text is for the reader of the report."""


class Unable(Failure):
    """Something that a contender has no way of doing, which is no mistake."""


def compile_client(program: Path) -> None:
    """Compiles the client in C, with which everything is measured."""
    program.parent.mkdir(parents=True, exist_ok=True)
    command = ["cc", "-D_GNU_SOURCE", "-std=c11", "-O2", "-Wall", "-Wextra"]
    files = [str(source) for source in sorted(CLIENT_SOURCES.glob("*.c"))]
    done = subprocess.run([*command, *files, "-o", str(program)], stderr=sys.stderr)
    if done.returncode != 0:
        raise Failure("the client in C does not compile")


class Bench:
    """The client and the contenders of one language; what is different there is in subclasses."""

    # Whether a server chooses its port and writes it to its standard output once it listens.
    tells_port = False

    def __init__(self, work: Path, language: str, hidden: Iterable[Path]) -> None:
        """Compiles the client below `work`.

        Variables that begin with the name of the language are kept from contenders, and folders
        that are `hidden` from the report.
        """
        self.client = work / "client"
        self.scratch = work / "scratch"
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.hidden = [*hidden, Path.cwd()]
        self.surroundings = {
            name: value for name, value in os.environ.items() if not name.startswith(language)
        }
        compile_client(self.client)

    def has(self, setup: Setup) -> bool:
        """Whether what a set-up needs could be installed."""
        raise NotImplementedError

    def command(self, setup: Setup, *more: str) -> list[str]:
        """What starts a set-up; `more` comes before the words that choose it."""
        raise NotImplementedError

    def is_sum(self, answer: dict[str, Any], result: int) -> bool:
        """Whether the result of a call says what the tool should."""
        raise NotImplementedError

    def run_client(self, *arguments: str) -> dict[str, Any]:
        """Runs the client; raises what it, or the server before it, had to say."""
        return self.run([str(self.client), *arguments])

    def run(self, command: list[str], folder: Path | None = None) -> dict[str, Any]:
        """Runs a program that writes one object of JSON, which is given."""
        log = self.scratch / "stderr"
        with log.open("wb") as stderr:
            try:
                done = subprocess.run(
                    command,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    env=self.surroundings,
                    timeout=6 * PATIENCE,
                )
            except subprocess.TimeoutExpired:
                raise Failure(f"no end after {6 * PATIENCE} s") from None
        if done.returncode != 0:
            kind = Unable if done.returncode == UNABLE else Failure
            raise kind(self.tail(log) or f"ended with code {done.returncode}")
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    def check_lines(self, answers: Path, count: int) -> None:
        """Every call was answered once and rightly: the sum of its own number and 2."""
        lines = answers.read_bytes().splitlines()
        if len(lines) != count:
            raise Failure(f"{len(lines)} answers instead of {count}")
        seen = set()
        for line in lines:
            message = json.loads(line)
            number = message.get("id") if isinstance(message, dict) else None
            self.check_message(message, number, number + 2 if isinstance(number, int) else 0)
            seen.add(number)
        if seen != set(range(1, count + 1)):
            raise Failure("some calls were answered twice and others never")

    def check_message(self, message: Any, number: object, result: int) -> None:
        """One answer has the right number and says the right sum."""
        if not isinstance(message, dict):
            raise Failure(f"not an answer: {str(message)[:300]}")
        answer = message.get("result", {})
        if (
            message.get("id") != number
            or answer.get("isError")
            or not answer.get("content")
            or not self.is_sum(answer, result)
        ):
            raise Failure(f"a wrong answer: {json.dumps(message)[:300]}")

    def tail(self, log: Path) -> str:
        """The last lines that a program wrote, without the folders of this machine.

        Where in JavaScript an error happened takes many lines, and says less than the one before.
        """
        text = log.read_text(errors="replace").strip()
        for folder in self.hidden:
            text = text.replace(str(folder) + os.sep, "")
        lines = [line for line in text.splitlines() if not line.startswith("    at ")]
        return "\n".join(lines[-6:])
