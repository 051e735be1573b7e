"""The cases of http_more.jsonl that are given in words, but for those about sessions."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

from http_client import META, PROGRESS, message, text_of
from http_play import listen
from http_wire import request
from http_words import A_WHILE_S, until, words

# At once, where many are: as many threads of ours.
MANY = 64


@words("more.expect-continue")
def leave_to_send_a_body(stage):
    server = stage.server()
    method, path, headers, body = server.call("echo", {"text": "x"})
    headers = [*headers, ("Expect", "100-continue"), ("Content-Length", str(len(body)))]
    with server.connect() as connection:
        connection.request(method, path, headers, length=False)
        until(lambda: not connection.says_nothing(0.1), "leave was given")
        assert connection.bytes.startswith(b"HTTP/1.1 100 "), connection.bytes
        connection.send(body)
        assert text_of(connection.response()) == "x"


@words("more.expect-refused")
def no_leave_to_send_a_body(stage):
    server = stage.server()
    method, path, headers, body = server.call("echo", {"text": "x"})
    headers = [*headers, ("Expect", "100-continue"), ("Content-Length", str(len(body))), ("Origin", "https://evil.example")]
    with server.connect() as connection:
        connection.request(method, path, headers, length=False)
        until(lambda: not connection.says_nothing(0.1), "something was said")
        assert connection.bytes.startswith(b"HTTP/1.1 403 "), connection.bytes
        # A client that sends it all the same must not have it taken for a request.
        connection.send(request(*server.call("echo", {"text": "smuggled"})))
        heard = listen(connection, "POST", 1)
        assert [response.status for response in heard.responses] == [403], heard


@words("more.expect-unknown")
def an_expectation_that_nobody_knows(stage):
    server = stage.server()
    method, path, headers, body = server.call("echo", {"text": "x"})
    with server.connect() as connection:
        response = connection.request(method, path, [*headers, ("Expect", "200-ok")], body).response()
        assert response.status in (200, 400, 417), response


@words("more.pipeline-200")
def requests_without_reading(stage):
    server = stage.server()
    with server.connect() as connection:
        connection.send(b"".join(request(*server.call("echo", {"text": str(n)}, id=n)) for n in range(200)))
        answers = [connection.response() for _ in range(200)]
        assert [text_of(answer) for answer in answers] == [str(number) for number in range(200)]


@words("more.every-byte")
def a_request_cut_at_every_byte(stage):
    server = stage.server()
    whole = request(*server.call("echo", {"text": "a é 😀"}))
    with server.connect() as connection:
        for cut in range(1, len(whole)):
            connection.send(whole[:cut])
            # The other side reads in between, or it does not: both must do.
            time.sleep(0.0005)
            connection.send(whole[cut:])
            assert text_of(connection.response()) == "a é 😀", cut


@words("more.same-id")
def the_same_id_for_everybody(stage):
    server = stage.server()

    def ask(number):
        return server.ask("echo", text=f"for {number}") == f"for {number}"

    before = server.status()["held"]
    held = [server.connect().request(*server.call("slow", meta=PROGRESS)) for _ in range(MANY)]
    until(lambda: server.status()["held"] == before + MANY, "all have begun")
    with ThreadPoolExecutor(MANY) as pool:
        assert all(pool.map(ask, range(4 * MANY)))
    server.ask("release")
    for connection in held:
        assert text_of(connection.response()) == "slow is done"
        connection.socket.close()


@words("more.cancel-modern")
def cancelling_from_another_connection(stage):
    server = stage.server()
    before = server.status()
    with server.connect() as asking, server.connect() as hostile:
        asking.request(*server.call("slow", id=7))
        until(lambda: server.status()["held"] == before["held"] + 1, "the tool began")
        body = message("notifications/cancelled", {"requestId": 7, "_meta": META}, id=None)
        response = hostile.request("POST", "/mcp", server.modern_headers("notifications/cancelled"), body).response()
        assert response.status in (202, 400), response
        time.sleep(A_WHILE_S)
        assert server.status()["cancelled"] == before["cancelled"]
        assert server.ask("release") == "1"
        assert text_of(asking.response()) == "slow is done"


@words("more.header-echo")
def what_was_sent_is_in_no_header(stage):
    server = stage.server("cors=https://app.example")
    mark = "mark-of-an-attacker"
    for name in ("Origin", "X-Request-Id", "Cookie", "Authorization", "Mcp-Session-Id", "Last-Event-ID", "User-Agent",
                 "Access-Control-Request-Headers", "Accept-Language", "MCP-Protocol-Version", "Mcp-Name", "Host"):
        for method in ("POST", "OPTIONS", "GET"):
            headers = [(own, mark if own == name else value) for own, value in server.modern_headers("tools/list", "x")]
            headers += [] if name in dict(headers) else [(name, mark)]
            with server.connect() as connection:
                body = message("tools/list", {"_meta": META}) if method == "POST" else b""
                response = connection.request(method, f"/mcp?{mark}", headers, body).response(method)
                assert mark not in json.dumps(response.headers), f"{method} with {name}: {response.headers}"


@words("more.error-echo")
def what_was_sent_comes_back_short(stage):
    server = stage.server()
    evil = "<script>\u2028\r\n" + "x" * 100_000
    bodies = [message(evil, {"_meta": META}), message("tools/call", {"name": evil, "_meta": META}),
              message("tools/list", {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": evil}}),
              evil.encode(), message("tools/call", {"name": "echo", "arguments": {evil: evil}, "_meta": META})]
    for body in bodies:
        for name in ("tools/call", "tools/list"):
            with server.connect() as connection:
                headers = server.modern_headers(name, "echo")
                response = connection.request("POST", "/mcp", headers, body).response()
                assert response.status in (200, 400, 404) and len(response.body) < 2000, response
                assert response.media_type == "application/json", response.headers
                assert response.messages(), "not JSON"
