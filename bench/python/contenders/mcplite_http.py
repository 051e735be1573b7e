"""mcplite on its own listener: `mcplite_http.py http PORT (inline | pool | async)`."""

import sys

from mcplite import Server

_, _, port, kind = sys.argv
server = (
    Server("bench", version="1", workers=0) if kind == "inline" else Server("bench", version="1")
)

if kind == "async":

    @server.tool
    async def add(a: int, b: int) -> int:
        return a + b

else:

    @server.tool(name="add")
    def add_plainly(a: int, b: int) -> int:
        return a + b


server.run_http("127.0.0.1", int(port))
