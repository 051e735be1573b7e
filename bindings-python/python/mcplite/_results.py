"""From what a handler returned to the answer that its client gets.

The native layer answers the frequent cases itself: text and nothing, and values with an output
schema. The rest comes here. `call.method` says what kind of answer it has to be.
"""

from __future__ import annotations

# What `collections.abc` is made of, and loaded already.
from _collections_abc import Iterable

from . import _native
from ._middleware import Passed
from .content import (
    Completion,
    Content,
    EmbeddedResource,
    Message,
    PromptResult,
    ResourceContents,
    ResourceLink,
    Text,
    ToolResult,
    _Media,
    _Part,
    as_message,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeGuard

    from .content import Block

_BYTES = (bytes, bytearray, memoryview)
_MAX_VALUES = 100


def answer(call: _native.Call, value: object) -> None:
    """Answers a call with what its handler returned, or raises TypeError if that cannot be sent."""
    if isinstance(value, Passed):
        _answer_passed(call, value.value)
    else:
        _ANSWERS.get(call.method, _answer_custom)(call, value)


def _answer_passed(call: _native.Call, value: object) -> None:
    """Answers in the engine's place, with the result that it gave or with one like it."""
    if not call.is_open:
        # Cancelled, or a stream has taken its place.
        return
    member = _MEMBERS.get(call.method)
    if isinstance(value, dict) and (member is None or member in value):
        _send(call, call.reply_result, value)
    elif call.method in _ANSWERS:
        _ANSWERS[call.method](call, value)
    elif member is None and value is None:
        call.reply_result({})
    else:
        raise TypeError(
            f"middleware returned {type(value).__name__} for {call.method}: "
            "return the dict that call_next() gave, or raise"
        )


def _answer_tool(call: _native.Call, value: object) -> None:
    if value is None:
        call.reply()
    elif isinstance(value, str):
        call.reply_text(value)
    elif isinstance(value, ToolResult):
        _answer_tool_result(call, value)
    elif isinstance(value, (Content, *_BYTES)):
        _add_part(call, value)
        call.reply()
    elif _is_list(value) and _has_blocks(value):
        for part in value:
            _add_part(call, part)
        call.reply()
    elif isinstance(value, dict):
        _send(call, call.reply_structured, value)
    elif isinstance(value, (int, float)) or _is_list(value):
        call.reply_text(_dumps(call, value))
    else:
        made = _plain(call, value)
        if isinstance(made, dict):
            call.reply_structured(made)
        else:
            call.reply_text(made if isinstance(made, str) else _native.dumps(made))


def _is_list(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    # Named tuples are objects with members.
    return isinstance(value, (list, tuple)) and not hasattr(value, "_fields")


def _has_blocks(values: list[object] | tuple[object, ...]) -> bool:
    """Tells whether a list is one of blocks: texts only, or anything with content among it."""
    if any(isinstance(value, (Content, *_BYTES)) for value in values):
        return True
    # An empty list is a value, not the lack of one: the model reads `[]`.
    return bool(values) and all(isinstance(value, str) for value in values)


def _add_part(call: _native.Call, part: object) -> None:
    """Adds one block to the answer of a tool. Plain values become JSON text."""
    if isinstance(part, str):
        call.add_text(part)
    elif isinstance(part, Content):
        _add_content(call, part)
    elif isinstance(part, _BYTES):
        from ._media import type_of_bytes

        data = bytes(part)
        call.add_media(type_of_bytes(data) or "application/octet-stream", data)
    else:
        call.add_text(_dumps(call, part))


def _add_block(call: _native.Call, block: Block) -> None:
    if isinstance(block, Content):
        _add_content(call, block)
    else:
        call.add_block(dict(block))


def _add_content(call: _native.Call, content: Content) -> None:
    if content.annotations is None and content.meta is None:
        if isinstance(content, Text):
            return call.add_text(content.text)
        if isinstance(content, _Media):
            return call.add_media(content.mime_type, content.data)
    call.add_block(content.block())


def _answer_tool_result(call: _native.Call, result: ToolResult) -> None:
    if result.is_error:
        return _send(call, call.reply_result, result.block())
    for block in result.content:
        _add_block(call, block)
    if result.structured is not None:
        _send(call, call.set_structured, result.structured)
    if result.meta is not None:
        call.set_meta(result.meta)
    call.reply()


def _answer_resource(call: _native.Call, value: object) -> None:
    if value is None:
        raise TypeError(
            f"the resource {call.name!r} returned None: "
            "return its contents, or raise NotFoundError if there are none"
        )
    parts: Iterable[object] = (value,)
    if _is_list(value):
        kinds = (Content, ResourceContents, *_BYTES)
        if any(isinstance(part, kinds) for part in value):
            parts = value
    for part in parts:
        _add_contents(call, part)
    call.reply()


def _add_contents(call: _native.Call, part: object) -> None:
    if isinstance(part, str):
        call.add_text(part)
    elif isinstance(part, _BYTES):
        call.add_contents(part)
    elif isinstance(part, ResourceContents):
        if part.uri is None and part.mime_type is None and part.meta is None:
            _add_contents(call, part.contents)
        else:
            call.add_block(part.block(call.name))
    elif isinstance(part, Text):
        call.add_text(part.text)
    elif isinstance(part, _Media):
        call.add_media(part.mime_type, part.data)
    elif isinstance(part, EmbeddedResource):
        call.add_block(part.block()["resource"])
    elif isinstance(part, ResourceLink):
        raise _refusal(call, part, "a resource has contents, not links")
    else:
        call.add_text(_dumps(call, part))


def _answer_prompt(call: _native.Call, value: object) -> None:
    if isinstance(value, dict) and "messages" in value:
        return call.reply_result(value)
    if isinstance(value, PromptResult):
        if value.description is not None:
            call.set_description(value.description)
        if value.meta is not None:
            call.set_meta(value.meta)
        messages: list[Message] = value.messages
    else:
        given = value if _is_list(value) else (value,)
        try:
            messages = [as_message(part) for part in given]
        except TypeError as error:
            raise _refusal(call, value, str(error)) from None
    for message in messages:
        call.set_role(message.role)
        content = message.content
        for block in content if isinstance(content, list) else [content]:
            _add_block(call, block)
    call.reply()


def _answer_completion(call: _native.Call, value: object) -> None:
    if isinstance(value, Completion):
        total, has_more, values = value.total, value.has_more, iter(value.values)
    else:
        total, has_more, values = None, None, _suggestions(call, value)
        if isinstance(value, (list, tuple, set, frozenset)) and len(value) > _MAX_VALUES:
            total = len(value)
    if total is not None:
        call.set_total(total)
    if has_more is not None:
        call.set_has_more(has_more)
    # One more than is sent, so that the engine says that there are more. Iterators may be endless.
    for suggestion, _ in zip(values, range(_MAX_VALUES + 1), strict=False):
        if not isinstance(suggestion, str):
            raise _refusal(call, suggestion, "suggestions are str")
        call.add_text(suggestion)
    call.reply()


def _suggestions(call: _native.Call, value: object) -> Any:
    if value is None:
        return iter(())
    if isinstance(value, str):
        return iter((value,))
    if isinstance(value, Iterable) and not isinstance(value, _BYTES):
        return iter(value)
    raise _refusal(call, value, "suggestions are a list of str, or a Completion")


def _answer_custom(call: _native.Call, value: object) -> None:
    if value is None:
        call.reply_result({})
    elif isinstance(value, dict):
        _send(call, call.reply_result, value)
    elif isinstance(value, (str, int, float)) or _is_list(value):
        _send(call, call.reply_result, {"result": value})
    else:
        made = value.block() if isinstance(value, _Part) else _plain(call, value)
        call.reply_result(made if isinstance(made, dict) else {"result": made})


_ANSWERS: dict[str, Callable[[_native.Call, object], None]] = {
    "tools/call": _answer_tool,
    "resources/read": _answer_resource,
    "prompts/get": _answer_prompt,
    "completion/complete": _answer_completion,
}

# What the results of the engine have, unless they are empty.
_MEMBERS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "resources/read": "contents",
    "prompts/list": "prompts",
    "completion/complete": "completion",
    "server/discover": "capabilities",
}

_NOUNS = {
    "tools/call": "tool",
    "resources/read": "resource",
    "prompts/get": "prompt",
    "completion/complete": "completion of",
}


def _send(call: _native.Call, send: Callable[[object], None], value: object) -> None:
    try:
        send(value)
    except TypeError as error:
        raise _refusal(call, value, str(error)) from None


def _dumps(call: _native.Call, value: object) -> str:
    try:
        return _native.dumps(value)
    except TypeError as error:
        raise _refusal(call, value, str(error)) from None


def _plain(call: _native.Call, value: object) -> Any:
    """Makes an object one that JSON has a word for."""
    from ._values import plain

    try:
        return plain(value)
    except TypeError as error:
        raise _refusal(call, value, str(error)) from None


def _refusal(call: _native.Call, value: object, why: str) -> TypeError:
    noun = _NOUNS.get(call.method, "method")
    name = call.name or call.method
    kind = type(value).__name__
    return TypeError(f"the {noun} {name!r} returned {kind}, which cannot be sent: {why}")
