"""What the handlers of `tests/transcripts/fixture.json` do, a few lines for each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mcplite._native import Call, Raw

from . import asking
from .memory import PNG, WAV, Memory, text_argument

Behaviour = Callable[[Call, Memory], None]


def handler(item: dict[str, Any], memory: Memory) -> Callable[[Call], None]:
    """The function that answers the calls of an item; `does` names it."""
    does = item["does"]
    if does in _BEHAVIOURS:
        behaviour = _BEHAVIOURS[does]
        return lambda call: behaviour(call, memory)
    asks = asking.BEHAVIOURS[does]
    return lambda call: asks(item, call, memory)


def _echo(call: Call, memory: Memory) -> None:
    text = call.arguments.get("text")
    if isinstance(text, str):
        call.reply_text(text)
    else:
        call.fail("invalid-arguments", "text is missing or of the wrong type")


def _add(call: Call, memory: Memory) -> None:
    total = float(call.arguments["a"]) + float(call.arguments["b"])
    if not math.isfinite(total):
        return call.fail("tool-failed", "the sum is too large")
    call.set_structured({"sum": total})
    call.add_text(str(int(total)) if total.is_integer() else repr(total))
    call.reply()


def _content(call: Call, memory: Memory) -> None:
    call.add_text('text é \U0001f600 "quoted"\n')
    call.add_media("image/png", PNG)
    call.add_media("audio/wav", WAV)
    call.add_media("application/pdf", b"%PDF")
    call.add_resource("test://embedded", "text/plain", b"embedded")
    call.add_link("test://static", "static", "text/plain")
    call.set_meta(Raw('{"com.example/own": [1, 2]}'))
    call.reply()


def _blocks(call: Call, memory: Memory) -> None:
    annotations = {"audience": ["user"], "priority": 1, "lastModified": "2026-01-01T00:00:00Z"}
    meta = {"com.example/a": 1}
    call.add_block({"type": "text", "text": "a", "annotations": annotations, "_meta": meta})
    call.add_block({"type": "audio", "data": "AA==", "mimeType": "audio/wav"})
    link = {"type": "resource_link", "uri": "test://static", "name": "static", "title": "Static"}
    call.add_block(link | {"size": 11, "icons": [{"src": "https://example.com/i.png"}]})
    inner = {"uri": "test://e", "mimeType": "text/plain", "text": "e"}
    call.add_block({"type": "resource", "resource": inner | {"_meta": {"com.example/e": 1}}})
    call.reply()


def _result(call: Call, memory: Memory) -> None:
    call.reply_result(
        {
            "content": [{"type": "text", "text": "whole"}],
            "structuredContent": {"n": 1},
            "isError": False,
            "_meta": {"com.example/own": True},
        }
    )


def _progress(call: Call, memory: Memory) -> None:
    call.progress(0.0, 100.0, "starting")
    call.progress(50.0, 100.0)
    call.progress(100.0, None, "done")
    call.reply_text("progressed")


def _log(call: Call, memory: Memory) -> None:
    call.log("debug", "in detail", "fixture")
    call.log("info", "in general")
    call.log("error", Raw('{"code": 7}'), "fixture")
    call.reply_text("logged")


def _whoami(call: Call, memory: Memory) -> None:
    call.set_structured(
        {
            "method": call.method,
            "name": call.name,
            "revision": call.revision,
            "client": call.client_info,
            "capabilities": call.client_capabilities,
            "traceparent": (call.meta or {}).get("traceparent", ""),
            "principal": call.principal or "",
        }
    )
    call.reply()


def _greet(call: Call, memory: Memory) -> None:
    call.set_description("A greeting")
    call.reply_text(f"{text_argument(call, 'style', 'Hello')}, {text_argument(call, 'name')}!")


def _talk(call: Call, memory: Memory) -> None:
    call.add_text("What is this?")
    call.add_media("image/png", PNG)
    call.set_role("assistant")
    call.add_link("test://static", "static")
    call.add_media("audio/wav", WAV)
    call.reply()


def _styles(call: Call, memory: Memory) -> None:
    start = text_argument(call, "value")
    styles = [style for style in ("hello", "hey", "hi") if style.startswith(start)]
    for style in styles:
        call.add_text(style)
    call.set_total(len(styles))
    call.set_has_more(False)
    call.reply()


def _ids(call: Call, memory: Memory) -> None:
    call.add_text(call.arguments.get("arguments", {}).get("prefix", "none"))
    for number in range(120):
        call.add_text(str(number))
    call.reply()


def _remember(call: Call, memory: Memory) -> None:
    memory.last = call.arguments_json


_WITH_DATA: dict[str, tuple[str, object]] = {
    "missing-capability": ("sampling is needed", {"requiredCapabilities": {"sampling": {}}}),
    "unsupported-revision": ("", {"supported": ["2026-07-28"], "requested": "1999-01-01"}),
}


def _fail_as(call: Call, memory: Memory) -> None:
    code = call.arguments.get("code")
    if code is not None:
        return call.fail(code, "own words", {"elicitations": []})
    kind = text_argument(call, "kind")
    text, data = _WITH_DATA.get(kind, ("own words", None))
    call.fail(kind, text, data)


_BEHAVIOURS: dict[str, Behaviour] = {
    "echo": _echo,
    "add": _add,
    "list": lambda call, _: call.reply_structured([1, 2, 3]),
    "fail": lambda call, _: call.fail("tool-failed", "it broke", None, "at fail (fixture)"),
    "fail-as": _fail_as,
    "content": _content,
    "blocks": _blocks,
    "result": _result,
    "progress": _progress,
    "log": _log,
    "hold": lambda call, memory: memory.hold(call),
    "silent": lambda call, _: None,
    "whoami": _whoami,
    "read": lambda call, _: call.reply_text(f"{call.name} {call.arguments_json}"),
    "gone": lambda call, _: call.fail("resource-not-found", "it is gone"),
    "greet": _greet,
    "talk": _talk,
    "styles": _styles,
    "ids": _ids,
    "reflect": lambda call, _: call.reply_result({"params": Raw(call.arguments_json)}),
    "nothing": lambda call, _: call.reply_result({}),
    "no-tools": lambda call, _: call.reply_result({"tools": []}),
    "remember": _remember,
    "recall": lambda call, memory: call.reply_result({"last": Raw(memory.last)}),
}
