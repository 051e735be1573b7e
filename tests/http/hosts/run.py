#!/usr/bin/env python3
"""Talks to the C examples that serve HTTP, by the listener and inside libmicrohttpd.

    python3 tests/http/hosts/run.py DIRECTORY LIBRARY

DIRECTORY holds the built examples, LIBRARY is the folder of libmcplite.a: the example microhttpd is
built here, where libmicrohttpd is installed; where it is not, a notice says so.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tally import Tally, listening
from visitor import POSTS, Session, Visitor, text_of

ROOT = Path(__file__).resolve().parents[3]
WARNINGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SYSTEM_LIBRARIES = ["-lpthread", "-ldl", "-lm", "-lgcc_s", "-lc"]
TOKEN = "s3cret"


def compiles(arguments):
    return subprocess.run(["cc", *arguments], capture_output=True, text=True, check=False)


def has_microhttpd(folder):
    source = folder / "probe.c"
    source.write_text("#include <microhttpd.h>\nint main(void) { return MHD_get_version() == 0; }\n")
    return compiles([source, "-lmicrohttpd", "-o", folder / "probe"]).returncode == 0


def smallest(tally, directory):
    with listening([directory / "http", "127.0.0.1:0"]) as url:
        visitor = Visitor(url)
        tally.equal("greets", visitor.text("greet", {"name": "Ada"}), "Hello, Ada!")
        session = Session(visitor)
        said = text_of(session.call("greet", {"name": "Bob"}).json())
        tally.equal("greets in a session", said, "Hello, Bob!")
        other = Visitor(url, headers={"Host": "evil.example"})
        tally.equal("another name", other.call("greet", {"name": "Eve"}).status, 403)
        page = Visitor(url, headers={"Origin": "https://evil.example"})
        tally.equal("another page", page.call("greet", {"name": "Eve"}).status, 403)


def at_an_address(tally, directory):
    says = []
    with listening([directory / "everything", "--http", "localhost:0", "--verbose"], says) as url:
        tally.equal("echo", Visitor(f"{url}/mcp").text("echo", {"text": "hi"}), "hi")
    tally.true("tells of exchanges", "exchange method=POST name=/mcp " in says[0], says[0])


def microhttpd_answers(tally, program):
    with listening([program, 0]) as url:
        visitor = Visitor(url)
        answer = visitor.call("whoami")
        tally.equal("as JSON", (answer.status, answer.kind), (200, "application/json"))
        tally.equal("text", text_of(answer.json()), "anybody")
        tally.equal("another path", visitor.send("POST", "/other").status, 404)
        tally.equal("another name", Visitor(url, headers={"Host": "evil.example"}).call(
            "whoami").status, 403)
        tally.equal("another method", visitor.send("PUT").status, 405)
        answers = [visitor.call("whoami") for _ in range(50)]
        texts = {text_of(each.json()) for each in answers}
        tally.equal("many at once", texts, {"anybody"})


def microhttpd_streams(tally, program):
    with listening([program, 0]) as url:
        visitor = Visitor(url)
        answer = visitor.call("countdown", {"from": 3}, token="c")
        tally.equal("as events", (answer.status, answer.kind), (200, "text/event-stream"))
        first = answer.message()
        began = time.monotonic()
        tally.equal("progress", first["params"]["progress"], 1)
        tally.equal("more", [answer.message()["params"]["progress"] for _ in range(2)], [2, 3])
        tally.equal("the answer", text_of(answer.message()), "liftoff")
        # There are 300 ms of work between the two; half of it shows that nothing was held back.
        tally.true("each when it came", time.monotonic() - began > 0.15)
        tally.equal("the end", answer.message(), None)


def microhttpd_sees_clients_go(tally, program):
    says = []
    with listening([program, 0], says) as url:
        visitor = Visitor(url)
        answer = visitor.call("countdown", {"from": 50}, token="c")
        answer.message()
        answer.leave()
        # There is one worker: this is answered when it has nothing else to do.
        began = time.monotonic()
        tally.equal("goes on", visitor.text("whoami"), "anybody")
        tally.true("at once", time.monotonic() - began < 4)
    tally.equal("cancels", says, ["nobody waits for the countdown any more\n"])


def microhttpd_sees_silent_clients_go(tally, program):
    """Without a token there is no progress, so that nothing is sent before the answer."""
    says = []
    with listening([program, 0], says) as url:
        visitor = Visitor(url)
        connection = visitor.begin("tools/call", {"name": "countdown", "arguments": {"from": 50}})
        time.sleep(0.3)
        connection.close()
        began = time.monotonic()
        tally.equal("goes on", visitor.text("whoami"), "anybody")
        tally.true("at once", time.monotonic() - began < 4)
    tally.equal("cancels", says, ["nobody waits for the countdown any more\n"])


def microhttpd_has_sessions(tally, program):
    with listening([program, 0]) as url:
        session = Session(Visitor(url))
        tally.true("an id", session.id)
        tally.equal("a call", text_of(session.call("whoami").json()), "anybody")
        stream = session.stream()
        tally.equal("a stream", (stream.status, stream.kind), (200, "text/event-stream"))
        tally.equal("one only", session.stream().status, 409)
        tally.equal("ends", session.end(), 204)
        tally.equal("with its stream", stream.message(), None)
        tally.equal("is over", session.call("whoami").status, 404)


def microhttpd_authorizes(tally, program):
    with listening([program, 0, TOKEN]) as url:
        answer = Visitor(url).call("whoami")
        tally.equal("nobody", (answer.status, answer.header("WWW-Authenticate")), (401, "Bearer"))
        wrong = Visitor(url, headers={"Authorization": "Bearer guess"})
        tally.equal("somebody else", wrong.call("whoami").status, 401)
        right = Visitor(url, headers={"Authorization": f"Bearer {TOKEN}"})
        tally.equal("the owner", right.text("whoami"), "the owner of the token")
        # Refused by what it announces: whoever sends it all may find the connection closed.
        large = POSTS | {"Content-Length": str(5 << 20)}
        tally.equal("too much", right.send("POST", headers=large, body="{").status, 413)


def microhttpd_ends_with_open_streams(tally, program):
    with listening([program, 0]) as url:
        visitor = Visitor(url)
        streams = [Session(visitor).stream() for _ in range(3)]
        for stream in streams:
            tally.equal("open", stream.status, 200)


MICROHTTPD = (microhttpd_answers, microhttpd_streams, microhttpd_sees_clients_go,
              microhttpd_sees_silent_clients_go, microhttpd_has_sessions, microhttpd_authorizes,
              microhttpd_ends_with_open_streams)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    directory, library = map(Path, sys.argv[1:])
    tally = Tally("hosts")
    for scenario in (smallest, at_an_address):
        tally.run(scenario, directory)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "microhttpd")
        if has_microhttpd(Path(folder)):
            built = compiles([*WARNINGS, f"-I{ROOT}/include", ROOT / "examples/c/microhttpd.c",
                              library / "libmcplite.a", "-lmicrohttpd", *SYSTEM_LIBRARIES, "-o",
                              program])
            tally.equal("microhttpd.c compiles", (built.returncode, built.stderr), (0, ""))
            for scenario in MICROHTTPD if built.returncode == 0 else ():
                tally.run(scenario, program)
        else:
            print("NOT DONE: libmicrohttpd is not installed; scripts/install-debian-tools does it")
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
