"""What the client does, step by step, for clients that wait in different ways.

Each function is a generator. It yields steps to whoever runs it: messages to send, conditions to
wait for, questions to answer. What it returns is the result.
"""

from __future__ import annotations

from .. import _native
from ..content import Completion
from ..errors import CallCancelledError, ClosedError, ErrorCode, McpError, MisuseError, ToolError
from ._outcomes import CallResult, PromptMessages, ReadResult, Subscription

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from typing import Any, TypeAlias, TypeVar

    from ._wire import Wire

    T = TypeVar("T")
    Step: TypeAlias = "Send | Until | Question"
    Script: TypeAlias = Generator[Step, Any, T]

_REPORTING = ("tools/call", "prompts/get", "resources/read")
_MAX_ROUNDS = 64


class Send:
    """A message has to be sent."""

    __slots__ = ("message",)

    def __init__(self, message: dict[str, Any]) -> None:
        self.message = message


class Until:
    """The script goes on when something has come to pass."""

    __slots__ = ("ready", "what")

    def __init__(self, ready: Callable[[], bool], what: str) -> None:
        self.ready = ready
        self.what = what


class Question:
    """The server wants to know something."""

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: Mapping[str, Any]) -> None:
        self.method = method
        self.params = params


def request(wire: Wire, method: str, params: Mapping[str, Any] | None) -> Script[dict[str, Any]]:
    """Sends a request and gives its result, answering what the server asks on the way."""
    given = params
    for _ in range(_MAX_ROUNDS):
        result = yield from _attempt(wire, method, params)
        if not wire.is_modern or result.get("resultType") != "input_required":
            return result
        answers = {}
        for key, asked in result.get("inputRequests", {}).items():
            answers[key] = yield Question(asked["method"], asked.get("params") or {})
        params = {**(given or {}), "inputResponses": answers}
        if "requestState" in result:
            params["requestState"] = result["requestState"]
    raise McpError(ErrorCode.INTERNAL_ERROR, f"{method} asked the client {_MAX_ROUNDS} times")


def _attempt(wire: Wire, method: str, params: Mapping[str, Any] | None) -> Script[dict[str, Any]]:
    id, message = wire.compose(method, params, reports=method in _REPORTING)
    yield Send(message)
    try:
        yield Until(lambda: not wire.is_open(id), _describe(method, params))
    except (GeneratorExit, ClosedError):
        raise
    except BaseException:
        if wire.is_open(id):
            yield Send(wire.cancellation(id, None))
        raise
    return _result(wire, id, method)


def _describe(method: str, params: Mapping[str, Any] | None) -> str:
    name = (params or {}).get("name") or (params or {}).get("uri")
    return f"{method} of {name!r}" if name else method


def _result(wire: Wire, id: int, method: str) -> dict[str, Any]:
    if wire.failure is not None:
        failure, wire.failure = wire.failure, None
        raise failure
    response = wire.responses.pop(id, None)
    if response is None:
        raise CallCancelledError(f"{method} was cancelled, there is no answer to it")
    if "error" in response:
        error = response["error"]
        raise McpError(error["code"], error["message"], error.get("data"))
    result: dict[str, Any] = response["result"]
    return result


def open_up(wire: Wire) -> Script[None]:
    """Gets to know the server: by the handshake, or by asking what it is."""
    if wire.is_modern:
        wire.server = yield from request(wire, "server/discover", None)
        meta = wire.server.get("_meta", {})
        wire.server["serverInfo"] = meta.get("io.modelcontextprotocol/serverInfo", {})
        return
    params = {
        "protocolVersion": wire.revision,
        "capabilities": wire.capabilities,
        "clientInfo": wire.client_info,
    }
    wire.server = yield from request(wire, "initialize", params)
    agreed = wire.server["protocolVersion"]
    if wire.is_exact and agreed != wire.revision:
        raise McpError(
            ErrorCode.UNSUPPORTED_VERSION, f"the server speaks {agreed}, not {wire.revision}"
        )
    wire.revision = agreed
    yield Send(wire.notification("notifications/initialized", None))
    if wire.log_level is not None and "logging" in wire.server["capabilities"]:
        yield from request(wire, "logging/setLevel", {"level": wire.log_level})


def call_tool(
    wire: Wire,
    name: str,
    arguments: Mapping[str, Any],
    raises: bool,
    meta: Mapping[str, Any] | None,
) -> Script[CallResult]:
    """Calls a tool."""
    params: dict[str, Any] = {"name": name, "arguments": dict(arguments)}
    if meta is not None:
        params["_meta"] = dict(meta)
    result = CallResult((yield from request(wire, "tools/call", params)))
    if raises and result.is_error:
        raise ToolError(result.text, result.raw)
    return result


def list_all(wire: Wire, method: str, key: str) -> Script[list[dict[str, Any]]]:
    """Gives all pages of a list."""
    items: list[dict[str, Any]] = []
    params: dict[str, Any] | None = None
    while True:
        page = yield from request(wire, method, params)
        items.extend(page[key])
        if page.get("nextCursor") is None:
            return items
        params = {"cursor": page["nextCursor"]}


def read(wire: Wire, uri: str) -> Script[ReadResult]:
    """Reads a resource."""
    return ReadResult((yield from request(wire, "resources/read", {"uri": uri})))


def get_prompt(wire: Wire, name: str, arguments: Mapping[str, Any]) -> Script[PromptMessages]:
    """Gets the messages of a prompt, whose arguments are texts."""
    texts = {
        key: value if isinstance(value, str) else _native.dumps(value)
        for key, value in arguments.items()
    }
    params = {"name": name, "arguments": texts}
    return PromptMessages((yield from request(wire, "prompts/get", params)))


def complete(
    wire: Wire, of: str, argument: str, value: str, context: Mapping[str, str] | None
) -> Script[Completion]:
    """Asks for suggestions for an argument of a prompt or a variable of a template."""
    is_uri = "{" in of or ":" in of
    ref = {"type": "ref/resource", "uri": of} if is_uri else {"type": "ref/prompt", "name": of}
    params: dict[str, Any] = {"ref": ref, "argument": {"name": argument, "value": value}}
    if context is not None:
        params["context"] = {"arguments": dict(context)}
    result = yield from request(wire, "completion/complete", params)
    found = result["completion"]
    return Completion(found["values"], found.get("total"), found.get("hasMore"))


def ping(wire: Wire) -> Script[None]:
    """Asks whether the server is there; in the modern era, which has no ping, what it is."""
    yield from request(wire, "server/discover" if wire.is_modern else "ping", None)


def set_log_level(wire: Wire, level: str) -> Script[None]:
    """Asks for log messages from this level on."""
    wire.log_level = level
    if not wire.is_modern:
        yield from request(wire, "logging/setLevel", {"level": level})


def listen(
    wire: Wire, tools: bool, prompts: bool, resources: bool, uris: Sequence[str]
) -> Script[Subscription]:
    """Begins to listen to changes."""
    if not wire.is_modern:
        for uri in uris:
            yield from request(wire, "resources/subscribe", {"uri": uri})
        offered = wire.server.get("capabilities", {})
        kinds = (("tools", tools), ("prompts", prompts), ("resources", resources))
        accepted: dict[str, Any] = {
            f"{kind}ListChanged": True
            for kind, wanted in kinds
            if wanted and offered.get(kind, {}).get("listChanged")
        }
        if uris:
            accepted["resourceSubscriptions"] = list(uris)
        return Subscription(0, uris, accepted)
    wanted = {"toolsListChanged": tools, "promptsListChanged": prompts}
    wanted["resourcesListChanged"] = resources
    filter: dict[str, Any] = {key: True for key, value in wanted.items() if value}
    if uris:
        filter["resourceSubscriptions"] = list(uris)
    id, message = wire.compose("subscriptions/listen", {"notifications": filter})
    yield Send(message)
    yield Until(lambda: id in wire.accepted or not wire.is_open(id), "subscriptions/listen")
    if id not in wire.accepted:
        _result(wire, id, "subscriptions/listen")
    return Subscription(id, uris, wire.accepted[id])


def unlisten(wire: Wire, subscription: Subscription) -> Script[None]:
    """Ends a subscription."""
    if wire.is_modern:
        if wire.is_open(subscription.id):
            yield Send(wire.cancellation(subscription.id, None))
        return
    for uri in subscription.uris:
        yield from request(wire, "resources/unsubscribe", {"uri": uri})


def wait_for(wire: Wire, method: str) -> Script[dict[str, Any]]:
    """Waits for the next notification of this method that has not been waited for before."""

    def found() -> list[dict[str, Any]]:
        heard = (note["params"] for note in wire.notifications if note["method"] == method)
        return list(heard)[wire.waited.get(method, 0) :]

    yield Until(lambda: bool(found()), method)
    params = found()[0]
    wire.waited[method] = wire.waited.get(method, 0) + 1
    return params


def notify(wire: Wire, method: str, params: Mapping[str, Any] | None) -> Script[None]:
    """Sends a notification."""
    yield Send(wire.notification(method, params))


def cancel(wire: Wire, id: int, reason: str | None) -> Script[None]:
    """Cancels a request that is still open."""
    if not wire.is_open(id):
        raise MisuseError(f"no request with the id {id} is open")
    yield Send(wire.cancellation(id, reason))
