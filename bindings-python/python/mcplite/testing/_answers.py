"""What the client answers when the server asks: forms, samples, roots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import ErrorCode, McpError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ACTIONS = ("accept", "decline", "cancel")


class Answers:
    """The answers of a client, each a value or a function that makes one."""

    __slots__ = ("_elicit", "_roots", "_sample")

    def __init__(self, elicit: object, sample: object, roots: object) -> None:
        self._elicit = elicit
        self._sample = sample
        self._roots = roots

    def capabilities(self) -> dict[str, Any]:
        """Gives the capabilities of a client that has these answers."""
        capabilities: dict[str, Any] = {}
        if self._elicit is not None:
            capabilities["elicitation"] = {"form": {}, "url": {}}
        if self._sample is not None:
            capabilities["sampling"] = {"tools": {}}
        if self._roots is not None:
            capabilities["roots"] = {}
        return capabilities

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """Gives the answer as the test wrote it; an awaitable if it wrote a coroutine function."""
        if method == "elicitation/create":
            return _made("on_elicit", method, self._elicit, params)
        if method == "sampling/createMessage":
            return _made("on_sample", method, self._sample, params)
        if method == "roots/list":
            return _made("on_roots", method, self._roots)
        raise McpError(ErrorCode.METHOD_NOT_FOUND, f"the test client does not know {method}")

    def shape(self, method: str, params: Mapping[str, Any], answer: Any) -> dict[str, Any]:
        """Makes an answer the object that the specification asks for."""
        if method == "elicitation/create":
            return _elicited(params, answer)
        if method == "sampling/createMessage":
            return _sampled(answer)
        return _rooted(answer)


def _made(option: str, method: str, answer: object, *params: object) -> Any:
    if answer is None:
        raise McpError(
            ErrorCode.METHOD_NOT_FOUND, f"the server asked for {method}: give the client {option}="
        )
    return answer(*params) if callable(answer) else answer


def _elicited(params: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    if isinstance(answer, Mapping):
        if answer.get("action") in _ACTIONS:
            return dict(answer)
        return {"action": "accept", "content": dict(answer)}
    if answer in _ACTIONS:
        return {"action": answer}
    if params.get("mode") == "url":
        return {"action": "accept" if answer else "decline"}
    fields = list(params.get("requestedSchema", {}).get("properties", {}))
    if answer is None or len(fields) != 1:
        raise TypeError(
            f"on_elicit gave {answer!r} for the form with the fields {fields}: "
            "give a dict of their values, or 'decline' or 'cancel'"
        )
    return {"action": "accept", "content": {fields[0]: answer}}


def _sampled(answer: Any) -> dict[str, Any]:
    if isinstance(answer, str):
        answer = {"type": "text", "text": answer}
    elif hasattr(answer, "block"):
        answer = answer.block()
    if isinstance(answer, list):
        answer = {"content": answer}
    if not isinstance(answer, Mapping):
        kind = type(answer).__name__
        raise TypeError(f"on_sample gives a str, content or a dict, not {kind}")
    if "content" not in answer:
        answer = {"content": answer}
    return {"role": "assistant", "model": "test", "stopReason": "endTurn", **answer}


def _rooted(answer: Any) -> dict[str, Any]:
    if isinstance(answer, Mapping) and "roots" in answer:
        return dict(answer)
    if isinstance(answer, str) or not isinstance(answer, Iterable):
        raise TypeError("on_roots gives a list of URIs, or of dicts with uri and name")
    return {"roots": [{"uri": root} if isinstance(root, str) else root for root in answer]}
