"""The tools under which run.py runs the tests: how to build for each, run each, and prove it awake."""

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SUPPORT = ROOT / "tests" / "c" / "support"
# Tests of what happens between threads; a race detector has nothing to find in the others.
THREADED = {"threads", "workers", "races", "serve", "http", "serve_http", "cpp-later"}
# Threads that Rust starts and ends take a lock of the standard library that helgrind cannot know.
NOT_FOR_HELGRIND = {"serve", "serve_http"}
NO_NIGHTLY = 3
# The lines of a whole library take longer to link, or to read, than most tests to run; names are enough.
STRIP = "-Wl,--strip-debug"


class Mode:
    """Nothing but the test itself."""

    name = "plain"
    # The planted bugs that the tool must find, each with words of its report.
    finds: dict[str, str] = {}
    # How much longer a test may take than in plain mode.
    patience = 1
    # Percent of the rounds that a test does by default.
    scale = 100
    # Tests that make no sense under the tool.
    leaves_out: set[str] = set()

    def missing(self):
        """What this machine lacks for this mode, or nothing."""
        return ""

    def library(self, folder):
        """The folder of the library to link, made first if it must be."""
        return folder

    def compile_flags(self):
        return []

    def link_flags(self, library):
        return []

    def extra_sources(self, library):
        """Files that belong to every program in this mode, each with its flags."""
        return []

    def runs(self, name):
        return name not in self.leaves_out

    def repetitions(self, arguments):
        """Which of the lists of arguments of a program to run it with."""
        return arguments

    def wrapper(self):
        return []

    def environment(self):
        return {"CHECK_SCALE": str(self.scale), "CHECK_MODE": self.name}


@cache
def instrumented(sanitizer):
    """The folder of the library instrumented with a sanitizer, or None without a nightly compiler."""
    made = subprocess.run([ROOT / "scripts" / "build-sanitized", sanitizer], stdout=subprocess.PIPE, text=True)
    if made.returncode == NO_NIGHTLY:
        return None
    if made.returncode:
        sys.exit(f"scripts/build-sanitized {sanitizer} failed with {made.returncode}")
    return Path(made.stdout.strip())


class Address(Mode):
    """AddressSanitizer with LeakSanitizer; gcc's runtime serves the C and the Rust objects."""

    name = "asan"
    patience = 4
    scale = 10
    leaves_out = {"loading", "oom", "soak"}

    def library(self, folder):
        made = instrumented("address")
        if made is None:
            print("without a nightly Rust compiler only the C code and the heap are watched, not the Rust code")
            self.finds = {bug: words for bug, words in self.finds.items() if bug != "overflow-in-library"}
        return made or folder

    finds = {
        "overflow": "heap-buffer-overflow",
        "overflow-in-library": "heap-buffer-overflow",
        "use-after-free": "heap-use-after-free",
        "leak": "detected memory leaks",
    }

    def compile_flags(self):
        return ["-fsanitize=address", "-fno-omit-frame-pointer"]

    def link_flags(self, library):
        return ["-fsanitize=address"]

    def environment(self):
        options = "detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:allocator_may_return_null=1"
        return {**super().environment(), "ASAN_OPTIONS": options}


class Undefined(Mode):
    """UndefinedBehaviorSanitizer, for the C code: Rust has checks of its own in a debug build."""

    name = "ubsan"
    finds = {"signed-overflow": "signed integer overflow", "misaligned": "misaligned address"}
    patience = 2
    scale = 10
    leaves_out = {"soak"}

    def compile_flags(self):
        return ["-fsanitize=undefined", "-fno-sanitize-recover=all"]

    def link_flags(self, library):
        return ["-fsanitize=undefined", STRIP]

    def environment(self):
        return {**super().environment(), "UBSAN_OPTIONS": "print_stacktrace=1"}


class Valgrind(Mode):
    name = "valgrind"
    finds = {
        "overflow": "Invalid read",
        "overflow-in-library": "Invalid read",
        "use-after-free": "Invalid read",
        "leak": "definitely lost",
    }
    patience = 10
    scale = 2
    # Reading a gibibyte that is not there takes minutes here, and AddressSanitizer sees as much.
    leaves_out = {"loading", "oom", "soak", "memory"}

    def missing(self):
        return "" if shutil.which("valgrind") else "there is no valgrind"

    def link_flags(self, library):
        return [STRIP]

    def repetitions(self, arguments):
        return arguments[-1:]

    def wrapper(self):
        return [
            "valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--fair-sched=yes",
            "--errors-for-leak-kinds=definite,possible", "--show-leak-kinds=definite,possible",
        ]


# The slow paths of std's locks; the names that tests/c/support/tsan_std.c gives them.
SLOW_PATHS = {
    "MUTEX_LOCK": r"5Mutex14lock_contended$",
    "RWLOCK_READ": r"6RwLock14read_contended$",
    "RWLOCK_WRITE": r"6RwLock15write_contended$",
    "ONCE_CALL": r"4Once4call$",
    "CONDVAR_WAIT": r"7Condvar4wait$",
    "CONDVAR_WAIT_TIMEOUT": r"7Condvar12wait_timeout$",
}


@cache
def slow_paths(library):
    """The symbols of std's slow paths that the library uses, by the names that tsan_std.c gives them."""
    listing = subprocess.run(
        ["nm", "--undefined-only", library / "libmcplite.a"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout
    used = {line.split()[-1] for line in listing.splitlines() if line.strip().startswith("U ")}
    return {name: symbol for name, form in SLOW_PATHS.items() for symbol in used if re.search(form, symbol)}


class Watched(Mode):
    """What both race detectors need: the instrumented library, and word of what std does unseen."""

    finds: dict[str, str] = {}
    patience = 6

    def missing(self):
        return "" if instrumented("thread") else "there is no nightly Rust compiler"

    def library(self, folder):
        return instrumented("thread")

    def extra_sources(self, library):
        return [(SUPPORT / "tsan_std.c", ["-fexceptions", *(f"-D{name}={symbol}" for name, symbol in slow_paths(library).items())])]

    def link_flags(self, library):
        wrapped = [*slow_paths(library).values(), "__tsan_atomic64_fetch_sub"]
        return [f"-Wl,--wrap={symbol}" for symbol in wrapped]

    def runs(self, name):
        return name in THREADED


class Thread(Watched):
    """ThreadSanitizer with the runtime of the Rust compiler: gcc's lacks what LLVM's code calls."""

    name = "tsan"
    finds = {"race": "data race", "race-in-library": "data race"}
    scale = 30

    def compile_flags(self):
        return ["-fsanitize=thread"]

    def link_flags(self, library):
        runtime = next(sysroot().glob("lib/rustlib/*/lib/librustc*_rt.tsan.a"))
        return [
            *super().link_flags(library),
            "-Wl,--whole-archive", runtime, "-Wl,--no-whole-archive", "-Wl,--export-dynamic", "-lrt", "-lstdc++",
        ]

    def environment(self):
        return {**super().environment(), "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1"}


@cache
def sysroot():
    return Path(subprocess.run(
        ["rustc", "+nightly", "--print", "sysroot"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip())


class Helgrind(Watched):
    """Helgrind, told of the library's atomics by tests/c/support/helgrind_atomics.c."""

    name = "helgrind"
    finds = {"race": "Possible data race", "race-in-library": "Possible data race"}
    patience = 10
    scale = 1

    def runs(self, name):
        return super().runs(name) and name not in NOT_FOR_HELGRIND

    def missing(self):
        include = "#include <valgrind/helgrind.h>\n"
        probe = subprocess.run(["cc", "-E", "-x", "c", "-"], input=include, capture_output=True, text=True)
        if not shutil.which("valgrind") or probe.returncode:
            return "there is no valgrind with its headers"
        return super().missing()

    def extra_sources(self, library):
        return [*super().extra_sources(library), (SUPPORT / "helgrind_atomics.c", ["-O1"])]

    def compile_flags(self):
        return ["-DCHECK_HELGRIND"]

    def wrapper(self):
        return ["valgrind", "--tool=helgrind", "--quiet", "--error-exitcode=9", "--fair-sched=yes"]


MODES = {mode.name: mode for mode in (Mode(), Address(), Undefined(), Valgrind(), Thread(), Helgrind())}
