"""Counts checks, and starts examples and sees them end."""

import shlex
from contextlib import contextmanager
from pathlib import Path

from client import Program


class Bench:
    def __init__(self, directory, under):
        self.directory = Path(directory)
        self.under = shlex.split(under)
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

    def scenario(self, function, *args):
        """Runs one, whose failure is one failed check and does not stop the others."""
        self.where = " ".join([function.__name__, *args])
        try:
            function(self, *args)
        except Exception as error:  # also what a broken answer does to the code that reads it
            self.true("runs to its end", False, f"{type(error).__name__}: {error}")

    def program(self, name, *args):
        return Program([*self.under, str(self.directory / name), *args])

    @contextmanager
    def conversation(self, name, era, capabilities=None, arguments=()):
        """An example and its client. Afterwards the input ends, and so must the example, with exit
        code 0, a quiet standard error, and no message that nobody expected."""
        with self.program(name, *arguments) as program:
            client = program.client(era, capabilities)
            yield client
            code, errors = program.end()
            self.equal("leaves nothing unexpected", client.rest(), [])
            self.equal("exit code", code, 0)
            self.equal("standard error", errors, "")


def contents_of(result):
    """The only content of a resource, without what every result has."""
    (content,) = result["contents"]
    return content
