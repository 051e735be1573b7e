"""A server inside a FastAPI application: `uvicorn mounted:app`, then MCP is at /mcp."""

from fastapi import FastAPI

from mcplite import Context, Server

server = Server("mounted", version="1.0")


@server.tool
def whoami(ctx: Context) -> str:
    """Says what the client calls itself."""
    return ctx.headers.get("user-agent", "nobody")


app = FastAPI()


@app.get("/")
def home() -> dict[str, str]:
    return {"mcp": "/mcp"}


app.mount("/", server.asgi("/mcp"))
