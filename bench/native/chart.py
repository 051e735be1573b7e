"""Bar charts as SVG, readable on light and dark pages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Any

from native.contender import ALL as CONTENDERS
from native.figures import number_text, scaled

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 160, 250, 64, 30
STEP, BAR = 30, 20

STYLE = """\
text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
text { fill: #24292f }
.title { font-size: 16px; font-weight: 600 }
.faint, .tick { fill: #57606a }
.tick { font-size: 11px }
.strong { font-weight: 600 }
.light { font-weight: 400 }
.grid { stroke: #d0d7de; stroke-width: 1; stroke-opacity: 0.6 }
.ours { fill: #0969da }
.peer { fill: #8c959f }
.floor, .limit { fill: none; stroke: #8c959f; stroke-width: 1.5; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .faint, .tick { fill: #9198a1 }
  .grid { stroke: #3d444d }
  .ours { fill: #4493f8 }
  .peer { fill: #6e7681 }
  .floor, .limit { stroke: #9198a1 }
}"""


@dataclass(frozen=True)
class Bar:
    """One contender: its name, how it is drawn, its value, and a remark beside the value."""

    name: str
    kind: str
    value: float
    remark: str = ""


def bars_of(measurement: dict[str, Any], quantity: str) -> list[Bar]:
    """Each contender in its best set-up, the best one first; yardsticks are none."""
    best: dict[str, Bar] = {}
    for entrant in measurement["entrants"]:
        figure = entrant["figures"].get(quantity)
        if figure and figure["median"] > 0 and entrant["kind"] != "yardstick":
            name = entrant["contender"]
            title = CONTENDERS[name].title or name
            bar = Bar(title, entrant["kind"], figure["median"], _remark(entrant))
            best.setdefault(name, bar)
    more_is_better = next(
        it["more_is_better"] for it in measurement["quantities"] if it["key"] == quantity
    )
    return sorted(best.values(), key=lambda bar: bar.value, reverse=more_is_better)


def _remark(entrant: dict[str, Any]) -> str:
    lead = entrant["times_better_than_peer"]
    if not lead or lead["median"] < 1:
        return ""
    times = lead["median"]
    shown = f"{times:.1f}" if times < 10 else f"{times:,.0f}"
    return f"{shown}× better than {entrant['fastest_peer']}"


def bar_chart(title: str, subtitle: str, unit: str, bars: list[Bar]) -> str:
    """A chart with a logarithmic scale."""
    height = TOP + STEP * len(bars) + BOTTOM
    low, high = _range([bar.value for bar in bars])

    def place(value: float) -> float:
        share = (math.log10(value) - low) / (high - low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-label="{escape(title)}">',
        f"<style>\n{STYLE}\n</style>",
        f"<title>{escape(title)}</title>",
        f'<text class="title" x="12" y="24">{escape(title)}</text>',
        f'<text class="faint" x="12" y="44">{escape(subtitle)}</text>',
    ]
    bottom = height - BOTTOM
    for decade in range(low, math.floor(high) + 1):
        x = place(10.0**decade)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}"/>')
        label = escape(_tick(10.0**decade, unit))
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{label}</text>'
        )
    for index, bar in enumerate(bars):
        parts += _bar(bar, TOP + STEP * index, place(bar.value), unit)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _bar(bar: Bar, y: float, end: float, unit: str) -> list[str]:
    weight = "strong" if bar.kind == "ours" else "faint"
    middle = y + BAR / 2 + 4.5
    width = max(end - LEFT, 2)
    text = escape(_figure(bar.value, unit))
    remark = f' <tspan class="faint light">{escape(bar.remark)}</tspan>' if bar.remark else ""
    return [
        f'<text class="{weight}" x="{LEFT - 10}" y="{middle}" text-anchor="end">'
        f"{escape(bar.name)}</text>",
        f'<rect class="{escape(bar.kind)}" x="{LEFT}" y="{y}" width="{width:.1f}" '
        f'height="{BAR}" rx="2"/>',
        f'<text class="{weight}" x="{LEFT + width + 8:.1f}" y="{middle}">{text}{remark}</text>',
    ]


def _range(values: list[float]) -> tuple[int, float]:
    """A power of ten that leaves the smallest a bar, and the largest; as logarithms."""
    low = math.ceil(math.log10(min(values)) - 0.3) - 1
    return low, max(math.log10(max(values)), low + 1)


def _tick(value: float, unit: str) -> str:
    """A power of ten, as short as it can be."""
    number, unit = scaled(value, unit)
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:g}{letter}{unit}"
    return f"{number:g}{'' if unit == '/s' else ' '}{unit}"


def _figure(value: float, unit: str) -> str:
    number, unit = scaled(value, unit)
    return f"{number_text(number)}{'' if unit == '/s' else ' '}{unit}".strip()
