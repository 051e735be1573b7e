"""Streams: many of them, those that nobody reads, and those that nobody reads any more."""

import socket
import time

from http_client import META, PROGRESS, Session, message, text_of
from http_wire import Broken, Connection, events

from watched import until

# Bytes that may wait for a client that reads nothing.
BOUND = 262_144
# Bytes that a server may hold in all.
CAP = 67_108_864
ID = "io.modelcontextprotocol/subscriptionId"


def listen(server, number, wanted):
    """A stream of changes; its connection, when it is acknowledged."""
    connection = server.connect()
    body = message("subscriptions/listen", {"notifications": wanted, "_meta": META}, number)
    connection.request("POST", "/mcp", server.modern_headers("subscriptions/listen"), body)
    if connection.head().status != 200:
        raise Broken("no stream")
    connection.stream_until(b"acknowledged")
    return connection


def streams_of_changes(tally, stage):
    """Each stream is told of what it asked for, and of nothing else."""
    server = stage.server("connections=1100")
    count = stage.pick(200, 900)
    kinds = [({"toolsListChanged": True}, b"tools/list_changed", "notifications/tools/list_changed", None),
             ({"resourceSubscriptions": ["load://a"]}, b"load://a", "notifications/resources/updated", "load://a"),
             ({"resourceSubscriptions": ["load://b"]}, b"load://b", "notifications/resources/updated", "load://b")]
    streams = [(number, kinds[number % 3], listen(server, number, kinds[number % 3][0])) for number in range(count)]
    began = time.monotonic()
    server.ask("change", count=1000, uri="load://a")
    told = foreign = 0
    for turn in ("load://a", "load://b"):
        if turn == "load://b":
            server.ask("change", count=1, uri="load://b")
        for number, (_, mark, method, uri), connection in streams:
            if uri not in (None, turn):
                continue
            messages = [it for _, it in events(connection.stream_until(mark))]
            told += len(messages)
            foreign += sum(it["method"] != method or it["params"].get("uri") != uri or it["params"]["_meta"][ID] != number
                           for it in messages)
    tally.equal("nobody is told of anything else", foreign, 0)
    stage.tell(f"streams {count}, changes 2002, messages {told}, {time.monotonic() - began:.2f} s")
    for _, _, connection in streams:
        connection.socket.close()
    stage.tell(server.rest(tally, 96))


def unread(server, request):
    """A client with a small buffer that reads nothing."""
    connection = Connection.__new__(Connection)
    connection.socket, connection.bytes = socket.socket(), b""
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.socket.settimeout(20)
    connection.socket.connect(("127.0.0.1", server.port))
    return connection.request(*request)


def slow_readers(tally, stage):
    """Who reads no progress is waited for with bounded memory; tools and other clients do not wait."""
    server = stage.server(f"output={BOUND}", "workers=2")
    count, flood = stage.pick(12, 60), {"count": 300, "size": 30_000, "pause": True}
    idle, most, session = server.status()["memory"], 0, Session(server)
    slow = [unread(server, server.call("stream", flood, meta=PROGRESS)) for _ in range(count)]
    for number in range(4):
        body = message("tools/call", {"name": "stream", "arguments": flood, "_meta": PROGRESS}, number)
        slow.append(unread(server, ("POST", "/mcp", session.headers(), body)))
    served = streamed = 0
    # Where there is no room for more, progress is left out, so that all come to their end.
    while streamed < count + 4 or served < 100:
        served += server.ask("echo", text="x") == "x"
        status = server.status()
        most, streamed = max(most, status["memory"]), status["streamed"]
    # Else the system has taken everything, and nothing was tried.
    tally.true("there is no room for more", server.status()["memory"] > (count + 4) * BOUND * 3 // 4, server.status())
    # What a session keeps for those who come back has a bound of its own, of the same size. On its way to the
    # client is a piece of 64 KiB and the message that went beyond it.
    tally.true("each costs no more than its bound and a bit", most < (count + 5) * (BOUND + 3 * 32768 + 16384), most)
    for connection in slow:
        connection.socket.close()
    session.delete()
    until(lambda: server.status()["memory"] < idle + 65536, "their output is given back")
    with unread(server, server.call("stream", {"count": 100, "size": 1000}, meta=PROGRESS)) as late:
        time.sleep(0.5)
        response = late.response()
        numbers = [it["params"]["progress"] for it in response.messages() if "method" in it]
        tally.equal("who reads late gets it in order", numbers, list(range(1, 101)))
        tally.equal("with the answer", text_of(response), "100")
    stage.tell(f"slow readers {count + 4}, counted at most {most / 1024:.0f} KiB", server.rest(tally, 64))


def unread_answers(tally, stage):
    """Who asks for large answers and reads none is hung up on; until then the cap of the memory holds."""
    server = stage.server(f"memory={CAP}", "write-timeout=2000", "workers=2")
    count = stage.pick(40, 200)
    slow = [unread(server, server.call("blob", {"size": 7 << 20})) for _ in range(count)]
    heads = [connection.head() for connection in slow]
    statuses = {head.status for head in heads}
    tally.true("they are answered, or there is no memory for that", statuses <= {200, 503}, statuses)
    # Before they come in or before their handler runs, in a few words that the system takes at once.
    refused = [connection for head, connection in zip(heads, slow) if int(head.first("content-length")) < 1 << 20]
    tally.true("there is no memory for all", 0 < len(refused) < count, len(refused))
    for connection in refused:
        connection.socket.close()
    until(lambda: server.fds() <= server.fds_before, "those who read nothing are hung up on")
    for connection in slow:
        connection.socket.close()
    tally.equal("others are served again", server.discover().status, 200)
    # Twice, for buffers that grow, and what two handlers build their answers from.
    stage.tell(f"unread answers {count} of 7 MiB, cap {CAP >> 20} MiB, refused {len(refused)}",
               server.rest(tally, 2 * (CAP >> 20) + 32))


def vanished(tally, stage):
    """Who hangs up in the middle of a stream: cancelled in 2026-07-28, and before that not."""
    server = stage.server("connections=1100")
    count = stage.pick(200, 900)
    modern = [server.connect().request(*server.call("hold", meta=PROGRESS)) for _ in range(count)]
    until(lambda: server.status()["held"] == count, "all have begun")
    for number, connection in enumerate(modern):
        if number % 2:
            connection.head()
        connection.reset() if number % 3 else connection.socket.close()
    until(lambda: server.status()["cancelled"] == count, "all are cancelled")
    tally.equal("nobody waits any more", server.ask("release"), "0")
    sessions = [Session(server) for _ in range(stage.pick(50, 200))]
    for number, session in enumerate(sessions):
        connection = server.connect().request(*session.call("hold", meta=PROGRESS if number % 2 else None))
        until(lambda: server.status()["held"] == number + 1, "it has begun")
        connection.reset() if number % 3 else connection.socket.close()
    time.sleep(0.3)
    tally.equal("none of the older ones is cancelled", server.status()["cancelled"], count)
    tally.equal("all of them are still waited for", server.ask("release"), str(len(sessions)))
    for session in sessions:
        session.delete()
    stage.tell(f"cancelled {count}, gone on {len(sessions)}", server.rest(tally, 64))


def shutdown_in_the_middle(tally, stage):
    """A server that is told to end while everything is under way: streams end properly, and nobody keeps it."""
    server = stage.server("connections=1100")
    count = stage.pick(50, 200)
    streams = [listen(server, number, {"toolsListChanged": True}) for number in range(count)]
    session = Session(server)
    own = server.connect().request(*session.get())
    own.head()
    held = [server.connect().request(*server.call("hold", meta=PROGRESS)) for _ in range(count)]
    idle = [server.connect() for _ in range(count)]
    for number, connection in enumerate(idle):
        connection.send(b"POST /mcp HTTP/1.1\r\nHo"[:number % 3 * 10])
    until(lambda: server.status()["held"] == count, "all have begun")
    tally.equal("the server ends", server.end(), None)
    ends = [events(connection.stream_until(b"\0")) for connection in streams]
    results = [it for end in ends for _, it in end if "result" in it]
    tally.equal("streams of changes end with a result", len(results), count)
    while own.chunk():
        pass
    for connection in (*streams, *held, *idle, own):
        connection.socket.close()
    stage.tell(f"streams {count + 1}, calls {count}, others {count}")


SCENARIOS = [streams_of_changes, slow_readers, unread_answers, vanished, shutdown_in_the_middle]
