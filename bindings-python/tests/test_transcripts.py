"""Plays the transcripts that every language plays, and compares bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from transcripts.player import byte_by_byte, in_folder, play, whole

if TYPE_CHECKING:
    from pathlib import Path

    from transcripts.player import Feed

FILES = in_folder("transcripts")


@pytest.mark.parametrize("feed", [whole, byte_by_byte], ids=lambda feed: feed.__name__)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_transcript_is_played_to_the_byte(path: Path, feed: Feed) -> None:
    text = path.read_text("utf-8")
    assert play(text, feed).split("\n") == text.split("\n")


def test_what_a_driver_does_not_know_is_an_error() -> None:
    with pytest.raises(LookupError, match="unknown option colour"):
        play("@ colour red\n", whole)
    with pytest.raises(AttributeError, match="_dance"):
        play("! dance\n", whole)
    with pytest.raises(LookupError, match="unknown mark \\?"):
        play("? what\n", whole)
