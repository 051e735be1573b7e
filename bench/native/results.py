"""A run as plain values, from which everything that people read is made."""

from __future__ import annotations

from typing import Any

from common.rows import Value
from native import measurement as measurements
from native.contender import OURS, Entrant
from native.ledger import Ledger, times_better
from native.measurement import Measurement
from native.targets import Verdict


def plain(ledger: Ledger, verdicts: list[Verdict]) -> dict[str, Any]:
    """What was measured and how it was judged."""
    keys = {*ledger.samples, *(key for key, _ in ledger.failures)}
    return {
        "remarks": ledger.remarks,
        "targets": [_plain_verdict(verdict) for verdict in verdicts],
        "measurements": [
            _plain_measurement(ledger, measurement)
            for key, measurement in measurements.ALL.items()
            if key in keys
        ],
    }


def failed(results: dict[str, Any]) -> list[str]:
    """Why a run has to end with another code than 0, as sentences."""
    missed = [
        f"target {target['verdict']}: {target['title']}, {target['by']} {target['goal']}"
        for target in results["targets"]
        if target["fails"]
    ]
    broken: dict[str, list[str]] = {}
    for measurement in results["measurements"]:
        for failure in measurement["failures"]:
            if not failure["unable"]:
                broken.setdefault(failure["entrant"], []).append(measurement["key"])
    return missed + [f"failed: {who}, in {', '.join(keys)}" for who, keys in broken.items()]


def _plain_verdict(verdict: Verdict) -> dict[str, Any]:
    target = verdict.target
    return {
        "title": target.title,
        "measurement": target.figure.measurement,
        "by": target.by,
        "goal": target.goal,
        "decides": target.decides,
        "reached": _plain_value(verdict.reading, with_samples=False),
        "unit": target.unit,
        "verdict": verdict.text,
        "fails": verdict.is_failure,
    }


def _plain_measurement(ledger: Ledger, measurement: Measurement) -> dict[str, Any]:
    key = measurement.key
    return {
        "key": key,
        "section": measurement.section,
        "title": measurement.title,
        "quantities": [
            {"key": it.key, "title": it.title, "unit": it.unit, "more_is_better": it.more_is_better}
            for it in (measurements.QUANTITIES[name] for name in measurement.quantities)
        ],
        "entrants": [_plain_entrant(ledger, measurement, it) for it in ledger.entrants(key)],
        "failures": [
            {"entrant": entrant.label, "reason": reason, "unable": is_unable}
            for (failed_key, entrant), (reason, is_unable) in ledger.failures.items()
            if failed_key == key
        ],
    }


def _plain_entrant(ledger: Ledger, measurement: Measurement, entrant: Entrant) -> dict[str, Any]:
    key, compared = measurement.key, measurement.compared
    contender = entrant.contender
    peer = ledger.fastest_peer(key, contender) if contender.kind == OURS else None
    floor = ledger.floor(key)
    mine = ledger.value(key, entrant, compared.key)

    def lead(other: Entrant | None, is_ahead: bool) -> dict[str, Any] | None:
        theirs = ledger.value(key, other, compared.key) if other else None
        sides = (mine, theirs) if is_ahead else (theirs, mine)
        return _plain_value(times_better(*sides, compared.more_is_better), with_samples=False)

    return {
        "contender": contender.name,
        "kind": contender.kind,
        "setup": entrant.setup.name,
        "figures": {
            name: _plain_value(value)
            for name in measurement.quantities
            if (value := ledger.value(key, entrant, name))
        },
        "fastest_peer": peer.contender.name if peer else None,
        "times_better_than_peer": lead(peer, is_ahead=True) if peer else None,
        "times_the_floor": lead(floor, is_ahead=False) if floor else None,
    }


def _plain_value(value: Value | None, with_samples: bool = True) -> dict[str, Any] | None:
    if value is None:
        return None
    plain_value: dict[str, Any] = {
        "median": _rounded(value.middle),
        "quartiles": [_rounded(value.low), _rounded(value.high)],
    }
    if with_samples:
        plain_value["samples"] = [_rounded(sample) for sample in value.samples]
    return plain_value


def _rounded(number: float) -> float | int:
    """Counts as they are; of anything else six digits are more than it is good for."""
    return int(number) if float(number).is_integer() else float(f"{number:.6g}")
