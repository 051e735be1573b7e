"""A server inside another one."""

from __future__ import annotations

from typing import Any

import pytest

from mcplite import Context, McpError, Server
from mcplite.errors import ExistsError, MisuseError
from mcplite.testing import Client
from stage_support import around_handlers

ERAS = ["legacy", "modern"]


@pytest.fixture
def shop() -> Server:
    shop = Server("shop", state="the shop's")

    @shop.tool(title="Sells")
    def sell(amount: int) -> int:
        return amount * 2

    @shop.prompt
    def pitch(product: str) -> str:
        return f"Buy {product}!"

    @shop.resource("stock://{item}")
    def stock(item: str) -> str:
        return f"3 {item}"

    shop.add_resource("shop://terms", "None.")
    return shop


@pytest.fixture
def mall(shop: Server) -> Server:
    mall = Server("mall", state="the mall's")
    mall.mount("shop", shop)
    return mall


def names(server: Server) -> list[str]:
    with Client(server) as client:
        return [tool["name"] for tool in client.list_tools()]


@pytest.mark.parametrize("era", ERAS)
def test_everything_is_offered_under_a_prefix(mall: Server, shop: Server, era: str) -> None:
    with Client(mall, era=era) as client:
        [tool] = client.list_tools()
        assert (tool["name"], tool["title"]) == ("shop__sell", "Sells")
        assert client.call("shop__sell", amount=2).text == "4"
        assert client.get_prompt("shop__pitch", product="tea").text == "Buy tea!"
        assert client.read("stock://pears").text == "3 pears"
        assert client.read("shop://terms").text == "None."
        with pytest.raises(McpError):
            client.call("sell", amount=2)
    with Client(shop, era=era) as client:
        assert client.call("sell", amount=2).text == "4"
    assert list(shop.tools) == ["sell"]
    assert mall.tools["shop__sell"].owner is shop


def test_what_is_added_later_is_offered_too(mall: Server, shop: Server) -> None:
    with Client(mall, era="legacy") as client:
        shop.tool("refund")(lambda: "refunded")
        client.wait_for("notifications/tools/list_changed")
        assert client.call("shop__refund").text == "refunded"
        shop.tool("refund", replace=True)(lambda: "never")
        assert client.call("shop__refund").text == "never"
        shop.remove_tool("refund")
        with pytest.raises(McpError):
            client.call("shop__refund")
        shop.remove_prompt("pitch")
        shop.remove_resource("stock://{item}")
        shop.remove_resource("shop://terms")
        assert (client.list_prompts(), client.list_templates()) == ([], [])
        assert client.list_resources() == []
    assert (list(mall.tools), mall.prompts, mall.resources) == (["shop__sell"], {}, {})


def test_mounts_nest(mall: Server, shop: Server) -> None:
    city = Server("city")
    city.mount("mall", mall)
    with Client(city) as client:
        assert client.call("mall__shop__sell", amount=1).text == "2"
        shop.tool("late")(lambda: "late")
        assert client.call("mall__shop__late").text == "late"
        shop.remove_tool("late")
        assert names(city) == ["mall__shop__sell"]


def test_one_server_is_mounted_at_several_places(shop: Server) -> None:
    one, two = Server("one"), Server("two")
    one.mount("a", shop)
    two.mount("b", shop)
    shop.tool("late")(lambda: "late")
    assert names(one) == ["a__sell", "a__late"]
    assert names(two) == ["b__sell", "b__late"]


@pytest.mark.parametrize("era", ERAS)
def test_one_server_is_mounted_twice_in_another(shop: Server, era: str) -> None:
    market = Server("market")
    shop.completion("stock://{item}", "item")(lambda value: ["tea"])
    market.mount("a", shop)
    market.mount("b", shop)
    shop.add_resource("shop://late", "Late.")
    with Client(market, era=era) as client:
        assert [tool["name"] for tool in client.list_tools()] == ["a__sell", "b__sell"]
        uris = [resource["uri"] for resource in client.list_resources()]
        assert uris == ["shop://terms", "shop://late"]
        assert [it["uriTemplate"] for it in client.list_templates()] == ["stock://{item}"]
        assert client.read("stock://tea").text == "3 tea"
        assert client.complete("stock://{item}", "item").values == ["tea"]
        shop.add_resource("shop://late", "Later.", replace=True)
        assert client.read("shop://late").text == "Later."
        shop.remove_resource("shop://late")
        shop.remove_resource("stock://{item}")
        assert len(client.list_resources()) == 1
        assert client.list_templates() == []


def test_a_mount_that_fails_leaves_the_one_before_it_alone(shop: Server) -> None:
    market = Server("market")
    market.mount("a", shop)
    market.tool("b__sell")(lambda: "mine")
    with pytest.raises(ExistsError, match="mount shop under another prefix"):
        market.mount("b", shop)
    with Client(market) as client:
        assert len(client.list_resources()) == 1
        assert client.read("stock://tea").text == "3 tea"


def test_two_servers_with_one_uri_are_not_mounted_in_one(mall: Server) -> None:
    rival = Server("rival")
    rival.add_resource("shop://terms", "Others.")
    with pytest.raises(ExistsError, match="'shop://terms' already at mall; URIs stay the same"):
        mall.mount("rival", rival)
    with Client(mall) as client:
        assert client.read("shop://terms").text == "None."


def test_handlers_keep_their_own_state_and_server(mall: Server, shop: Server) -> None:
    @shop.tool
    def whose(ctx: Context) -> str:
        return f"{ctx.state} {ctx.server.name} {ctx.name}"

    @mall.tool
    def own(ctx: Context) -> str:
        return f"{ctx.state} {ctx.server.name} {ctx.name}"

    with Client(mall) as client:
        assert client.call("shop__whose").text == "the shop's shop shop__whose"
        assert client.call("own").text == "the mall's mall own"
    with Client(mall, state="the connection's") as client:
        assert client.call("shop__whose").text == "the connection's shop shop__whose"


def test_middleware_of_the_outer_server_is_around_that_of_the_inner_one(
    mall: Server, shop: Server
) -> None:
    path: list[str] = []

    def layer(name: str) -> Any:
        def run(request: Any, call_next: Any) -> Any:
            path.append(f"{name} {request.name}")
            return call_next()

        return around_handlers(run)

    shop.middleware(layer("shop"))
    mall.middleware(layer("mall"))
    with Client(mall) as client:
        client.call("shop__sell", amount=1)
        assert path == ["mall shop__sell", "shop shop__sell"]
    path.clear()
    with Client(shop) as client:
        client.call("sell", amount=1)
    assert path == ["shop sell"]


def test_middleware_of_all_servers_is_around_what_is_mounted_deeply(
    mall: Server, shop: Server
) -> None:
    city = Server("city")
    path: list[str] = []

    def layer(name: str) -> Any:
        def run(request: Any, call_next: Any) -> Any:
            path.append(name)
            return call_next()

        return around_handlers(run)

    mall.middleware(layer("mall"))
    city.mount("mall", mall)
    shop.middleware(layer("shop"))
    city.middleware(layer("city"))
    with Client(city) as client:
        client.call("mall__shop__sell", amount=1)
    assert path == ["city", "mall", "shop"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_handlers_of_a_mounted_server_can_ask(
    mall: Server, shop: Server, era: str, kind: str
) -> None:
    if kind == "sync":

        @shop.tool
        def ask(ctx: Context) -> str:
            return ctx.elicit("Which?", str).data

    else:

        @shop.tool("ask")
        async def ask_later(ctx: Context) -> str:
            return (await ctx.elicit("Which?", str)).data

    with Client(mall, era=era, on_elicit="tea") as client:
        assert client.call("shop__ask").text == "tea"


def test_a_name_that_is_taken_is_refused(mall: Server, shop: Server) -> None:
    mall.tool("shop__late")(lambda: "mine")
    with pytest.raises(ExistsError):
        shop.tool("late")(lambda: "theirs")
    with pytest.raises(ExistsError):
        mall.mount("shop", shop)
    with Client(mall) as client:
        assert client.call("shop__late").text == "mine"
        assert client.call("shop__sell", amount=1).text == "2"
    # Nobody has it half: what could not be offered everywhere is offered nowhere.
    assert names(shop) == ["sell"]
    assert list(shop.tools) == ["sell"]
    shop.tool("other")(lambda: "other")
    assert names(mall) == ["shop__sell", "shop__late", "shop__other"]


def test_a_server_is_not_mounted_in_itself(mall: Server, shop: Server) -> None:
    with pytest.raises(MisuseError, match="in itself"):
        mall.mount("again", mall)
    with pytest.raises(MisuseError, match="in itself"):
        shop.mount("around", mall)
    assert names(shop) == ["sell"]


def test_completions_of_a_mounted_server_are_offered(mall: Server, shop: Server) -> None:
    @shop.completion("pitch", "product")
    def products(value: str) -> list[str]:
        return [value + "1"]

    @shop.completion("stock://{item}", "item")
    def items(value: str) -> list[str]:
        return [value + "2"]

    other = Server("other")
    other.mount("s", shop)
    for server, prefix in ((mall, "shop"), (other, "s")):
        with Client(server) as client:
            assert client.complete(f"{prefix}__pitch", "product", "t").values == ["t1"]
            assert client.complete("stock://{item}", "item", "p").values == ["p2"]


def test_what_the_outer_server_has_removed_itself_is_removed_without_complaint(
    mall: Server, shop: Server
) -> None:
    mall.remove_tool("shop__sell")
    assert names(mall) == []
    shop.remove_tool("sell")
    assert (shop.tools, mall.tools) == ({}, {})
