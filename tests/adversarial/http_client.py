"""The server under test, and clients of it that mean well."""

import json
import os
import subprocess
from pathlib import Path

from http_wire import PATIENCE, Broken, Connection

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
OUTPUT = ROOT / "target" / "hostile-http"
SYSTEM_LIBRARIES = ["-lpthread", "-ldl", "-lm", "-lgcc_s", "-lc"]
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "adv", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
PROGRESS = {"progressToken": "p"}


def build(source, library):
    """Compiles one of the programs beside this file."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    binary = OUTPUT / Path(source).stem
    command = ["cc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", ROOT / "include",
               HERE / source, Path(library) / "libmcplite.a", *SYSTEM_LIBRARIES, "-o", binary]
    subprocess.run(command, check=True)
    return binary


class Server:
    """A process that serves, with settings of its own."""

    def __init__(self, binary, settings=(), environment=None):
        self.settings = settings
        self.process = subprocess.Popen([binary, *settings], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})
        address = self.process.stdout.readline().strip()
        self.port = int(address.rpartition(":")[2])

    def connect(self, patience=PATIENCE):
        return Connection(self.port, patience)

    def end(self):
        """Asks it to end; says what is wrong with how it did."""
        said, _ = self.process.communicate(timeout=PATIENCE)
        return None if (self.process.returncode, said) == (0, "ended: ok\n") else (self.process.returncode, said)

    def is_alive(self):
        return self.process.poll() is None

    def modern_headers(self, method, name=None, **more):
        headers = [("Host", f"localhost:{self.port}"), ("Content-Type", "application/json"),
                   ("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", MODERN),
                   ("Mcp-Method", method)]
        return headers + ([("Mcp-Name", name)] if name else []) + list(more.items())

    def call(self, tool, arguments=None, id=1, meta=None):
        """A modern call of a tool: its request as arguments of Connection.request()."""
        params = {"name": tool, "arguments": arguments or {}, "_meta": {**META, **(meta or {})}}
        body = message("tools/call", params, id)
        return "POST", "/mcp", self.modern_headers("tools/call", tool), body

    def ask(self, tool, **arguments):
        """Calls a tool on a connection of its own; the text that it answers."""
        with self.connect() as connection:
            return text_of(connection.request(*self.call(tool, arguments)).response())

    def status(self):
        return json.loads(self.ask("status"))

    def discover(self):
        with self.connect() as connection:
            headers, body = self.modern_headers("server/discover"), message("server/discover", {"_meta": META})
            return connection.request("POST", "/mcp", headers, body).response()


class Session:
    """A client before 2026-07-28, after its handshake."""

    def __init__(self, server, revision="2025-11-25"):
        self.server, self.revision = server, revision
        params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "adv", "version": "1"}}
        self.id = None
        response = self.post(message("initialize", params))
        self.id = response.first("mcp-session-id")
        if response.status != 200 or not self.id:
            raise Broken(f"no handshake: {response.status} {response.body[:200]!r}")
        self.post(message("notifications/initialized", id=None))

    def headers(self, accept="application/json, text/event-stream"):
        headers = [("Host", f"localhost:{self.server.port}"), ("Content-Type", "application/json"), ("Accept", accept)]
        if self.id:
            headers += [("MCP-Session-Id", self.id)]
        if self.id and self.revision >= "2025-06-18":
            headers += [("MCP-Protocol-Version", self.revision)]
        return headers

    def post(self, body):
        with self.server.connect() as connection:
            return connection.request("POST", "/mcp", self.headers(), body).response()

    def ping(self):
        return self.post(message("ping"))

    def call(self, tool, id=1, meta=None):
        """A call of a tool: its request as arguments of Connection.request()."""
        params = {"name": tool, "arguments": {}, **({"_meta": meta} if meta else {})}
        return "POST", "/mcp", self.headers(), message("tools/call", params, id)

    def get(self, *more):
        """Arguments of Connection.request() for a stream of the session."""
        return "GET", "/mcp", self.headers("text/event-stream") + list(more)

    def delete(self):
        with self.server.connect() as connection:
            return connection.request("DELETE", "/mcp", self.headers()).response("DELETE")


def message(method, params=None, id=1):
    whole = {"jsonrpc": "2.0", **({} if id is None else {"id": id}), "method": method}
    return json.dumps(whole | ({} if params is None else {"params": params})).encode()


def text_of(response):
    """The text of the first content block of a result."""
    answers = [message for message in response.messages() if "result" in message]
    if response.status != 200 or len(answers) != 1:
        raise Broken(f"no result: {response.status} {response.body[:200]!r}")
    return answers[0]["result"]["content"][0]["text"]
