"""The examples of the README do what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mcplite import Server
from mcplite.testing import Client

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
CONSOLE = "\n".join(re.findall(r"```console\n(.*?)```", README, re.DOTALL))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("Server(")[1][:12])
def test_every_example_runs(block: str) -> None:
    server = run(block).get("server")
    if isinstance(server, Server):
        with Client(server) as client:
            assert client.list_tools() if server.tools else client.list_prompts()


def run(block: str) -> dict[str, Any]:
    module = sys.modules["example"] = ModuleType("example")
    exec(compile(block, "README.md", "exec"), module.__dict__)
    return module.__dict__


def block_with(word: str) -> Server:
    server = run(next(block for block in BLOCKS if word in block))["server"]
    assert isinstance(server, Server)
    return server


def test_the_weather_is_structured_and_a_wrong_city_is_told_to_the_model() -> None:
    with Client(block_with("Atlantis"), raise_on_error=False) as client:
        assert client.call("weather", city="Oslo").data == {"city": "Oslo", "celsius": 21.5}
        refused = client.call("weather", city="Atlantis")
        assert refused.is_error and "no such city" in refused.text
        assert client.call("chart", city="Oslo").content[0]["mimeType"] == "image/png"


def test_the_library_reads_prompts_and_completes() -> None:
    with Client(block_with("book://")) as client:
        assert "Moby-Dick" in client.read("book://1").text
        assert "4 stars" in client.get_prompt("review", title="Emma", stars="4").text


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_an_order_asks_the_user_in_both_eras(era: str) -> None:
    with Client(block_with("ctx.once"), era=era, on_elicit={"value": True}) as client:
        assert client.call("order", item="tea").text == "ordered"
    with Client(block_with("ctx.once"), era=era, on_elicit={"value": False}) as client:
        assert client.call("order", item="tea").text == "never mind"


def test_a_newcomer_can_save_inspect_and_call_the_first_example(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(BLOCKS[0], encoding="utf-8")
    program = Path(sys.executable).with_name("mcplite")
    outputs = []
    for line in CONSOLE.splitlines():
        command = line.removeprefix("$ mcplite ").split()
        # Serving is what the other tests do.
        if command[0] != "run":
            ran = subprocess.run(
                [program, *command], cwd=tmp_path, capture_output=True, text=True, timeout=60
            )
            assert ran.returncode == 0, ran.stderr
            outputs.append(ran.stdout)
    inspected, called, installed = outputs
    assert "add" in inspected and "Adds two numbers." in inspected
    assert called == "3\n"
    assert "mcpServers" in installed


ROOT = Path(__file__).parents[2]


def test_the_readme_of_the_repository_shows_the_example_as_it_is() -> None:
    example = (ROOT / "examples" / "python" / "hello.py").read_text(encoding="utf-8")
    assert f"```python\n{example}```" in (ROOT / "README.md").read_text(encoding="utf-8")


def guide_blocks() -> list[str]:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("block", guide_blocks(), ids=lambda block: block.split("Server(")[1][:12])
def test_every_example_of_the_guide_runs(block: str) -> None:
    assert isinstance(run(block)["server"], Server)


def example(name: str) -> Server:
    path = ROOT / "examples" / "python" / name
    server = run(path.read_text(encoding="utf-8"))["server"]
    assert isinstance(server, Server)
    return server


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_the_examples_do_what_they_say(era: str) -> None:
    with Client(example("hello.py"), era=era) as client:
        assert client.call("greet", name="Ada").text == "Hello, Ada!"
    with Client(example("mounted.py"), era=era) as client:
        assert client.call("whoami").text == "nobody"
    answers = iter([{"city": "Oslo", "days": 30}, {"value": "shorter"}])
    with Client(example("ask.py"), era=era, on_elicit=lambda _: next(answers)) as client:
        assert client.call("plan", budget=100.0).text == "we make it shorter"
