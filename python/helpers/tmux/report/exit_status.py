"""The exit status of what was sent: the shell's, unless it is another command's. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..evidence.screen.prompts import edited

# A line that bash or zsh does not run: `!prod": event not found`, "zsh: parse error near `)'".
_REFUSED = re.compile(r"^(?:-?\w+: )?!.*: event not found$|^zsh: (?:event not found|parse error)")
# What bash and zsh return to the line editor for confirmation (histverify): `!!`, `^a^b`.
_EXPANDED = re.compile(r"!|^\^")
_TYPED_MEANWHILE = "a line that was typed meanwhile may have run too"


def own_status(
    status: int | None,
    rows: Sequence[str],
    left: str,
    prompts: Sequence[str],
    notes: list[str],
    sent: str = "",
    edited_text: str = "",
) -> int | None:
    """`status` if it is that of what was sent, not of an older or later command. `rows`: what
    is new; `left`: the text left of the cursor; `prompts`: known ones, () if no one else can
    have run anything; `sent`: what was sent with Enter; `edited_text`: what the line editor holds.
    """
    if (rows and _REFUSED.search(rows[0])) or (edited_text and _EXPANDED.search(sent)):
        return None
    run = rows[:-1] if edited(left, prompts) else rows  # a half-typed line was not run
    others = [row for row in run if edited(row, prompts)]
    if not others:
        return status
    notes.append(_TYPED_MEANWHILE + ": no exit status is told" * (status is not None))
    return None
