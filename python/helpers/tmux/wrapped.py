"""Lines that are longer than a row, and that fill it. Pure.

To tmux a row that is full is a wrapped one: what a program prints behind an echo that fills its
last row is then the rest of that line. And some line editors wrap no line: they scroll it sideways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .output import cells, squeezed, width
from .prompt import CONTINUED

# How ksh marks, at the right, that a line goes on there; readline: `<` at the left.
_SIDEWAYS = ("<", ">", "*", "+")
_MORE = 40  # cells that a continuation prompt and blanks take beside what was typed


def unwrapped(rows: Sequence[str], typed: str, columns: int) -> list[str]:
    """`rows` with a break behind each echo of a line of `typed` (prompt included) that fills its
    last row. `columns`: cells of a row."""
    echoes = {squeezed(line) for line in typed.split("\n")} - {""}
    longest = max((sum(map(width, line)) for line in typed.split("\n")), default=0) + _MORE
    return [part for row in rows for part in _parts(row, echoes, columns, longest)]


def _parts(row: str, echoes: set[str], columns: int, longest: int) -> Iterator[str]:
    for end in range(columns, longest, columns) if len(row) * 2 > columns > 0 else ():
        head, rest = cells(row, end)
        if not rest:
            break
        if squeezed(head) in echoes or squeezed(CONTINUED.sub("", head)) in echoes:
            yield head
            row = rest
            break
    yield row


def is_sideways(row: str, columns: int) -> bool:
    """Is `row` a part of a line that is scrolled sideways? What ends a right prompt is no mark."""
    used = sum(map(width, row.rstrip()))
    last = row.split("  ")[-1].strip()
    marked = last[-1:] in _SIDEWAYS if "  " not in row else last in _SIDEWAYS
    return (used >= columns - 1 > 0 and marked) or (row.startswith("<") and used * 2 >= columns)
