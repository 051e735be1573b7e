"""The API as users write it, for a type checker to read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, TypedDict, assert_type

import mcplite
from mcplite import (
    Completion,
    Context,
    Elicited,
    ErrorCode,
    Image,
    McpError,
    MemoryTransport,
    Message,
    PromptResult,
    ResourceLink,
    Roots,
    Sampled,
    Server,
    Session,
    Text,
    ToolError,
    ToolResult,
    is_notification,
    make_error,
    make_result,
)
from mcplite.errors import ExistsError, MisuseError
from mcplite.testing import AsyncClient, CallResult, Client, PromptMessages, ReadResult

server = Server(
    "demo",
    version="1.0",
    instructions="Be kind.",
    workers=4,
    timeout=2.5,
    coerce=True,
    errors="classic",
    limits={"message_bytes": 1_000_000},
    state={"any": "thing"},
)


class Colour(Enum):
    RED = "red"


@dataclass
class Address:
    street: str


class Size(TypedDict):
    width: int


@server.tool
def add(a: int, b: int = 2) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(title="Subtracts", annotations={"readOnlyHint": True}, timeout=1.0, coerce=False)
def subtract(a: int, b: int) -> int:
    return a - b


@server.tool("renamed")
async def fetch(ctx: Context, url: str) -> list[str]:
    ctx.progress(1, 2, "half")
    ctx.log("info", {"any": ["thing"]}, logger="mine")
    await asyncio.sleep(0)
    return [url]


# A decorated function keeps its type.
assert_type(add(1), int)
assert_type(subtract(1, 2), int)
added: Callable[[int, int], int] = add
fetched: Callable[[Context, str], Awaitable[list[str]]] = fetch


@server.tool
def ask(ctx: Context) -> str:
    text = ctx.elicit("Text?", str)
    assert_type(text, Elicited[str])
    assert_type(text.data, str)
    assert_type(text.accepted, bool)
    assert_type(text.action, str)
    assert_type(ctx.elicit("x", int).data, int)
    assert_type(ctx.elicit("x", bool).data, bool)
    assert_type(ctx.elicit("x", Colour).data, Colour)
    assert_type(ctx.elicit("x", Address).data, Address)
    assert_type(ctx.elicit("x", Size).data, Size)
    assert_type(ctx.elicit("x", {"type": "object"}).data, dict[str, Any])
    assert_type(ctx.elicit("x", str, key="again").data, str)
    assert_type(ctx.elicit("x").data, str)
    assert_type(ctx.elicit("x", Literal["a", "b"]).data, Any)
    assert_type(ctx.elicit("x", Annotated[int, "how many"]).data, Any)
    assert_type(ctx.elicit_url("Pay.", "https://example.com"), Elicited[None])
    assert_type(ctx.sample("Hello?", max_tokens=5, system="Be brief."), Sampled)
    assert_type(ctx.sample("Hello?").text, str)
    assert_type(ctx.roots(), Roots)
    assert_type(ctx.roots().uris, list[str])
    assert_type(ctx.once("key", len, "text"), int)
    with ctx.together():
        first = ctx.elicit("First?", str)
        second = ctx.elicit("Second?", int)
    return first.data * second.data


@server.tool
async def ask_later(ctx: Context) -> str:
    answer = await ctx.elicit("Text?", str)
    assert_type(answer, Elicited[str])
    number, flag = await asyncio.gather(ctx.elicit("n", int), ctx.elicit("f", bool))
    assert_type(number.data, int)
    assert_type(flag.data, bool)
    sampled = await ctx.sample([Message("user", "Hi"), "Hello?"])
    assert_type(sampled, Sampled)
    roots = await ctx.roots()
    assert_type([root["uri"] for root in roots], list[Any])

    async def charge(amount: int) -> str:
        return f"receipt for {amount}"

    receipt = await ctx.once("charge", charge, 5)
    assert_type(receipt, str)
    return answer.data if answer else receipt


@server.tool
def look(ctx: Context) -> dict[str, Any]:
    assert_type(ctx.request_id, str | int | float | None)
    assert_type(ctx.headers, dict[str, str])
    assert_type(ctx.principal, str | None)
    assert_type(ctx.cancelled, bool)
    assert_type(ctx.client_info, dict[str, Any])
    assert_type(ctx.server, Server)
    return ctx.meta


@server.tool
def rich() -> ToolResult:
    image, link = Image(b"x", mime_type="image/png"), ResourceLink("file:///a", "a")
    return ToolResult(["hi", Text("ho"), image, link], structured={"a": 1})


@server.resource("cfg://{key}", mime_type="application/json")
def config(key: str) -> dict[str, str]:
    return {"key": key}


server.add_resource("doc:readme", "Read me.", title="The readme")


@server.prompt
def review(code: str) -> str:
    return code


@server.prompt("other", title="Other")
def review_later(code: str, strict: bool = False) -> PromptResult:
    return PromptResult([Message("user", code)], description="x")


@server.completion("review", "code")
def complete(value: str, arguments: dict[str, str]) -> list[str]:
    return [value]


@server.completion("cfg://{key}", "key", replace=True)
async def complete_later(value: str) -> Completion:
    return Completion([value], total=1, has_more=False)


@server.on("my/method")
def mine(params: dict[str, Any]) -> dict[str, Any]:
    return params


assert_type(mine({}), dict[str, Any])
server.on("my/other", mine)


@server.middleware
def timed(request: Any, call_next: Callable[[], Any]) -> Any:
    return call_next()


@server.observer
def watch(event: dict[str, Any]) -> None:
    print(event["event"])


@server.on_error
def rewrite(error: dict[str, Any]) -> dict[str, Any] | None:
    return None


def fail() -> None:
    raise ToolError("it broke", {"at": 7})


def refuse() -> None:
    raise McpError(ErrorCode.INVALID_PARAMS, "no", data=[1])


try:
    server.tool("add", replace=False)(add)
except ExistsError as error:
    assert_type(error.code, int)
    assert_type(error.message, str)
    assert isinstance(error, MisuseError)

inner = Server("inner")
server.mount("inner", inner)
server.remove_tool("renamed")
server.notify_updated("cfg://a")
assert_type(server.tools["add"].name, str)
assert_type(server.tools["add"].definition, dict[str, Any])

session = server.session(state=1, principal="ada")
assert_type(session, Session)
assert_type(session.handle(b"{}"), bytes | None)
assert_type(session.handle(bytearray(b"{}")), bytes | None)
assert_type(session.receive(memoryview(b"{}\n")), bytes)
assert_type(session.poll(), bytes | None)
assert_type(session.wait(0.1), bool)
session.set_wake(lambda: None)

assert_type(make_result(1, {}), dict[str, Any])
assert_type(make_error(1, -1, "no"), dict[str, Any])
assert_type(is_notification({}), bool)
assert_type(mcplite.__version__, str)
assert_type(mcplite.PROTOCOL_VERSIONS, tuple[str, ...])

server.start(MemoryTransport())
server.stop()

with Client(server, era="legacy", on_elicit={"a": 1}) as client:
    assert_type(client, Client)
    assert_type(client.call("add", a=1), CallResult)
    assert_type(client.call("add", a=1).text, str)
    assert_type(client.read("cfg://a"), ReadResult)
    assert_type(client.get_prompt("review", code="x"), PromptMessages)
    assert_type(client.complete("review", "code").values, list[str])
    assert_type(client.list_tools(), list[dict[str, Any]])


async def main() -> None:
    async with AsyncClient(server) as later:
        assert_type(later, AsyncClient)
        assert_type(await later.call("add", a=1), CallResult)
    await server.serve_stdio(workers=0)
    await server.serve_http("127.0.0.1", 0, on_listening=print)


def run() -> None:
    server.run(grace=1.0)
    server.run_http(port=0, allowed_hosts=["example.com"])
    server.asgi("/mcp")
    server.wsgi()
    server.shutdown()
    server.close()
