"""A client of MCP over HTTP that hides nothing: requests as they are sent, events as they come."""

import http.client
import json
import ssl
import time
from urllib.parse import urlsplit

LEGACY = "2025-11-25"
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
INFO = {"name": "visitor", "version": "1"}
POSTS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}
# Bounds every wait only so that a server that hangs is a failure and not a hang.
PATIENCE = 30


class Answer:
    """A response; the connection is its own, so that it can be left at any moment."""

    def __init__(self, connection):
        self._connection = connection
        self._response = connection.getresponse()
        self.status = self._response.status
        self.kind = (self._response.getheader("Content-Type") or "").split(";")[0]

    def header(self, name):
        return self._response.getheader(name)

    def json(self):
        return json.loads(self._response.read())

    def event(self):
        """The next event as a dictionary with data, and id and event if it has them; None at the
        end. Comments are passed over."""
        fields = {}
        while line := self._response.readline().decode():
            name, _, value = line.rstrip("\r\n").partition(":")
            if name:
                fields[name] = value.removeprefix(" ")
            elif "data" in fields or "id" in fields:
                return fields
        return None

    def message(self):
        """The next message of a stream; None at its end."""
        while (event := self.event()) is not None:
            if event.get("data"):
                return json.loads(event["data"])
        return None

    def leave(self):
        self._response.close()
        self._connection.close()


class Visitor:
    """`place` is where to connect to if it is not where the URL says, `trust` a certificate."""

    def __init__(self, url, place=None, trust=None, headers=None):
        self.url = urlsplit(url)
        self._place = place or (self.url.hostname, self.url.port)
        self._trust = trust
        self.headers = headers or {}
        self._last_id = 0

    def open(self, method, path=None, headers=None, body=None):
        """Sends a request; the connection has no response yet."""
        connection = http.client.HTTPConnection(*self._place, timeout=PATIENCE)
        connection.connect()
        if self.url.scheme == "https":
            context = ssl.create_default_context(cafile=self._trust)
            connection.sock = context.wrap_socket(connection.sock,
                                                  server_hostname=self.url.hostname)
        fields = {"Host": self.url.netloc} | self.headers | (headers or {})
        connection.request(method, path or self.url.path, body, fields)
        return connection

    def send(self, method, path=None, headers=None, body=None):
        return Answer(self.open(method, path, headers, body))

    def post(self, message, headers=None, path=None):
        return self.send("POST", path, POSTS | (headers or {}), json.dumps(message))

    def request(self, method, params=None):
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        return message | ({"params": params} if params is not None else {})

    def begin(self, method, params=None, meta=None):
        """Sends a request of 2026-07-28; the connection has no response yet."""
        own = {"protocolVersion": MODERN, "clientInfo": INFO, "clientCapabilities": {}}
        meta = {META + name: value for name, value in own.items()} | (meta or {})
        headers = POSTS | {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if params and "name" in params:
            headers["Mcp-Name"] = params["name"]
        message = self.request(method, (params or {}) | {"_meta": meta})
        return self.open("POST", headers=headers, body=json.dumps(message))

    def ask(self, method, params=None, meta=None):
        return Answer(self.begin(method, params, meta))

    def call(self, tool, arguments=None, token=None):
        """A call of 2026-07-28, with progress if there is a token."""
        meta = {} if token is None else {"progressToken": token}
        return self.ask("tools/call", {"name": tool, "arguments": arguments or {}}, meta)

    def text(self, tool, arguments=None):
        return text_of(self.call(tool, arguments).json())

    def until(self, tool, wanted):
        """Calls a tool until it says so: what it tells of happens on another thread."""
        end = time.monotonic() + PATIENCE
        while (said := self.text(tool)) != wanted and time.monotonic() < end:
            time.sleep(0.02)
        return said


class Session:
    """A session of 2025-11-25."""

    def __init__(self, visitor):
        self.visitor = visitor
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": INFO}
        answer = visitor.post(visitor.request("initialize", params))
        self.opening = answer.json()
        self.id = answer.header("Mcp-Session-Id")
        self.headers = {"Mcp-Session-Id": self.id, "MCP-Protocol-Version": LEGACY}
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self.accepted = visitor.post(told, self.headers).status

    def ask(self, method, params=None):
        return self.visitor.post(self.visitor.request(method, params), self.headers)

    def call(self, tool, arguments=None, token=None):
        meta = {} if token is None else {"_meta": {"progressToken": token}}
        return self.ask("tools/call", {"name": tool, "arguments": arguments or {}} | meta)

    def stream(self, last_event=None):
        headers = self.headers | {"Accept": "text/event-stream"}
        if last_event is not None:
            headers["Last-Event-ID"] = last_event
        return self.visitor.send("GET", headers=headers)

    def end(self):
        return self.visitor.send("DELETE", headers=self.headers).status


def text_of(message):
    """What a tool says."""
    return message["result"]["content"][0]["text"]
