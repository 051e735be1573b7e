"""The server of a transcript and what its host does, whatever the transport."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from mcplite._native import Call, Handler, Server
from mcplite.errors import MisuseError

from . import asking, behaviours
from .memory import Memory

SHARED = Path(__file__).resolve().parents[3] / "tests"
FIXTURES: dict[str, dict[str, Any]] = {
    name: json.loads((SHARED / "transcripts" / file).read_text("utf-8"))
    for name, file in (("", "fixture.json"), ("asking", "fixture-asking.json"))
}

Options = list[tuple[str, str]]

_NUMBERS = {
    "page-size": "page_size",
    "deadline": "deadline_ms",
    "state-ttl": "state_ttl_ms",
    "depth": "depth",
    "message-bytes": "message_bytes",
    "open-calls": "open_calls",
    "batch-messages": "batch_messages",
    "subscriptions": "subscriptions",
    "listen-streams": "listen_streams",
    "ask-rounds": "ask_rounds",
    "state-bytes": "state_bytes",
}
_SWITCHES = ("logging", "identify", "stacktraces")


def _pass_on(call: Call) -> None:
    result = call.engine_answer()
    if call.is_open:
        call.reply_result(result)


class Stage:
    """A server made from a fixture, whose clock and random bytes are the same in every run."""

    def __init__(self, options: Options) -> None:
        self.now = 0
        self._drawn = count()
        self.server, self.memory = self._made(dict(options).get("fixture", ""))
        for key, value in options:
            if key == "entropy":
                self.server.set_entropy(lambda size: b"")
            elif key == "around":
                self.server.register_around(Handler(_pass_on, pass_call=True))
            elif key != "fixture":
                self.server.configure(_option(key, value))

    def beside(self, name: str) -> Server:
        """Another server with the same clock and random bytes."""
        return self._made(name)[0]

    def act(self, action: str) -> None:
        """Does one thing; one that needs more than the server is not known here."""
        verb, _, rest = action.partition(" ")
        getattr(self, f"_{verb.replace('-', '_')}")(rest)

    def _made(self, name: str) -> tuple[Server, Memory]:
        if name == "empty":
            server, memory = Server("empty", "1.0"), Memory()
        else:
            memory = Memory(FIXTURES[name].get("questions", {}))
            server = _server(FIXTURES[name], memory)
        server.set_clock(lambda: self.now)
        server.set_seal_keys([bytes([1] * 32)])
        server.set_entropy(lambda size: bytes(next(self._drawn) % 256 for _ in range(size)))
        return server, memory

    def _time(self, rest: str) -> None:
        self.now = int(rest)
        self.server.tick()

    def _run(self, rest: str) -> None:
        self.server.run()

    def _answer(self, rest: str) -> None:
        key, _, text = rest.partition(" ")
        # An answer that comes too late is refused; what matters is what the client sees.
        with suppress(MisuseError):
            self.memory.held.pop(key).reply_text(text)

    def _fail(self, rest: str) -> None:
        key, _, text = rest.partition(" ")
        with suppress(MisuseError):
            self.memory.held.pop(key).fail("tool-failed", text)

    def _release(self, key: str) -> None:
        self.memory.held.pop(key).release()

    def _take(self, text: str) -> None:
        call = self.server.next_call()
        assert call is not None
        call.reply_text(text)

    def _register(self, rest: str) -> None:
        register(self.server, json.loads(rest), self.memory, replace=True)

    def _unregister(self, rest: str) -> None:
        kind, _, name = rest.partition(" ")
        self.server.unregister(kind, name)

    def _updated(self, rest: str) -> None:
        for uri in rest.split(" "):
            self.server.notify_resource_updated(uri)

    def _list_changed(self, rest: str) -> None:
        for kind in rest.split(" "):
            self.server.notify_list_changed(kind)

    def _ask(self, rest: str) -> None:
        key, _, question = rest.partition(" ")
        asking.ask_held(self.memory.held.pop(key), question, self.memory)

    def _elicited(self, identifier: str) -> None:
        self.memory.elicited.add(identifier)
        # Refused if no client was sent there, or is of a revision that is not told.
        with suppress(MisuseError):
            self.server.notify_elicitation_complete(identifier)

    def _keys(self, rest: str) -> None:
        self.server.set_seal_keys([bytes([int(byte)] * 32) for byte in rest.split(" ")])

    def _shutdown(self, rest: str) -> None:
        self.server.shutdown()


def _option(key: str, value: str) -> dict[str, Any]:
    """What an option is called here."""
    if key in _NUMBERS:
        return {_NUMBERS[key]: int(value)}
    if key in _SWITCHES:
        return {key: value == "on"}
    if key == "preset":
        return {"errors": value}
    if key == "revisions":
        return {"revisions": value.split(",")}
    if key == "dispatch":
        return {"queued": value == "queued"}
    if key == "cache":
        time, _, scope = value.partition(" ")
        return {"cache_ttl_ms": int(time), "cache_public": scope == "public"}
    raise LookupError(f"unknown option {key}")


def _server(fixture: dict[str, Any], memory: Memory) -> Server:
    options = dict(fixture["options"])
    server = Server(options.pop("name"), options.pop("version"))
    options["website_url"] = options.pop("websiteUrl", None)
    server.configure(options)
    for item in fixture["items"]:
        register(server, item, memory)
    return server


def register(server: Server, item: dict[str, Any], memory: Memory, replace: bool = False) -> None:
    """Registers one item of a fixture file."""
    handler = None
    if item.get("does", "pull") != "pull":
        handler = Handler(behaviours.handler(item, memory), pass_call=True)
    kind = item["kind"]
    if kind == "method":
        return server.register_method(item["method"], handler, replace=replace)
    if kind == "completion":
        of = "prompt" if "prompt" in item else "template"
        return server.register_completion(of, item[of], item["argument"], handler, replace=replace)
    contents = item.get("contents")
    cache = item.get("cache", {})
    server.register(
        kind,
        json.dumps(item["definition"], separators=(",", ":"), ensure_ascii=False),
        handler,
        contents=None if contents is None else contents.encode(),
        replace=replace,
        deadline_ms=item.get("deadlineMs"),
        cache_ttl_ms=cache.get("ttlMs"),
        cache_public=cache.get("scope") == "public",
        hidden=item.get("hidden", False),
    )
