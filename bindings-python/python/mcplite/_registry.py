"""What a server has registered, and the servers that it is mounted in."""

from __future__ import annotations

from . import _native
from ._items import Registered, engine_handler
from .errors import ExistsError, MisuseError, UnknownItemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    from ._items import Layers
    from .server import Server

    F = TypeVar("F", bound=Callable[..., Any])


class Registry:
    """What a server has registered. `Server` is the class to use."""

    def __init__(self, native: _native.Server) -> None:
        self.tools: dict[str, Registered] = {}
        self.resources: dict[str, Registered] = {}
        self.templates: dict[str, Registered] = {}
        self.prompts: dict[str, Registered] = {}
        self._completions: dict[str, Registered] = {}
        self._methods: dict[str, Registered] = {}
        self._native = native
        self._layers: Layers = []
        self._mounted_at: list[tuple[Server, str]] = []
        self._has_async = False

    @property
    def _server(self) -> Server:
        raise NotImplementedError

    def mount(self, prefix: str, other: Server, /) -> None:
        """Offers what another server offers, now and later: its tool `add` as `prefix__add`.

        Prompts are named likewise, and with an empty prefix nothing is named anew; resources keep
        their URIs, and those of a server that is mounted twice are offered once. Handlers of the
        other server keep their own middleware and state. Methods are not mounted.
        """
        if other is self or other in self._ancestors():
            raise MisuseError("a server cannot be mounted in itself")
        items = [item.mounted(prefix, other) for item in other._mountable()]
        items = [item for item in items if not self._offers(item)]
        for item in items:
            self._check_free(item)
        self._add_all(items)
        other._mounted_at.append((self._server, prefix))

    def middleware(self, function: F, /) -> F:
        """Puts a function around every request, the first outermost.

            @server.middleware
            def timed(request, call_next):
                started = time.monotonic()
                try:
                    return call_next()
                finally:
                    print(request.name, time.monotonic() - started)

        `request` has `method`, `name`, `arguments` and `context`. Around an `async def` handler,
        `call_next()` of a `def` function gives a coroutine, which it passes on; an `async def`
        function awaits it, and can stand around both kinds. For what the engine answers itself,
        such as lists and pings, it gives the result as a dict, to be returned as it is or changed.
        Only `initialize` and refusals do not come by here: see `observer`.
        """
        from ._callables import is_async

        _check_layer(function)
        self._layers.append((function, is_async(function)))
        self._refresh(None)
        handler, is_layered_async = engine_handler(self._server)
        self._native.register_around(handler)
        if is_layered_async:
            self._expect_calls()
        return function

    def _all(self) -> Iterator[Registered]:
        yield from self._mountable()
        yield from self._methods.values()

    def _mountable(self) -> Iterator[Registered]:
        for kind in ("tool", "resource", "template", "prompt", "completion"):
            yield from self._items(kind).values()

    def _items(self, kind: str) -> dict[str, Registered]:
        items: dict[str, Registered] = {
            "tool": self.tools,
            "resource": self.resources,
            "template": self.templates,
            "prompt": self.prompts,
            "completion": self._completions,
            "method": self._methods,
        }[kind]
        return items

    def _ancestors(self) -> Iterator[Server]:
        for parent, _ in self._mounted_at:
            yield parent
            yield from parent._ancestors()

    def _add(self, item: Registered, *, replace: bool) -> None:
        """Registers an item here and wherever this server is mounted, or nowhere."""
        if not replace:
            self._check_free(item)
        before = self._items(item.kind).get(item.name)
        self._hand_over(item, replace=replace)
        self._items(item.kind)[item.name] = item
        try:
            for parent, prefix in self._parents_of(item):
                mounted = item.mounted(prefix, self._server)
                if not parent._offers(mounted):
                    parent._add(mounted, replace=replace)
        except BaseException:
            self._put_back(item, before)
            raise

    def _add_all(self, items: list[Registered]) -> None:
        added: list[Registered] = []
        try:
            for item in items:
                self._add(item, replace=False)
                added.append(item)
        except BaseException:
            for item in added:
                self._remove(item.kind, item.name)
            raise

    def _put_back(self, item: Registered, before: Registered | None) -> None:
        if before is None:
            item.unregister(self._server)
            del self._items(item.kind)[item.name]
        else:
            self._hand_over(before, replace=True)
            self._items(item.kind)[item.name] = before

    def _check_free(self, item: Registered) -> None:
        """Refuses an item whose name is taken, here or where this server is mounted."""
        if item.name in self._items(item.kind):
            if item.source is None:
                hint = "replace=True takes its place"
            elif item.keeps_name:
                hint = "URIs stay the same where a server is mounted, so that one must be changed"
            else:
                hint = f"mount {item.source[0].name} under another prefix"
            raise ExistsError(
                f"there is a {item.kind} {item.name!r} already at {self._server.name}; {hint}"
            )
        for parent, prefix in self._parents_of(item):
            parent._check_free(item.mounted(prefix, self._server))

    def _offers(self, item: Registered) -> bool:
        """Whether this very item is offered, because its server is mounted twice."""
        return item.is_same(self._items(item.kind).get(item.name))

    def _parents_of(self, item: Registered) -> list[tuple[Server, str]]:
        return [] if item.kind == "method" else self._mounted_at

    def _remove(self, kind: str, name: str) -> None:
        items = self._items(kind)
        if name not in items:
            known = ", ".join(items) or "none"
            raise UnknownItemError(f"there is no {kind} {name!r}; there are: {known}")
        item = items.pop(name)
        item.unregister(self._server)
        for parent, prefix in self._parents_of(item):
            mounted = item.mounted(prefix, self._server).name
            # The other server may have removed it itself.
            if mounted in parent._items(kind):
                parent._remove(kind, mounted)

    def _refresh(self, source: Server | None) -> None:
        """Hands over anew what comes from `source`, or everything: its middleware has changed."""
        for item in self._all():
            if source is None or (item.source is not None and item.source[0] is source):
                self._hand_over(item, replace=True)
        for parent, _ in self._mounted_at:
            parent._refresh(self._server)

    def _hand_over(self, item: Registered, *, replace: bool) -> None:
        item.register(self._server, replace=replace)
        if item.is_async(self._server):
            self._expect_calls()

    def _expect_calls(self) -> None:
        """There are handlers that a loop runs."""
        if not self._has_async:
            self._has_async = True
            self._native.set_call_wake(self._wake_loop)

    def _wake_loop(self) -> None:
        """Takes asyncio in with the first call that needs it; those after it need no detour."""
        from ._aio import waker_of

        wake = waker_of(self._server)
        self._native.set_call_wake(wake)
        wake()


def _check_layer(function: Callable[..., Any]) -> None:
    """Refuses what cannot be called with a request and what comes next."""
    from ._callables import innermost
    from ._signature import refusal

    inner = innermost(function)
    code = getattr(inner, "__code__", None)
    if code is None or type(function).__name__ not in ("function", "method"):
        return
    has_variable_arguments = 0x04
    places = code.co_argcount - (getattr(function, "__self__", None) is not None)
    needed = places - len(getattr(inner, "__defaults__", None) or ())
    if needed > 2 or (places < 2 and not code.co_flags & has_variable_arguments):
        raise refusal(function, function.__name__, "middleware takes a request and call_next")
