"""Telling the developer what went wrong in a handler."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import _native


def report(error: BaseException, call: _native.Call, debug: bool) -> str | None:
    """Reports an exception with its traceback: to `logging` if the program uses it, else to stderr.

    Gives the stack trace if clients may see it.
    """
    what = f"{call.method} {call.name}".rstrip()
    trace = error.__traceback__
    logging = sys.modules.get("logging")
    if logging is not None and logging.getLogger("mcplite").hasHandlers():
        logging.getLogger("mcplite").error("%s failed", what, exc_info=(type(error), error, trace))
    else:
        from traceback import print_exception

        print(f"mcplite: {what} failed", file=sys.stderr)
        print_exception(type(error), error, trace)
    if not debug:
        return None
    from traceback import format_exception

    return "".join(format_exception(type(error), error, trace))


def warn(text: str) -> None:
    """Tells of a mistake with which the program can go on, to the same places."""
    logging = sys.modules.get("logging")
    if logging is not None and logging.getLogger("mcplite").hasHandlers():
        logging.getLogger("mcplite").warning("%s", text)
    else:
        print(f"mcplite: {text}", file=sys.stderr)


def divert_output() -> None:
    """Writes to standard error what was printed and not written yet: it is not for the client."""
    output = sys.stdout
    try:
        if output is None or output.fileno() != 1:
            return
    except (AttributeError, OSError, ValueError):
        return
    client = os.dup(1)
    try:
        os.dup2(2, 1)
        output.flush()
    except (OSError, ValueError):
        return
    finally:
        os.dup2(client, 1)
        os.close(client)
