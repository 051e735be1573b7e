"""Runs the checks over transcripts and counts what they cover."""

from collections import Counter
from dataclasses import dataclass, field

from . import changes, questions, transcript
from .members import member
from .replay import Connection, Problem
from .schemas import REVISIONS

# The client requests that the engine answers so far.
HANDLED_METHODS = (
    "initialize",
    "ping",
    "logging/setLevel",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "prompts/list",
    "prompts/get",
    "completion/complete",
)
# What the engine sends without being asked, or to ask: requests, notifications, input requests.
SENT_METHODS = (
    *questions.METHODS,
    *changes.METHODS,
    "notifications/cancelled",
    "notifications/elicitation/complete",
    "notifications/message",
    "notifications/progress",
)


@dataclass
class Report:
    """What was checked, and what was wrong."""

    transcripts: int = 0
    lines: Counter = field(default_factory=Counter)
    results: Counter = field(default_factory=Counter)
    sent: Counter = field(default_factory=Counter)
    unchecked: Counter = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def fail(self, path, line, reason):
        self.failures.append(f"{path}:{line}: {reason}")


def messages(path, fail):
    """Yield the server messages of a transcript; `fail(line, reason)` gets what is not one."""
    try:
        steps = transcript.read(path).steps
    except transcript.FormatError as error:
        fail(error.line, error.reason)
        return
    connection = Connection()
    for step in steps:
        if step.action == "connect":
            connection = Connection()
        connection.client(step.data)
        for line in step.answers:
            try:
                yield from connection.server(line)
            except Problem as problem:
                fail(line.number, str(problem))


def check_all(paths, checker):
    """Check every transcript with `checker`."""
    report = Report()
    for path in paths:
        report.transcripts += 1
        lines = set()
        for message in messages(path, lambda line, reason: report.fail(path, line, reason)):
            if message.revision not in REVISIONS:
                report.fail(path, message.line, f"unknown revision {message.revision!r}")
                continue
            if message.revision not in checker.schemas:
                report.unchecked[message.revision] += 1
                continue
            lines.add((message.line, message.revision))
            if message.kind == "result":
                report.results[message.request.method, message.revision] += 1
            report.sent.update((method, message.revision) for method in _sent_by(message))
            for reason in checker.check(message):
                report.fail(path, message.line, f"{message.revision}: {reason}")
        report.lines.update(revision for _, revision in lines)
    return report


def missing_coverage(report, schemas):
    """The (method, revision) pairs that the protocol has and the engine does, and nothing shows."""
    missing = [(method, revision) for method in HANDLED_METHODS
               for revision, schema in schemas.items()
               if method in schema.by_method("ClientRequest")
               and not report.results[method, revision]]
    return missing + [(method, revision) for method in SENT_METHODS
                      for revision, schema in schemas.items()
                      if method in schema.sent_methods() and not report.sent[method, revision]]


def _sent_by(message):
    """The methods that a message of the server carries."""
    if message.kind in ("request", "notification"):
        return [message.value["method"]]
    required = member(message.value, "result", "inputRequests") or {}
    return [member(question, "method") for question in required.values()]


def table(report, schemas):
    """The table of results, and of what is sent, per method and revision."""
    def row(name, cells):
        return f"{name:42}" + "".join(f"{cell:>12}" for cell in cells)

    def rows(methods, counts, known):
        def cell(method, revision, schema):
            return counts[method, revision] or ("missing" if method in known(schema) else "-")

        return [row(method, [cell(method, *schema) for schema in schemas.items()])
                for method in methods]

    others = {method for method, _ in report.results} - set(HANDLED_METHODS)
    lines = [f"transcripts: {report.transcripts}", row("", schemas),
             row("server lines", [report.lines[revision] for revision in schemas]),
             *rows((*HANDLED_METHODS, *sorted(others)), report.results,
                   lambda schema: schema.by_method("ClientRequest")),
             *rows(SENT_METHODS, report.sent, lambda schema: schema.sent_methods())]
    lines += [f"not checked: {count} messages of {revision}, which has no schema here"
              for revision, count in report.unchecked.items()]
    return "\n".join(lines)
