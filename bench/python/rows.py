"""The rows of the report: what is compared, and what is to be reached."""

from __future__ import annotations

from common.rows import Row, Target
from python.setups import LOOPS


def _call_rows() -> list[Row]:
    rows = []
    for name in ("inline", "pool", "async"):
        rows.append(Row(f"call, one at a time, p50: {name}", "p50_us", name, "µs"))
        rows.append(Row(f"call, one at a time, p99: {name}", "p99_us", name, "µs"))
        rows.append(Row(f"processor time of such a call: {name}", "call_cpu_us", name, "µs"))
    targets = {"inline": (Target(100, "mcp"),), "pool": (Target(50, "mcp"),)}
    for name in ("inline", "pool", "async"):
        rows.append(
            Row(f"pipelined calls: {name}", "calls_per_s", name, "/s", True, targets.get(name, ()))
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
            targets = () if name == "async" else (Target(10, "mcp"),)
            title = f"requests, {width} at a time: {name}"
            rows.append(Row(title, f"http{width}_per_s", name, "/s", True, targets))
    for width in (1, 16):
        for name in ("inline", "pool", "async"):
            title = f"the same per second of processor, {width} at a time: {name}"
            rows.append(Row(title, f"http{width}_per_cpu_s", name, "/s", True))
    for quantity in ("p50", "p99"):
        title = f"request, 1 at a time, {quantity}: pool"
        rows.append(Row(title, f"http1_{quantity}_us", "pool", "µs"))
    return rows


IMPORT_ROWS = [
    Row(f"`{statement}`{suffix}", quantity, statement, "ms", targets=targets)
    for quantity, suffix, targets in (
        ("import_ms", "", (Target(15),)),
        ("import_cpu_ms", ", processor time", ()),
    )
    for statement in ("import mcplite", "from mcplite import Server")
]
START_ROWS = [
    Row("spawn to first reply", "first_reply_ms", "pool", "ms"),
    Row(
        "the same above `python -c pass`", "start_over_bare_ms", "pool", "ms", targets=(Target(40),)
    ),
    Row("the same with an async tool", "start_over_bare_ms", "async", "ms"),
    Row("memory after the first call", "rss_mb", "pool", "MB"),
    Row("the same above bare Python", "rss_over_bare_mb", "pool", "MB", targets=(Target(8),)),
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
        targets if kind != "async" else (),
        loop,
    )
    for quantity, suffix, targets in (
        ("per_s", "", (Target(0.8, "bare"),)),
        ("per_cpu_s", " per second of processor", ()),
    )
    for loop in LOOPS
    for width in (1, 16)
    for kind in ("inline", "pool", "async")
]
