"""Plays the HTTP transcripts through an endpoint without sockets, and compares every byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from transcripts.http_player import byte_by_byte, play, whole_body
from transcripts.player import in_folder

if TYPE_CHECKING:
    from pathlib import Path

    from transcripts.http_player import Feed

FILES = in_folder("http/transcripts")


@pytest.mark.parametrize("feed", [whole_body, byte_by_byte], ids=lambda feed: feed.__name__)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_http_transcript_is_played_to_the_byte(path: Path, feed: Feed) -> None:
    text = path.read_text("utf-8")
    assert play(text, feed).split("\n") == text.split("\n")
