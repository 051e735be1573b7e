"""How the client for tests answers questions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from client_support import ERAS, REVISIONS, inquisitive
from mcplite import Server
from mcplite.content import Text
from mcplite.errors import (
    McpError,
    ToolError,
)
from mcplite.testing import AsyncClient, Client


@pytest.fixture
def asking() -> Server:
    return inquisitive()


ELICITING = ["2025-06-18", "2025-11-25", "2026-07-28"]


@pytest.mark.parametrize("era", ELICITING)
@pytest.mark.parametrize("tool", ["form", "aform"])
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"name": "Ada"}, "accept {'name': 'Ada'}"),
        (lambda params: {"name": params["message"]}, "accept {'name': 'Who are you?'}"),
        ({"action": "accept", "content": {"name": "B"}}, "accept {'name': 'B'}"),
        ("decline", "decline None"),
        ("cancel", "cancel None"),
    ],
)
def test_forms_are_filled_in(
    asking: Server, era: str, tool: str, answer: Any, expected: str
) -> None:
    with Client(asking, era=era, on_elicit=answer) as client:
        assert client.call(tool).text == expected


@pytest.mark.parametrize("era", ELICITING)
def test_the_only_field_of_a_form_is_filled_in_with_a_value(asking: Server, era: str) -> None:
    answers = iter(["one", "two"])
    with Client(asking, era=era, on_elicit=lambda _: next(answers)) as client:
        assert client.call("twice").text == "one two"


@pytest.mark.parametrize("era", REVISIONS)
@pytest.mark.parametrize("answer", ["a cat", Text("a cat"), lambda params: "a cat"])
def test_samples_are_given(asking: Server, era: str, answer: Any) -> None:
    with Client(asking, era=era, on_sample=answer) as client:
        assert client.call("think").text == "a cat"


@pytest.mark.parametrize("era", REVISIONS)
@pytest.mark.parametrize("answer", [["file:///a"], lambda: [{"uri": "file:///a", "name": "a"}]])
def test_roots_are_given(asking: Server, era: str, answer: Any) -> None:
    with Client(asking, era=era, on_roots=answer) as client:
        assert client.call("where").text == "file:///a"


@pytest.mark.parametrize("era", REVISIONS)
def test_whole_answers_are_given_as_they_are(asking: Server, era: str) -> None:
    sample = {"role": "assistant", "content": {"type": "text", "text": "a dog"}, "model": "m"}
    roots = {"roots": [{"uri": "file:///b"}]}
    with Client(asking, era=era, on_sample=lambda _: sample, on_roots=lambda: roots) as client:
        assert client.call("think").text == "a dog"
        assert client.call("where").text == "file:///b"


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize(
    ("answer", "expected"),
    [(True, "accept"), (False, "decline"), ("accept", "accept"), ("cancel", "cancel")],
)
def test_pages_are_visited_or_not(asking: Server, era: str, answer: Any, expected: str) -> None:
    with Client(asking, era=era, on_elicit=answer) as client:
        assert client.call("page").text == expected


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
def test_several_blocks_are_a_sample_too(asking: Server, era: str) -> None:
    blocks = [{"type": "text", "text": "a "}, {"type": "text", "text": "cat"}]
    with Client(asking, era=era, on_sample=lambda _: blocks) as client:
        assert client.call("think").text == "a cat"


def test_a_legacy_client_may_refuse_to_answer(asking: Server) -> None:
    def refuse(params: Any) -> None:
        raise McpError(-1, "not now")

    with Client(asking, era="legacy", on_elicit=refuse) as client:
        with pytest.raises(ToolError, match="not now"):
            client.call("form")
        assert client.call("plain").text == "still here"


@pytest.mark.parametrize("era", ERAS)
def test_a_client_without_answers_cannot_be_asked(asking: Server, era: str) -> None:
    with Client(asking, era=era) as client, pytest.raises(McpError, match="elicitation"):
        client.call("form")


@pytest.mark.parametrize("era", ERAS)
def test_capabilities_can_be_said_without_answers(asking: Server, era: str) -> None:
    can: dict[str, Any] = {"elicitation": {"form": {}}}
    with Client(asking, era=era, capabilities=can) as client, pytest.raises(McpError):
        client.call("form")


@pytest.mark.parametrize("era", ERAS)
def test_what_an_answer_raises_is_raised_by_the_call(asking: Server, era: str) -> None:
    def check(params: Any) -> None:
        raise AssertionError(params["message"])

    client = Client(asking, era=era, on_elicit=check)
    with client, pytest.raises(AssertionError, match="Who are you"):
        client.call("form")


@pytest.mark.parametrize("era", ERAS)
def test_answers_of_no_use_are_named(asking: Server, era: str) -> None:
    with Client(asking, era=era, on_elicit=7, on_sample=7, on_roots=7) as client:
        with pytest.raises(TypeError, match="fields"):
            client.call("form")
        with pytest.raises(TypeError, match="on_sample gives"):
            client.call("think")
        with pytest.raises(TypeError, match="on_roots gives"):
            client.call("where")


@pytest.mark.parametrize("era", ERAS)
def test_answers_of_a_plain_client_are_no_coroutines(asking: Server, era: str) -> None:
    async def answer(params: Any) -> str:
        return "decline"

    client = Client(asking, era=era, on_elicit=answer)
    with client, pytest.raises(TypeError, match="use AsyncClient"):
        client.call("form")


@pytest.mark.parametrize("era", ELICITING)
@pytest.mark.parametrize("tool", ["form", "aform"])
def test_answers_may_be_coroutines_on_a_loop(asking: Server, era: str, tool: str) -> None:
    async def answer(params: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"name": "Ada"}

    async def main() -> None:
        async with AsyncClient(asking, era=era, on_elicit=answer) as client:
            assert (await client.call(tool)).text == "accept {'name': 'Ada'}"

    asyncio.run(main())


@pytest.mark.parametrize("era", ERAS)
def test_what_an_answer_raises_on_a_loop_is_raised_by_the_call(asking: Server, era: str) -> None:
    async def check(params: Any) -> None:
        raise AssertionError("not this")

    async def main() -> None:
        async with AsyncClient(asking, era=era, on_elicit=check) as client:
            with pytest.raises(AssertionError, match="not this"):
                await client.call("form")

    asyncio.run(main())


def test_a_question_that_is_withdrawn_is_not_answered(asking: Server) -> None:
    asked: list[Any] = []

    async def main() -> None:
        waiting = asyncio.Event()

        async def answer(params: Any) -> str:
            asked.append(params)
            waiting.set()
            await asyncio.get_running_loop().create_future()
            return "never"

        async with AsyncClient(asking, era="legacy", on_elicit=answer) as client:
            task = asyncio.create_task(client.call("form"))
            await waiting.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            heard = await client.wait_for("notifications/cancelled")
            assert heard["requestId"] is not None
            assert (await client.call("plain")).text == "still here"

    asyncio.run(main())
    assert len(asked) == 1
