"""Plays one transcript over a socket and compares what comes back."""

import json
import re
from dataclasses import dataclass, field

import transcript
from server import Server, wait_until
from wire import Broken, Wire

# What the HTTP server adds to what the engine says.
ADDED = ("date", "content-length", "transfer-encoding", "connection")


class Difference(Exception):
    """The server said something else."""


@dataclass
class Exchange:
    wire: Wire
    is_over: bool = False
    event_ids: list[str] = field(default_factory=list)


class Player:
    def __init__(self, program, fixtures, played):
        self.steps = played.steps
        options = [option for option in played.options if not option.startswith("sans-io")]
        self.server = Server(program, fixtures, options)
        self.exchanges = {}
        # A connection that can take another request, for exchanges without a name.
        self.spare = None
        self.sessions, self.states = [], []
        self.over = 0

    def play(self):
        for step in self.steps:
            try:
                self._take(step)
            except (Broken, Difference, OSError) as problem:
                raise Difference(f"{step.number}: {problem}") from problem
        self._expect_silence(0.01)

    def close(self):
        for exchange in self.exchanges.values():
            exchange.wire.close()
        self.server.close()

    def _take(self, step):
        self._expect_silence(0.0)
        if step.action is None:
            self._request(step)
        else:
            self._act(step)
        for block in step.blocks:
            self._compare(block)

    def _request(self, step):
        line, _, name = self._fill_in(step.line).partition(" as ")
        method, target = line.split(" ", 1)
        body = self._fill_in(step.body).encode() if isinstance(step.body, str) else step.body
        given = [self._fill_in(header) for header in step.headers]
        taken = {header.lstrip("-").partition(":")[0].lower() for header in given}
        usual = [f"{own}: {value}" for own, value in transcript.usual_headers(method, body)
                 if own.lower() not in taken]
        lines = [f"{method} {target} HTTP/1.1", *usual,
                 *(header for header in given if not header.startswith("-"))]
        data = "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")
        is_silent = all(block.name != name for block in step.blocks)
        arrived = self.server.arrived() if is_silent else 0
        wire = self._wire() if not name else Wire(self.server.address)
        wire.send(data, method)
        self.exchanges[name] = Exchange(wire)
        if is_silent:
            wait_until(lambda: self.server.arrived() > arrived, "the request has arrived")

    def _wire(self):
        """A connection that was used before, if there is one."""
        spare, self.spare = self.spare, None
        if spare:
            spare.look()
        return spare if spare and spare.can_go_on() else Wire(self.server.address)

    def _act(self, step):
        verb, _, rest = step.action.partition(" ")
        told = None
        if verb == "drop":
            self.exchanges[rest].wire.close()
            self._end(self.exchanges[rest])
        else:
            told = self.server.do(self._fill_in(step.action))
        if told != step.told:
            raise Difference(f"expected to be told {step.told}, but was told {told}")

    def _compare(self, block):
        exchange = self.exchanges[block.name]
        wire = exchange.wire
        if block.status is not None:
            wire.wait_for(lambda: wire.status is not None, "response")
            got = sorted(pair for pair in wire.headers if pair[0] not in ADDED)
            _demand(block.status, wire.status, "status")
            _demand(block.headers, got, "headers")
        is_stream = ("content-type", "text/event-stream") in wire.headers
        body = "\n".join(block.body).encode() + (b"\n" if is_stream and block.body else b"")
        if wire.is_bodiless:
            body = b""
        wire.wait_for(lambda: len(wire.body) >= len(body), f"{body!r}")
        if not block.is_open:
            wire.wait_for(lambda: wire.ended, "end")
            _demand(body, wire.body, "body")
        _demand(body, wire.take(len(body)), "body")
        if block.is_open and wire.ended:
            raise Difference("the response is over")
        self._learn(block, exchange)
        if not block.is_open:
            self._end(exchange)
            if not block.name:
                self.spare = wire

    def _end(self, exchange):
        """What an exchange leaves behind in the server is gone when this returns."""
        exchange.is_over = True
        self.over += 1
        wait_until(lambda: self.server.over() >= self.over, "the exchange is over")

    def _expect_silence(self, seconds):
        for name, exchange in self.exchanges.items():
            if exchange.is_over or exchange.wire.closed:
                continue
            exchange.wire.look(seconds)
            if exchange.wire.body or exchange.wire.ended:
                raise Difference(f"{name} said more than expected: {exchange.wire.body!r}")

    def _learn(self, block, exchange):
        for line in block.lines:
            if line.startswith("id: "):
                exchange.event_ids.append(line.removeprefix("id: "))
            found = re.fullmatch(r"Mcp-Session-Id: (.*)|data: .*\?sessionId=(.*)", line)
            if found:
                self.sessions.append(found[1] or found[2])
            message = line.removeprefix("data: ")
            if message.startswith("{"):
                message = json.loads(message)
                state = (message.get("result") or {}).get("requestState")
                if state:
                    self.states.append((json.dumps(message["id"]), state))

    def _fill_in(self, text):
        def session(found):
            return self.sessions[int(found[1]) - 1]

        def event(found):
            return self.exchanges[found[1]].event_ids[int(found[2])]

        def state(found):
            value = [value for own, value in self.states if found[2] in (None, own)][-1]
            return _changed(value) if found[3] else value

        text = re.sub(r"\$STATE(\[([^]]*)\])?(!)?", state, text)
        text = re.sub(r"\$SESSION(\d+)", session, text)
        return re.sub(r"\$EVENT\[(\S+) (\d+)\]", event, text)


def _changed(state):
    """The state with the character in its middle replaced: by A, or by B if it is that."""
    middle = len(state) // 2
    return state[:middle] + ("B" if state[middle] == "A" else "A") + state[middle + 1:]


def _demand(expected, got, what):
    if expected != got:
        raise Difference(f"{what}\n  expected {expected}\n  got      {got}")
