"""What people read of a run, all of it made from its native.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from native.charts import draw_all
from native.document import markdown


def pages(results: dict[str, Any]) -> dict[str, str]:
    """The document and the charts: name of the file, and its text."""
    return {"native.md": markdown(results)} | draw_all(results)


def write_pages(folder: Path, results: dict[str, Any]) -> None:
    for name, text in pages(results).items():
        (folder / name).write_text(text)
