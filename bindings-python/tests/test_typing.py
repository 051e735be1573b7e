"""What type checkers make of the package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mcplite

HERE = Path(__file__).resolve().parent
PACKAGES = Path(mcplite.__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def run(*command: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """Runs a tool where neither the sources nor anybody's settings are found by chance."""
    environment = {**os.environ, "MYPY_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        cwd=cache,
        env=environment,
        timeout=300,
        check=False,
    )


def check(file: str, cache: Path) -> str:
    options = ["--strict", "--python-version", "3.11", "--config-file", ""]
    return run("mypy", *options, str(HERE / "typing" / file), cache=cache).stdout.strip()


def test_the_api_as_users_write_it_is_typed_strictly(cache: Path) -> None:
    assert check("usage.py", cache) == "Success: no issues found in 1 source file"


def test_mistakes_are_found_by_the_type_checker(cache: Path) -> None:
    # Each is marked as ignored, and strictness refuses marks that nothing needs.
    assert check("mistakes.py", cache) == "Success: no issues found in 1 source file"


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGES / "mcplite" / "py.typed").exists()
    assert (PACKAGES / "mcplite" / "_native.pyi").exists()


def test_the_package_itself_is_typed_strictly(cache: Path) -> None:
    options = ["--strict", "--python-version", "3.11", "--config-file", ""]
    checked = run("mypy", *options, "-p", "mcplite", cache=cache)
    assert checked.stdout.startswith("Success:"), checked.stdout


def test_the_stub_of_the_native_module_is_true(cache: Path) -> None:
    allowed = str(HERE / "typing" / "stubtest_allowlist.txt")
    tested = run("mypy.stubtest", "mcplite._native", "--allowlist", allowed, cache=cache)
    assert tested.returncode == 0, tested.stdout
    assert tested.stdout.startswith("Success:")
