"""One run: what it has to measure with, and entrants in turn."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from common.bench import Bench, Unable
from common.run import MISHAPS
from native.build import Built
from native.contender import Entrant
from native.ledger import Ledger
from native.scale import Scale
from native.servers import Measured


class Run:
    """What a run has to measure with, and what it has found so far."""

    def __init__(self, ledger: Ledger, built: Built, scale: Scale) -> None:
        self.ledger = ledger
        self.built = built
        self.scale = scale
        self.began = time.monotonic()

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", file=sys.stderr, flush=True)

    def attempt(
        self,
        where: str,
        keys: Sequence[str],
        entrant: Entrant,
        work: Callable[[Bench], Measured],
    ) -> None:
        """Measures an entrant once more, unless it has failed before."""
        if any(self.ledger.has_failed(key, entrant) for key in keys):
            return
        bench = self.built.benches.of(entrant)
        if bench is None:
            self._fail(where, keys, entrant, self.built.why_missing(entrant))
            return
        try:
            measured = work(bench)
        except Unable as reason:
            self._fail(where, keys, entrant, str(reason), unable=True)
            return
        except MISHAPS as failure:
            self._fail(where, keys, entrant, str(failure) or repr(failure))
            return
        for key, quantities in measured.items():
            self.ledger.add(key, entrant, quantities)
            listed = ", ".join(f"{name} {value:,.2f}" for name, value in quantities.items())
            self.say(f"{where}  {key}  {entrant.label}: {listed}")

    def _fail(
        self,
        where: str,
        keys: Sequence[str],
        entrant: Entrant,
        reason: str,
        unable: bool = False,
    ) -> None:
        for key in keys:
            self.ledger.fail(key, entrant, reason, unable)
        self.say(f"{where}  {entrant.label}: {'CANNOT' if unable else 'FAILED'}: {reason}")

    def turns(
        self,
        what: str,
        field: Sequence[Entrant],
        rounds: int,
        slow_rounds: int,
        visit: Callable[[str, Entrant], None],
    ) -> None:
        """Visits entrants in turn, in every second round in the opposite order."""
        chosen = [it for it in field if it.setup.usual or not self.scale.is_quick]
        for number in range(rounds):
            for entrant in chosen if number % 2 == 0 else chosen[::-1]:
                if number < slow_rounds or not entrant.contender.is_slow:
                    visit(f"{what} {number + 1}/{rounds}", entrant)
