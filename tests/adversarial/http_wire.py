"""HTTP to the byte: what is sent is what was written, and what comes is taken apart without a library's help."""

import json
import socket
import struct
from dataclasses import dataclass, field

# For whatever must come. Nothing waits that long unless something is broken.
PATIENCE = 20


class Broken(Exception):
    """What came is no HTTP, or nothing came in time."""


@dataclass
class Response:
    status: int
    headers: list = field(default_factory=list)
    body: bytes = b""

    def all(self, name):
        return [value for own, value in self.headers if own == name.lower()]

    def first(self, name):
        return next(iter(self.all(name)), None)

    @property
    def media_type(self):
        return (self.first("content-type") or "").split(";")[0].strip()

    def messages(self):
        """The JSON-RPC messages of the body, whichever form it has."""
        if self.media_type == "text/event-stream":
            return [message for _, message in events(self.body)]
        if not self.body:
            return []
        found = json.loads(self.body)
        return found if isinstance(found, list) else [found]

    def code(self):
        """The code of the error that this is, if it is one."""
        return next((message["error"]["code"] for message in self.messages() if "error" in message), None)


def events(body):
    """The id and the message of each event that has one; what is no event of ours is an error."""
    found = []
    for block in body.decode().split("\n\n"):
        fields = {}
        for line in filter(None, block.split("\n")):
            name, _, value = line.partition(":")
            if name not in ("", "id", "event", "data", "retry") or (name and name in fields):
                raise Broken(f"not a field of an event: {line[:80]!r}")
            fields[name] = value.removeprefix(" ")
        if fields.get("data"):
            found.append((fields.get("id"), json.loads(fields["data"])))
    return found


class Connection:
    """One connection, on which anything may be said."""

    def __init__(self, port, patience=PATIENCE):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=patience)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Sends what the other side takes; it may hang up in the middle."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def request(self, method, path, headers, body=b"", length=True):
        self.send(request(method, path, headers, body, length))
        return self

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Hangs up without a word."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def response(self, method="POST"):
        """The next response as a whole; None if the other side has hung up instead."""
        head = self.head()
        if head is not None:
            head.body = self.body(head, method)
        return head

    def head(self):
        """The next status line and headers. What is only said in between is passed over."""
        text = self._until(b"\r\n\r\n")
        if text is None:
            return None
        line, *lines = text.decode("latin-1").split("\r\n")
        version, status, *_ = line.split(" ")
        if not version.startswith("HTTP/1."):
            raise Broken(f"not a status line: {line[:80]!r}")
        headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        return self.head() if status == "100" else Response(int(status), headers)

    def body(self, head, method="POST"):
        if method == "HEAD" or head.status in (204, 304) or head.status < 200:
            return b""
        if head.first("transfer-encoding") == "chunked":
            return b"".join(iter(self.chunk, b""))
        if head.first("content-length") is not None:
            return self._exactly(int(head.first("content-length")))
        return self.rest()

    def chunk(self):
        """The next piece of a stream; empty at its end."""
        size = self._until(b"\r\n")
        if size is None:
            raise Broken("the stream was cut off")
        piece = self._exactly(int(size, 16))
        self._exactly(2)
        return piece

    def stream_until(self, wanted):
        """Reads chunks until `wanted` is among them, or to the end."""
        found = b""
        while wanted not in found:
            piece = self.chunk()
            if not piece:
                break
            found += piece
        return found

    def rest(self):
        """All that comes until the other side hangs up."""
        while self._more():
            pass
        found, self.bytes = self.bytes, b""
        return found

    def is_closed(self):
        """Whether the other side hangs up, having said nothing more."""
        return not self.bytes and not self._more()

    def says_nothing(self, seconds):
        """Whether nothing comes for a while, not even the end."""
        self.socket.settimeout(seconds)
        try:
            return not self.bytes and not self._more() and False
        except Broken:
            return True
        finally:
            self.socket.settimeout(PATIENCE)

    def _more(self):
        try:
            piece = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        except TimeoutError as error:
            raise Broken(f"nothing came; there was {self.bytes[:80]!r} before") from error
        self.bytes += piece
        return bool(piece)

    def _until(self, end):
        while end not in self.bytes:
            if not self._more():
                if self.bytes:
                    raise Broken(f"hung up after {self.bytes[:80]!r}")
                return None
        found, _, self.bytes = self.bytes.partition(end)
        return found

    def _exactly(self, count):
        while len(self.bytes) < count:
            if not self._more():
                raise Broken(f"hung up {count - len(self.bytes)} bytes too early")
        found, self.bytes = self.bytes[:count], self.bytes[count:]
        return found


def request(method, path, headers, body=b"", length=True):
    """A request as bytes. Headers are sent as they are, in UTF-8."""
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    if length and (body or method == "POST"):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
