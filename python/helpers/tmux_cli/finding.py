"""What `tmux-tool doctor` found out about one thing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Finding:
    """`text`: how it is, and where it is not fine, what to do."""

    about: str
    text: str
    fine: bool


def ok(about: str, text: str) -> Finding:
    return Finding(about=about, text=text, fine=True)


def do(about: str, text: str) -> Finding:
    return Finding(about=about, text=text, fine=False)
