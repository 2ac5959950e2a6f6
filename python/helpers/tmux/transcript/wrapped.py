"""Lines that are longer than a row, and that fill it. Pure.

To tmux a row that is full is a wrapped one: what a program prints behind an echo that fills its
last row is then the rest of that line. And some line editors wrap no line: they scroll it sideways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evidence.screen.prompt import CONTINUED
from ..output import breadth, pieces, squeezed

# How ksh marks, at the right, that a line goes on there; readline: `<` at the left.
_SIDEWAYS = ("<", ">", "*", "+")
_MORE = 40  # cells that a continuation prompt and blanks take beside what was typed


def unwrapped(rows: Sequence[str], typed: str, columns: int) -> list[str]:
    """`rows` with a break behind each echo of a line of `typed` (prompt included) that fills its
    last row. `columns`: cells of a row."""
    lines = typed.split("\n")
    if not 0 < columns < max(map(breadth, lines)) + _MORE:
        return list(rows)
    echoes: dict[int, set[str]] = {}  # by length: a long text is compared only where one can end
    for echo in filter(None, map(squeezed, lines)):
        echoes.setdefault(len(echo), set()).add(echo)
    return [part for row in rows for part in _parts(row, echoes, columns)]


def _parts(row: str, echoes: dict[int, set[str]], columns: int) -> Iterator[str]:
    continued = CONTINUED.match(row)
    signs = len(squeezed(continued[0])) if continued else 0
    longest = max(echoes, default=0) + signs
    shown, end = "", 0
    for piece in pieces(row, columns):
        shown, end = shown + squeezed(piece), end + len(piece)
        if end == len(row) or len(shown) > longest:
            break
        if any(shown[begin:] in echoes.get(len(shown) - begin, ()) for begin in {0, signs}):
            yield row[:end]
            row = row[end:]
            break
    yield row


def is_sideways(row: str, columns: int) -> bool:
    """Is `row` a part of a line that is scrolled sideways? What ends a right prompt is no mark."""
    used = breadth(row.rstrip())
    last = row.split("  ")[-1].strip()
    marked = last[-1:] in _SIDEWAYS if "  " not in row else last in _SIDEWAYS
    return (used >= columns - 1 > 0 and marked) or (row.startswith("<") and used * 2 >= columns)
