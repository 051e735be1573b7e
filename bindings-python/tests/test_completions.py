"""Completions of what there is not: told when serving begins, whatever came first."""

from __future__ import annotations

import asyncio
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from asgi_support import ask
from cli_support import mcplite
from mcplite import MemoryTransport, Server
from mcplite._completions import misplaced
from process_support import serving
from web_support import modern, under_wsgiref

if TYPE_CHECKING:
    from pathlib import Path


def problems(server: Server) -> list[str]:
    return [problem.rpartition(": ")[2] for _, problem in misplaced(server)]


def offering() -> Server:
    server = Server("s")
    server.prompt("travel")(lambda city, country="": "")
    server.resource("map://{country}/{city}")(lambda country, city: "")
    return server


@pytest.mark.parametrize(
    ("of", "argument", "problem"),
    [
        ("travel", "city", None),
        ("map://{country}/{city}", "city", None),
        ("travle", "city", "there is no prompt 'travle' to complete; did you mean 'travel'?"),
        (
            "map://{country}/{town}",
            "town",
            "there is no template 'map://{country}/{town}' to complete; "
            "did you mean 'map://{country}/{city}'?",
        ),
        (
            "travel",
            "cty",
            "the prompt 'travel' has no 'cty' to complete; did you mean 'city' or 'country'?",
        ),
        (
            "map://{country}/{city}",
            "x",
            "the template 'map://{country}/{city}' has no 'x' to complete; "
            "there are: 'city', 'country'",
        ),
    ],
)
def test_the_nearest_names_are_told(of: str, argument: str, problem: str | None) -> None:
    server = offering()
    server.completion(of, argument)(lambda value: [])
    told = [told for _, told in misplaced(server)]
    if problem is None:
        assert told == []
    else:
        assert told[0].endswith(f": {problem}")
        assert "test_completions.py:" in told[0]


def test_without_anything_there_is_nothing_to_name() -> None:
    server = Server("s")
    server.completion("travel", "city")(lambda value: [])
    assert problems(server) == ["there is no prompt 'travel' to complete; there are none"]


def test_the_order_does_not_matter() -> None:
    server = Server("s")
    server.completion("travel", "city")(lambda value: [])
    server.prompt("travel")(lambda city: "")
    assert problems(server) == []


def test_what_is_mounted_is_known_by_its_new_name() -> None:
    inner, outer = offering(), Server("outer")
    inner.completion("travel", "city")(lambda value: [])
    inner.completion("map://{country}/{city}", "city")(lambda value: [])
    outer.mount("in", inner)
    assert problems(outer) == []


async def _start_and_stop(server: Server) -> None:
    await server.start_async(MemoryTransport())
    await server.stop_async()


def _by_transport(server: Server) -> None:
    server.start(MemoryTransport())
    server.stop()


def _by_wsgi(server: Server) -> None:
    with under_wsgiref(server.wsgi()) as client:
        client.post("/mcp", **modern("server/discover"))


WAYS: dict[str, Any] = {
    "transport": _by_transport,
    "async-transport": lambda server: asyncio.run(_start_and_stop(server)),
    "asgi": lambda server: asyncio.run(ask(server.asgi(), modern("server/discover"))),
    "wsgi": _by_wsgi,
}


@pytest.mark.parametrize("way", WAYS)
def test_it_is_told_once_when_serving_begins(way: str, caplog: pytest.LogCaptureFixture) -> None:
    server = offering()
    server.completion("travle", "city")(lambda value: [])
    assert caplog.records == []
    WAYS[way](server)
    WAYS[way](server)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "there is no prompt 'travle'" in caplog.text


PROGRAM = """
    from mcplite import Server
    server = Server("s")

    @server.completion("travle", "city")
    def cities(value):
        return []

    @server.prompt
    def travel(city):
        return city
"""


@pytest.mark.parametrize("start", ["def", "async def"])
def test_a_program_says_it_on_standard_error(start: str) -> None:
    program = dedent(PROGRAM).replace("def cities", f"{start} cities") + "server.run()\n"
    with serving(program) as server:
        line = server.error_line()
    place = "<string>:5"
    problem = "there is no prompt 'travle' to complete; did you mean 'travel'?"
    assert line.strip() == f"mcplite: {place}: {problem}"


def test_inspect_says_it(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(dedent(PROGRAM))
    told = mcplite("inspect", "server.py", "--json", cwd=tmp_path)
    assert told.returncode == 0
    assert "server.py:5: there is no prompt 'travle'" in told.stderr
