"""Reading the options of a command."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter

from mcplite.cli.options import DEFAULT_ADDRESS, is_address
from mcplite.cli.terminal import EXIT_USAGE, Failure

__all__ = ["Namespace", "Parser"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn, TypeVar

    T = TypeVar("T")


class Parser(ArgumentParser):
    """A parser whose mistakes are told in one line."""

    def __init__(self, command: str, *, description: str, epilog: str) -> None:
        super().__init__(
            prog=f"mcplite {command}",
            description=description,
            epilog=epilog,
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Ends the command instead of printing the usage."""
        raise Failure(message, hint=f"see {self.prog} --help", code=EXIT_USAGE)

    def parse(self, arguments: Sequence[str], into: T) -> T:
        """Reads the arguments; options may stand anywhere among them."""
        return self.parse_intermixed_args(_with_address(list(arguments)), into)


def _with_address(arguments: list[str]) -> list[str]:
    """Lets `--http` stand before the file: what follows it counts only if it is an address."""
    for place, argument in enumerate(arguments[:-1]):
        if argument == "--http" and not is_address(arguments[place + 1]):
            arguments[place] = f"--http={DEFAULT_ADDRESS}"
    return arguments
