"""What a server offers, from the decorators to the wire."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from mcplite import McpError, Server
from mcplite.errors import ExistsError, MisuseError, UnknownItemError
from mcplite.testing import Client

ERAS = ["legacy", "modern"]


@pytest.fixture
def server() -> Server:
    return Server("offers", version="1.2")


def line_of(function: Any) -> str:
    return f"test_server.py:{function.__code__.co_firstlineno}: "


def test_a_tool_is_named_and_described_by_its_function(server: Server) -> None:
    @server.tool
    def add(a: int, b: int = 2) -> int:
        """Adds two numbers.

        Args:
            a: the first
        """
        return a + b

    definition = server.tools["add"].definition
    assert definition["description"] == "Adds two numbers."
    assert definition["inputSchema"]["properties"]["a"]["description"] == "the first"
    assert definition["inputSchema"]["required"] == ["a"]
    assert server.tools["add"].function is add
    assert server.tools["add"].kind == "tool"
    assert repr(server.tools["add"]) == "<tool add>"
    assert add(1) == 3
    with Client(server) as client:
        assert client.list_tools() == [definition]


def test_parentheses_a_name_and_neither_mean_the_same(server: Server) -> None:
    @server.tool()
    def first() -> None: ...

    @server.tool("second")
    def other() -> None: ...

    @server.tool(name="third")
    def another() -> None: ...

    @server.prompt()
    def one() -> str:
        return ""

    @server.prompt("two")
    def deux() -> str:
        return ""

    assert list(server.tools) == ["first", "second", "third"]
    assert list(server.prompts) == ["one", "two"]


def test_methods_partials_and_objects_are_tools(server: Server) -> None:
    class Shop:
        def __init__(self) -> None:
            self.sold = 0

        def sell(self, amount: int) -> int:
            self.sold += amount
            return self.sold

        def __call__(self, text: str) -> str:
            return text.upper()

    shop = Shop()
    server.tool(shop.sell)
    server.tool("shout")(shop)
    server.tool("sell_two")(functools.partial(shop.sell, 2))
    with Client(server) as client:
        assert client.call("sell", amount=3).data == 3
        assert client.call("sell_two").data == 5
        assert client.call("shout", text="hi").text == "HI"


@pytest.mark.parametrize(
    ("kind", "add"),
    [
        ("tool", lambda server, **options: server.tool("x", **options)),
        ("prompt", lambda server, **options: server.prompt("x", **options)),
        ("resource", lambda server, **options: server.resource("x:y", **options)),
        ("template", lambda server, **options: server.resource("x:{y}", **options)),
    ],
)
def test_a_second_of_the_same_name_is_refused_unless_it_replaces(
    server: Server, kind: str, add: Any
) -> None:
    def first(y: str = "") -> str:
        return "first"

    def second(y: str = "") -> str:
        return "second"

    items = getattr(server, f"{kind}s")
    add(server)(first)
    with pytest.raises(ExistsError, match="x"):
        add(server)(second)
    assert [item.function for item in items.values()] == [first]
    add(server, replace=True)(second)
    assert [item.function for item in items.values()] == [second]


def test_what_is_removed_is_gone(server: Server) -> None:
    server.tool("a")(lambda: None)
    server.tool("b")(lambda: None)
    server.prompt("p")(lambda: "")
    server.resource("r:1")(lambda: "")
    server.resource("r:{x}")(lambda x: "")
    server.remove_tool("a")
    server.remove_prompt("p")
    server.remove_resource("r:1")
    server.remove_resource("r:{x}")
    assert (list(server.tools), server.prompts, server.resources) == (["b"], {}, {})
    assert server.templates == {}
    with pytest.raises(UnknownItemError, match=r"no tool 'a'; there are: b"):
        server.remove_tool("a")
    with pytest.raises(LookupError, match=r"no resource 'r:1'; there are: none"):
        server.remove_resource("r:1")
    with Client(server) as client:
        assert [tool["name"] for tool in client.list_tools()] == ["b"]
        with pytest.raises(McpError, match="a"):
            client.call("a")
    server.tool("a")(lambda: None)
    assert list(server.tools) == ["b", "a"]


@pytest.mark.parametrize("era", ERAS)
def test_changes_of_lists_are_told(server: Server, era: str) -> None:
    server.tool("a")(lambda: None)
    server.prompt("a")(lambda: "")
    server.resource("a:b")(lambda: "")
    with Client(server, era=era) as client:
        client.listen(tools=True, prompts=True, resources=True)
        server.tool("b")(lambda: None)
        client.wait_for("notifications/tools/list_changed")
        server.tool("b", title="B", replace=True)(lambda: None)
        client.wait_for("notifications/tools/list_changed")
        server.remove_tool("b")
        client.wait_for("notifications/tools/list_changed")
        server.remove_prompt("a")
        client.wait_for("notifications/prompts/list_changed")
        server.add_resource("a:c", "")
        client.wait_for("notifications/resources/list_changed")
        server.notify_list_changed("tool")
        client.wait_for("notifications/tools/list_changed")


def test_mistakes_in_signatures_are_told_with_file_and_line(server: Server) -> None:
    def tool(callback: object, *rest: int) -> None: ...
    def unknown(thing: Undefined) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    def nothing() -> str:
        return ""

    def needs(key: str, other: str) -> str:
        return ""

    with pytest.raises(TypeError) as caught:
        server.tool(tool)
    assert line_of(tool) in str(caught.value)
    assert "rest" in str(caught.value)
    with pytest.raises(TypeError) as caught:
        server.tool(unknown)
    assert line_of(unknown) in str(caught.value)
    assert "Undefined" in str(caught.value)
    with pytest.raises(TypeError, match="no parameter for key of the URI cfg://{key}") as caught:
        server.resource("cfg://{key}")(nothing)
    assert line_of(nothing) in str(caught.value)
    with pytest.raises(TypeError, match="needs other, which the URI cfg://{key} does not have"):
        server.resource("cfg://{key}")(needs)
    with pytest.raises(TypeError, match="needs key, other"):
        server.resource("cfg://fixed")(needs)
    with pytest.raises(MisuseError, match="needs its URI"):
        server.resource(nothing)  # type: ignore[arg-type]
    assert (server.tools, server.resources, server.templates) == ({}, {}, {})


def three(a: Any, b: Any, c: Any) -> Any:
    raise AssertionError


def one(a: Any) -> Any:
    raise AssertionError


@pytest.mark.parametrize(
    ("add", "function"),
    [
        (lambda server: server.completion("p", "a")(three), three),
        (lambda server: server.on("my/method", three), three),
        (lambda server: server.middleware(one), one),
        (lambda server: server.middleware(three), three),
    ],
)
def test_handlers_that_cannot_be_called_are_refused_at_decoration(
    server: Server, add: Any, function: Any
) -> None:
    server.prompt("p")(lambda a: "")
    with pytest.raises(TypeError) as caught:
        add(server)
    assert line_of(function) in str(caught.value)
