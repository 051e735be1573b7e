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
    "io.modelcontextprotocol/clientCapabilities": {},
}


def client(method, identity=1, **params):
    return "> " + json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})


def modern(method, identity=1, **params):
    return client(method, identity, _meta=MODERN_META, **params)


def server(**members):
    return "< " + json.dumps({"jsonrpc": "2.0", **members})


def result(identity=1, **members):
    return server(id=identity, result=members)


def error(code, data=None, **identity):
    body = {"code": code, "message": "m"} | ({} if data is None else {"data": data})
    return server(**identity, error=body)


def handshake(revision, capabilities=None):
    return [
        client("initialize", 0, protocolVersion=revision),
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

    def test_checks_server_requests_by_revision(self):
        roots = server(id="s1", method="roots/list")
        self.accepts(*handshake("2025-03-26"), client("tools/call"), roots)
        self.rejects("does not send", modern("tools/call"), roots)


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
        modern_only, legacy_only = ["server/discover"], ["initialize", "ping", "logging/setLevel"]
        shared = set(report.HANDLED_METHODS) - set(modern_only) - set(legacy_only)
        self.assertEqual(sorted(missing), sorted(
            [(method, revision) for method in legacy_only for revision in LEGACY]
            + [(method, "2026-07-28") for method in modern_only]
            + [(method, revision) for method in shared for revision in SCHEMAS]))
        covered = self.check(modern("tools/list"), result(**tools()))
        self.assertNotIn(("tools/list", "2026-07-28"), report.missing_coverage(covered, SCHEMAS))

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
