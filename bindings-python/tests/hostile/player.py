"""Playing one case, on a session or over the pipes of a process."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from mcplite import Session

from .cases import Case
from .judge import Played, is_set_up
from .messages import Message, WrongError, read_frame
from .server import server

Feed = Callable[[Session, bytes], bytes]

_PATIENCE = 60.0


def messages(session: Session, line: bytes) -> bytes:
    """Hands in a whole message."""
    return session.handle(line) or b""


def lines(session: Session, line: bytes) -> bytes:
    """Hands in a line of a stream."""
    return session.receive(line + b"\n")


def pieces(session: Session, line: bytes) -> bytes:
    """Hands in a stream in pieces of seven bytes."""
    stream = memoryview(line + b"\n")
    return b"".join(session.receive(stream[at : at + 7]) for at in range(0, len(stream), 7))


def play(case: Case, feed: Feed) -> Played:
    """Plays a case on a session of its own."""
    with server.session() as session:

        def send(line: bytes) -> list[Message]:
            said = feed(session, line)
            return [it for frame in said.split(b"\n") if frame for it in read_frame(frame)]

        setup = [message for line in case.setup for message in send(line)]
        return Played(setup, send(case.input) + send(case.probe))


def play_over_pipes(case: Case) -> Played:
    """Plays a case on a process of its own, which must end well when its input ends."""
    program = Path(__file__).with_name("server.py")
    process = subprocess.Popen(
        [sys.executable, program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    watchdog = threading.Timer(_PATIENCE, process.kill)
    watchdog.start()
    try:
        played = Played()
        process.stdin.write(b"".join(line + b"\n" for line in case.setup))
        process.stdin.flush()
        while not is_set_up(case, played.setup):
            line = process.stdout.readline()
            if not line:
                raise WrongError(f"it ended during the setup: {process.communicate()[1]!r}")
            played.setup += read_frame(line.removesuffix(b"\n"))
        said, errors = process.communicate(case.input + b"\n" + case.probe + b"\n")
        if process.returncode != 0:
            raise WrongError(f"it ended with {process.returncode}: {errors[-500:]!r}")
        if said and not said.endswith(b"\n"):
            raise WrongError(f"the last line has no end: {said[-160:]!r}")
        for frame in said.split(b"\n")[:-1]:
            played.since += read_frame(frame)
        return played
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
