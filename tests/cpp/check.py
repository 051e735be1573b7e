#!/usr/bin/env python3
"""Checks what a single C++ test program cannot.

    tests/cpp/check.py [--library target/debug] [--cxx g++]
                       [--under "valgrind -q --error-exitcode=9"]

- The program at the top of include/mcplite.hpp is examples/cpp/hello.cpp.
- Files built with and without exceptions work in one program, in whatever order they are linked.
- The C++ examples say what the C examples say, to the same questions.

`--under` puts a command such as valgrind in front of each example.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OUTPUT = ROOT / "target" / "cpp-tests"
EXAMPLES = ROOT / "examples" / "cpp"
MIXED = ROOT / "tests" / "cpp" / "mixed"
SYSTEM_LIBRARIES = ["-lpthread", "-ldl", "-lm", "-lgcc_s", "-lc"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]

sys.path.insert(0, str(ROOT / "tests" / "examples"))
import run as scenarios  # noqa: E402
from bench import Bench  # noqa: E402
from client import ERAS  # noqa: E402


def program_of(text):
    """The lines of a program, without comments and indentation of the whole."""
    lines = [line.split(" // ")[0] for line in text.splitlines() if not line.startswith("//")]
    return [line for line in lines if line]


def introduction_of(header):
    """The program in the first comment of the header."""
    lines = header[: header.index("#ifndef")].splitlines()
    start = next(i for i, line in enumerate(lines) if "#include" in line)
    end = next(i for i, line in enumerate(lines) if line == "//   }")
    return [line for line in (line[len("//   "):] for line in lines[start : end + 1]) if line]


def check_introduction():
    introduction = introduction_of((ROOT / "include" / "mcplite.hpp").read_text())
    hello = program_of((EXAMPLES / "hello.cpp").read_text())
    if introduction == hello:
        return True
    print("FAILED  the program at the top of include/mcplite.hpp is not examples/cpp/hello.cpp")
    return False


def run(command):
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        shown = " ".join(map(str, command))
        print(f"FAILED  {shown}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def compile_file(source, options, *flags):
    made = OUTPUT / (source.parent.name + "-" + source.stem + ".o")
    how = ["-std=c++17", "-g", *WARNINGS, *flags, "-I", ROOT / "include"]
    return made if run([options.cxx, *how, "-c", source, "-o", made]) else None


def link(name, objects, options):
    library = options.library / "libmcplite.a"
    return run([options.cxx, "-o", OUTPUT / name, *objects, library, *SYSTEM_LIBRARIES])


def check_mixed(options):
    """The linker keeps the first of what both files define, so both come first once."""
    main = compile_file(MIXED / "main.cpp", options)
    with_exceptions = compile_file(MIXED / "with.cpp", options)
    without = compile_file(MIXED / "without.cpp", options, "-fno-exceptions", "-fno-rtti")
    if not (main and with_exceptions and without):
        return False
    return all(
        link("mixed", objects, options) and run([OUTPUT / "mixed"])
        for objects in ([with_exceptions, without, main], [without, with_exceptions, main])
    )


def check_examples(options):
    examples = sorted(source.stem for source in EXAMPLES.glob("*.cpp"))
    for name in examples:
        made = compile_file(EXAMPLES / (name + ".cpp"), options)
        if not (made and link(name, [made], options)):
            return False
    bench = Bench(OUTPUT, options.under)
    for era in ERAS:
        for name in examples:
            bench.scenario(getattr(scenarios, name), era)
    print(f"examples: {bench.passed} passed, {bench.failed} failed")
    return bench.passed > 0 and not bench.failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--library", type=Path, default=Path("target/debug"), help="folder of libmcplite.a"
    )
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--under", default="", help="a command to put in front of each example")
    options = parser.parse_args()
    options.library = ROOT / options.library
    OUTPUT.mkdir(parents=True, exist_ok=True)
    results = [check_introduction(), check_mixed(options), check_examples(options)]
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
