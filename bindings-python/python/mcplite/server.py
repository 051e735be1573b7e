"""A server: tools, resources and prompts, and the ways to serve them."""

from __future__ import annotations

from . import _native
from ._reports import divert_output, report, warn
from .context import Context
from .errors import MisuseError, UnknownItemError
from .offers import Offers, milliseconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ._aio import Host
    from ._native import Http, HttpRequest, Session
    from .asgi import Asgi
    from .transport import AsyncConnection, Connection, Transport
    from .wsgi import Wsgi


__all__ = ["Server"]


def _default_workers() -> int:
    from os import cpu_count

    return min(32, (cpu_count() or 1) + 4)


class Server(Offers):
    """What is offered to clients, over any number of connections at once.

        server = Server("demo")

        @server.tool
        def add(a: int, b: int) -> int:
            "Adds two numbers."
            return a + b

        server.run()

    `workers` bounds the threads that run `def` handlers; with 0 they run on the thread that serves.
    `timeout` is how many seconds a call may take. `coerce` accepts `"5"` where a number is
    expected. `errors` chooses error codes: `"spec"`, `"classic"` or `"gateway"`. `debug` lets
    clients see stack traces, and `mask_errors` hides even the messages of exceptions from them.
    `state` is what handlers find as `ctx.state`. `seal_keys` (32 bytes each, the first seals) are
    for servers of several processes whose handlers ask clients. `limits` sets bounds by name.
    """

    def __init__(
        self,
        name: str,
        version: str = "0.0.0",
        *,
        title: str | None = None,
        description: str | None = None,
        instructions: str | None = None,
        website_url: str | None = None,
        icons: Sequence[Mapping[str, Any]] | None = None,
        workers: int | None = None,
        timeout: float | None = None,
        coerce: bool = False,
        errors: str = "spec",
        debug: bool = False,
        mask_errors: bool = False,
        page_size: int = 0,
        cache_ttl: float | None = None,
        cache_public: bool = False,
        question_ttl: float | None = 600.0,
        revisions: Sequence[str] | None = None,
        logging: bool = True,
        seal_keys: Sequence[bytes] = (),
        experimental: Mapping[str, Any] | None = None,
        extensions: Mapping[str, Any] | None = None,
        limits: Mapping[str, int] | None = None,
        state: Any = None,
    ) -> None:
        super().__init__(_native.Server(name, version))
        self.name = name
        self.version = version
        self.state = state
        self.debug = debug
        self.workers = _default_workers() if workers is None else workers
        self._connections: list[Connection | AsyncConnection] = []
        self._host: Host | None = None
        self._runs_on_loop = False
        self._reported: set[str] = set()
        options: dict[str, Any] = {
            "title": title,
            "description": description,
            "instructions": instructions,
            "website_url": website_url,
            "icons": icons,
            "deadline_ms": milliseconds(timeout),
            "coerce": coerce,
            "errors": errors,
            "stacktraces": debug,
            "mask_errors": mask_errors,
            "page_size": page_size,
            "cache_ttl_ms": milliseconds(cache_ttl) or 0,
            "cache_public": cache_public,
            "state_ttl_ms": milliseconds(question_ttl),
            "revisions": revisions,
            "logging": logging,
            "experimental": experimental,
            "extensions": extensions,
        }
        self._native.configure(options | dict(limits or {}))
        self._native.set_context_class(self._make_context)
        self._native.set_reporter(self._report)
        if seal_keys:
            self._native.set_seal_keys(list(seal_keys))

    @property
    def _server(self) -> Server:
        return self

    def __repr__(self) -> str:
        return f"<Server {self.name} {self.version}>"

    def observer(self, function: Callable[[dict[str, Any]], object] | None, /) -> Any:
        """Tells a function of everything that happens, as dicts with an `event` and its details.

        It runs on whatever thread it happens on, and should be quick.
        """
        self._native.set_observer(function)
        return function

    def on_error(
        self, function: Callable[[dict[str, Any]], dict[str, Any] | None] | None, /
    ) -> Any:
        """Shows a function every error before it leaves: its `kind`, `code`, `message`, `data`, ….

        It may change the dict and give it back, or give None to leave the error as it is.
        """
        self._native.set_error_hook(function)
        return function

    def notify_updated(self, uri: str) -> None:
        """Tells everybody who watches it that a resource has changed."""
        self._native.notify_resource_updated(uri)

    def notify_list_changed(self, kind: str) -> None:
        """Tells that a list has changed, for programs that answer list requests themselves."""
        self._native.notify_list_changed(kind)

    def notify_elicited(self, elicitation_id: str) -> None:
        """Tells the client that was sent to a page that the user is done there.

        Clients of 2026-07-28 find out by themselves, and nothing is told to those that are gone.
        """
        from contextlib import suppress

        with suppress(UnknownItemError):
            self._native.notify_elicitation_complete(elicitation_id)

    def session(self, *, state: object = None, principal: str | None = None) -> Session:
        """A connection fed by hand: bytes in, bytes out."""
        session = self._native.session()
        if state is not None:
            session.set_state(state)
        if principal is not None:
            session.set_principal(principal)
        return session

    def http(
        self,
        path: str = "/mcp",
        *,
        authorize: Callable[[HttpRequest], bool | int | str | None] | None = None,
        **options: Any,
    ) -> Http:
        """An endpoint for HTTP, which `run_http`, `asgi` and `wsgi` make themselves.

        `authorize` gets each request, and gives True, the name of the principal, or 401 or 403.
        """
        endpoint = self._native.http(path)
        endpoint.configure(options)
        if authorize is not None:
            endpoint.set_authorizer(authorize)
        return endpoint

    def run(self, *, workers: int | None = None, grace: float = 5.0) -> None:
        """Serves the client at standard input and output until it is gone.

        Meanwhile what anybody prints goes to standard error. Without async handlers there is no
        asyncio. Ctrl-C ends it; calls that still run have `grace` seconds to finish.
        """
        if self._has_async:
            self._run_async(self.serve_stdio(workers=workers, grace=grace))
            return
        divert_output()
        try:
            self._wait(
                self._native.serve_stdio(workers=self._workers(workers), grace_ms=int(grace * 1000))
            )
        except KeyboardInterrupt:
            self.shutdown()
        finally:
            divert_output()

    async def serve_stdio(self, *, workers: int | None = None, grace: float = 5.0) -> None:
        """Does what `run` does on the running loop, which runs async handlers."""
        from ._aio import serve

        self._attend(workers)
        divert_output()
        try:
            await serve(self, lambda: self._native.serve_stdio(grace_ms=int(grace * 1000)))
        finally:
            divert_output()

    def run_http(
        self,
        host: str = "127.0.0.1",
        port: int = 8000,
        *,
        path: str = "/mcp",
        workers: int | None = None,
        grace: float = 5.0,
        on_listening: Callable[[str], object] | None = None,
        **options: Any,
    ) -> None:
        """Serves clients over HTTP with the listener of the engine, until Ctrl-C or `shutdown`.

        `on_listening` is told the URL. Requests to other names than this machine's own need
        `allowed_hosts`; the other options are those of `http`.
        """
        if self._has_async:
            served = self.serve_http(
                host,
                port,
                path=path,
                workers=workers,
                grace=grace,
                on_listening=on_listening,
                **options,
            )
            self._run_async(served)
            return
        endpoint = self.http(path, **options)
        try:
            serving = endpoint.serve(
                _address(host, port), workers=self._workers(workers), grace_ms=int(grace * 1000)
            )
            _announce(serving, path, on_listening)
            self._wait(serving)
        except KeyboardInterrupt:
            self.shutdown()

    async def serve_http(
        self,
        host: str = "127.0.0.1",
        port: int = 8000,
        *,
        path: str = "/mcp",
        workers: int | None = None,
        grace: float = 5.0,
        on_listening: Callable[[str], object] | None = None,
        **options: Any,
    ) -> None:
        """Does what `run_http` does on the running loop, which runs async handlers."""
        from ._aio import serve

        self._attend(workers)
        endpoint = self.http(path, **options)

        def start() -> _native.Serving:
            serving = endpoint.serve(_address(host, port), grace_ms=int(grace * 1000))
            _announce(serving, path, on_listening)
            return serving

        await serve(self, start)

    def asgi(self, path: str = "/mcp", **options: Any) -> Asgi:
        """An ASGI application, to be served or mounted; see `mcplite.asgi.Asgi` for options."""
        from .asgi import Asgi

        return Asgi(self, path, **options)

    def wsgi(self, path: str = "/mcp", **options: Any) -> Wsgi:
        """A WSGI application, to be served or mounted; see `mcplite.wsgi.Wsgi` for options."""
        from .wsgi import Wsgi

        return Wsgi(self, path, **options)

    def start(self, transport: Transport, /, **attached: Any) -> Connection:
        """Serves a client that comes by a transport, until `stop`."""
        from .transport import connect

        self._begin()
        connection = connect(self, transport, **attached)
        self._connections.append(connection)
        return connection

    async def start_async(self, transport: Transport, /, **attached: Any) -> AsyncConnection:
        """Does what `start` does for a transport whose methods may be coroutines."""
        from .transport import connect_async

        self._begin()
        connection = await connect_async(self, transport, **attached)
        self._connections.append(connection)
        return connection

    def stop(self) -> None:
        """Ends the connections that `start` made; requests in progress finish first."""
        from .transport import AsyncConnection

        if any(isinstance(connection, AsyncConnection) for connection in self._connections):
            raise MisuseError("a transport with coroutines is ended by `await stop_async()`")
        while self._connections:
            self._connections.pop().close()

    async def stop_async(self) -> None:
        """Does what `stop` does for transports of both kinds."""
        while self._connections:
            ended = self._connections.pop().close()
            if ended is not None:
                await ended

    def shutdown(self) -> None:
        """Takes no more requests, and lets open calls finish. Whatever serves, ends."""
        self._native.shutdown()

    def close(self) -> None:
        """Ends everything at once: open calls are cancelled."""
        self._native.close()

    def _make_context(self, call: _native.Call) -> Context:
        return Context(call, self)

    def _report(self, error: BaseException, call: _native.Call) -> str | None:
        return report(error, call, self.debug)

    def _begin(self) -> None:
        """Serving begins: whatever was to be registered is there."""
        if self._completions:
            from ._completions import misplaced

            for name, problem in misplaced(self):
                if name not in self._reported:
                    self._reported.add(name)
                    warn(problem)

    def _workers(self, workers: int | None) -> int:
        return self.workers if workers is None else workers

    def _attend(self, workers: int | None = None) -> None:
        """From now on handlers run on threads of ours, or with 0 workers on the loop."""
        _know_main_thread()
        self._begin()
        count = self._workers(workers)
        if count == 0:
            self._runs_on_loop = True
            self._native.set_call_wake(self._wake_loop)
        self._native.attend(count)

    def _adopt_loop(self) -> None:
        """The running loop runs async handlers from now on."""
        from ._aio import adopt

        self._begin()
        adopt(self)

    def _wait(self, serving: _native.Serving) -> None:
        _know_main_thread()
        self._begin()
        serving.wait()

    def _run_async(self, served: Any) -> None:
        import asyncio

        from ._aio import interruptible

        try:
            asyncio.run(interruptible(served))
        except (asyncio.CancelledError, KeyboardInterrupt):
            return


def _know_main_thread() -> None:
    """Lets Python know which thread is the main one.

    Python takes the thread that first imports `threading` for it, and waits for it at the end. That
    must not be one of ours, on which some handler happens to import it.
    """
    import threading  # noqa: F401


def _address(host: str, port: int) -> str:
    if host.startswith(("unix:", "/", "./")):
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _announce(serving: _native.Serving, path: str, tell: Callable[[str], object] | None) -> None:
    if tell is not None:
        tell(f"{serving.address}{path}")
