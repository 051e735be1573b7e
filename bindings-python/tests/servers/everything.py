"""Everything that a client may meet, written as `def` and as `async def`.

usage: everything.py [--http | --asgi]

It serves standard input and output, or HTTP with the listener of the engine or under uvicorn. Then
the first line of its output is its URL, and it ends when its input does.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from mcplite import (
    Assistant,
    Audio,
    Context,
    EmbeddedResource,
    Image,
    NotFoundError,
    ResourceLink,
    Server,
    Text,
    ToolError,
    User,
)
from mcplite.content import Content, Message

PNG = b"\x89PNG\r\n\x1a\n"
WAV = b"RIFF\x24\x00\x00\x00WAVE"

server = Server(
    "everything",
    "1.5",
    title="Everything",
    instructions="Ask for anything.",
    website_url="https://example.com/everything",
    icons=[{"src": "https://example.com/icon.svg", "mimeType": "image/svg+xml"}],
)


@dataclass
class Place:
    """Where something is."""

    city: str
    latitude: float
    tags: list[str]


@dataclass
class Person:
    """Who the user is."""

    name: str
    age: int = 30


@server.tool(title="Add", annotations={"readOnlyHint": True}, meta={"com.example/rank": 1})
def add(a: int, b: Annotated[int, "the second"] = 2) -> int:
    """Adds two numbers.

    Args:
        a: the first
    """
    return a + b


@server.tool(title="Add", annotations={"readOnlyHint": True}, meta={"com.example/rank": 1})
async def add_async(a: int, b: Annotated[int, "the second"] = 2) -> int:
    """Adds two numbers.

    Args:
        a: the first
    """
    return a + b


@server.tool
def locate(city: str, system: Literal["north", "south"] = "north") -> Place:
    """Tells where a city is."""
    return Place(city, 48.5 if system == "north" else -48.5, ["old", "big"])


@server.tool
async def locate_async(city: str, system: Literal["north", "south"] = "north") -> Place:
    """Tells where a city is."""
    return Place(city, 48.5 if system == "north" else -48.5, ["old", "big"])


def every_kind() -> list[Content]:
    return [
        Text("Look:", annotations={"audience": ["user"], "priority": 0.5}),
        Image(PNG),
        Audio(data=WAV, format="wav"),
        EmbeddedResource("file:///readme.txt", "Read me.", mime_type="text/plain"),
        ResourceLink("note://latest", description="the newest"),
    ]


@server.tool
def media() -> list[Content]:
    """Answers with a block of every kind."""
    return every_kind()


@server.tool
async def media_async() -> list[Content]:
    """Answers with a block of every kind."""
    return every_kind()


@server.tool
def fail(how: str) -> str:
    """Fails."""
    if how == "politely":
        raise ToolError("it broke")
    raise KeyError(how)


@server.tool
async def fail_async(how: str) -> str:
    """Fails."""
    if how == "politely":
        raise ToolError("it broke")
    raise KeyError(how)


@server.tool(timeout=0.05)
def sleep(ctx: Context) -> str:
    """Sleeps until its time is over."""
    while not ctx.cancelled:
        time.sleep(0.005)
    return "too late"


@server.tool(timeout=0.05)
async def sleep_async() -> str:
    """Sleeps until its time is over."""
    await asyncio.Event().wait()
    return "never"


@server.tool
def count(ctx: Context, to: int) -> str:
    """Counts, and tells how far it has come."""
    for number in range(1, to + 1):
        ctx.progress(number, to, f"number {number}")
    return "counted"


@server.tool
async def count_async(ctx: Context, to: int) -> str:
    """Counts, and tells how far it has come."""
    for number in range(1, to + 1):
        ctx.progress(number, to, f"number {number}")
        await asyncio.sleep(0)
    return "counted"


given_up: Counter[str] = Counter()
changed = threading.Condition()


def note_given_up(key: str) -> None:
    with changed:
        given_up[key] += 1
        changed.notify_all()


@server.tool
def wait(ctx: Context, key: str) -> str:
    """Waits until it is cancelled."""
    ctx.progress(0)
    while not ctx.cancelled:
        time.sleep(0.005)
    note_given_up(key)
    return "nobody reads this"


@server.tool
async def wait_async(ctx: Context, key: str) -> str:
    """Waits until it is cancelled."""
    ctx.progress(0)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        note_given_up(key)
        raise
    return "never"


@server.tool(timeout=20)
def until_given_up(key: str) -> str:
    """Answers when a call that waited under this key has been cancelled."""
    with changed:
        changed.wait_for(lambda: given_up[key] > 0, timeout=20)
        return f"{given_up[key]} given up"


@server.tool
def ask_name(ctx: Context) -> str:
    """Asks the user for a name."""
    answer = ctx.elicit("What is your name?", str)
    return f"Hello, {answer.data}!" if answer.accepted else f"no name: {answer.action}"


@server.tool
async def ask_name_async(ctx: Context) -> str:
    """Asks the user for a name."""
    answer = await ctx.elicit("What is your name?", str)
    return f"Hello, {answer.data}!" if answer.accepted else f"no name: {answer.action}"


@server.tool
def ask_person(ctx: Context) -> str:
    """Asks the user twice."""
    person = ctx.elicit("Who are you?", Person)
    sure = ctx.elicit(f"Are you really {person.data.name}?", bool)
    return f"{person.data.name}, {person.data.age}: {sure.data}"


@server.tool
async def ask_person_async(ctx: Context) -> str:
    """Asks the user twice."""
    person = await ctx.elicit("Who are you?", Person)
    sure = await ctx.elicit(f"Are you really {person.data.name}?", bool)
    return f"{person.data.name}, {person.data.age}: {sure.data}"


@server.tool
def ask_model(ctx: Context, what: str) -> str:
    """Asks the client's model."""
    return f"The model says: {ctx.sample(what, max_tokens=50, system='Be brief.')}"


@server.tool
async def ask_model_async(ctx: Context, what: str) -> str:
    """Asks the client's model."""
    return f"The model says: {await ctx.sample(what, max_tokens=50, system='Be brief.')}"


@server.tool
def ask_roots(ctx: Context) -> list[str]:
    """Asks which folders the client works on."""
    return ctx.roots().uris


@server.tool
async def ask_roots_async(ctx: Context) -> list[str]:
    """Asks which folders the client works on."""
    return (await ctx.roots()).uris


@server.tool
async def ask_all(ctx: Context) -> str:
    """Asks the user, the model and the client at once."""
    name, model, roots = await asyncio.gather(
        ctx.elicit("What is your name?", str), ctx.sample("Hello?"), ctx.roots()
    )
    return f"{name.data}, {model.text}, {len(roots)}"


@server.tool
def log(ctx: Context) -> str:
    """Logs at three levels."""
    ctx.debug("in detail")
    ctx.info("in general")
    ctx.log("warning", {"left": 3}, logger="tank")
    return "logged"


@server.tool
async def log_async(ctx: Context) -> str:
    """Logs at three levels."""
    ctx.debug("in detail")
    ctx.info("in general")
    ctx.log("warning", {"left": 3}, logger="tank")
    return "logged"


@server.tool
def who(ctx: Context) -> dict[str, object]:
    """Tells who asks, and how."""
    return {"revision": ctx.revision, "client": ctx.client_info, "tool": ctx.name}


@server.tool
async def who_async(ctx: Context) -> dict[str, object]:
    """Tells who asks, and how."""
    return {"revision": ctx.revision, "client": ctx.client_info, "tool": ctx.name}


notes = {"latest": "nothing yet", "alpha": "the first", "beta": "the second"}


@server.tool
def touch() -> str:
    """Changes the newest note, and a tool and a prompt come or go."""
    notes["latest"] = f"touched after {notes['latest'][:40]}"
    if "late" in server.tools:
        server.remove_tool("late")
        server.remove_prompt("later")
    else:
        server.tool("late", description="Comes late.")(lambda: "here")
        server.prompt("later", description="Comes late, too.")(lambda: "here")
    server.notify_updated("note://latest")
    return "touched"


server.add_resource("file:///readme.txt", "Read me.", name="readme", description="A static text.")


@server.resource("note://latest", mime_type="text/plain")
def latest() -> str:
    """The newest note."""
    return notes["latest"]


@server.resource("data://pixel", mime_type="image/png")
async def pixel() -> bytes:
    """A picture."""
    return PNG


@server.resource("note://{name}", name="note", mime_type="text/plain")
def note(name: str) -> str:
    """A note by its name."""
    if name not in notes:
        raise NotFoundError(f"there is no note {name}")
    return notes[name]


@server.resource("user://{id}/{field}", name="user", mime_type="application/json")
async def user(id: int, field: str) -> dict[str, object]:
    """Something about a user."""
    return {"id": id, "field": field}


@server.prompt(title="Greeting")
def greet(name: str, style: str = "formal") -> str:
    """Greets somebody.

    Args:
        name: who is greeted
    """
    return f"Greet {name} in a {style} way."


@server.prompt
async def review(code: str) -> list[Message]:
    """Has code reviewed."""
    return [User(f"Review this: {code}"), Assistant("With pleasure."), User(Image(PNG))]


@server.completion("greet", "style")
def styles(value: str) -> list[str]:
    return [style for style in ("formal", "friendly", "funny") if style.startswith(value)]


@server.completion("note://{name}", "name")
async def names(value: str) -> list[str]:
    return sorted(name for name in notes if name.startswith(value))


@server.on("everything/echo")
def echo(params: dict[str, str]) -> dict[str, str]:
    return {"text": params["text"]}


@server.on("everything/echo_async")
async def echo_async(params: dict[str, str]) -> dict[str, str]:
    return {"text": params["text"]}


def after_input(end: Callable[[], object]) -> None:
    def wait_for_it() -> None:
        sys.stdin.buffer.read()
        end()

    threading.Thread(target=wait_for_it).start()


def serve_http() -> None:
    after_input(server.shutdown)
    server.run_http(port=0, on_listening=lambda url: print(url, flush=True))


def serve_asgi() -> None:
    import socket

    import uvicorn

    web = uvicorn.Server(uvicorn.Config(server.asgi(), log_level="warning", ws="none"))

    def end() -> None:
        server.shutdown()
        web.should_exit = True

    after_input(end)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        web.run(sockets=[listener])


if __name__ == "__main__":
    {"": server.run, "--http": serve_http, "--asgi": serve_asgi}["".join(sys.argv[1:])]()
