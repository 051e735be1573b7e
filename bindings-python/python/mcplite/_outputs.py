"""Return annotations: what of them becomes an output schema."""

from __future__ import annotations

from ._hints import Walk, form_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

_AWAITABLES = frozenset(("Awaitable", "Coroutine", "Future", "Task"))
_STREAMS = frozenset(("Iterator", "Generator", "AsyncIterator", "AsyncGenerator", "AsyncIterable"))
_OPEN_FORMS = frozenset(("Any", "Never", "NoReturn", "LiteralString", "Self"))
_SILENT = (str, bytes, bytearray, object, type(None))


def describe(walk: Walk, hint: Any) -> tuple[bool, Schema | None, bool]:
    """Whether the result is awaited, its output schema, and whether it has to be wrapped."""
    hint = _resolved(walk, hint)
    origin = getattr(hint, "__origin__", None)
    is_awaitable = False
    if getattr(origin, "__name__", "") in _AWAITABLES:
        is_awaitable = True
        hint = _resolved(walk, hint.__args__[-1])
    if _is_silent(walk, hint) or _has_content(walk, hint):
        return is_awaitable, None, False
    shape = walk.shape(hint)
    schema = shape.with_null()
    if not schema:
        return is_awaitable, None, False
    rooted = walk.rooted(schema)
    if rooted.get("type") == "object" and not _has_other_keys(rooted):
        return is_awaitable, rooted, False
    wrapped = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    return is_awaitable, walk.rooted(wrapped), True


def _resolved(walk: Walk, hint: Any) -> Any:
    while True:
        if type(hint) is str:
            hint = walk.scope.evaluate(hint)
        elif form_of(hint) == "ForwardRef":
            hint = hint.__forward_arg__
        elif form_of(hint) == "TypeAliasType":
            hint = hint.__value__
        else:
            return hint


def _is_silent(walk: Walk, hint: Any) -> bool:
    """Whether a hint says no more than that there is text, bytes, something or nothing."""
    hint = _resolved(walk, hint)
    if hint is None or any(hint is silent for silent in _SILENT):
        return True
    form = form_of(hint)
    if form in _OPEN_FORMS:
        return True
    if form == "Union":
        return all(_is_silent(walk, arg) for arg in hint.__args__)
    if hasattr(hint, "__metadata__"):
        return _is_silent(walk, hint.__origin__)
    origin = getattr(hint, "__origin__", hint)
    return (
        getattr(origin, "__module__", "") == "collections.abc"
        and getattr(origin, "__name__", "") in _STREAMS
    )


def _has_content(walk: Walk, hint: Any) -> bool:
    """Whether content is in a hint, directly or in a list, a tuple or a union."""
    hint = _resolved(walk, hint)
    if getattr(hint, "__mcp_content__", False):
        return True
    if hasattr(hint, "__metadata__"):
        return _has_content(walk, hint.__origin__)
    origin = getattr(hint, "__origin__", None)
    if form_of(hint) == "Union" or (
        isinstance(origin, type) and not issubclass(origin, dict) and origin.__name__ != "Mapping"
    ):
        args = getattr(hint, "__args__", ())
        return any(_has_content(walk, arg) for arg in args if arg is not Ellipsis)
    return False


def _has_other_keys(schema: Schema) -> bool:
    names = schema.get("propertyNames")
    return names is not None and "enum" not in names
