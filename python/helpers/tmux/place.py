"""A cell of the ordinary screen: where it is now, and which lines stand behind it. Pure.

Its row number is valid as long as no row has moved: tmux drops a tenth of a full history at a time,
programs clear the screen and draw rows anew. Then whole rows are compared, as digests.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from .look import Look, digest, rows_of_lines
from .output import cells, pieces

Lines = list[tuple[int, str]]  # the row on which each begins, and its text

CLEARED = "the screen was cleared; what came before that is lost"
SCROLLED = "the beginning of the output scrolled out of reach and is lost"
_DRAWN, _ABOVE = 60, 5  # rows of a place that are kept: those drawn there, and those above
_SENT = 20  # last characters of a text that are searched for if Enter redrew its row


@dataclass(slots=True, kw_only=True)
class Place:
    """A cell, and what identifies it if rows have moved."""

    row: int
    x: int
    width: int
    history: int
    drawn: list[int]  # digests of rows, the last is `row` up to `x`
    above: list[int]  # digests of the rows above those, the nearest first
    line: list[int]  # length and digest of the whole line up to `x`
    sent: list[int] = field(default_factory=list)  # length and digest of the text's end
    begin: list[int] = field(default_factory=list)  # the same of the prompt before it
    whole: bool = False  # text behind `x` counts too: nothing is echoed, or output stands there
    prompt: bool = False  # a prompt stands there: with text behind it, the whole line counts
    echo: int = 0  # digest of a key that was pressed there
    echoes: bool = False  # the kernel echoes it; else a program may do so
    left_over: bool = False  # a killed program has left its screen on, and this cell is on it

    @property
    def first(self) -> int:
        """The first of the rows that are drawn there."""
        return self.row - len(self.drawn) + 1


def place_at(seen: Look, first: int | None = None, text: str = "", **kind: bool) -> Place:
    """The place at the cursor. `first`: the first row of what is drawn there; `text`: what was
    typed."""
    first = seen.row if first is None else min(first, seen.row)
    first = max(first, seen.row - _DRAWN)
    rows = seen.rows
    drawn = [digest(rows.get(at, "")) for at in range(first, seen.row)]
    higher = range(first - 1, first - 1 - _ABOVE, -1)
    end = text.rstrip()[-_SENT:].split("\n")[-1]
    prompt = seen.line_left.removesuffix(text) if end else ""
    return Place(
        row=seen.row,
        x=seen.cursor_x,
        width=seen.width,
        history=seen.history_size,
        drawn=[*drawn, digest(seen.left)],
        above=[digest(rows[at]) for at in higher if at in rows],
        line=[len(seen.line_left.rstrip()), digest(seen.line_left)],
        sent=_identified(end),
        begin=_identified(prompt),
        left_over=seen.alternate_on,
        **kind,
    )


def _identified(text: str) -> list[int]:
    return [len(text), digest(text)] if text else []


def ends(text: str, known: list[int]) -> bool:
    """Whether `text` ends with what has that length and digest."""
    return bool(known) and digest(text[-known[0] :]) == known[1]


def since(place: Place | None, seen: Look, lines: Iterable[tuple[int, str]]) -> tuple[Lines, str]:
    """The lines behind `place`, as they stand now, and why some may be missing."""
    lines = list(lines)
    if not place:
        return lines, ""
    rows = rows_of_lines(lines, seen.width)
    row, x = _find(place, seen, rows, lines), place.x
    if row is None:
        row, x = _redrawn(place, seen, rows), seen.width
    if row is None:
        return lines, SCROLLED if seen.history_is_full else CLEARED
    found: Lines = []
    for start, text in lines:
        height = max(sum(1 for _ in pieces(text.rstrip(), seen.width)), 1)
        if start > row:
            found.append((start, text))
        elif start + height > row:  # the line that holds the place
            behind = cells(text, (row - start) * seen.width + x)[1]
            alone = place.echoes or len(behind.rstrip()) == 1
            if place.echo and digest(behind[:1]) == place.echo and alone:
                behind = behind[1:]
            if not x and len(place.drawn) > seen.height and not behind[: seen.width - 1].strip():
                behind = behind[seen.width :]  # readline has drawn the last character once more
            if behind.strip() and (place.whole or place.prompt or not x):
                found.append((start, text) if place.prompt else (row, behind))
    return found, ""


def _find(place: Place, seen: Look, rows: dict[int, str], lines: Lines) -> int | None:
    """The row of `place` now: where it was, else whole rows that are equal, from below."""
    if seen.width != place.width:
        return _find_line(place, seen, rows, lines)
    trimmed = seen.history_is_full or place.history > seen.history_size
    if trimmed:  # of equal places the first one loses no output
        tenth = max(seen.history_limit // 10, 1)
        for row in sorted(rows):
            moved = row <= place.row and (place.row - row) % tenth == 0
            if moved and _is_drawn(place, rows, row) and _is_below(place, rows, row):
                return row
    elif place.row in rows and _is_drawn(place, rows, place.row):
        return place.row
    for row in sorted(rows, reverse=True):
        if _is_drawn(place, rows, row) and _is_below(place, rows, row):
            return row
    return None


def _is_drawn(place: Place, rows: dict[int, str], row: int) -> bool:
    """Whether the rows of `place` are those that end on `row`."""
    if digest(cells(rows.get(row, ""), place.x)[0]) != place.drawn[-1]:
        return False
    first = row - len(place.drawn) + 1
    return [digest(rows.get(at, "")) for at in range(first, row)] == place.drawn[:-1]


def _is_below(place: Place, rows: dict[int, str], row: int) -> bool:
    """Whether the rows above `row` are those above `place`."""
    first = row - len(place.drawn) + 1
    higher = [digest(rows.get(first - 1 - up, "")) for up in range(len(place.above))]
    return higher == place.above


def _find_line(place: Place, seen: Look, rows: dict[int, str], lines: Lines) -> int | None:
    """The row of `place` after the width has changed, by comparing whole lines."""
    size, known = place.line
    for start, text in reversed(lines):
        if size and digest(text[:size]) == known:
            return start + max(size - 1, 0) // seen.width
        if not size and [digest(text)] == place.above[:1]:  # an empty line, below that one
            return start + max(sum(1 for _ in pieces(text, seen.width)), 1)
    return place.row if place.row in rows and not size else None


def _redrawn(place: Place, seen: Look, rows: dict[int, str]) -> int | None:
    """The last row that was shown, if a program has drawn the place anew, near the old one: of a
    typed line, where it ends, or where its prompt begins; else the nearest row above that stands.
    """
    above = place.first - 1
    for row in range(place.row, above - 2, -1):
        if ends(rows.get(row, ""), place.sent):
            return row
    for row in range(place.row + 1, above - 1, -1):
        size, known = place.begin or [0, 0]
        if size and row < seen.line_row and digest(rows.get(row, "")[:size]) == known:
            return row
    for up, known in enumerate(() if place.sent else place.above):
        if known and digest(rows.get(above - up, "")) == known:
            return above - up
    taken_back = not place.sent and seen.line_row == place.first  # a draft
    if taken_back and [digest(rows.get(above, ""))] == place.above[:1]:
        return above
    return None


def drawn_over(old: list[int], shown: Place | None, place: Place, seen: Look) -> Lines:
    """The rows above `place` that a program, a menu, has drawn over since the last answer."""
    if not shown or shown.width != seen.width or seen.history_is_full:
        return []
    return [
        (row, seen.rows[row])
        for row, known in enumerate(old, shown.history)
        if row < place.first and seen.rows.get(row) and digest(seen.rows[row]) != known
    ]


def new_rows(old: list[int], rows: list[str]) -> tuple[list[int], int]:
    """Which of `rows` were not among those with the digests `old`, in that order, and how many of
    those are gone without another one in their place. Empty rows do not count."""
    before = list(filter(None, old))
    filled = [at for at, row in enumerate(rows) if row.strip()]
    now = [digest(rows[at]) for at in filled]
    new: list[int] = []
    gone = 0
    for kind, begin, end, first, last in SequenceMatcher(None, before, now, False).get_opcodes():
        if kind != "equal":
            new += filled[first:last]
            gone += max((end - begin) - (last - first), 0)
    return new, gone
