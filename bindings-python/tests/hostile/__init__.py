"""Plays the hostile corpus; `tests/adversarial/README.md` has its format and its rules."""
