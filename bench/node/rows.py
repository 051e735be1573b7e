"""The rows of the report: what is compared, and what is to be reached."""

from __future__ import annotations

from dataclasses import replace

from common.rows import Row, Target
from common.setup import FLOOR
from node.setups import SDK, SERVER

PROCESSOR = "the same per second of processor"

LOAD_ROWS = [
    Row(f"`{statement}`{suffix}", quantity, way, "ms", targets=targets, theirs=way)
    for quantity, suffix, targets in (
        ("load_ms", "", (Target(10),)),
        ("load_cpu_ms", ", processor time", ()),
    )
    for way, statement in (("require", "require('mcplite')"), ("import", "import('mcplite')"))
]

START_ROWS = [
    Row("spawn to the answer of `initialize`", "first_reply_ms", "sync", "ms"),
    Row("the same above `node -e 0`", "start_over_bare_ms", "sync", "ms", targets=(Target(25),)),
    Row(
        "the same to that of `server/discover`",
        "start_over_bare_ms",
        "sync, 2026-07-28",
        "ms",
        targets=(Target(25),),
    ),
    Row("memory after the first call", "rss_mb", "sync", "MB"),
    Row("the same above bare Node", "rss_over_bare_mb", "sync", "MB", targets=(Target(12),)),
    Row("the same with an async tool", "rss_over_bare_mb", "async", "MB"),
]

MEMORY_ROWS = [
    Row(f"memory {when}: {name}", quantity, name, "MB")
    for quantity, when in (("rss_after_mb", "after 100,000 calls"), ("grown_mb", "grown by them"))
    for name in ("sync", "async")
]


def _call_rows() -> list[Row]:
    rows = []
    for name in ("sync", "async"):
        rows.append(Row(f"call, one at a time, p50: {name}", "p50_us", name, "µs"))
        rows.append(Row(f"call, one at a time, p99: {name}", "p99_us", name, "µs"))
        rows.append(Row(f"processor time of such a call: {name}", "call_cpu_us", name, "µs"))
    targets = (Target(8, SDK), Target(12, SERVER))
    for name in ("sync", "async", "sync, 2026-07-28"):
        given = () if "2026" in name else targets
        rows.append(Row(f"pipelined calls: {name}", "calls_per_s", name, "/s", True, given))
    for name in ("sync", "async", "sync, 2026-07-28"):
        rows.append(Row(f"{PROCESSOR}: {name}", "calls_per_cpu_s", name, "/s", True))
    return rows


def _request_rows(names: tuple[str, ...], targets: dict[int, tuple[Target, ...]]) -> list[Row]:
    rows = []
    for width in (1, 16):
        for name in names:
            # Sessions are for clients of before, which are not those that a server is built for.
            given = () if "session" in name else targets.get(width, ())
            title = f"requests, {width} at a time: {name}"
            rows.append(Row(title, f"http{width}_per_s", name, "/s", True, given))
    for width in (1, 16):
        for name in names:
            title = f"{PROCESSOR}, {width} at a time: {name}"
            rows.append(Row(title, f"http{width}_per_cpu_s", name, "/s", True))
    for quantity in ("p50", "p99"):
        title = f"request, 1 at a time, {quantity}: {names[0]}"
        rows.append(Row(title, f"http1_{quantity}_us", names[0], "µs"))
    return rows


CALL_ROWS = _call_rows()
HTTP_ROWS = _request_rows(
    ("sync", "async", "sync, session, 2025-11-25"),
    {1: (Target(0.8, FLOOR),), 16: (Target(5, SDK), Target(5, SERVER))},
)
HONO_ROWS = _request_rows(("sync, hono", "async, hono"), {})
# Beside servers that check no schema.
LOW_CALL_ROWS = [replace(row, targets=()) for row in CALL_ROWS if row.more_is_better]
LOW_HTTP_ROWS = [replace(row, targets=()) for row in HTTP_ROWS if row.more_is_better]
