"""Asking the client from a handler, of either kind, in either era."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, Literal, TypedDict

import pydantic
import pytest

from mcplite import Context, Elicited, McpError, Server, ToolError
from mcplite.testing import Client
from stage_support import ERAS, KINDS, asking_tool


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Address:
    street: str
    number: int = 1


class Size(TypedDict):
    width: int


class Person(pydantic.BaseModel):
    name: str
    age: int = pydantic.Field(ge=0)


RAW = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}


FORMS: list[Any] = [
    pytest.param(str, "Ada", "Ada", id="str"),
    pytest.param(int, 7, 7, id="int"),
    pytest.param(float, 1.5, 1.5, id="float"),
    pytest.param(bool, True, True, id="bool"),
    pytest.param(Literal["a", "b"], "b", "b", id="Literal"),
    pytest.param(Colour, "blue", Colour.BLUE, id="Enum"),
    pytest.param(Address, {"street": "Main", "number": 2}, Address("Main", 2), id="dataclass"),
    pytest.param(Address, {"street": "Main"}, Address("Main"), id="default"),
    pytest.param(Size, {"width": 3}, {"width": 3}, id="TypedDict"),
    pytest.param(Person, {"name": "A", "age": 3}, Person(name="A", age=3), id="pydantic"),
    pytest.param(RAW, {"n": 2}, {"n": 2}, id="schema"),
]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("form", "answer", "expected"), FORMS)
def test_a_form_gives_what_it_asks_for(
    era: str, kind: str, form: Any, answer: Any, expected: Any
) -> None:
    server = Server("s")
    given: list[Any] = []

    def check(said: Any) -> None:
        assert said.accepted
        assert said
        assert said.action == "accept"
        given.append(said.data)

    if kind == "sync":

        @server.tool
        def ask(ctx: Context) -> None:
            assert ctx.can_elicit()
            check(ctx.elicit("Well?", form))

    else:

        @server.tool("ask")
        async def ask_later(ctx: Context) -> None:
            check(await ctx.elicit("Well?", form))

    def reply(params: dict[str, Any]) -> Any:
        assert params["message"] == "Well?"
        schema = params["requestedSchema"]
        assert schema["type"] == "object"
        for field in schema["properties"].values():
            assert field["type"] in ("string", "integer", "number", "boolean")
        return answer

    with Client(server, era=era, on_elicit=reply) as client:
        client.call("ask")
    assert given == [expected]
    assert type(given[0]) is type(expected)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_user_need_not_answer(era: str, kind: str, action: str) -> None:
    server = Server("s")

    def look(answer: Any) -> str:
        assert not answer
        assert not answer.accepted
        match answer:
            case Elicited("decline" | "cancel" as said, None):
                return said
        raise AssertionError(answer)

    if kind == "sync":

        @server.tool
        def ask(ctx: Context) -> str:
            return look(ctx.elicit("Well?", str))

    else:

        @server.tool("ask")
        async def ask_later(ctx: Context) -> str:
            return look(await ctx.elicit("Well?", str))

    with Client(server, era=era, on_elicit=action) as client:
        assert client.call("ask").text == action


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_visited_and_done_with(era: str, kind: str) -> None:
    server = Server("s")
    asking_tool(server, kind, lambda ctx: ctx.elicit_url("Pay.", "https://example.com/p", "e1"))
    asked: list[Any] = []

    def visit(params: Any) -> bool:
        asked.append(params)
        return True

    with Client(server, era=era, on_elicit=visit) as client:
        assert client.call("ask").text == "Elicited({'action': 'accept'})"
        if era == "legacy":
            server.notify_elicited("e1")
            told = client.wait_for("notifications/elicitation/complete")
            assert told == {"elicitationId": "e1"}
    [params] = asked
    assert (params["mode"], params["url"]) == ("url", "https://example.com/p")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_model_of_the_client_is_asked(era: str, kind: str) -> None:
    server = Server("s")
    asked: list[Any] = []

    def ask(ctx: Context) -> Any:
        assert ctx.can_sample()
        return ctx.sample(
            ["Hello?", "Anybody?"], system="Be brief.", max_tokens=5, temperature=0.5, stop=["."]
        )

    asking_tool(server, kind, ask)

    def think(params: Any) -> dict[str, Any]:
        asked.append(params)
        content = {"type": "text", "text": "Yes"}
        return {"role": "assistant", "content": content, "model": "m", "stopReason": "endTurn"}

    with Client(server, era=era, on_sample=think) as client:
        assert "'text': 'Yes'" in client.call("ask").text
    [params] = asked
    assert [message["content"]["text"] for message in params["messages"]] == ["Hello?", "Anybody?"]
    assert (params["systemPrompt"], params["maxTokens"]) == ("Be brief.", 5)
    assert (params["temperature"], params["stopSequences"]) == (0.5, ["."])


@pytest.mark.parametrize("era", ERAS)
def test_samples_and_roots_are_read_as_what_they_are(era: str) -> None:
    server = Server("s")

    @server.tool
    def look(ctx: Context) -> dict[str, Any]:
        roots = ctx.roots()
        sampled = ctx.sample("?")
        return {
            "sampled": [sampled.text, str(sampled), sampled.model, sampled.stop_reason],
            "roots": [roots.uris, len(roots), [root["name"] for root in roots]],
        }

    root = {"uri": "file:///a", "name": "a"}
    with Client(server, era=era, on_sample="hi", on_roots=[root]) as client:
        assert client.call("look").data == {
            "sampled": ["hi", "hi", "test", "endTurn"],
            "roots": [["file:///a"], 1, ["a"]],
        }


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_that_does_not_fit_is_asked_for_again(era: str, kind: str) -> None:
    server = Server("s")
    asking_tool(server, kind, lambda ctx: ctx.elicit("How many?", RAW))
    answers = iter([{"n": "many"}, {"n": 0}, {"n": 3}])
    with Client(server, era=era, on_elicit=lambda _: next(answers)) as client:
        assert "'n': 3" in client.call("ask").text
    assert list(answers) == []


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_client_without_the_capability_is_told_so(era: str, kind: str) -> None:
    server = Server("s")
    asking_tool(server, kind, lambda ctx: ctx.elicit("Well?", str))

    @server.tool
    def look(ctx: Context) -> list[bool]:
        return [
            ctx.can_elicit(),
            ctx.can_elicit("url"),
            ctx.can_sample(),
            ctx.can_list_roots(),
        ]

    with Client(server, era=era) as client:
        assert client.call("look").data == [False] * 4
        with pytest.raises(McpError, match="elicitation"):
            client.call("ask")
    with Client(server, era=era, capabilities={"elicitation": {}, "roots": {}}) as client:
        assert client.call("look").data == [True, False, False, True]


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_that_refuses_to_answer_fails_the_call(kind: str) -> None:
    server = Server("s")
    asking_tool(server, kind, lambda ctx: ctx.elicit("Well?", str))

    def refuse(params: Any) -> None:
        raise McpError(-1, "not now")

    with Client(server, era="legacy", on_elicit=refuse) as client:
        with pytest.raises(McpError, match="not now"):
            client.call("ask")


def test_an_answer_says_when_it_was_not_awaited() -> None:
    server = Server("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        answer = ctx.elicit("Well?", str)
        assert repr(answer) == "Elicited('not answered yet')"
        return answer.data

    with Client(server, on_elicit="x") as client, pytest.raises(ToolError, match="write `await`"):
        client.call("ask")
