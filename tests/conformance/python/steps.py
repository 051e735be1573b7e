"""What a handler does, step by step; ../README.md has the vocabulary."""

from __future__ import annotations

import base64
from collections.abc import Callable, Generator
from typing import Any

from mcplite import (
    Completion,
    Context,
    MissingCapabilityError,
    PromptResult,
    ResourceContents,
    ToolResult,
)

from placeholders import fill_in

# What has to be waited for, an answer of the client or seconds; in the end the value of the handler.
Steps = Generator[Any, None, Any]


class Attempt:
    """One attempt at answering a call."""

    def __init__(self, said: dict[str, Any], item: dict[str, Any], ctx: Context) -> None:
        self.questions = said["questions"]
        self.item = item
        self.ctx = ctx
        self.known = {
            "constants": said["constants"],
            "arguments": ctx.arguments or {},
            "answers": {},
        }

    def steps(self) -> Steps:
        """Takes the steps from the first, until one of them answers."""
        for step in self.item["steps"]:
            value = yield from TAKE[step["does"]](self, step)
            if value is not None:
                return value
        raise ValueError("no step answers")

    def say(self, step: dict[str, Any]) -> Steps:
        yield from ()
        return fill_in(step["text"], self.known)

    def give_result(self, step: dict[str, Any]) -> Steps:
        yield from ()
        return RESULTS[self.item["kind"]](fill_in(step["result"], self.known))

    def tell_progress(self, step: dict[str, Any]) -> Steps:
        yield from ()
        self.ctx.progress(step["progress"], step["total"], step["message"])

    def write_log(self, step: dict[str, Any]) -> Steps:
        yield from ()
        self.ctx.log(step["level"], step["text"])

    def wait(self, step: dict[str, Any]) -> Steps:
        yield step["ms"] / 1000

    def ask(self, step: dict[str, Any]) -> Steps:
        """Asks everything before it waits for the first answer: that makes it one round."""
        names = step["questions"]
        answers = {key: self._ask_one(key, self.questions[name]) for key, name in names.items()}
        for key, answer in answers.items():
            yield answer
            self.known["answers"][key] = answer.raw

    def ask_if_possible(self, step: dict[str, Any]) -> Steps:
        names = step["questions"]
        possible = {
            key: name
            for key, name in names.items()
            if self._can_ask(self.questions[name]["method"])
        }
        yield from self.ask({"questions": possible})

    def keep(self, step: dict[str, Any]) -> Steps:
        yield from ()
        self.known["state"] = self.ctx.once("state", lambda: step["state"])

    def need(self, step: dict[str, Any]) -> Steps:
        yield from ()
        if not self._can_ask(step["method"]):
            raise MissingCapabilityError(step["capabilities"])

    def close_stream(self, _step: dict[str, Any]) -> Steps:
        yield from ()
        self.ctx.close_stream()

    def tell_list_changed(self, step: dict[str, Any]) -> Steps:
        yield from ()
        self.ctx.server.notify_list_changed(step["list"].removesuffix("s"))

    def _can_ask(self, method: str) -> bool:
        return {
            "elicitation/create": self.ctx.can_elicit,
            "sampling/createMessage": self.ctx.can_sample,
            "roots/list": self.ctx.can_list_roots,
        }[method]()

    def _ask_one(self, key: str, question: dict[str, Any]) -> Any:
        params = fill_in(question["params"], self.known)
        match question["method"]:
            case "elicitation/create":
                return self.ctx.elicit(params["message"], params["requestedSchema"], key=key)
            case "sampling/createMessage":
                return self.ctx.sample(params["messages"], max_tokens=params["maxTokens"], key=key)
            case "roots/list":
                return self.ctx.roots(key=key)
            case method:
                raise ValueError(f"nobody asks {method}")


TAKE: dict[str, Callable[[Attempt, dict[str, Any]], Steps]] = {
    "say": Attempt.say,
    "result": Attempt.give_result,
    "progress": Attempt.tell_progress,
    "log": Attempt.write_log,
    "wait": Attempt.wait,
    "ask": Attempt.ask,
    "ask-if-possible": Attempt.ask_if_possible,
    "keep": Attempt.keep,
    "need": Attempt.need,
    "close-stream": Attempt.close_stream,
    "list-changed": Attempt.tell_list_changed,
}


def contents(result: dict[str, Any]) -> list[ResourceContents]:
    return [
        ResourceContents(
            part["text"] if "text" in part else base64.b64decode(part["blob"]),
            uri=part["uri"],
            mime_type=part["mimeType"],
        )
        for part in result["contents"]
    ]


def completion(result: dict[str, Any]) -> Completion:
    found = result["completion"]
    return Completion(found["values"], found["total"], found["hasMore"])


# Results of the specification as what handlers return.
RESULTS: dict[str, Callable[[dict[str, Any]], object]] = {
    "tool": lambda result: ToolResult(result["content"], is_error=result.get("isError", False)),
    "resource": contents,
    "template": contents,
    "prompt": lambda result: PromptResult(result["messages"]),
    "completion": completion,
}
