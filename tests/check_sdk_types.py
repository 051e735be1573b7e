#!/usr/bin/env python3
"""Parse what the server sends in the `happy-*` transcripts with the official Python SDK's types."""

import argparse
import sys
from collections import Counter
from pathlib import Path

from mcp.types import methods
from pydantic import ValidationError
from transcript_check import report, transcript
from transcript_check.replay import MODERN

RESULT_METHODS = {method for method, _ in methods.SERVER_RESULTS}
NOTIFICATION_METHODS = {method for method, _ in methods.SERVER_NOTIFICATIONS}


def parse(message):
    """Parse a message by its method; False for what the SDK has no type for."""
    value, revision = message.value, message.revision
    if message.kind == "result" and message.request.method in RESULT_METHODS:
        methods.parse_server_result(message.request.method, revision, value["result"])
        return True
    if message.kind == "notification" and value["method"] in NOTIFICATION_METHODS:
        methods.parse_server_notification(value["method"], revision, value.get("params"))
        return True
    return False


def check(path, parsed, failures):
    """Count in `parsed`, per era, what the SDK takes; collect in `failures` what it does not."""
    def fail(line, reason):
        failures.append(f"{path}:{line}: {reason}")

    for message in report.messages(path, fail):
        try:
            parsed["modern" if message.revision == MODERN else "legacy"] += parse(message)
        except KeyError as error:
            fail(message.line, f"the SDK does not have {error} in that revision")
        except (ValueError, ValidationError) as error:
            fail(message.line, f"{message.revision}: {error}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="default: tests/transcripts",
                        default=[Path(__file__).parent / "transcripts"])
    happy = [path for path in transcript.find(parser.parse_args().paths)
             if path.name.startswith("happy-")]

    parsed, failures = Counter(legacy=0, modern=0), []
    for path in happy:
        check(path, parsed, failures)
    failures += [f"no {era} message was parsed" for era, count in parsed.items() if not count]
    print(f"transcripts: {len(happy)}; messages parsed by the SDK: "
          + ", ".join(f"{count} {era}" for era, count in parsed.items()))
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
