"""A server as a WSGI application."""

from __future__ import annotations

from http import HTTPStatus
from threading import Semaphore, get_ident

from ._paths import Paths
from .errors import ClosedError, LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from ._native import Exchange
    from ._native import Server as NativeServer
    from .server import Server

__all__ = ["Wsgi"]

_PIECE = 64 * 1024
_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class Wsgi:
    """A WSGI application that serves MCP at one path, for clients of every revision.

    `server.wsgi()` makes one. It can be served as it is, by waitress, gunicorn with threads and
    others, or put in front of another application:

        application = server.wsgi(fallback=get_wsgi_application())     # Django
        app.wsgi_app = server.wsgi(fallback=app.wsgi_app)              # Flask

    Served like this, the endpoint is at `path`. Where something else dispatches by a prefix
    (`SCRIPT_NAME`), the prefix itself is the endpoint, whatever `path` says, and so is `path` below
    it. A slash at the end makes no difference.

    Handlers run on the thread of their request, where a timeout cannot end a `def`; what they
    report leaves at once. Streams that stay open for what belongs to no request take a thread of
    the web server each, and would soon take all of them: `listeners` says how many there may be. At
    0, the default, clients are told that there are none, and do without.

    `principal` is called with the environment of each request and says who the client is, for
    applications that know already. `fallback` is the application that gets everything else; without
    it, other paths are answered with 404. All other options are those of `server.http()`,
    `authorize` among them: requests from other machines need `allowed_hosts`.

    Handlers find the environment of their request as `ctx.state`.
    """

    __slots__ = ("_fallback", "_http", "_native", "_paths", "_principal", "_seats", "_server")

    def __init__(
        self,
        server: Server,
        path: str = "/mcp",
        *,
        principal: Callable[[WSGIEnvironment], str | None] | None = None,
        fallback: WSGIApplication | None = None,
        listeners: int = 0,
        **options: Any,
    ) -> None:
        self._native = server._native
        self._server: Server | None = server
        self._paths = Paths(path, options)
        self._http = server.http(self._paths.own, **options)
        self._principal = principal
        self._fallback = fallback
        self._seats = Semaphore(listeners)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answers one request."""
        if self._server is not None:
            self._server._begin()
            self._server = None
        root: str = environ.get("SCRIPT_NAME", "")
        target = root + environ.get("PATH_INFO", "")
        found = self._paths.find(target, root)
        if found is not None:
            target = found
        elif self._fallback is not None:
            return self._fallback(environ, start_response)
        if query := environ.get("QUERY_STRING"):
            target = f"{target}?{query}"
        method: str = environ["REQUEST_METHOD"]
        if self._native.timeout_ms == 0:
            self._native.tick()
        try:
            exchange = self._http.open(method, target)
        except (ClosedError, LimitError):
            return _refuse(start_response, 503, ("Retry-After", "1"))
        listens = method == "GET" or environ.get("HTTP_MCP_METHOD") == "subscriptions/listen"
        answer = _Answer(self._native, exchange, start_response)
        try:
            exchange.set_state(environ)
            if self._principal is not None:
                exchange.set_principal(self._principal(environ))
            exchange.headers(_headers(environ))
            # So the head is judged before the client is asked for the body.
            exchange.body(b"")
            if not _feed(exchange, environ):
                answer.close()
                return _refuse(start_response, 400)
            if exchange.status is None:
                answer.run(is_live=not listens)
            if listens and exchange.is_stream and not answer.take_seat(self._seats):
                answer.close()
                if method == "GET":
                    return _refuse(start_response, 405, ("Allow", "POST, DELETE"))
                return _refuse(start_response, 503, ("Retry-After", "60"))
            return answer.begin(has_body=method != "HEAD")
        except BaseException:
            answer.close()
            raise


class _Answer:
    """The answer to one request: what the web server iterates over, if it comes by pieces."""

    __slots__ = (
        "_exchange",
        "_failure",
        "_seats",
        "_server",
        "_start_response",
        "_thread",
        "_write",
    )

    def __init__(
        self, server: NativeServer, exchange: Exchange, start_response: StartResponse
    ) -> None:
        self._server = server
        self._exchange = exchange
        self._start_response = start_response
        self._thread = get_ident()
        self._write: Callable[[bytes], object] | None = None
        self._failure: Exception | None = None
        self._seats: Semaphore | None = None

    def run(self, *, is_live: bool) -> None:
        """Ends the request, and has its handler run here until it is known how to answer."""
        exchange = self._exchange
        if is_live:
            exchange.set_wake(self._pass_on)
        exchange.end()
        while exchange.status is None:
            self._wait()
        if is_live:
            exchange.set_wake(None)
        if self._failure is not None:
            raise self._failure

    def begin(self, *, has_body: bool) -> Iterable[bytes]:
        """Gives the web server the rest."""
        exchange = self._exchange
        if exchange.is_stream:
            if self._write is None:
                self._start()
            return self
        body = exchange.poll() if has_body else None
        size = str(len(body or b""))
        self._start([] if exchange.status == HTTPStatus.NO_CONTENT else [("Content-Length", size)])
        self.close()
        return [body] if body else []

    def take_seat(self, seats: Semaphore) -> bool:
        """Tries to become one of those who may stay."""
        if seats.acquire(blocking=False):
            self._seats = seats
        return self._seats is not None

    def close(self) -> None:
        """The client has everything, or is gone: its call is cancelled then."""
        self._exchange.set_wake(None)
        self._exchange.close()
        seats, self._seats = self._seats, None
        if seats is not None:
            seats.release()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        exchange = self._exchange
        while True:
            if piece := exchange.poll():
                return piece
            if exchange.is_finished:
                self.close()
                raise StopIteration
            self._wait()

    def _pass_on(self) -> None:
        """Sends what a handler reports while it runs on this thread."""
        exchange = self._exchange
        if get_ident() != self._thread or not exchange.is_stream:
            return
        try:
            write = self._write or self._start()
            while piece := exchange.poll():
                write(piece)
        except Exception as error:  # noqa: BLE001 - servers raise what they like
            # The client is gone. The handler learns that its call is cancelled.
            self._failure = error
            exchange.close()

    def _start(self, more: Iterable[tuple[str, str]] = ()) -> Callable[[bytes], object]:
        exchange = self._exchange
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in exchange.response_headers
        ]
        headers.extend(more)
        self._write = self._start_response(_LINES[exchange.status or 500], headers)
        return self._write

    def _wait(self) -> None:
        timeout_ms = self._server.timeout_ms
        if not self._exchange.wait(None if timeout_ms is None else timeout_ms / 1000):
            self._server.tick()


def _feed(exchange: Exchange, environ: WSGIEnvironment) -> bool:
    """Hands over the body as far as it is wanted; False if it is not there as it was announced."""
    body = environ["wsgi.input"]
    length = environ.get("CONTENT_LENGTH")
    if length:
        if not (length.isascii() and length.isdigit()):
            return False
        left = int(length)
        while left > 0 and exchange.status is None:
            piece = body.read(min(left, _PIECE))
            if not piece:
                return False
            exchange.body(piece)
            left -= len(piece)
    elif environ.get("wsgi.input_terminated"):
        while exchange.status is None and (piece := body.read(_PIECE)):
            exchange.body(piece)
    return True


def _headers(environ: WSGIEnvironment) -> list[tuple[bytes, bytes]]:
    headers = [
        (name[5:].replace("_", "-").encode("latin-1"), value.encode("latin-1"))
        for name, value in environ.items()
        if name.startswith("HTTP_")
    ]
    for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if value := environ.get(name):
            headers.append((name.replace("_", "-").encode(), value.encode("latin-1")))
    return headers


def _refuse(
    start_response: StartResponse, status: int, *headers: tuple[str, str]
) -> Iterable[bytes]:
    start_response(_LINES[status], [*headers, ("Content-Length", "0")])
    return []
