"""Builds everything that is measured; what cannot be built is reported and left out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from common.bench import Bench, Failure
from native.benches import Benches, NativeBench, PortBench
from native.contender import NODE, Entrant
from native.ledger import Ledger
from node import environments as node_environments
from node.measure import NodeBench
from python import environments as python_environments
from python.measure import PythonBench

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "target" / "bench-native"
LIBRARY = WORK / "library"
LEAN_LIBRARY, SMALL_LIBRARY = WORK / "library-without-serve", WORK / "library-small"
PROGRAMS, MESSAGES = WORK / "programs", WORK / "messages"
PEERS = ROOT / "bench" / "peers"
PEER_PROGRAMS = WORK / "peers" / "release"
ALLOCATION_SHIM = PROGRAMS / "count_allocations.so"
PEER_PACKAGES = ("floor", "limit", "jsonschema_peer", "rmcp_peer")
# Whose versions a reader of the report wants to know.
NAMED_CRATES = ("rmcp", "tokio", "hyper", "serde_json", "sonic-rs", "simd-json", "jsonschema")


@dataclass
class Built:
    """What there is to measure with, and why the rest is missing."""

    benches: Benches
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    # By contender or program, or by language where all of one are missing.
    missing: dict[str, str] = field(default_factory=dict)

    def why_missing(self, entrant: Entrant) -> str:
        program = entrant.setup.arguments[0]
        for name in (entrant.contender.name, program, entrant.contender.language):
            if name in self.missing:
                return self.missing[name]
        return f"there is no program {program}"


def prepare_all(
    ledger: Ledger, wheel: Path | None, tarballs: list[Path], node: str, builds: bool
) -> Built:
    """Has everything ready to be measured; raises if nothing of ours can be had.

    What is not built is taken as it was left by a run before.
    """
    if builds:
        _build_ours()
    folders = [PROGRAMS, PEER_PROGRAMS]
    built = Built(Benches(NativeBench(WORK, folders), PortBench(WORK, folders), None, None))
    built.versions["mcplite"] = {
        "mcplite": (LIBRARY / "version.txt").read_text().strip(),
        "rustc": _version("rustc"),
        "cc": _version("cc"),
    }
    if shutil.which("valgrind"):
        built.versions["mcplite"]["valgrind"] = _version("valgrind")
    _prepare_peers(built, builds)
    python = _python_bench(built, ledger, wheel)
    built.benches = Benches(
        built.benches.native, built.benches.port, python, _node_bench(built, tarballs, node)
    )
    return built


def _build_ours() -> None:
    _say("mcplite as it is shipped, with and without serve, and as small as it gets")
    _run("scripts/build-library", "--output", str(LIBRARY))
    _run("scripts/build-library", "--without-serve", "--output", str(LEAN_LIBRARY))
    _run("scripts/build-library", "--without-serve", "--small", "--output", str(SMALL_LIBRARY))
    _say("programs in C, and the messages")
    contenders = ROOT / "bench" / "native" / "contenders"
    _run("make", "--silent", "-C", str(contenders), f"LIBRARY={LIBRARY}", f"OUT={PROGRAMS}")
    _run("cargo", "build", "--quiet", "--release", "-p", "mcplite-bench", "--bin", "report")
    _run("target/release/report", "messages", str(MESSAGES))


def _prepare_peers(built: Built, builds: bool) -> None:
    """Builds one after another, so that one that cannot be built keeps no other from it."""
    lock = tomllib.loads((PEERS / "Cargo.lock").read_text())
    built.versions["peers in Rust"] = {
        package["name"]: package["version"]
        for package in lock["package"]
        if package["name"] in NAMED_CRATES
    }
    command = ["cargo", "build", "--release", "--locked"]
    command += ["--manifest-path", str(PEERS / "Cargo.toml")]
    command += ["--target-dir", str(PEER_PROGRAMS.parent)]
    for package in PEER_PACKAGES if builds else ():
        _say(f"{package} in Rust")
        try:
            _run(*command, "--package", package)
        except (Failure, OSError) as failure:
            # One that was left by a run before would be measured in its place.
            (PEER_PROGRAMS / package).unlink(missing_ok=True)
            _miss(built, package, failure)


def _python_bench(built: Built, ledger: Ledger, wheel: Path | None) -> Bench:
    interpreters: dict[str, Path] = {}
    for name in ("mcplite", "mcp", "fastmcp"):
        _say(f"environment of {name} for Python")
        contender = "mcplite for Python" if name == "mcplite" else name
        try:
            folder = ROOT / "target" / "bench-python" / name
            interpreters[name], remark = python_environments.prepare(folder, name, wheel)
            built.versions[contender] = python_environments.versions(interpreters[name])
        except (Failure, OSError, ValueError) as failure:
            _miss(built, contender, failure)
            continue
        if remark:
            ledger.remarks.append(f"{remark}.")
    return PythonBench(WORK, interpreters)


def _node_bench(built: Built, tarballs: list[Path], node: str) -> Bench | None:
    folders: dict[str, Path] = {}
    for name, contender in (("mcplite", "mcplite for Node"), ("peers", NODE)):
        _say(f"packages of {name} for Node")
        try:
            folders[name] = node_environments.prepare(name, tarballs)
            title = contender if name == "mcplite" else "peers for Node"
            built.versions[title] = node_environments.versions(node, name, folders[name])
        except (Failure, OSError, ValueError) as failure:
            _miss(built, contender, failure)
    return NodeBench(WORK, node, folders) if folders else None


def _miss(built: Built, whose: str, failure: Exception) -> None:
    built.missing[whose] = str(failure) or repr(failure)
    _say(f"{whose}: FAILED: {failure}")


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, stdout=sys.stderr)
    if done.returncode != 0:
        raise Failure(f"{command[0]} {command[1]} ended with code {done.returncode}")


def _version(tool: str) -> str:
    done = subprocess.run([tool, "--version"], capture_output=True, text=True)
    found = re.search(r"\d+\.\d+\.\d+", done.stdout)
    return found[0] if found else "unknown"


def _say(text: str) -> None:
    print(f"build: {text}", file=sys.stderr, flush=True)
