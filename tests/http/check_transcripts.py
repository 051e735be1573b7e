#!/usr/bin/env python3
"""Check every message of the HTTP transcripts against the official schema of its revision."""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "replay")]

import transcript  # noqa: E402
from transcript_check import schemas  # noqa: E402
from transcript_check.replay import BATCHES, Connection, Problem  # noqa: E402
from transcript_check.transcript import ServerLine  # noqa: E402
from transcript_check.validate import Checker  # noqa: E402

SESSION = re.compile(r"\$SESSION(\d+)")


class Peers:
    """Who has said what: each session is one client, and each request outside of sessions is one."""

    def __init__(self, played):
        self.stateless = "stateless on" in played.options
        self.sessions = []
        self.exchanges = {}
        # Events that were sent: a client that comes back gets some of them again.
        self.seen = set()

    def request(self, step):
        """Note a request; the messages of its response belong to whom this returns."""
        named = SESSION.search("\n".join([step.line, *step.headers]))
        known = named and int(named[1]) <= len(self.sessions)
        connection = self.sessions[int(named[1]) - 1] if known else Connection()
        if self.stateless:
            versions = [header.split(": ")[1] for header in step.headers
                        if header.startswith("MCP-Protocol-Version: ")] or [BATCHES]
            connection.negotiated = versions[0] if versions[0] in schemas.REVISIONS else None
        body = step.body.encode() if isinstance(step.body, str) else step.body
        connection.client(body)
        self.exchanges[step.name] = connection

    def messages(self, block):
        """Yield what the block says; raises Problem."""
        connection, event = self.exchanges[block.name], None
        for number, line in enumerate(block.lines, start=block.number + 1):
            if re.match(r"Mcp-Session-Id: |data: \S*\?sessionId=", line):
                self.sessions.append(connection)
            if line.startswith("id: "):
                event = (id(connection), line)
            text = line.removeprefix("data: ")
            if text[:1] not in ("{", "[") or event in self.seen:
                continue
            if event:
                self.seen.add(event)
            yield from connection.server(ServerLine(number, text))


def check(path, checker, fail):
    """Check one transcript; returns how many messages it has."""
    played, count = transcript.read(path), 0
    peers = Peers(played)
    for step in played.steps:
        if step.action is None:
            peers.request(step)
        if "/.well-known/" in step.line:
            continue
        for block in step.blocks:
            try:
                for message in peers.messages(block):
                    count += 1
                    for reason in checker.check(message):
                        fail(f"{path}:{message.line}: {message.revision}: {reason}")
            except Problem as problem:
                fail(f"{path}:{block.number}: {problem}")
    return count


def main():
    known, origin = schemas.load()
    print(origin)
    paths = [Path(path) for path in sys.argv[1:]] or [HERE / "transcripts"]
    failures, count, checker = [], 0, Checker(known)
    found = transcript.find(paths)
    for path in found:
        count += check(path, checker, failures.append)
    print("\n".join(failures))
    print(f"{len(found)} transcripts, {count} messages, {len(failures)} wrong")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
