"""HTTP/1.1 over a raw socket, so that nothing adds or hides a header."""

import socket
import time

PATIENCE = 20.0


class Broken(Exception):
    """The server did not answer as HTTP has it, or not in time."""


class Wire:
    """One connection and the response on it, as far as it has come."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=PATIENCE)
        self.buffer = b""
        self.closed = False
        # Whether the response to what was sent has a head only.
        self.is_bodiless = False
        self._forget()

    def _forget(self):
        self.status, self.headers, self.body, self.ended = None, [], b"", False
        self._length, self._chunked = None, False

    def send(self, data, method):
        """Begin a request; the last response must have been read."""
        self._forget()
        self.is_bodiless = method == "HEAD"
        self.socket.sendall(data)

    def can_go_on(self):
        """Whether another request can be sent."""
        named = dict(self.headers)
        return self.ended and not self.closed and named.get("connection") != "close"

    def wait_for(self, is_there, what):
        """Read until `is_there()`."""
        deadline = time.monotonic() + PATIENCE
        while not is_there():
            if self.closed and not self.ended:
                raise Broken(f"the connection ended while waiting for {what}")
            if self.ended or time.monotonic() > deadline:
                raise Broken(f"no {what}; there is {self.body!r}")
            self._read(deadline - time.monotonic())

    def look(self, seconds=0.0):
        """Take what has come."""
        self._read(max(seconds, 0.000_001))

    def take(self, size):
        """The first bytes of the body that were not taken yet."""
        taken, self.body = self.body[:size], self.body[size:]
        return taken

    def close(self):
        self.socket.close()
        self.closed = True

    def _read(self, seconds):
        if self.closed:
            return
        self.socket.settimeout(max(seconds, 0.000_001))
        try:
            data = self.socket.recv(65536)
        except (TimeoutError, BlockingIOError):
            return
        except ConnectionError:
            data = b""
        self.closed = not data
        self.buffer += data
        self._parse()

    def _parse(self):
        if self.status is None and b"\r\n\r\n" in self.buffer:
            head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
            self._parse_head(head.decode("latin-1").split("\r\n"))
        if self.status is None or self.ended:
            return
        if self._chunked:
            self._parse_chunks()
        elif len(self.buffer) >= self._length:
            self.body, self.buffer = self.buffer[:self._length], self.buffer[self._length:]
            self.ended = True

    def _parse_head(self, lines):
        self.status = int(lines[0].split(" ")[1])
        pairs = [line.split(":", 1) for line in lines[1:]]
        self.headers = [(name.lower(), value.strip()) for name, value in pairs]
        named = dict(self.headers)
        self._chunked = named.get("transfer-encoding") == "chunked"
        without = self.is_bodiless or self.status == 204
        if not without and not self._chunked and "content-length" not in named:
            raise Broken("a body without a length")
        self._length = 0 if without else int(named.get("content-length", "0"))

    def _parse_chunks(self):
        while b"\r\n" in self.buffer:
            line, rest = self.buffer.split(b"\r\n", 1)
            size = int(line, 16)
            if len(rest) < size + 2:
                return
            self.body += rest[:size]
            self.buffer = rest[size + 2:]
            self.ended |= size == 0
