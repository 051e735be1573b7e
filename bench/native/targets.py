"""What is to be reached, and whether it was. Targets live here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

from common.rows import OUT_OF_REACH, Value
from native import measurement as measurements
from native.ledger import Ledger, difference, quotient, times_better

MET, MISSED, UNKNOWN = "met", "missed", "not measured"
KIB = 1024


@dataclass(frozen=True)
class Figure:
    """One quantity of one contender."""

    measurement: str
    quantity: str
    contender: str = "mcplite"

    def of(self, ledger: Ledger) -> Value | None:
        return ledger.reached(self.measurement, self.contender, self.quantity)


@dataclass(frozen=True)
class AtMost:
    """So much and no more."""

    limit: float

    def reading(self, ours: Value | None, theirs: Value | None, more: bool) -> Value | None:
        return ours

    def is_met(self, reading: Value) -> bool:
        return reading.middle <= self.limit

    def text(self, unit: str, than: str) -> str:
        return f"≤ {self.limit:,.10g} {unit}".strip()

    def reading_unit(self, unit: str) -> str:
        return unit


@dataclass(frozen=True)
class AtMostTimes(AtMost):
    """No more than some times what another takes."""

    def reading(self, ours: Value | None, theirs: Value | None, more: bool) -> Value | None:
        return quotient(theirs, ours) if more else quotient(ours, theirs)

    def text(self, unit: str, than: str) -> str:
        return f"≤ {self.limit:g} × {than}"

    def reading_unit(self, unit: str) -> str:
        return "×"


@dataclass(frozen=True)
class AtMostAbove(AtMost):
    """No more than so much above what another takes."""

    def reading(self, ours: Value | None, theirs: Value | None, more: bool) -> Value | None:
        return difference(ours, theirs)

    def text(self, unit: str, than: str) -> str:
        return f"≤ {self.limit:,.10g} {unit}".strip() + f" above {than}"


@dataclass(frozen=True)
class TimesBetter:
    """At least some times better than another."""

    limit: float

    def reading(self, ours: Value | None, theirs: Value | None, more: bool) -> Value | None:
        return times_better(ours, theirs, more)

    def is_met(self, reading: Value) -> bool:
        return reading.middle >= self.limit

    def text(self, unit: str, than: str) -> str:
        return f"≥ {self.limit:g} × better than {than}"

    def reading_unit(self, unit: str) -> str:
        return "×"


@dataclass(frozen=True)
class Faster(TimesBetter):
    """Some times as fast as another, of which the best rounds are compared.

    For what needs several processors at once: others who use them only ever slow a round down, and
    seldom both sides alike.
    """

    def reading(self, ours: Value | None, theirs: Value | None, more: bool) -> Value | None:
        if ours is None or theirs is None:
            return None
        best = max if more else min
        return times_better(Value.of([best(ours.samples)]), Value.of([best(theirs.samples)]), more)

    def text(self, unit: str, than: str) -> str:
        return f"≥ {self.limit:g} × {than}"


Rule = AtMost | TimesBetter


@dataclass(frozen=True)
class Target:
    """A rule for a figure, perhaps beside another one."""

    title: str
    figure: Figure
    rule: Rule
    against: Figure | None = None
    # What `against` is, for people.
    than: str = ""
    # Ratios and counts hold on every machine. Times of a clock are shown, and decide nothing.
    decides: bool = True
    # Who cannot do better by design: where it misses the target as well, the machine does.
    bound: str = ""

    def judge(self, ledger: Ledger) -> Verdict:
        quantity = measurements.QUANTITIES[self.figure.quantity]
        theirs = self.against.of(ledger) if self.against else None

        def read(figure: Figure) -> Value | None:
            return self.rule.reading(figure.of(ledger), theirs, quantity.more_is_better)

        reading = read(self.figure)
        if reading is None:
            return Verdict(self, None, UNKNOWN)
        if self.rule.is_met(reading):
            return Verdict(self, reading, MET)
        if self.bound:
            bound = read(Figure(self.figure.measurement, self.figure.quantity, self.bound))
            if bound is not None and not self.rule.is_met(bound):
                return Verdict(self, reading, OUT_OF_REACH)
        return Verdict(self, reading, MISSED)

    @property
    def goal(self) -> str:
        return self.rule.text(measurements.QUANTITIES[self.figure.quantity].unit, self.than)

    @property
    def unit(self) -> str:
        return self.rule.reading_unit(measurements.QUANTITIES[self.figure.quantity].unit)

    @property
    def by(self) -> str:
        return measurements.QUANTITIES[self.figure.quantity].title


@dataclass(frozen=True)
class Verdict:
    """What was reached of a target."""

    target: Target
    reading: Value | None
    text: str

    @property
    def is_failure(self) -> bool:
        """Whether the run as a whole has failed by it; what nobody could measure is not met."""
        return self.target.decides and self.text not in (MET, OUT_OF_REACH)


def _at_most(title: str, key: str, quantity: str, limit: float, decides: bool = True) -> Target:
    return Target(title, Figure(key, quantity), AtMost(limit), decides=decides)


def _beside(
    title: str, key: str, quantity: str, rule: Rule, contender: str, than: str = "", bound: str = ""
) -> Target:
    against = Figure(key, quantity, contender)
    return Target(title, Figure(key, quantity), rule, against, than or contender, bound=bound)


def _validating(title: str, key: str) -> Target:
    return _beside(title, key, "cpu_us", TimesBetter(1), "jsonschema")


ALL = [
    _at_most("small call", "small-call", "instructions", 3_500),
    _at_most("small call", "small-call", "allocations", 0),
    _beside("small call", "small-call", "cpu_us", AtMostTimes(0.55), "floor", "the floor"),
    _beside("small call", "small-call", "instructions", TimesBetter(20), "rmcp"),
    _at_most("2026-07-28 call", "modern-call", "instructions", 5_000),
    _at_most("2026-07-28 call", "modern-call", "allocations", 0),
    _at_most("20 properties, in order", "twenty-in-order", "instructions", 13_000),
    _at_most("20 properties, shuffled", "twenty-shuffled", "instructions", 13_000),
    _validating("20 properties, in order", "twenty-in-order"),
    _validating("20 properties, shuffled", "twenty-shuffled"),
    _validating("20 properties, `anyOf`, `$ref`, patterns", "twenty-combined"),
    _beside("64 KiB echo", "echo-64k-text", "cpu_us", AtMostTimes(0.5), "floor", "the floor"),
    _at_most("64 KiB echo, span taken raw", "echo-64k-raw", "instructions", 250_000),
    _beside("list of 100", "list-100", "instructions", AtMostAbove(2_500), "memcpy", "one memcpy"),
    _beside("list of 100", "list-100", "cpu_us", TimesBetter(100), "rmcp", bound="memcpy"),
    _beside(
        "stdio flood", "stdio-flood", "calls_per_s", TimesBetter(6), "rmcp", bound="fixed bytes"
    ),
    _at_most("stdio flood", "stdio-flood", "cpu_us", 1.3, decides=False),
    _at_most("stdio flood", "stdio-flood", "peak_kib", 4 * KIB),
    _beside(
        "HTTP, 1 at a time", "http-1", "calls_per_s", TimesBetter(2), "rmcp", bound="fixed bytes"
    ),
    _beside(
        "HTTP, 16 at a time", "http-16", "calls_per_s", TimesBetter(2), "rmcp", bound="fixed bytes"
    ),
    Target(
        "start to first reply",
        Figure("start", "first_reply_ms"),
        AtMostAbove(2),
        Figure("start", "first_reply_ms", "hello"),
        "a C hello world",
        decides=False,
    ),
    _at_most("server with 100 tools", "live-server", "live_bytes", 256 * KIB),
    _at_most("idle connection", "live-idle", "live_bytes", 2 * KIB),
    Target(
        "growth from 10 to 10,000 tools",
        Figure("tools-10000", "instructions"),
        # What a hash of another table takes may differ a little.
        AtMostTimes(1.02),
        Figure("tools-10", "instructions"),
        "with 10 tools",
    ),
    Target(
        "two threads",
        Figure("threads-2", "calls_per_s"),
        Faster(1.8),
        Figure("threads-1", "calls_per_s"),
        "one thread",
    ),
    _at_most("stripped `.so` without `serve`", "size-core", "file_bytes", 700_000),
    _at_most("stripped `.so` with `serve`", "size-whole", "file_bytes", 3_000_000),
]


def judge_all(ledger: Ledger, measured: set[str]) -> list[Verdict]:
    """The verdicts on all targets of some measurements."""
    return [target.judge(ledger) for target in ALL if target.figure.measurement in measured]
