#!/usr/bin/env python3
"""Plays hostile HTTP requests against a server on a real socket.

    tests/adversarial/http_run.py --library target/debug [--only PART] [--verbose]
    tests/adversarial/http_run.py --server PROGRAM [--players N] [--only PART] [--verbose]

http_cases.md says what the cases are made of and how they are played.
"""

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

import http_client
import http_more_words  # noqa: F401 - adds its cases to WORDS
import http_session_words  # noqa: F401 - and so does this
from http_client import Server, Session
from http_expect import judge, unlawful
from http_play import play
from http_words import WORDS
from http_wire import Broken

HERE = Path(__file__).parent
FILES = ("http_corpus.jsonl", "http_more.jsonl")
# So that a case whose request never ends takes no longer than it must.
DEFAULT = ("header-timeout=2000", "body-timeout=2000")
MODERN_ONLY = (*DEFAULT, "revisions=16")
# What a server that also serves older revisions says instead, as the case itself allows.
ALSO_LEGACY = {"http.method-delete": [400, 404, 405]}


class NotBuilt(Exception):
    """There is no library that a program could be built with."""


class Stage:
    """The servers that cases are played on, each started when it is first needed."""

    def __init__(self, library, program=None):
        self.library, self.servers, self.used = library, {}, set()
        self.binaries = {"http_server.c": program} if program else {}

    def build(self, source):
        if source not in self.binaries and self.library is None:
            raise NotBuilt(source)
        if source not in self.binaries:
            self.binaries[source] = http_client.build(source, self.library)
        return self.binaries[source]

    def server(self, *settings):
        settings = settings or DEFAULT
        if settings not in self.servers:
            self.servers[settings] = Server(self.build("http_server.c"), settings)
        self.used.add(settings)
        return self.servers[settings]

    def check_alive(self):
        """Every server that was used since the last time answers a client of each era that it serves."""
        for settings in self.used:
            server = self.servers[settings]
            if not server.is_alive():
                raise Broken(f"the server with {settings} is gone")
            if server.discover().status != 200:
                raise Broken(f"the server with {settings} answers no discover")
            if not {"revisions=16", "stateless=1"} & set(settings):
                session = Session(server)
                if session.ping().status != 200 or session.delete().status not in (200, 204):
                    raise Broken(f"the server with {settings} answers no ping")
        self.used.clear()

    def end(self):
        return [f"{settings}: {wrong}" for settings, server in self.servers.items() if (wrong := server.end())]


def play_on(case, server):
    """Why a case has failed on a server, if it has."""
    before = server.status()["ran"]
    heard, sent = play(case, server)
    ran = server.status()["ran"] - before
    expect = dict(case["expect"])
    if server.settings != MODERN_ONLY and case["id"] in ALSO_LEGACY:
        expect["status"] = ALSO_LEGACY[case["id"]]
    return judge(expect, heard, ran) or unlawful(heard, sent, case["era"])


def plays(case, stage):
    """The ways in which a case is played, by name."""
    if case["id"] in WORDS:
        return {"": lambda: WORDS[case["id"]](stage)}
    if not can_be_sent(case):
        raise SystemExit(f"{case['id']} is given in words, and nobody knows what to do")
    settings = tuple(case.get("server", ()))
    if settings:
        return {"": lambda: play_on(case, stage.server(*DEFAULT, *settings))}
    ways = {"": lambda: play_on(case, stage.server(*DEFAULT))}
    if case["era"] == "modern":
        ways[" modern-only"] = lambda: play_on(case, stage.server(*MODERN_ONLY))
    return ways


def can_be_sent(case):
    request = case.get("request", {})
    return bool(case.keys() & {"raw", "raw_b64", "pieces"} or request.get("headers") or request.get("body"))


def attempt(way, stage):
    """Plays, and sees whether everybody has survived it; why it failed, if it did."""
    try:
        complaint = way()
    except (AssertionError, Broken, OSError, ValueError, KeyError) as error:
        complaint = f"{type(error).__name__}: {error}"
    try:
        stage.check_alive()
    except (Broken, OSError, ValueError) as error:
        raise SystemExit(f"after {complaint}: {error}") from error
    return complaint


def tell(case, stage, verbose):
    """Plays a case in all of its ways, and tells what became of it: how many passed, and what failed."""
    passed, failed = 0, []
    for how, way in plays(case, stage).items():
        name = case["id"] + how
        try:
            complaint = attempt(way, stage)
        except NotBuilt as program:
            print(f"not played: {name}: it needs {program}", flush=True)
            continue
        passed += not complaint
        if complaint:
            failed.append(f"{name}: {complaint}\n    {case['level']}, {case['cite']}: {case['why']}")
            print(f"FAILED {failed[-1]}", flush=True)
        elif verbose:
            print(f"passed {name}", flush=True)
    return passed, failed


def tell_all(cases, stages, verbose):
    """The same for many cases, as many at a time as there are stages."""
    def play(number):
        return [tell(case, stages[number], verbose) for case in cases[number::len(stages)]]

    with ThreadPoolExecutor(len(stages)) as pool:
        told = list(chain.from_iterable(pool.map(play, range(len(stages)))))
    return sum(passed for passed, _ in told), [wrong for _, failed in told for wrong in failed]


def main():
    parser = argparse.ArgumentParser()
    served = parser.add_mutually_exclusive_group(required=True)
    served.add_argument("--library", type=Path, help="where libmcplite.a is, for the server in C")
    served.add_argument("--server", type=Path, help="a program that serves what http_server.c does")
    parser.add_argument("--players", type=int, default=1, help="how many cases are played at a time")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    cases = [json.loads(line) for name in FILES for line in (HERE / name).read_text().splitlines()]
    names = [case["id"] for case in cases]
    if len(names) != len(set(names)) or WORDS.keys() - set(names):
        raise SystemExit("an id stands twice, or a case in words has no line")
    stages = [Stage(options.library, options.server) for _ in range(options.players)]
    chosen = [case for case in cases if options.only in case["id"]]
    passed, failed = tell_all(chosen, stages, options.verbose)
    for wrong in chain.from_iterable(stage.end() for stage in stages):
        failed.append(wrong)
        print(f"FAILED to end: {wrong}")
    print(f"hostile: {passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
