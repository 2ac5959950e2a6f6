"""The exit status of what was sent: the shell's, where that is no other command's. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .prompt import edited

# A line that bash or zsh does not run: `!prod": event not found`, "zsh: parse error near `)'".
_REFUSED = re.compile(r"^(?:-?\w+: )?!.*: event not found$|^zsh: (?:event not found|parse error)")
_PLAIN = 3  # characters of a prompt with which no output begins by chance
_TYPED_MEANWHILE = "a line that was typed meanwhile was run too: no exit status is told"


def own_status(
    status: int | None, action: str, rows: Sequence[str], prompts: Sequence[str], notes: list[str]
) -> int | None:
    """`status` where it is that of what `action` sent: no older one's, and no later one's. `rows`:
    what is new; `prompts`: known ones."""
    if rows and _REFUSED.search(rows[0]):
        return None
    if status is None or action not in ("run", "send"):
        return status
    long = [prompt for prompt in prompts if len(prompt.strip()) >= _PLAIN]
    if any(edited(row, long) for row in rows):
        notes.append(_TYPED_MEANWHILE)
        return None
    return status
