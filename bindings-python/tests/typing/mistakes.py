"""What a type checker must refuse; each mistake is marked with what it is called."""

from __future__ import annotations

from mcplite import Context, McpError, Server

server = Server("demo")


@server.tool
def add(a: int, b: int) -> int:
    return a + b


@server.tool(titel="Adds")  # type: ignore[call-overload, untyped-decorator]
def misspelt(a: int) -> int:
    return a


add("one", 2)  # type: ignore[arg-type]
server.tool(7)  # type: ignore[call-overload]
server.session().handle("text")  # type: ignore[arg-type]
server.resource()  # type: ignore[call-arg]
McpError("message")  # type: ignore[call-arg,arg-type]
Server()  # type: ignore[call-arg]
Server("demo", debug_mode=True)  # type: ignore[call-arg]


@server.tool
def ask(ctx: Context) -> str:
    number: str = ctx.elicit("How many?", int).data  # type: ignore[assignment]
    ctx.progres(1)  # type: ignore[attr-defined]
    return number
