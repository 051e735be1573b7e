"""Plays the transcripts that all languages share; `tests/transcripts/README.md` has the format."""
