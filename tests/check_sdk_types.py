#!/usr/bin/env python3
"""Parse what the server sends in some of the transcripts with the official Python SDK's types."""

import argparse
import sys
from collections import Counter
from pathlib import Path

from mcp.types import InputRequest, InputRequiredResult, methods
from pydantic import TypeAdapter, ValidationError
from transcript_check import report, transcript
from transcript_check.replay import MODERN

# The transcripts in which the server has no reason to send what is not in the protocol.
NAMES = ("happy-", "asking-", "subscriptions-")
RESULT_METHODS = {method for method, _ in methods.SERVER_RESULTS}
NOTIFICATION_METHODS = {method for method, _ in methods.SERVER_NOTIFICATIONS}
INPUT_REQUEST = TypeAdapter(InputRequest)
WANTED = (("legacy", "results"), ("legacy", "notifications"), ("legacy", "requests"),
          ("modern", "results"), ("modern", "notifications"), ("modern", "required input"))


def parse(message):
    """Parse a message by its method; the sort it was, or None for what the SDK has no type for."""
    value, revision = message.value, message.revision
    if message.kind == "result" and message.request.method in RESULT_METHODS:
        result = methods.parse_server_result(message.request.method, revision, value["result"])
        if value["result"].get("resultType") == "input_required":
            check_input_required(value["result"], result)
            return "required input"
        return "results"
    if message.kind == "notification" and value["method"] in NOTIFICATION_METHODS:
        methods.parse_server_notification(value["method"], revision, value.get("params"))
        return "notifications"
    if message.kind == "request":
        methods.parse_server_request(value["method"], revision, value.get("params"))
        return "requests"
    return None


def check_input_required(sent, parsed):
    """The SDK must have understood that input is required, and each of the questions."""
    if not isinstance(parsed, InputRequiredResult):
        raise ValueError(f"taken for a {type(parsed).__name__}")
    for key, question in sent.get("inputRequests", {}).items():
        if INPUT_REQUEST.validate_python(question) != (parsed.input_requests or {}).get(key):
            raise ValueError(f"the question {key} is taken for something else")


def check(path, parsed, failures):
    """Count in `parsed` what the SDK takes; collect in `failures` what it does not."""
    def fail(line, reason):
        failures.append(f"{path}:{line}: {reason}")

    for message in report.messages(path, fail):
        try:
            sort = parse(message)
            parsed["modern" if message.revision == MODERN else "legacy", sort] += sort is not None
        except KeyError as error:
            fail(message.line, f"the SDK does not have {error} in that revision")
        except (ValueError, ValidationError) as error:
            fail(message.line, f"{message.revision}: {error}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="default: tests/transcripts",
                        default=[Path(__file__).parent / "transcripts"])
    chosen = [path for path in transcript.find(parser.parse_args().paths)
              if path.name.startswith(NAMES)]

    parsed, failures = Counter(dict.fromkeys(WANTED, 0)), []
    for path in chosen:
        check(path, parsed, failures)
    failures += [f"no {era} {sort} were parsed" for era, sort in WANTED if not parsed[era, sort]]
    print(f"transcripts: {len(chosen)}; parsed by the SDK: "
          + ", ".join(f"{parsed[era, sort]} {era} {sort}" for era, sort in WANTED))
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
