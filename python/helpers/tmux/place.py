"""A cell of the ordinary screen: where it is now, and which lines stand behind it. Pure.

A cell's row number is valid as long as no row has moved: tmux drops a tenth of a full history at a
time, programs clear the screen and draw rows anew. Then whole rows are compared, as digests.
"""

import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from .cells import cells
from .look import Look, digest, placed, rows_of_lines

Lines = list[tuple[int, str]]  # the row on which each begins, and its text

CLEARED = "the screen was cleared; what came before that is lost"
SCROLLED = "the beginning of the output scrolled out of reach and is lost"
_KEYS_ECHO = re.compile(r"^(?:\^[A-Z@\[\\\]^_?])+")  # `^C`
_ABOVE = 5  # rows above a place that are kept
_SENT = 20  # last characters of a text that are searched for if Enter redrew its row


@dataclass(slots=True, kw_only=True)
class Place:
    """A cell, and what identifies it if rows have moved."""

    row: int
    x: int
    width: int
    history: int
    rows: list[int]  # digests of `row` up to `x`, and of those above from below
    sent: list[int] = field(default_factory=list)  # length and digest of the text's end
    whole: bool = False  # text behind `x` counts too: nothing is echoed, or output stands there
    echo: int = 0  # digest of a key that was pressed there, if the kernel echoes it
    prompt: bool = False  # a prompt stands there: with text behind it, the whole line counts

    def is_moved(self, seen: Look) -> bool:
        """Whether rows may have other numbers than they had."""
        shorter = seen.history_is_full or self.history > seen.history_size
        return shorter or self.width != seen.width

    def has_cursor(self, seen: Look) -> bool:
        """Whether the cursor is still there, below the same rows."""
        now = place_at(seen)
        return (now.row, now.x, now.rows) == (self.row, self.x, self.rows)


def place_at(seen: Look, text: str = "", **kind: bool) -> Place:
    """The place at the cursor. `text`: what was typed."""
    rows = seen.rows
    higher = range(seen.row - 1, seen.row - 1 - _ABOVE, -1)
    end = text.rstrip()[-_SENT:].split("\n")[-1]
    return Place(
        row=seen.row,
        x=seen.cursor_x,
        width=seen.width,
        history=seen.history_size,
        rows=[digest(seen.left), *(digest(rows[at]) for at in higher if at in rows)],
        sent=[len(end), digest(end)] if end else [],
        **kind,
    )


def ends(text: str, known: list[int]) -> bool:
    """Whether `text` ends with what has that length and digest."""
    return bool(known) and digest(text[-known[0] :]) == known[1]


def since(place: Place | None, seen: Look) -> tuple[Lines, str]:
    """The lines behind `place`, as they stand now, and why some may be missing."""
    lines = then = seen.lines
    if not place:
        return lines, ""
    if place.width != seen.width:  # its rows are as wide as they were
        then = placed([text for _, text in lines], seen.history_size + seen.height, place.width)
    rows = rows_of_lines(then, place.width)
    row, x = _find(place, seen, rows), place.x
    if row is None:
        row, x = _redrawn(place, rows), place.width
    if row is None:
        return lines, SCROLLED if seen.history_is_full else CLEARED
    at = sum(start <= row for start, _ in then)
    found = lines[at:]
    if at:  # the line that holds the place
        start, text = then[at - 1]
        behind = _KEYS_ECHO.sub("", cells(text, (row - start) * place.width + x)[1])
        if place.echo and digest(behind[:1]) == place.echo:
            behind = behind[1:]
        if behind.strip() and (place.whole or place.prompt or not x):
            first = lines[at - 1]
            found = [first if place.prompt else (first[0], behind), *found]
    return found, ""


def _find(place: Place, seen: Look, rows: dict[int, str]) -> int | None:
    """The row of `place` now: where it was; if rows have moved, or were drawn anew, the first of
    those that are equal, so that no output is lost."""

    def stands(row: int, count: int = _ABOVE + 1) -> bool:
        if digest(cells(rows.get(row, ""), place.x)[0]) != place.rows[0]:
            return False  # as most: a history may have many rows
        higher = enumerate(place.rows[1:count], start=1)
        return all(digest(rows.get(row - up, "")) == known for up, known in higher)

    still = place.row in rows and not place.is_moved(seen)
    if still and stands(place.row, 1 if place.x else 2):
        return place.row
    return next(filter(stands, rows), None)


def _redrawn(place: Place, rows: dict[int, str]) -> int | None:
    """The last row that was shown, if a program has drawn the place anew, near the old one: of a
    typed line, where it ends; else the nearest row above that stands."""
    for up, known in enumerate(place.rows):
        text = rows.get(place.row - up, "")
        if ends(text, place.sent) if place.sent else known and digest(text) == known:
            return place.row - up
    return None


def new_rows(old: list[int], rows: list[str]) -> list[int]:
    """Which of `rows` were not among those with the digests `old`, in that order. Empty rows do
    not count."""
    before = list(filter(None, old))
    filled = [at for at, row in enumerate(rows) if row.strip()]
    now = [digest(rows[at]) for at in filled]
    changes = SequenceMatcher(None, before, now, False).get_opcodes()
    return [at for kind, *_, first, last in changes if kind != "equal" for at in filled[first:last]]
