"""Errors in handlers: what the client hears, and what the developer."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from textwrap import dedent
from typing import Any

import pytest

from mcplite import McpError, Server, ToolError
from mcplite.testing import Client

ERAS = ["legacy", "modern"]


def broken(**options: Any) -> Server:
    server = Server("s", **options)

    @server.tool
    def fail() -> None:
        raise LookupError("no such row")

    @server.tool
    async def fail_later() -> None:
        await asyncio.sleep(0)
        raise LookupError("no such row")

    @server.tool
    def silent() -> None:
        raise LookupError

    @server.tool
    def say() -> None:
        raise ToolError("meant for the model")

    @server.resource("bad:{x}")
    def read(x: str) -> str:
        raise LookupError("no such row")

    return server


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", ["fail", "fail_later"])
def test_the_client_hears_the_message_and_the_developer_the_traceback(
    era: str, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Client(broken(), era=era, raise_on_error=False) as client:
        result = client.call(tool)
    assert result.raw["content"] == [{"type": "text", "text": "no such row"}]
    assert "Traceback" not in str(result.raw)
    [record] = caplog.records
    assert (record.name, record.levelno) == ("mcplite", logging.ERROR)
    assert record.getMessage() == f"tools/call {tool} failed"
    assert record.exc_info is not None
    assert "in fail" in caplog.text
    assert "LookupError: no such row" in caplog.text


def test_a_resource_that_fails_is_an_error_of_the_protocol(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Client(broken()) as client, pytest.raises(McpError, match="no such row") as caught:
        client.read("bad:1")
    assert caught.value.code == -32603
    assert [record.getMessage() for record in caplog.records] == ["resources/read bad:1 failed"]


def test_an_exception_without_a_message_is_named() -> None:
    with Client(broken()) as client, pytest.raises(ToolError, match="^LookupError$"):
        client.call("silent")


def test_what_is_raised_for_the_client_is_no_news_to_the_developer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Client(broken()) as client, pytest.raises(ToolError, match="meant for the model"):
        client.call("say")
    assert caplog.records == []


@pytest.mark.parametrize("tool", ["fail", "fail_later"])
def test_masked_errors_keep_their_messages_from_clients(
    tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Client(broken(mask_errors=True)) as client:
        with pytest.raises(ToolError, match="^the handler failed$"):
            client.call(tool)
        with pytest.raises(McpError, match="^Internal error: the handler failed$"):
            client.read("bad:1")
        with pytest.raises(ToolError, match="meant for the model"):
            client.call("say")
    assert caplog.text.count("LookupError: no such row") == 2


@pytest.mark.parametrize("tool", ["fail", "fail_later"])
@pytest.mark.parametrize("debug", [False, True])
def test_clients_see_stacks_only_when_debugging_with_the_classic_errors(
    tool: str, debug: bool
) -> None:
    with Client(broken(errors="classic", debug=debug), era="legacy") as client:
        with pytest.raises(McpError) as caught:
            client.call(tool)
    told = str(caught.value.data)
    assert ("Traceback" in told and "in fail" in told) is debug


def program(body: str) -> str:
    return (
        dedent(
            """
            import sys
            from mcplite import Server

            server = Server("s")

            @server.tool
            def fail() -> None:
                raise LookupError("no such row")
            """
        )
        + dedent(body)
        + dedent(
            """
            from mcplite.testing import Client
            with Client(server, raise_on_error=False) as client:
                print(client.call("fail").text)
            """
        )
    )


def run(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)


def test_without_logging_the_traceback_goes_to_standard_error() -> None:
    ran = run(program("") + "print('logging' in sys.modules)")
    assert ran.stdout == "no such row\nFalse\n"
    lines = ran.stderr.splitlines()
    assert lines[0] == "mcplite: tools/call fail failed"
    assert lines[1] == "Traceback (most recent call last):"
    assert lines[-1] == "LookupError: no such row"
    assert "in fail" in ran.stderr


def test_logging_that_was_imported_but_not_configured_loses_nothing() -> None:
    ran = run(program("import logging"))
    assert "LookupError: no such row" in ran.stderr


def test_with_logging_the_traceback_goes_where_it_was_configured_to() -> None:
    setup = """
        import logging
        logging.basicConfig(stream=sys.stdout, format="LOG %(name)s %(message)s")
    """
    ran = run(program(setup))
    assert ran.stdout.startswith("LOG mcplite tools/call fail failed\nTraceback")
    assert ran.stderr == ""


def test_a_report_that_fails_does_not_keep_the_client_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    monkeypatch.setattr("sys.unraisablehook", lambda args: told.append(str(args.exc_value)))

    def explode(record: object) -> bool:
        raise OSError("disk full")

    logger = logging.getLogger("mcplite")
    logger.addFilter(explode)
    try:
        with Client(broken()) as client, pytest.raises(ToolError, match="no such row"):
            client.call("fail")
    finally:
        logger.removeFilter(explode)
    assert told == ["disk full"]


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


def test_an_exception_that_cannot_be_printed_is_named(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("s")

    @server.tool
    def fail() -> None:
        raise Unprintable

    with Client(server) as client, pytest.raises(ToolError, match="^Unprintable$"):
        client.call("fail")
    assert len(caplog.records) == 1


def test_exceptions_of_groups_are_told(caplog: pytest.LogCaptureFixture) -> None:
    server = Server("s")

    @server.tool
    async def fail() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(raise_later())

    async def raise_later() -> None:
        raise LookupError("in the group")

    with Client(server) as client, pytest.raises(ToolError, match="TaskGroup"):
        client.call("fail")
    assert "LookupError: in the group" in caplog.text
