"""The server that the hostile corpus talks to, as anybody would write it."""

from __future__ import annotations

from mcplite import Server

server = Server("hostile", version="1.0")


@server.tool
def echo(text: str, **others: object) -> str:
    """Says it again, whatever else it is told: the corpus wants a schema that allows that."""
    return text


@server.tool
def add(a: float, b: float) -> float:
    """Adds two numbers."""
    return a + b


@server.tool
def fail() -> None:
    """Always fails."""
    raise RuntimeError("it always fails")


@server.resource("test://static", mime_type="text/plain")
def static() -> str:
    """Never changes."""
    return "static text"


@server.prompt
def greet(name: str) -> str:
    """Greets somebody."""
    return f"Hello, {name}!"


if __name__ == "__main__":
    server.run()
