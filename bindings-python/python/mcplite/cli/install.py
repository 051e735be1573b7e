"""`mcplite install`: configures a client to start the server."""

from __future__ import annotations

import os
import sys

from mcplite.cli import settings_file
from mcplite.cli.terminal import EXIT_OK, EXIT_USAGE, Failure, note, write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from mcplite.cli.target import Target

_DESCRIPTION = """\
Prints what a client's configuration needs to start the server, and where it belongs; with --write,
adds it there. Other entries stay as they are, and the file as it was is kept beside it as .bak."""

_EXAMPLES = """\
examples:
  mcplite install server.py --client claude-code
  mcplite install server.py --client claude-desktop --write
  mcplite install server.py:server --client codex --name tools --env API_KEY=abc --write
  mcplite install package.module --client cursor --scope user --python .venv/bin/python
"""


def execute(arguments: Sequence[str]) -> int:
    """Runs the command with its arguments."""
    from mcplite.cli.clients import CLIENTS
    from mcplite.cli.parsing import Namespace, Parser
    from mcplite.cli.target import Target

    parser = Parser("install", description=_DESCRIPTION, epilog=_EXAMPLES)
    parser.add_argument("target", metavar="file.py[:server]", help="the file or module to install")
    parser.add_argument("--client", required=True, choices=list(CLIENTS), help="which client")
    parser.add_argument("--name", help="the client's name for it (default: the server's own)")
    parser.add_argument(
        "--env", action="append", default=[], metavar="K=V", help="an environment variable it needs"
    )
    parser.add_argument("--write", action="store_true", help="change the file instead of printing")
    parser.add_argument("--python", metavar="PATH", help="the interpreter (default: this one)")
    parser.add_argument(
        "--scope", choices=["project", "user"], help="for this folder, or for everything you do"
    )
    options = parser.parse(arguments, Namespace())
    env = _environment(options.env)
    target = Target(options.target)
    client = CLIENTS[options.client]
    file = client.file(options.scope, os.getcwd())
    name = _name(options, target, env)
    entry = client.entry(_python(options.python), _arguments(target), env)
    if not options.write:
        snippet = settings_file.toml_snippet if client.is_toml else settings_file.json_snippet
        note(f"add this to {file}, or let --write do it; then {client.after}")
        print(snippet(client.member, name, entry), end="")
        return EXIT_OK
    text = settings_file.load(file)
    merge = settings_file.merged_toml if client.is_toml else settings_file.merged_json
    blank = "" if client.is_toml else "{}"
    merged = merge(text if text.strip() else blank, client.member, name, entry, file)
    if merged == text:
        note(f"{file} has {name} already")
        return EXIT_OK
    try:
        backup = settings_file.save(file, merged)
    except OSError as error:
        raise Failure(f"cannot write {file}: {error.strerror}") from None
    write_error(f"{file}: {name} is configured for {client.title}")
    if backup is not None:
        write_error(f"  as it was: {backup}")
    write_error(f"  now {client.after}")
    return EXIT_OK


def _environment(pairs: Sequence[str]) -> dict[str, str]:
    env = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Failure(f"--env {pair!r} has no value", hint="write K=V", code=EXIT_USAGE)
        env[name] = value
    return env


def _name(options: Namespace, target: Target, env: dict[str, str]) -> str:
    """The name that the user wants, else the server's, of which only plain characters are kept."""
    name: str = options.name or ""
    if not name and options.python is None:
        from mcplite.cli.quiet import Quiet

        os.environ.update(env)
        try:
            with Quiet():
                name = target.load().name
        except Failure as failure:
            failure.hint = failure.hint or "to install it all the same, give it a --name"
            raise
    plain = "".join(c if c.isascii() and c.isalnum() or c in "-_" else "-" for c in name)
    return plain.strip("-") or target.stem


def _python(chosen: str | None) -> str:
    if chosen is None:
        return sys.executable
    if os.sep not in chosen:
        from shutil import which

        found = which(chosen)
        if found is None:
            raise Failure(f"there is no {chosen} on the PATH", hint="see --python", code=EXIT_USAGE)
        return found
    # A virtual environment is known by its own link to the interpreter, which is therefore kept.
    path = os.path.abspath(chosen)
    if not os.access(path, os.X_OK):
        raise Failure(f"{chosen} is no program", hint="see --python", code=EXIT_USAGE)
    return path


def _arguments(target: Target) -> list[str]:
    where = target.place + (f":{target.attribute}" if target.attribute else "")
    if target.is_file:
        return ["-m", "mcplite", "run", where]
    return ["-m", "mcplite", "run", where, "--directory", target.folder]
