"""The options of a server and of its tools."""

from __future__ import annotations

from typing import Any

import pytest

from mcplite import Server
from mcplite.testing import Client


@pytest.fixture
def server() -> Server:
    return Server("offers", version="1.2")


def test_options_of_a_tool_reach_clients(server: Server) -> None:
    schema = {"type": "object", "properties": {"x-y": {"type": "string"}}}

    @server.tool(
        title="A title",
        description="Better.",
        input_schema=schema,
        output_schema={"type": "object"},
        annotations={"readOnlyHint": True},
        icons=[{"src": "https://example.com/a.png"}],
        meta={"my/own": 1},
    )
    def described(**arguments: Any) -> dict[str, Any]:
        """Worse."""
        return arguments

    with Client(server) as client:
        [tool] = client.list_tools()
        assert tool == {
            "name": "described",
            "title": "A title",
            "description": "Better.",
            "inputSchema": schema,
            "outputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True},
            "icons": [{"src": "https://example.com/a.png"}],
            "_meta": {"my/own": 1},
        }
        assert client.call_tool("described", {"x-y": "z"}).structured == {"x-y": "z"}


def test_a_tool_need_not_be_structured_nor_listed(server: Server) -> None:
    @server.tool(structured=False)
    def plain() -> int:
        return 7

    @server.tool(hidden=True)
    def secret() -> str:
        return "found"

    with Client(server) as client:
        [tool] = client.list_tools()
        assert "outputSchema" not in tool
        result = client.call("plain")
        assert (result.text, result.structured) == ("7", None)
        assert client.call("secret").text == "found"


@pytest.mark.parametrize("server_coerces", [True, False])
@pytest.mark.parametrize("tool_coerces", [True, False, None])
def test_texts_are_coerced_where_that_is_wanted(
    server_coerces: bool, tool_coerces: bool | None
) -> None:
    server = Server("s", coerce=server_coerces)

    @server.tool(coerce=tool_coerces)
    def double(n: int) -> int:
        return n * 2

    with Client(server, raise_on_error=False) as client:
        result = client.call("double", n="5")
    if server_coerces if tool_coerces is None else tool_coerces:
        assert result.data == 10
    else:
        assert result.is_error
        assert "n" in result.text


def test_options_of_the_server_reach_clients() -> None:
    server = Server(
        "s",
        version="3",
        title="T",
        description="D",
        instructions="Do.",
        website_url="https://example.com",
        icons=[{"src": "https://example.com/i.png"}],
        experimental={"mine": {}},
        logging=False,
    )
    with Client(server) as client:
        info = client.server_info
        assert (info["name"], info["version"], info["title"]) == ("s", "3", "T")
        assert (info["description"], info["websiteUrl"]) == ("D", "https://example.com")
        assert info["icons"] == [{"src": "https://example.com/i.png"}]
        assert client.instructions == "Do."
        assert client.server_capabilities["experimental"] == {"mine": {}}
        assert "logging" not in client.server_capabilities
    assert repr(server) == "<Server s 3>"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"revisions": ["2020-01-01"]}, 'no revision "2020-01-01"; those are 2024-11-05'),
        ({"errors": "modern"}, "errors is"),
        ({"limits": {"mesage_bytes": 1}}, 'no option "mesage_bytes"'),
        ({"seal_keys": [b"short"]}, "32 bytes"),
        ({"version": ""}, "name and a version"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        Server("s", **options)
