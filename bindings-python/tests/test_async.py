"""Async handlers: where they run, and how they end."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mcplite import Context, Server
from mcplite.testing import AsyncClient, Client
from stage_support import ERAS, Hanging


def test_handlers_run_on_the_loop_of_the_caller() -> None:
    server = Server("s")
    seen: list[Any] = []

    @server.tool
    async def look() -> None:
        task = asyncio.current_task()
        assert task is not None
        seen.append((asyncio.get_running_loop(), threading.get_ident()))

    async def main() -> Any:
        async with AsyncClient(server) as client:
            await client.call("look")
        return asyncio.get_running_loop(), threading.get_ident()

    assert [asyncio.run(main())] == seen


def test_each_call_has_a_task_and_a_context_of_its_own() -> None:
    server = Server("s")
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    tasks: list[Any] = []
    seen: list[str] = []

    @server.tool
    async def look(value: str) -> str:
        tasks.append(asyncio.current_task())
        seen.append(variable.get())
        variable.set(value)
        await asyncio.sleep(0)
        return variable.get()

    async def main() -> None:
        variable.set("of the caller")
        async with AsyncClient(server) as client:
            results = await asyncio.gather(*(client.call("look", value=v) for v in "abc"))
        assert [result.text for result in results] == ["a", "b", "c"]
        assert variable.get() == "of the caller"
        assert asyncio.current_task() not in tasks

    asyncio.run(main())
    assert len(set(tasks)) == 3
    assert seen == ["of the caller"] * 3


def test_without_a_loop_they_run_on_one_in_the_background() -> None:
    server, other = Server("s"), Server("t")

    async def look() -> list[Any]:
        thread = threading.current_thread()
        return [id(asyncio.get_running_loop()), thread.name, thread.daemon, thread.ident]

    server.tool(look)
    other.tool(look)
    with Client(server) as client, Client(other) as second:
        found = client.call("look").data
        assert second.call("look").data == found
    assert found[1:3] == ["mcplite-loop", True]
    assert found[3] != threading.get_ident()


def test_the_answer_of_a_background_handler_is_waited_for_and_polled() -> None:
    server = Server("s")
    go = threading.Event()

    @server.tool
    async def later() -> str:
        await asyncio.to_thread(go.wait, 10)
        return "done"

    with Client(server, era="legacy") as client:
        pending = client.begin("tools/call", {"name": "later", "arguments": {}})
        assert client._session is not None
        assert client._session.poll() is None
        assert client._session.open_calls == 1
        go.set()
        assert client._session.wait(10)
        assert pending.result()["content"][0]["text"] == "done"


def test_two_loops_one_after_the_other_run_the_handlers_of_one_server() -> None:
    server = Server("s")
    loops: list[Any] = []

    @server.tool
    async def look() -> None:
        loops.append(asyncio.get_running_loop())

    async def main() -> Any:
        async with AsyncClient(server) as client:
            await client.call("look")
        return asyncio.get_running_loop()

    used = [asyncio.run(main()), asyncio.run(main())]
    with Client(server) as client:
        client.call("look")
    assert loops[:2] == used
    assert loops[2] not in used
    assert asyncio.run(main()) is loops[3]


def test_two_loops_at_once_each_get_their_answers() -> None:
    server = Server("s")
    together = threading.Barrier(2, timeout=10)

    @server.tool
    async def look(n: int) -> int:
        await asyncio.sleep(0)
        return n

    async def main(n: int) -> list[int]:
        async with AsyncClient(server) as client:
            await asyncio.to_thread(together.wait)
            return [(await client.call("look", n=n)).data for _ in range(50)]

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(asyncio.run, main(n)) for n in range(2)]
        assert [run.result(30) for run in runs] == [[0] * 50, [1] * 50]


def test_loops_of_two_threads_each_resume_their_own_handlers() -> None:
    server = Server("s")
    both = threading.Barrier(2, timeout=10)

    @server.tool
    async def ask(ctx: Context) -> bool:
        own = asyncio.get_running_loop()
        await asyncio.to_thread(both.wait)
        await ctx.elicit("Well?", str)
        return asyncio.get_running_loop() is own

    async def main() -> bool:
        async with AsyncClient(server, era="legacy", on_elicit="x") as client:
            return (await client.call("ask")).data is True

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(asyncio.run, main()) for _ in range(2)]
        assert [run.result(30) for run in runs] == [True, True]


def test_debug_mode_has_nothing_to_warn_of() -> None:
    server = Server("s")
    stage = Hanging(server)

    @server.tool
    async def work(ctx: Context) -> str:
        answer = await ctx.elicit("Well?", str)
        return answer.data

    async def main(era: str) -> None:
        loop = asyncio.get_running_loop()
        loop.slow_callback_duration = 5
        async with AsyncClient(server, era=era, on_elicit="x") as client:
            results = await asyncio.gather(*(client.call("work") for _ in range(5)))
            assert [result.text for result in results] == ["x"] * 5
            hanging = asyncio.create_task(client.call("hang"))
            while not stage.began.is_set():
                await asyncio.sleep(0)
            hanging.cancel()
            await asyncio.gather(hanging, return_exceptions=True)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for era in ERAS:
            stage.began.clear()
            asyncio.run(main(era), debug=True)
