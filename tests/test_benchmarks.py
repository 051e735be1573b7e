"""What judges and shows benchmarks sees a missed target, and says what was measured."""

import json
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

BENCH = Path(__file__).parents[1] / "bench"
sys.path.insert(0, str(BENCH))
from common.setup import Setup  # noqa: E402 - from the folder that was named just before
from native import charts, entrants, readme, targets  # noqa: E402
from native.chart import Bar, bar_chart  # noqa: E402
from native.contender import ALL as CONTENDERS  # noqa: E402
from native.contender import NATIVE, NODE, PORT, PYTHON, Entrant  # noqa: E402
from native.document import markdown, overview_table, target_table  # noqa: E402
from native.figures import number_text, spread_text  # noqa: E402
from native.ledger import Ledger  # noqa: E402
from native.measurement import ALL as MEASUREMENTS  # noqa: E402
from native.results import failed, plain  # noqa: E402
from native.targets import AtMost, AtMostAbove, AtMostTimes, Faster, Figure, Target, TimesBetter  # noqa: E402

ORIGIN = {
    "date": "2026-01-02",
    "command": "make bench",
    "quick": False,
    "machine": {"processor": "some", "cores": 2, "memory_gb": 4.0, "system": "Linux 6"},
    "load": [0.5, 0.5],
    "versions": {"mcplite": {"mcplite": "0.1.0"}},
}


def entrant(contender, name="some set-up"):
    return Entrant(CONTENDERS[contender], Setup(contender, name, ()))


def ledger_of(measured):
    """A ledger of samples, by measurement, contender and quantity."""
    ledger = Ledger()
    for key, contenders in measured.items():
        for contender, quantities in contenders.items():
            for quantity, samples in quantities.items():
                for sample in samples:
                    ledger.add(key, entrant(contender), {quantity: sample})
    return ledger


def small_calls(**contenders):
    return ledger_of(
        {"small-call": {name: {"cpu_us": samples} for name, samples in contenders.items()}}
    )


def results_of(ledger, keys=()):
    return ORIGIN | plain(ledger, targets.judge_all(ledger, set(keys)))


class Verdicts(unittest.TestCase):
    def judge(self, rule, samples, against=None, quantity="cpu_us", **more):
        measured = {"mcplite": {quantity: samples}}
        if against:
            measured["floor"] = {quantity: against}
        if "bound" in more:
            measured[more["bound"]] = {quantity: more.pop("bound_samples")}
        figure = Figure("small-call", quantity)
        other = Figure("small-call", quantity, "floor") if against else None
        target = Target("some call", figure, rule, other, "the floor", **more)
        return target.judge(ledger_of({"small-call": measured}))

    def test_a_count_may_be_as_large_as_its_target(self):
        self.assertEqual(self.judge(AtMost(3500), [3500]).text, "met")
        self.assertEqual(self.judge(AtMost(3500), [3501]).text, "missed")

    def test_ratios_are_taken_round_by_round(self):
        verdict = self.judge(AtMostTimes(0.55), [1, 2, 100], [2, 4, 200])
        self.assertEqual((verdict.text, verdict.reading.middle), ("met", 0.5))
        self.assertEqual(self.judge(AtMostTimes(0.55), [1, 1, 1], [1, 1, 100]).text, "missed")

    def test_better_is_less_of_a_time_and_more_of_a_rate(self):
        self.assertEqual(self.judge(TimesBetter(6), [1], [7]).text, "met")
        self.assertEqual(self.judge(TimesBetter(6), [7], [1]).text, "missed")
        self.assertEqual(self.judge(TimesBetter(6), [7], [1], "calls_per_s").text, "met")
        self.assertEqual(self.judge(TimesBetter(6), [1], [7], "calls_per_s").text, "missed")

    def test_a_difference_is_taken_round_by_round(self):
        verdict = self.judge(AtMostAbove(2), [5, 9], [4, 8])
        self.assertEqual((verdict.text, verdict.reading.middle), ("met", 1))

    def test_threads_are_judged_by_their_best_rounds(self):
        verdict = self.judge(Faster(1.8), [10, 19, 3], [10, 5, 9], "calls_per_s")
        self.assertEqual((verdict.text, verdict.reading.middle), ("met", 1.9))

    def test_what_was_not_measured_fails_the_run(self):
        verdict = targets.ALL[0].judge(Ledger())
        self.assertEqual((verdict.text, verdict.is_failure), ("not measured", True))

    def test_a_time_of_the_clock_decides_nothing(self):
        verdict = self.judge(AtMost(1), [2], decides=False)
        self.assertEqual((verdict.text, verdict.is_failure), ("missed", False))

    def test_what_the_bound_misses_as_well_is_out_of_reach(self):
        bound = {"bound": "fixed bytes", "quantity": "calls_per_s"}
        verdict = self.judge(TimesBetter(2), [15], [10], bound_samples=[19], **bound)
        self.assertEqual((verdict.text, verdict.is_failure), ("out of reach", False))
        verdict = self.judge(TimesBetter(2), [15], [10], bound_samples=[20], **bound)
        self.assertEqual((verdict.text, verdict.is_failure), ("missed", True))

    def test_every_target_speaks_of_something_that_is_measured(self):
        for target in targets.ALL:
            for figure in filter(None, (target.figure, target.against)):
                self.assertIn(figure.contender, CONTENDERS)
                self.assertIn(figure.quantity, MEASUREMENTS[figure.measurement].quantities)


class Entrants(unittest.TestCase):
    def test_every_program_that_is_measured_is_there(self):
        places = {
            NATIVE: [BENCH / "native" / "contenders" / "{}.c", BENCH / "peers" / "{}"],
            PYTHON: [BENCH / "python" / "contenders" / "{}"],
            NODE: [BENCH / "node" / "contenders" / "{}"],
            PORT: [BENCH / "common" / "client" / "{}.c"],
        }
        measured = [*entrants.IN_PROCESS, *entrants.STDIO, *entrants.START, *entrants.HTTP]
        for it in [*measured, *entrants.STREAMS, *entrants.MEMORY, entrants.THREADS]:
            program = it.setup.arguments[0]
            found = [str(place).format(program) for place in places[it.contender.language]]
            self.assertTrue(any(Path(path).exists() for path in found), it.label)

    def test_a_quick_run_leaves_nobody_out(self):
        for field in (entrants.IN_PROCESS, entrants.STDIO, entrants.HTTP):
            everybody = {it.contender for it in field}
            self.assertEqual({it.contender for it in field if it.setup.usual}, everybody)


class Results(unittest.TestCase):
    def test_the_best_set_up_of_a_peer_counts(self):
        ledger = small_calls(mcplite=[1.0], rmcp=[9.0], mcp=[99.0])
        ledger.add("small-call", entrant("rmcp", "another"), {"cpu_us": 8.0})
        ours = results_of(ledger)["measurements"][0]["entrants"][0]
        self.assertEqual((ours["contender"], ours["fastest_peer"]), ("mcplite", "rmcp"))
        self.assertEqual(ours["times_better_than_peer"]["median"], 8)

    def test_packages_are_compared_with_those_of_their_language(self):
        ledger = small_calls(**{"mcplite for Python": [4.0], "rmcp": [8.0], "mcp": [80.0]})
        ours = results_of(ledger)["measurements"][0]["entrants"][0]
        self.assertEqual(ours["times_better_than_peer"]["median"], 20)

    def test_the_ratio_to_the_floor_is_a_cost(self):
        measured = {"mcplite": {"calls_per_s": [5.0]}, "floor": {"calls_per_s": [10.0]}}
        (row,) = results_of(ledger_of({"stdio-flood": measured}))["measurements"]
        self.assertEqual(row["entrants"][0]["times_the_floor"]["median"], 2)

    def test_only_failures_by_mistake_fail_the_run(self):
        ledger = small_calls(mcplite=[1.0])
        ledger.fail("small-call", entrant("rmcp"), "has no such thing", is_unable=True)
        self.assertEqual(failed(results_of(ledger)), [])
        ledger.fail("small-call", entrant("mcp"), "ended with code 1")
        self.assertEqual(len(failed(results_of(ledger))), 1)

    def test_counts_keep_their_digits(self):
        ledger = ledger_of({"size-whole": {"mcplite": {"file_bytes": [2345678.0]}}})
        (row,) = results_of(ledger)["measurements"]
        self.assertEqual(row["entrants"][0]["figures"]["file_bytes"]["median"], 2345678)


class Pages(unittest.TestCase):
    def test_numbers_have_three_digits_or_all_before_the_point(self):
        texts = [number_text(it) for it in (0, 0.0123, 0.5, 3.14159, 12.345, 123.4, 1234567)]
        self.assertEqual(texts, ["0", "0.012", "0.50", "3.14", "12.3", "123", "1,234,567"])
        value = {"median": 12345.6, "quartiles": [12000, 13000]}
        self.assertEqual(spread_text(value, "µs"), "12.3 ms (12 to 13)")

    def test_tables_have_as_many_cells_as_columns(self):
        ledger = small_calls(mcplite=[1.0, 1.2], rmcp=[9.0, 9.1], floor=[2.0, 2.0], memcpy=[0.1])
        results = results_of(ledger, ["small-call"])
        for table in (target_table(results), overview_table(results)):
            self.assertEqual({line.count("|") for line in table}, {table[0].count("|")})

    def test_the_document_says_who_failed_and_why(self):
        ledger = small_calls(mcplite=[1.0])
        ledger.fail("small-call", entrant("mcp"), "no `module`\nof that name")
        text = markdown(results_of(ledger))
        self.assertIn("- mcp, some set-up **failed**: no 'module' / of that name", text)

    def test_whatever_a_chart_says_is_escaped(self):
        bars = [Bar("<script>", "ours", 0.5, "2× a&b"), Bar('"quoted"', "peer", 5000.0)]
        tree = ElementTree.fromstring(bar_chart("a < b & c", 'say "less"', "µs", bars))
        texts = "".join(tree.itertext())
        for text in ("<script>", "2× a&b", '"quoted"', "a < b & c", "5,000 µs"):
            self.assertIn(text, texts)

    def test_charts_show_each_contender_once_and_the_best_first(self):
        ledger = small_calls(rmcp=[9.0], mcplite=[1.0], jsonschema=[0.5])
        ledger.add("small-call", entrant("rmcp", "another"), {"cpu_us": 8.0})
        drawn = charts.draw_all(results_of(ledger))
        texts = "".join(ElementTree.fromstring(drawn["small-call.svg"]).itertext())
        self.assertEqual(list(drawn), ["small-call.svg"])
        self.assertLess(texts.index("1 µs"), texts.index("8 µs"))
        self.assertNotIn("9 µs", texts)
        self.assertNotIn("jsonschema", texts)


class Readme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.readme = Path(folder.name) / "README.md"
        self.results = Path(folder.name) / "benchmarks"
        self.results.mkdir()
        self.readme.write_text(f"before\n{readme.BEGIN}old\n{readme.END}after\n")

    def run_of(self, **contenders):
        results = results_of(small_calls(**contenders))
        (self.results / "native.json").write_text(json.dumps(results))

    def test_figures_come_from_the_results_and_nothing_else_changes(self):
        self.run_of(mcplite=[1.5], rmcp=[9.0])
        self.assertNotEqual(readme.stale(self.readme, self.results), [])
        readme.update(self.readme, self.results)
        text = self.readme.read_text()
        self.assertTrue(text.startswith(f"before\n{readme.BEGIN}"))
        self.assertTrue(text.endswith(f"{readme.END}after\n"))
        self.assertIn("1.50 µs", text)
        self.assertEqual(readme.stale(self.readme, self.results), [])

    def test_another_run_makes_every_page_stale(self):
        self.run_of(mcplite=[1.5], rmcp=[9.0])
        readme.update(self.readme, self.results)
        self.run_of(mcplite=[2.5], rmcp=[9.0])
        stale = [path.name for path in readme.stale(self.readme, self.results)]
        self.assertEqual(stale, ["README.md", "native.md", "small-call.svg"])

    def test_without_results_there_are_no_figures(self):
        self.assertNotEqual(readme.stale(self.readme, self.results), [])
        readme.update(self.readme, self.results)
        self.assertEqual(self.readme.read_text(), f"before\n{readme.BEGIN}{readme.END}after\n")


if __name__ == "__main__":
    unittest.main()
