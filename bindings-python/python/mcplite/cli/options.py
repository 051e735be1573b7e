"""What is served, and how."""

from __future__ import annotations

import os

from mcplite.cli.terminal import EXIT_USAGE, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mcplite.cli.parsing import Parser

DEFAULT_ADDRESS = "127.0.0.1:8000"


class Options:
    """The options of `run` and `dev`, as they were given."""

    def __init__(self) -> None:
        self.target = ""
        self.http: str | None = None
        self.path = "/mcp"
        self.hosts: list[str] | None = None
        self.workers: int | None = None
        self.inline = False
        self.directory: str | None = None
        self.report: int | None = None
        self.watch: list[str] = []
        self.grace = 5.0

    @property
    def address(self) -> tuple[str, int] | None:
        """Where HTTP is served: HOST:PORT, PORT or HOST, with IPv6 addresses in brackets."""
        text = self.http
        if text is None:
            return None
        if text.isdecimal():
            host, port = "127.0.0.1", text
        elif text.endswith("]") or ":" not in text:
            host, port = text, "8000"
        else:
            host, _, port = text.rpartition(":")
        if not port.isdecimal() or int(port) > 65535:
            raise _usage(f"{text!r} is no address", "write HOST:PORT or PORT")
        return host.strip("[]") or "127.0.0.1", int(port)

    @property
    def settings(self) -> dict[str, Any]:
        """What is said about serving, as keywords of `Server.run` or `Server.run_http`."""
        if self.inline and self.workers:
            raise _usage("--inline means no workers", "give one of the two")
        if self.workers is not None and self.workers < 0:
            raise _usage("--workers cannot be negative")
        workers = 0 if self.inline else self.workers
        settings: dict[str, Any] = {} if workers is None else {"workers": workers}
        if self.http is not None:
            settings["path"] = self.path
            if self.hosts:
                settings["allowed_hosts"] = self.hosts
        elif self.hosts:
            raise _usage("--allow-host is for --http")
        return settings

    def enter_folder(self) -> None:
        """Changes to the folder that was named, if one was."""
        if self.directory is None:
            return
        try:
            os.chdir(self.directory)
        except OSError as error:
            raise _usage(f"cannot change to {self.directory}: {error.strerror}") from None


def add_options(parser: Parser) -> None:
    """The options that say what is served and how."""
    parser.add_argument("target", metavar="file.py[:server]", help="the file or module to serve")
    parser.add_argument(
        "--http",
        nargs="?",
        const=DEFAULT_ADDRESS,
        metavar="HOST:PORT",
        help=f"serve over HTTP, at {DEFAULT_ADDRESS} unless told otherwise",
    )
    parser.add_argument("--path", default="/mcp", help="the path over HTTP (default: /mcp)")
    parser.add_argument(
        "--allow-host",
        dest="hosts",
        action="append",
        metavar="NAME",
        help="a name that clients elsewhere use for this machine, over HTTP",
    )
    parser.add_argument("--workers", type=int, metavar="N", help="how many threads run its tools")
    parser.add_argument(
        "--inline", action="store_true", help="run tools one at a time, without worker threads"
    )
    parser.add_argument(
        "--directory", metavar="FOLDER", help="change to this folder before anything is imported"
    )


def plain(arguments: Sequence[str]) -> Options | None:
    """Reads what clients usually start, without importing a parser; None if there is more to it."""
    options = Options()
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--inline":
            options.inline = True
        elif word == "--http":
            options.http = rest.pop(0) if rest and is_address(rest[0]) else DEFAULT_ADDRESS
        elif word in ("--workers", "--report") and rest and rest[0].isdecimal():
            setattr(options, word[2:], int(rest.pop(0)))
        elif word in ("--path", "--directory") and rest and not rest[0].startswith("-"):
            setattr(options, word[2:], rest.pop(0))
        elif word.startswith("-") or options.target:
            return None
        else:
            options.target = word
    return options if options.target else None


def is_address(text: str) -> bool:
    """Whether what follows `--http` belongs to it, and is not the file."""
    return text.rpartition(":")[2].isdecimal() or text == "localhost"


def _usage(message: str, hint: str | None = None) -> Failure:
    return Failure(message, hint=hint, code=EXIT_USAGE)
