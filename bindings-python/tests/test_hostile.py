"""Whatever a client sends, a server in Python answers as it must, and lives on."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from hostile.cases import Case, load
from hostile.judge import Played, judge
from hostile.messages import WrongError
from hostile.player import Feed, lines, messages, pieces, play, play_over_pipes

CASES = load()
STREAMS = [case for case in CASES if case.is_stream]


def failures(cases: list[Case], outcomes: list[Played | WrongError]) -> list[str]:
    """One line for each case that failed."""
    found = []
    for case, outcome in zip(cases, outcomes, strict=True):
        try:
            if isinstance(outcome, WrongError):
                raise outcome
            judge(case, outcome)
        except WrongError as error:
            found.append(f"{case.id}: {error}")
    return found


@pytest.mark.parametrize("feed", [messages, lines, pieces], ids=lambda feed: feed.__name__)
def test_every_case_gets_the_answer_that_it_must_get(feed: Feed) -> None:
    cases = [case for case in CASES if feed is not messages or not case.is_stream]
    assert failures(cases, [play(case, feed) for case in cases]) == []


def over_pipes() -> list[Case]:
    """Every case about framing, and of the others one of each group; all of them if told so."""
    if os.environ.get("MCPLITE_HOSTILE") == "all":
        return CASES
    first_of_group = {case.group: case for case in reversed(CASES)}
    return [case for case in CASES if case.is_stream or first_of_group[case.group] is case]


def test_a_process_answers_over_its_pipes_and_ends_well() -> None:
    cases = over_pipes()
    assert len(cases) > len(STREAMS) > 0

    def outcome(case: Case) -> Played | WrongError:
        try:
            return play_over_pipes(case)
        except WrongError as error:
            return error

    with ThreadPoolExecutor(2) as pool:
        assert failures(cases, list(pool.map(outcome, cases))) == []
