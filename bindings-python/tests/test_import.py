"""What importing costs, and what is public."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import mcplite

HEAVY = [
    "asyncio",
    "dataclasses",
    "enum",
    "inspect",
    "json",
    "logging",
    "pydantic",
    "re",
    "threading",
    "typing",
]

PUBLIC_MODULES = [
    "mcplite",
    "mcplite.asgi",
    "mcplite.asking",
    "mcplite.content",
    "mcplite.context",
    "mcplite.errors",
    "mcplite.jsonrpc",
    "mcplite.server",
    "mcplite.testing",
    "mcplite.transport",
    "mcplite.wsgi",
]


# A helper of the checker's, and what other modules of the package share.
SHARED = {"Together", "as_message", "know_main_thread", "overload"}

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT.parent / "docs" / "python.md"]


def loaded_by(code: str) -> list[str]:
    """Which of the heavy modules a program loads that a bare interpreter does not."""
    tell = f"import sys\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    # -S: what site-packages bring along on their own is not ours to answer for.
    path = str(Path(mcplite.__file__).resolve().parents[1])
    command = [sys.executable, "-S", "-W", "error", "-c"]
    program = f"import sys; sys.path.insert(0, {path!r})\n{dedent(code)}\n{tell}"
    ran = subprocess.run(
        [*command, program], capture_output=True, text=True, check=True, timeout=60
    )
    return ran.stdout.split()


def test_importing_loads_nothing_heavy() -> None:
    assert loaded_by("import mcplite") == []


@pytest.mark.parametrize("name", ["Server", "Context", "McpError", "ToolError", "Session"])
def test_importing_what_every_server_needs_loads_nothing_heavy(name: str) -> None:
    assert loaded_by(f"from mcplite import {name}") == []


def test_a_server_loads_nothing_heavy_up_to_its_first_answer() -> None:
    program = '''
        from mcplite import Server, Context

        server = Server("demo", version="1.0", instructions="Add.")

        @server.tool
        def add(a: int, b: int = 2) -> int:
            """Adds two numbers.

            Args:
                a: the first
            """
            return a + b

        @server.tool(timeout=5.0)
        def greet(ctx: Context, name: str) -> str:
            ctx.info("greeting")
            return f"Hello, {name}!"

        @server.resource("cfg://{key}")
        def config(key: str) -> str:
            return key

        @server.prompt
        def review(code: str) -> str:
            return code

        session = server.session()
        hello = b\'\'\'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":
            "2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\'\'\'
        call = b\'\'\'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":
            {"name":"%s","arguments":%s}}\'\'\'
        assert b"2025-11-25" in session.handle(hello)
        assert b\'"5"\' in session.handle(call % (b"add", b\'{"a":3}\'))
        assert b"Hello, Ada!" in session.handle(call % (b"greet", b\'{"name":"Ada"}\'))
    '''
    assert loaded_by(program) == []


def test_serving_stdio_without_async_handlers_loads_nothing_heavy() -> None:
    program = """
        import os
        read, write = os.pipe()
        os.write(write, b'{"jsonrpc":"2.0","id":"served","method":"ping"}' + bytes([10]))
        os.close(write)
        os.dup2(read, 0)
        from mcplite import Server
        server = Server("s")
        @server.tool
        def add(a: int) -> int:
            return a
        server.run()
    """
    # Python takes the thread that first imports `threading` for the main one: it is imported there.
    assert loaded_by(program) == ['{"jsonrpc":"2.0","id":"served","result":{}}', "threading"]


def test_async_handlers_load_what_they_need() -> None:
    program = """
        from mcplite import Server
        from mcplite.testing import Client
        server = Server("s")
        @server.tool
        async def add(a: int) -> int:
            return a
        with Client(server) as client:
            client.call("add", a=1)
    """
    assert "asyncio" in loaded_by(program)


def test_everything_public_can_be_imported() -> None:
    space: dict[str, object] = {}
    exec("from mcplite import *", space)
    space.pop("__builtins__")
    assert sorted(space) == sorted(mcplite.__all__)
    for name in mcplite.__all__:
        assert getattr(mcplite, name) is space[name]


def test_public_names_are_listed_in_order_and_once() -> None:
    assert len(set(mcplite.__all__)) == len(mcplite.__all__)
    shouted = [name for name in mcplite.__all__ if name.isupper()]
    classes = [name for name in mcplite.__all__ if name[0].isupper() and not name.isupper()]
    rest = [name for name in mcplite.__all__ if not name[0].isupper()]
    assert mcplite.__all__ == sorted(shouted) + sorted(classes) + sorted(rest)


def test_what_is_public_is_documented_and_the_other_way_round() -> None:
    text = "\n".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    words = set(re.findall(r"\w+", text))
    assert [name for name in mcplite.__all__ if name not in words] == []
    imported = re.findall(r"^from mcplite import (.+)$", text, re.MULTILINE)
    assert imported
    for names in imported:
        assert {name.strip() for name in names.split(",")} <= set(mcplite.__all__)


def test_names_that_there_are_not_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mcplite.nothing  # noqa: B018
    with pytest.raises(ImportError):
        exec("from mcplite import nothing")


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_every_public_name_has_a_docstring(module: str) -> None:
    imported = importlib.import_module(module)
    assert imported.__doc__
    bare = []
    for name in imported.__all__:
        value = getattr(imported, name)
        if (inspect.isclass(value) or inspect.isroutine(value)) and not value.__doc__:
            bare.append(name)
        if inspect.isclass(value):
            for member, attribute in vars(value).items():
                is_code = inspect.isroutine(attribute) or inspect.isdatadescriptor(attribute)
                is_slot = inspect.ismemberdescriptor(attribute)
                if is_code and not is_slot and not member.startswith("_"):
                    if not inspect.getdoc(attribute):
                        bare.append(f"{name}.{member}")
    assert bare == []


def test_modules_are_public_or_private_by_their_names() -> None:
    modules = {info.name for info in pkgutil.iter_modules(mcplite.__path__, "mcplite.")}
    public = {name for name in modules if not name.split(".")[1].startswith("_")}
    assert public - set(PUBLIC_MODULES) <= {"mcplite.cli", "mcplite.offers"}


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_what_a_public_module_lists_is_what_it_has(module: str) -> None:
    imported = importlib.import_module(module)
    for name in imported.__all__:
        assert hasattr(imported, name), name
    source = ast.parse(Path(str(imported.__file__)).read_text(encoding="utf-8"))
    defined = {
        node.name
        for node in source.body
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_")
    }
    assert defined - set(imported.__all__) <= SHARED


def test_the_version_is_that_of_the_distribution_and_the_revisions_are_known() -> None:
    assert mcplite.__version__.count(".") == 2
    assert mcplite.PROTOCOL_VERSIONS[-1] == max(mcplite.PROTOCOL_VERSIONS) == "2026-07-28"
