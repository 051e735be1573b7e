"""`mcplite dev`: serves, and starts the server anew when its code changes."""

from __future__ import annotations

from mcplite.cli.options import Options, add_options
from mcplite.cli.terminal import EXIT_OK, EXIT_USAGE, Failure, note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcplite.cli.child import Child, Nursery

_DESCRIPTION = """\
Serves like `mcplite run`, and reloads when a file that the program imported has changed. The
client's connection stays: calls that run are waited for, the handshake is repeated behind its back,
and it is told that the lists have changed. With --http the process is restarted."""

_EXAMPLES = """\
examples:
  mcplite dev server.py                        what a client starts instead of `mcplite run`
  mcplite dev server.py --http 9000
  mcplite dev server.py --watch prompts.toml   reload also when this file changes
"""


def execute(arguments: Sequence[str]) -> int:
    """Runs the command with its arguments."""
    from mcplite.cli.child import Nursery
    from mcplite.cli.parsing import Parser
    from mcplite.cli.target import Target

    parser = Parser("dev", description=_DESCRIPTION, epilog=_EXAMPLES)
    add_options(parser)
    parser.add_argument(
        "--watch", action="append", default=[], metavar="FILE", help="reload when this changes too"
    )
    parser.add_argument(
        "--grace",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="how long running calls are waited for before a reload (default: 5)",
    )
    options = parser.parse(arguments, Options())
    if options.grace < 0:
        raise Failure("--grace cannot be negative", code=EXIT_USAGE)
    # What is wrong with them is told now, not by every process that is started.
    where, _ = options.address, options.settings
    options.enter_folder()
    nursery = Nursery(Target(options.target), _passed_on(options), options.watch)
    _end_on_termination()
    if where is not None:
        return _supervise(nursery, options.grace)
    from mcplite.cli.relay import Relay

    return Relay(nursery, grace=options.grace).run()


def _passed_on(options: Options) -> list[str]:
    passed = []
    if options.http is not None:
        passed += ["--http", options.http, "--path", options.path]
        for host in options.hosts or ():
            passed += ["--allow-host", host]
    if options.inline:
        passed.append("--inline")
    elif options.workers is not None:
        passed += ["--workers", str(options.workers)]
    return passed


def _end_on_termination() -> None:
    """Makes the end by SIGTERM an orderly one, so that no process is left behind."""
    from signal import SIGTERM, signal

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    signal(SIGTERM, end)


def _supervise(nursery: Nursery, grace: float) -> int:
    """Keeps one process that serves over HTTP, with the code as it is."""
    from mcplite.cli.watch import INTERVAL

    child: Child | None = nursery.start(is_piped=False)
    try:
        while True:
            child = _attend(child, nursery, INTERVAL)
            changed = nursery.look()
            if changed:
                note(f"{nursery.name(changed)} changed, reloading")
                if child is not None:
                    _interrupt(child, grace)
                child = nursery.start(is_piped=False)
    finally:
        if child is not None:
            _interrupt(child, grace)
    return EXIT_OK


def _attend(child: Child | None, nursery: Nursery, seconds: float) -> Child | None:
    """Waits, and takes what the process reports; None if it has ended."""
    from select import select
    from time import monotonic, sleep

    if child is None:
        sleep(seconds)
        return None
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0:
        is_over = select([child.reports], [], [], left)[0] and not child.take_report()
        if is_over or child.process.poll() is not None:
            nursery.tell_end(child.end(5.0))
            child.close()
            return None
    return child


def _interrupt(child: Child, grace: float) -> None:
    from signal import SIGINT

    if child.process.poll() is None:
        child.process.send_signal(SIGINT)
    child.end(grace)
    child.close()
