"""The context of a call: what a handler knows of its request, and can tell or ask the client."""

from __future__ import annotations

from . import _native
from ._native import Asked
from .asking import Elicited, Roots, Sampled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Future, Task
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any, TypeVar, overload

    from ._aio import Host
    from .asking import Answer
    from .server import Server

    T = TypeVar("T")
    A = TypeVar("A", bound=Answer)
else:

    def overload(function: object) -> None:
        """Stands in for `typing.overload`, which only type checkers need."""


__all__ = ["Context"]


class Context:
    """What a handler knows of its request, and can tell or ask the client.

    A parameter annotated with this class gets one; clients do not see that parameter.

        @server.tool
        def copy(ctx: Context, files: list[str]) -> str:
            for done, file in enumerate(files):
                ctx.progress(done, len(files))
                ...
    """

    __slots__ = (
        "_call",
        "_host",
        "_kept",
        "_outcome",
        "_questions",
        "_resumption",
        "_server",
        "_task",
        "_together",
    )

    def __init__(self, call: _native.Call, server: Server, *, host: Host | None = None) -> None:
        self._call = call
        self._server = server
        # The loop that runs the handler, if it is async.
        self._host = host
        self._questions = 0
        self._kept: dict[str, Any] | None = None
        self._resumption: Future[None] | None = None
        self._task: Task[None] | None = None
        # How a handler has ended that did not wait for its question.
        self._outcome: Callable[[_native.Call], None] | None = None
        self._together: Together | None = None

    @property
    def server(self) -> Server:
        """The server that the handler belongs to."""
        return self._server

    @property
    def method(self) -> str:
        """The method of the request, such as `tools/call`."""
        return self._call.method

    @property
    def name(self) -> str:
        """The tool, prompt or URI that is asked for."""
        return self._call.name

    @property
    def request_id(self) -> str | int | float | None:
        """The id of the request; None for a notification."""
        text = self._call.id
        return None if text is None else _native.loads(text)

    @property
    def arguments(self) -> Any:
        """The arguments as they came, before they were converted."""
        return self._call.arguments

    @property
    def meta(self) -> dict[str, Any]:
        """The `_meta` of the request."""
        return self._call.meta or {}

    @property
    def revision(self) -> str:
        """The revision of the protocol that the request is written in."""
        return self._call.revision

    @property
    def client_info(self) -> dict[str, Any]:
        """What the client says it is: `name`, `version`, …"""
        return self._call.client_info or {}

    @property
    def client_capabilities(self) -> dict[str, Any]:
        """What the client says it can do."""
        return self._call.client_capabilities

    @property
    def principal(self) -> str | None:
        """Who asks, as the program has found out; None if nobody did."""
        return self._call.principal

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the HTTP request, by names in lower case; empty elsewhere."""
        return self._call.headers

    @property
    def session_id(self) -> str | None:
        """The id of the HTTP session, which is a secret of the client's; None elsewhere."""
        return self._call.session_id

    @property
    def state(self) -> Any:
        """What the program attached to the connection, else to the server."""
        state = self._call.state
        return self._server.state if state is None else state

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more; long `def` handlers look now and then."""
        return self._call.is_cancelled

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tells the client how far the work has come, if it wants to know."""
        if self._call.is_open:
            self._call.progress(done, total, message)

    def log(self, level: str, data: object, logger: str | None = None) -> None:
        """Sends the client a log message: text, or anything that can be written as JSON.

        `level` is one of `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert` and
        `emergency`. Logging to clients is deprecated in 2026-07-28.
        """
        if self._call.is_open:
            self._call.log(level, data, logger)

    def debug(self, data: object) -> None:
        """Sends the client a log message of the level `debug`."""
        self.log("debug", data)

    def info(self, data: object) -> None:
        """Sends the client a log message of the level `info`."""
        self.log("info", data)

    def warning(self, data: object) -> None:
        """Sends the client a log message of the level `warning`."""
        self.log("warning", data)

    def error(self, data: object) -> None:
        """Sends the client a log message of the level `error`."""
        self.log("error", data)

    def close_stream(self) -> bool:
        """Ends the connection on which the client waits, and lets it come back for the answer.

        Only over HTTP, with clients of 2025-11-25; says whether it was possible.
        """
        from .errors import MisuseError

        try:
            self._call.close_stream()
        except MisuseError:
            return False
        return True

    def can_elicit(self, mode: str = "form") -> bool:
        """Whether the client can ask the user: to fill in a `form`, or to visit a `url`."""
        return self._call.can_ask("elicitation/create", _native.dumps({"mode": mode}))

    def can_sample(self) -> bool:
        """Whether the client lets its model be asked."""
        return self._call.can_ask("sampling/createMessage")

    def can_list_roots(self) -> bool:
        """Whether the client says which folders it works on."""
        return self._call.can_ask("roots/list")

    @overload
    def elicit(self, message: str, *, key: str | None = None) -> Elicited[str]: ...
    @overload
    def elicit(self, message: str, form: type[T], *, key: str | None = None) -> Elicited[T]: ...
    @overload
    def elicit(
        self, message: str, form: Mapping[str, Any], *, key: str | None = None
    ) -> Elicited[dict[str, Any]]: ...
    @overload
    def elicit(self, message: str, form: Any, *, key: str | None = None) -> Elicited[Any]: ...
    def elicit(self, message: str, form: Any = str, *, key: str | None = None) -> Elicited[Any]:
        """Asks the user.

        `form` says what is asked for: a type such as `str`, `bool`, a `Literal` or an `Enum`; a
        dataclass, `TypedDict` or model with fields of such types; or a JSON Schema. The answer has
        `accepted`, and `data` of that type. `async def` handlers await it.

        The handler may run again from the top when the user has answered, see `once`. Questions are
        told apart by `key`, else by their order.
        """
        convert = None
        if isinstance(form, dict):
            schema, is_wrapped = form, False
        else:
            from ._hints import schema_of

            schema, convert = schema_of(form)
            is_wrapped = schema.get("type") != "object"
            if is_wrapped:
                schema = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
        params = {"mode": "form", "message": message, "requestedSchema": schema}
        question = self._question(key, "elicitation/create", params)
        return self._ask(Elicited(self, question, convert, is_wrapped))

    def elicit_url(
        self, message: str, url: str, elicitation_id: str | None = None, *, key: str | None = None
    ) -> Elicited[None]:
        """Asks the user to visit a page. The answer says whether the user agreed to."""
        params = {"mode": "url", "message": message, "url": url}
        if elicitation_id is not None:
            params["elicitationId"] = elicitation_id
        question = self._question(key, "elicitation/create", params)
        return self._ask(Elicited(self, question, None, False))

    def sample(
        self,
        messages: str | Sequence[Any],
        *,
        max_tokens: int = 1024,
        system: str | None = None,
        temperature: float | None = None,
        stop: Sequence[str] | None = None,
        preferences: Mapping[str, Any] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        tool_choice: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Sampled:
        """Asks the client's model. Deprecated in 2026-07-28, and served there all the same."""
        from .content import as_message

        texts = [messages] if isinstance(messages, str) else messages
        params: dict[str, Any] = {"messages": [as_message(message).block() for message in texts]}
        params["maxTokens"] = max_tokens
        optional = {
            "systemPrompt": system,
            "temperature": temperature,
            "stopSequences": stop,
            "modelPreferences": preferences,
            "tools": tools,
            "toolChoice": tool_choice,
        }
        params.update((name, value) for name, value in optional.items() if value is not None)
        return self._ask(Sampled(self, self._question(key, "sampling/createMessage", params)))

    def roots(self, *, key: str | None = None) -> Roots:
        """Asks the client which folders it works on. Deprecated in 2026-07-28."""
        return self._ask(Roots(self, self._question(key, "roots/list", None)))

    def together(self) -> Together:
        """Lets a `def` handler ask several questions at once.

            with ctx.together():
                name = ctx.elicit("What is your name?", str)
                colour = ctx.elicit("Which colour?", str)

        The answers are there after the block. `async def` handlers use `asyncio.gather`.
        """
        return Together(self)

    @overload
    def once(self, key: str, function: Callable[..., Awaitable[T]], *args: Any) -> Awaitable[T]: ...
    @overload
    def once(self, key: str, function: Callable[..., T], *args: Any) -> T: ...
    def once(self, key: str, function: Callable[..., Any], *args: Any) -> Any:
        """Calls a function once for this request, however often the handler runs.

        A handler that asks the client may run again from the top when it has answered. What must
        not happen twice goes through here; the result, which must be plain JSON, is remembered,
        sealed where it leaves the process. `key` tells several of these apart.
        """
        kept = self._remembered()
        if key in kept:
            value, was_awaited = kept[key]
            return _given(value) if was_awaited else value
        value = function(*args)
        if hasattr(value, "__await__"):
            return self._once_awaited(key, value)
        self._remember(key, value, False)
        return value

    async def _once_awaited(self, key: str, awaitable: Awaitable[Any]) -> Any:
        value = await awaitable
        self._remember(key, value, True)
        return value

    def _remembered(self) -> dict[str, Any]:
        if self._kept is None:
            text = self._call.kept_text
            self._kept = {} if text is None else _native.loads(text)
        return self._kept

    def _remember(self, key: str, value: object, was_awaited: bool) -> None:
        kept = self._remembered()
        kept[key] = [value, was_awaited]
        self._call.keep_text(_native.dumps(kept))

    def _question(self, key: str | None, method: str, params: Any) -> tuple[str, str, str]:
        self._questions += 1
        name = f"question-{self._questions}" if key is None else key
        return name, method, "" if params is None else _native.dumps(params)

    def _ask(self, answer: A) -> A:
        if self._resumption is None and not self._fill(answer) and self._host is None:
            if self._together is None:
                raise Asked
            self._together.is_waiting = True
        return answer

    def _fill(self, answer: Answer) -> bool:
        """Looks whether the client has answered, else asks."""
        text = self._call.ask(*answer._question)
        if text is None:
            return False
        answer._fill(_native.loads(text))
        return True

    async def _wait_for(self, answer: Answer) -> None:
        """Ends this attempt, and goes on with the next one if that takes place here.

        Before 2026-07-28 the engine waits for the client, and the handler waits with it. Since then
        the client brings the answer with a request of its own, which starts the handler anew.
        """
        from ._aio import resumption

        while not self._fill_when_open(answer):
            if self._call.is_modern:
                raise Asked
            if self._resumption is None:
                self._resumption = resumption(self)
            # Shared by all who wait; one that is cancelled must not cancel the others.
            await _shielded(self._resumption)

    def _fill_when_open(self, answer: Answer) -> bool:
        return self._resumption is None and self._fill(answer)


class Together:
    """A block in which questions are asked together."""

    __slots__ = ("_context", "is_waiting")

    def __init__(self, context: Context) -> None:
        self._context = context
        self.is_waiting = False

    def __enter__(self) -> None:
        self._context._together = self

    def __exit__(self, kind: object, *rest: object) -> None:
        self._context._together = None
        if kind is None and self.is_waiting:
            raise Asked


async def _given(value: T) -> T:
    return value


def _shielded(future: Future[None]) -> Awaitable[None]:
    from asyncio import shield

    return shield(future)
