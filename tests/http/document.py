#!/usr/bin/env python3
"""Compares docs/http.md with include/mcplite.h: options, their defaults, and every name."""

import re
import sys
from pathlib import Path

from tally import Tally

ROOT = Path(__file__).resolve().parents[2]
OPTION = re.compile(r"/\*\*((?:(?!\*/).)*)\*/\s*#define (MCP_HTTP_\w+) \d+", re.DOTALL)
ROW = re.compile(r"^\| `(MCP_HTTP_\w+)` \| ([^|]+) \|", re.MULTILINE)
NAME = re.compile(r"\b(?:mcp|MCP)_\w+")
UNITS = {"MiB": 1 << 20, "KiB": 1 << 10}


def defaults(header):
    """The default of each option, where its comment tells one."""
    found = {}
    for comment, name in OPTION.findall(header):
        default = re.search(r"default (\d+)(?: (MiB|KiB))?", " ".join(comment.split()))
        found[name] = default and int(default[1]) * UNITS.get(default[2], 1)
    return found


def every_option_has_its_row(tally, document, header):
    options, rows = defaults(header), dict(ROW.findall(document))
    tally.equal("options", sorted(rows), sorted(options))
    for name, default in options.items():
        if default is not None:
            tally.equal(name, rows.get(name, "").strip(), str(default))


def every_name_exists(tally, document, header):
    tally.equal("unknown", sorted(set(NAME.findall(document)) - set(NAME.findall(header))), [])


def main():
    document = (ROOT / "docs" / "http.md").read_text()
    header = (ROOT / "include" / "mcplite.h").read_text()
    tally = Tally("document")
    for scenario in (every_option_has_its_row, every_name_exists):
        tally.run(scenario, document, header)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
