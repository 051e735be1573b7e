"""A server under load, as the system sees it."""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
sys.path.append(str(ROOT / "tests" / "adversarial"))
from http_client import Server, text_of  # noqa: E402 - from the folder that was named just before
from http_wire import PATIENCE, Broken  # noqa: E402

# Large blocks go back to the system as soon as they are freed. Else glibc, once it has seen some, keeps them in heaps,
# one for each thread, and what the process measures is their holes.
GIVES_BACK = {"MALLOC_MMAP_THRESHOLD_": "131072"}
# MiB that may stay when the load is over: heaps of small blocks, and stacks that have been used.
STAYS = 32
SYSTEM_LIBRARIES = ["-lpthread", "-ldl", "-lm", "-lgcc_s", "-lc"]


def build(library, output):
    """Compiles the server and the client in C; their folder."""
    output.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).parent
    common = ["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", ROOT / "include"]
    subprocess.run([*common, here / "server.c", library / "libmcplite.a", *SYSTEM_LIBRARIES, "-o", output / "server"], check=True)
    subprocess.run([*common, here / "client.c", "-o", output / "client"], check=True)
    return output


def until(wanted, what):
    """Waits until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not wanted():
        if time.monotonic() > deadline:
            raise Broken(f"never: {what}")
        time.sleep(0.01)


class Watched(Server):
    """A server of which is known what it needs, before and after."""

    def __init__(self, binary, settings):
        super().__init__(binary, settings, GIVES_BACK)
        # What is made for the first client only is not counted as what the load costs.
        with self.connect() as first:
            text_of(first.request(*self.call("echo", {"text": "first"})).response())
            self.fds_before = self.fds() - 1
        until(lambda: self.fds() == self.fds_before, "the first client is gone")
        self.threads_before, self.rss_before = self._threads(), self._memory("VmRSS")

    def fds(self):
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def _threads(self):
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    def _memory(self, name):
        """In MiB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))

    def growth(self):
        """By how many MiB the process was larger at its largest than before."""
        return self._memory("VmHWM") - self.rss_before

    def rest(self, tally, most_mib):
        """Checks what is left when the load is over, and that the server ends; figures as text."""
        until(lambda: self.fds() <= self.fds_before, "its descriptors are closed")
        tally.equal("as many threads as before", self._threads(), self.threads_before)
        tally.true(f"grew by less than {most_mib} MiB", self.growth() < most_mib, f"{self.growth():.1f}")
        stays = self._memory("VmRSS") - self.rss_before
        tally.true(f"gives back all but {STAYS} MiB", stays < STAYS, f"{stays:.1f}")
        rss = f"rss {self.rss_before:.1f} -> {self._memory('VmHWM'):.1f} -> {self._memory('VmRSS'):.1f} MiB"
        status = self.status()
        tally.equal("the server ends", self.end(), None)
        return f"{rss}, counted {status['memory'] / 1024:.0f} KiB, sessions {status['sessions']}"
