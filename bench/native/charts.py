"""Which charts are drawn of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from native.chart import bar_chart, bars_of

LESS, MORE = "less is better", "more is better"


@dataclass(frozen=True)
class Chart:
    """One quantity of one measurement as a picture."""

    file: str
    measurement: str
    quantity: str
    unit: str
    title: str
    # What a reader has to know to believe it.
    subtitle: str


ALL = [
    Chart(
        "small-call.svg",
        "small-call",
        "cpu_us",
        "µs",
        "Processor time of a small tool call, in process",
        f"JSON in, JSON out, without any transport; {LESS}; logarithmic scale",
    ),
    Chart(
        "stdio.svg",
        "stdio-flood",
        "calls_per_s",
        "/s",
        "Tool calls a second over stdio",
        f"20,000 calls at once, one connection; {MORE}; logarithmic scale",
    ),
    Chart(
        "http.svg",
        "http-16",
        "calls_per_s",
        "/s",
        "Tool calls a second over HTTP",
        f"16 connections that stay open, JSON answers; {MORE}; logarithmic scale",
    ),
    Chart(
        "memory.svg",
        "rss-1",
        "rss_kib",
        "KiB",
        "Resident memory of a server after its first call",
        f"over stdio; {LESS}; logarithmic scale",
    ),
]


def draw_all(results: dict[str, Any]) -> dict[str, str]:
    """The charts of whatever was measured: name of the file, and its text."""
    found = {measurement["key"]: measurement for measurement in results["measurements"]}
    drawn = {}
    for chart in ALL:
        measurement = found.get(chart.measurement)
        bars = bars_of(measurement, chart.quantity) if measurement else []
        if bars:
            drawn[chart.file] = bar_chart(chart.title, chart.subtitle, chart.unit, bars)
    return drawn
