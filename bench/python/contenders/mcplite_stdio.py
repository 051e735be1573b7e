"""mcplite over standard input and output: `mcplite_stdio.py (inline | pool | async)`."""

import sys

from mcplite import Server

server = Server("bench", version="1")

if sys.argv[1] == "async":

    @server.tool
    async def add(a: int, b: int) -> int:
        return a + b

else:

    @server.tool(name="add")
    def add_plainly(a: int, b: int) -> int:
        return a + b


if sys.argv[1] == "inline":
    server.run(workers=0)
else:
    server.run()
