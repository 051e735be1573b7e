"""Starting the console script, and talking to what it serves."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

SCRIPT = Path(sys.executable).with_name("mcplite")
PATIENCE = 30.0

DEMO = '''\
from mcplite import Server

server = Server("demo", version="1.5", instructions="Add things.")


@server.tool
def add(a: int, b: int = 2) -> int:
    """Adds two numbers.

    More about it.
    """
    return a + b
'''


def environment(**more: str) -> dict[str, str]:
    """The environment of a script, without what would change how it looks."""
    kept = {
        key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "CODEX_HOME")
    }
    return {**kept, "PYTHONWARNINGS": "error", **more}


def mcplite(
    *arguments: object, cwd: Path, stdin: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the script to its end."""
    return subprocess.run(
        [SCRIPT, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment(**(env or {})),
    )


class Talk:
    """A client of a script that serves over stdio."""

    def __init__(self, *arguments: object, cwd: Path) -> None:
        self.process = subprocess.Popen(
            [SCRIPT, *map(str, arguments)],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        self.heard: list[dict[str, Any]] = []
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._errors: queue.Queue[str | None] = queue.Queue()
        self.errors = ""
        self._threads = [
            threading.Thread(target=self._read_messages, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self._numbers = 0

    def _read_messages(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._messages.put(json.loads(line))
        self._messages.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors.put(line.decode())
        self._errors.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def say(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def send(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Sends a request and gives its id."""
        self._numbers += 1
        self.say({"id": self._numbers, "method": method, "params": params or {}})
        return self._numbers

    def answer(self, number: int) -> dict[str, Any]:
        """Waits for the answer to a request."""
        return self.hear(lambda message: message.get("id") == number and "method" not in message)

    def request(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Sends a request and gives its result."""
        answer = self.answer(self.send(method, params))
        assert "result" in answer, answer
        return answer["result"]

    def notification(self, method: str) -> dict[str, Any]:
        return self.hear(lambda message: message.get("method") == method)

    def hear(self, is_meant: Any) -> dict[str, Any]:
        """Waits for a message, and keeps the others."""
        while True:
            message = self._messages.get(timeout=PATIENCE)
            assert message is not None, f"it ended: {self.errors_to_end()}"
            self.heard.append(message)
            if is_meant(message):
                return message

    def see(self, text: str) -> None:
        """Waits until standard error has shown this since it was last looked for."""
        while text not in self.errors:
            line = self._errors.get(timeout=PATIENCE)
            assert line is not None, f"{text!r} is not in {self.errors!r}"
            self.errors += line
        self.errors = self.errors.partition(text)[2]

    def errors_to_end(self) -> str:
        while (line := self._errors.get(timeout=PATIENCE)) is not None:
            self.errors += line
        self._errors.put(None)
        return self.errors

    def initialize(self) -> dict[str, Any]:
        info = {"name": "test", "version": "1"}
        result: dict[str, Any] = self.request(
            "initialize",
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info},
        )
        self.say({"method": "notifications/initialized"})
        return result

    def call(self, tool: str, **arguments: Any) -> str:
        """Calls a tool and gives its text."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text: str = result["content"][0]["text"]
        return text

    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.request("tools/list")["tools"]]

    def end(self) -> int:
        """Closes the input, hears the rest and gives the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        while (message := self._messages.get(timeout=PATIENCE)) is not None:
            self.heard.append(message)
        return self.process.wait(PATIENCE)
