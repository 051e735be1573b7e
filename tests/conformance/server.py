"""A server of fixtures as a process: it says its URL in its first line, and ends when its input does."""

import subprocess
import threading

# To start, and to end; a server that takes longer has failed.
SECONDS = 30


class Server:
    def __init__(self, command):
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise SystemExit(f"the server cannot be started: {error}") from error
        self.url = self._first_line()

    def _first_line(self):
        too_late = threading.Timer(SECONDS, self.process.kill)
        too_late.start()
        line = self.process.stdout.readline().strip()
        too_late.cancel()
        return line

    def is_alive(self):
        return self.process.poll() is None

    def end(self):
        """What went wrong, or None."""
        self.process.stdin.close()
        try:
            code = self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return f"did not end within {SECONDS} seconds of its input"
        finally:
            self.process.stdout.close()
        return f"ended with {code}" if code else None
