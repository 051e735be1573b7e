"""mcplite in one process: `mcplite_inprocess.py play NAME ROUNDS DIR`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcplite import Server
from mcplite.content import ToolResult
from playing import Watch, Workload, command_line


def tool_of(workload: Workload) -> Callable[..., Any]:
    if workload.deed == "splice":

        def splice(text: str) -> ToolResult:
            return ToolResult("", structured={"text": text})

        return splice
    if workload.argument == "slug":

        def publish(slug: str, **others: Any) -> str:
            return slug

        return publish

    def say(text: str, count: int = 0) -> str:
        return text

    return say


def main() -> None:
    workload, rounds, _ = command_line()
    server = Server("bench", version="1.0", workers=0)
    tool = tool_of(workload)
    for definition in workload.tools:
        server.tool(
            definition["name"],
            description=definition.get("description"),
            input_schema=definition["inputSchema"],
            structured=False,
        )(tool)
    session = server.session()
    if not workload.is_modern:
        for message in workload.handshake:
            session.handle(message)

    request, handle = workload.request, session.handle
    answer = handle(request)
    workload.check(answer)
    watch = Watch()
    for _ in range(rounds):
        answer = handle(request)
    watch.report(workload, rounds, answer)


main()
