"""What is measured, in which quantities, and in which direction better is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """Something that can be counted or timed."""

    key: str
    title: str
    unit: str
    more_is_better: bool = False


QUANTITIES = {
    quantity.key: quantity
    for quantity in (
        Quantity("cpu_us", "processor time", "µs"),
        Quantity("wall_us", "time", "µs"),
        Quantity("instructions", "instructions", ""),
        Quantity("allocations", "allocations", ""),
        Quantity("calls_per_s", "calls a second", "/s", more_is_better=True),
        Quantity("p50_us", "median wait", "µs"),
        Quantity("p99_us", "99th of 100", "µs"),
        Quantity("peak_kib", "peak memory", "KiB"),
        Quantity("first_reply_ms", "to the first reply", "ms"),
        Quantity("rss_kib", "resident memory", "KiB"),
        Quantity("live_bytes", "live bytes", "B"),
        Quantity("file_bytes", "size", "B"),
    )
}


@dataclass(frozen=True)
class Measurement:
    """One row of the overview, and one table of all contenders."""

    key: str
    section: str
    title: str
    # The first of them is the one by which contenders are compared.
    quantities: tuple[str, ...]

    @property
    def compared(self) -> Quantity:
        return QUANTITIES[self.quantities[0]]


IN_PROCESS = "In process, bytes to bytes"
STDIO = "Over stdio"
HTTP = "Over HTTP, connections kept open"
THREADS = "Threads on one server, small calls"
START = "Start and memory"
LIBRARY = "The library itself"

_COUNTED = ("cpu_us", "wall_us", "instructions", "allocations")
_ANSWERED = ("calls_per_s", "cpu_us", "p50_us", "p99_us")

# Keys are those of bench/src/workload.rs.
WORKLOADS = {
    "ping": "`ping`",
    "small-call": "small `tools/call`, 2025-11-25",
    "modern-call": "small `tools/call`, 2026-07-28 with full `_meta`",
    "twenty-in-order": "20 properties, in the order of the schema",
    "twenty-shuffled": "20 properties, shuffled",
    "twenty-combined": "20 properties, `anyOf`, `$ref`, patterns",
    "echo-64k-text": "64 KiB echoed, decoded",
    "echo-64k-escaped": "64 KiB echoed, decoded, 1,024 escapes",
    "echo-64k-raw": "64 KiB echoed, spliced as it came",
    "list-100": "`tools/list`, 100 tools",
    "tools-10": "small call, 10 tools registered",
    "tools-1000": "small call, 1,000 tools registered",
    "tools-10000": "small call, 10,000 tools registered",
}
THREAD_COUNTS = (1, 2, 8)

ALL = {
    measurement.key: measurement
    for measurement in (
        *(Measurement(key, IN_PROCESS, title, _COUNTED) for key, title in WORKLOADS.items()),
        Measurement(
            "stdio-flood", STDIO, "20,000 calls at once", ("calls_per_s", "cpu_us", "peak_kib")
        ),
        Measurement(
            "stdio-turns", STDIO, "calls one after another", ("p50_us", "p99_us", "cpu_us")
        ),
        Measurement("http-1", HTTP, "requests, 1 at a time", _ANSWERED),
        Measurement("http-16", HTTP, "requests, 16 at a time", _ANSWERED),
        Measurement(
            "http-16-stream",
            HTTP,
            "16 at a time, each a stream with 3 messages of progress",
            _ANSWERED,
        ),
        *(
            Measurement(
                f"threads-{count}",
                THREADS,
                f"{count} thread{'s' if count > 1 else ''}, each with a session",
                ("calls_per_s", "cpu_us"),
            )
            for count in THREAD_COUNTS
        ),
        Measurement("start", START, "start to first reply", ("first_reply_ms",)),
        Measurement("rss-1", START, "resident memory after 1 call", ("rss_kib",)),
        Measurement("rss-100k", START, "resident memory after 100,000 calls", ("rss_kib",)),
        Measurement(
            "live-server", START, "live memory of a server with 100 tools", ("live_bytes",)
        ),
        Measurement("live-listed", START, "the same after its list was asked for", ("live_bytes",)),
        Measurement("live-idle", START, "live memory of an idle connection", ("live_bytes",)),
        Measurement("size-whole", LIBRARY, "stripped `.so` with `serve`", ("file_bytes",)),
        Measurement("size-core", LIBRARY, "stripped `.so` without `serve`", ("file_bytes",)),
        Measurement("size-small", LIBRARY, "the same, built for size", ("file_bytes",)),
    )
}
