"""Answering a server's questions at the terminal."""

from __future__ import annotations

import json
import sys

from mcplite.cli.schema import Field, fields, in_words
from mcplite.cli.terminal import note, styled, write_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DECLINED: dict[str, Any] = {"action": "decline"}


def is_answerable() -> bool:
    """Whether a person sits in front of the program."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def answer(params: dict[str, Any]) -> dict[str, Any]:
    """Asks the person what `elicitation/create` asks; declines if there is none."""
    message = str(params.get("message", ""))
    if not is_answerable():
        note(f"declined, since there is nobody to ask: {message}")
        return _DECLINED
    write_error(styled(message, "bold", sys.stderr))
    try:
        if params.get("mode") == "url":
            return _visit(str(params.get("url", "")))
        return _fill_in(params.get("requestedSchema"))
    except EOFError:
        write_error("")
        note("declined")
        return _DECLINED


def _visit(url: str) -> dict[str, Any]:
    write_error(f"  open {url}")
    _prompt("  then press Enter (Ctrl-D declines) ")
    return {"action": "accept"}


def _fill_in(schema: Any) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, field, is_required in fields(schema):
        value = _ask(name, field, is_required)
        if value is not None:
            content[name] = value
    if not content and not list(fields(schema)):
        if _prompt("  agree? [y/N] ").strip().lower() not in ("y", "yes"):
            return _DECLINED
    return {"action": "accept", "content": content}


def _ask(name: str, field: Field, is_required: bool) -> Any:
    default = field.default
    shown = "" if default is None else f" [{in_words(default)}]"
    about = f" {styled(field.description, 'dim', sys.stderr)}" if field.description else ""
    write_error(f"  {name} ({field.label}{'' if is_required else ', optional'}){about}")
    while True:
        text = _prompt(f"  {name}{shown}: ")
        if not text and default is not None:
            return default
        if not text and not is_required:
            return None
        if field.types == {"array"} and not text.startswith("["):
            text = json.dumps([part.strip() for part in text.split(",") if part.strip()])
        try:
            return field.read(text)
        except ValueError as error:
            write_error(f"  it {error}")


def _prompt(text: str) -> str:
    sys.stderr.write(text)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\r\n")
