#!/usr/bin/env python3
"""Builds and runs the C and C++ tests, plainly or under a tool that watches them.

    tests/c/run.py --library target/debug [--mode plain|asan|ubsan|tsan|valgrind|helgrind]
                   [--shared] [--only NAME...] [--cc gcc] [--cxx g++]

A test is tests/c/NAME.c, a folder tests/c/NAME/ of several files, tests/cpp/NAME.cpp, or a
generated target/c-tests/generated/NAME.c. It passed when it exits with 0.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import host_cases
import modes

ROOT = Path(__file__).resolve().parent.parent.parent
TESTS = ROOT / "tests"
OUTPUT = ROOT / "target" / "c-tests"
GENERATED = OUTPUT / "generated"
GENERATOR = TESTS / "c" / "null_args.py"
SYSTEM_LIBRARIES = ["-lpthread", "-ldl", "-lm", "-lgcc_s", "-lc"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
JOBS = 2

# How often a program runs, and with which arguments; `{library}` is the folder of the library.
ARGUMENTS = {
    "transcripts": [["tests/transcripts"], ["tests/transcripts", "--bytes"], ["tests/transcripts", "--peek"]],
    "loading": [["{library}/libmcplite.so"]],
}
# Loads the library itself, so it must not be linked to it.
UNLINKED = {"loading"}
# Takes long, and cares little how it was linked.
STATIC_ONLY = {"soak"}
# Not a test: each of its bugs is for one tool to find.
PLANTED = "planted"


@dataclass
class Program:
    name: str
    sources: list[Path]
    compiler: str
    standard: list[str] = field(default_factory=lambda: ["-std=c99"])


def programs(options):
    """Every program there is, by name."""
    found = []
    for path in sorted((TESTS / "c").glob("*.c")):
        found.append(Program(path.stem, [path], options.cc))
    for folder in sorted(path for path in (TESTS / "c").iterdir() if path.is_dir() and path.name != "support"):
        sources = sorted(folder.glob("*.c"))
        if sources:
            found.append(Program(folder.name, sources, options.cc))
    for path in generated():
        found.append(Program(path.stem, [path], options.cc))
    for path in sorted((TESTS / "cpp").glob("*.cpp")):
        found.append(Program(f"cpp-{path.stem}", [path], options.cxx, ["-std=c++17"]))
        if not needs_exceptions(path):
            bare = ["-std=c++17", "-fno-exceptions", "-fno-rtti"]
            found.append(Program(f"cpp-{path.stem}-bare", [path], options.cxx, bare))
    names = [program.name for program in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit("two tests have the name " + ", ".join(sorted(twice)))
    return dict(zip(names, found))


def needs_exceptions(path):
    text = path.read_text()
    return any(word in text for word in ("throw ", "catch (", "typeid(", "dynamic_cast<"))


def generated():
    """The programs that null_args.py writes; one that did not change keeps its time, and is not built again."""
    if not GENERATOR.exists():
        return []
    GENERATED.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([sys.executable, GENERATOR, folder], cwd=ROOT)
        if made.returncode:
            sys.exit(f"{GENERATOR.name} failed with {made.returncode}")
        for fresh in Path(folder).glob("*.c"):
            kept = GENERATED / fresh.name
            if not kept.exists() or kept.read_bytes() != fresh.read_bytes():
                kept.write_bytes(fresh.read_bytes())
    return sorted(GENERATED.glob("*.c"))


def headers():
    folders = (ROOT / "include", TESTS / "c", TESTS / "cpp")
    return [path for folder in folders for path in folder.rglob("*.h*") if path.is_file()]


def build(program, mode, options):
    """Compiles and links one program unless that was done already; gives the path or what went wrong."""
    folder = OUTPUT / (mode.name + ("-shared" if options.shared else "")) / program.name
    folder.mkdir(parents=True, exist_ok=True)
    binary, stamp = folder / program.name, folder / "commands"
    linked = program.name not in UNLINKED
    library = options.library / ("libmcplite.so" if options.shared else "libmcplite.a")
    sources = [(path, program.standard) for path in program.sources]
    sources += [(path, ["-std=c99", *flags]) for path, flags in mode.extra_sources(options.library)]
    commands, objects = [], []
    for path, flags in sources:
        objects.append(folder / (path.stem + ".o"))
        commands.append([
            program.compiler if path in program.sources else options.cc, *flags, *WARNINGS, "-g",
            *mode.compile_flags(), "-I", ROOT / "include", "-I", TESTS / "c" / "support", "-c", path, "-o", objects[-1],
        ])
    commands.append([
        program.compiler, "-o", binary, *objects, *([library] if linked else []),
        *([f"-Wl,-rpath,{options.library}"] if options.shared else []),
        *mode.link_flags(options.library), *SYSTEM_LIBRARIES,
    ])
    commands = [[str(part) for part in command] for command in commands]
    inputs = [*(path for path, _ in sources), *headers(), library]
    wanted = "\n".join(" ".join(command) for command in commands)
    if binary.exists() and stamp.exists() and stamp.read_text() == wanted:
        built = binary.stat().st_mtime
        if all(path.stat().st_mtime < built for path in inputs if path.exists()):
            return binary, ""
    stamp.unlink(missing_ok=True)
    for command in commands:
        made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if made.returncode:
            return None, f"{' '.join(command)}\n{made.stderr}"
    stamp.write_text(wanted)
    return binary, ""


def execute(binary, arguments, mode, seconds, options):
    """The exit status and everything that was printed; a test that takes too long is killed."""
    command = [*mode.wrapper(), str(binary), *arguments]
    environment = {**os.environ, **mode.environment(), **locales()}
    if options.library.name == "release":
        environment["CHECK_OPTIMISED"] = "1"
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
            return process.returncode, output.decode(errors="replace")
        except subprocess.TimeoutExpired:
            # Its children too: a test may have forked.
            os.killpg(process.pid, 9)
            output, _ = process.communicate()
            return "too slow", output.decode(errors="replace")


@cache
def locales():
    """Where setlocale() finds locales with a decimal comma, made here because few machines have them."""
    folder = OUTPUT / "locales"
    if not shutil.which("localedef"):
        return {}
    for name in ("de_DE", "tr_TR"):
        if not (folder / f"{name}.UTF-8").exists():
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                ["localedef", "--no-archive", "-i", name, "-f", "UTF-8", folder / f"{name}.UTF-8"], capture_output=True
            )
    return {"LOCPATH": str(folder)}


def run_test(program, mode, options):
    """Builds and runs one program; true if it passed."""
    binary, trouble = build(program, mode, options)
    if trouble:
        print(f"FAILED   {program.name}: does not build\n{trouble}", flush=True)
        return False
    passed = True
    for arguments in mode.repetitions(ARGUMENTS.get(program.name, [[]])):
        arguments = [part.format(library=options.library) for part in arguments]
        start = time.monotonic()
        status, output = execute(binary, arguments, mode, options.timeout * mode.patience, options)
        taken = time.monotonic() - start
        shown = " ".join([program.name, *(part for part in arguments if not part.startswith("/"))])
        if status == 0:
            print(f"passed   {shown} in {taken:.1f} s", flush=True)
        else:
            print(f"FAILED   {shown} in {taken:.1f} s: status {status}\n{output}", flush=True)
            passed = False
    return passed


def prove(program, mode, options):
    """Runs the bugs planted for this mode: the tool must find each, or nothing it says counts."""
    if not mode.finds:
        return True
    binary, trouble = build(program, mode, options)
    if trouble:
        print(f"FAILED   {program.name}: does not build\n{trouble}")
        return False
    found_all = True
    for bug, report in mode.finds.items():
        status, output = execute(binary, [bug], mode, options.timeout * mode.patience, options)
        if status == 0 or report not in output:
            print(f"FAILED   {mode.name} does not see the planted {bug}: status {status}\n{output}")
            found_all = False
        else:
            print(f"found    the planted {bug}")
    return found_all


def check_places():
    """The list of hostile cases must name functions that exist."""
    found = host_cases.complaints(TESTS / "adversarial" / "host_cases.txt", ROOT)
    for complaint in found:
        print(f"FAILED   {complaint}")
    return not found


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, default=Path("target/debug"), help="folder of libmcplite.a and .so")
    parser.add_argument("--mode", choices=sorted(modes.MODES), default="plain")
    parser.add_argument("--shared", action="store_true", help="link the shared library")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one test in plain mode")
    options = parser.parse_args()
    options.library = (ROOT / options.library).resolve()
    return options


def main():
    options = read_options()
    mode = modes.MODES[options.mode]
    missing = mode.missing()
    if missing:
        print(f"{mode.name} did not run: {missing}")
        return 0
    options.library = mode.library(options.library)
    found = programs(options)
    planted = found.pop(PLANTED, None)
    unknown = [name for name in options.only if name not in found]
    if unknown:
        print("no such test: " + ", ".join(unknown))
        return 2
    chosen = [found[name] for name in options.only] or [
        program for name, program in found.items()
        if mode.runs(name) and not (options.shared and name in STATIC_ONLY)
    ]
    sound = check_places()
    if planted:
        sound = prove(planted, mode, options) and sound
    locales()
    with ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(lambda program: run_test(program, mode, options), chosen))
    failed = results.count(False) + (not sound)
    print(f"{results.count(True)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
