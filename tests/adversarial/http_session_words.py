"""The cases of http_more.jsonl about sessions and their streams, which are given in words."""

import time
from concurrent.futures import ThreadPoolExecutor

from http_client import PROGRESS, Session, message, text_of
from http_wire import Broken, events
from http_words import A_WHILE_S, follow, until, words


def hold(server, session, id=1, meta=PROGRESS):
    """A call that has begun and is held; its connection."""
    before = server.status()["held"]
    connection = server.connect().request(*session.call("slow", id, meta))
    until(lambda: server.status()["held"] == before + 1, "the tool began")
    return connection


@words("more.same-id-session")
def the_same_id_twice_in_a_session(stage):
    server = stage.server()
    session = Session(server)
    first = hold(server, session, meta=None)
    with server.connect() as second:
        refused = second.request(*session.call("status")).response()
        assert refused.status in (200, 400), refused
    server.ask("release")
    assert text_of(first.response()) == "slow is done"


@words("more.same-id-sessions")
def the_same_id_in_two_sessions(stage):
    server = stage.server()
    held = [hold(server, Session(server), id="same") for _ in range(8)]
    server.ask("release")
    for connection in held:
        answers = [it for it in connection.response().messages() if "id" in it]
        assert len(answers) == 1 and answers[0]["id"] == "same", answers


@words("more.cancel-other-session")
def cancelling_what_another_session_asked(stage):
    server = stage.server()
    mine, other = Session(server), Session(server)
    asking, before = hold(server, other, id=7), server.status()["cancelled"]
    assert mine.post(message("notifications/cancelled", {"requestId": 7}, id=None)).status == 202
    time.sleep(A_WHILE_S)
    assert server.status()["cancelled"] == before
    assert server.ask("release") == "1"
    assert b"slow is done" in asking.response().body


@words("more.replay-foreign-event")
def the_last_event_of_somebody_else(stage):
    server = stage.server()
    mine, other = Session(server), Session(server)
    asking = hold(server, other)
    assert asking.head().status == 200
    begun = asking.stream_until(b"begun")
    last = events(begun)[-1][0]
    # Mine has a stream of that number too, with nothing in it that could be missed.
    for number in (last, "1-0"):
        with server.connect() as connection:
            response = connection.request(*mine.get(("Last-Event-ID", number))).response("GET")
            assert response.status in (400, 404), response
    server.ask("release")
    assert b"slow is done" in asking.stream_until(b"slow is done"), "the stream was taken away"


@words("more.replay-after-delete")
def coming_back_after_the_end(stage):
    server = stage.server()
    session = Session(server)
    last = follow(server, session)[0]
    assert session.delete().status in (200, 204)
    with server.connect() as connection:
        assert connection.request(*session.get(("Last-Event-ID", last))).response("GET").status == 404


@words("more.replay-two-at-once")
def two_come_back_at_once(stage):
    server = stage.server()
    session = Session(server)
    asking = hold(server, session)
    asking.head()
    last = events(asking.stream_until(b"begun"))[-1][0]
    asking.socket.close()

    def come_back(_):
        with server.connect() as connection:
            head = connection.request(*session.get(("Last-Event-ID", last))).head()
            assert head.status in (200, 400, 409), head
            return connection.stream_until(b"slow is done") if head.status == 200 else b""

    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(come_back, number) for number in range(4)]
        time.sleep(A_WHILE_S)
        server.ask("release")
        told = [each.result().count(b"slow is done") for each in found]
    assert sum(told) == 1, f"the answer was told {told} times"


@words("more.delete-ends-streams")
def the_end_of_a_session_ends_its_streams(stage):
    server = stage.server()
    session = Session(server)
    asking, before = hold(server, session), server.status()["cancelled"]
    with server.connect() as listening:
        assert listening.request(*session.get()).head().status == 200
        assert session.delete().status in (200, 204)
        until(lambda: server.status()["cancelled"] == before + 1, "the call was cancelled")
        while listening.chunk():
            pass
    assert b"slow is done" not in asking.response().body
    assert server.ask("release") == "0"


@words("more.method-override")
def a_method_in_a_header(stage):
    server = stage.server()
    session = Session(server)
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        with server.connect() as connection:
            headers = [*session.headers(), (name, "DELETE")]
            assert connection.request("POST", "/mcp?_method=DELETE", headers, message("ping")).response().status == 200
    assert session.ping().status == 200


@words("more.session-flood")
def more_sessions_than_there_may_be(stage):
    server = stage.server("max-sessions=16", "session-idle=60000")
    sessions = [Session(server) for _ in range(16)]
    for _ in range(100):
        try:
            Session(server)
        except Broken as error:
            assert "503" in str(error), error
        else:
            raise AssertionError("there was room for one more")
    assert all(session.ping().status == 200 for session in sessions), "one that was there was thrown out"
    assert server.discover().status == 200
    assert sessions.pop().delete().status in (200, 204)
    sessions.append(Session(server))
    for session in sessions:
        session.delete()


@words("more.session-guesses")
def guesses_near_a_real_id(stage):
    server = stage.server()
    session = Session(server)
    real, found = session.id, set()
    with server.connect() as connection:
        for number in range(1000):
            place = number % len(real)
            other = "A" if real[place] != "A" else "B"
            session.id = real[:place] + other + real[place + 1:] if number % 3 else real[:place] + real[place + 1:]
            found.add(connection.request("POST", "/mcp", session.headers(), message("ping")).response().status)
    session.id = real
    assert found == {404}, found
    assert session.ping().status == 200


@words("more.stateless")
def a_server_without_sessions(stage):
    server = stage.server("stateless=1")
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    headers = server.modern_headers("x")[:3]
    for name, id, status in (("initialize", 1, 200), ("ping", "two", 200), ("notifications/initialized", None, 202)):
        with server.connect() as connection:
            response = connection.request("POST", "/mcp", headers, message(name, params, id)).response()
            assert response.status == status and not response.all("mcp-session-id"), response
    for method in ("GET", "DELETE"):
        with server.connect() as connection:
            refused = connection.request(method, "/mcp", [headers[0], ("Accept", "text/event-stream")]).response(method)
            assert refused.status == 405, refused
