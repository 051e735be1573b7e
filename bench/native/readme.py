"""The benchmarks in README.md: two charts and a table, between two comments, from the results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from native.charts import ALL as CHARTS
from native.contender import ALL as CONTENDERS
from native.document import contender
from native.figures import quotient_text, value_text
from native.pages import pages

BEGIN, END = "<!-- benchmarks -->\n", "<!-- /benchmarks -->\n"
# What a reader decides by, and the charts that are worth the place.
SHOWN_CHARTS = ("small-call.svg", "stdio.svg")
SHOWN = (
    "small-call",
    "modern-call",
    "twenty-in-order",
    "echo-64k-text",
    "list-100",
    "stdio-flood",
    "http-1",
    "http-16",
    "start",
    "rss-1",
)
COLUMNS = (
    "mcplite",
    "rmcp",
    "mcplite for Python",
    "mcp",
    "fastmcp",
    "mcplite for Node",
    "sdk",
    "server",
    "floor",
)


def update(readme: Path, folder: Path) -> None:
    """Writes README.md and the pages beside the results."""
    for path, text in _wanted(readme, folder).items():
        path.write_text(text)


def stale(readme: Path, folder: Path) -> list[Path]:
    """Files that are not what the results say."""
    return [
        path
        for path, text in _wanted(readme, folder).items()
        if not path.is_file() or path.read_text() != text
    ]


def _wanted(readme: Path, folder: Path) -> dict[Path, str]:
    before, begin, rest = readme.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{readme.name} lacks the lines {BEGIN.strip()} and {END.strip()}")
    source = folder / "native.json"
    results = json.loads(source.read_text()) if source.is_file() else None
    # Without a run there is nothing to say.
    block = _block(results, folder.relative_to(readme.parent).as_posix()) if results else ""
    wanted = {readme: before + begin + block + end + after}
    for name, text in pages(results).items() if results else ():
        wanted[folder / name] = text
    return wanted


def _block(results: dict[str, Any], folder: str) -> str:
    drawn = pages(results)
    lines = ["## How fast it is", ""]
    lines += [
        f"![{chart.title}]({folder}/{chart.file})\n"
        for chart in CHARTS
        if chart.file in SHOWN_CHARTS and chart.file in drawn
    ]
    machine = results["machine"]
    lines += [
        *_table(results),
        "",
        f"Medians of {results['date']} on {machine['processor']}, {machine['cores']} cores, "
        f"all in one run of `{results['command']}`; [{folder}/native.md]({folder}/native.md) has "
        "versions, spreads, ratios, instructions, allocations, limits and every target.",
    ]
    return "\n".join(lines) + "\n"


def _table(results: dict[str, Any]) -> list[str]:
    found = {it["key"]: it for it in results["measurements"] if contender(it, "mcplite")}
    rows = [found[key] for key in SHOWN if key in found]
    columns = [name for name in COLUMNS if any(contender(row, name) for row in rows)]
    titles = [CONTENDERS[name].title or name for name in columns]
    lines = ["| | " + " | ".join([*titles, "× fastest peer"]) + " |"]
    lines.append("|---" + "|---:" * (len(columns) + 1) + "|")
    for row in rows:
        quantity = row["quantities"][0]
        cells = [f"{row['title']}, {quantity['title']}"]
        for name in columns:
            entrant = contender(row, name)
            figure = entrant["figures"].get(quantity["key"]) if entrant else None
            cells.append(value_text(figure, quantity["unit"]))
        ours = contender(row, "mcplite") or {}
        cells.append(f"**{quotient_text(ours.get('times_better_than_peer'))}**")
        lines.append("| " + " | ".join(cells) + " |")
    return lines
