"""The text format of an HTTP transcript (described in tests/http/transcripts/README.md)."""

import json
from dataclasses import dataclass, field


@dataclass
class Block:
    """What came of one exchange in one step: its head, if it is new, and lines of its body."""

    number: int
    name: str
    status: int | None
    is_open: bool
    lines: list[str] = field(default_factory=list)

    @property
    def headers(self):
        """Pairs of the names, in lower case, and values of the head."""
        if self.status is None:
            return []
        end = self.lines.index("") if "" in self.lines else len(self.lines)
        pairs = [line.split(": ", 1) for line in self.lines[:end]]
        return sorted((name.lower(), value) for name, value in pairs)

    @property
    def body(self):
        """The lines of the body."""
        if self.status is None:
            return self.lines
        return self.lines[self.lines.index("") + 1:] if "" in self.lines else []


@dataclass
class Step:
    """A request, or a host action, and what comes of it."""

    number: int
    action: str | None = None
    line: str = ""
    headers: list[str] = field(default_factory=list)
    # Bytes, or text that may have placeholders; None for no body.
    body: bytes | str | None = None
    told: str | None = None
    blocks: list[Block] = field(default_factory=list)

    @property
    def name(self):
        return self.line.partition(" as ")[2]


@dataclass
class Transcript:
    path: object
    options: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def sans_io(self):
        """Why a socket cannot play it, or None."""
        reasons = [option.partition(" ")[2] for option in self.options
                   if option.startswith("sans-io")]
        return reasons[0] if reasons else None


class FormatError(Exception):
    """A line that is not of the format."""


def read(path):
    """Parse the transcript at `path`; raises FormatError."""
    transcript = Transcript(path)
    in_request, in_body = False, False
    lines = path.read_bytes().decode("utf-8").split("\n")
    if not lines[0].startswith("# "):
        raise FormatError("1: the first line must be a comment that says what the file pins")
    for number, line in enumerate(lines, start=1):
        mark, _, rest = line.partition(" ")
        if mark == ">" and not in_request:
            transcript.steps.append(Step(number, line=rest))
            in_request, in_body = True, False
            continue
        in_request = in_request and mark in (">", ">>")
        step = transcript.steps[-1] if transcript.steps else None
        if not line or mark == "#":
            continue
        if mark == "@" and step is None:
            transcript.options.append(rest)
        elif in_request and in_body:
            step.body = json.loads(rest).encode("latin-1") if mark == ">>" else rest
        elif in_request and rest:
            step.headers.append(rest)
        elif in_request:
            in_body = True
        elif mark == "!":
            transcript.steps.append(Step(number, action=rest))
        elif mark == "=" and step:
            step.told = rest
        elif mark == "<<" and step:
            step.blocks.append(_block(number, rest))
        elif mark == "<" and step and step.blocks:
            step.blocks[-1].lines.append(rest)
        else:
            raise FormatError(f"{number}: cannot be read")
    return transcript


def find(paths):
    """Every transcript in `paths` (files, or directories of `*.txt`), in order of name."""
    found = []
    for path in paths:
        found += sorted(path.glob("*.txt")) if path.is_dir() else [path]
    return found


def _block(number, title):
    words = title.split(" ")
    is_open = words[-1] == "open"
    if is_open:
        words.pop()
    status = int(words.pop()) if words and words[-1].isdigit() else None
    return Block(number, words[0] if words else "", status, is_open)


def usual_headers(method, body):
    """The headers that a request has unless it says otherwise."""
    headers = [("Host", "localhost:8080")]
    if method == "POST":
        headers += [("Content-Type", "application/json"),
                    ("Accept", "application/json, text/event-stream")]
    elif method == "GET":
        headers.append(("Accept", "text/event-stream"))
    if body is not None:
        headers.append(("Content-Length", str(len(body))))
    return headers
