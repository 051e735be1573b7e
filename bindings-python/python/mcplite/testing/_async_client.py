"""The client for tests that run on an event loop."""

from __future__ import annotations

import asyncio

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


class AsyncClient(BaseClient):
    """A client in the same process, for tests that are coroutines.

    It takes the options of `Client` and has its methods as coroutines. Any number of calls may be
    under way at once; one whose task is cancelled is cancelled at the server. Answers to the server
    may be coroutine functions. Async tools run on the same loop as the test.
    """

    _loop: asyncio.AbstractEventLoop
    _changed: asyncio.Event
    _opening: asyncio.Task[None] | None = None
    _replies: set[asyncio.Task[None]]

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leaves the server. What is in progress there is cancelled."""
        self._disconnect()
        if self._session is not None:
            self._changed.set()
            for reply in self._replies:
                reply.cancel()
            await asyncio.gather(*self._replies, return_exceptions=True)

    async def call(self, name: str, /, **arguments: Any) -> CallResult:
        """Calls a tool with these arguments."""
        return await self.call_tool(name, arguments)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        raise_on_error: bool | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> CallResult:
        """Calls a tool; for arguments with unusual names, and for calls with a `_meta`."""
        raises = self._raises if raise_on_error is None else raise_on_error
        return await self._run(_scripts.call_tool(self._wire, name, arguments or {}, raises, meta))

    async def list_tools(self) -> list[dict[str, Any]]:
        """Lists all tools, as the specification describes them."""
        return await self._run(_scripts.list_all(self._wire, "tools/list", "tools"))

    async def list_resources(self) -> list[dict[str, Any]]:
        """Lists all resources."""
        return await self._run(_scripts.list_all(self._wire, "resources/list", "resources"))

    async def list_templates(self) -> list[dict[str, Any]]:
        """Lists all templates of resources."""
        method = "resources/templates/list"
        return await self._run(_scripts.list_all(self._wire, method, "resourceTemplates"))

    async def list_prompts(self) -> list[dict[str, Any]]:
        """Lists all prompts."""
        return await self._run(_scripts.list_all(self._wire, "prompts/list", "prompts"))

    async def read(self, uri: str) -> ReadResult:
        """Reads a resource."""
        return await self._run(_scripts.read(self._wire, uri))

    async def get_prompt(self, name: str, /, **arguments: Any) -> PromptMessages:
        """Gets the messages of a prompt. Arguments that are no texts are sent as JSON text."""
        return await self._run(_scripts.get_prompt(self._wire, name, arguments))

    async def complete(
        self, of: str, argument: str, value: str = "", *, context: Mapping[str, str] | None = None
    ) -> Completion:
        """Gets suggestions for an argument of a prompt, or for a variable of a URI template."""
        return await self._run(_scripts.complete(self._wire, of, argument, value, context))

    async def ping(self) -> None:
        """Asks whether the server is there; in the modern era, which has no ping, what it is."""
        await self._run(_scripts.ping(self._wire))

    async def set_log_level(self, level: str) -> None:
        """Asks for log messages from this level on."""
        await self._run(_scripts.set_log_level(self._wire, level))

    async def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Sends any request and gives its result."""
        return await self._run(_scripts.request(self._wire, method, params))

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Sends any notification."""
        await self._run(_scripts.notify(self._wire, method, params))

    async def listen(
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
        return await self._run(script)

    async def unlisten(self, subscription: Subscription) -> None:
        """Stops listening."""
        await self._run(_scripts.unlisten(self._wire, subscription))

    async def wait_for(self, method: str) -> dict[str, Any]:
        """Waits for a notification and gives its params; each is given once."""
        return await self._run(_scripts.wait_for(self._wire, method))

    async def _open(self) -> None:
        if self._opening is None:
            self._loop = asyncio.get_running_loop()
            self._changed = asyncio.Event()
            self._replies = set()
            self._connect().set_wake(self._wake)
            self._opening = self._loop.create_task(self._play(_scripts.open_up(self._wire)))
        await asyncio.shield(self._opening)

    def _wake(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hear)

    def _hear(self) -> None:
        if self._opening is not None:
            super()._hear()
            self._attend()

    def _attend(self) -> None:
        """Answers what the server has asked, and lets those look who wait."""
        while self._wire.questions:
            reply = self._loop.create_task(self._reply(self._wire.questions.popleft()))
            self._replies.add(reply)
            reply.add_done_callback(self._replies.discard)
        self._changed.set()

    async def _run(self, script: Script[T]) -> T:
        await self._open()
        return await self._play(script)

    async def _play(self, script: Script[T]) -> T:
        try:
            step = next(script)
            while True:
                try:
                    value = await self._do(step)
                except BaseException as error:  # noqa: BLE001 - the script's to handle
                    step = script.throw(error)
                else:
                    step = script.send(value)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _do(self, step: Step) -> Any:
        if isinstance(step, _scripts.Send):
            return self._say(step.message)
        if isinstance(step, _scripts.Question):
            return await self._answer(step.method, step.params)
        return await self._wait(step)

    def _say(self, message: dict[str, Any]) -> None:
        self._wire.take(self._connect().handle(_native.dumps(message).encode()))
        self._attend()

    async def _wait(self, step: _scripts.Until) -> None:
        session = self._connect()
        try:
            async with asyncio.timeout(self._timeout):
                while not step.ready():
                    if session.is_closed:
                        text = f"the session was closed before {step.what} was answered"
                        raise ClosedError(text)
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise self._late(step.what) from None

    async def _reply(self, question: dict[str, Any]) -> None:
        id = question["id"]
        try:
            answer = await self._answer(question["method"], question.get("params") or {})
            message = make_result(id, answer)
        except McpError as error:
            message = make_error(id, error.code, error.message, error.data)
        except Exception as error:  # noqa: BLE001 - the call raises it
            self._wire.failure = self._wire.failure or error
            message = make_error(id, -32603, "the test client failed")
        if not self._is_closed:
            self._say(message)

    async def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._answers.ask(method, params)
        if hasattr(answer, "__await__"):
            answer = await answer
        return self._answers.shape(method, params, answer)
