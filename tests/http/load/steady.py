"""Many clients that behave, all at once."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

from http_client import Session, message, text_of


def keep_alive_connections(tally, stage):
    """A thousand connections at once, all with the same ids."""
    server = stage.server("connections=1100")
    run = subprocess.run([stage.folder / "client", str(server.port), "1000", str(stage.pick(5, 100))],
                         capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    tally.equal("each gets its own answer", found["wrong"], 0)
    tally.equal("all are answered", found["unanswered"], 0)
    stage.tell(f"connected in {found['connect_s']} s, requests {found['requests']}, {found['req_s']:.0f} req/s, "
               f"p50 {found['p50_ms']} ms, p99 {found['p99_ms']} ms, errors {found['wrong']}", server.rest(tally, 96))


def one_connection_after_the_other(tally, stage):
    """What a single client gets, and a few."""
    server = stage.server()
    for clients in (1, 8, 64):
        run = subprocess.run([stage.folder / "client", str(server.port), str(clients), str(stage.pick(1000, 40000) // clients)],
                             capture_output=True, text=True, check=True)
        found = json.loads(run.stdout)
        tally.equal("each gets its own answer", (found["wrong"], found["unanswered"]), (0, 0))
        stage.tell(f"{clients} clients: requests {found['requests']}, {found['req_s']:.0f} req/s, "
                   f"p50 {found['p50_ms']} ms, p99 {found['p99_ms']} ms")
    stage.tell(server.rest(tally, 16))


def sessions_with_the_same_ids(tally, stage):
    """Clients before 2026-07-28, each with several connections, all with the same ids and texts of their own."""
    server = stage.server()
    count = stage.pick(16, 64)
    sessions = [Session(server) for _ in range(count)]

    def talk(number):
        session, right = sessions[number % count], 0
        with server.connect() as connection:
            for turn in range(20):
                id, text = turn + 100 * (number // count), f"client {number}, turn {turn}"
                body = message("tools/call", {"name": "echo", "arguments": {"text": text}}, id)
                response = connection.request("POST", "/mcp", session.headers(), body).response()
                right += text_of(response) == text and response.messages()[0]["id"] == id
        return right

    with ThreadPoolExecutor(16) as pool:
        right = list(pool.map(talk, range(3 * count)))
    tally.equal("each gets its own answer", right, [20] * 3 * count)
    tally.equal("all sessions are there", server.status()["sessions"], count)
    for session in sessions:
        session.delete()
    tally.equal("and gone when they are ended", server.status()["sessions"], 0)
    stage.tell(f"requests {sum(right)}, sessions {count}", server.rest(tally, 32))


SCENARIOS = [keep_alive_connections, one_connection_after_the_other, sessions_with_the_same_ids]
