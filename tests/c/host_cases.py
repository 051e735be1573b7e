"""Checks tests/adversarial/host_cases.txt: every place that it names must exist."""

import re


def complaints(listing, root):
    """One sentence for each line that is malformed or names a place that is not there."""
    if not listing.exists():
        return []
    found = []
    for number, line in enumerate(listing.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        found += [f"{listing.name}:{number}: {what}" for what in judge(line, root)]
    return found


def judge(line, root):
    case, _, rest = line.partition(" ")
    rest = rest.strip()
    if not re.fullmatch(r"[a-z]+\.[a-z0-9-]+", case) or not rest:
        return ["a line is a case and where it is tested, or `-` and why it is not"]
    if rest.startswith("- "):
        return []
    return [what for place in rest.split() for what in judge_place(place, root)]


def judge_place(place, root):
    path, _, function = place.partition(":")
    if not (root / path).is_file():
        return [f"there is no {path}"]
    text = (root / path).read_text()
    if not function or not re.search(rf"\b{re.escape(function)}\s*\(", text):
        return [f"{path} has no function {function or '(none named)'}"]
    return []
