"""A client in the same process, for the commands that show and call."""

from __future__ import annotations

import sys

from mcplite.cli.terminal import Failure, styled, write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mcplite import Server
    from mcplite.cli.parsing import Parser
    from mcplite.testing import Client

_LEVELS = {"debug": "dim", "info": "cyan", "notice": "cyan", "warning": "yellow"}


def add_era(parser: Parser) -> None:
    """The option that says which revision of the protocol is spoken."""
    parser.add_argument(
        "--era",
        metavar="ERA",
        help="modern, legacy, or a revision such as 2025-06-18 (default: the newest it speaks)",
    )


def connect(server: Server, era: str | None) -> Client:
    """Opens a client for the server; Failure if the two have no revision in common."""
    from mcplite.errors import McpError, MisuseError

    wishes = ("modern", "legacy") if era is None else (era,)
    for wish in wishes:
        try:
            return _hearing_at_once(_client(server, wish).__enter__())
        except MisuseError as error:
            raise Failure(str(error), hint="see --era", code=2) from None
        except McpError as error:
            refusal = error
    raise Failure(f"the server refuses: {refusal}", hint="try another --era")


def _client(server: Server, era: str) -> Client:
    from mcplite import __version__
    from mcplite.cli.questions import answer
    from mcplite.testing import Client

    return Client(
        server,
        era=era,
        on_elicit=answer,
        on_roots=_roots,
        on_log=_tell_log,
        on_progress=_tell_progress,
        timeout=None,
        raise_on_error=False,
        client_info={"name": "mcplite", "version": __version__},
    )


def _hearing_at_once(client: Client) -> Client:
    """Lets progress and logs be told while a tool works, also if it works on this thread."""
    from _thread import get_ident, interrupt_main
    from threading import Timer

    own = get_ident()

    def hear() -> None:
        # A client belongs to one thread; what other threads cause, it hears when it waits.
        if get_ident() == own:
            try:
                client._hear()
            except KeyboardInterrupt:
                # It cannot leave from here; soon the tool runs again, and it can from there.
                again = Timer(0.05, interrupt_main)
                again.daemon = True
                again.start()

    if client._session is not None:
        client._session.set_wake(hear)
    return client


def catalog(client: Client) -> dict[str, list[dict[str, Any]]]:
    """Everything that the server lists, by the protocol's names."""
    offered = client.server_capabilities
    return {
        "tools": client.list_tools() if "tools" in offered else [],
        "resources": client.list_resources() if "resources" in offered else [],
        "resourceTemplates": client.list_templates() if "resources" in offered else [],
        "prompts": client.list_prompts() if "prompts" in offered else [],
    }


def _roots() -> list[str]:
    from pathlib import Path

    return [Path.cwd().as_uri()]


def _tell_log(level: str, data: Any, logger: str | None) -> None:
    import json

    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    label = styled(f"{level}:", _LEVELS.get(level, "red"), sys.stderr)
    write_error(f"{label} {logger + ': ' if logger else ''}{text}")


def _tell_progress(progress: float, total: float | None, message: str | None) -> None:
    count = f"{progress:g}" if total is None else f"{progress:g}/{total:g}"
    label = styled("progress:", "dim", sys.stderr)
    write_error(f"{label} {count}{' ' + message if message else ''}")
