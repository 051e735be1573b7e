"""The npm packages of contenders: a folder for the peers, which are pinned, one for mcplite."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

from common.bench import Failure

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CONTENDERS = HERE / "contenders"
WORK = ROOT / "target" / "bench-node"
sys.path.append(str(ROOT / "tests" / "clients"))

import modules  # noqa: E402 - from the folder that was named just before

# Whose versions a reader of the report wants to know.
NAMED = {
    "mcplite": ["mcplite", "@hono/node-server", "hono"],
    "peers": sorted(json.loads((HERE / "package.json").read_text())["dependencies"]),
}


def prepare(name: str, tarballs: list[Path]) -> Path:
    """Gives a folder that has the packages of some contenders, and the programs that use them."""
    try:
        if name == "mcplite":
            folder = _install_tarballs(WORK / name, tarballs)
        else:
            folder = modules.install(HERE, f"{WORK.name}/{name}")
    except subprocess.CalledProcessError as error:
        raise Failure(f"npm could not install what {name} needs; it says why above") from error
    except subprocess.TimeoutExpired as error:
        raise Failure(f"npm did not install what {name} needs in {error.timeout} s") from error
    # Beside the modules, because that is where Node looks for them.
    for script in CONTENDERS.iterdir():
        shutil.copy(script, folder)
    return folder


def _install_tarballs(folder: Path, tarballs: list[Path]) -> Path:
    """Installs mcplite as its users do, and Hono in the version that the peers have."""
    if not tarballs:
        raise Failure("there is no package of mcplite: give one with --tarball")
    for tarball in tarballs:
        if not tarball.is_file():
            raise Failure(f"there is no file {tarball}")
    pinned = json.loads((HERE / "package.json").read_text())["dependencies"]
    wanted = {name: pinned[name] for name in NAMED["mcplite"] if name in pinned}
    manifest = json.dumps({"name": "mcplite-measured", "private": True, "dependencies": wanted})
    digest = hashlib.sha256(manifest.encode())
    for tarball in tarballs:
        digest.update(tarball.read_bytes())
    stamp = folder / ".stamp"
    if stamp.is_file() and stamp.read_text() == digest.hexdigest():
        return folder
    # Made anew, so that nothing is left over in it.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(manifest)
    shutil.copy(HERE / ".npmrc", folder)
    modules.npm(
        folder, "install", "--no-package-lock", *(str(tarball.resolve()) for tarball in tarballs)
    )
    stamp.write_text(digest.hexdigest())
    return folder


def update_lock() -> None:
    """Resolves what package.json wants anew."""
    modules.update_lock(HERE)


def versions(node: str, name: str, folder: Path) -> dict[str, str]:
    """Which versions of Node and of the packages that matter are measured."""
    done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        raise Failure(f"{node} does not run")
    found = {"node": done.stdout.strip().removeprefix("v")}
    for package in NAMED[name]:
        manifest = folder / "node_modules" / package / "package.json"
        found[package] = json.loads(manifest.read_text())["version"]
    return found
