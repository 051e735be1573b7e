"""The server behind HTTP: started by whoever talks to it, and seen to its end."""

import asyncio
from contextlib import asynccontextmanager

# Far more than it needs: open calls are cancelled after a second.
SECONDS = 10


@asynccontextmanager
async def http_server(binary):
    """The URL at which it listens. When told to, it ends in peace and without a word."""
    server = await asyncio.create_subprocess_exec(
        binary, "--http", stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE)
    try:
        first = await server.stderr.readline()
        yield first.decode().removeprefix("listening on ").strip()
        server.terminate()
        async with asyncio.timeout(SECONDS):
            said = (await server.stderr.read()).decode()
            status = await server.wait()
    finally:
        if server.returncode is None:
            server.kill()
            await server.wait()
    if status != 0 or said:
        raise RuntimeError(f"the server ended with {status}: {said}")
