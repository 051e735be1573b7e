"""What the handlers of `tests/transcripts/fixture-asking.json` do, which ask the client."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mcplite._native import Call

from .memory import Memory

LOGIN = {
    "mode": "url",
    "elicitationId": "login",
    "url": "https://example.com/login",
    "message": "Please log in.",
}


def ask_held(call: Call, question: str, memory: Memory) -> None:
    """Asks one question from outside a handler: the answer is the reply."""
    answer = call.ask(question, *_method_and_params(memory.questions[question]))
    _reply_or_end(call, answer)


def _ask(item: dict[str, Any], call: Call, memory: Memory) -> None:
    _reply_or_end(call, _ask_all(item, call, memory))


def _ask_and_let_go(item: dict[str, Any], call: Call, memory: Memory) -> None:
    answers = _ask_all(item, call, memory)
    if answers is not None:
        call.reply_text(answers)


def _ask_if_possible(item: dict[str, Any], call: Call, memory: Memory) -> None:
    is_possible = all(call.can_ask(*question) for _, *question in _questions(item, memory))
    answers = _ask_all(item, call, memory)
    _reply_or_end(call, "nobody to ask" if answers is None and not is_possible else answers)


def _ask_rounds(item: dict[str, Any], call: Call, memory: Memory) -> None:
    wanted = call.arguments.get("rounds", 2)
    number = int(call.kept_text or "0")
    call.progress(number, wanted)
    ((key, method, params),) = _questions(item, memory)
    while number < wanted:
        if call.ask(f"{key}-{number}", method, params) is None:
            call.keep_text(str(number))
            return call.reply_asked()
        number += 1
    call.reply_text(f"{wanted} rounds")


def _ask_then_hold(item: dict[str, Any], call: Call, memory: Memory) -> None:
    if _ask_all(item, call, memory) is None:
        call.reply_asked()
    else:
        memory.hold(call)


def _log_in(item: dict[str, Any], call: Call, memory: Memory) -> None:
    if "login" in memory.elicited:
        call.reply_text("logged in")
    else:
        call.fail("url-elicitation-required", "log in first", {"elicitations": [LOGIN]})


BEHAVIOURS: dict[str, Callable[[dict[str, Any], Call, Memory], None]] = {
    "ask": _ask,
    "ask-and-let-go": _ask_and_let_go,
    "ask-if-possible": _ask_if_possible,
    "ask-rounds": _ask_rounds,
    "ask-then-hold": _ask_then_hold,
    "log-in": _log_in,
}


def _reply_or_end(call: Call, answer: str | None) -> None:
    if answer is None:
        call.reply_asked()
    else:
        call.reply_text(answer)


def _ask_all(item: dict[str, Any], call: Call, memory: Memory) -> str | None:
    """The answers to everything that the item asks, if all are there."""
    answers = [call.ask(*question) for question in _questions(item, memory)]
    given = [answer for answer in answers if answer is not None]
    return " ".join(given) if len(given) == len(answers) else None


def _questions(item: dict[str, Any], memory: Memory) -> list[tuple[str, str, str]]:
    """Key, method and parameters of each question."""
    return [
        (key, *_method_and_params(memory.questions[name])) for key, name in item["asks"].items()
    ]


def _method_and_params(question: dict[str, Any]) -> tuple[str, str]:
    params = question.get("params")
    written = "" if params is None else json.dumps(params, separators=(",", ":"))
    return question["method"], written
