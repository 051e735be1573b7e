"""The client for tests that wait by blocking."""

from __future__ import annotations

from time import monotonic

from .. import _native
from ..errors import ClosedError, McpError
from ..jsonrpc import make_error, make_result
from . import _scripts
from ._base import BaseClient
from ._outcomes import CallResult, PromptMessages, ReadResult, Subscription

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Self, TypeVar

    from ..content import Completion
    from ._scripts import Script, Step

    T = TypeVar("T")


class Client(BaseClient):
    """A client in the same process, for tests.

    `era` is "modern", "legacy" or a revision such as "2025-06-18"; the same test should pass in all
    of them. The client can do what it has answers for, unless `capabilities` says otherwise:

    - `on_elicit` gives the fields of a form as a dict, or the value of its only field; "accept",
      "decline" or "cancel"; or a whole result.
    - `on_sample` gives what the model says, as text, content or a whole result.
    - `on_roots` gives a list of URIs, or of dicts with `uri` and `name`.

    Each is such a value or a function that returns one; the first two are called with the params of
    the question. What such a function raises is raised by the call that led to the question, except
    for McpError before 2026-07-28, which is the client's answer there.

    `on_log` is called with level, data and logger of every message from `log_level` on,
    `on_progress` with progress, total and message. Errors of JSON-RPC are raised as McpError; tools
    that fail raise ToolError, unless `raise_on_error` is false. `timeout` is how long to wait for
    an answer, in seconds. `principal` and `state` are what handlers see as such.

    A client is for one thread at a time. Async tools run in the background; in a test that is
    itself a coroutine, use AsyncClient.
    """

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leaves the server. What is in progress there is cancelled."""
        self._disconnect()

    def call(self, name: str, /, **arguments: Any) -> CallResult:
        """Calls a tool with these arguments."""
        return self.call_tool(name, arguments)

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        raise_on_error: bool | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> CallResult:
        """Calls a tool; for arguments with unusual names, and for calls with a `_meta`."""
        raises = self._raises if raise_on_error is None else raise_on_error
        return self._run(_scripts.call_tool(self._wire, name, arguments or {}, raises, meta))

    def list_tools(self) -> list[dict[str, Any]]:
        """Lists all tools, as the specification describes them."""
        return self._run(_scripts.list_all(self._wire, "tools/list", "tools"))

    def list_resources(self) -> list[dict[str, Any]]:
        """Lists all resources."""
        return self._run(_scripts.list_all(self._wire, "resources/list", "resources"))

    def list_templates(self) -> list[dict[str, Any]]:
        """Lists all templates of resources."""
        method = "resources/templates/list"
        return self._run(_scripts.list_all(self._wire, method, "resourceTemplates"))

    def list_prompts(self) -> list[dict[str, Any]]:
        """Lists all prompts."""
        return self._run(_scripts.list_all(self._wire, "prompts/list", "prompts"))

    def read(self, uri: str) -> ReadResult:
        """Reads a resource."""
        return self._run(_scripts.read(self._wire, uri))

    def get_prompt(self, name: str, /, **arguments: Any) -> PromptMessages:
        """Gets the messages of a prompt. Arguments that are no texts are sent as JSON text."""
        return self._run(_scripts.get_prompt(self._wire, name, arguments))

    def complete(
        self, of: str, argument: str, value: str = "", *, context: Mapping[str, str] | None = None
    ) -> Completion:
        """Gets suggestions for an argument of a prompt, or for a variable of a URI template."""
        return self._run(_scripts.complete(self._wire, of, argument, value, context))

    def ping(self) -> None:
        """Asks whether the server is there; in the modern era, which has no ping, what it is."""
        self._run(_scripts.ping(self._wire))

    def set_log_level(self, level: str) -> None:
        """Asks for log messages from this level on."""
        self._run(_scripts.set_log_level(self._wire, level))

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Sends any request and gives its result."""
        return self._run(_scripts.request(self._wire, method, params))

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Sends any notification."""
        self._run(_scripts.notify(self._wire, method, params))

    def listen(
        self,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        uris: Iterable[str] = (),
    ) -> Subscription:
        """Begins to listen to changes: of the lists, and of the resources with these URIs.

        What is heard is in `notifications`. Before 2026-07-28 changes of lists are always told.
        """
        script = _scripts.listen(self._wire, tools, prompts, resources, list(uris))
        return self._run(script)

    def unlisten(self, subscription: Subscription) -> None:
        """Stops listening."""
        self._run(_scripts.unlisten(self._wire, subscription))

    def wait_for(self, method: str) -> dict[str, Any]:
        """Waits for a notification and gives its params; each is given once."""
        return self._run(_scripts.wait_for(self._wire, method))

    def begin(self, method: str, params: Mapping[str, Any] | None = None) -> Pending:
        """Sends a request without waiting for its result."""
        self._open()
        script = _scripts.request(self._wire, method, params)
        self._do(next(script))
        return Pending(self, script, script.send(None))

    def _open(self) -> None:
        if self._session is not None:
            return
        self._connect()
        try:
            self._run(_scripts.open_up(self._wire))
        except BaseException:
            self.close()
            raise

    def _run(self, script: Script[T], step: Step | None = None) -> T:
        self._open()
        try:
            if step is None:
                step = next(script)
            while True:
                try:
                    value = self._do(step)
                except BaseException as error:  # noqa: BLE001 - the script's to handle
                    step = script.throw(error)
                else:
                    step = script.send(value)
        except StopIteration as end:
            result: T = end.value
            return result

    def _do(self, step: Step) -> Any:
        if isinstance(step, _scripts.Send):
            message = _native.dumps(step.message).encode()
            return self._wire.take(self._connect().handle(message))
        if isinstance(step, _scripts.Question):
            return self._answer(step.method, step.params)
        return self._wait(step)

    def _wait(self, step: _scripts.Until) -> None:
        session = self._connect()
        end = None if self._timeout is None else monotonic() + self._timeout
        while True:
            self._hear()
            while self._wire.questions:
                self._reply(self._wire.questions.popleft())
            if step.ready():
                return
            if session.is_closed:
                raise ClosedError(f"the session was closed before {step.what} was answered")
            left = None if end is None else end - monotonic()
            if left is not None and left <= 0:
                raise self._late(step.what)
            session.wait(left)

    def _reply(self, question: dict[str, Any]) -> None:
        id = question["id"]
        try:
            answer = self._answer(question["method"], question.get("params") or {})
            message = make_result(id, answer)
        except McpError as error:
            message = make_error(id, error.code, error.message, error.data)
        except Exception as error:  # noqa: BLE001 - the call raises it
            self._wire.failure = self._wire.failure or error
            message = make_error(id, -32603, "the test client failed")
        self._do(_scripts.Send(message))

    def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._answers.ask(method, params)
        if hasattr(answer, "__await__"):
            if hasattr(answer, "close"):
                answer.close()
            raise TypeError(f"the answer to {method} is a coroutine: use AsyncClient")
        return self._answers.shape(method, params, answer)

    def _late(self, what: str) -> TimeoutError:
        error = super()._late(what)
        import sys

        asyncio = sys.modules.get("asyncio")
        if asyncio is not None and asyncio._get_running_loop() is not None:
            error.add_note(
                "This thread has an event loop, which stands still meanwhile: use AsyncClient."
            )
        return error


class Pending:
    """A request that was sent, and whose result nobody has waited for yet."""

    def __init__(self, client: Client, script: Script[dict[str, Any]], step: Step) -> None:
        self._client = client
        self._script = script
        self._step = step
        self.id: int = client._wire.last_id

    @property
    def is_answered(self) -> bool:
        """Whether the server has said something: the result, an error, or a question."""
        self._client._hear()
        return not self._client._wire.is_open(self.id)

    def result(self) -> dict[str, Any]:
        """Waits for the result."""
        return self._client._run(self._script, self._step)

    def cancel(self, reason: str | None = None) -> None:
        """Tells the server that nobody waits any more."""
        self._client._run(_scripts.cancel(self._client._wire, self.id, reason))
