"""The rows of a prompt above its last one: which they are, and output without them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from .output import squeezed
from .prompt import LONGEST, VARIES, normalized

TALLEST = 4  # rows of a prompt above its last one
ALIKE = 3  # characters that the prompts of one shell have in common: fish's holds a status
_PATH = re.compile(r"[~/]\S*|\d+")  # what varies in them; a path may hold anything


def same_row(one: str, other: str) -> bool:
    """Are both the same upper row of a prompt, but for directories and numbers?"""
    return normalized(one.rstrip(), _PATH)[0] == normalized(other.rstrip(), _PATH)[0]


def upper_rows(above: Sequence[str], prompts: Sequence[str]) -> list[str] | None:
    """The rows of a prompt above its last one: those at the end of `above` (all that is above the
    last row) that are above every earlier prompt like it too. None where no earlier one is there.
    `prompts`: the one that is there, then older ones."""
    alike = [prompt for prompt in prompts if prompt[:ALIKE] == prompts[0][:ALIKE]]
    earlier = [at for prompt in alike for at in _places(above, prompt)]
    tall = min((_common(above, above[:at]) for at in earlier), default=None)
    return None if tall is None else list(above[len(above) - tall :])


def still_above(above: Sequence[str], upper: list[str]) -> list[str]:
    """The rows of `upper`, from the last one on, that are above this prompt too; all where not
    enough is in `above` to tell."""
    if len(above) < len(upper) or without_rows(list(above), upper) is not None:
        return upper
    return upper[len(upper) - _common(above, upper) :]


def _places(rows: Sequence[str], prompt: str) -> list[int]:
    """The rows that begin with `prompt`."""
    pattern = normalized(prompt.strip())[0]
    if not pattern:
        return []
    return [at for at, row in enumerate(rows) if normalized(row[:LONGEST])[0].startswith(pattern)]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many rows at the end of both are the same, and may be a prompt's: a number is none."""
    pairs = zip(reversed(one[-TALLEST:]), reversed(other[-TALLEST:]), strict=False)
    alike = takewhile(lambda pair: same_row(*pair) and not pair[0].strip().isdecimal(), pairs)
    return sum(1 for _ in alike)


def joined_prompt(rows: list[str], prompt: str) -> list[str]:
    """`rows` with `prompt` at their end in one row: tmux does not join all rows of a long one."""
    signs, text, count = squeezed(prompt), "", 0
    while count < len(rows) and len(squeezed(text)) < len(signs):
        count += 1
        text = rows[-count] + text
    if count < 2 or not squeezed(text).endswith(signs):
        return rows
    begin, left = len(text), len(signs)  # of the prompt, which may have lost a blank where it wraps
    while left:
        begin -= 1
        left -= not text[begin].isspace()
    return [*rows[:-count], text[:begin] + prompt]


def without_rows(body: list[str], upper: Sequence[str]) -> list[str] | None:
    """`body` without the rows `upper` at its end, the first of which may follow output without a
    line break; None where `body` does not end so.
    """
    if not upper or len(body) < len(upper):
        return None
    if not all(map(same_row, body[len(body) - len(upper) + 1 :], upper[1:])):
        return None
    row, top, rest = body[-len(upper)].rstrip(), upper[0].rstrip(), body[: -len(upper)]
    if same_row(row, top):
        return rest
    if row.endswith(top):
        return [*rest, row.removesuffix(top)]
    (text, places), pattern = normalized(row, _PATH), normalized(top, _PATH)[0]
    glued_to = pattern.strip(VARIES) and text.endswith(pattern)
    return [*rest, row[: places[len(text) - len(pattern)]]] if glued_to else None
