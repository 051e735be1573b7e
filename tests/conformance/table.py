#!/usr/bin/env python3
"""The results of the last run of run.py as a table of README.md, between its two comments.

usage: table.py            writes it
       table.py --check    fails if it is not there, or not the same
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "target" / "conformance-results" / "results.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- conformance -->\n", "<!-- /conformance -->\n"


def write(outcome):
    lines = [f"| official suite {outcome['suite']} | required | passed | extensions, not served |",
             "|---|---|---|---|"]
    for row in outcome["rows"]:
        required = "{} of {}".format(*row["scored"]) if "scored" in row else ""
        extensions = row["extensions"] or ""
        lines.append(f"| `{row['run']}` | {required} | {row['passed']} of {row['total']} | {extensions} |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    if not RESULTS.exists():
        print(f"{RESULTS} is not there: run.py writes it", file=sys.stderr)
        return 1
    text = README.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        print(f"README.md lacks the lines {BEGIN.strip()} and {END.strip()}", file=sys.stderr)
        return 1
    wanted = before + begin + write(json.loads(RESULTS.read_text())) + end + after
    if sys.argv[1:] == ["--check"]:
        if wanted != text:
            print("README.md has another conformance table than the last run: table.py writes it",
                  file=sys.stderr)
        return int(wanted != text)
    README.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
