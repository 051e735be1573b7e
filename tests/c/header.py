#!/usr/bin/env python3
"""Compiles the headers by themselves, in every language version, with gcc and with clang.

    tests/c/header.py [--include include]

clang is the system's, or that of the Python package ziglang where this Python has it. The sources of
the tests are compiled with it too, since run.py builds them with one compiler only.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
JOBS = 2
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion", "-Wundef", "-Wshadow"]
C_WARNINGS = [*WARNINGS, "-Wstrict-prototypes", "-Wmissing-prototypes"]
C_STANDARDS = ["c99", "c11", "c17", "c2x"]
CXX_STANDARDS = ["c++17", "c++20", "c++2b"]
BARE = ["-fno-exceptions", "-fno-rtti"]
TEST_WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"]

# Nothing before the header, then the header again, then a use of it.
C_SOURCE = """#include <mcplite.h>
#include <mcplite.h>
mcp_status use(mcp_call *call);
mcp_status use(mcp_call *call) { return mcp_reply_text(call, MCP_LIT("text")); }
#if !MCP_AT_LEAST(0, 1, 0)
#error version
#endif
"""
CXX_SOURCE = """#include <mcplite.hpp>
#include <mcplite.h>
#include <mcplite.hpp>
"""


def compilers():
    """The commands of the C and C++ compilers by name, and what could not be found."""
    found, missing = {}, []
    for name, c, cxx in (("gcc", "gcc", "g++"), ("clang", "clang", "clang++")):
        if shutil.which(c) and shutil.which(cxx):
            found[name] = ([c], [cxx])
        elif name == "clang" and find_spec("ziglang"):
            zig = [sys.executable, "-m", "ziglang"]
            found["clang (zig)"] = ([*zig, "cc"], [*zig, "c++"])
        else:
            missing.append(name)
    return found, missing


def compilations(include, folder, found):
    """Every compilation of a header as what it shows and its command."""
    as_c, as_cxx, wrapper = folder / "header.c", folder / "header.cpp", folder / "wrapper.cpp"
    as_c.write_text(C_SOURCE)
    as_cxx.write_text(C_SOURCE)
    wrapper.write_text(CXX_SOURCE)
    for compiler, (c, cxx) in found.items():
        for standard in C_STANDARDS:
            shown = f"mcplite.h as {standard} with {compiler}"
            yield shown, [*c, f"-std={standard}", *C_WARNINGS, "-I", include, as_c]
        for standard in CXX_STANDARDS:
            shown = f"as {standard} with {compiler}"
            base = [*cxx, f"-std={standard}", *WARNINGS, "-I", include]
            yield f"mcplite.h {shown}", [*base, as_cxx]
            if (include / "mcplite.hpp").exists():
                yield f"mcplite.hpp {shown}", [*base, wrapper]
                yield f"mcplite.hpp {shown}, bare", [*base, *BARE, wrapper]


def tests(include, found):
    """The sources of the tests with clang."""
    support = ROOT / "tests" / "c" / "support"
    c_files = [*(ROOT / "tests" / "c").glob("*.c"), *(ROOT / "tests" / "c").glob("*/*.c")]
    for compiler, (c, cxx) in found.items():
        if not compiler.startswith("clang"):
            continue
        for path in c_files:
            if path.parent != support:
                flags = ["-std=c99", "-I", include, "-I", support, path]
                yield f"{path.relative_to(ROOT)} with {compiler}", [*c, *TEST_WARNINGS, *flags]
        for path in (ROOT / "tests" / "cpp").glob("*.cpp"):
            flags = ["-std=c++17", "-I", include, "-I", support, path]
            yield f"{path.relative_to(ROOT)} with {compiler}", [*cxx, *TEST_WARNINGS, *flags]


def compile_one(command):
    environment = {
        **os.environ,
        "ZIG_GLOBAL_CACHE_DIR": str(ROOT / "target" / "zig-cache"),
        "ZIG_LOCAL_CACHE_DIR": str(ROOT / "target" / "zig-cache"),
    }
    # Not -fsyntax-only: zig would take that for a wish to link, and build a C library first.
    with tempfile.TemporaryDirectory() as folder:
        command = [*(str(part) for part in command), "-c", "-o", str(Path(folder) / "object.o")]
        return subprocess.run(command, capture_output=True, text=True, env=environment)


def broken_header_is_noticed(include, folder, found):
    """A header with a mistake must fail, or passing means nothing."""
    (folder / "broken").mkdir()
    header = (include / "mcplite.h").read_text()
    (folder / "broken" / "mcplite.h").write_text(header + "int mcp_old_style();\n")
    (folder / "broken.c").write_text(C_SOURCE)
    return all(
        compile_one([*c, "-std=c99", "-I", folder / "broken", folder / "broken.c", *C_WARNINGS]).returncode
        for c, _ in found.values()
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--include", type=Path, default=ROOT / "include")
    options = parser.parse_args()
    found, missing = compilers()
    for name in missing:
        print(f"there is no {name}, so nothing was compiled with it")
    failed = 0
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(JOBS) as pool:
        folder = Path(made)
        if not broken_header_is_noticed(options.include, folder, found):
            print("FAILED   a broken header is not noticed")
            failed += 1
        work = [*compilations(options.include, folder, found), *tests(options.include, found)]
        for (shown, _), result in zip(work, pool.map(compile_one, [command for _, command in work])):
            if result.returncode:
                print(f"FAILED   {shown}\n{result.stderr}")
                failed += 1
    print(f"with {', '.join(found)}: {len(work) - failed} compiled, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
