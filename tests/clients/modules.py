"""The npm packages of a suite: pinned beside it, installed under target/."""

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE.parent.parent / "target"
PINNED = ("package.json", "package-lock.json", ".npmrc")
SECONDS = 600


def npm(folder, *arguments):
    # Scripts of packages are not needed, and not run.
    subprocess.run(["npm", *arguments, "--ignore-scripts", "--loglevel=error"], cwd=folder,
                   stdin=subprocess.DEVNULL, timeout=SECONDS, check=True)


def check_lock(suite):
    """Where packages come from is the affair of whoever installs them."""
    lock = HERE / suite / "package-lock.json"
    if "://" in lock.read_text():
        raise SystemExit(f"{lock} names a host: write it with run.py --update-locks")


def install(suite):
    """The folder with the modules, and with copies of the scripts, which find them beside them."""
    check_lock(suite)
    folder = TARGET / f"clients-{suite}"
    digest = hashlib.sha256(b"".join((HERE / suite / name).read_bytes() for name in PINNED))
    stamp = folder / ".stamp"
    if not stamp.exists() or stamp.read_text() != digest.hexdigest():
        # Built anew, so that nothing is left over in it.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in PINNED:
            shutil.copy(HERE / suite / name, folder)
        npm(folder, "ci")
        stamp.write_text(digest.hexdigest())
    for script in (HERE / suite).glob("*.mjs"):
        shutil.copy(script, folder)
    return folder


def update_lock(suite):
    """Resolves the versions of package.json anew."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("package.json", ".npmrc"):
            shutil.copy(HERE / suite / name, folder)
        npm(folder, "install", "--package-lock-only")
        lock = json.loads(Path(folder, "package-lock.json").read_text())
    for package in lock["packages"].values():
        package.pop("funding", None)
    text = json.dumps(lock, indent=2, ensure_ascii=False) + "\n"
    (HERE / suite / "package-lock.json").write_text(text)
    check_lock(suite)
