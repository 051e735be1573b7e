"""Completions of what there is not: a name that is spelt differently here and there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from ._items import Registered
    from .server import Server


def misplaced(server: Server) -> Iterator[tuple[str, str]]:
    """The completions that no client can ask for: the name of each, and what is wrong with it."""
    for item in server._completions.values():
        kind, of, argument = (item.definition[name] for name in ("kind", "of", "argument"))
        offered = server._items(kind).get(of)
        if offered is None:
            names = server._items(kind)
            problem = f"there is no {kind} {of!r} to complete; {_nearest(of, names)}"
        elif argument not in (known := _arguments(offered)):
            problem = (
                f"the {kind} {of!r} has no {argument!r} to complete; {_nearest(argument, known)}"
            )
        else:
            continue
        yield item.name, f"{_where(item)}{problem}"


def _arguments(item: Registered) -> Collection[str]:
    if item.kind == "template":
        from .offers import variables_of

        return variables_of(item.name)
    arguments: list[dict[str, Any]] = item.definition.get("arguments") or []
    return [argument["name"] for argument in arguments]


def _nearest(name: str, names: Collection[str]) -> str:
    """What may be meant."""
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=3)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"there are: {', '.join(map(repr, sorted(names)[:8]))}" if names else "there are none"


def _where(item: Registered) -> str:
    from ._signature import place_of

    return place_of(item.function)
