"""Resources, prompts, completions and methods, from the decorators to the wire."""

from __future__ import annotations

import enum
from typing import Any, Literal

import pytest

from mcplite import Completion, Context, McpError, Server, ToolError
from mcplite.errors import ExistsError
from mcplite.testing import Client

ERAS = ["legacy", "modern"]


@pytest.fixture
def server() -> Server:
    return Server("offers", version="1.2")


def test_resources_that_never_change_are_answered_by_the_engine(server: Server) -> None:
    server.add_resource("doc:readme", "Read me.", title="The readme")
    server.add_resource("doc:logo", b"\xff\x00", name="logo", mime_type="image/png")
    with Client(server) as client:
        readme, logo = client.list_resources()
        assert readme == {
            "uri": "doc:readme",
            "name": "doc:readme",
            "mimeType": "text/plain",
            "title": "The readme",
        }
        assert logo == {"uri": "doc:logo", "name": "logo", "mimeType": "image/png"}
        assert client.read("doc:readme").text == "Read me."
        assert client.read("doc:logo").data == b"\xff\x00"
    with pytest.raises(ExistsError):
        server.add_resource("doc:logo", b"")
    server.add_resource("doc:logo", b"new", replace=True)
    with Client(server) as client:
        assert client.read("doc:logo").data == b"new"


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


def test_variables_of_a_template_are_of_the_types_of_its_parameters(server: Server) -> None:
    @server.resource("row://{table}/{number}{?full,scale,colour}", mime_type="application/json")
    def row(
        table: str,
        number: int,
        full: bool = False,
        scale: float = 0.5,
        colour: Colour = Colour.RED,
    ) -> dict[str, Any]:
        """One row."""
        return {"row": [table, number, full, scale, colour.name]}

    with Client(server) as client:
        [template] = client.list_templates()
        assert template["name"] == "row"
        assert template["description"] == "One row."
        assert client.read("row://users/7").text == '{"row":["users",7,false,0.5,"RED"]}'
        full = client.read("row://users/7?full=yes&scale=2.5&colour=blue")
        assert full.text == '{"row":["users",7,true,2.5,"BLUE"]}'
        assert full.mime_type == "application/json"
        for uri in ("row://users/x", "row://users/7?full=perhaps", "row://users/7?colour=x"):
            with pytest.raises(McpError) as caught:
                client.read(uri)
            assert caught.value.code == -32602, uri


def test_arguments_of_a_prompt_are_of_the_types_of_its_parameters(server: Server) -> None:
    @server.prompt(title="Greeting")
    def greet(
        ctx: Context, name: str, times: int, loud: bool = False, mood: Literal["a", "b"] = "a"
    ) -> str:
        """Greets.

        Args:
            name: whom to greet
        """
        assert ctx.method == "prompts/get"
        return f"{name!r} {times!r} {loud!r} {mood!r}"

    with Client(server) as client:
        [prompt] = client.list_prompts()
        assert prompt["title"] == "Greeting"
        assert prompt["arguments"] == [
            {"name": "name", "description": "whom to greet", "required": True},
            {"name": "times", "required": True},
            {"name": "loud"},
            {"name": "mood"},
        ]
        got = client.get_prompt("greet", name="5", times="3", loud="true", mood="b")
        assert got.text == "'5' 3 True 'b'"
        for arguments in ({"name": "x"}, {"name": "x", "times": "many"}):
            with pytest.raises(McpError, match="times") as caught:
                client.get_prompt("greet", **arguments)
            assert caught.value.code == -32602


@pytest.mark.parametrize("is_async", [False, True])
def test_completions_know_what_is_typed_and_what_is_known(server: Server, is_async: bool) -> None:
    @server.prompt
    def travel(country: str, city: str) -> str:
        return ""

    @server.resource("map://{country}/{city}")
    def chart(country: str, city: str) -> str:
        return ""

    if is_async:

        @server.completion("travel", "city")
        @server.completion("map://{country}/{city}", "city")
        async def later(value: str, arguments: dict[str, str], ctx: Context) -> list[str]:
            return [f"{arguments.get('country')}-{value}-{ctx.method}"]

    else:

        @server.completion("travel", "city")
        @server.completion("map://{country}/{city}", "city")
        def now(value: str, arguments: dict[str, str], ctx: Context) -> list[str]:
            return [f"{arguments.get('country')}-{value}-{ctx.method}"]

    @server.completion("travel", "country")
    def countries(typed: str) -> Completion:
        return Completion([typed + "x"], total=9, has_more=True)

    with Client(server) as client:
        for of in ("travel", "map://{country}/{city}"):
            found = client.complete(of, "city", "Ber", context={"country": "de"})
            assert found.values == ["de-Ber-completion/complete"]
            assert client.complete(of, "city").values == ["None--completion/complete"]
        found = client.complete("travel", "country", "a")
        assert (found.values, found.total, found.has_more) == (["ax"], 9, True)
    with pytest.raises(ExistsError):
        server.completion("travel", "country")(countries)
    server.completion("travel", "country", replace=True)(countries)


@pytest.mark.parametrize("era", ERAS)
def test_own_methods_get_params_and_context(server: Server, era: str) -> None:
    heard: list[Any] = []

    @server.on("my/plain")
    def plain(params: Any) -> Any:
        return {"plain": params["a"]}

    @server.on("my/context")
    async def with_context(params: Any, ctx: Context) -> Any:
        return {"method": ctx.method, "is_id": isinstance(ctx.request_id, int)}

    def bare() -> Any:
        return {"bare": True}

    assert server.on("my/bare", bare) is bare

    @server.on("notifications/mine")
    def noted(params: Any, context: Any) -> None:
        heard.append((params["a"], context.request_id))

    with Client(server, era=era) as client:
        assert client.request("my/plain", {"a": 1})["plain"] == 1
        answer = client.request("my/context")
        assert (answer["method"], answer["is_id"]) == ("my/context", True)
        assert client.request("my/bare")["bare"] is True
        client.notify("notifications/mine", {"a": 2})
        client.ping()
    assert heard == [(2, None)]
    with pytest.raises(ExistsError):
        server.on("my/bare", bare)


def test_a_star_answers_what_nobody_else_does(server: Server) -> None:
    server.on("my/own", lambda: {"who": "own"})
    server.on("*", lambda params, ctx: {"who": ctx.method})
    server.tool("a")(lambda: None)
    with Client(server) as client:
        assert client.request("my/own")["who"] == "own"
        assert client.request("my/other")["who"] == "my/other"
        assert [tool["name"] for tool in client.list_tools()] == ["a"]


def test_a_method_of_the_protocol_can_be_answered_in_the_engines_place(server: Server) -> None:
    server.tool("a")(lambda: None)
    server.on("tools/list", lambda: {"tools": [{"name": "mine", "inputSchema": {}}]})
    with Client(server, era="legacy") as client:
        assert [tool["name"] for tool in client.list_tools()] == ["mine"]
        assert client.call("a").text == ""


async def fetch() -> str:
    raise AssertionError


def test_a_tool_that_returns_what_must_be_awaited_is_told_so(server: Server) -> None:
    server.tool("fetch")(lambda: fetch())
    with Client(server) as client, pytest.raises(ToolError, match="await"):
        client.call("fetch")


def test_handlers_may_be_added_while_others_run(server: Server) -> None:
    @server.tool
    def grow() -> None:
        @server.tool
        async def late() -> str:
            return "late"

    with Client(server, era="legacy") as client:
        client.call("grow")
        client.wait_for("notifications/tools/list_changed")
        assert client.call("late").text == "late"


def test_a_tool_that_removes_itself_finishes_first(server: Server) -> None:
    @server.tool
    def vanish() -> str:
        server.remove_tool("vanish")
        return "gone"

    with Client(server) as client:
        assert client.call("vanish").text == "gone"
        with pytest.raises(McpError):
            client.call("vanish")
