"""The client's end of the wire, without any waiting: what it says, and what it has heard."""

from __future__ import annotations

from collections import deque

from .. import _native
from ..errors import MisuseError
from ..jsonrpc import JSONRPC_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ._answers import Answers

_FIRST_MODERN = "2026-07-28"
_PREFIX = "io.modelcontextprotocol/"


class Wire:
    """Composes the client's messages in one revision and sorts those of the server."""

    def __init__(
        self,
        era: str,
        answers: Answers,
        *,
        capabilities: Mapping[str, Any] | None,
        client_info: Mapping[str, Any] | None,
        log_level: str | None,
        on_log: Callable[[str, Any, str | None], object] | None,
        on_progress: Callable[[float, float | None, str | None], object] | None,
    ) -> None:
        self.revision = _revision(era)
        self.is_exact = era == self.revision
        self.is_modern = self.revision >= _FIRST_MODERN
        self.answers = answers
        self.capabilities = answers.capabilities() if capabilities is None else dict(capabilities)
        self.client_info = dict(client_info or {"name": "test", "version": "1"})
        self.log_level = log_level
        self.server: dict[str, Any] = {}
        self.responses: dict[int, dict[str, Any]] = {}
        self.questions: deque[dict[str, Any]] = deque()
        self.accepted: dict[int, dict[str, Any]] = {}
        self.notifications: list[dict[str, Any]] = []
        self.logs: list[dict[str, Any]] = []
        self.progress: list[dict[str, Any]] = []
        self.failure: BaseException | None = None
        self.waited: dict[str, int] = {}
        self._on_log = on_log
        self._on_progress = on_progress
        self._open: set[int] = set()
        self.last_id = 0

    def compose(
        self, method: str, params: Mapping[str, Any] | None, *, reports: bool = False
    ) -> tuple[int, dict[str, Any]]:
        """Makes a request and its id. One that `reports` asks for progress."""
        self.last_id += 1
        id = self.last_id
        self._open.add(id)
        meta: dict[str, Any] = {"progressToken": id} if reports else {}
        if self.is_modern:
            meta[_PREFIX + "protocolVersion"] = self.revision
            meta[_PREFIX + "clientInfo"] = self.client_info
            meta[_PREFIX + "clientCapabilities"] = self.capabilities
            if self.log_level is not None:
                meta[_PREFIX + "logLevel"] = self.log_level
        message: dict[str, Any] = {"jsonrpc": JSONRPC_VERSION, "id": id, "method": method}
        params = dict(params or {})
        meta.update(params.get("_meta") or {})
        if meta:
            params["_meta"] = meta
        if params:
            message["params"] = params
        return id, message

    def notification(self, method: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
        """Makes a notification."""
        message: dict[str, Any] = {"jsonrpc": JSONRPC_VERSION, "method": method}
        if params:
            message["params"] = dict(params)
        return message

    def cancellation(self, id: int, reason: str | None) -> dict[str, Any]:
        """Makes the notification that nobody waits for a request any more."""
        self._open.discard(id)
        params: dict[str, Any] = {"requestId": id}
        if reason is not None:
            params["reason"] = reason
        return self.notification("notifications/cancelled", params)

    def is_open(self, id: int) -> bool:
        """Tells whether an answer to this request is still to come."""
        return id in self._open

    def take(self, output: bytes | None) -> None:
        """Takes what the server says, any number of messages."""
        for line in (output or b"").split(b"\n"):
            if line:
                self._sort(_native.loads(line))

    def _sort(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            id = message.get("id")
            if id in self._open:
                self._open.discard(id)
                self.responses[id] = message
        elif "id" in message:
            self.questions.append(message)
        else:
            self._note(message["method"], message.get("params") or {})

    def _note(self, method: str, params: dict[str, Any]) -> None:
        self.notifications.append({"method": method, "params": params})
        try:
            if method == "notifications/message":
                self.logs.append(params)
                if self._on_log is not None:
                    self._on_log(params["level"], params.get("data"), params.get("logger"))
            elif method == "notifications/progress":
                self.progress.append(params)
                if self._on_progress is not None:
                    progress, total = params["progress"], params.get("total")
                    self._on_progress(progress, total, params.get("message"))
            elif method == "notifications/subscriptions/acknowledged":
                id = params["_meta"][_PREFIX + "subscriptionId"]
                self.accepted[id] = params["notifications"]
            elif method == "notifications/cancelled":
                withdrawn = params.get("requestId")
                asked = (question for question in self.questions if question["id"] != withdrawn)
                self.questions = deque(asked)
        except Exception as error:  # noqa: BLE001 - the call raises it
            self.failure = self.failure or error


def _revision(era: str) -> str:
    known = sorted(_native.PROTOCOL_VERSIONS)
    if era == "modern":
        return known[-1]
    if era == "legacy":
        return max(revision for revision in known if revision < _FIRST_MODERN)
    if era in known:
        return era
    raise MisuseError(f"the era is 'modern', 'legacy' or one of {', '.join(known)}, not {era!r}")
