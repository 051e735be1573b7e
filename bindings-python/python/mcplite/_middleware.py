"""Middleware: functions around every request."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .context import Context

# A name that no parameter of a tool has.
CONTEXT = "_mcplite_context"


class Request:
    """A request on its way to whoever answers it.

    `arguments` are those that the handler will be called with; middleware may change them. Where
    the engine answers they are the params, and the engine does not look at them again.
    """

    __slots__ = ("arguments", "context")

    def __init__(self, context: Context, arguments: dict[str, Any]) -> None:
        self.context = context
        self.arguments = arguments

    @property
    def method(self) -> str:
        """The method, such as `tools/call`."""
        return self.context.method

    @property
    def name(self) -> str:
        """The tool, prompt or URI; empty where the request is about nothing of that kind."""
        return self.context.name

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.name}>"


class Passed:
    """What middleware gives for a request that the engine answers."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def layered(
    call: Callable[[Request], Any],
    is_async: bool,
    layers: Sequence[tuple[Callable[..., Any], bool]],
) -> tuple[Callable[[Request], Any], bool]:
    """Puts layers around a handler, the first outermost; says whether the whole is async.

    Each layer is a function of the request and of what calls the next one, and says whether it is
    async itself. An async layer makes everything inside of it awaitable.
    """
    inner, inner_is_async = call, is_async
    for layer, layer_is_async in reversed(layers):
        if layer_is_async and not inner_is_async:
            inner, inner_is_async = _in_thread(inner), True
        around = _layer(layer, inner)
        inner = _settled(around) if inner_is_async and not layer_is_async else around
        inner_is_async = inner_is_async or layer_is_async
    return inner, inner_is_async


def surround(
    call: Callable[[Request], Any],
    is_async: bool,
    layers: Sequence[tuple[Callable[..., Any], bool]],
) -> tuple[Callable[..., Any], bool]:
    """The same as a function that the engine calls with arguments and context."""
    inner, inner_is_async = layered(call, is_async, layers)

    def run(**arguments: Any) -> Any:
        context = arguments.pop(CONTEXT)
        return inner(Request(context, arguments))

    return run, inner_is_async


def around_engine(
    layers: Sequence[tuple[Callable[..., Any], bool]],
) -> tuple[Callable[[Request], Any], bool]:
    """Puts layers around what the engine answers; says whether the whole is async."""
    innermost_is_async = layers[-1][1]
    # The engine does not hold up the loop, so that async layers need no thread for it.
    call = _ask_engine_later if innermost_is_async else _ask_engine
    return layered(call, innermost_is_async, layers)


def _ask_engine(request: Request) -> dict[str, Any]:
    return request.context._call.engine_answer()


async def _ask_engine_later(request: Request) -> dict[str, Any]:
    return request.context._call.engine_answer()


def _layer(layer: Callable[..., Any], inner: Callable[[Request], Any]) -> Callable[[Request], Any]:
    def run(request: Request) -> Any:
        def call_next(changed: Request | None = None) -> Any:
            return inner(request if changed is None else changed)

        return layer(request, call_next)

    return run


def _settled(layer: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """A `def` layer around something async passes on what to await, or answers in its place."""

    async def run(request: Request) -> Any:
        given = layer(request)
        return await given if hasattr(given, "__await__") else given

    return run


def _in_thread(inner: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """A `def` handler under `async def` middleware must not hold up the loop."""

    async def run(request: Request) -> Any:
        from asyncio import to_thread

        from ._native import Asked

        def call() -> tuple[bool, Any]:
            try:
                return True, inner(request)
            except Asked:
                # It is no exception that a future could carry.
                return False, None

        context = request.context
        # Inside it is a `def` handler like any other, which asks without waiting.
        host, context._host = context._host, None
        try:
            is_done, value = await to_thread(call)
        finally:
            context._host = host
        if not is_done:
            raise Asked
        return value

    return run
