"""The results as Markdown: what was to be reached, an overview, and every contender."""

from __future__ import annotations

from typing import Any

from native.contender import MEANING
from native.figures import quotient_text, spread_text, value_text

Plain = dict[str, Any]

INTRODUCTION = [
    "All contenders ran in turn, round after round, every second round in the opposite order, "
    "on the same messages and with the same client in C.",
    "Figures are medians, with quartiles in parentheses; ratios are taken round by round before "
    "their median is.",
    "“× fastest peer” says how many times better than the best of what could be picked instead: "
    "above 1 is better.",
    "“× floor” says how many times the cost of the floor: below 1 is better.",
    "In process, contenders are compared by processor time, which a busy machine disturbs least; "
    "instructions (callgrind) and allocations are those of the steady state, and the same in "
    "every run; they are counted of programs in C and Rust.",
    "Over stdio and HTTP, contenders are compared by what a client sees, and the processor time "
    "of the server stands beside it.",
    "Threads are judged by their best rounds: whatever else runs on a machine takes processors "
    "away from several threads, and seldom from one.",
]


def markdown(results: Plain) -> str:
    """The whole document."""
    lines = [
        "# mcplite beside everything that could be picked instead",
        "",
        f"Measured on {results['date']} by `{results['command']}`"
        + (
            " in a quick run: few rounds, and few of the slow contenders."
            if results["quick"]
            else "."
        ),
        *INTRODUCTION,
        "",
        *_machine_lines(results),
        "",
        *_contender_lines(results),
        "",
        "## Targets",
        "",
        *target_table(results),
        "",
        "## Overview",
        "",
        *overview_table(results),
    ]
    section = ""
    for measurement in results["measurements"]:
        if measurement["section"] != section:
            section = measurement["section"]
            lines += ["", f"## {section}"]
        lines += ["", f"### {_capital(measurement['title'])}", "", *_entrant_table(measurement)]
        lines += _failure_lines(measurement)
    return "\n".join(lines) + "\n"


def target_table(results: Plain) -> list[str]:
    """Every target with what was reached and the verdict."""
    lines = ["| | by | target | reached | verdict |", "|---|---|---|---|---|"]
    for target in results["targets"]:
        verdict = target["verdict"]
        shown = verdict if verdict == "met" else f"**{verdict}**"
        if not target["decides"]:
            shown += " (a time: decides nothing)"
        reached = spread_text(target["reached"], target["unit"], is_scaled=False)
        lines.append(
            f"| {target['title']} | {target['by']} | {target['goal']} | {reached} | {shown} |"
        )
    return lines


def overview_table(results: Plain) -> list[str]:
    """mcplite beside the fastest peer, the floor and the limit, a line for each measurement."""
    lines = [
        "| | mcplite | fastest peer | × fastest peer | floor | × floor | limit |",
        "|---|---|---|---|---|---|---|",
    ]
    for measurement in results["measurements"]:
        ours = contender(measurement, "mcplite")
        if ours is None:
            continue
        quantity = measurement["quantities"][0]
        peer = contender(measurement, ours["fastest_peer"])
        floor = next(_of_kind(measurement, "floor"), None)
        cells = [
            f"{measurement['title']}, {quantity['title']}",
            _compared_text(ours, quantity),
            f"{peer['contender']} {_compared_text(peer, quantity)}" if peer else "",
            quotient_text(ours["times_better_than_peer"]),
            _compared_text(floor, quantity) if floor else "",
            quotient_text(ours["times_the_floor"]),
            ", ".join(
                f"{limit['contender']} {value_text(_compared(limit, quantity), quantity['unit'])}"
                for limit in _best_of_each(_of_kind(measurement, "limit"))
            ),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def contender(measurement: Plain, name: str | None) -> Plain | None:
    """A contender in its best set-up, which is listed first."""
    return next((it for it in measurement["entrants"] if it["contender"] == name), None)


def _of_kind(measurement: Plain, kind: str) -> Any:
    return (it for it in measurement["entrants"] if it["kind"] == kind)


def _best_of_each(entrants: Any) -> list[Plain]:
    best: dict[str, Plain] = {}
    for entrant in entrants:
        best.setdefault(entrant["contender"], entrant)
    return list(best.values())


def _compared(entrant: Plain, quantity: Plain) -> Plain | None:
    figures: dict[str, Plain] = entrant["figures"]
    return figures.get(quantity["key"])


def _compared_text(entrant: Plain, quantity: Plain) -> str:
    return spread_text(_compared(entrant, quantity), quantity["unit"])


def _entrant_table(measurement: Plain) -> list[str]:
    quantities = measurement["quantities"]
    if not measurement["entrants"]:
        return ["Nobody could be measured."]
    shown = [
        quantity
        for quantity in quantities
        if any(quantity["key"] in entrant["figures"] for entrant in measurement["entrants"])
    ]
    titles = ["", *(quantity["title"] for quantity in shown), "× fastest peer", "× floor"]
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for entrant in measurement["entrants"]:
        cells = [f"{entrant['contender']}: {entrant['setup']}"]
        for quantity in shown:
            cells.append(spread_text(entrant["figures"].get(quantity["key"]), quantity["unit"]))
        cells.append(_lead_text(entrant))
        cells.append(quotient_text(entrant["times_the_floor"]))
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _lead_text(entrant: Plain) -> str:
    lead = quotient_text(entrant["times_better_than_peer"])
    return f"{lead} `{entrant['fastest_peer']}`" if lead else ""


def _failure_lines(measurement: Plain) -> list[str]:
    if not measurement["failures"]:
        return []
    lines = ["", "Not measured:", ""]
    for failure in measurement["failures"]:
        reason = " / ".join(failure["reason"].replace("`", "'").splitlines())
        kind = "cannot" if failure["unable"] else "**failed**"
        lines.append(f"- {failure['entrant']} {kind}: {reason}")
    return lines


def _machine_lines(results: Plain) -> list[str]:
    machine, load = results["machine"], results["load"]
    lines = [
        f"- Machine: {machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, "
        f"{machine['system']}; load {load[0]:.1f} before, {load[1]:.1f} after."
    ]
    for name, versions in results["versions"].items():
        listed = ", ".join(f"{package} {version}" for package, version in versions.items())
        lines.append(f"- {name}: {listed}.")
    return lines + [f"- {remark}" for remark in results["remarks"]]


def _contender_lines(results: Plain) -> list[str]:
    present = {
        entrant["contender"]
        for measurement in results["measurements"]
        for entrant in measurement["entrants"]
    }
    lines = ["| contender | |", "|---|---|"]
    lines += [f"| {name} | {text} |" for name, text in MEANING.items() if name in present]
    return lines


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
