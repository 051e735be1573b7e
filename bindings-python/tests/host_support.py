"""A server with every kind of handler, and what a client gets of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcplite import Server
from process_support import INITIALIZE, PATIENCE, call, request

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcplite import Session


def connected(server: Server) -> Session:
    """A session that has shaken hands."""
    session = server.session()
    assert session.handle(INITIALIZE) is not None
    return session


def answer(session: Session, message: bytes | bytearray) -> dict[str, Any]:
    """What a request gets, now or later."""
    said = session.handle(message)
    if said is None:
        assert session.wait(PATIENCE), "there is an answer"
        said = session.poll()
    assert said is not None
    read: dict[str, Any] = json.loads(said)
    return read


def ways_to_call(argument: str) -> list[bytes]:
    """One request for each kind of handler of `server_of`."""
    return [
        call(1, "tool", {"name": argument}),
        call(2, "structured", {"name": argument}),
        request(3, "prompts/get", {"name": "prompt", "arguments": {"name": argument}}),
        request(4, "resources/read", {"uri": f"x://{argument}"}),
        request(
            5,
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "prompt"},
                "argument": {"name": "name", "value": argument},
            },
        ),
        request(6, "own/method", {"name": argument}),
    ]


def server_of(give: Callable[[str], Any]) -> Server:
    """A server with every kind of handler, all of which do the same."""
    server = Server("careless")

    @server.tool
    def tool(name: str) -> Any:
        return give(name)

    @server.tool
    def structured(name: str) -> dict[str, Any]:
        made: dict[str, Any] = give(name)
        return made

    @server.prompt
    def prompt(name: str) -> Any:
        return give(name)

    @server.resource("x://{name}")
    def resource(name: str) -> Any:
        return give(name)

    @server.completion("prompt", "name")
    def complete(value: str) -> Any:
        return give(value)

    @server.on("own/method")
    def own(params: dict[str, Any]) -> Any:
        return give(params["name"])

    return server


def is_failure(message: dict[str, Any]) -> bool:
    """Whether an answer tells that a handler failed: in a tool's result, or as an error."""
    if "error" in message:
        return bool(message["error"]["code"] == -32603)
    return message["result"].get("isError") is True
