#!/usr/bin/env python3
"""Talks to the example `everything` through nginx, configured by the snippet in docs/http.md.

    python3 tests/http/proxy/run.py DIRECTORY

DIRECTORY holds the built examples. nginx of the system is run on this machine with a port and a
certificate of its own; where there is none, a notice says that nothing was done.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import nginx
from tally import Tally, listening
from visitor import META, Session, Visitor, text_of


def json_answers(tally, visitor, _server):
    answer = visitor.call("echo", {"text": "through"})
    tally.equal("status and type", (answer.status, answer.kind), (200, "application/json"))
    tally.equal("text", text_of(answer.json()), "through")
    long = "x" * 100_000
    tally.equal("a long one", visitor.text("echo", {"text": long}), long)


def events_are_not_held_back(tally, visitor, _server):
    """The answer to this call never comes: what arrives was passed on at once."""
    answer = visitor.call("wait", token="w")
    tally.equal("status and type", (answer.status, answer.kind), (200, "text/event-stream"))
    tally.equal("progress", answer.message()["params"]["progressToken"], "w")
    tally.equal("before", visitor.text("cancelled"), "0")
    answer.leave()
    tally.equal("the server hears that the client is gone", visitor.until("cancelled", "1"), "1")


def listen_streams(tally, visitor, _server):
    stream = visitor.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    tally.equal("acknowledged", stream.message()["method"],
                "notifications/subscriptions/acknowledged")
    visitor.call("touch").json()
    told = stream.message()
    tally.equal("told", told["method"], "notifications/tools/list_changed")
    tally.true("by which stream", META + "subscriptionId" in told["params"]["_meta"], told)
    stream.leave()


def sessions(tally, visitor, _server):
    session = Session(visitor)
    tally.equal("opening", session.opening["result"]["serverInfo"]["name"], "everything")
    tally.true("the id passes", session.id)
    tally.equal("a notification is taken", session.accepted, 202)
    tally.equal("a call", text_of(session.call("echo", {"text": "again"}).json()), "again")
    stream = session.stream()
    tally.equal("its stream", (stream.status, stream.kind), (200, "text/event-stream"))
    session.call("touch").json()
    tally.equal("told on it", stream.message()["method"], "notifications/tools/list_changed")
    tally.equal("ends", session.end(), 204)
    tally.equal("its stream ends", stream.message(), None)
    tally.equal("is over", session.call("echo", {"text": "x"}).status, 404)


def coming_back(tally, visitor, _server):
    """The server ends the connection of a call; the client comes back for the rest."""
    session = Session(visitor)
    stream = session.call("part", token="p")
    last, heard = None, []
    while (event := stream.event()) is not None:
        last = event.get("id", last)
        heard.append(event.get("data"))
    tally.true("has an id to come back with", last, heard)
    rest = session.stream(last)
    messages = iter(rest.message, None)
    texts = [text_of(message) for message in messages if "result" in message]
    tally.equal("the rest", texts, ["met again"])


def http_with_sse(tally, visitor, _server):
    stream = visitor.send("GET", "/sse", {"Accept": "text/event-stream"})
    endpoint = stream.event()
    tally.equal("the first event", endpoint["event"], "endpoint")
    params = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {
        "name": "old", "version": "1"}}
    sent = visitor.post(visitor.request("initialize", params), path=endpoint["data"])
    tally.equal("taken", sent.status, 202)
    tally.equal("answered on the stream", stream.message()["result"]["protocolVersion"],
                "2024-11-05")
    stream.leave()


def only_by_its_name(tally, visitor, server):
    answer = Visitor(f"{server}/mcp").call("echo", {"text": "x"})
    tally.equal("beside the proxy, by another name", answer.status, 403)
    visitor.headers = {"Host": "evil.example"}
    tally.equal("through it", visitor.call("echo", {"text": "x"}).status, 403)


def large_bodies(tally, visitor, _server):
    text = "x" * (5 << 20)
    tally.equal("refused", visitor.call("echo", {"text": text}).status, 413)


SCENARIOS = (json_answers, events_are_not_held_back, listen_streams, sessions, coming_back,
             http_with_sse, only_by_its_name, large_bodies)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    tally = Tally("proxy")
    if nginx.program() is None:
        return tally.skip("nginx is not installed")
    everything = Path(sys.argv[1], "everything")
    with (tempfile.TemporaryDirectory() as folder,
          listening([everything, "--http", "--host", nginx.NAME]) as server,
          nginx.in_front_of(server.removeprefix("http://"), Path(folder)) as (port, certificate)):
        for scenario in SCENARIOS:
            place = ("127.0.0.1", port)
            visitor = Visitor(f"https://{nginx.NAME}/mcp", place, certificate)
            tally.run(scenario, visitor, server)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
