"""The cases of http_corpus.jsonl that are given in words."""

import base64
import json
import subprocess
import time


from http_client import META, PROGRESS, Session, message, text_of
from http_wire import PATIENCE, events, request

WORDS = {}
# Long enough for a handler to be told, if it were to be told.
A_WHILE_S = 0.3
# Of ids of sessions, as the case wants them.
IDS = 100_000


def words(*names):
    """Says which cases a function plays. It gets the stage, and asserts."""
    def register(function):
        WORDS.update({name: function for name in names})
        return function
    return register


def until(wanted, what):
    """Waits until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not wanted():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.005)


def statuses_of(server, data):
    """The status of whatever answers these bytes; "close" if nobody does."""
    with server.connect() as connection:
        connection.send(data)
        response = connection.response()
        return response.status if response else "close"


def list_request(server, *more, body=None):
    headers = server.modern_headers("tools/list") + list(more)
    return request("POST", "/mcp", headers, message("tools/list", {"_meta": META}) if body is None else body)


@words("http.limit-headers-64k")
def headers_of_64_kib(stage):
    found = statuses_of(stage.server(), list_request(stage.server(), ("X-Long", "x" * 65536)))
    assert found in (431, 400), found


@words("http.limit-headers-10k-count")
def ten_thousand_headers(stage):
    many = [(f"X-{number}", "x") for number in range(10_000)]
    found = statuses_of(stage.server(), list_request(stage.server(), *many))
    assert found in (431, 400), found


@words("http.limit-body-over-limit")
def a_declared_body_that_is_too_large(stage):
    server = stage.server()
    found = statuses_of(server, list_request(server, body=b" " * (4 * 1024 * 1024 + 1)))
    assert found == 413, found


@words("http.limit-body-over-limit-chunked")
def an_undeclared_body_that_is_too_large(stage):
    server = stage.server()
    headers = server.modern_headers("tools/list", **{"Transfer-Encoding": "chunked"})
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    found = statuses_of(server, request("POST", "/mcp", headers, chunk * 80, length=False))
    assert found == 413, found


@words("http.limit-slow-body")
def a_body_by_one_byte_each_second(stage):
    server = stage.server("body-timeout=1500")
    headers = server.modern_headers("tools/list", **{"Content-Length": "1000"})
    with server.connect() as connection:
        connection.request("POST", "/mcp", headers, length=False)
        for _ in range(10):
            connection.send(b" ")
            if not connection.says_nothing(1):
                break
        response = connection.response()
        assert response is None or response.status == 408, response


@words("http.limit-reset-mid-request")
def a_reset_in_the_middle(stage):
    server = stage.server()
    for sent in (1, 20, 300):
        connection = server.connect()
        connection.send(list_request(server)[:sent])
        time.sleep(0.02)
        connection.reset()
        assert server.discover().status == 200


@words("http.disconnect-is-cancel")
def hanging_up_cancels(stage):
    server = stage.server()
    for meta in ({}, PROGRESS):
        before = server.status()
        connection = server.connect().request(*server.call("slow", meta=meta))
        until(lambda: server.status()["held"] == before["held"] + 1, "the tool began")
        if meta:
            assert connection.head().media_type == "text/event-stream"
        connection.socket.close()
        until(lambda: server.status()["cancelled"] == before["cancelled"] + 1, "the tool heard that it is cancelled")
        assert server.ask("release") == "0", "somebody still waited for the answer"


@words("http.legacy-disconnect-not-cancel")
def hanging_up_does_not_cancel_for_old_clients(stage):
    server = stage.server()
    session = Session(server)
    for meta in (None, PROGRESS):
        before = server.status()
        connection = server.connect().request(*session.call("slow", meta=meta))
        until(lambda: server.status()["held"] == before["held"] + 1, "the tool began")
        if meta:
            assert connection.head().media_type == "text/event-stream"
        connection.socket.close()
        time.sleep(A_WHILE_S)
        assert server.status()["cancelled"] == before["cancelled"], "the tool was cancelled"
        assert server.ask("release") == "1", "nobody waited for the answer"


@words("http.legacy-session-entropy")
def ids_that_nobody_guesses(stage):
    run = subprocess.run([stage.build("http_session_ids.c"), str(IDS)], capture_output=True, text=True, check=True)
    ids = run.stdout.split("\n")[:-1]
    assert len(ids) == len(set(ids)) == IDS, "two ids are the same"
    assert all("!" <= character <= "~" for one in ids for character in one), "not visible ASCII"
    numbers = [int.from_bytes(base64.urlsafe_b64decode(one + "=" * (-len(one) % 4)), "big") for one in ids]
    bits = 6 * len(ids[0])
    assert bits >= 128 and all(len(one) == len(ids[0]) for one in ids), f"{bits} bits"
    # Six standard deviations: what is drawn at random stays within, and a counter or pointer does not.
    margin = 6 * 0.5 / IDS**0.5
    for bit in range(bits):
        share = sum(number >> bit & 1 for number in numbers) / IDS
        assert abs(share - 0.5) < margin, f"bit {bit} is set in {share:.1%} of all"
    changes = [(one ^ other).bit_count() for one, other in zip(numbers, numbers[1:])]
    assert abs(sum(changes) / len(changes) / bits - 0.5) < 0.01, "one id is like the next"
    assert len({other - one for one, other in zip(numbers, numbers[1:])}) == IDS - 1, "ids are counted"


@words("http.legacy-session-after-delete")
def a_session_after_its_end(stage):
    server = stage.server()
    session = Session(server)
    assert session.delete().status in (200, 204)
    with server.connect() as connection:
        stream = connection.request(*session.get()).response("GET")
    found = [session.ping().status, stream.status, session.delete().status]
    assert found == [404, 404, 404], found


@words("http.legacy-second-get-stream")
def a_second_stream(stage):
    server = stage.server()
    session = Session(server)
    with server.connect() as first, server.connect() as second:
        assert first.request(*session.get()).head().status == 200
        first.chunk()
        refused = second.request(*session.get()).head()
        assert refused.status in (409, 200), refused
        server.ask("touch")
        told = first.stream_until(b"list_changed")
        assert told.count(b"list_changed") == 1, told
        assert refused.status == 409 or second.says_nothing(A_WHILE_S), "both streams were told"


@words("http.legacy-replay-other-stream")
def events_of_somebody_else(stage):
    server = stage.server()
    mine, other = Session(server), Session(server)
    secret = follow(server, other)
    for number in {*secret, "0-0", "0-1", "1-0", "1", "2-0"}:
        with server.connect() as connection:
            head = connection.request(*mine.get(("Last-Event-ID", number))).head()
            assert head.status in (400, 404, 405, 200), head
            if head.status == 200:
                assert b"slow" not in connection.chunk(), "somebody else's answer"
                assert connection.says_nothing(A_WHILE_S)


def follow(server, session):
    """Lets a session have a stream with an answer; the ids of its events."""
    with server.connect() as connection:
        assert connection.request(*session.call("slow", meta=PROGRESS)).head().media_type == "text/event-stream"
        found = connection.stream_until(b"begun")
        server.ask("release")
        found += connection.stream_until(b"slow is done")
        return [number for number, _ in events(found)]


@words("http.legacy-event-id-injection")
def ids_of_events_that_are_none(stage):
    server = stage.server()
    session = Session(server)
    follow(server, session)
    values = ["../../x", "1\nX-Injected: 1", "1\0", "1" * 65536, "1-0\0", "1-99999999999999999999", "-1-0", "1-1-1",
              "1-0, 1-1", "1-9", "%31-0", "٣-١", "\t", ""]
    for value in values:
        with server.connect() as connection:
            response = connection.request(*session.get(("Last-Event-ID", value))).response("GET")
            status = response.status if response else "close"
            assert status in (400, 404, 405, 431, "close"), f"{value[:20]!r}: {status}"
            assert not response or not response.all("x-injected")


@words("http.bad-utf8")
def a_body_that_is_not_utf8(stage):
    server = stage.server()
    for body in (b"\xff\xfe", b'{"jsonrpc":"2.0","id":1,"method":"tools/list\xff"}', b'\xc0\xaf', b'"\xed\xa0\x80"'):
        found = statuses_of(server, list_request(server, body=body))
        assert found == 400, found


@words("http.legacy03-batch")
def a_batch(stage):
    session = Session(stage.server(), "2025-03-26")
    wanted = [json.loads(message("ping", id=number)) for number in (1, "two", 3)]
    notification = json.loads(message("notifications/cancelled", {"requestId": 99}, id=None))
    response = session.post(json.dumps([*wanted, notification]).encode())
    assert response.status == 200, response
    assert [answer["id"] for answer in response.messages()] == [1, "two", 3], response


@words("http.sse-escape")
def text_that_looks_like_events(stage):
    server = stage.server()
    evil = "\n\ndata: {}\n\nevent: x\nid: 1\nretry: 0\r\r\n\u2028: x"
    assert server.ask("echo", text=evil) == evil
    with server.connect() as connection:
        connection.request(*server.call("echo", {"text": evil}, meta={**PROGRESS, "progressToken": evil}))
        assert text_of(connection.response()) == evil
