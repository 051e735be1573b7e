"""Follows a transcript to know, per server message, its revision and the request it answers."""

import json
from dataclasses import dataclass

MODERN = "2026-07-28"
LATEST_LEGACY = "2025-11-25"
BATCHES = "2025-03-26"
REVISION_KEY = "io.modelcontextprotocol/protocolVersion"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"


@dataclass
class Request:
    """A client request that may still be answered."""

    key: str
    method: object
    revision: str
    progress_token: object
    cancelled: bool = False


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


def member(value, *path):
    """The member of nested objects at `path`, or None."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


class Connection:
    """What both sides have said so far on one connection."""

    def __init__(self):
        self.negotiated = None
        self.modern_seen = False
        self.open = []
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
        if not _is_id(identity) or _is_response(message):
            return
        meta = member(message, "params", "_meta")
        modern = member(meta, REVISION_KEY) is not None
        self.modern_seen |= modern
        revision = MODERN if modern else self.negotiated or LATEST_LEGACY
        self.open.append(Request(_key(identity), method, revision, member(meta, "progressToken")))

    def _server_message(self, line, value):
        if not isinstance(value, dict):
            raise Problem("not a JSON object")
        if value.get("jsonrpc") != "2.0":
            raise Problem('no "jsonrpc": "2.0"')
        kind = _kind(value)
        if kind in ("notification", "request"):
            return self._message(line, kind, value, self._revision_of(kind, value))
        request = self._answered(kind, value)
        revision = request.revision if request else self.negotiated or LATEST_LEGACY
        if kind == "result" and request.method == "initialize":
            revision = member(value, "result", "protocolVersion")
            if not isinstance(revision, str):
                raise Problem("an initialize result without a protocolVersion")
            self.negotiated = revision
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

    def _revision_of(self, kind, value):
        """The revision of a notification or request that the server sends."""
        params = value.get("params")
        if kind == "notification" and self._belongs_to_modern(params):
            return MODERN
        return self.negotiated or (MODERN if self.modern_seen else LATEST_LEGACY)

    def _belongs_to_modern(self, params):
        """Whether a notification is on a listen stream or about an open modern request."""
        if member(params, "_meta", SUBSCRIPTION_KEY) is not None:
            return True
        running = [request for request in self.open
                   if not request.cancelled and request.method != "subscriptions/listen"]
        token = member(params, "progressToken")
        if token is not None:
            running = [request for request in running if request.progress_token == token]
        return bool(running) and running[-1].revision == MODERN

    def _open_with(self, key):
        return [request for request in self.open if request.key == key]


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
