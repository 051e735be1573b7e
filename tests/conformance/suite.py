"""The official conformance suite: pinned beside this file, installed under target/, run by its command line."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "clients"))
import modules  # noqa: E402 - from the folder that was named just before

PACKAGE = "@modelcontextprotocol/conformance"
# For one run of the suite; it bounds each of its scenarios itself.
SECONDS = 900
# The suite needs it, and does not say so.
NODE_MAJOR = 22


def version():
    return json.loads((HERE / "package.json").read_text())["dependencies"][PACKAGE]


def update_lock():
    modules.update_lock(HERE)


def system_node(script):
    """Where no pinned Node runs: that of the system, for an old one without an import of the suite's
    that only its command tier-check needs."""
    node = shutil.which("node")
    if node is None:
        raise SystemExit("there is no node, neither under target/conformance nor in the PATH")
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"the pinned Node has nothing for this machine: using {node} {said}")
    if int(said.removeprefix("v").split(".")[0]) < NODE_MAJOR:
        print("it is older than the suite needs: patching the suite's import of globSync")
        script.write_text(script.read_text().replace("globSync as a,", "", 1))
    return node


class Suite:
    """The command line of the installed suite."""

    def __init__(self):
        folder = modules.install(HERE, "conformance") / "node_modules"
        script = folder / PACKAGE / "dist" / "index.js"
        node = next(folder.glob("node-*/bin/node"), None) or system_node(script)
        self.command = [node, script]
        found = self._ask("--version").strip()
        if found != version():
            raise SystemExit(f"the suite says that it is {found}, not {version()}")

    def _ask(self, *arguments):
        return subprocess.run([*self.command, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=SECONDS, check=True).stdout

    def scenarios(self, selection):
        """The names of what the selection runs, each with whether it is scored.

        Outside of requirements nothing is scored apart, and all are.
        """
        listed, section = {}, ""
        for line in self._ask("list", "--server", *selection).splitlines():
            name = re.match(r" +- (\S+)(.*)", line)
            if line and not line.startswith(" "):
                section = line
            elif name and section.startswith("Server scenarios"):
                listed[name[1]] = True
            elif name and section.startswith("Run and reported") and name[2] == " [server]":
                listed[name[1]] = False
        return listed

    def run(self, url, selection, folder):
        """Runs it with results below the folder. The exit code; None if it did not come to its summary."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        no_failures = folder / "expected-failures.yml"
        no_failures.write_text("server: []\n")
        log = folder / "log.txt"
        command = [*self.command, "server", "--url", url, *selection, "--expected-failures", no_failures,
                   "-o", folder]
        with log.open("w") as output:
            try:
                code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output,
                                      stderr=subprocess.STDOUT, timeout=SECONDS, check=False).returncode
            except subprocess.TimeoutExpired:
                return None
        return code if "\n=== SUMMARY ===" in log.read_text() else None
