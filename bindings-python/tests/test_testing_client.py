"""The client for tests, in every revision."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from client_support import ERAS, REVISIONS, everything
from mcplite import Context, Server
from mcplite.content import ToolResult
from mcplite.errors import (
    ErrorCode,
    McpError,
    MisuseError,
    ToolError,
)
from mcplite.testing import AsyncClient, Client


@pytest.fixture
def server() -> Server:
    return everything()


@pytest.fixture(params=REVISIONS)
def client(request: pytest.FixtureRequest, server: Server) -> Iterator[Client]:
    with Client(server, era=request.param) as client:
        yield client


def test_the_client_gets_to_know_the_server(client: Client) -> None:
    assert client.server_info["name"] == "tested"
    assert client.server_info["version"] == "2.1"
    assert client.instructions == "Be kind."
    assert "tools" in client.server_capabilities


def test_eras_stand_for_their_newest_revision(server: Server) -> None:
    assert Client(server).revision == "2026-07-28"
    assert Client(server, era="legacy").revision == "2025-11-25"
    assert Client(server, era="2024-11-05").revision == "2024-11-05"
    with pytest.raises(MisuseError, match="not 'newest'"):
        Client(server, era="newest")


def test_a_revision_that_the_server_does_not_serve_is_refused() -> None:
    server = Server("s", revisions=["2025-11-25"])
    with pytest.raises(McpError) as caught:
        Client(server, era="2025-06-18").ping()
    assert caught.value.code == ErrorCode.UNSUPPORTED_VERSION


def test_tools_are_called(client: Client) -> None:
    result = client.call("add", a=1)
    assert result.text == "3"
    assert not result.is_error
    assert result.content == [{"type": "text", "text": "3"}]
    assert result.raw["content"] == result.content
    assert client.call_tool("add", {"a": 1, "b": 1}).text == "2"


def test_structured_content_is_unwrapped(server: Server) -> None:
    with Client(server) as client:
        result = client.call("add", a=1)
    assert result.structured == {"result": 3}
    assert result.data == 3


def test_async_tools_are_called(client: Client) -> None:
    assert client.call("later", text="hi").text == "hi"


def test_a_tool_that_fails_raises(client: Client) -> None:
    with pytest.raises(ToolError, match="it broke"):
        client.call("fail")


def test_a_tool_that_fails_is_a_result_if_that_is_wanted(server: Server) -> None:
    with Client(server, raise_on_error=False) as client:
        result = client.call("fail")
        assert result.is_error
        assert result.text == "it broke"
        with pytest.raises(ToolError):
            client.call_tool("fail", raise_on_error=True)


def test_errors_of_the_protocol_are_raised(client: Client) -> None:
    with pytest.raises(McpError) as caught:
        client.call("nothing")
    assert caught.value.code == ErrorCode.INVALID_PARAMS
    assert "nothing" in caught.value.message
    with pytest.raises(McpError) as caught:
        client.request("no/such")
    assert caught.value.code == ErrorCode.METHOD_NOT_FOUND


@pytest.mark.parametrize("era", ERAS)
def test_lists_are_read_to_the_end(era: str) -> None:
    server = Server("s", page_size=2)
    for number in range(5):
        server.tool(f"tool{number}")(lambda: None)
        server.prompt(f"prompt{number}")(lambda: "")
        server.resource(f"a:{number}")(lambda: "")
        server.resource(f"a{number}:{{x}}")(lambda x: "")
    with Client(server, era=era) as client:
        assert [tool["name"] for tool in client.list_tools()] == [f"tool{n}" for n in range(5)]
        assert len(client.list_prompts()) == 5
        assert [item["uri"] for item in client.list_resources()] == [f"a:{n}" for n in range(5)]
        templates = [item["uriTemplate"] for item in client.list_templates()]
        assert templates == [f"a{n}:{{x}}" for n in range(5)]


def test_resources_are_read(client: Client) -> None:
    result = client.read("cfg://main")
    assert (result.text, result.mime_type, result.data) == ("on", "text/plain", b"on")
    assert client.read("raw://x").data == b"\xffx"
    with pytest.raises(McpError):
        client.read("cfg://none")


def test_prompts_are_got(client: Client) -> None:
    result = client.get_prompt("greet", name="Ada")
    assert result.text == "Hello, Ada!"
    assert result.messages[0]["role"] == "user"


def test_arguments_of_prompts_are_texts(server: Server) -> None:
    with Client(server) as client:
        assert client.get_prompt("greet", name=[1]).text == "Hello, [1]!"


def test_arguments_are_completed(client: Client) -> None:
    assert client.complete("greet", "name", "A").values == ["Ada", "Alan"]
    assert client.complete("raw://{name}", "name", context={"a": "b"}).values == ["file"]


def test_the_server_is_there(client: Client) -> None:
    client.ping()


def test_own_methods_are_called(client: Client) -> None:
    assert client.request("my/method", {"a": 1})["got"] == 1


@pytest.mark.parametrize("era", REVISIONS)
def test_progress_and_logs_are_heard(server: Server, era: str) -> None:
    steps: list[Any] = []
    lines: list[Any] = []
    with Client(
        server,
        era=era,
        on_progress=lambda *step: steps.append(step),
        on_log=lambda *line: lines.append(line),
    ) as client:
        client.call("work")
        assert [step["progress"] for step in client.progress] == [1, 2]
        assert client.logs == [{"level": "info", "data": {"step": 1}, "logger": "worker"}]
        methods = [note["method"] for note in client.notifications]
    assert methods == ["notifications/progress"] * 2 + ["notifications/message"]
    assert [step[:2] for step in steps] == [(1, 2), (2, 2)]
    assert lines == [("info", {"step": 1}, "worker")]


@pytest.mark.parametrize("era", ERAS)
def test_the_level_of_logs_can_be_set(server: Server, era: str) -> None:
    with Client(server, era=era, log_level="error") as client:
        client.call("work")
        assert client.logs == []
        client.set_log_level("info")
        client.call("work")
        assert len(client.logs) == 1


@pytest.mark.parametrize("era", ERAS)
def test_what_on_log_raises_is_raised_by_the_call(server: Server, era: str) -> None:
    def check(*_: object) -> None:
        raise AssertionError("not this")

    with Client(server, era=era, on_log=check) as client:
        with pytest.raises(AssertionError, match="not this"):
            client.call("work")
        assert client.call("add", a=1).text == "3"


@pytest.mark.parametrize("era", ERAS)
def test_handlers_see_principal_and_state(server: Server, era: str) -> None:
    with Client(server, era=era, principal="ada", state=7) as client:
        assert client.call("who").text == "ada 7"


@pytest.mark.parametrize("era", ERAS)
def test_changes_are_heard(server: Server, era: str) -> None:
    with Client(server, era=era) as client:
        listening = client.listen(tools=True, uris=["cfg://main"])
        assert listening.accepted == {
            "toolsListChanged": True,
            "resourceSubscriptions": ["cfg://main"],
        }
        server.notify_updated("cfg://main")
        assert client.wait_for("notifications/resources/updated")["uri"] == "cfg://main"
        server.remove_tool("add")
        client.wait_for("notifications/tools/list_changed")
        client.unlisten(listening)
        server.notify_updated("cfg://main")
        client.ping()
        heard = [note["method"] for note in client.notifications]
        assert heard.count("notifications/resources/updated") == 1


def test_a_refused_subscription_is_an_error(server: Server) -> None:
    with Client(server, era="legacy") as client, pytest.raises(McpError):
        client.listen(uris=["cfg://none"])


def test_each_notification_is_waited_for_once(server: Server) -> None:
    with Client(server, timeout=0.01) as client:
        client.call("work")
        assert client.wait_for("notifications/progress")["progress"] == 1
        assert client.wait_for("notifications/progress")["progress"] == 2
        with pytest.raises(TimeoutError, match="notifications/progress"):
            client.wait_for("notifications/progress")


def test_the_meta_of_a_call_and_of_its_result_can_be_seen() -> None:
    server = Server("s")

    @server.tool
    def echo(ctx: Context) -> ToolResult:
        return ToolResult("", meta={"my/own": ctx.meta["my/key"]})

    for era in ERAS:
        with Client(server, era=era) as client:
            result = client.call_tool("echo", meta={"my/key": 7})
        assert result.meta["my/own"] == 7
        assert repr(result).startswith("CallResult({'content'")


def test_a_plain_client_on_a_loop_says_why_nothing_happens(server: Server) -> None:
    async def main() -> None:
        with Client(server, timeout=0.01) as client, pytest.raises(TimeoutError) as caught:
            client.call("later", text="never")
        assert any("AsyncClient" in note for note in caught.value.__notes__)

    asyncio.run(main())


@pytest.mark.parametrize("era", REVISIONS)
def test_the_other_client_does_the_same_on_a_loop(server: Server, era: str) -> None:
    async def main() -> None:
        async with AsyncClient(server, era=era) as client:
            assert client.server_info["name"] == "tested"
            assert (await client.call("add", a=1)).text == "3"
            assert (await client.call("later", text="hi")).text == "hi"
            with pytest.raises(ToolError, match="it broke"):
                await client.call("fail")
            with pytest.raises(McpError):
                await client.request("no/such")
            assert len(await client.list_tools()) == 5
            assert len(await client.list_resources()) == 1
            assert len(await client.list_templates()) == 1
            assert len(await client.list_prompts()) == 1
            assert (await client.read("cfg://main")).text == "on"
            assert (await client.get_prompt("greet", name="Ada")).text == "Hello, Ada!"
            assert (await client.complete("greet", "name", "G")).values == ["Grace"]
            await client.ping()
            assert (await client.request("my/method", {"a": 1}))["got"] == 1
            await client.set_log_level("debug")
            await client.call("work")
            assert len(client.progress) == 2
            assert len(client.logs) == 1
            listening = await client.listen(tools=True, uris=["cfg://main"])
            server.notify_updated("cfg://main")
            updated = await client.wait_for("notifications/resources/updated")
            assert updated["uri"] == "cfg://main"
            await client.unlisten(listening)
            await client.notify("notifications/mine", {"a": 1})

    asyncio.run(main())


def test_many_calls_are_under_way_at_once(server: Server) -> None:
    async def main() -> None:
        arrived = 0
        everybody = asyncio.Event()

        @server.tool
        async def meet() -> str:
            nonlocal arrived
            arrived += 1
            if arrived == 10:
                everybody.set()
            await everybody.wait()
            return "met"

        async with AsyncClient(server) as client:
            results = await asyncio.gather(*(client.call("meet") for _ in range(10)))
        assert [result.text for result in results] == ["met"] * 10

    asyncio.run(main())


def test_the_plain_client_needs_no_event_loop() -> None:
    import subprocess
    import sys

    code = (
        "import sys\n"
        "from mcplite import Server\n"
        "from mcplite.testing import Client\n"
        "server = Server('s')\n"
        "@server.tool\n"
        "def add(a: int, b: int) -> int:\n"
        "    return a + b\n"
        "with Client(server) as client:\n"
        "    print(client.call('add', a=1, b=2).data)\n"
        "print('asyncio' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "3\nFalse\n"
