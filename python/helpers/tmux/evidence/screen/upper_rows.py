"""The rows of a prompt above its last one: which they are, and output without them. Pure.

They are known from memory where the line editor's can be read. Else they are the rows that every
prompt of the program that was seen has above it, but for numbers and the directory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .prompts import LONGEST, VARIES, normalized

TALLEST = 4  # rows of a prompt above its last one
ALIKE = 3  # characters that the prompts of one shell have in common: fish's holds a status
_PATH = re.compile(r"[~/]\S*|\d+")  # what varies in them; a path may hold anything


def common_rows(
    above: Sequence[str], earlier: Sequence[str], directory: Sequence[str] = ()
) -> list[str]:
    """The rows at the end of `above` that are at the end of `earlier` too, as they are remembered.
    `directory`: names of the one that a prompt shows; what follows it in a row varies (a branch)
    and is left out."""
    rows: list[str] = []
    pairs = zip(reversed(above[-TALLEST:]), reversed(earlier[-TALLEST:]), strict=False)
    for row, other in pairs:
        if row.strip().isdecimal() or not is_alike(row, other, directory):
            break
        rows.insert(0, _head(row, directory) or row)
    return rows


def seen_rows(
    above: Sequence[str], prompts: Sequence[str], directory: Sequence[str] = ()
) -> list[str] | None:
    """The upper rows of the prompt below `above`, by the earlier prompts in it; None where there is
    no earlier one. `prompts`: the one that is there, then older ones."""
    sign = prompts[0][:ALIKE]
    alike = [prompt for prompt in prompts if prompt.strip() and prompt[:ALIKE] == sign]
    starts = tuple(normalized(prompt.strip())[0] for prompt in alike)
    earlier = [
        common_rows(above, above[:at], directory)
        for at, row in enumerate(above)
        if starts and normalized(row[:LONGEST])[0].startswith(starts)
    ]
    return min(earlier, key=len, default=None)


def without_rows(
    body: list[str], upper: Sequence[str], directory: Sequence[str] = ()
) -> list[str]:
    """`body` without those of the rows `upper` that are at its end. The first one may follow output
    without a line break."""
    for row in reversed(upper):
        if not body or not is_alike(body[-1], row, directory):
            return _without_end(body, row, directory)
        body = body[:-1]
    return body


def is_alike(row: str, other: str, directory: Sequence[str] = ()) -> bool:
    """Are both the same upper row, but for numbers, or as far as the directory that they show?"""
    if _plain(row) == _plain(other):
        return True
    head = _head(row, directory)
    return bool(head) and _plain(head) == _plain(_head(other, directory) or other)


def _plain(row: str) -> str:
    return normalized(row.rstrip(), _PATH)[0]


def _without_end(body: list[str], row: str, directory: Sequence[str]) -> list[str]:
    """`body` without `row` at the end of its last line, behind output."""
    last = body[-1].rstrip() if body else ""
    named = [row.rstrip()]
    if row.endswith(VARIES):  # a bare name may be the output's last word, a path hardly
        names = [name for name in directory if row != VARIES or name.startswith(("~", "/"))]
        named = [row[:-1] + name for name in names]
    for text in filter(None, named):
        if last.endswith(text):
            return [*body[:-1], last.removesuffix(text)]
    end = _plain(row)
    text, places = normalized(last, _PATH)
    if end.strip(VARIES) and text.endswith(end):
        return [*body[:-1], last[: places[len(text) - len(end)]]]
    return body


def _head(row: str, directory: Sequence[str]) -> str:
    """`row` up to where it shows the directory last, with VARIES in its place; "" where it shows
    none. A path may be shortened: `~/w/h/src`, `…/src`."""
    if row.endswith(VARIES):
        return row
    words = [re.escape(name) for name in directory]
    pattern = rf"(?<![\w.-])(?:[~…/][^\s~]{{0,99}}/)?(?:{'|'.join(words)})(?![\w/.-])"
    found = list(re.finditer(pattern, row)) if words else []
    return row[: found[-1].start()] + VARIES if found else ""
