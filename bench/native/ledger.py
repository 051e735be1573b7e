"""All that was measured, and all that could not be."""

from __future__ import annotations

from dataclasses import dataclass, field

from common.rows import Value
from native import measurement as measurements
from native.contender import ALL, FLOOR, LIMIT, OURS, Contender, Entrant


@dataclass
class Ledger:
    """One value per round for each measurement, entrant and quantity."""

    samples: dict[str, dict[Entrant, dict[str, list[float]]]] = field(default_factory=dict)
    # Why an entrant could not be measured, and whether it has no way of doing it by design.
    failures: dict[tuple[str, Entrant], tuple[str, bool]] = field(default_factory=dict)
    # What the report should say of how it was measured.
    remarks: list[str] = field(default_factory=list)

    def add(self, key: str, entrant: Entrant, measured: dict[str, float]) -> None:
        kept = self.samples.setdefault(key, {}).setdefault(entrant, {})
        for quantity, value in measured.items():
            kept.setdefault(quantity, []).append(value)

    def fail(self, key: str, entrant: Entrant, reason: str, is_unable: bool = False) -> None:
        self.failures[key, entrant] = (reason, is_unable)

    def has_failed(self, key: str, entrant: Entrant) -> bool:
        return (key, entrant) in self.failures

    def entrants(self, key: str) -> list[Entrant]:
        """Everybody who was measured, in the order of contenders, best set-ups first."""
        compared = measurements.ALL[key].compared
        sign = -1 if compared.more_is_better else 1
        order = {name: place for place, name in enumerate(ALL)}

        def rank(entrant: Entrant) -> tuple[int, float]:
            value = self.value(key, entrant, compared.key)
            return order[entrant.contender.name], sign * value.middle if value else float("inf")

        return sorted(self.samples.get(key, {}), key=rank)

    def value(self, key: str, entrant: Entrant, quantity: str) -> Value | None:
        samples = self.samples.get(key, {}).get(entrant, {}).get(quantity)
        return Value.of(samples) if samples else None

    def best(self, key: str, contender: str) -> Entrant | None:
        """The set-up in which a contender did best."""
        mine = [it for it in self.entrants(key) if it.contender.name == contender]
        return mine[0] if mine else None

    def reached(self, key: str, contender: str, quantity: str) -> Value | None:
        """What a contender reached in its best set-up."""
        best = self.best(key, contender)
        return self.value(key, best, quantity) if best else None

    def fastest_peer(self, key: str, contender: Contender) -> Entrant | None:
        """The best of those whom a contender of ours is compared with."""
        return self._best_of(key, contender.peers)

    def floor(self, key: str) -> Entrant | None:
        return self._best_of(key, [it.name for it in ALL.values() if it.kind == FLOOR])

    def limits(self, key: str) -> list[Entrant]:
        names = [it.name for it in ALL.values() if it.kind == LIMIT]
        return [entrant for name in names if (entrant := self.best(key, name))]

    def ours(self, key: str) -> list[Entrant]:
        names = [it.name for it in ALL.values() if it.kind == OURS]
        return [entrant for name in names if (entrant := self.best(key, name))]

    def _best_of(self, key: str, names: list[str] | tuple[str, ...]) -> Entrant | None:
        compared = measurements.ALL[key].compared
        found = [
            (value.middle, entrant)
            for name in names
            if (entrant := self.best(key, name))
            and (value := self.value(key, entrant, compared.key))
        ]
        if not found:
            return None
        choose = max if compared.more_is_better else min
        return choose(found, key=lambda pair: pair[0])[1]


def quotient(above: Value | None, below: Value | None) -> Value | None:
    """One by another, round by round: a noisy machine hinders both."""
    if above is None or below is None:
        return None
    pairs = zip(above.samples, below.samples, strict=False)
    ratios = [over / under for over, under in pairs if over > 0 and under > 0]
    return Value.of(ratios) if ratios else None


def times_better(ours: Value | None, theirs: Value | None, more_is_better: bool) -> Value | None:
    """How many times better one is than another."""
    return quotient(ours, theirs) if more_is_better else quotient(theirs, ours)


def difference(above: Value | None, below: Value | None) -> Value | None:
    """One less another, round by round."""
    if above is None or below is None:
        return None
    pairs = zip(above.samples, below.samples, strict=False)
    return Value.of([over - under for over, under in pairs])
