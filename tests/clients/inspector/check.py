#!/usr/bin/env python3
"""Talk to the example `everything` with the command line of the official MCP Inspector."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

PACKAGE = "@modelcontextprotocol/inspector"
REVISIONS = {"modern": "2026-07-28", "legacy": "2025-11-25"}
WAYS = ("stdio", "http", "sse")
PATHS = {"http": "/mcp", "sse": "/sse"}
SECONDS = 60


@contextmanager
def reach(binary, way):
    """What the Inspector is to talk to. Over pipes it starts that itself."""
    if way == "stdio":
        yield [binary]
        return
    with subprocess.Popen([binary, "--http"], stderr=subprocess.PIPE, text=True) as server:
        try:
            url = server.stderr.readline().removeprefix("listening on ").strip()
            yield [url + PATHS[way], "--transport", way]
        finally:
            server.terminate()


class Inspector:
    """The Inspector of an installation, with one server and in one era."""

    def __init__(self, modules, target, era, home):
        self.package = Path(modules, "node_modules", PACKAGE)
        self.version = json.loads(Path(self.package, "package.json").read_text())["version"]
        self.target, self.era = target, era
        # It keeps its settings in the home of the user, whom it must not know here.
        self.environment = {"PATH": os.environ["PATH"], "HOME": home}

    def ask(self, method, *options):
        """The exit status, and the answer if there is one."""
        launcher = Path(self.package, "clients", "launcher", "build", "index.js")
        command = ["node", launcher, "--cli", *self.target, "--protocol-era", self.era,
                   "--format", "json", "--quiet", "--method", method, *options]
        run = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                             capture_output=True, timeout=SECONDS, check=False)
        if not run.stdout.strip():
            return run.returncode, run.stderr.strip()
        answer = json.loads(run.stdout)
        return run.returncode, answer.get("result", answer)

    def call(self, tool, **arguments):
        return self.ask("tools/call", "--tool-name", tool,
                        "--tool-args-json", json.dumps(arguments))


def tools_list(inspector):
    """Strictly: the Inspector also judges the schemas."""
    status, answer = inspector.ask("tools/list", "--strict")
    names = {tool["name"] for tool in answer["tools"]}
    return status == 0 and {"echo", "add", "whoami"} <= names, (status, answer)


def call(inspector):
    status, answer = inspector.call("add", a=2, b=0.5)
    return status == 0 and answer["structuredContent"] == {"sum": 2.5}, (status, answer)


def failure(inspector):
    status, answer = inspector.call("fail")
    return "it broke" in json.dumps(answer), (status, answer)


def who_calls(inspector):
    status, answer = inspector.call("whoami")
    found = answer["structuredContent"]["revision"]
    return status == 0 and found == REVISIONS[inspector.era], (status, answer)


def read(inspector):
    status, answer = inspector.ask("resources/read", "--uri", "file:///readme.txt")
    return status == 0 and answer["contents"][0]["text"] == "Read me.", (status, answer)


def templates_list(inspector):
    status, answer = inspector.ask("resources/templates/list")
    templates = [template["uriTemplate"] for template in answer["resourceTemplates"]]
    return status == 0 and templates == ["note://{name}"], (status, answer)


def prompt(inspector):
    status, answer = inspector.ask("prompts/get", "--prompt-name", "greet",
                                   "--prompt-args", "name=Ann")
    return status == 0 and "Ann" in json.dumps(answer["messages"]), (status, answer)


BEHAVIOURS = (tools_list, call, failure, who_calls, read, templates_list, prompt)


def spoken_with(inspector, client):
    """The names of what went as it should, and how much did not."""
    spoken, failed = [], 0
    for behaviour in BEHAVIOURS:
        name = behaviour.__name__.replace("_", " ")
        try:
            fits, seen = behaviour(inspector)
        except Exception as error:
            fits, seen = False, repr(error)
        if fits:
            spoken.append(name)
        else:
            failed += 1
            print(f"FAILED {client}, {name}: {seen}")
    return spoken, failed


def main():
    if len(sys.argv) != 3:
        print("usage: check.py PATH-OF-EVERYTHING FOLDER-OF-NODE-MODULES", file=sys.stderr)
        return 2
    binary, modules = sys.argv[1:]
    all_passed = all_failed = 0
    talks = [(way, era) for way in WAYS for era in REVISIONS if (way, era) != ("sse", "modern")]
    with tempfile.TemporaryDirectory() as home:
        for way, era in talks:
            with reach(binary, way) as target:
                inspector = Inspector(modules, target, era, home)
                client = f"{PACKAGE} {inspector.version} --cli, {REVISIONS[era]} over {way}"
                spoken, failed = spoken_with(inspector, client)
            all_passed, all_failed = all_passed + len(spoken), all_failed + failed
            print(f"{client}: {', '.join(spoken)}", flush=True)
    print("not spoken: what needs an answer from the client, or time: one command is one request")
    print("not spoken: 2026-07-28 over sse: the transport is older than the revision")
    print(f"{all_passed} passed, {all_failed} failed")
    return 1 if all_failed or not all_passed else 0


if __name__ == "__main__":
    sys.exit(main())
