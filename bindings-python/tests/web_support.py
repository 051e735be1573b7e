"""Requests of both eras, and web servers on loopback to send them to."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from contextlib import contextmanager
from importlib import import_module
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import httpx
import hypercorn.asyncio
import hypercorn.config
import uvicorn
import waitress.server

if TYPE_CHECKING:
    from collections.abc import Iterator

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def modern(method: str, params: dict[str, Any] | None = None, id: object = 1) -> dict[str, Any]:
    """Headers and content of a request of 2026-07-28, as httpx takes them."""
    params = params or {}
    headers = {**JSON, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    name = params.get("name", params.get("uri"))
    if name is not None:
        headers["Mcp-Name"] = name
    meta = {**META, **params.get("_meta", {})}
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": meta}}
    return {"headers": headers, "content": json.dumps(message).encode()}


def call(name: str, arguments: dict[str, Any] | None = None, *, token: str = "") -> dict[str, Any]:
    """A call of a tool by a client of 2026-07-28, which wants to hear of progress by `token`."""
    meta = {"progressToken": token} if token else {}
    params = {"name": name, "arguments": arguments or {}, "_meta": meta}
    return modern("tools/call", params)


def legacy(
    method: str, params: dict[str, Any] | None = None, *, session: str = "", id: object = 1
) -> dict[str, Any]:
    """Headers and content of a message of 2025-11-25; without `id`, a notification."""
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    if id is not None:
        message["id"] = id
    headers = dict(JSON)
    if session:
        headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
    return {"headers": headers, "content": json.dumps(message).encode()}


INITIALIZE = legacy(
    "initialize",
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
)


def open_session(client: httpx.Client, path: str) -> str:
    """Initializes, and gives the id of the session."""
    reply = client.post(path, **INITIALIZE)
    assert reply.status_code == 200, reply.text
    session = reply.headers["mcp-session-id"]
    ready = legacy("notifications/initialized", session=session, id=None)
    assert client.post(path, **ready).status_code == 202
    return session


def text_of(reply: httpx.Response) -> str:
    """The text that a tool has answered with."""
    assert reply.status_code == 200, reply.text
    text = reply.json()["result"]["content"][0]["text"]
    assert isinstance(text, str)
    return text


def messages(reply: httpx.Response) -> Iterator[dict[str, Any]]:
    """The messages of a stream of events, as they come."""
    assert reply.headers["content-type"] == "text/event-stream"
    for line in reply.iter_lines():
        if line.startswith("data:") and len(line) > len("data: "):
            yield json.loads(line.removeprefix("data:"))


@contextmanager
def client_of(port: int) -> Iterator[httpx.Client]:
    url = f"http://127.0.0.1:{port}"
    with httpx.Client(base_url=url, timeout=20, trust_env=False) as client:
        yield client


def listening() -> socket.socket:
    """A socket to which clients can connect before anybody accepts."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


@contextmanager
def under_uvicorn(app: Any, **options: Any) -> Iterator[httpx.Client]:
    """A client of an ASGI application that uvicorn serves on a thread."""
    for name in {"httptools", "uvloop"} & set(options.values()):
        # Not first on the thread, where nobody would see that it is missing.
        import_module(name)
    options = {"log_level": "error", "ws": "none", **options}
    server = uvicorn.Server(uvicorn.Config(app, **options))
    listener = listening()
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        with client_of(listener.getsockname()[1]) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextmanager
def under_hypercorn(app: Any) -> Iterator[httpx.Client]:
    """A client of an ASGI application that hypercorn serves on a thread."""
    config = hypercorn.config.Config()
    listener = listening()
    port = listener.getsockname()[1]
    config.bind = [f"fd://{listener.fileno()}"]
    config.loglevel = "ERROR"
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    def serve() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            served = hypercorn.asyncio.serve(app, config, shutdown_trigger=over.wait, mode="asgi")
            runner.run(served)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with client_of(port) as client:
            yield client
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        listener.detach()


@contextmanager
def under_waitress(app: Any, threads: int = 4) -> Iterator[httpx.Client]:
    """A client of a WSGI application that waitress serves on threads."""
    listener = listening()
    server = waitress.server.create_server(app, sockets=[listener], threads=threads)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        with client_of(listener.getsockname()[1]) as client:
            yield client
    finally:
        server.trigger.pull_trigger(server.close)
        thread.join()
        server.task_dispatcher.shutdown()
        listener.close()


class _ThreadedServer(ThreadingMixIn, WSGIServer):
    daemon_threads = False


class _QuietHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Tests have their own words."""


@contextmanager
def under_wsgiref(app: Any) -> Iterator[httpx.Client]:
    """A client of a WSGI application that the standard library serves, with threads."""
    server = _ThreadedServer(("127.0.0.1", 0), _QuietHandler)
    server.set_app(app)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        with client_of(server.server_port) as client:
            yield client
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
