"""A cell of the ordinary screen: where it is now, and which lines stand behind it. Pure.

Output begins at the cell in which Enter was pressed, or up to which the last answer has told it. A
cell's row number is valid as long as no row has moved. Rows move when tmux drops a tenth of a full
history, when the terminal is resized and lines are broken anew, and when a program clears the
screen. So a place is known by its text too: what stood left of it, and the rows above, as digests.

The history of a terminal that was used for long is nearly full for ever. tmux does not tell how
many rows it has dropped: that none was is seen by a row near the place, like no other there, that
has still its number.

The rules of FIND look for it, from top to bottom: where it was; where a full history has moved it;
else the first row of all that is equal, so that no output is lost; else a row near by that a
program has drawn anew. Behind it stand the lines below, and on its own line what is no echo of
keys. If no rule finds it, everything in reach stands behind it, and what may be missing is said.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from ..base.cells import Line, cells
from ..base.rules import apply
from .look import MOST_ABOVE, Look, digest, placed, rows_of_lines

CLEARED = "the screen was cleared; what came before that is lost"
SCROLLED = "the beginning of the output scrolled out of reach and is lost"
LEFT_OUT = f"only the last {MOST_ABOVE} rows are looked at; what came before them is left out"
_KEYS_ECHO = re.compile(r"^(?:\^\[[\[O][\d;]*[A-Za-z~]|\^[A-Z@\[\\\]^_?])+")  # `^C`, `^[[B`
_ABOVE = 5  # rows above a place that are kept
_DROPPED = 10  # a full history loses such a part of its rows at a time (tmux, grid.c)
_TYPED = 20  # last characters of a text that are searched for if Enter redrew its row


class TypedEnd(NamedTuple):
    """The end of a text that was typed, which is not stored itself."""

    length: int
    digest: int

    def ends(self, text: str) -> bool:
        """Whether `text` ends with it."""
        return digest(text[-self.length :]) == self.digest


@dataclass(slots=True, kw_only=True)
class Place:
    """A cell, and what identifies it if rows have moved."""

    row: int
    x: int
    width: int  # of a row, then
    history: int  # rows above the screen, then
    at: float  # monotonic seconds of the look
    left: int  # digest of the row up to `x`
    above: list[int]  # digests of the rows above, from below
    below: list[int]  # digests of the lines below, if a program draws there
    typed: TypedEnd | None = None  # the text at whose end it is
    whole: bool = False  # text behind `x` counts too: nothing is echoed, or output stands there
    echo: int = 0  # digest of a sign that may be drawn there: a key's echo, the text's last sign
    prompt: bool = False  # a prompt stands there: with text behind it, the whole line counts

    def __post_init__(self) -> None:
        if self.typed:
            self.typed = TypedEnd(*self.typed)

    def is_moved(self, seen: Look) -> bool:
        """Whether rows may have other numbers than they had: a full history loses its oldest ones.
        Where a row that is like no other near by has still its number, they have not moved."""
        if self.width != seen.width or self.history > seen.history_size:
            return True
        return seen.history_is_full and not self._stands(seen)

    def _stands(self, seen: Look) -> bool:
        """Whether the place's row, or one of those above, is where it was."""
        known = [self.left, *self.above]
        texts = [seen.rows.get(self.row - up, "") for up in range(len(known))]
        texts[0] = cells(texts[0], self.x)[0]
        same = [one for one, text in zip(known, texts, strict=True) if one and digest(text) == one]
        return any(known.count(one) == 1 for one in same)

    def has_cursor(self, seen: Look) -> bool:
        """Whether the cursor is still there, below the same rows."""
        now = place_at(seen)
        same_cell = (now.row, now.x) == (self.row, self.x)
        return same_cell and (now.left, now.above) == (self.left, self.above)


class Behind(NamedTuple):
    """The lines behind a place, as they stand now, and why some may be missing."""

    lines: list[Line]
    lost: str = ""


class Cell(NamedTuple):
    """A row, and the column up to which it is old."""

    row: int
    x: int


class Now(NamedTuple):
    """The rows of now, as wide as they were when a place was noted."""

    rows: dict[int, str]
    moved: bool  # rows may have other numbers than they had
    dropped: int  # rows that a full history loses at a time

    def digest(self, row: int) -> int:
        """What identifies a row; 0 where there is none."""
        return digest(self.rows.get(row, ""))


def place_at(seen: Look, text: str = "", *, whole: bool = False, prompt: bool = False) -> Place:
    """The place at the cursor. `text`: what was typed."""
    higher = range(seen.row - 1, seen.row - 1 - _ABOVE, -1)
    end = text.rstrip()[-_TYPED:].split("\n")[-1]
    typed = None
    if end:
        typed = TypedEnd(len(end), digest(end))
    return Place(
        row=seen.row,
        x=seen.cursor_x,
        width=seen.width,
        history=seen.history_size,
        at=seen.at,
        left=digest(seen.left),
        above=[digest(seen.rows[row]) for row in higher if row in seen.rows],
        below=[digest(line.text) for line in seen.lines if line.row > seen.row and seen.below],
        typed=typed,
        echo=digest(end[-1:]),
        whole=whole,
        prompt=prompt,
    )


def since(place: Place | None, seen: Look) -> Behind:
    """What stands behind `place`; all lines if there is no place."""
    if not place:
        return Behind(seen.lines)

    lines = _as_wide_as(place, seen)
    rows = rows_of_lines(lines, place.width)
    dropped = max(seen.history_limit // _DROPPED, 1)
    cell = apply(FIND, place, Now(rows, place.is_moved(seen), dropped)).said
    if not cell:
        return Behind(seen.lines, _why_gone(seen))

    old = sum(line.row <= cell.row for line in lines)
    below = seen.lines[old:]
    if not old:
        return Behind(below)

    rest = _rest_of_its_line(place, cell, lines[old - 1])
    if not rest:
        return Behind(below)

    its_line = seen.lines[old - 1]
    if place.prompt:
        return Behind([its_line, *below])
    return Behind([Line(its_line.row, rest), *below])


def _why_gone(seen: Look) -> str:
    """Why no rule finds the place."""
    if seen.is_cut:
        return LEFT_OUT
    if seen.history_is_full:
        return SCROLLED
    return CLEARED


def _as_wide_as(place: Place, seen: Look) -> list[Line]:
    """The lines of now, on the rows on which they would begin in a terminal as wide as then."""
    if place.width == seen.width:
        return seen.lines
    texts = [line.text for line in seen.lines]
    return placed(texts, seen.history_size + seen.height, place.width)


def _rest_of_its_line(place: Place, cell: Cell, line: Line) -> str:
    """What stands behind the place on its own line and counts: no echo of the keys that were
    pressed there (`^C`), and behind a text that was entered nothing at all."""
    if place.x and not (place.whole or place.prompt):
        return ""

    before = (cell.row - line.row) * place.width + cell.x
    rest = _KEYS_ECHO.sub("", cells(line.text, before)[1])
    if place.typed:
        rest = _without_last_sign(place, rest)
    elif place.echo and digest(rest[:1]) == place.echo:
        rest = rest[1:]

    if rest.strip():
        return rest
    return ""


def _without_last_sign(place: Place, rest: str) -> str:
    """Enter draws the last sign of a text that fills its row once more, at the end of the place's
    row (bash, if the text is taller than the screen)."""
    row, more = cells(rest, place.width)
    alone = len(row) == place.width and len(row.strip()) == 1
    if alone and digest(row[-1]) == place.echo:
        return more
    return rest


# where it is now


def _where_it_was(place: Place, now: Now) -> Cell | None:
    """A command has printed below it: the same text stands left of the same cell. Left of column 0
    stands nothing: there the row above must be the same too."""
    if now.moved or place.row not in now.rows:
        return None

    higher = 1
    if place.x:
        higher = 0

    if _stands_at(place, now, place.row, higher):
        return Cell(place.row, place.x)
    return None


def _where_it_has_moved_to(place: Place, now: Now) -> Cell | None:
    """A full history has lost its oldest rows, a tenth at a time: of the rows that can be the
    place's the first that is equal, so that no output is lost."""
    if not now.moved:
        return None
    for row in range(place.row % now.dropped, place.row + 1, now.dropped):
        if row in now.rows and _stands_at(place, now, row, _ABOVE):
            return Cell(_end_of_text(place, now, row), place.x)
    return None


def _first_that_is_equal(place: Place, now: Now) -> Cell | None:
    """Rows have moved otherwise, or a program has drawn them anew elsewhere (`clear`, then the same
    prompt): the first of the rows that are equal, below equal rows, so that no output is lost."""
    for row in now.rows:
        if _stands_at(place, now, row, _ABOVE):
            return Cell(_end_of_text(place, now, row), place.x)
    return None


def _end_of_text(place: Place, now: Now, row: int) -> int:
    """The last of the equal rows from `row` on, of which a text that was entered consists."""
    while place.typed and _stands_at(place, now, row + 1, _ABOVE):
        row += 1
    return row


def _typed_line_drawn_anew(place: Place, now: Now) -> Cell | None:
    """Enter has drawn a prompt of two rows as one, near the old place (zsh's transient prompts):
    what was typed ends a row there."""
    if not place.typed:
        return None
    for up in range(_ABOVE + 1):
        row = place.row - up
        if place.typed.ends(now.rows.get(row, "")):
            return Cell(row, place.width)
    return None


def _nearest_row_that_stands(place: Place, now: Now) -> Cell | None:
    """A program has drawn its question anew (`? Name ` became `Name: Ann`): the nearest row above
    that is still the same, with the one above it. A prompt alone is the same anywhere."""
    if place.typed:
        return None

    known = [place.left, *place.above, 0]
    for up, pair in enumerate(pairwise(known)):
        row = place.row - up
        if pair[0] and pair == (now.digest(row), now.digest(row - 1)):
            return Cell(row, place.width)

    return None


FIND: tuple[Callable[[Place, Now], Cell | None], ...] = (
    _where_it_was,
    _where_it_has_moved_to,
    _first_that_is_equal,
    _typed_line_drawn_anew,
    _nearest_row_that_stands,
)


def _stands_at(place: Place, now: Now, row: int, higher: int) -> bool:
    """Whether `row` is the place's, with so many of the rows above. A history may have many rows:
    most differ at once. Where those above may have scrolled out of reach, a text that was entered
    is known by itself."""
    if digest(cells(now.rows.get(row, ""), place.x)[0]) != place.left:
        return False
    above = enumerate(place.above[:higher], start=1)
    by_itself = now.moved and place.typed and place.left
    return all(now.digest(row - up) == known for up, known in above if up <= row or not by_itself)


# rows of a screen


class Changes(NamedTuple):
    """Which rows are new, the digests of those that have gone from between others, and how many are
    as they were."""

    new: list[int]
    gone: list[int]
    unchanged: int


def changes(old: list[int], rows: list[str]) -> Changes:
    """How `rows` differ from those with the digests `old`. Empty rows do not count; a row that was
    drawn anew, or stands elsewhere, is new; the first ones have not gone where others came below:
    all have scrolled."""
    before = [known for known in old if known]
    filled = [at for at, row in enumerate(rows) if row.strip()]
    now = [digest(rows[at]) for at in filled]
    new: list[int] = []
    gone: list[int] = []

    for kind, top, bottom, begin, end in SequenceMatcher(None, before, now, False).get_opcodes():
        if kind == "delete" and (top or len(now) < len(before)):
            lost = [known for known in before[top:bottom] if now.count(known) < before.count(known)]
            gone.extend(lost)
        elif kind != "equal":
            new.extend(filled[begin:end])

    return Changes(new, gone, len(filled) - len(new))
