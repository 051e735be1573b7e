"""What is true of the library itself: its names, its exports, its size, what it needs of the system."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZE_LIMIT = 900_000  # Bytes of the smallest shared library: without the serve functions, built for size.


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def expect(truth, otherwise):
    if not truth:
        raise AssertionError(otherwise)


class Library:
    """A folder that scripts/build-library filled."""

    def __init__(self, folder):
        self.folder = folder
        self.version = (folder / "version.txt").read_text().strip()
        self.abi = (folder / "abi.txt").read_text().strip()
        self.native_libs = (folder / "native-libs.txt").read_text().strip()
        self.shared = folder / f"libmcplite.so.{self.version}"
        self.static = folder / "libmcplite.a"

    def sizes(self):
        return f"libmcplite.so {self.shared.stat().st_size:,}, libmcplite.a {self.static.stat().st_size:,}"

    def is_small(self):
        size = self.shared.stat().st_size
        expect(size < SIZE_LIMIT, f"{size:,} bytes are not fewer than {SIZE_LIMIT:,}")

    def is_stripped(self):
        sections = output_of("readelf", "--sections", "--wide", self.shared)
        for section in (".symtab", ".debug_info", ".debug_line"):
            expect(f" {section} " not in sections, f"there is {section} in the shared library")

    def is_named_by_its_abi(self):
        dynamic = output_of("readelf", "--dynamic", "--wide", self.shared)
        expect(f"soname: [libmcplite.so.{self.abi}]" in dynamic, dynamic)
        header = (ROOT / "include" / "mcplite.h").read_text()
        expect(re.search(rf"#define MCP_ABI_VERSION {self.abi}\b", header), "the header has another ABI")
        expect(f'"{self.version}"' in header, "the header has another version")

    def needs_nothing_unusual(self):
        dynamic = output_of("readelf", "--dynamic", "--wide", self.shared)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*?)\.so[.\d]*\]", dynamic))
        allowed = {"libc", "libgcc_s", "ld-linux-x86-64", "ld-linux-aarch64", "libpthread", "libm", "libdl"}
        expect(needed <= allowed, f"needs {', '.join(sorted(needed - allowed))}")

    def exports(self):
        lines = output_of("nm", "-D", "--defined-only", self.shared).splitlines()
        return {line.split()[-1] for line in lines}

    def exports_what_the_abi_names(self):
        exports = self.exports()
        strangers = sorted(name for name in exports if not name.startswith("mcp_"))
        expect(not strangers, f"exports {', '.join(strangers)}")
        expect(exports, "exports nothing")
        symbols = ROOT / "ffi" / "abi" / "symbols.txt"
        if symbols.exists():
            named = set(re.findall(r"\bmcp_\w+", symbols.read_text()))
            missing, extra = sorted(named - exports), sorted(exports - named)
            expect(not missing, f"in symbols.txt, not exported: {', '.join(missing)}")
            expect(not extra, f"exported, not in symbols.txt: {', '.join(extra)}")

    def keeps_the_unwinder_to_itself(self):
        """Else the static library would replace a function of the whole program."""
        names = output_of("nm", "--defined-only", "--extern-only", self.static)
        expect("_Unwind_Backtrace" not in names, "the static library defines _Unwind_Backtrace for all")

    def native_libs_are_those_of(self, text, where):
        expect(self.native_libs in text, f"{where} does not have {self.native_libs}")
