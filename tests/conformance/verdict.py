"""What the suite found, judged from the checks that it wrote: more strictly than it does itself.

A scenario passes if it has a SUCCESS, and neither a FAILURE nor a WARNING. Nothing is expected to fail.
"""

import json
import re
from dataclasses import dataclass, field

# Extensions of the protocol, which mcplite does not serve.
OUT_OF_SCOPE = re.compile(r"tasks-|sep-2640-skills-")
# The suite names the folder of a result after the scenario and the moment.
RESULT = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@dataclass
class Verdict:
    """On one run of the suite."""

    passed: list = field(default_factory=list)
    failed: dict = field(default_factory=dict)
    out_of_scope: list = field(default_factory=list)
    # Passed, and how many there are.
    scored: tuple = (0, 0)


def is_bad(check):
    return check["status"] in ("FAILURE", "WARNING")


def complaints(checks):
    """Why the scenario does not pass; nothing if it does."""
    if checks is None:
        return ["no result was written"]
    found = [f"{check['status']} {check['id']}: {check.get('errorMessage') or check.get('description')}"
             for check in checks if is_bad(check)]
    if not found and not any(check["status"] == "SUCCESS" for check in checks):
        found = ["no check was a success: " + ", ".join(f"{c['id']} {c['status']}" for c in checks)]
    return found


def read_results(folder):
    """The checks of each scenario; of those that ran twice, all."""
    results = {}
    for path in sorted(folder.glob("*/checks.json")):
        name = RESULT.fullmatch(path.parent.name)
        if name:
            results.setdefault(name[1], []).extend(json.loads(path.read_text()))
    return results


def judge(scenarios, folder, code):
    """`scenarios` are those that were to run, each with whether it is scored; `code` is the suite's."""
    verdict, results = Verdict(), read_results(folder)
    for name in scenarios:
        if OUT_OF_SCOPE.match(name):
            verdict.out_of_scope.append(name)
            continue
        found = complaints(results.get(name))
        if found:
            verdict.failed[name] = found
        else:
            verdict.passed.append(name)
    scored = [name for name, is_scored in scenarios.items() if is_scored]
    verdict.scored = (sum(name in verdict.passed for name in scored), len(scored))

    for name in results.keys() - scenarios.keys():
        verdict.failed[name] = ["it was not to run"]
    # The suite fails for what is out of scope here too, but for nothing that we did not see.
    saw_bad = any(is_bad(check) for name in scored for check in results.get(name, []))
    if code is None:
        verdict.failed["the suite"] = ["it did not come to its summary"]
    elif code != int(saw_bad) and not verdict.failed:
        verdict.failed["the suite"] = [f"it ended with {code}, for no reason that its results show"]
    return verdict
