"""Checks of the transcripts in tests/transcripts against what the protocol revisions say."""
