"""Rows of a report: what is compared, in which direction, and what is to be reached."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median, quantiles

from common.setup import FLOOR, Setup

OUT_OF_REACH = "out of reach"
# What was measured: for each set-up and each quantity, one value per round.
Samples = dict[Setup, dict[str, list[float]]]


@dataclass(frozen=True)
class Target:
    """At most a value, or at least so many times what another contender reaches."""

    limit: float
    than: str = ""

    def text(self, unit: str) -> str:
        return f"≥ {self.limit:g} × `{self.than}`" if self.than else f"≤ {self.limit:g} {unit}"


@dataclass(frozen=True)
class Row:
    """One quantity of one set-up of mcplite beside the best that each peer reaches."""

    title: str
    quantity: str
    ours: str
    unit: str
    more_is_better: bool = False
    targets: tuple[Target, ...] = ()
    # The only set-up of a peer to compare with; else its best.
    theirs: str | None = None


@dataclass(frozen=True)
class Value:
    """Median and quartiles of what was reached, round after round."""

    samples: list[float]
    middle: float
    low: float
    high: float
    setup: Setup | None = None

    @classmethod
    def of(cls, samples: list[float], setup: Setup | None = None) -> Value:
        low, high = samples[0], samples[0]
        if len(samples) > 1:
            low, _, high = quantiles(samples, n=4, method="inclusive")
        return cls(samples, median(samples), low, high, setup)


@dataclass(frozen=True)
class Result:
    """A row with its values; a contender that could not be measured is None."""

    row: Row
    ours: Value | None
    peers: dict[str, Value | None]

    def ratio(self, peer: str) -> Value | None:
        """How many times better than a peer, round by round: a noisy machine hinders both."""
        theirs = self.peers.get(peer)
        if self.ours is None or theirs is None:
            return None
        pairs = list(zip(self.ours.samples, theirs.samples, strict=False))
        if not self.row.more_is_better:
            pairs = [(their, our) for our, their in pairs]
        # Where there is noise, a small difference can come out below zero: that compares nothing.
        ratios = [above / below for above, below in pairs if above > 0 and below > 0]
        return Value.of(ratios) if ratios else None

    def verdict_on(self, target: Target) -> str:
        """`met`, `missed`, `out of reach` or `not measured`.

        Out of reach is what the floor did not reach either, in the same rounds.
        """
        mine = self._reaches(target)
        if mine is False and replace(self, ours=self.peers.get(FLOOR))._reaches(target) is False:
            return OUT_OF_REACH
        return "not measured" if mine is None else "met" if mine else "missed"

    def _reaches(self, target: Target) -> bool | None:
        if target.than:
            ratio = self.ratio(target.than)
            return None if ratio is None else ratio.middle >= target.limit
        return None if self.ours is None else self.ours.middle <= target.limit

    @property
    def verdicts(self) -> list[str]:
        """What is to be said of each target."""
        return [self.verdict_on(target) for target in self.row.targets]


def evaluate(row: Row, setups: list[Setup], samples: Samples, peers: list[str]) -> Result:
    """Fills a row: mcplite in the set-up it names, the peers in the best of theirs."""

    def best(candidates: list[Setup]) -> Value | None:
        values = [
            Value.of(samples[setup][row.quantity], setup)
            for setup in candidates
            if samples.get(setup, {}).get(row.quantity)
        ]
        values.sort(key=lambda value: value.middle, reverse=row.more_is_better)
        return values[0] if values else None

    def of(contender: str, name: str | None) -> list[Setup]:
        return [
            setup for setup in setups if setup.contender == contender and name in (None, setup.name)
        ]

    theirs = {peer: best(of(peer, row.theirs)) for peer in peers}
    return Result(row, best(of("mcplite", row.ours)), theirs)
