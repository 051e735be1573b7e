"""Counts checks, and starts programs that say where they listen."""

import signal
import subprocess
import threading
import traceback
from contextlib import contextmanager

PATIENCE = 30


class Tally:
    """`name` is what the last line begins with."""

    def __init__(self, name):
        self.name = name
        self.passed = 0
        self.failed = 0
        self.where = ""

    def true(self, what, found, detail=""):
        if found:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED  {self.where}: {what}  {detail}", flush=True)

    def equal(self, what, found, wanted):
        self.true(what, found == wanted, f"\n        found  {found!r}\n        wanted {wanted!r}")

    def run(self, scenario, *args):
        """Runs one, whose failure is one failed check and does not stop the others."""
        self.where = scenario.__name__.replace("_", " ")
        try:
            scenario(self, *args)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            self.true("runs to its end", False,
                      f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})")

    def close(self):
        """The exit status; a run without a check is no success."""
        print(f"{self.name}: {self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0

    def skip(self, why):
        """The exit status of a run that cannot be, which nobody shall overlook."""
        print(f"NOT DONE: {why}; scripts/install-debian-tools installs it")
        print(f"{self.name}: 0 passed, 0 failed")
        return 0


@contextmanager
def listening(command, says=None):
    """A program whose first line on standard error ends with its URL. It ends when told to; what
    it says until then is appended to `says`."""
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as program:
        watchdog = threading.Timer(PATIENCE * 4, program.kill)
        watchdog.start()
        try:
            first = program.stderr.readline()
            if not first.startswith("listening on "):
                raise RuntimeError(f"{command[0]} says {first!r}")
            yield first.removeprefix("listening on ").strip()
        finally:
            program.send_signal(signal.SIGTERM)
            rest = program.stderr.read()
            watchdog.cancel()
    if says is not None:
        says.append(rest)
    # The smallest examples leave signals to the system.
    if program.returncode not in (0, -signal.SIGTERM):
        raise RuntimeError(f"{command[0]} ended with {program.returncode}: {rest}")
