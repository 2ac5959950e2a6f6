"""The exit status of what was sent: the shell's, where that is no other command's. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..evidence.screen.prompts import edited

# A line that bash or zsh does not run: `!prod": event not found`, "zsh: parse error near `)'".
_REFUSED = re.compile(r"^(?:-?\w+: )?!.*: event not found$|^zsh: (?:event not found|parse error)")
# What bash and zsh put into the line editor again where they verify it (histverify): `!!`, `^a^b`.
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
    """`status` where it is that of what was sent: no older one's, and no later one's. `rows`: what
    is new; `left`: the text left of the cursor; `prompts`: known ones, () where nobody else can
    have run anything; `sent`: what was sent with Enter; `edited_text`: what the line editor holds.
    """
    if (rows and _REFUSED.search(rows[0])) or (edited_text and _EXPANDED.search(sent)):
        return None
    run = rows[:-1] if edited(left, prompts) else rows  # a line that is only half typed was not run
    others = [row for row in run if edited(row, prompts)]
    if not others:
        return status
    notes.append(_TYPED_MEANWHILE + ": no exit status is told" * (status is not None))
    return None
