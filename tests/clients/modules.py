"""The npm packages of a suite: pinned beside it, installed under target/."""

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

TARGET = Path(__file__).parents[2] / "target"
PINNED = ("package.json", "package-lock.json", ".npmrc")
SECONDS = 600


def npm(folder, *arguments):
    # Scripts of packages are not needed, and not run.
    subprocess.run(["npm", *arguments, "--ignore-scripts", "--loglevel=error"], cwd=folder,
                   stdin=subprocess.DEVNULL, timeout=SECONDS, check=True)


def check_lock(suite):
    """Where packages come from is the affair of whoever installs them."""
    lock = suite / "package-lock.json"
    if "://" in lock.read_text():
        raise SystemExit(f"{lock} names a host: write it with run.py --update-locks")


def install(suite, name):
    """The folder of that name under target/, with the modules that the folder of the suite pins.

    It has copies of the suite's scripts too, which find the modules beside them.
    """
    check_lock(suite)
    folder = TARGET / name
    digest = hashlib.sha256(b"".join((suite / pinned).read_bytes() for pinned in PINNED))
    stamp = folder / ".stamp"
    if not stamp.exists() or stamp.read_text() != digest.hexdigest():
        # Built anew, so that nothing is left over in it.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for pinned in PINNED:
            shutil.copy(suite / pinned, folder)
        npm(folder, "ci")
        stamp.write_text(digest.hexdigest())
    for script in suite.glob("*.mjs"):
        shutil.copy(script, folder)
    return folder


def update_lock(suite):
    """Resolves the versions of package.json anew."""
    with tempfile.TemporaryDirectory() as folder:
        for pinned in ("package.json", ".npmrc"):
            shutil.copy(suite / pinned, folder)
        npm(folder, "install", "--package-lock-only")
        lock = json.loads(Path(folder, "package-lock.json").read_text())
    for package in lock["packages"].values():
        package.pop("funding", None)
    text = json.dumps(lock, indent=2, ensure_ascii=False) + "\n"
    (suite / "package-lock.json").write_text(text)
    check_lock(suite)
