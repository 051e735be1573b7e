"""Numbers such as `5.0`: integers to JSON Schema, and therefore `int` where the hint says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import pydantic
import pytest

from mcplite import Server, _integers
from stage_support import HELLO, call

if TYPE_CHECKING:
    from mcplite import Session


@dataclass
class Leaf:
    n: int
    ratio: float = 0.0
    inner: list[Leaf] = field(default_factory=list)


class Pair(NamedTuple):
    a: int
    b: float


class Options(TypedDict):
    n: int
    more: NotRequired[dict[str, int]]


class Model(pydantic.BaseModel):
    n: int
    many: list[int]


def connected(server: Server) -> Session:
    """A connection fed by hand: the client for tests writes `5.0` as `5`."""
    session = server.session()
    session.handle(HELLO)
    return session


def called(hint: Any, value: Any) -> Any:
    """What a tool gets for an argument of that hint."""
    server = Server("s")
    got: list[Any] = []

    def tool(value: Any) -> None:
        got.append(value)

    tool.__annotations__["value"] = hint
    server.tool(tool)
    connected(server).handle(call(1, "tool", value=value))
    return got[0]


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (int, 5.0, 5),
        (float, 5.0, 5.0),
        (int | None, 5.0, 5),
        (int | str, 5.0, 5),
        (int | float, 5.0, 5.0),
        (list[int], [1, 2.0, 3e2], [1, 2, 300]),
        (list[float], [1.0, 2.5], [1.0, 2.5]),
        (list[int | None], [1.0, None], [1, None]),
        (list[list[int]], [[1.0]], [[1]]),
        (list[Any], [1.0], [1.0]),
        (list, [1.0], [1.0]),
        (set[int], [1.0, 2.0], {1, 2}),
        (tuple[int, float], [1.0, 2.0], (1, 2.0)),
        (tuple[int, ...], [1.0], (1,)),
        (dict[str, int], {"a": 1.0}, {"a": 1}),
        (dict[str, list[int]], {"a": [1.0]}, {"a": [1]}),
        (list[Literal[1, 2]], [2.0], [2]),
        (list[Annotated[int, "many"]], [2.0], [2]),
        (Leaf, {"n": 1.0, "ratio": 2.0}, Leaf(1, 2.0)),
        (Leaf, {"n": 1, "inner": [{"n": 2.0, "ratio": 3.0}]}, Leaf(1, 0.0, [Leaf(2, 3.0)])),
        (Leaf | None, {"n": 1.0}, Leaf(1)),
        (list[int] | dict[str, int], {"a": 1.0}, {"a": 1}),
        (Pair, {"a": 1.0, "b": 2.0}, Pair(1, 2.0)),
        (Options, {"n": 1.0, "more": {"a": 2.0}}, {"n": 1, "more": {"a": 2}}),
        (Model, {"n": 1.0, "many": [2.0]}, Model(n=1, many=[2])),
    ],
)
def test_what_the_hint_says_is_what_the_handler_gets(hint: Any, value: Any, expected: Any) -> None:
    # `repr` tells `1` and `1.0` apart, wherever they stand.
    assert repr(called(hint, value)) == repr(expected)


def test_the_rest_of_the_arguments_is_no_exception() -> None:
    server = Server("s")
    got: list[Any] = []

    @server.tool
    def tool(ratio: float, **others: int) -> None:
        got.append((ratio, others))

    connected(server).handle(call(1, "tool", ratio=1.0, a=2.0, b=3))
    assert repr(got) == "[(1.0, {'a': 2, 'b': 3})]"


def test_middleware_sees_them_too() -> None:
    server = Server("s")
    got: list[Any] = []

    @server.middleware
    def note(request: Any, call_next: Any) -> Any:
        if request.method == "tools/call":
            got.append(request.arguments)
        return call_next()

    @server.tool
    def tool(many: list[int]) -> None: ...

    connected(server).handle(call(1, "tool", many=[1.0]))
    assert repr(got) == "[{'many': [1]}]"


def test_arguments_without_such_numbers_are_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = Server("s")
    looked: list[object] = []
    monkeypatch.setattr(_integers, "_converted", lambda *given: looked.append(given))

    @server.tool
    def tool(many: list[int], leaf: Leaf, ratios: list[float]) -> None: ...

    @server.tool
    def other(ratios: list[float]) -> None: ...

    session = connected(server)
    session.handle(call(1, "tool", many=[1, 2], leaf={"n": 1}, ratios=[1, 2]))
    session.handle(call(2, "other", ratios=[1.0, 2.5]))
    assert looked == []
    session.handle(call(3, "tool", many=[1, 2.0], leaf={"n": 1}, ratios=[]))
    assert len(looked) == 1
