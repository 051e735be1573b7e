"""Reading and playing HTTP transcripts; `tests/http/transcripts/README.md` has the format."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from mcplite._native import Exchange
from mcplite.errors import MisuseError

from .endpoint import made
from .player import bytes_of, options_of
from .stage import Options
from .states import States

Feed = Callable[[Exchange, bytes], None]


def whole_body(exchange: Exchange, body: bytes) -> None:
    """Hands in a body at once."""
    exchange.body(body)


def byte_by_byte(exchange: Exchange, body: bytes) -> None:
    """Hands in a body in the smallest pieces."""
    for byte in body:
        exchange.body(bytes([byte]))


def play(text: str, feed: Feed) -> str:
    """The text with its server lines replaced by what the engine says."""
    player = HttpPlayer(options_of(text), feed)
    lines = text.split("\n")
    out: list[str] = []
    is_gap = False
    while lines:
        line = lines.pop(0)
        mark, _, rest = line.partition(" ")
        is_gap |= not line
        if mark in ("<", "<<", "=", ""):
            continue
        if is_gap:
            out.append("")
            is_gap = False
        out.append(line)
        if mark == ">":
            block = []
            while lines and lines[0].startswith(">"):
                block.append(lines.pop(0))
            out += block
            player.open(rest, block)
        elif mark == "!":
            told = player.act(rest)
            out += [f"= {told}"] if told else []
        elif mark in ("#", "@"):
            continue
        else:
            raise LookupError(f"unknown mark {mark}")
        out += player.hear()
    return "\n".join(out) + "\n"


class HttpPlayer:
    """A transcript in the middle of being played."""

    def __init__(self, options: Options, feed: Feed) -> None:
        self._stage, self._http = made(options)
        self._feed = feed
        self._talks: list[Talk] = []
        self._sessions: list[str] = []
        self._states = States()

    def open(self, first: str, block: list[str]) -> None:
        """Sends a request: its first line, then headers, then perhaps a body."""
        request, _, name = self._fill_in(first).partition(" as ")
        method, _, target = request.partition(" ")
        end = block.index(">") if ">" in block else len(block)
        headers = [self._fill_in(line[2:]) for line in block[:end]]
        body = None
        for line in block[end + 1 :]:
            mark, _, rest = line.partition(" ")
            body = bytes_of(rest) if mark == ">>" else self._fill_in(rest).encode()
        assert not any(talk.name == name for talk in self._talks if name), f"two are named {name}"
        exchange = self._http.open(method, target)
        exchange.headers(_with_usual(method, headers, body))
        if body is not None:
            self._feed(exchange, body)
        exchange.end()
        self._talks.append(Talk(name, exchange))

    def act(self, action: str) -> str | None:
        """Does what the host or a client's connection does; gives what is learned by it."""
        verb, one, two = [*action.split(" ", 2), "", ""][:3]
        held = self._stage.memory.held
        if verb == "drop":
            talk = self._talk(one)
            talk.is_over = True
            talk.exchange.close()
        elif verb == "progress":
            held[one].progress(float(two))
        elif verb == "close-stream":
            try:
                held[one].close_stream()
            except MisuseError:
                return "refused"
            return "closed"
        elif verb == "cancelled":
            return "yes" if held[one].is_cancelled else "no"
        elif verb == "unmount":
            self._http.unmount(one)
        else:
            self._stage.act(action)
        return None

    def hear(self) -> list[str]:
        """What has come of every exchange since the last time."""
        out = []
        for talk in self._talks:
            if talk.is_over:
                continue
            title, lines = talk.hear()
            assert talk.is_over or talk.name, "what stays open needs a name"
            if title is not None:
                out.append(" ".join(["<<", *title]))
                out += [f"< {line}".rstrip(" ") if not line else f"< {line}" for line in lines]
            self._note(lines)
        self._talks = [talk for talk in self._talks if talk.name or not talk.is_over]
        return out

    def _note(self, lines: list[str]) -> None:
        for line in lines:
            found = re.match(r"Mcp-Session-Id: (.*)", line) or re.search(r"\?sessionId=(.*)", line)
            if found:
                self._sessions.append(found[1])
            message = line.removeprefix("data: ")
            if message.startswith("{"):
                self._states.note(message)

    def _talk(self, name: str) -> Talk:
        return next(talk for talk in self._talks if talk.name == name)

    def _fill_in(self, line: str) -> str:
        line = self._states.fill_in(line)
        line = re.sub(r"\$SESSION(\d+)", self._session_of, line)
        return re.sub(
            r"\$EVENT\[(\S+) (\d+)]", lambda it: self._talk(it[1]).event_ids[int(it[2])], line
        )

    def _session_of(self, found: re.Match[str]) -> str:
        return self._sessions[int(found[1]) - 1]


@dataclass
class Talk:
    """An exchange, and what was heard of its response."""

    name: str
    exchange: Exchange
    event_ids: list[str] = field(default_factory=list)
    has_head: bool = False
    is_over: bool = False

    def hear(self) -> tuple[list[str] | None, list[str]]:
        """What is new, as the words of its title and its lines; no title if there is nothing."""
        status = self.exchange.status
        if status is None:
            return None, []
        title, lines = [self.name] if self.name else [], []
        if not self.has_head:
            title.append(str(status))
            for name, value in self.exchange.response_headers:
                lines.append(f"{_written(name.decode())}: {value.decode()}")
        body = self._body()
        rows = body.split("\n")[:-1] if body.endswith("\n") else body.split("\n") if body else []
        self.event_ids += [row.removeprefix("id: ") for row in rows if row.startswith("id: ")]
        if body and not self.has_head:
            lines.append("")
        lines += rows
        self.is_over = self.exchange.is_finished
        if self.is_over:
            self.exchange.close()
        is_news = not self.has_head or body or self.is_over
        self.has_head = True
        if not self.is_over:
            title.append("open")
        return (title if is_news else None), lines

    def _body(self) -> str:
        pieces = []
        while (piece := self.exchange.poll()) is not None:
            pieces.append(piece)
        body = b"".join(pieces).decode()
        # So that lines say all there is to say.
        if self.exchange.is_stream:
            assert not body or body.endswith("\n\n"), f"an event is cut: {body}"
        else:
            assert "\n" not in body, f"not one line: {body}"
        return body


def _written(name: str) -> str:
    """The name of a header as the engine writes it; exchanges give it as ASGI wants it."""
    words = [word.capitalize() for word in name.split("-")]
    return "-".join("WWW" if word == "Www" else word for word in words)


def _with_usual(method: str, given: list[str], body: bytes | None) -> list[tuple[bytes, bytes]]:
    """The headers of a request, with those that it has unless it says otherwise."""
    usual = {"Host": "localhost:8080"}
    if method == "POST":
        usual["Content-Type"] = "application/json"
        usual["Accept"] = "application/json, text/event-stream"
    elif method == "GET":
        usual["Accept"] = "text/event-stream"
    if body is not None:
        usual["Content-Length"] = str(len(body))
    named = {header.lstrip("-").split(":")[0].lower() for header in given}
    headers = [(name, value) for name, value in usual.items() if name.lower() not in named]
    for header in given:
        if not header.startswith("-"):
            name, _, value = header.partition(":")
            headers.append((name, value))
    return [(name.encode(), value.encode()) for name, value in headers]
