"""The transcript checker must find what is planted here, and nothing else."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from transcript_check import report, schemas
from transcript_check.validate import Checker

SCHEMAS, _ = schemas.load()
LEGACY = [revision for revision in SCHEMAS if revision != "2026-07-28"]
TOOL = {"name": "add", "inputSchema": {"type": "object", "x-host": True}}
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
}
EVERYTHING = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}
FORM = {"message": "m", "requestedSchema": {"type": "object", "properties": {}}}
PAGE = {"mode": "url", "message": "m", "url": "https://example.com/"}
SAMPLE = {"messages": [{"role": "user", "content": {"type": "text", "text": "t"}}], "maxTokens": 1}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
TOOLS_CHANGED = "notifications/tools/list_changed"
UPDATED = "notifications/resources/updated"
CANCELLED = "notifications/cancelled"


def client(method, identity=1, **params):
    return "> " + json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})


def modern(method, identity=1, declared=None, **params):
    capabilities = {"io.modelcontextprotocol/clientCapabilities": declared or {}}
    return client(method, identity, _meta=MODERN_META | capabilities, **params)


def server(**members):
    return "< " + json.dumps({"jsonrpc": "2.0", **members})


def result(identity=1, **members):
    return server(id=identity, result=members)


def error(code, data=None, **identity):
    body = {"code": code, "message": "m"} | ({} if data is None else {"data": data})
    return server(**identity, error=body)


def notification(method, **params):
    return server(method=method, params=params)


def handshake(revision, capabilities=None, declared=None):
    return [
        client("initialize", 0, protocolVersion=revision, capabilities=declared or {}),
        result(0, protocolVersion=revision, capabilities=capabilities or {"tools": {}},
               serverInfo={"name": "s", "version": "1"}),
    ]


def tools(**members):
    caching = {"ttlMs": 0, "cacheScope": "private"}
    return {"resultType": "complete", "tools": [TOOL]} | caching | members


class CheckerTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "planted.txt"

    def check(self, *lines):
        self.path.write_bytes("\n".join(["# What this pins.", *lines, ""]).encode("utf-8"))
        return report.check_all([self.path], Checker(SCHEMAS))

    def accepts(self, *lines):
        self.assertEqual(self.check(*lines).failures, [])

    def rejects(self, reason, *lines):
        """One line is wrong, the last one, for `reason`."""
        failures = self.check(*lines).failures
        self.assertTrue(failures, "nothing was found")
        for failure in failures:
            self.assertTrue(failure.startswith(f"{self.path}:{len(lines) + 1}: "), failure)
        self.assertIn(reason, "\n".join(failures))


class Results(CheckerTest):
    def test_accepts_every_revision(self):
        for revision in LEGACY:
            self.accepts(*handshake(revision), client("tools/list"), result(tools=[TOOL]),
                         client("ping", 2), result(2), client("x/custom", 3), result(3, any=1))
        self.accepts(modern("tools/list"), result(**tools()))

    def test_rejects_a_wrong_type(self):
        for revision in LEGACY:
            self.rejects(".tools[0].name: 5 is not of type 'string'", *handshake(revision),
                         client("tools/list"), result(tools=[TOOL | {"name": 5}]))

    def test_rejects_a_member_that_the_revision_does_not_have(self):
        call = [client("tools/list"), result(tools=[TOOL | {"title": "Add"}])]
        self.rejects("'title' was unexpected", *handshake("2025-03-26"), *call)
        self.accepts(*handshake("2025-06-18"), *call)
        self.rejects("'ttlMs' was unexpected", *handshake("2025-11-25"), client("tools/list"),
                     result(tools=[], ttlMs=1))
        self.rejects("'pong' was unexpected", *handshake("2025-11-25"), client("ping"),
                     result(pong=True))

    def test_rejects_a_capability_that_the_revision_does_not_have(self):
        offer = {"tasks": {}, "experimental": {"x": {"y": 1}}}
        self.rejects("'tasks' was unexpected", *handshake("2025-06-18", offer))
        self.accepts(*handshake("2025-11-25", offer))
        self.rejects("'subscribe' was unexpected",
                     *handshake("2025-11-25", {"tools": {"subscribe": True}}))

    def test_rejects_a_content_block_that_the_revision_does_not_have(self):
        link = {"type": "resource_link", "name": "n", "uri": "x:y"}
        call = [client("tools/call"), result(content=[link])]
        self.rejects("not a valid CallToolResult", *handshake("2025-03-26"), *call)
        self.accepts(*handshake("2025-06-18"), *call)
        self.rejects("'_meta' was unexpected", *handshake("2025-03-26"), client("tools/call"),
                     result(content=[{"type": "text", "text": "", "_meta": {}}]))

    def test_rejects_a_modern_result_without_result_type(self):
        incomplete = tools()
        del incomplete["resultType"]
        self.rejects("'resultType' is a required property", modern("tools/list"),
                     result(**incomplete))
        self.rejects("'resultType' is a required property", modern("x/custom"), result(any=1))

    def test_rejects_a_result_for_a_method_of_other_revisions(self):
        self.rejects("does not have", modern("ping"), result(resultType="complete"))
        self.rejects("does not have", *handshake("2025-11-25"), client("server/discover"), result())

    def test_rejects_an_unknown_revision(self):
        self.rejects("unknown revision", *handshake("2031-01-01"))


class Responses(CheckerTest):
    def test_rejects_a_second_response(self):
        self.rejects("answers no open request", *handshake("2025-11-25"), client("ping"), result(),
                     result())

    def test_tells_the_number_from_the_text(self):
        self.rejects("answers no open request", *handshake("2025-11-25"), client("ping", 1),
                     result("1"))

    def test_accepts_the_refusal_of_a_live_duplicate(self):
        self.accepts(*handshake("2025-11-25"), client("tools/call"), client("ping"),
                     error(-32600, id=1), "! time 5", result(content=[]))

    def test_accepts_an_error_without_id_only_where_it_may_be(self):
        self.accepts("> {", error(-32700, id=None))
        self.accepts(*handshake("2025-03-26"), '>> "\\u00ff"', error(-32700, id=None))
        self.accepts(*handshake("2025-11-25"), ">", error(-32700))
        self.rejects("None is not of type", *handshake("2025-11-25"), "> {", error(-32700, id=None))
        self.rejects("answers no open request", "> {", error(-32700), error(-32700))

    def test_accepts_batches_only_where_they_exist(self):
        calls = [json.loads(client("ping", identity)[2:]) for identity in (1, 2)]
        answers = [json.loads(result(identity)[2:]) for identity in (1, 2)]
        lines = ["> " + json.dumps(calls), "< " + json.dumps(answers)]
        self.accepts(*handshake("2025-03-26"), *lines)
        self.rejects("a batch", *handshake("2025-06-18"), *lines)

    def test_rejects_a_code_that_the_modern_revision_forbids(self):
        for code in (-32002, -32042, -32050):
            self.rejects(f"the error code {code}", modern("tools/call"), error(code, id=1))
        self.accepts(*handshake("2025-11-25"), client("resources/read"), error(-32002, id=1))

    def test_rejects_a_known_code_without_its_data(self):
        self.accepts(modern("ping"), error(-32022, {"supported": [], "requested": "x"}, id=1))
        self.rejects("'supported' is a required property", modern("ping"),
                     error(-32022, {"requested": "x"}, id=1))


class Unsolicited(CheckerTest):
    def test_checks_notifications_by_method_and_revision(self):
        def progress(**members):
            return server(method="notifications/progress", params={"progressToken": "t"} | members)

        call = client("tools/call", _meta={"progressToken": "t"})
        self.accepts(*handshake("2025-03-26"), call, progress(progress=1))
        self.rejects("not of type 'number'", *handshake("2025-03-26"), call, progress(progress="1"))
        self.rejects("'x' was unexpected", *handshake("2025-11-25"), call,
                     progress(progress=1, x=1))
        self.rejects("does not send", *handshake("2025-06-18"), "! complete",
                     server(method="notifications/elicitation/complete",
                            params={"elicitationId": "e"}))



class Questions(CheckerTest):
    """What the server asks in the way of the earlier revisions."""

    def call(self, revision="2025-11-25", declared=None):
        declared = EVERYTHING if declared is None else declared
        return [*handshake(revision, declared=declared), client("tools/call")]

    def test_accepts_what_the_revision_has(self):
        for revision in LEGACY:
            self.accepts(*self.call(revision), server(id=1, method="roots/list"),
                         server(id=2, method="sampling/createMessage", params=SAMPLE))
        for revision in ("2025-06-18", "2025-11-25"):
            self.accepts(*self.call(revision),
                         server(id=1, method="elicitation/create", params=FORM))
        self.accepts(*self.call(), server(id=1, method="elicitation/create",
                                          params=PAGE | {"elicitationId": "e"}))

    def test_rejects_what_the_revision_does_not_have(self):
        form = server(id=1, method="elicitation/create", params=FORM)
        self.rejects("does not send", *self.call("2025-03-26"), form)
        self.rejects("does not send", modern("tools/call"), server(id=1, method="roots/list"))
        self.rejects("'mode' was unexpected", *self.call("2025-06-18"),
                     server(id=1, method="elicitation/create", params=FORM | {"mode": "form"}))
        self.rejects("'tools' was unexpected", *self.call("2025-06-18"),
                     server(id=1, method="sampling/createMessage", params=SAMPLE | {"tools": []}))
        self.rejects("not a valid", *self.call(),
                     server(id=1, method="elicitation/create", params=PAGE))

    def test_rejects_a_wrong_question_of_each_kind(self):
        for method, params in (("elicitation/create", FORM | {"message": 1}),
                               ("elicitation/create", FORM | {"x": 1}),
                               ("sampling/createMessage", SAMPLE | {"maxTokens": "1"}),
                               ("sampling/createMessage", SAMPLE | {"x": 1}),
                               ("roots/list", {"x": 1})):
            self.rejects("not a valid", *self.call(), server(id=1, method=method, params=params))
        self.rejects("does not send", *self.call(), server(id=1, method="roots/forget"))

    def test_rejects_what_the_client_did_not_declare(self):
        for method, params, declared, missing in (
                ("roots/list", {}, {}, "roots"),
                ("sampling/createMessage", SAMPLE, {"roots": {}}, "sampling"),
                ("sampling/createMessage", SAMPLE | {"tools": []}, {"sampling": {}},
                 "sampling.tools"),
                ("elicitation/create", FORM, {"elicitation": {"url": {}}}, "elicitation.form"),
                ("elicitation/create", PAGE, {"elicitation": {}}, "elicitation.url")):
            self.rejects(f"asks for {missing},", *self.call(declared=declared),
                         server(id=1, method=method, params=params))
        self.accepts(*self.call(declared={"elicitation": {}}),
                     server(id=1, method="elicitation/create", params=FORM))

    def test_rejects_an_id_that_was_used_before(self):
        roots, answer = server(id=1, method="roots/list"), "> " + result(roots=[])[2:]
        self.rejects("used before", *self.call(), roots, roots)
        self.rejects("used before", *self.call(), roots, answer, roots)

    def test_accepts_the_withdrawal_of_open_questions_only(self):
        roots, answer = server(id=7, method="roots/list"), "> " + result(7, roots=[])[2:]
        withdrawn = notification(CANCELLED, requestId=7)
        self.accepts(*self.call(), roots, withdrawn)
        self.rejects("neither an open request", *self.call(), withdrawn)
        self.rejects("neither an open request", *self.call(), roots, answer, withdrawn)
        self.rejects("neither an open request", *self.call(), roots, withdrawn, withdrawn)
        self.rejects("neither an open request", *self.call(), roots,
                     notification(CANCELLED, requestId=1))
        self.rejects("'x' was unexpected", *self.call(), roots,
                     notification(CANCELLED, requestId=7, x=1))

    def test_wants_the_data_of_a_page_that_is_required(self):
        page = PAGE | {"elicitationId": "e"}
        self.accepts(*self.call(), error(-32042, {"elicitations": [page]}, id=1))
        self.rejects("not a valid", *self.call(), error(-32042, {"elicitations": [PAGE]}, id=1))


class RequiredInput(CheckerTest):
    """What the server asks in 2026-07-28."""

    def required(self, members, method="tools/call", declared=EVERYTHING):
        return [modern(method, declared=declared), result(resultType="input_required", **members)]

    def test_accepts_questions_and_state(self):
        questions = {"a": {"method": "roots/list"},
                     "b": {"method": "elicitation/create", "params": FORM},
                     "c": {"method": "elicitation/create", "params": PAGE},
                     "d": {"method": "sampling/createMessage", "params": SAMPLE}}
        for method in ("tools/call", "prompts/get", "resources/read"):
            self.accepts(*self.required({"inputRequests": questions, "requestState": "s"}, method))
        self.accepts(*self.required({"requestState": "s"}))

    def test_rejects_a_wrong_question_of_each_kind(self):
        for question in ({"method": "roots/forget"}, {"method": "ping"}, {}, "roots/list",
                         {"method": "roots/list", "id": 1},
                         {"method": "elicitation/create", "params": PAGE | {"elicitationId": "e"}},
                         {"method": "elicitation/create", "params": FORM | {"x": 1}},
                         {"method": "sampling/createMessage", "params": {"messages": []}}):
            self.rejects("not a valid InputRequiredResult",
                         *self.required({"inputRequests": {"a": question}}))

    def test_rejects_what_is_around_the_questions(self):
        self.rejects("'x' was unexpected", *self.required({"requestState": "s", "x": 1}))
        self.rejects("is not of type 'string'", *self.required({"requestState": 1}))
        self.rejects("without inputRequests and requestState", *self.required({}))
        self.rejects("an answer to tools/list", *self.required({"requestState": "s"}, "tools/list"))
        self.rejects("an answer to x/custom", *self.required({"requestState": "s"}, "x/custom"))

    def test_rejects_what_the_request_did_not_declare(self):
        roots = {"inputRequests": {"a": {"method": "roots/list"}}}
        self.rejects("asks for roots,", *self.required(roots, declared={"sampling": {}}))

    def test_rejects_a_missing_capability_that_is_not_named(self):
        needed = {"requiredCapabilities": {"roots": {}}}
        self.accepts(modern("tools/call"), error(-32021, needed, id=1))
        self.rejects("required property", modern("tools/call"), error(-32021, {}, id=1))


class Changes(CheckerTest):
    OFFER = {"tools": {"listChanged": True}, "resources": {"subscribe": True}}

    def listen(self, identity="s", **asked):
        return modern("subscriptions/listen", identity, notifications=asked)

    def tagged(self, method, identity="s", **params):
        return notification(method, _meta={SUBSCRIPTION: identity}, **params)

    def acknowledged(self, identity="s", **promised):
        method = "notifications/subscriptions/acknowledged"
        return self.tagged(method, identity, notifications=promised)

    def test_accepts_what_a_handshake_announced_and_a_client_subscribed(self):
        for revision in LEGACY:
            self.accepts(*handshake(revision, self.OFFER), server(method=TOOLS_CHANGED),
                         client("resources/subscribe", uri="a:b"), result(),
                         notification(UPDATED, uri="a:b"))

    def test_rejects_what_it_did_not(self):
        begin = handshake("2025-11-25", self.OFFER)
        subscribed = [*begin, client("resources/subscribe", uri="a:b"), result()]
        self.rejects("did not announce", *begin,
                     server(method="notifications/resources/list_changed"))
        self.rejects("not subscribed", *begin, notification(UPDATED, uri="a:b"))
        self.rejects("not subscribed", *subscribed, notification(UPDATED, uri="a:c"))
        self.rejects("not subscribed", *subscribed,
                     client("resources/unsubscribe", uri="a:b"), result(),
                     notification(UPDATED, uri="a:b"))
        self.rejects("'x' was unexpected", *subscribed, notification(UPDATED, uri="a:b", x=1))
        self.rejects("nobody has asked for", modern("ping"), error(-32601, id=1), "! x",
                     server(method=TOOLS_CHANGED))

    def test_accepts_what_a_stream_was_promised(self):
        self.accepts(self.listen(toolsListChanged=True, resourceSubscriptions=["a:b", "a:c"]),
                     self.acknowledged(toolsListChanged=True, resourceSubscriptions=["a:b"]),
                     self.tagged(TOOLS_CHANGED), self.tagged(UPDATED, uri="a:b"))
        self.accepts(self.listen(1), self.acknowledged(1), self.listen("1"), self.acknowledged("1"))

    def test_rejects_a_promise_of_what_was_not_asked(self):
        self.rejects("did not ask for", self.listen(), self.acknowledged(toolsListChanged=True))
        self.rejects("did not ask for", self.listen(resourceSubscriptions=["a:b"]),
                     self.acknowledged(resourceSubscriptions=["a:c"]))
        self.rejects("'x' was unexpected", self.listen(x=True), self.acknowledged(x=True))
        self.rejects("a second acknowledgement", self.listen(), self.acknowledged(),
                     self.acknowledged())

    def test_rejects_what_a_stream_was_not_promised(self):
        begin = [self.listen(toolsListChanged=True, resourceSubscriptions=["a:b"]),
                 self.acknowledged(toolsListChanged=True, resourceSubscriptions=["a:b"])]
        self.rejects("not acknowledged", begin[0], self.tagged(TOOLS_CHANGED))
        self.rejects("not promised", *begin, self.tagged("notifications/prompts/list_changed"))
        self.rejects("not promised", *begin, self.tagged(UPDATED, uri="a:c"))
        self.rejects("on a listen stream", *begin,
                     self.tagged("notifications/message", level="info", data="d"))
        self.rejects("not open", *begin, self.tagged(TOOLS_CHANGED, "t"))
        self.rejects("not open", *begin, "> " + notification(CANCELLED, requestId="s")[2:],
                     self.tagged(TOOLS_CHANGED))
        self.rejects("'x' was unexpected", *begin, self.tagged(UPDATED, uri="a:b", x=1))
        self.rejects("nobody has asked for", *begin, server(method=TOOLS_CHANGED))

    def test_wants_the_end_of_a_stream_to_be_one(self):
        end = result("s", resultType="complete", _meta={SUBSCRIPTION: "s"})
        cancelled = notification(CANCELLED, requestId="s")
        begin = [self.listen(toolsListChanged=True), self.acknowledged(toolsListChanged=True)]
        self.accepts(*begin, "! shutdown", end, cancelled)
        self.rejects("neither an open request", *begin, "! shutdown", cancelled)
        self.rejects("neither an open request", *begin, "! shutdown", end, cancelled, cancelled)
        self.rejects("not open", *begin, "! shutdown", end, self.tagged(TOOLS_CHANGED))
        self.rejects("required property", *begin, "! shutdown", result("s", resultType="complete"))


class Lines(CheckerTest):
    def test_rejects_what_is_not_one_json_value(self):
        for text in ('{"jsonrpc":"2.0","id":1,"result":{}}\r', "{", "{} {}",
                     '{"jsonrpc":"2.0","id":1,"id":1,"result":{}}',
                     '{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}', "[]",
                     '{"id":1,"result":{}}', '{"jsonrpc":"2.0","id":1}'):
            self.rejects("", *handshake("2025-11-25"), client("ping"), "< " + text)

    def test_rejects_what_is_not_of_the_format(self):
        self.rejects("before the first step", "< {}")
        self.rejects("after the first step", client("ping"), "@ preset classic")
        self.rejects("a line must start with", "client: {}")
        self.rejects("needs a JSON string", '>> "\\u0100"')


class Coverage(CheckerTest):
    def test_wants_every_method_in_every_revision_that_has_it(self):
        missing = report.missing_coverage(self.check(), SCHEMAS)
        elicitation = ["2025-06-18", "2025-11-25", "2026-07-28"]
        of_some = {"initialize": LEGACY, "ping": LEGACY, "logging/setLevel": LEGACY,
                   "resources/subscribe": LEGACY, "resources/unsubscribe": LEGACY,
                   "server/discover": ["2026-07-28"], "subscriptions/listen": ["2026-07-28"],
                   "elicitation/create": elicitation,
                   "notifications/elicitation/complete": ["2025-11-25"],
                   "notifications/subscriptions/acknowledged": ["2026-07-28"]}
        methods = report.HANDLED_METHODS + report.SENT_METHODS
        self.assertLess(set(of_some), set(methods))
        self.assertEqual(sorted(missing), sorted(
            (method, revision) for method in methods
            for revision in of_some.get(method, SCHEMAS) if revision in SCHEMAS))

    def test_counts_results_requests_notifications_and_required_input(self):
        def misses(method, revision, *lines):
            return (method, revision) in report.missing_coverage(self.check(*lines), SCHEMAS)

        listed = [modern("tools/list"), result(**tools())]
        self.assertFalse(misses("tools/list", "2026-07-28", *listed))
        begin = handshake("2025-11-25", {"tools": {"listChanged": True}}, EVERYTHING)
        roots = server(id=1, method="roots/list")
        self.assertFalse(misses("roots/list", "2025-11-25", *begin, client("tools/call"), roots))
        changed = server(method=TOOLS_CHANGED)
        self.assertFalse(misses(TOOLS_CHANGED, "2025-11-25", *begin, changed))
        asked = result(resultType="input_required", inputRequests={"a": {"method": "roots/list"}})
        lines = [modern("tools/call", declared=EVERYTHING), asked]
        self.assertFalse(misses("roots/list", "2026-07-28", *lines))
        self.assertTrue(misses("roots/list", "2025-11-25", *lines))

    def test_the_command_fails_with_file_line_and_reason(self):
        self.check(modern("tools/call"), error(-32002, id=1))
        script = Path(__file__).with_name("check_transcripts.py")
        done = subprocess.run([sys.executable, script, "--require-coverage", self.path],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.path}:3: 2026-07-28: the error code -32002", done.stderr)
        self.assertIn("not covered: ping in 2025-11-25", done.stderr)


if __name__ == "__main__":
    unittest.main()
