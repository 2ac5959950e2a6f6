"""How output ends: the prompt behind it, a full screen, lines that are lost. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..evidence.screen.prompt_rows import without_rows
from ..output import trimmed
from ..terminal.view import View

_MANY = 3  # empty rows of a full screen, of which one is shown


def without_ending(
    body: list[str], left: str, prompt: str, upper: list[str], directory: Sequence[str] = ()
) -> tuple[list[str], bool]:
    """`body` without the prompt at its end, and whether output was glued to it: output without a
    line break at its end, which stays. `left`: the text left of the cursor, with `prompt` ("" for
    none) at its end; `upper`: the prompt's rows above; `directory`: the names of the one that they
    may show."""
    left, prompt = left.rstrip(), prompt.rstrip()
    if not body or not left or left not in body[-1]:
        return body, False
    *rest, last = body
    begin = len(left) - len(prompt) if left.endswith(prompt) else 0
    output = last[: last.rindex(left)] + left[:begin]
    if output.strip():
        return [*rest, output.rstrip()], True
    cut = without_rows(rest, upper, directory) if upper else rest
    return trimmed_end(rest if cut is None else cut), False


def trimmed_end(lines: list[str]) -> list[str]:
    """`lines` without blank ones at the end."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def screen_rows(view: View) -> list[str]:
    """A full screen without its filler: vi's and less's `~`, rows that are empty at its ends, and
    all but one of many empty rows. A text's own empty rows stay: an editor counts them."""
    rows: list[str] = []
    empty = 0
    for row in trimmed([row for row in view.lines if row.strip() != "~"]):
        empty = 0 if row else empty + 1
        if empty == _MANY:
            del rows[2 - _MANY :]
        if empty < _MANY:
            rows.append(row)
    return rows


def lost_lines(view: View, printed_then: int | None, printed: int | None, kept: list[str]) -> str:
    """A note on lines that tmux's history could not hold. tmux counts none; the bytes that the
    server has read since `printed_then` give an estimate."""
    held = sum(len(line.encode()) + 2 for line in kept)
    count = "an unknown number of"
    if printed is not None and printed_then is not None and kept:
        lost = (printed - printed_then - held) / max(held / len(kept), 1)
        count = f"about {max(round(lost), 1)}"
    return f"{count} lines scrolled out of tmux's history (limit {view.history_limit}) and are lost"
