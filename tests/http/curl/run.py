#!/usr/bin/env python3
"""Runs the curl commands of README.md as they stand there, and compares what comes back.

    python3 tests/http/curl/run.py DIRECTORY [README]

DIRECTORY holds the built example http. The commands are those of the console blocks under the
heading "Over HTTP": a line that begins with $ and the indented lines after it are a command, the
others are its output. Whatever port they name, curl is told to go where the example listens.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tally import Tally, listening

README = Path(__file__).resolve().parents[3] / "README.md"
DOCUMENTED = "127.0.0.1:8080"
SECONDS = 60
# Between the outputs of two commands.
MARK = "-- the next command --"


def section(text):
    """What stands under the heading."""
    found = re.search(r"^## Over HTTP\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def commands(block):
    """Pairs of a command and its output."""
    pairs = []
    for line in block.splitlines():
        if line.startswith("$ "):
            pairs.append([[line[2:]], []])
        elif line.startswith("    ") and not pairs[-1][1]:
            pairs[-1][0].append(line)
        else:
            pairs[-1][1].append(line)
    return [("\n".join(command), "\n".join(output)) for command, output in pairs]


def outputs(pairs, home):
    """What the commands print, in one shell."""
    script = "".join(f"{command}\nprintf '\\n%s\\n' '{MARK}'\n" for command, _ in pairs)
    run = subprocess.run(["bash", "-c", script], env={"HOME": home, "PATH": "/usr/bin:/bin"},
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                         timeout=SECONDS, check=False)
    return [output.strip("\n") for output in run.stdout.split(f"{MARK}\n")[:-1]]


def the_readme_says_what_happens(tally, directory, readme):
    blocks = re.findall(r"^```console\n(.*?)^```", section(readme.read_text()),
                        re.DOTALL | re.MULTILINE)
    pairs = [pair for block in blocks for pair in commands(block)]
    tally.true("has commands in both eras", len(pairs) >= 5, pairs)
    with (tempfile.TemporaryDirectory() as home,
          listening([directory / "http", "127.0.0.1:0"]) as url):
        place = re.search(r"//([^/]+)/", url)[1]
        Path(home, ".curlrc").write_text(f'connect-to = "{DOCUMENTED}:{place}"\n')
        for (command, documented), printed in zip(pairs, outputs(pairs, home), strict=True):
            tally.equal(command.splitlines()[0], printed, documented)


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    tally = Tally("curl")
    if shutil.which("curl") is None:
        return tally.skip("curl is not installed")
    readme = Path(sys.argv[2]) if len(sys.argv) == 3 else README
    tally.run(the_readme_says_what_happens, Path(sys.argv[1]), readme)
    return tally.close()


if __name__ == "__main__":
    sys.exit(main())
