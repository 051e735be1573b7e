"""What happens to processes: their ends, their forks, and other interpreters than the main one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from mcplite import _native
from process_support import INITIALIZE, call, run_program, seconds_since, serving

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGINNING = f"""
import os, random, sys, threading, time
from mcplite import Server

server = Server("careless")
INITIALIZE = {INITIALIZE!r}
CALL = {call(2, "tool")!r}
"""

PENDING = {
    "on-the-background-loop": """
@server.tool
async def tool() -> None:
    import asyncio
    await asyncio.get_running_loop().create_future()

session = server.session()
session.handle(INITIALIZE)
assert session.handle(CALL) is None
sys.exit(0)
""",
    "on-the-loop-of-the-program": """
import asyncio

async def main():
    @server.tool
    async def tool() -> None:
        running.set()
        await asyncio.get_running_loop().create_future()

    running = asyncio.Event()
    read, write = os.pipe()
    os.dup2(read, 0)
    os.write(write, INITIALIZE + b"\\n" + CALL + b"\\n")
    serving = asyncio.create_task(server.serve_stdio(grace=0.1))
    await running.wait()
    sys.exit(0)

asyncio.run(main())
""",
    "kept-by-the-program": """
from mcplite import _native

kept = []
native = _native.Server("careless", "1")
handler = _native.Handler(kept.append, pass_call=True)
native.register("tool", '{"name":"tool","inputSchema":{"type":"object"}}', handler)
session = native.session()
session.handle(INITIALIZE)
assert session.handle(CALL) is None and len(kept) == 1
kept[0].on_cancel(lambda: None)
sys.exit(0)
""",
    "on-the-pool": """
@server.tool
def tool() -> str:
    time.sleep(0.0005)
    return "done"

read, write = os.pipe()
os.dup2(read, 0)
threading.Thread(target=server.run, daemon=True).start()
calls = (CALL.replace(b'"id": 2', b'"id": %d' % number) for number in range(300))
os.write(write, INITIALIZE + b"\\n" + b"\\n".join(calls) + b"\\n")
time.sleep(random.random() * 0.05)
sys.exit(0)
""",
}

FEEDING = """
@server.tool
def tool(text: str = "") -> str:
    time.sleep(0.0001)
    return text

def feed(size):
    session = server.session()
    session.handle(INITIALIZE)
    message = CALL.replace(b'"arguments": {}', b'"arguments": {"text": "%s"}' % (b"x" * size))
    started.release()
    while True:
        session.handle(message)

started = threading.Semaphore(0)
sizes = (0, 1_000, 100_000, 1_000_000)
for size in sizes:
    threading.Thread(target=feed, args=(size,), daemon=True).start()
for _ in sizes:
    started.acquire()
time.sleep(random.random() * 0.02)
sys.exit(0)
"""


def endings(program: str, *, most: int = 200, seconds: float = 6.0) -> list[tuple[int, bytes]]:
    """Exit code and standard error of a program that is run again and again."""
    start = time.monotonic()

    def end(_: int) -> list[tuple[int, bytes]]:
        if seconds_since(start) > seconds:
            return []
        done = run_program(BEGINNING + program)
        return [(done.returncode, done.stderr)]

    with ThreadPoolExecutor(2) as pool:
        found = [ending for endings in pool.map(end, range(most)) for ending in endings]
    print(f"{len(found)} processes")
    return found


@pytest.mark.parametrize("where", PENDING)
def test_an_exit_with_pending_calls_is_silent(where: str) -> None:
    assert set(endings(PENDING[where])) == {(0, b"")}


def test_an_exit_under_threads_that_feed_is_silent() -> None:
    assert set(endings(FEEDING)) == {(0, b"")}


def test_an_exit_with_hooks_is_silent() -> None:
    program = """
        events = []

        @server.observer
        def seen(event):
            events.append(event)

        @server.on_error
        def failed(error):
            events.append(error)

        session = server.session()
        session.set_wake(lambda: events.append("woken"))
        session.handle(INITIALIZE)
        assert events
        """
    done = run_program(BEGINNING + dedent(program))
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_exit_in_a_handler_ends_run_with_its_code() -> None:
    program = """
        import sys
        from mcplite import Server

        server = Server("careless")

        @server.tool
        def leave(code: int) -> None:
            sys.exit(code)

        server.run()
        """
    with serving(program) as server:
        said = server.ask(call(1, "leave", {"code": 7}))
        assert said["error"]["code"] == -32603
        assert server.wait() == 7
        assert server.rest() == ([], "")


def pythons() -> list[Sequence[str]]:
    """This Python, and newer ones that can be found; those need no packages of their own."""
    found: list[Sequence[str]] = [(sys.executable,)]
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in ("3.12", "3.13", "3.14"):
        beside = [str(path) for path in sorted(versions.glob(f"{version}.*/bin/python3"))]
        for python in [shutil.which(f"python{version}"), *beside]:
            if python and _runs(python, version):
                found.append((python, "-S"))
                break
        else:
            print(f"there is no Python {version} here")
    return found


def _runs(python: str, version: str) -> bool:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", code], capture_output=True, check=False)
    return done.stdout.decode().strip() == version


SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

inner = interpreters.create()
problem = interpreters.run_string(inner, '''
try:
    import mcplite
except ImportError as error:
    assert "subinterpreter" in str(error), error
else:
    assert mcplite.Server("inner").session().handle(b"[]")
''')
assert problem is None, problem
interpreters.destroy(inner)

import mcplite

assert mcplite.Server("outer").session().handle(b"[]")
print("ends well")
"""


@pytest.mark.parametrize("python", pythons(), ids=lambda python: Path(python[0]).name)
def test_a_subinterpreter_is_refused_or_works(python: Sequence[str]) -> None:
    done = run_program(SUBINTERPRETER, python=python)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ends well\n", b"")


def test_builds_without_the_interpreter_lock_are_not_promised() -> None:
    # Such builds do not load modules of the stable ABI, and the others keep their lock.
    assert _native.__file__ is not None
    assert _native.__file__.endswith((".abi3.so", ".pyd"))


FORKING = """
import os, sys, warnings
from mcplite import Server

# Newer versions of Python warn of forks of processes with threads, which this is about.
warnings.simplefilter("ignore", DeprecationWarning)

def make():
    server = Server("forked")

    @server.tool
    def tool() -> str:
        return "plain"

    @server.tool
    async def asynchronous() -> str:
        return "async"

    return server

def use(server, session=None):
    if session is None:
        session = server.session()
        assert session.handle(INITIALIZE)
    for name in ("tool", "asynchronous"):
        said = session.handle(CALL.replace(b"tool\\"", name.encode() + b"\\""))
        if said is None:
            assert session.wait(30), "an answer"
            said = session.poll()
        assert b'"result"' in said, said
"""

FORKED = {
    "after-the-import": "server = None",
    "after-the-server": "server = make()",
    "after-its-use": "server = make(); use(server)",
    "after-its-pool": "server = make(); server._native.attend(4); use(server)",
}


@pytest.mark.parametrize("when", FORKED)
def test_a_forked_child_can_serve(when: str) -> None:
    ending = """
session = server and server.session()
if session:
    session.handle(INITIALIZE)
child = os.fork()
own = server or make()
use(own, session)
use(own)
use(make())
if child == 0:
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = run_program(BEGINNING + FORKING + FORKED[when] + ending)
    assert (done.stdout, done.stderr, done.returncode) == (b"0\n", b"", 0)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_of_multiprocessing_can_serve(method: str, tmp_path: Path) -> None:
    ending = f"""
import multiprocessing

def work(number):
    use(make())
    if {method!r} == "fork":
        use(server)
    return number

if __name__ == "__main__":
    server = make()
    use(server)
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        print(sum(pool.map(work, range(10))))
"""
    program = tmp_path / "program.py"
    program.write_text(BEGINNING + FORKING + ending, "utf-8")
    code = f"import runpy; runpy.run_path({str(program)!r}, run_name='__main__')"
    done = run_program(code) if method == "fork" else run_script(program)
    assert (done.stdout, done.stderr, done.returncode) == (b"45\n", b"", 0)


def run_script(program: Path) -> subprocess.CompletedProcess[bytes]:
    """Runs a file, which processes that are spawned can find again."""
    return subprocess.run(
        [sys.executable, "-W", "error", program], capture_output=True, check=False
    )
