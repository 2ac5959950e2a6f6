"""The rows of a prompt above its last one: which they are, and output without them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...output import squeezed
from .prompt import LONGEST, VARIES, normalized

TALLEST = 4  # rows of a prompt above its last one
ALIKE = 3  # characters that the prompts of one shell have in common: fish's holds a status
_PATH = re.compile(r"[~/]\S*|\d+")  # what varies in them; a path may hold anything


def same_row(one: str, other: str) -> bool:
    """Are both the same upper row of a prompt, but for directories and numbers?"""
    return normalized(one.rstrip(), _PATH)[0] == normalized(other.rstrip(), _PATH)[0]


def upper_rows(
    above: Sequence[str], prompts: Sequence[str], directory: Sequence[str] = ()
) -> list[str] | None:
    """The rows of a prompt above its last one: those at the end of `above` (all that is above the
    last row) that are above every earlier prompt like it too. None where no earlier one is there.
    `prompts`: the one that is there, then older ones; `directory`: names of the one that a prompt
    shows. What follows it in a row varies (a branch, how long a command took) and is left out."""
    alike = [prompt for prompt in prompts if prompt[:ALIKE] == prompts[0][:ALIKE]]
    earlier = [at for prompt in alike for at in _places(above, prompt)]
    tall = min((_common(above, above[:at], directory) for at in earlier), default=None)
    if tall is None:
        return None
    return [_head(row, directory) or row for row in above[len(above) - tall :]]


def still_above(above: Sequence[str], upper: list[str], directory: Sequence[str] = ()) -> list[str]:
    """The rows of `upper`, from the last one on, that are above this prompt too; all where not
    enough is in `above` to tell."""
    if len(above) < len(upper) or without_rows(list(above), upper, directory) is not None:
        return upper
    return upper[len(upper) - _common(above, upper, directory) :]


def _head(row: str, directory: Sequence[str]) -> str:
    """`row` up to where it shows the directory last, with VARIES in the place of that; "" where it
    does not. Before that may be output; a path may be shortened: `~/w/h/src`, `…/src`."""
    paths = [re.escape(name) for name in directory if name[0] in "~/"]
    for name in (re.escape(name) for name in directory if name[0] not in "~/"):
        shortened = r"(?:(?:…|\.\.\.)/(?:\S{0,99}/)?)?"
        paths += [rf"~[^\s~]{{0,99}}/{name}", rf"(?<![\w~/.-]){shortened}{name}"]
    found = list(re.finditer(rf"(?:{'|'.join(paths)})(?![\w/.-])", row)) if paths else []
    return row[: found[-1].start()] + VARIES if found else ""


def _is_alike(row: str, other: str, directory: Sequence[str]) -> bool:
    """Is `row` the same as `other`, or as far as the directory that it shows?"""
    if same_row(row, other):
        return True
    head = normalized(_head(row, directory), _PATH)[0]
    before = normalized(_head(other, directory) or other, _PATH)[0]
    return bool(head) and before.startswith(head)


def _places(rows: Sequence[str], prompt: str) -> list[int]:
    """The rows that begin with `prompt`."""
    pattern = normalized(prompt.strip())[0]
    if not pattern:
        return []
    return [at for at, row in enumerate(rows) if normalized(row[:LONGEST])[0].startswith(pattern)]


def _common(one: Sequence[str], other: Sequence[str], directory: Sequence[str]) -> int:
    """How many rows at the end of both are alike, and may be a prompt's: a number is none."""
    count = 0
    for row, its in zip(reversed(one[-TALLEST:]), reversed(other[-TALLEST:]), strict=False):
        if row.strip().isdecimal() or not _is_alike(row, its, directory):
            break
        count += 1
    return count


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


def without_rows(
    body: list[str], upper: Sequence[str], directory: Sequence[str] = ()
) -> list[str] | None:
    """`body` without the rows `upper` at its end, the first of which may follow output without a
    line break; None where `body` does not end so.
    """
    if not upper or len(body) < len(upper):
        return None
    pairs = zip(body[len(body) - len(upper) + 1 :], upper[1:], strict=True)
    if not all(_is_alike(*pair, directory) for pair in pairs):
        return None
    row, top, rest = body[-len(upper)].rstrip(), upper[0].rstrip(), body[: -len(upper)]
    if _is_alike(row, top, directory):
        return rest
    if row.endswith(top):
        return [*rest, row.removesuffix(top)]
    pattern = normalized(top, _PATH)[0]
    for head in (row, _head(row, directory)):
        text, places = normalized(head, _PATH)
        begin = places[max(len(text) - len(pattern), 0)]
        is_path = head is not row and row[begin] in "~/"
        if text.endswith(pattern) and (pattern.strip(VARIES) or is_path):
            return [*rest, row[:begin]]
    return None
