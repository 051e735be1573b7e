"""The cases as they stand in the corpus, with their repetitions written out."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parents[3] / "tests" / "adversarial" / "corpus.jsonl"
PROBE_ID = "probe-x"


@dataclass(frozen=True)
class Case:
    """One hostile message, what comes before it, and what must come of it."""

    id: str
    group: str
    is_modern: bool
    is_stream: bool
    """Whether the input is a piece of a stream, which may hold several lines."""
    setup: tuple[bytes, ...]
    input: bytes
    expect: dict[str, Any]

    @property
    def probe(self) -> bytes:
        """A request that any server answers that is alive."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": PROBE_ID, "method": "ping"}
        if self.is_modern:
            meta = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            message |= {"method": "server/discover", "params": {"_meta": meta}}
        return json.dumps(message).encode()


def load() -> list[Case]:
    """All cases, in the order of the file."""
    cases = [_case(json.loads(line)) for line in CORPUS.read_text("utf-8").split("\n") if line]
    assert len(cases) > 400, "the corpus is there"
    return cases


def _case(read: Any) -> Case:
    case = _written_out(read)
    encoded = case.get("input_b64")
    return Case(
        id=case["id"],
        group=f"{case['class']} {case['era']}",
        is_modern=case["era"] == "modern",
        is_stream=case.get("framing") == "stdio-raw",
        setup=tuple(line.encode() for text in case["setup"] for line in text.split("\n") if line),
        input=case["input"].encode() if encoded is None else base64.b64decode(encoded),
        expect=case["expect"],
    )


def _written_out(value: Any) -> Any:
    """Puts strings in the place of objects whose only member is `parts`."""
    if isinstance(value, dict):
        if list(value) == ["parts"]:
            return "".join(_repeated(*part) for part in value["parts"])
        return {name: _written_out(member) for name, member in value.items()}
    return [_written_out(member) for member in value] if isinstance(value, list) else value


def _repeated(text: str, count: int, mark: str = "") -> str:
    if not mark:
        return text * count
    return "".join(text.replace(mark, str(number)) for number in range(count))
