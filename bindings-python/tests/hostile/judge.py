"""Whether what the server said is what a case demands, and what holds for every case."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .cases import PROBE_ID, Case
from .messages import Message, WrongError

_KNOWN = {
    *("kind", "code", "id", "alt", "text", "text_any_of", "is_error", "contains", "check"),
    *("check_all", "batch", "answered", "id_any_of", "id_token", "answered_id", "max_replies"),
    *("first", "forbid_methods", "no_output_after_response", "note", "level_note"),
}
_ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


@dataclass
class Played:
    """What the server said: to the setup, and since the input."""

    setup: list[Message] = field(default_factory=list)
    since: list[Message] = field(default_factory=list)

    @property
    def new(self) -> list[Message]:
        """What was said since the input, but for the answer to the probe."""
        return [message for message in self.since if message.id != PROBE_ID]


def is_set_up(case: Case, said: Sequence[Message]) -> bool:
    """Whether everything in the setup is answered; one that is refused proves nothing."""
    listening = 0
    answered = {_canonical(message.id): message for message in said if message.is_reply}
    for text in case.setup:
        message = json.loads(text)
        if message["method"] == "subscriptions/listen":
            listening += 1
        elif "id" in message:
            answer = answered.get(_canonical(message["id"]))
            if answer is None:
                return False
            if "result" not in answer.value:
                raise WrongError(f"the setup was refused: {answer}")
    acknowledged = [message for message in said if message.value.get("method") == _ACKNOWLEDGED]
    return len(acknowledged) == listening


def judge(case: Case, played: Played) -> None:
    """Raises `WrongError` if the case has failed."""
    expect = case.expect
    _demand(set(expect) <= _KNOWN, f"nobody checks {set(expect) - _KNOWN}")
    _demand(is_set_up(case, played.setup), "the setup is not answered")
    _judge_always(case, played)
    new = played.new
    replies = [message for message in new if message.is_reply]
    _demand(len(replies) <= expect.get("max_replies", len(replies)), f"{len(replies)} replies")
    for message in new:
        is_forbidden = message.value.get("method") in expect.get("forbid_methods", [])
        _demand(not is_forbidden, f"forbidden: {message}")
    match expect["kind"]:
        case "none":
            _demand(not new, f"nothing should be said: {new[:1]}")
        case "any_but_alive":
            _judge_free(expect, new, replies)
        case "error" | "result" if "batch" in expect:
            _judge_batch(expect["batch"], replies)
        case "error" | "result":
            _judge_reply(expect, new, replies)
        case kind:
            raise WrongError(f"the case expects {kind}")


def _judge_always(case: Case, played: Played) -> None:
    probes = [message for message in played.since if message.id == PROBE_ID]
    _demand(len(probes) == 1 and "result" in probes[0].value, f"the probe got {probes}")
    asked = sum(message.is_reply for message in played.setup)
    _demand(asked <= len(case.setup), "more answers than messages in the setup")
    answers = sum(message.is_reply for message in played.new)
    _demand(answers <= _messages_in(case.input), f"{answers} answers are too many")
    if case.is_modern:
        for message in played.setup + played.since:
            _judge_modern(case, message)


def _messages_in(data: bytes) -> int:
    """How many messages the input may count as: each line, and in a batch each element."""
    count = 0
    for line in data.split(b"\n"):
        try:
            batch = json.loads(line)
        except (ValueError, RecursionError):
            batch = None
        count += max(1, len(batch)) if isinstance(batch, list) else bool(line.strip())
    return count


def _judge_modern(case: Case, message: Message) -> None:
    _demand(not message.is_request, f"a request of the server's own: {message}")
    code = message.value.get("error", {}).get("code", 0)
    is_reserved = -32099 <= code <= -32020 and not -32022 <= code <= -32020
    _demand(not is_reserved and code != -32002, f"code {code} is forbidden")
    if "result" in message.value and "initialize" not in case.id:
        _demand("resultType" in message.value["result"], f"no resultType: {message}")


def _judge_free(expect: dict[str, Any], new: list[Message], replies: list[Message]) -> None:
    """Where the specification leaves the outcome open."""
    if expect.get("answered"):
        reply = _only(replies)
        if "id_any_of" in expect:
            _demand(_has(expect["id_any_of"], reply.id), f"the wrong id: {reply}")
        if "id_token" in expect and "result" in reply.value:
            _demand(reply.id_text == expect["id_token"], f"the id came back as {reply.id_text}")
    if "answered_id" in expect:
        _demand(_has([reply.id for reply in replies], expect["answered_id"]), "no answer")
    if "first" in expect:
        _demand(bool(new), "nothing was said")
        message, first = new[0].value, expect["first"]
        meta = message.get("params", {}).get("_meta", {})
        subscription = meta.get("io.modelcontextprotocol/subscriptionId")
        is_it = message.get("method") == first["method"]
        is_it = is_it and _same(subscription, first["subscriptionId"])
        _demand(is_it, f"the first message is {new[0]}")


def _judge_batch(batch: list[dict[str, Any]], replies: list[Message]) -> None:
    """Each expected reply once, in any order, and nothing else."""
    left = list(replies)
    for expect in batch:
        fitting = [message for message in left if _complaint(expect, message) is None]
        _demand(bool(fitting), f"missing {expect}")
        left.remove(fitting[0])
    _demand(not left, f"one too many: {left[:1]}")


def _judge_reply(expect: dict[str, Any], new: list[Message], replies: list[Message]) -> None:
    reply = _only(replies)
    complaints = [_complaint(it, reply) for it in [expect, *expect.get("alt", [])]]
    _demand(None in complaints, str(complaints[0]))
    if expect.get("no_output_after_response"):
        _demand(new[-1].is_reply, "output after the answer")


def _complaint(expect: dict[str, Any], message: Message) -> str | None:
    """What is wrong about one reply; None if it is as expected."""
    body = message.value.get(expect["kind"])
    if body is None:
        return f"no {expect['kind']}: {message}"
    wanted = expect.get("id")
    ids = wanted["any_of"] if isinstance(wanted, dict) else [wanted]
    if not _has(ids, message.id):
        return f"not the id {wanted!r}: {message}"
    codes = expect.get("code")
    if expect["kind"] == "error":
        if not _has(codes if isinstance(codes, list) else [codes], body["code"]):
            return f"not the code {codes}: {message}"
    elif "is_error" in expect and (body.get("isError") is True) != expect["is_error"]:
        return f"isError is wrong: {message}"
    texts = expect.get("text_any_of", [expect["text"]] if "text" in expect else None)
    if texts is not None and not _has(texts, body["content"][0]["text"]):
        return f"another text: {message}"
    if "contains" in expect and expect["contains"] not in json.dumps(body, ensure_ascii=False):
        return f"it does not contain {expect['contains']}: {message}"
    checks = expect.get("check_all", []) + ([expect["check"]] if "check" in expect else [])
    failed = [check for check in checks if not _fits(check, body)]
    return f"{failed[0]} does not fit: {message}" if failed else None


def _fits(check: dict[str, Any], value: Any) -> bool:
    for name in check["path"]:
        value = value.get(name) if isinstance(value, dict) else None
    kind = check.get("type")
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    kinds = {"array": isinstance(value, list), "object": isinstance(value, dict)}
    has_type = kind is None or (kinds | {"nonneg-int": is_count})[kind]
    wanted = check.get("in", [check["eq"]] if "eq" in check else [value])
    return has_type and _has(wanted, value)


def _only(replies: list[Message]) -> Message:
    _demand(len(replies) == 1, f"{len(replies)} answers")
    return replies[0]


def _has(values: list[Any], value: Any) -> bool:
    return any(_same(it, value) for it in values)


def _same(one: Any, other: Any) -> bool:
    """Whether both are the same JSON: 1 is neither true nor 1.0."""
    return _canonical(one) == _canonical(other)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _demand(holds: bool, complaint: str) -> None:
    if not holds:
        raise WrongError(complaint)
