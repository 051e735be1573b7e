#!/usr/bin/env python3
"""Talks to the C examples and checks what they say.

    python3 tests/examples/run.py DIRECTORY [NAME ...] [--under "valgrind -q --error-exitcode=9"]

DIRECTORY holds the built examples: hello, hello_by_hand, everything, game_loop, gui_thread, workers
and elicit. Each is started as an MCP client would start it, spoken to with raw JSON lines in both
eras (the handshake of 2025-11-25, the stateless requests of 2026-07-28), and sent home by closing
its input; it must then end with exit code 0, say nothing on standard error, and have sent no
message that nobody expected. Answers are compared by meaning, not by byte: the bytes are the
business of the transcripts in tests/transcripts.

`--under` puts a command such as valgrind in front of each example, and names choose the functions
that begin with one of them.

There is one function per example here, and everything.py has those of the example "everything".
The last line of the output is `N passed, N failed`.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import everything
from bench import Bench
from client import ERAS, LEGACY, MODERN, responses, text_of

CAN_ASK = {"elicitation": {"form": {}}}


def hello(bench, era, name="hello"):
    with bench.conversation(name, era) as client:
        listed = client.request("tools/list")["tools"]
        bench.equal("lists its tool", [tool["name"] for tool in listed], ["greet"])
        bench.equal("greets", client.text("greet", {"name": "Ada"}), "Hello, Ada!")
        widest = "\U0001f600" * 40
        bench.equal("the longest name", client.text("greet", {"name": widest}), f"Hello, {widest}!")
        for arguments in ({}, {"name": 7}, {"name": "x" * 41}):
            refused = client.tool("greet", arguments)
            bench.true(f"refuses {str(arguments)[:20]}", refused.get("isError") is True, refused)
        bench.equal("unknown method", client.error("no/such")["code"], -32601)
        client.send_lines("{nonsense\n")
        unreadable = client.take(lambda message: "error" in message, "a parse error")
        bench.equal("unreadable line", unreadable["error"]["code"], -32700)
        bench.equal("goes on", client.text("greet", {"name": "Bob"}), "Hello, Bob!")


def hello_by_hand(bench, era):
    hello(bench, era, "hello_by_hand")


def game_loop(bench, era):
    with bench.conversation("game_loop", era) as client:
        walk = {"name": "walk_to", "arguments": {"x": 1000}}
        far = client.build("tools/call", walk, {"progressToken": "w"})
        at_once = client.build("ping") if era == LEGACY else client.build("tools/list")
        client.send_lines(far, at_once)
        client.take(lambda message: message.get("id") == at_once["id"], "an answer at once")
        first, second = (client.told("notifications/progress") for _ in range(2))
        bench.equal("progress of the walk", (first["progressToken"], first["total"]), ("w", 1000))
        bench.true("the hero moves", 0 < first["progress"] < second["progress"], (first, second))

        x = client.structured("position")["x"]
        bench.true("the hero is on the way", 0 < x < 1000, x)
        near = client.start_tool("walk_to", {"x": x + 0.5})
        replaced = client.result(far["id"])
        bench.equal("an older order fails", replaced["isError"], True)
        bench.equal("and says why", text_of(replaced), "sent elsewhere")
        bench.equal("a newer one is carried out", text_of(client.result(near)), "arrived")
        bench.equal("the hero is there", client.structured("position")["x"], x + 0.5)

        endless = client.start_tool("walk_to", {"x": -1000}, token="e")
        is_on_the_way = lambda message: message.get("params", {}).get("progressToken") == "e"
        client.take(is_on_the_way, "the walk")
        client.cancel(endless)
        client.tool("position")
        stopped = client.structured("position")["x"]
        bench.equal("a cancelled walk ends", client.structured("position")["x"], stopped)
        bench.true("outside the world", client.tool("walk_to", {"x": 1001}).get("isError") is True)
        drop_progress(client)

    with bench.program("game_loop") as program:
        client = program.client(era)
        walk = client.start_tool("walk_to", {"x": -0.5})
        code, errors = program.end()
        bench.equal("answers after the input ended", text_of(client.result(walk)), "arrived")
        bench.equal("and then ends", (code, errors, client.rest()), (0, "", []))


def drop_progress(client):
    """Takes the progress of a walk, of which there may be any amount, off the record."""
    marker = client.start_tool("position")
    client.answer(marker)
    client.forget(lambda message: message.get("method") == "notifications/progress")


def gui_thread(bench, era):
    with bench.conversation("gui_thread", era) as client:
        bench.equal("reads what the UI has", client.text("get_title"), "untitled")
        changed = client.tool("set_title", {"title": "caf\u00e9"})
        bench.equal("changes it", changed["structuredContent"], {"changes": 1})
        bench.equal("reads it again", client.text("get_title"), "caf\u00e9")
        refused = client.tool("set_title", {"title": 1})
        bench.equal("checks arguments", refused.get("isError"), True)
        refused = client.tool("set_title", {"title": "a\0b"})
        bench.equal("refuses a NUL", refused.get("isError"), True)

    with bench.program("gui_thread") as program:
        client = program.client(era)
        calls = [
            client.build("tools/call", {"name": "set_title", "arguments": {"title": str(number)}})
            for number in range(50)
        ]
        client.send_lines(*calls)
        code, errors = program.end()
        counts = [client.result(call["id"])["structuredContent"]["changes"] for call in calls]
        bench.equal("answers all that waited when the input ended", counts, list(range(1, 51)))
        bench.equal("and then ends", (code, errors, client.rest()), (0, "", []))


def workers(bench, era):
    with bench.conversation("workers", era) as client:
        endless = client.start_tool("primes", {"below": 99999999})
        small = client.tool("primes", {"below": 1000}, token=3)
        bench.equal("computes", small["structuredContent"], {"primes": 168})
        steps = [client.told("notifications/progress") for _ in range(20)]
        bench.equal("tells every step", [step["progress"] for step in steps], list(range(1, 21)))
        bench.equal("of how many", {step["total"] for step in steps}, {20})
        bench.equal("nothing below 2", client.structured("primes", {"below": 2}), {"primes": 0})
        bench.true("checks arguments", client.tool("primes", {"below": -1}).get("isError") is True)
        calls = [client.start_tool("primes", {"below": number}) for number in range(3, 43)]
        counts = [client.result(call)["structuredContent"]["primes"] for call in calls]
        primes = [n for n in range(2, 43) if all(n % d for d in range(2, n))]
        wanted = [sum(prime < below for prime in primes) for below in range(3, 43)]
        bench.equal("many at once", counts, wanted)
        client.cancel(endless)


def answer_booking(day="2026-08-01", seat="aisle", sure="accept", asked=None):
    """A user who books a seat."""

    def respond(method, params):
        if asked is not None:
            asked.append(params["message"])
        if "date" in params["requestedSchema"]["properties"]:
            return {"action": "accept", "content": {"date": day}}
        if "seat" in params["requestedSchema"]["properties"]:
            return {"action": "accept", "content": {"seat": seat}}
        return {"action": sure, "content": {}} if sure == "accept" else {"action": sure}

    return respond


def elicit(bench, era):
    asked = []
    with bench.conversation("elicit", era, CAN_ASK) as client:
        booked = client.text_asking("book", answer_booking(asked=asked))
        bench.equal("books", booked, "Booked hold-1: the aisle seat for 2026-08-01.")
        questions = ["Which day?", "Window or aisle?", "Book the aisle seat for 2026-08-01?"]
        bench.equal("asks each question once", asked, questions)
        booked = client.text_asking("book", answer_booking(day='"}\\', seat="window"))
        bench.equal("quotes", booked, 'Booked hold-2: the window seat for "}\\.')
        left = client.text_asking("book", answer_booking(sure="decline"))
        bench.equal("takes no for an answer", left, "Not booked: the user was not sure.")
        left = client.text_asking("book", lambda method, params: {"action": "cancel"})
        bench.equal("and silence", left, "Not booked: the user did not say when and where.")
    with bench.conversation("elicit", era) as client:
        refused = client.tool("book")
        bench.equal("needs a client that asks", refused.get("isError"), True)


def elicit_seal_keys(bench):
    """A call that one process began ends in another, if they share a key."""
    with tempfile.TemporaryDirectory() as folder:
        old, new, other = (Path(folder) / name for name in ("old", "new", "other"))
        old.write_bytes(bytes(range(32)))
        new.write_bytes(bytes(range(100, 132)) + bytes(range(32)))
        other.write_bytes(bytes(range(200, 232)))
        params = {"name": "book", "arguments": {}}
        with bench.conversation("elicit", MODERN, CAN_ASK, [str(old)]) as client:
            began = client.request("tools/call", params)
        retry = params | responses(began, answer_booking())
        with bench.conversation("elicit", MODERN, CAN_ASK, [str(new)]) as client:
            result = client.request("tools/call", retry)
            bench.equal("goes on in another process", list(result["inputRequests"]), ["sure"])
        for keys in ([str(other)], []):
            with bench.conversation("elicit", MODERN, CAN_ASK, keys) as client:
                refused = client.error("tools/call", retry)
                bench.equal("not without the key", refused["code"], -32602)
        (Path(folder) / "short").write_bytes(b"short")
        with bench.program("elicit", str(Path(folder) / "short")) as program:
            code, errors = program.end()
            bench.equal("half a key is refused", (code, "does not hold" in errors), (1, True))


def client_that_does_not_read(bench):
    """Those that write themselves outlive a client that has closed its end."""
    for name in ("game_loop", "gui_thread", "workers"):
        with bench.program(name) as program:
            program.process.stdout.close()
            program.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            program.process.stdin.flush()
            bench.equal(name, program.end(), (0, ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory")
    parser.add_argument("names", nargs="*", metavar="NAME", help="run only what begins so")
    parser.add_argument("--under", default="", help="a command to put in front of each example")
    options = parser.parse_args()
    bench = Bench(options.directory, options.under)
    in_eras = (hello, hello_by_hand, game_loop, gui_thread, workers, elicit, *everything.IN_ERAS)
    runs = [(function, era) for era in ERAS for function in in_eras]
    once = (elicit_seal_keys, client_that_does_not_read, *everything.ONCE)
    runs += [(function,) for function in once]
    for function, *args in runs:
        if function.__name__.startswith(tuple(options.names or [""])):
            bench.scenario(function, *args)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 1 if bench.failed or not bench.passed else 0


if __name__ == "__main__":
    sys.exit(main())
