"""A program under test and a client that talks to it, with nothing but the standard library.

A `Client` speaks one JSON message per line in either era: with the `initialize` handshake of
2025-11-25, or with the `_meta` of 2026-07-28 in each request. Messages are taken by what they are,
not by when they come, so that no check depends on how fast the program is. `PATIENCE` bounds every
wait only so that a program that hangs is a failure and not a hang.
"""

import json
import queue
import subprocess
import threading

LEGACY = "2025-11-25"
MODERN = "2026-07-28"
ERAS = (LEGACY, MODERN)
PATIENCE = 60
META = "io.modelcontextprotocol/"
INFO = {"name": "checker", "version": "1"}


class Failed(Exception):
    """What a check found wrong."""


class Client:
    """One connection: `reader` and `writer` are binary files."""

    def __init__(self, reader, writer, era, capabilities=None):
        self.era = era
        self.capabilities = capabilities or {}
        self._writer = writer
        self._incoming = queue.Queue()
        self._kept = []
        self._last_id = 0
        self._thread = threading.Thread(target=self._read, args=(reader,), daemon=True)
        self._thread.start()
        self.server_info = self._meet()

    def _read(self, reader):
        for line in reader:
            self._incoming.put(line)
        self._incoming.put(None)

    def _meet(self):
        if self.era == MODERN:
            return self.request("server/discover")
        params = {
            "protocolVersion": LEGACY,
            "capabilities": self.capabilities,
            "clientInfo": INFO,
        }
        answer = self.request("initialize", params)
        self.notify("notifications/initialized")
        return answer

    def send_lines(self, *messages):
        """Sends in one write, so that the program may find them all at once."""
        text = "".join(
            message if isinstance(message, str) else json.dumps(message) + "\n"
            for message in messages
        )
        self._writer.write(text.encode())
        self._writer.flush()

    def build(self, method, params=None, meta=None):
        """A request with an id of its own."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        params, meta = dict(params or {}), dict(meta or {})
        if self.era == MODERN:
            meta[META + "protocolVersion"] = MODERN
            meta[META + "clientInfo"] = INFO
            meta[META + "clientCapabilities"] = self.capabilities
        if meta:
            params["_meta"] = meta
        if params:
            message["params"] = params
        return message

    def start(self, method, params=None, meta=None):
        message = self.build(method, params, meta)
        self.send_lines(message)
        return message["id"]

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send_lines(message)

    def take(self, wanted, what):
        """The first message for which `wanted` is true; the others are kept in their order."""
        for index, message in enumerate(self._kept):
            if wanted(message):
                return self._kept.pop(index)
        while True:
            message = self._next(what)
            if wanted(message):
                return message
            self._kept.append(message)

    def _next(self, what):
        try:
            line = self._incoming.get(timeout=PATIENCE)
        except queue.Empty:
            raise Failed(f"nothing came while waiting for {what}; kept: {self._kept}") from None
        if line is None:
            self._incoming.put(None)
            raise Failed(f"the program ended its output before {what}; kept: {self._kept}")
        return json.loads(line)

    def answer(self, request_id):
        """The response to a request of ours, whole."""
        return self.take(
            lambda message: "method" not in message and message.get("id") == request_id,
            f"the answer to request {request_id}",
        )

    def told(self, method):
        """The parameters of the next notification of that method."""
        message = self.take(
            lambda message: message.get("method") == method and "id" not in message, method
        )
        return message.get("params", {})

    def result(self, request_id):
        message = self.answer(request_id)
        if "result" not in message:
            raise Failed(f"an error instead of a result: {message}")
        return message["result"]

    def request(self, method, params=None, meta=None):
        return self.result(self.start(method, params, meta))

    def error(self, method, params=None):
        """The error object that a request is answered with."""
        message = self.answer(self.start(method, params))
        if "error" not in message:
            raise Failed(f"a result instead of an error: {message}")
        return message["error"]

    def start_tool(self, name, arguments=None, token=None):
        meta = {} if token is None else {"progressToken": token}
        return self.start("tools/call", {"name": name, "arguments": arguments or {}}, meta)

    def tool(self, name, arguments=None, token=None):
        return self.result(self.start_tool(name, arguments, token))

    def text(self, name, arguments=None, token=None):
        """The text of a tool's only block."""
        return text_of(self.tool(name, arguments, token))

    def structured(self, name, arguments=None):
        return self.tool(name, arguments)["structuredContent"]

    def text_asking(self, name, respond, arguments=None):
        """The text of a tool that asks back: `respond(method, params)` is what it hears."""
        params = {"name": name, "arguments": arguments or {}}
        request_id = self.start("tools/call", params)
        while True:
            message = self.take(
                lambda message: message.get("id") == request_id
                or ("method" in message and "id" in message),
                f"the answer of {name} or a question",
            )
            if "method" in message:
                answer = respond(message["method"], message.get("params", {}))
                self.send_lines({"jsonrpc": "2.0", "id": message["id"], "result": answer})
                continue
            result = message.get("result", message)
            if result.get("resultType") != "input_required":
                return text_of(result)
            retry = params | responses(result, respond)
            request_id = self.start("tools/call", retry)

    def cancel(self, request_id):
        self.notify("notifications/cancelled", {"requestId": request_id})

    def forget(self, unwanted):
        """Drops kept messages for which `unwanted` is true."""
        self._kept = [message for message in self._kept if not unwanted(message)]

    def rest(self):
        """What nobody took, up to the end of the output."""
        while True:
            try:
                line = self._incoming.get(timeout=PATIENCE)
            except queue.Empty:
                raise Failed("the program does not end its output") from None
            if line is None:
                return self._kept
            self._kept.append(json.loads(line))


def text_of(result):
    """The text of a tool's only block."""
    (block,) = result["content"]
    return block["text"]


def responses(result, respond):
    """What a retry of 2026-07-28 carries besides the request itself."""
    answers = {
        key: respond(asked["method"], asked.get("params", {}))
        for key, asked in result["inputRequests"].items()
    }
    return {"inputResponses": answers, "requestState": result["requestState"]}


class Program:
    """An example that runs, with its standard input, output and error."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._errors = queue.Queue()
        self._thread = threading.Thread(target=self._read_errors, daemon=True)
        self._thread.start()

    def _read_errors(self):
        for line in self.process.stderr:
            self._errors.put(line.decode(errors="replace"))
        self._errors.put(None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def client(self, era, capabilities=None):
        return Client(self.process.stdout, self.process.stdin, era, capabilities)

    def error_line(self):
        """The next line on standard error."""
        try:
            line = self._errors.get(timeout=PATIENCE)
        except queue.Empty:
            raise Failed("nothing came on standard error") from None
        if line is None:
            self._errors.put(None)
            raise Failed("standard error ended")
        return line

    def wait(self):
        """The exit code and what is left of standard error."""
        try:
            code = self.process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed("the program does not end") from None
        lines = []
        while (line := self._errors.get(timeout=PATIENCE)) is not None:
            lines.append(line)
        return code, "".join(lines)

    def end(self):
        """Closes standard input and waits for the end."""
        self.process.stdin.close()
        return self.wait()
