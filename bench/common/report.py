"""Results as Markdown for people and as JSON for programs."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from common.rows import OUT_OF_REACH, Result, Samples, Target, Value

Section = tuple[str, list[str], list[Result]]


@dataclass
class Report:
    """All that was found out in one run."""

    heading: str
    # What a reader needs to know before the figures, as sentences.
    introduction: list[str]
    command: str
    date: str
    is_quick: bool
    versions: dict[str, dict[str, str]]
    remarks: list[str]
    load: tuple[float, float]
    sections: list[Section] = field(default_factory=list)
    # Set-ups that could not be measured, with what they had to say.
    failures: dict[str, str] = field(default_factory=dict)
    samples: Samples = field(default_factory=dict)

    @property
    def missed(self) -> list[str]:
        """Every target that was not reached, or not shown to be reached, as a sentence."""
        return self.sentences(lambda verdict: verdict not in ("met", OUT_OF_REACH))

    @property
    def out_of_reach(self) -> list[str]:
        """Every target that the machine did not let anybody reach."""
        return self.sentences(lambda verdict: verdict == OUT_OF_REACH)

    def sentences(self, is_meant: Callable[[str], bool]) -> list[str]:
        """What was reached of the targets with some verdicts."""
        return [
            f"{heading}, {result.row.title}: {verdict}; target "
            f"{target.text(result.row.unit)}, reached {_reached(result, target)}"
            for heading, _, results in self.sections
            for result in results
            for target, verdict in zip(result.row.targets, result.verdicts, strict=True)
            if is_meant(verdict)
        ]

    def write(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(self.markdown())
        (folder / f"{name}.json").write_text(json.dumps(self.plain(), indent=1) + "\n")

    def markdown(self) -> str:
        lines = [
            f"# {self.heading}",
            "",
            f"Measured on {self.date} by `{self.command}`"
            + (" in a quick run: few rounds, few set-ups." if self.is_quick else "."),
            "All contenders ran in turn, round after round, with the same client in C.",
            "Figures are medians with quartiles.",
            "× says how many times better mcplite is, compared round by round.",
            "Peers stand in each row in the fastest of their set-ups, which are listed below.",
            *self.introduction,
            "",
            *_machine_lines(self),
        ]
        if self.missed:
            lines += ["", "**Targets not met:**", "", *(f"- {text}" for text in self.missed)]
        if self.out_of_reach:
            lines += ["", "**Out of reach**, for the floor as well:", ""]
            lines += [f"- {text}" for text in self.out_of_reach]
        if self.failures:
            lines += ["", "**Not measured:**", ""]
            lines += [f"- {title}: `{_one_line(text)}`" for title, text in self.failures.items()]
        for heading, peers, results in self.sections:
            lines += ["", f"## {heading}", "", *_table(peers, results)]
        lines += ["", "## Set-ups", "", *_setup_table(self.samples)]
        return "\n".join(lines) + "\n"

    def plain(self) -> dict[str, Any]:
        """The same as values that JSON can hold, with every sample."""
        return {
            "date": self.date,
            "quick": self.is_quick,
            "machine": machine(),
            "load": list(self.load),
            "versions": self.versions,
            "remarks": self.remarks,
            "missed": self.missed,
            "out_of_reach": self.out_of_reach,
            "failures": self.failures,
            "rows": [
                _plain_row(heading, result)
                for heading, _, results in self.sections
                for result in results
            ],
            "samples": {
                setup.label: {
                    quantity: [round(value, 3) for value in values]
                    for quantity, values in quantities.items()
                }
                for setup, quantities in self.samples.items()
            },
        }


def _reached(result: Result, target: Target) -> str:
    ratio = result.ratio(target.than) if target.than else None
    return _figure(result.ours, result.row.unit) if ratio is None else f"{ratio.middle:.2f} ×"


def machine() -> dict[str, Any]:
    """What kind of machine this is; nothing that tells which one."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(memory / 2**30, 1),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
    }


def _machine_lines(report: Report) -> list[str]:
    here = machine()
    lines = [
        f"- Machine: {here['processor']}, {here['cores']} cores, {here['memory_gb']} GB, "
        f"{here['system']}; load {report.load[0]:.1f} before, {report.load[1]:.1f} after."
    ]
    for contender, versions in report.versions.items():
        listed = ", ".join(f"{name} {version}" for name, version in versions.items())
        lines.append(f"- Environment of `{contender}`: {listed}.")
    return lines + [f"- {remark}." for remark in report.remarks]


def _table(peers: list[str], results: list[Result]) -> list[str]:
    columns = ["", "mcplite", *(f"`{peer}`" for peer in peers)]
    columns += [*(f"× `{peer}`" for peer in peers), "target", "verdict"]
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for result in results:
        row = result.row
        cells = [row.title, _figure(result.ours, row.unit)]
        cells += [_figure(result.peers.get(peer), row.unit) for peer in peers]
        for peer in peers:
            ratio = result.ratio(peer)
            cells.append(_times(ratio))
        cells.append(", ".join(target.text(row.unit) for target in row.targets))
        cells.append(
            ", ".join(text if text == "met" else f"**{text}**" for text in result.verdicts)
        )
        lines.append("| " + " | ".join(cells) + " |")
    return lines


SETUP_COLUMNS = (
    ("calls_per_s", "pipelined calls /s"),
    ("http1_per_s", "requests /s, 1 at a time"),
    ("http16_per_s", "16 at a time"),
)


def _setup_table(samples: Samples) -> list[str]:
    """Every set-up with what it reached, so that nobody has to believe which is the fastest."""
    lines = ["| | " + " | ".join(title for _, title in SETUP_COLUMNS) + " |", "|---" * 4 + "|"]
    for setup, quantities in sorted(samples.items(), key=lambda item: item[0].title):
        cells = [_middle(quantities.get(quantity)) for quantity, _ in SETUP_COLUMNS]
        if any(cells):
            where = "stdio" if cells[0] else "HTTP"
            lines.append(f"| {setup.title} ({where}) | " + " | ".join(cells) + " |")
    return lines


def _middle(values: list[float] | None) -> str:
    return f"{median(values):,.0f}" if values else ""


def _times(ratio: Value | None) -> str:
    if ratio is None:
        return "–"
    digits = 2 if ratio.middle < 10 else 0
    low, middle, high = (f"{x:,.{digits}f}" for x in (ratio.low, ratio.middle, ratio.high))
    return f"{middle} ({low} to {high})"


def _figure(value: Value | None, unit: str) -> str:
    if value is None:
        return "–"
    digits = 0 if unit == "/s" else 1
    low, middle, high = (f"{x:,.{digits}f}" for x in (value.low, value.middle, value.high))
    separator = "" if unit == "/s" else " "
    return f"{middle}{separator}{unit} ({low} to {high})"


def _plain_row(heading: str, result: Result) -> dict[str, Any]:
    row = result.row
    return {
        "section": heading,
        "title": row.title,
        "quantity": row.quantity,
        "unit": row.unit,
        "more_is_better": row.more_is_better,
        "mcplite": _plain_value(result.ours),
        "peers": {peer: _plain_value(value) for peer, value in result.peers.items()},
        "ratios": {peer: _plain_value(result.ratio(peer)) for peer in result.peers},
        "targets": [
            asdict(target) | {"verdict": verdict}
            for target, verdict in zip(row.targets, result.verdicts, strict=True)
        ],
    }


def _plain_value(value: Value | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return {
        "setup": value.setup.name if value.setup else None,
        "median": round(value.middle, 3),
        "quartiles": [round(value.low, 3), round(value.high, 3)],
        "rounds": len(value.samples),
    }


def _one_line(text: str) -> str:
    return " / ".join(text.replace("`", "'").splitlines())
