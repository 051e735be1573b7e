"""mcplite as an ASGI application under uvicorn.

`mcplite_asgi.py http PORT (inline | pool | async) (plain | uvloop)`
"""

import sys

import uvicorn
from mcplite import Server

_, _, port, kind, loop = sys.argv
server = Server("bench", version="1", workers=0 if kind == "inline" else None)

if kind == "async":

    @server.tool
    async def add(a: int, b: int) -> int:
        return a + b

else:

    @server.tool(name="add")
    def add_plainly(a: int, b: int) -> int:
        return a + b


uvicorn.run(
    server.asgi(),
    port=int(port),
    log_level="error",
    access_log=False,
    loop="uvloop" if loop == "uvloop" else "asyncio",
    http="httptools" if loop == "uvloop" else "h11",
)
