"""The request states that a server sent, and the `$STATE` that stands for them."""

from __future__ import annotations

import json
import re


class States:
    """Every `requestState`, in the order in which they came."""

    def __init__(self) -> None:
        self._seen: list[tuple[str, str]] = []

    def note(self, line: str) -> None:
        """Remembers the state in a message of the server, if it has one in its result."""
        message = json.loads(line)
        result = message.get("result") if isinstance(message, dict) else None
        state = result.get("requestState") if isinstance(result, dict) else None
        if isinstance(state, str):
            self._seen.append((json.dumps(message.get("id")), state))

    def fill_in(self, line: str) -> str:
        """The line with every `$STATE` replaced by what it stands for."""
        return re.sub(r"\$STATE(?:\[([^]]*)])?(!?)", self._meant, line)

    def _meant(self, found: re.Match[str]) -> str:
        wanted, mark = found.groups()
        fitting = [state for own, state in self._seen if wanted is None or own == wanted]
        return changed(fitting[-1]) if mark else fitting[-1]


def changed(state: str) -> str:
    """The state with the character in its middle replaced: by `A`, or by `B` if it is that."""
    middle = len(state) // 2
    other = "B" if state[middle] == "A" else "A"
    return state[:middle] + other + state[middle + 1 :]
