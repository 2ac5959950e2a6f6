"""The state of an AI command line by the terminal's title: Claude Code, Codex, Gemini CLI. Pure."""

from __future__ import annotations

import re

# `⠂ Claude Code`, `⠹ folder` (Codex), `✦  Working… (folder)` (Gemini CLI)
_WORKS = re.compile(r"[\u2801-\u28ff] |✦ +Working\b")
_ASKS = re.compile(r".{0,6}\bAction Required\b")  # `[ ! ] Action Required | folder`
_WAITS = re.compile(r"✳ |◇ +Ready\b")  # at its prompt box, or asking


def works(title: str) -> bool:
    """Whether it is at work."""
    return bool(_WORKS.match(title))


def asks(title: str) -> bool:
    """Whether it asks for a decision."""
    return bool(_ASKS.match(title))


def waits(title: str) -> bool:
    """Whether it shows a prompt box or a question."""
    return bool(_WAITS.match(title)) or asks(title)
