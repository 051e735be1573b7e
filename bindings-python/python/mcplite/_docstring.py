"""Docstrings in Google, NumPy or Sphinx style, taken apart for schemas."""

from __future__ import annotations

_PARAMETERS = frozenset(
    (
        "args",
        "arguments",
        "parameters",
        "params",
        "keyword args",
        "keyword arguments",
        "other parameters",
        "attributes",
        "fields",
    )
)
_OUTCOMES = frozenset(
    (
        "returns",
        "return",
        "yields",
        "yield",
        "receives",
        "raises",
        "raise",
        "exceptions",
        "except",
        "warns",
    )
)
_FIELD_PARAMETERS = frozenset(
    ("param", "parameter", "arg", "argument", "key", "keyword", "ivar", "cvar", "var")
)
_FIELD_OUTCOMES = frozenset(
    (
        "type",
        "vartype",
        "return",
        "returns",
        "rtype",
        "raise",
        "raises",
        "except",
        "exception",
        "yield",
        "yields",
        "ytype",
    )
)


class Docstring:
    """What a docstring says: the description, and a line for each parameter."""

    __slots__ = ("description", "parameters")

    def __init__(self) -> None:
        self.description: str | None = None
        self.parameters: dict[str, str] = {}


def parse(text: str | None) -> Docstring:
    """Takes a docstring apart.

    The description is the summary and the body; sections on parameters, results and exceptions
    are left out of it, all others, such as notes and examples, stay.
    """
    docstring = Docstring()
    if not text:
        return docstring
    lines = dedent(text)
    kept: list[str] = []
    at = 0
    while at < len(lines):
        end = _section(lines, at, docstring.parameters)
        if end == at:
            kept.append(lines[at])
            at += 1
        else:
            at = end
            if kept and kept[-1]:
                kept.append("")
    description = "\n".join(_single_gaps(kept)).strip()
    docstring.description = description or None
    return docstring


def dedent(text: str) -> list[str]:
    """The lines of a docstring without the indentation of the code around it."""
    lines = [line.rstrip() for line in text.expandtabs().splitlines()]
    margin = min((_indent(line) for line in lines[1:] if line), default=0)
    dedented = [line[margin:] for line in lines[1:]]
    if lines:
        dedented.insert(0, lines[0].lstrip())
    while dedented and not dedented[0]:
        del dedented[0]
    while dedented and not dedented[-1]:
        del dedented[-1]
    return dedented


def _section(lines: list[str], at: int, parameters: dict[str, str]) -> int:
    """Reads the section that begins in this line; gives the line after it, or `at` if none does."""
    line = lines[at]
    following = lines[at + 1] if at + 1 < len(lines) else ""
    if len(following) >= 3 and not following.strip("-") and not line.startswith(" "):
        title = line.lower()
        if title in _PARAMETERS or title in _OUTCOMES:
            end = _numpy_end(lines, at + 2)
            if title in _PARAMETERS:
                _numpy_entries(lines[at + 2 : end], parameters)
            return end
    elif line.endswith(":") and not line.startswith((" ", ":")):
        title = line[:-1].lower()
        if (title in _PARAMETERS or title in _OUTCOMES) and _is_indented(lines, at + 1):
            end = at + 1
            while end < len(lines) and (not lines[end] or lines[end].startswith(" ")):
                end += 1
            if title in _PARAMETERS:
                _google_entries(lines[at + 1 : end], parameters)
            return end
    elif line.lstrip().startswith((":", "@")):
        return _field(lines, at, parameters)
    return at


def _is_indented(lines: list[str], at: int) -> bool:
    while at < len(lines) and not lines[at]:
        at += 1
    return at < len(lines) and lines[at].startswith(" ")


def _google_entries(lines: list[str], parameters: dict[str, str]) -> None:
    margin = min((_indent(line) for line in lines if line), default=0)
    names: list[str] = []
    for line in lines:
        if not line:
            continue
        if _indent(line) > margin:
            _extend(parameters, names, line)
            continue
        head, text = _split_entry(line.strip())
        names = _names(head)
        _extend(parameters, names, text)


def _split_entry(line: str) -> tuple[str, str]:
    """Splits `name (type): text` at the colon that is not within brackets."""
    depth = 0
    for at, letter in enumerate(line):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == ":" and depth <= 0:
            return line[:at].partition("(")[0], line[at + 1 :]
    return "", line


def _numpy_end(lines: list[str], at: int) -> int:
    while at < len(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if len(following) >= 3 and not following.strip("-=") and lines[at]:
            break
        at += 1
    return at


def _numpy_entries(lines: list[str], parameters: dict[str, str]) -> None:
    names: list[str] = []
    for line in lines:
        if line.startswith(" "):
            _extend(parameters, names, line)
        elif line:
            names = _names(line.partition(":")[0])


def _field(lines: list[str], at: int, parameters: dict[str, str]) -> int:
    """Reads a field such as `:param int count: how many` and the lines that continue it."""
    line = lines[at].strip()
    head, colon, text = line[1:].partition(":")
    words = head.split()
    if not colon or not words:
        return at
    role = words[0].lower()
    if role not in _FIELD_PARAMETERS and role not in _FIELD_OUTCOMES:
        return at
    names = _names(words[-1]) if role in _FIELD_PARAMETERS and len(words) > 1 else []
    _extend(parameters, names, text)
    margin = _indent(lines[at])
    at += 1
    while at < len(lines) and _indent(lines[at]) > margin:
        _extend(parameters, names, lines[at])
        at += 1
    return at


def _names(head: str) -> list[str]:
    names = (name.strip().lstrip("*").strip("`") for name in head.split(","))
    return [name for name in names if name.isidentifier()]


def _extend(parameters: dict[str, str], names: list[str], text: str) -> None:
    text = text.strip()
    if text:
        for name in names:
            before = parameters.get(name)
            parameters[name] = f"{before} {text}" if before else text


def _single_gaps(lines: list[str]) -> list[str]:
    return [line for at, line in enumerate(lines) if line or (at and lines[at - 1])]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
