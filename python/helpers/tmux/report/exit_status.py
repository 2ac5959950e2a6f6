"""The exit status of the agent's command: the shell's, unless another command set it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..evidence.screen.prompts import edited

# A line that bash or zsh does not run: `!prod": event not found`, "zsh: parse error near `)'".
_REFUSED = re.compile(r"^(?:-?\w+: )?!.*: event not found$|^zsh: (?:event not found|parse error)")
# A line that bash or zsh returns to the line editor for confirmation (histverify): `!!`, `^a^b`.
_EXPANDED = re.compile(r"!|^\^")


def own_status(
    status: int | None,
    rows: Sequence[str],
    left: str,
    prompts: Sequence[str],
    notes: list[str],
    sent: str = "",
    edited_text: str = "",
) -> int | None:
    """`status` if it is that of the sent command, not of an older or later one. `rows`: the new
    ones; `left`: the text left of the cursor; `prompts`: known ones, () if no one else can have
    run anything; `sent`: the text sent with Enter; `edited_text`: the line editor's text."""
    if (rows and _REFUSED.search(rows[0])) or (edited_text and _EXPANDED.search(sent)):
        return None
    run = rows[:-1] if edited(left, prompts) else rows  # a half-typed line was not run
    others = [row for row in run if edited(row, prompts)]
    if not others:
        return status
    note = "a line that was typed meanwhile may have run too"
    notes.append(note + ": no exit status is reported" * (status is not None))
    return None
