"""`mcplite run`: serves a file's server over stdio or HTTP."""

from __future__ import annotations

import sys

from mcplite.cli.options import Options, add_options, plain
from mcplite.cli.quiet import Quiet
from mcplite.cli.target import Target
from mcplite.cli.terminal import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, Failure, note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType
    from typing import Any

    from mcplite import Server

_DESCRIPTION = """\
Imports a file or module, finds the server in it, and serves it: over standard input and output, or
over HTTP with --http. What the program prints goes to standard error, never among the messages."""

_EXAMPLES = """\
examples:
  mcplite run server.py                        the only server of the file, over stdio
  mcplite run server.py:server                 the one with this name, or what this function makes
  mcplite run package.module --http            http://127.0.0.1:8000/mcp
  mcplite run server.py --http 0.0.0.0:9000 --path /tools --allow-host tools.example.com
"""


def execute(arguments: Sequence[str]) -> int:
    """Runs the command with its arguments."""
    options = plain(arguments)
    if options is None:
        from argparse import SUPPRESS

        from mcplite.cli.parsing import Parser

        parser = Parser("run", description=_DESCRIPTION, epilog=_EXAMPLES)
        add_options(parser)
        parser.add_argument("--report", type=int, help=SUPPRESS)
        options = parser.parse(arguments, Options())
    return serve(options)


def serve(options: Options) -> int:
    """Serves until the client is gone, or for HTTP until it is interrupted."""
    where = options.address
    settings = options.settings
    options.enter_folder()
    place = Target(options.target)
    watched = None
    if options.report is not None:
        from mcplite.cli.watch import Reporter

        watched = Reporter(options.report, place.root)
    try:
        with Quiet(input_too=where is None):
            server = place.load()
        if where is None:
            # For good: what is in a buffer at the end must not come out among the messages.
            sys.stdout = sys.stderr
    except Failure as failure:
        if watched is not None:
            watched.start(failure.files)
        raise
    if watched is not None:
        watched.start()
    try:
        if where is None:
            return _attended(server, server.run, server.serve_stdio, settings)
        settings |= {"host": where[0], "port": where[1], "on_listening": _tell_address}
        return _attended(server, server.run_http, server.serve_http, settings)
    except (OSError, RuntimeError) as error:
        raise Failure(
            f"cannot serve {place.label}: {error}",
            hint=f"is {options.http} free, and yours to use?" if where else None,
            code=EXIT_FAILED,
        ) from None


def _attended(
    server: Server, run: Callable[..., None], serve: Callable[..., Any], settings: dict[str, Any]
) -> int:
    """Serves, and gives the exit code: `run` itself ends as well by Ctrl-C as without."""
    if server._has_async:
        import asyncio

        from .._aio import interruptible

        try:
            asyncio.run(interruptible(serve(**settings)))
        except asyncio.CancelledError:
            return EXIT_INTERRUPTED
        return EXIT_OK
    # The public module takes milliseconds to import, for its enumerations.
    import _signal  # type: ignore[import-not-found]

    # Whichever thread imports this first is the main thread to Python, which waits for it at the
    # end: it must not be one that runs tools.
    __import__("threading")
    codes = [EXIT_OK]

    def interrupt(number: int, frame: FrameType | None) -> None:
        codes.append(EXIT_INTERRUPTED)
        _signal.default_int_handler(number, frame)

    # Whoever started us may have had it ignored.
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, interrupt)
    run(**settings)
    return codes[-1]


def _tell_address(url: str) -> None:
    note(f"serving at {url} (Ctrl-C ends it)")
