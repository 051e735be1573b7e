"""The text format of a transcript (described in tests/transcripts/README.md)."""

import json
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class ServerLine:
    """One exact line of server output."""

    number: int
    text: str


@dataclass
class Step:
    """A client line (`data` is its bytes) or a host action (`data` is None), and what it causes."""

    number: int
    data: bytes | None
    action: str = ""
    answers: list[ServerLine] = field(default_factory=list)


@dataclass
class Transcript:
    path: Path
    directives: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)


class FormatError(Exception):
    """A line that is not of the transcript format."""

    def __init__(self, line, reason):
        super().__init__(reason)
        self.line = line
        self.reason = reason


def read(path):
    """Parse the transcript at `path`; raises FormatError."""
    transcript = Transcript(path)
    # Only "\n" ends a line here: str.splitlines would also split at what must be reported.
    lines = path.read_bytes().decode("utf-8").split("\n")
    if not lines[0].startswith("#"):
        raise FormatError(1, "the first line must be a comment that says what the file pins")
    for number, line in enumerate(lines, start=1):
        _read_line(transcript, number, line)
    return transcript


def find(paths):
    """Every transcript in `paths` (files, or directories of `*.txt`), in order of name."""
    found = []
    for path in paths:
        found += sorted(path.glob("*.txt")) if path.is_dir() else [path]
    return found


def _read_line(transcript, number, line):
    mark, _, rest = line.partition(" ")
    if not line or line.startswith("#"):
        return
    if mark == "@":
        _read_directive(transcript, number, rest)
    elif mark == ">":
        transcript.steps.append(Step(number, rest.encode("utf-8")))
    elif mark == ">>":
        transcript.steps.append(Step(number, _raw_bytes(number, rest)))
    elif mark == "!":
        transcript.steps.append(Step(number, None, rest))
    elif mark == "<":
        if not transcript.steps:
            raise FormatError(number, "a server line before the first step")
        transcript.steps[-1].answers.append(ServerLine(number, rest))
    else:
        raise FormatError(number, "a line must start with '#', '@ ', '> ', '>> ', '! ' or '< '")


def _read_directive(transcript, number, rest):
    key, _, value = rest.partition(" ")
    if transcript.steps:
        raise FormatError(number, "a directive after the first step")
    if not key or key in transcript.directives:
        raise FormatError(number, "a directive needs a key that was not given before")
    transcript.directives[key] = value


def _raw_bytes(number, text):
    """The bytes of a `>>` line: a JSON string whose characters are the byte values."""
    try:
        return json.loads(text).encode("latin-1")
    except (ValueError, AttributeError):
        raise FormatError(number, "'>> ' needs a JSON string of the characters U+0000 to U+00FF")
