"""The rows of the report: what is compared, in which direction, and what is to be reached."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median, quantiles

from setups import FLOOR, LOOPS, Setup

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
    target: Target | None = None
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
        ratios = [above / below for above, below in pairs if below > 0]
        return Value.of(ratios) if ratios else None

    @property
    def verdict(self) -> str:
        """`met`, `missed`, `out of reach`, `not measured`, or nothing where there is no target.

        Out of reach is what the floor did not reach either, in the same rounds.
        """
        target = self.row.target
        if target is None:
            return ""
        if target.than:
            ratio = self.ratio(target.than)
            reached = None if ratio is None else ratio.middle >= target.limit
            floor = replace(self, ours=self.peers.get(FLOOR)).ratio(target.than)
            if reached is False and floor is not None and floor.middle < target.limit:
                return OUT_OF_REACH
        else:
            reached = None if self.ours is None else self.ours.middle <= target.limit
        return "not measured" if reached is None else "met" if reached else "missed"


def _call_rows() -> list[Row]:
    rows = []
    for name in ("inline", "pool", "async"):
        rows.append(Row(f"call, one at a time, p50: {name}", "p50_us", name, "µs"))
        rows.append(Row(f"call, one at a time, p99: {name}", "p99_us", name, "µs"))
        rows.append(Row(f"processor time of such a call: {name}", "call_cpu_us", name, "µs"))
    targets = {"inline": Target(100, "mcp"), "pool": Target(50, "mcp")}
    for name in ("inline", "pool", "async"):
        rows.append(
            Row(f"pipelined calls: {name}", "calls_per_s", name, "/s", True, targets.get(name))
        )
    for name in ("inline", "pool", "async"):
        rows.append(
            Row(f"the same per second of processor: {name}", "calls_per_cpu_s", name, "/s", True)
        )
    return rows


def _http_rows() -> list[Row]:
    rows = []
    for width in (1, 16):
        for name in ("inline", "pool", "async"):
            target = None if name == "async" else Target(10, "mcp")
            title = f"requests, {width} at a time: {name}"
            rows.append(Row(title, f"http{width}_per_s", name, "/s", True, target))
    for width in (1, 16):
        for name in ("inline", "pool", "async"):
            title = f"the same per second of processor, {width} at a time: {name}"
            rows.append(Row(title, f"http{width}_per_cpu_s", name, "/s", True))
    for quantity in ("p50", "p99"):
        title = f"request, 1 at a time, {quantity}: pool"
        rows.append(Row(title, f"http1_{quantity}_us", "pool", "µs"))
    return rows


IMPORT_ROWS = [
    Row(f"`{statement}`{suffix}", quantity, statement, "ms", target=target)
    for quantity, suffix, target in (
        ("import_ms", "", Target(15)),
        ("import_cpu_ms", ", processor time", None),
    )
    for statement in ("import mcplite", "from mcplite import Server")
]
START_ROWS = [
    Row("spawn to first reply", "first_reply_ms", "pool", "ms"),
    Row("the same above `python -c pass`", "start_over_bare_ms", "pool", "ms", target=Target(40)),
    Row("the same with an async tool", "start_over_bare_ms", "async", "ms"),
    Row("memory after the first call", "rss_mb", "pool", "MB"),
    Row("the same above bare Python", "rss_over_bare_mb", "pool", "MB", target=Target(8)),
    Row("the same with an async tool", "rss_over_bare_mb", "async", "MB"),
]
CALL_ROWS = _call_rows()
HTTP_ROWS = _http_rows()
ASGI_ROWS = [
    Row(
        f"requests{suffix}, {width} at a time: {kind}, {loop}",
        f"http{width}_{quantity}",
        f"{kind}, {loop}",
        "/s",
        True,
        target if kind != "async" else None,
        loop,
    )
    for quantity, suffix, target in (
        ("per_s", "", Target(0.8, "bare")),
        ("per_cpu_s", " per second of processor", None),
    )
    for loop in LOOPS
    for width in (1, 16)
    for kind in ("inline", "pool", "async")
]


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
