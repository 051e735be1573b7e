"""What decides over the conformance suite sees whatever is wrong."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "conformance"))
from verdict import judge  # noqa: E402 - from the folder that was named just before

MOMENT = "2026-01-02T03-04-05-678Z"


def check(status):
    return {"id": "some-check", "status": status, "errorMessage": "some reason"}


class Verdicts(unittest.TestCase):
    def judge(self, results, scenarios=None, code=0):
        """The verdict on results, which are the statuses of each scenario's checks."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for scenario, statuses in results.items():
                result = folder / f"server-{scenario}-{MOMENT}"
                result.mkdir()
                (result / "checks.json").write_text(json.dumps([check(status) for status in statuses]))
            return judge(scenarios or {scenario: True for scenario in results}, folder, code)

    def test_a_success_passes_with_remarks_beside_it(self):
        verdict = self.judge({"ping": ["SUCCESS", "INFO", "SKIPPED"]})
        self.assertEqual((verdict.passed, verdict.failed, verdict.scored), (["ping"], {}, (1, 1)))

    def test_a_warning_fails_as_a_failure_does(self):
        for status in ("WARNING", "FAILURE"):
            verdict = self.judge({"ping": ["SUCCESS", status]}, code=1)
            self.assertEqual(verdict.failed, {"ping": [f"{status} some-check: some reason"]})
            self.assertEqual(verdict.scored, (0, 1))

    def test_a_scenario_without_a_success_fails(self):
        for statuses in ([], ["INFO"], ["SKIPPED", "INFO"]):
            self.assertEqual(list(self.judge({"ping": statuses}).failed), ["ping"])

    def test_a_scenario_without_a_result_fails(self):
        verdict = self.judge({"ping": ["SUCCESS"]}, {"ping": True, "tools-list": True})
        self.assertEqual(list(verdict.failed), ["tools-list"])

    def test_a_result_that_was_not_asked_for_fails(self):
        verdict = self.judge({"ping": ["SUCCESS"], "tools-list": ["SUCCESS"]}, {"ping": True})
        self.assertEqual(list(verdict.failed), ["tools-list"])

    def test_extensions_decide_nothing(self):
        results = {"ping": ["SUCCESS"], "tasks-lifecycle": ["FAILURE"], "sep-2640-skills-manifest": ["SKIPPED"]}
        verdict = self.judge(results, code=1)
        self.assertEqual((verdict.passed, verdict.failed), (["ping"], {}))
        self.assertEqual(verdict.out_of_scope, ["tasks-lifecycle", "sep-2640-skills-manifest"])

    def test_what_is_not_scored_fails_all_the_same(self):
        verdict = self.judge({"ping": ["SUCCESS"], "caching": ["WARNING"]}, {"ping": True, "caching": False})
        self.assertEqual(list(verdict.failed), ["caching"])
        self.assertEqual(verdict.scored, (1, 1))

    def test_the_suite_has_the_last_word(self):
        for code in (None, 1, -9):
            self.assertEqual(list(self.judge({"ping": ["SUCCESS"]}, code=code).failed), ["the suite"])


if __name__ == "__main__":
    unittest.main()
