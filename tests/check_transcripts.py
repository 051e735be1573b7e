#!/usr/bin/env python3
"""Check every server line of the transcripts against the official schema of its revision."""

import argparse
import sys
from pathlib import Path

from transcript_check import report, schemas, transcript
from transcript_check.validate import Checker


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--require-coverage", action="store_true",
                        help="fail unless every method handled has a result in every revision")
    parser.add_argument("paths", nargs="*", type=Path, help="default: tests/transcripts",
                        default=[Path(__file__).parent / "transcripts"])
    arguments = parser.parse_args()

    # Transcripts hold odd method names on purpose; a lone surrogate must not stop the report.
    sys.stdout.reconfigure(errors="backslashreplace")
    known, origin = schemas.load()
    print(origin)
    checked = report.check_all(transcript.find(arguments.paths), Checker(known))
    print(report.table(checked, known))

    failures = checked.failures
    if not checked.transcripts:
        failures.append("no transcripts")
    if arguments.require_coverage:
        failures += [f"not covered: {method} in {revision}"
                     for method, revision in report.missing_coverage(checked, known)]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
