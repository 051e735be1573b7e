"""The server in C that a transcript is played against, and the channel by which it is told what to do."""

import subprocess
import time
from urllib.parse import urlsplit

from wire import PATIENCE, Broken


class Server:
    def __init__(self, program, fixtures, options):
        self.process = subprocess.Popen([program, fixtures, *options], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        url = urlsplit(self.process.stdout.readline())
        if not url.port:
            raise Broken("the server did not start")
        self.address = (url.hostname, url.port)

    def do(self, action):
        """Have the host do something; returns what it learned by that, if anything."""
        self.process.stdin.write(action + "\n")
        self.process.stdin.flush()
        lines = [self.process.stdout.readline().rstrip("\n")]
        if lines[0] in ("yes", "no", "closed", "refused") or action == "count":
            lines.append(self.process.stdout.readline().rstrip("\n"))
        if lines[-1] != "ok":
            raise Broken(f"{action}: {lines[-1] or 'the server is gone'}")
        return lines[0] if len(lines) > 1 else None

    def arrived(self):
        """How many requests have arrived."""
        return int(self.do("count").split()[0])

    def over(self):
        """How many exchanges are over."""
        return int(self.do("count").split()[1])

    def close(self):
        """End the server, which must do so properly."""
        self.process.stdin.close()
        self.process.stdout.close()
        code = self.process.wait(timeout=PATIENCE)
        if code != 0:
            raise Broken(f"the server ended with {code}")


def wait_until(is_so, what):
    """Ask again and again."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            raise Broken(f"waited in vain until {what}")
        time.sleep(0.001)
