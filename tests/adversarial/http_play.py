"""Playing a case that says what to send."""

import base64
import json
import time
from dataclasses import dataclass, field

from http_client import Session
from http_wire import Broken, Connection, request

# After what was to be said was said: how long something more may take to come, if it comes.
QUIET_S = 0.1
# Between the pieces of a request that comes by pieces.
PAUSE_S = 0.03


@dataclass
class Heard:
    """What came on a connection."""

    responses: list = field(default_factory=list)
    is_closed: bool = False


def play(case, server):
    """Sends what the case says; what came, and how many messages were sent."""
    session = None
    if case["era"].startswith("legacy:"):
        session = Session(server, case["era"].removeprefix("legacy:"))
    pieces, method = bytes_of(case, server, session)
    wanted = len(case["expect"].get("answers", [None]))
    with server.connect() as connection:
        for number, piece in enumerate(pieces):
            time.sleep(PAUSE_S if number else 0)
            connection.send(piece)
        if case.get("half_close"):
            connection.half_close()
        return listen(connection, method, wanted), count_messages(case)


def listen(connection: Connection, method, wanted):
    """Takes as many responses as are wanted, and whatever follows them."""
    heard = Heard()
    while len(heard.responses) < wanted or (connection.bytes and not heard.is_closed):
        response = connection.response(method)
        if response is None:
            heard.is_closed = True
            return heard
        heard.responses.append(response)
    connection.socket.settimeout(QUIET_S)
    try:
        while (response := connection.response(method)) is not None:
            heard.responses.append(response)
        heard.is_closed = True
    except Broken:
        if connection.bytes:
            raise
    return heard


def bytes_of(case, server, session):
    """The request of a case, by pieces, and its method."""
    def fill(value):
        value = text(value).replace("{port}", str(server.port))
        return value.replace("{session}", session.id if session else "")

    if "raw_b64" in case:
        return [base64.b64decode(case["raw_b64"])], "POST"
    if "pieces" in case:
        return [fill(piece).encode("latin-1") for piece in case["pieces"]], "POST"
    if "raw" in case:
        return [fill(case["raw"]).encode("latin-1")], "POST"
    wanted = case["request"]
    headers = [(fill(name), fill(value)) for name, value in wanted["headers"]]
    names = {name.lower() for name, _ in headers}
    if session and "mcp-session-id" not in names:
        headers.append(("MCP-Session-Id", session.id))
    body = base64.b64decode(wanted["body_b64"]) if "body_b64" in wanted else fill(wanted["body"]).encode()
    has_framing = names & {"content-length", "transfer-encoding"}
    return [request(wanted["method"], fill(wanted["path"]), headers, body, not has_framing)], wanted["method"]


def text(value):
    """A text, or what repetitions make one: see README.md."""
    if isinstance(value, str):
        return value
    return "".join(
        "".join(piece.replace(mark[0], str(i)) for i in range(count)) if mark else piece * count
        for piece, count, *mark in value["parts"]
    )


def count_messages(case):
    """How many messages the body of a case has."""
    try:
        body = json.loads(text(case["request"]["body"]))
    except (KeyError, ValueError, RecursionError):
        return 1
    return len(body) if isinstance(body, list) else 1
