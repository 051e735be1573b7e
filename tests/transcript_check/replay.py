"""Follows a transcript to know, per server message, its revision and the request it answers."""

import json
from dataclasses import dataclass

from . import changes
from .members import member
from .questions import Questions, undeclared

MODERN = "2026-07-28"
LATEST_LEGACY = "2025-11-25"
BATCHES = "2025-03-26"
REVISION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"


@dataclass
class Request:
    """A client request that may still be answered."""

    key: str
    method: object
    revision: str
    params: object
    cancelled: bool = False
    # Of a listen request.
    stream: changes.Stream | None = None

    @property
    def meta(self):
        return member(self.params, "_meta")


@dataclass(frozen=True)
class Message:
    """One message from the server. `kind` is result, error, notification or request."""

    line: int
    kind: str
    value: dict
    revision: str
    negotiated: bool
    request: Request | None = None


class Problem(Exception):
    """Something that a server must not send."""


def strict_json(text):
    """Parse one JSON value as RFC 8259 has it: no NaN, no duplicate names."""
    return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique_names)


class Connection:
    """What both sides have said so far on one connection."""

    def __init__(self):
        self.negotiated = None
        # What the client declared in the handshake, and what it may be told since then.
        self.client_capabilities = {}
        self.handshake = None
        self.modern_seen = False
        self.open = []
        self.questions = Questions()
        # Listen requests that the server has ended.
        self.ended_streams = set()
        # How many errors without an id, or with an id that could not be read here, the step allows.
        self.spare_errors = 0
        self.unreadable = False

    def client(self, data):
        """Take in one client line, or a host action (None), which may have fed bytes itself."""
        self.spare_errors, self.unreadable = 1, True
        if data is None:
            return
        try:
            value = json.loads(data.decode("utf-8-sig"), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return
        self.unreadable = False
        messages = value if isinstance(value, list) else [value]
        self.spare_errors = max(1, len(messages))
        for message in messages:
            self._client_message(message)

    def server(self, line):
        """The messages of one server line; raises Problem."""
        value = _parse_line(line.text)
        if not isinstance(value, list):
            return [self._server_message(line.number, value)]
        if self.negotiated != BATCHES or not value:
            raise Problem(f"a batch, which only {BATCHES} has, or an empty one")
        return [self._server_message(line.number, element) for element in value]

    def _client_message(self, message):
        method, identity = member(message, "method"), member(message, "id")
        if method == "notifications/cancelled":
            for request in self._open_with(_key(member(message, "params", "requestId"))):
                request.cancelled = True
        if not _is_id(identity):
            return
        if _is_response(message):
            self.questions.close(_key(identity))
            return
        params = member(message, "params")
        modern = member(params, "_meta", REVISION_KEY) is not None
        self.modern_seen |= modern
        revision = MODERN if modern else self.negotiated or LATEST_LEGACY
        request = Request(_key(identity), method, revision, params)
        if method == "subscriptions/listen":
            request.stream = changes.Stream(member(params, "notifications"))
        self.open.append(request)

    def _server_message(self, line, value):
        if not isinstance(value, dict):
            raise Problem("not a JSON object")
        if value.get("jsonrpc") != "2.0":
            raise Problem('no "jsonrpc": "2.0"')
        kind = _kind(value)
        if kind == "request":
            return self._message(line, kind, value, self._asked(value))
        if kind == "notification":
            return self._message(line, kind, value, self._notified(value))
        request = self._answered(kind, value)
        revision = request.revision if request else self.negotiated or LATEST_LEGACY
        if kind == "result":
            revision = self._settled(request, value["result"]) or revision
        return self._message(line, kind, value, revision, request)

    def _message(self, line, kind, value, revision, request=None):
        return Message(line, kind, value, revision, self.negotiated is not None, request)

    def _answered(self, kind, value):
        """Close and return the request that a response answers."""
        identity = value.get("id")
        candidates = [] if identity is None else self._open_with(_key(identity))
        candidates = [request for request in candidates if not request.cancelled] or candidates
        if candidates:
            # Of two with one id the newer was refused, the older is being worked on.
            request = candidates[-1 if kind == "error" else 0]
            self.open.remove(request)
            return request
        if kind == "error" and self.spare_errors and (identity is None or self.unreadable):
            self.spare_errors -= 1
            return None
        raise Problem("answers no open request: a second response, or an unknown id")

    def _settled(self, request, result):
        """Note what a result means for later; returns the revision of a handshake."""
        if request.method == "initialize":
            self.negotiated = member(result, "protocolVersion")
            if not isinstance(self.negotiated, str):
                raise Problem("an initialize result without a protocolVersion")
            self.client_capabilities = member(request.params, "capabilities")
            self.handshake = changes.Handshake(member(result, "capabilities"))
            return self.negotiated
        uri = member(request.params, "uri")
        if request.method == "resources/subscribe" and self.handshake:
            self.handshake.subscribed.add(uri)
        if request.method == "resources/unsubscribe" and self.handshake:
            self.handshake.subscribed.discard(uri)
        if request.stream:
            self.ended_streams.add(request.key)
        for question in (member(result, "inputRequests") or {}).values():
            _declared(member(request.meta, CAPABILITIES_KEY), question)
        return None

    def _asked(self, value):
        """The revision of a request that the server sends."""
        _allowed(self.questions.ask(_key(value["id"])))
        if self.negotiated:
            _declared(self.client_capabilities, value)
        return self.negotiated or (MODERN if self.modern_seen else LATEST_LEGACY)

    def _notified(self, value):
        """The revision of a notification."""
        method, params = value["method"], value.get("params")
        tag = member(params, "_meta", SUBSCRIPTION_KEY)
        if tag is not None:
            return self._told_on_stream(method, params, _key(tag))
        if method == "notifications/cancelled":
            return self._cancelled(_key(member(params, "requestId")))
        if method in changes.METHODS:
            if not self.handshake:
                raise Problem(f"{method}, which nobody has asked for")
            _allowed(self.handshake.refuse(method, params))
            return self.negotiated
        if self._belongs_to_modern(params):
            return MODERN
        return self.negotiated or (MODERN if self.modern_seen else LATEST_LEGACY)

    def _told_on_stream(self, method, params, key):
        streams = [request.stream for request in self._open_with(key)
                   if request.stream and not request.cancelled]
        if not streams:
            raise Problem("a message on a stream that is not open")
        if method == changes.ACKNOWLEDGED:
            _allowed(streams[0].acknowledge(member(params, "notifications")))
        else:
            _allowed(streams[0].refuse(method, params))
        return MODERN

    def _cancelled(self, key):
        """A server takes its own requests back, and ends listen streams."""
        if self.questions.close(key):
            return self.negotiated or LATEST_LEGACY
        if key in self.ended_streams:
            self.ended_streams.remove(key)
            return MODERN
        raise Problem("cancels what is neither an open request of the server nor a stream it ended")

    def _belongs_to_modern(self, params):
        """Whether a notification is about an open modern request."""
        running = [request for request in self.open
                   if not request.cancelled and request.method != "subscriptions/listen"]
        token = member(params, "progressToken")
        if token is not None:
            running = [request for request in running
                       if member(request.meta, "progressToken") == token]
        return bool(running) and running[-1].revision == MODERN

    def _open_with(self, key):
        return [request for request in self.open if request.key == key]


def _allowed(refusal):
    if refusal:
        raise Problem(refusal)


def _declared(capabilities, question):
    missing = undeclared(capabilities, question)
    if missing:
        raise Problem(f"asks for {missing}, which the client did not declare")


def _parse_line(text):
    if "\r" in text:
        raise Problem("a raw carriage return")
    try:
        return strict_json(text)
    except ValueError as error:
        raise Problem(f"not one JSON value: {error}") from error


def _is_id(value):
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _is_response(message):
    return "method" not in message and ("result" in message or "error" in message)


def _kind(value):
    parts = [name for name in ("method", "result", "error") if name in value]
    if len(parts) != 1:
        raise Problem("needs exactly one of method, result and error")
    if parts[0] != "method":
        return parts[0]
    return "request" if "id" in value else "notification"


def _key(identity):
    """An id as a dictionary key: the number 1 and the text "1" differ."""
    return json.dumps(identity)


def _no_constant(name):
    raise ValueError(f"{name} is not JSON")


def _unique_names(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object with a duplicate member name")
    return members
