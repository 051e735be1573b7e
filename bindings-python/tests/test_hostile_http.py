"""Plays hostile HTTP requests against a server in Python; `tests/adversarial` has the rules.

The cases that are given in words need a server that a test holds by its hand, and are played on the
same listener elsewhere.
"""

from __future__ import annotations

import importlib
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[1] / "tests" / "adversarial"
PLAYERS = 4


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program that plays the cases, as a module."""
    monkeypatch.syspath_prepend(str(SHARED))
    return importlib.import_module("http_run")


@pytest.fixture
def stages(runner: Any, tmp_path: Path) -> Iterator[list[Any]]:
    """Servers for several players at once, who mostly wait whether something more is said."""
    program = tmp_path / "server"
    source = HERE / "hostile" / "http_server.py"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{source}" "$@" 2>/dev/null\n', "utf-8")
    program.chmod(0o755)
    made = [runner.Stage(None) for _ in range(PLAYERS)]
    for stage in made:
        stage.binaries["http_server.c"] = program
    yield made
    for stage in made:
        assert stage.end() == []


def test_every_request_gets_the_answer_that_it_must_get(runner: Any, stages: list[Any]) -> None:
    lines = [line for name in runner.FILES for line in (SHARED / name).read_text().splitlines()]
    cases = [case for case in map(json.loads, lines) if case["id"] not in runner.WORDS]
    assert len(cases) > 200, "the corpus is there"

    def play(number: int) -> dict[str, str]:
        stage, complaints = stages[number], {}
        for case in cases[number::PLAYERS]:
            for how, way in runner.plays(case, stage).items():
                complaints[case["id"] + how] = runner.attempt(way, stage)
        return {name: complaint for name, complaint in complaints.items() if complaint}

    with ThreadPoolExecutor(PLAYERS) as pool:
        assert list(pool.map(play, range(PLAYERS))) == [{}] * PLAYERS
