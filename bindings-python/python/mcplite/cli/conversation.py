"""What a client and its server have said, as far as the server's successor must know it."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_OURS = "mcplite-dev-"
_LISTS = ("tools", "resources", "prompts")


class Conversation:
    """Follows the messages between a client and a server that is replaced now and then.

    The client must notice nothing of it but that lists have changed: a new server is told what the
    old one knew of the client, its answers to that are kept from the client, and requests that the
    old one left behind are answered with an error.
    """

    def __init__(self) -> None:
        self._open: dict[str, dict[str, Any]] = {}
        self._asked: set[str] = set()
        self._hello: dict[str, Any] | None = None
        self._capabilities: dict[str, Any] = {}
        self._is_initialized = False
        self._level: dict[str, Any] | None = None
        self._watched: dict[str, dict[str, Any]] = {}
        self._listening: dict[str, dict[str, Any]] = {}
        self._acknowledged: set[str] = set()
        self._numbers = 0
        self._greeting: str | None = None

    @property
    def is_idle(self) -> bool:
        """Whether the server owes no answers; streams that stay open do not count."""
        return all(key in self._listening for key in self._open)

    @property
    def is_greeted(self) -> bool:
        """Whether a new server has answered what it was told first."""
        return self._greeting is None

    def concerns_present(self, line: bytes) -> bool:
        """Whether a client's message is for the server that runs now, and not for the next."""
        message = _read(line)
        if not isinstance(message, dict):
            return False
        if message.get("method") == "notifications/cancelled":
            return _key((message.get("params") or {}).get("requestId")) in self._open
        return "method" not in message and _key(message.get("id")) in self._asked

    def client_says(self, line: bytes) -> bool:
        """Notes a client's message; False if it is an answer to a server that is gone."""
        message = _read(line)
        if isinstance(message, dict):
            return self._note_client(message)
        if isinstance(message, list):
            for one in message:
                if isinstance(one, dict):
                    self._note_client(one)
        return True

    def _note_client(self, message: dict[str, Any]) -> bool:
        method = message.get("method")
        key = _key(message.get("id"))
        if not isinstance(method, str):
            known = key in self._asked
            self._asked.discard(key)
            return known or "id" not in message
        if "id" in message:
            self._open.setdefault(key, message)
            if method == "subscriptions/listen":
                self._listening.setdefault(key, message)
        elif method == "notifications/initialized":
            self._is_initialized = True
        elif method == "notifications/cancelled":
            cancelled = _key((message.get("params") or {}).get("requestId"))
            self._open.pop(cancelled, None)
            self._listening.pop(cancelled, None)
        return True

    def server_says(self, line: bytes) -> bool:
        """Notes a server's message; False if the client should not see it."""
        message = _read(line)
        if isinstance(message, list):
            for one in message:
                if isinstance(one, dict):
                    self._note_answer(one)
            return True
        if not isinstance(message, dict):
            return True
        if "method" not in message:
            return self._note_answer(message)
        if "id" in message:
            self._asked.add(_key(message["id"]))
        elif message["method"] == "notifications/subscriptions/acknowledged":
            key = _key(_meta(message).get("io.modelcontextprotocol/subscriptionId"))
            if key in self._acknowledged:
                self._acknowledged.discard(key)
                return False
        return True

    def _note_answer(self, message: dict[str, Any]) -> bool:
        identity = message.get("id")
        if isinstance(identity, str) and identity.startswith(_OURS):
            if identity == self._greeting:
                self._greeting = None
            return False
        key = _key(identity)
        request = self._open.pop(key, None)
        self._listening.pop(key, None)
        result = message.get("result")
        if request is not None and isinstance(result, dict):
            self._remember(request, result)
        return True

    def _remember(self, request: dict[str, Any], result: dict[str, Any]) -> None:
        method = request["method"]
        if method == "initialize":
            self._hello = request
            self._capabilities = result.get("capabilities") or {}
        elif "io.modelcontextprotocol/protocolVersion" in _meta(request):
            return
        elif method == "logging/setLevel":
            self._level = request
        elif method == "resources/subscribe":
            self._watched[_uri(request)] = request
        elif method == "resources/unsubscribe":
            self._watched.pop(_uri(request), None)

    def abandon(self, reason: str) -> list[bytes]:
        """The server is gone: gives the error answers for what it has left open."""
        answers = [
            _error(message["id"], reason)
            for key, message in self._open.items()
            if key not in self._listening
        ]
        self._open = dict(self._listening)
        self._asked.clear()
        self._greeting = None
        return answers

    def refuse(self, line: bytes, reason: str) -> list[bytes]:
        """Answers a message while there is no server; notifications need none."""
        message = _read(line)
        requests = message if isinstance(message, list) else [message]
        return [
            _error(one["id"], reason)
            for one in requests
            if isinstance(one, dict) and "method" in one and "id" in one
        ]

    def replay(self) -> list[bytes]:
        """What a new server has to hear before anything else."""
        lines = []
        if self._hello is not None:
            hello = self._ours(self._hello)
            self._greeting = hello["id"]
            lines.append(_write(hello))
            if self._is_initialized:
                lines.append(_write({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            if self._level is not None:
                lines.append(_write(self._ours(self._level)))
            lines.extend(_write(self._ours(request)) for request in self._watched.values())
        for key, request in self._listening.items():
            self._acknowledged.add(key)
            lines.append(_write(request))
        return lines

    def announce(self) -> list[bytes]:
        """What the client is told after a new server has taken over: every list may be another."""
        return [_write(message) for message in self._announcements()]

    def _announcements(self) -> Iterator[dict[str, Any]]:
        for noun in _LISTS:
            method = f"notifications/{noun}/list_changed"
            capability = self._capabilities.get(noun)
            if self._is_initialized and isinstance(capability, dict):
                if capability.get("listChanged"):
                    yield {"jsonrpc": "2.0", "method": method}
            for request in self._listening.values():
                wanted = (request.get("params") or {}).get("notifications") or {}
                if wanted.get(f"{noun}ListChanged") is True:
                    tag = {"io.modelcontextprotocol/subscriptionId": request["id"]}
                    yield {"jsonrpc": "2.0", "method": method, "params": {"_meta": tag}}

    def _ours(self, request: dict[str, Any]) -> dict[str, Any]:
        self._numbers += 1
        return {**request, "id": f"{_OURS}{self._numbers}"}


def _read(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _write(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _error(identity: object, reason: str) -> bytes:
    message = f"Internal error: {reason}"
    error = {"code": -32603, "message": message}
    return _write({"jsonrpc": "2.0", "id": identity, "error": error})


def _key(identity: object) -> str:
    return json.dumps(identity)


def _meta(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    found = params.get("_meta") if isinstance(params, dict) else None
    return found if isinstance(found, dict) else {}


def _uri(request: dict[str, Any]) -> str:
    return str((request.get("params") or {}).get("uri"))
