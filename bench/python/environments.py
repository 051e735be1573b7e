"""One virtual environment for each contender, made anew when what it should hold has changed."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import venv
from pathlib import Path

from common.bench import Failure
from python.setups import REQUIREMENTS, UVICORN

VERSIONS = """
import importlib.metadata, json, platform
names = {"mcplite", "mcp", "fastmcp", "pydantic", "uvicorn", "uvloop", "httptools", "anyio"}
found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
print(json.dumps({"python": platform.python_version()}
    | {name: found[name] for name in sorted(names & found.keys())}))
"""


def prepare(folder: Path, name: str, wheel: Path | None) -> tuple[Path, str]:
    """Gives the interpreter of an environment that has a contender, and a remark on it or ""."""
    if name == "mcplite":
        if wheel is None:
            raise Failure("there is no wheel of mcplite: give one with --wheel")
        if not wheel.is_file():
            raise Failure(f"there is no file {wheel}")
        alternatives = [str(wheel.resolve())]
        stamp = hashlib.sha256(wheel.read_bytes()).hexdigest()
    else:
        alternatives = REQUIREMENTS[name]
        stamp = " ".join(alternatives)
    interpreter = folder / "bin" / "python"
    marker = folder / "made-for.json"
    if marker.is_file() and json.loads(marker.read_text())["stamp"] == stamp:
        return interpreter, json.loads(marker.read_text())["remark"]

    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    remark = ""
    for number, requirement in enumerate(alternatives):
        error = _install(interpreter, [requirement, *UVICORN])
        if error is None:
            break
        if number + 1 == len(alternatives):
            raise Failure(f"pip cannot install {requirement}: {error}")
        remark = (
            f"{requirement} could not be installed ({error}); "
            f"what stands for it is the newest of {alternatives[number + 1]} that could"
        )
    marker.write_text(json.dumps({"stamp": stamp, "remark": remark}))
    return interpreter, remark


def _install(interpreter: Path, requirements: list[str]) -> str | None:
    """Installs packages; gives the last thing that pip said if it could not."""
    command = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*command, *requirements], capture_output=True, text=True)
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines() or ["it said nothing"]
    return lines[-1].removeprefix("ERROR: ")


def versions(interpreter: Path) -> dict[str, str]:
    """Which versions of Python and of the packages that matter an environment has."""
    done = subprocess.run([interpreter, "-c", VERSIONS], capture_output=True, text=True, check=True)
    result: dict[str, str] = json.loads(done.stdout)
    return result
