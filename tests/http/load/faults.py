"""Clients that do not get to the end of what they say, or say too much."""

import time
from concurrent.futures import ThreadPoolExecutor

from http_client import META, Session, message, text_of
from http_wire import Broken, request

from watched import until


def half_open(tally, stage):
    """Who stops in the middle of a request takes a place for a while, and nobody else's."""
    server = stage.server("connections=1100", "header-timeout=2000", "body-timeout=2000")
    whole = request(*server.call("echo", {"text": "x" * 2000}))
    ends = [0, 1, 30, whole.index(b"\r\n\r\n") + 4, len(whole) - 1000, len(whole) - 1]
    count, opened = stage.pick(300, 1000), []
    for number in range(count):
        opened.append(server.connect())
        opened[-1].send(whole[:ends[number % len(ends)]])
    served = sum(server.ask("echo", text="x") == "x" for _ in range(50))
    tally.equal("others are served", served, 50)
    until(lambda: server.fds() <= server.fds_before, "all are hung up on")
    answers = [connection.response() for connection in opened]
    statuses = {answer.status if answer else "closed" for answer in answers}
    tally.true("they are told, or hung up on", statuses <= {408, "closed"}, statuses)
    for connection in opened:
        connection.socket.close()
    stage.tell(f"half-open {count}", server.rest(tally, 64))


def unfinished_bodies(tally, stage):
    """Large bodies that never come to their end are held within the cap of the memory, and not for ever."""
    server = stage.server("memory=67108864", "header-timeout=2000", "body-timeout=3000")
    count, size = stage.pick(40, 200), 3 << 20
    head = request("POST", "/mcp", [*server.modern_headers("tools/list"), ("Content-Length", str(size + 1))], length=False)

    def send(_):
        connection = server.connect()
        connection.send(head + b" " * size)
        return connection

    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(send, range(count)))
    until(lambda: server.fds() <= server.fds_before, "all are hung up on")
    answers = [connection.response() for connection in opened]
    statuses = [answer.status if answer else "closed" for answer in answers]
    tally.true("they are refused, or waited for in vain", set(statuses) <= {503, 408, "closed"}, set(statuses))
    tally.true("there was not memory for all", statuses.count(503) > 0, statuses)
    tally.equal("others are served again", server.ask("echo", text="x"), "x")
    for connection in opened:
        connection.socket.close()
    stage.tell(f"bodies {count} of 3 MiB, refused {statuses.count(503)}, cap 64 MiB", server.rest(tally, 128))


def too_many(tally, stage):
    """More connections than there may be are refused, until there is room again."""
    server = stage.server("connections=50", "header-timeout=1000")
    opened = [server.connect() for _ in range(50)]
    until(lambda: server.fds() >= server.fds_before + 50, "all are in")
    refused = 0
    for _ in range(stage.pick(100, 1000)):
        with server.connect() as connection:
            response = connection.response()
            refused += response is not None and response.status == 503
    tally.equal("those are refused", refused, stage.pick(100, 1000))
    until(lambda: server.fds() <= server.fds_before, "those who say nothing are hung up on")
    tally.equal("then there is room", server.ask("echo", text="x"), "x")
    for connection in opened:
        connection.socket.close()
    stage.tell(f"refused {refused}", server.rest(tally, 16))


def byte_by_byte(tally, stage):
    """Requests whose bytes come one at a time, many of them in turn."""
    server = stage.server()
    count = stage.pick(30, 200)
    wholes = [request(*server.call("echo", {"text": f"é {number}"})) for number in range(count)]
    connections = [server.connect() for _ in range(count)]
    for place in range(max(map(len, wholes))):
        for whole, connection in zip(wholes, connections):
            connection.send(whole[place:place + 1])
    right = [text_of(connection.response()) == f"é {number}" for number, connection in enumerate(connections)]
    tally.equal("each gets its own answer", right, [True] * count)
    for connection in connections:
        connection.socket.close()
    stage.tell(f"requests {count}, writes {sum(map(len, wholes))}", server.rest(tally, 16))


def oversized_and_malformed(tally, stage):
    """What is too much or makes no sense is refused in bounded memory, many at once."""
    server = stage.server("header-timeout=2000", "body-timeout=2000")
    headers = server.modern_headers("tools/list")
    chunked = [*headers, ("Transfer-Encoding", "chunked")]
    large = b" " * (5 << 20)
    bad = [request("POST", "/mcp", headers, large),
           request("POST", "/mcp", chunked, b"500000\r\n" + large + b"\r\n0\r\n\r\n", length=False),
           request("POST", "/mcp", [*headers, ("X", "x" * 70_000)], b"{}"),
           request("POST", "/mcp", headers, b"[" * 1_000_000),
           request("POST", "/mcp", headers, message("tools/list", {"_meta": META})[:-1]),
           request("POST", "/mcp", chunked, b"zz\r\n", length=False), b"\0" * 100_000, b"GET / HTTP/1.1\r\n\r\n"]

    def send(number):
        with server.connect() as connection:
            connection.send(bad[number % len(bad)])
            response = connection.response()
            return response.status if response else "closed"

    count = stage.pick(80, 2000)
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(send, number) for number in range(count)]
        served = sum(server.ask("echo", text="x") == "x" for _ in range(50))
        statuses = {each.result() for each in found}
    tally.equal("others are served", served, 50)
    tally.true("all are refused", statuses <= {400, 413, 431, "closed"}, statuses)
    stage.tell(f"requests {count}, statuses {sorted(map(str, statuses))}", server.rest(tally, 128))


def session_flood(tally, stage):
    """More handshakes than there may be sessions; those that nobody uses end by themselves."""
    most = stage.pick(256, 1024)
    server = stage.server(f"sessions={most}", "session-idle=3000")
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "flood", "version": "1"}}
    headers, idle = server.modern_headers("x")[:3], server.status()["memory"]
    statuses, began = [], time.monotonic()
    with server.connect() as connection:
        for _ in range(4 * most):
            statuses.append(connection.request("POST", "/mcp", headers, message("initialize", params)).response().status)
    taken = time.monotonic() - began
    full = server.status()
    # Some may have ended while a slow machine was still asking; then others took their places.
    tally.true("there are no more than there may be", full["sessions"] <= most, full)
    tally.true("the others are refused", set(statuses) == {200, 503} and statuses[:most] == [200] * most, set(statuses))
    # Less than what one of them costs.
    until(lambda: server.status()["memory"] < idle + 1024, "those that nobody uses end, and give their memory back")
    tally.equal("as many are told to have ended as to have begun", server.status()["sessions"], 0)
    session = Session(server)
    tally.equal("then there is room", session.ping().status, 200)
    session.delete()
    stage.tell(f"handshakes {4 * most}, {4 * most / taken:.0f}/s, refused {statuses.count(503)}, "
               f"{full['memory'] // most} bytes counted for each", server.rest(tally, 32))


SCENARIOS = [half_open, unfinished_bodies, too_many, byte_by_byte, oversized_and_malformed, session_flood]
