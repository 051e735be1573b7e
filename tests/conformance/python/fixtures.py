"""The file of fixtures, and the server that it describes."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

from mcplite import Context, Server

from steps import Attempt

# Handlers sleep: enough that none waits for another's.
WORKERS = 8


def load(path: Path) -> Server:
    """A server that offers everything in the file."""
    said = json.loads(path.read_text())
    server = Server(said["server"]["name"], said["server"]["version"], workers=WORKERS)
    for place, item in enumerate(said["items"]):
        # Both kinds of handlers take turns; only an `async def` has several questions in one round.
        is_async = place % 2 == 1 or any(
            len(step.get("questions", ())) > 1 for step in item["steps"]
        )
        function = (async_handler if is_async else handler)(said, item)
        offer(server, item, function)
    return server


def handler(said: dict[str, Any], item: dict[str, Any]) -> Callable[..., Any]:
    def answer(ctx: Context, **_arguments: object) -> Any:
        steps = Attempt(said, item, ctx).steps()
        while True:
            try:
                awaited = next(steps)
            except StopIteration as over:
                return over.value
            # A question that has no answer yet does not come here: it ends the attempt.
            if isinstance(awaited, float):
                time.sleep(awaited)

    return answer


def async_handler(said: dict[str, Any], item: dict[str, Any]) -> Callable[..., Any]:
    async def answer(ctx: Context, **_arguments: object) -> Any:
        steps = Attempt(said, item, ctx).steps()
        while True:
            try:
                awaited = next(steps)
            except StopIteration as over:
                return over.value
            await (asyncio.sleep(awaited) if isinstance(awaited, float) else awaited)

    return answer


def offer(server: Server, item: dict[str, Any], function: Callable[..., Any]) -> None:
    kind = item["kind"]
    if kind == "completion":
        server.completion(item["prompt"], item["argument"])(function)
        return
    definition = item["definition"]
    name, description = definition["name"], definition["description"]
    if kind == "tool":
        schema = definition["inputSchema"]
        server.tool(name, description=description, input_schema=schema)(function)
    elif kind == "prompt":
        describe(function, definition.get("arguments", ()))
        server.prompt(name, description=description)(function)
    else:
        uri = definition.get("uri") or definition["uriTemplate"]
        mime_type = definition["mimeType"]
        server.resource(uri, name=name, description=description, mime_type=mime_type)(function)


def describe(function: Any, arguments: Iterable[dict[str, Any]]) -> None:
    """Gives the function the signature that it would have if it were written for these arguments."""
    parameters = [inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=Context)]
    for argument in arguments:
        hint = Annotated[str, argument["description"]]
        parameters.append(
            inspect.Parameter(argument["name"], inspect.Parameter.KEYWORD_ONLY, annotation=hint)
        )
    function.__signature__ = inspect.Signature(parameters)
