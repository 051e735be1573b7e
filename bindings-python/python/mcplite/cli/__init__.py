"""The command `mcplite`: runs, shows, calls, watches and installs the servers of Python files."""

from __future__ import annotations

import sys

from mcplite.cli.terminal import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_USAGE,
    Failure,
    complain,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_MODULES = {
    "run": "run",
    "inspect": "inspection",
    "call": "call",
    "dev": "dev",
    "install": "install",
}

_HELP = """\
usage: mcplite <command> [options]

Runs and tries out Model Context Protocol servers written with mcplite.

commands:
  run        serve a file's server, over stdio or HTTP
  inspect    show the tools, resources and prompts of a server
  call       call a tool, read a resource or get a prompt
  dev        serve, and reload when the code changes
  install    configure a client (Claude Code, Claude Desktop, Cursor, VS Code, Codex)

options:
  -h, --help     show this; `mcplite <command> --help` says more about a command
  --version      show the version

examples:
  mcplite run server.py
  mcplite inspect server.py
  mcplite call server.py add a=1 b=2
  mcplite install server.py --client claude-code --write

exit codes: 0 done, 1 the tool failed, 2 wrong usage, 3 the file cannot be loaded, 130 interrupted
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and gives the exit code; `argv` is without the program's name."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(arguments)
    except Failure as failure:
        complain(failure)
        return failure.code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; the interpreter must not complain at its end.
        sys.stdout = None
        return EXIT_FAILED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else EXIT_FAILED if end.code else EXIT_OK


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        print(_HELP, end="", file=sys.stderr)
        return EXIT_USAGE
    command, rest = arguments[0], arguments[1:]
    if command in ("-h", "--help", "help"):
        if command == "help" and rest and rest[0] in _MODULES:
            return _dispatch([rest[0], "--help"])
        print(_HELP, end="")
        return EXIT_OK
    if command in ("-V", "--version", "version"):
        from mcplite import __version__

        print(f"mcplite {__version__}")
        return EXIT_OK
    if command not in _MODULES:
        raise Failure(f"there is no command {command!r}", hint=_meant(command), code=EXIT_USAGE)
    module = __import__(f"mcplite.cli.{_MODULES[command]}", fromlist=["execute"])
    code: int = module.execute(rest)
    return code


def _meant(command: str) -> str:
    if command.endswith(".py"):
        return f"try: mcplite run {command}"
    return "the commands are run, inspect, call, dev and install; see mcplite --help"
