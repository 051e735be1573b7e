"""How questions are put to the client, how long, and how they end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mcplite import Context, Server, ToolError
from mcplite.testing import AsyncClient, Client
from stage_support import ERAS, KINDS, asking_tool


def test_a_suspended_coroutine_goes_on_where_it_was_in_the_legacy_era() -> None:
    server = Server("s")
    runs = asking_tool(server, "async", lambda ctx: ctx.elicit("Well?", str))
    with Client(server, era="legacy", on_elicit="x") as client:
        client.call("ask")
    assert runs == ["before", "after"]


@pytest.mark.parametrize(
    ("kind", "era"), [("sync", "legacy"), ("sync", "modern"), ("async", "modern")]
)
def test_a_handler_that_cannot_be_suspended_runs_again(kind: str, era: str) -> None:
    server = Server("s")
    runs = asking_tool(server, kind, lambda ctx: ctx.elicit("Well?", str))
    with Client(server, era=era, on_elicit="x") as client:
        client.call("ask")
    assert runs == ["before", "before", "after"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
def test_several_questions_are_answered_one_after_the_other(era: str, kind: str) -> None:
    server = Server("s")
    if kind == "sync":

        @server.tool
        def ask(ctx: Context) -> str:
            first = ctx.elicit("First?", str).data
            second = ctx.elicit(f"After {first}?", str).data
            third = ctx.elicit("Third?", str, key="last").data
            return f"{first} {second} {third}"

    else:

        @server.tool("ask")
        async def ask_later(ctx: Context) -> str:
            first = (await ctx.elicit("First?", str)).data
            second = (await ctx.elicit(f"After {first}?", str)).data
            third = (await ctx.elicit("Third?", str, key="last")).data
            return f"{first} {second} {third}"

    answers = {"First?": "a", "After a?": "b", "Third?": "c"}
    with Client(server, era=era, on_elicit=lambda params: answers[params["message"]]) as client:
        assert client.call("ask").text == "a b c"


@pytest.mark.parametrize("era", ERAS)
def test_questions_together_are_asked_at_once(era: str) -> None:
    server = Server("s")
    runs: list[str] = []

    @server.tool
    def ask(ctx: Context) -> str:
        runs.append("run")
        with ctx.together():
            first = ctx.elicit("First?", str)
            second = ctx.elicit("Second?", str)
        return f"{first.data} {second.data}"

    with Client(server, era=era, on_elicit=lambda params: params["message"]) as client:
        assert client.call("ask").text == "First? Second?"
    assert runs == ["run", "run"]


def test_what_is_raised_in_a_block_of_questions_is_raised() -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        with ctx.together():
            answer = ctx.elicit("First?", str)
            answer.data  # noqa: B018 - there is none yet.
        return "never"

    with Client(server, on_elicit="x") as client, pytest.raises(ToolError, match="not answered"):
        client.call("ask")


@pytest.mark.parametrize("era", ERAS)
def test_questions_can_be_gathered(era: str) -> None:
    server = Server("s")
    runs: list[str] = []

    @server.tool
    async def ask(ctx: Context) -> str:
        runs.append("run")
        first, second = await asyncio.gather(ctx.elicit("First?", str), ctx.elicit("Second?", str))
        third = await ctx.elicit("Third?", str)
        return f"{first.data} {second.data} {third.data}"

    with Client(server, era=era, on_elicit=lambda params: params["message"]) as client:
        assert client.call("ask").text == "First? Second? Third?"
    assert len(runs) == (1 if era == "legacy" else 3)


def test_both_of_two_gathered_questions_are_under_way_at_the_same_time() -> None:
    server = Server("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        first, second = await asyncio.gather(ctx.elicit("First?", str), ctx.elicit("Second?", str))
        return f"{first.data} {second.data}"

    async def main() -> None:
        waiting: list[str] = []
        both = asyncio.Event()

        async def reply(params: Any) -> str:
            waiting.append(params["message"])
            if len(waiting) == 2:
                both.set()
            await both.wait()
            return str(params["message"])

        async with AsyncClient(server, era="legacy", on_elicit=reply) as client:
            assert (await client.call("ask")).text == "First? Second?"

    asyncio.run(main())


@pytest.mark.parametrize("era", ERAS)
def test_questions_can_be_asked_in_a_group_of_tasks(era: str) -> None:
    server = Server("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        async def one(message: str) -> str:
            return (await ctx.elicit(message, str, key=message)).data

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(message)) for message in ("First?", "Second?")]
        return " ".join(task.result() for task in tasks)

    with Client(server, era=era, on_elicit=lambda params: params["message"]) as client:
        assert client.call("ask").text == "First? Second?"
