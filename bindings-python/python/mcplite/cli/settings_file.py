"""Adding one server to a client's file without touching anything else in it."""

from __future__ import annotations

import json
import os

from mcplite.cli.terminal import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def json_snippet(member: str, name: str, entry: dict[str, Any]) -> str:
    """The whole file, if there were nothing else in it."""
    return json.dumps({member: {name: entry}}, indent=2, ensure_ascii=False) + "\n"


def toml_snippet(member: str, name: str, entry: dict[str, Any]) -> str:
    """One table, with its own tables below it."""
    return "".join(_tables((member, name), entry))


def merged_json(text: str, member: str, name: str, entry: dict[str, Any], file: str) -> str:
    """The text with the server in it; Failure if that cannot be done without loss."""
    try:
        content = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise _unusable(file, f"it is no valid JSON: {error}") from None
    servers = content.setdefault(member, {}) if isinstance(content, dict) else None
    if not isinstance(servers, dict):
        what = f"its {member} is" if isinstance(content, dict) else "it is"
        raise _unusable(file, f"{what} no JSON object")
    servers[name] = _joined(servers.get(name), entry)
    return json.dumps(content, indent=_indent(text), ensure_ascii=False) + "\n"


def merged_toml(text: str, member: str, name: str, entry: dict[str, Any], file: str) -> str:
    """The text with the server's table in it; Failure if that cannot be done without loss."""
    import tomllib

    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unusable(file, f"it is no valid TOML: {error}") from None
    servers = before.get(member, {})
    if not isinstance(servers, dict):
        raise _unusable(file, f"its {member} is no table")
    joined = _joined(servers.get(name), entry)
    try:
        table = toml_snippet(member, name, joined)
    except TypeError as error:
        raise _unusable(file, str(error)) from None
    after = _with_table(text, (member, name), table)
    # The text was edited line by line; whether that was right is seen by reading it again.
    try:
        is_right = tomllib.loads(after) == {**before, member: {**servers, name: joined}}
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise _unusable(file, f"{member}.{name} is written there in a way that we cannot edit")
    return after


def save(file: str, text: str) -> str | None:
    """Replaces the file in one step; gives the name of the backup, if there was anything before."""
    real = os.path.realpath(file)
    os.makedirs(os.path.dirname(real), exist_ok=True)
    backup = None
    mode = 0o600
    try:
        with open(real, "rb") as old:
            before = old.read()
    except FileNotFoundError:
        pass
    else:
        mode = os.stat(real).st_mode & 0o777
        backup = real + ".bak"
        _write(backup, before, mode)
    _write(real + ".new", text.encode(), mode)
    os.replace(real + ".new", real)
    return backup


def load(file: str) -> str:
    """The text of a file, empty if there is none."""
    try:
        with open(file, encoding="utf-8-sig", newline="") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise _unusable(file, "it is no UTF-8 text") from None


def _write(file: str, data: bytes, mode: int) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with open(descriptor, "wb") as opened:
        opened.write(data)


def _unusable(file: str, why: str) -> Failure:
    return Failure(
        f"{file} was left as it is: {why}",
        hint="put it right, or run the command without --write and paste what it prints",
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {twice!r} is there twice")
    return members


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _joined(old: object, new: dict[str, Any]) -> dict[str, Any]:
    """What was said about a server, with what is said now; a remote server is another one."""
    if not isinstance(old, dict) or "url" in old:
        return new
    joined = {**old, **new}
    if isinstance(old.get("env"), dict) and "env" in new:
        joined["env"] = {**old["env"], **new["env"]}
    return joined


def _indent(text: str) -> int | str:
    for line in text.splitlines()[1:]:
        blank = line[: len(line) - len(line.lstrip())]
        if blank:
            return "\t" if blank[0] == "\t" else len(blank)
    return 2


def _tables(path: tuple[str, ...], table: dict[str, Any]) -> Iterable[str]:
    yield f"[{'.'.join(map(_toml_key, path))}]\n"
    below = {}
    for key, value in table.items():
        if isinstance(value, dict):
            below[key] = value
        else:
            yield f"{_toml_key(key)} = {_toml_value(value)}\n"
    for key, value in below.items():
        yield "\n"
        yield from _tables((*path, key), value)


def _toml_key(key: str) -> str:
    is_bare = key.isascii() and key.replace("-", "a").replace("_", "a").isalnum()
    return key if is_bare else json.dumps(key)


def _toml_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(_toml_value(item) for item in value)}]"
    if isinstance(value, dict):
        members = (f"{_toml_key(key)} = {_toml_value(item)}" for key, item in value.items())
        return f"{{ {', '.join(members)} }}"
    raise TypeError(f"a {type(value).__name__} is set there, which we cannot write")


def _with_table(text: str, path: tuple[str, str], table: str) -> str:
    """Replaces the lines of a table and of those below it, or appends them."""
    kept: list[str] = []
    place = None
    is_ours = False
    for line in text.splitlines(keepends=True):
        header = _header(line)
        if header is not None:
            is_ours = header[: len(path)] == path
        if is_ours and place is None:
            place = len(kept)
        if not is_ours:
            kept.append(line)
    if place is None:
        before = "".join(kept)
        gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
        return before + gap + table
    following = "\n" if place < len(kept) else ""
    return "".join(kept[:place]) + table + following + "".join(kept[place:])


def _header(line: str) -> tuple[str, ...] | None:
    """The path in a line that begins a table."""
    import tomllib

    if not line.lstrip().startswith("["):
        return None
    try:
        found: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    path = []
    while found:
        if isinstance(found, list):
            found = found[0]
            continue
        key, found = next(iter(found.items()))
        path.append(key)
    return tuple(path)
