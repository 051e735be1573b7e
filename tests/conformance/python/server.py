#!/usr/bin/env python3
"""The server that the official conformance suite talks to: server.py [--asgi] FIXTURES

It offers what the file of fixtures says, on a port of its own choice: with the listener of the
engine, or as an ASGI application under uvicorn. The first line of its output is its URL; it ends
when its input ends.
"""

from __future__ import annotations

import argparse
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from mcplite import Server

import fixtures

PATH = "/mcp"
RETRY_MS = 500


def after_input(end: Callable[[], object]) -> None:
    def wait() -> None:
        sys.stdin.buffer.read()
        end()

    threading.Thread(target=wait).start()


def announce(url: str) -> None:
    print(url, flush=True)


def serve_natively(server: Server) -> None:
    after_input(server.shutdown)
    server.run_http(port=0, path=PATH, retry_ms=RETRY_MS, on_listening=announce)


def serve_with_uvicorn(server: Server) -> None:
    import uvicorn

    app = server.asgi(PATH, retry_ms=RETRY_MS)
    web = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))

    def end() -> None:
        server.shutdown()
        web.should_exit = True

    after_input(end)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        # Whoever connects from now on is answered, if not at once.
        announce("http://{}:{}{}".format(*listener.getsockname(), PATH))
        web.run(sockets=[listener])


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--asgi", action="store_true")
    parser.add_argument("fixtures", type=Path)
    chosen = parser.parse_args()
    server = fixtures.load(chosen.fixtures)
    if chosen.asgi:
        serve_with_uvicorn(server)
    else:
        serve_natively(server)


if __name__ == "__main__":
    main()
