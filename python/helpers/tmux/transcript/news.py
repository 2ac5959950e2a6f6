"""Where a place on a pane is now, and which lines came since. Pure: lines in, lines out.

A place is a cell. Its row number is valid unless rows have moved: the history was trimmed, the
screen cleared, or the width changed. Then whole rows are compared. A place that is not found is
lost, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..evidence.screen.prompts import begins
from ..evidence.screen.view import Lines, View, digest
from ..output import cells
from .mark import Input, Place, Typed, above_screen, below, ends_with, left_of, lines_sent

CONTEXT = 60  # rows above a place that are read to find it again
_EQUAL = 3  # rows above a place that must be equal too in a search


@dataclass(frozen=True, slots=True)
class News:
    """Lines that came since a place. `cleared`: the place itself is gone; `lost`: lines since then
    are gone too, because the history was full."""

    lines: list[str]
    cleared: bool = False
    lost: bool = False


def output_of(
    view: View,
    lines: Lines,
    typed: Input,
    prompts: Sequence[str] = (),
    end: int | None = None,
) -> News:
    """The lines that came after the cell in which Enter or keys were pressed, up to the row `end`.
    `prompts`: after one of them a line editor redraws text that was typed ahead."""
    place = typed.end
    return since_place(view, lines, place, True, end, typed, prompts) if place else News([])


def since_place(
    view: View,
    lines: Lines,
    place: Place,
    behind: bool = False,
    end: int | None = None,
    typed: Input | None = None,
    prompts: Sequence[str] = (),
) -> News:
    """The lines that came since `place` was shown, or since the input `typed` there, up to the row
    `end`. They begin with the place's own line if that has grown; with `behind`, with the text
    after the place in it."""
    row = _find(view, lines, place, typed, prompts)
    if row is None:
        # A row in which text was typed is gone only if the screen was cleared.
        text = typed is not None and typed.typed is Typed.TEXT
        news = _all(view, lines.upto(end), place, clear=text)
        return replace(news, lines=_without_echoed_row(news.lines, typed))
    texts, lines = lines.physical, lines.upto(end)
    if end is not None and row > end:
        return News(lines.since(_below_kept(texts, place, row, end)))
    own = texts.get(row, "")
    before, tail = cells(own, place.x)
    # nothing came below an unchanged menu, whose cursor is above its end
    rest = [] if place.below == below(texts, row) else lines.since(row + 1)
    same = [left_of(own, place.x)] == place.drawn[-1:]
    if typed is not None and typed.ahead:  # the kernel echoes it
        return News(_without_redrawn(rest, typed.sent, prompts))
    if typed is not None and typed.typed is Typed.TEXT:
        empty = not before.strip() and (own or (typed.stays and place.x == 0))
        whole = empty or (typed.unseen and not same)  # some print no newline
        return News(lines.since(row) if whole else rest)
    first = _drawn_over(view, texts, place, row)
    if first < row and (typed is None or (typed.typed is Typed.KEYS and not typed.at_prompt)):
        return News(lines.since(first))  # a menu, above the cursor
    if not same:  # the program has redrawn that row, a pager's `:`, or it wraps differently
        return News(rest if digest(lines.at(row)) == place.line else lines.since(row))
    tail = _without_right(tail.strip(), place)
    if typed is not None:
        shown = _without_echo(tail, typed)
        rest = rest if shown != tail else _without_echoed_row(rest, typed)
        tail = shown
    if tail and not behind:
        return News(lines.since(row))
    return News([tail, *rest] if tail else rest)


def _without_right(behind: str, place: Place) -> str:
    """`behind`, the text right of the cell, without what was already there: a right prompt."""
    if place.right and ends_with(behind, place.right):
        return behind[: -place.right[0]].strip()
    return behind


def _without_echo(behind: str, typed: Input) -> str:
    """The text after the cell in which keys were pressed, without their echo."""
    for length, sent in typed.sent:
        if digest(behind[:length]) == sent:
            return behind[length:].strip()
    if typed.typed is Typed.SECRET and len(set(behind)) == 1 and not behind.isalnum():
        return ""  # masked
    return behind.removeprefix("^C").strip()


def _without_echoed_row(rows: list[str], typed: Input | None) -> list[str]:
    """`rows` without the last row that is the echo of keys: output came before them."""
    sent = typed.sent if typed is not None and typed.typed is Typed.KEYS else []
    for at in reversed(range(len(rows) if sent else 0)):
        if any(line in sent for line in lines_sent(rows[at])):
            return [*rows[:at], *rows[at + 1 :]]
    return rows


def _without_redrawn(rows: list[str], sent: list[list[int]], prompts: Sequence[str]) -> list[str]:
    """`rows` without the first row that consists of a prompt and the sent line."""
    begins = tuple(prompt.strip() for prompt in prompts if prompt.strip())
    for at, row in enumerate(rows):
        if sent and row.startswith(begins) and ends_with(row, sent[-1]):
            return [*rows[:at], *rows[at + 1 :]]
    return rows


def since_answer(
    view: View,
    lines: Lines,
    place: Place | None,
    typed: Input | None,
    behind: bool,
    prompts: Sequence[str] = (),
    end: int | None = None,
) -> News:
    """The lines that came since `place` was shown (None: since the first input), up to the row
    `end`, without the echo of the input `typed` since. `behind`: as in since_place."""
    if typed is None or typed.end is None:
        return since_place(view, lines, place, behind, end) if place else News([])
    news = output_of(view, lines, typed, prompts, end)
    row = _find(view, lines, typed.end, typed, prompts)
    # A text typed at the place itself may have been redrawn lower by Enter.
    below = typed.first or place is None or place.row != typed.end.row - typed.end.height + 1
    if row is None or not below:
        return news
    above = row - typed.end.height
    before = since_answer(view, lines, place, typed.first, behind, prompts, above)
    if before.cleared and (lines.first or not before.lost):
        # Lines above these may be needed; those at the top of all may be older than the place.
        return replace(news, cleared=bool(lines.first))
    return replace(news, lines=before.lines + news.lines, lost=before.lost)


def _all(view: View, lines: Lines, place: Place, clear: bool) -> News:
    """All lines that may be new if `place` is lost. If the history is another one, or was cleared
    (`clear`: output may repeat it row by row), that is all of them; else not those that were in it
    then, nor the stored rows that are unchanged."""
    texts = lines.physical
    another = above_screen(texts, place.history) != place.above_screen
    if clear or another or has_moved(view, place):
        return News(lines.since(0), cleared=True, lost=view.history_is_full)
    first = _below_kept(texts, place, place.row, place.row)
    return News(lines.since(first), cleared=first == place.history)


def _kept(texts: dict[int, str], place: Place, row: int, end: int) -> int | None:
    """The last of the stored rows above `row`, from the highest down to the row `end`, that are
    unchanged."""
    kept = None
    for up, stored in reversed(place.above):
        if row - up > end or not _holds(texts, row - up, stored):
            break
        kept = row - up
    return kept


def _below_kept(texts: dict[int, str], place: Place, row: int, end: int) -> int:
    """The first row that a program has drawn over, at the place (fzf, a prompt of several rows) or
    above it (dialog): the one below the unchanged rows, or the screen's first row."""
    kept = _kept(texts, place, row, end)
    return place.history if kept is None else max(kept + 1, place.history)


def has_moved(view: View, place: Place) -> bool:
    """Whether row numbers may have changed since the place was stored."""
    changed = view.width != place.width or view.history_size < place.history
    # A left-over alternate screen scrolls without a history.
    return changed or view.history_is_full or view.left_over


def _find(
    view: View,
    lines: Lines,
    place: Place,
    typed: Input | None = None,
    prompts: Sequence[str] = (),
) -> int | None:
    """The row on which the place is now. It is, in this order: where it was; where the same text is
    drawn below the same rows; where Enter redrew the input `typed` there; below the same rows."""
    if view.width != place.width:
        return _find_line(lines, place)
    sent = typed.sent if typed is not None and typed.typed is Typed.TEXT else []
    unseen = typed is not None and typed.unseen  # the place lacks what was sent
    texts = lines.physical
    drawn: int | None = None
    below: int | None = place.row
    if has_moved(view, place):
        drawn = next(filter(partial(_is_drawn, texts, place), _alike(view, lines, place)), None)
        if lines.first and (drawn is None or unseen):
            return None  # it may be above these lines, and output may repeat its text
        below = next(_alike(view, lines, place), None) if place.above else None
    else:
        there = any(_holds(texts, place.row - up, stored) for up, stored in place.above)
        if (sent or there) and _is_drawn(texts, place, place.row):
            return place.row
    if drawn is not None and not unseen:
        return drawn
    if (redrawn := _search_sent(lines, below, sent)) is not None:
        return redrawn + (place.x == 0 and not unseen)  # the text had filled its last row
    if drawn is not None or below is None:
        return drawn
    kept = _is_below_same(texts, place, below, 1) and (place.above or not sent)
    # Output that `clear` has put there may repeat the rows above it.
    line = not (prompts and texts.get(below)) or begins(texts[below], prompts)
    return below if kept and (not sent or view.row > below and line) else None


def _holds(texts: dict[int, str], row: int, stored: int) -> bool:
    """Whether `stored` is the digest of that row."""
    return digest(texts.get(row, "")) == stored


def _is_drawn(texts: dict[int, str], place: Place, row: int) -> bool:
    """Whether the place's drawn rows are those that end on `row`."""
    if not place.drawn:  # the caller was killed before it saw them
        return row == place.row
    first = row - len(place.drawn) + 1
    whole = all(_holds(texts, at, stored) for at, stored in enumerate(place.drawn[:-1], first))
    return whole and row in texts and left_of(texts[row], place.x) == place.drawn[-1]


def _is_below_same(texts: dict[int, str], place: Place, row: int, count: int) -> bool:
    """Whether the nearest `count` of the stored rows are still above `row`."""
    return all(_holds(texts, row - up, stored) for up, stored in place.above[:count])


def _alike(view: View, lines: Lines, place: Place) -> Iterator[int]:
    """The rows that are below the same rows, if rows have moved: first those to which the place
    moves when tmux trims a full history, the nearest first; then, if `lines` is the whole pane, all
    others, the lowest first. Nothing was above the first row of a pane."""
    texts = lines.physical
    top = min((row for row, text in texts.items() if text), default=0)
    everywhere = () if lines.first else sorted(texts, reverse=True)
    for row in (*view.rows_trimmed(place.row), *everywhere):
        if _is_below_same(texts, place, row, _EQUAL) and (place.above or row - place.height < top):
            yield row


def _find_line(lines: Lines, place: Place) -> int | None:
    """The row of the place after the width has changed, by comparing whole lines. Of several, a
    line below the same line wins, then the lowest. Every line begins like an empty row, so only the
    row above it identifies that one."""
    best, score = None, int(place.line == digest(""))
    for at, text in enumerate(lines.texts):
        begins = len(place.drawn) == 1 and left_of(text, place.x) == place.drawn[0]
        if not begins and digest(text) != place.line:
            continue
        same = sum(up <= at and digest(lines.texts[at - up]) == row for up, row in place.above[:1])
        if same >= score:
            grown = place.x == 0 and digest(text) != place.line  # after an empty row
            best, score = lines.rows[at] if grown else lines.last_row(at), same
    return best


def _search_sent(lines: Lines, near: int | None, sent: list[list[int]]) -> int | None:
    """The row on which Enter redrew the sent lines, each at the end of a line; the one nearest to
    the row `near`."""
    if near is None or not sent:
        return None
    found: list[int] = []
    for at in range(len(sent) - 1, len(lines.texts)):
        texts = lines.texts[at - len(sent) + 1 : at + 1]
        if all(map(ends_with, texts, sent)):
            found.append(lines.last_row(at))
    return min(found, key=lambda row: abs(row - near), default=None)


def _drawn_over(view: View, texts: dict[int, str], place: Place, row: int) -> int:
    """The first row that a program has drawn over since, below an unchanged row; `row` if it is
    that one."""
    kept = _kept(texts, place, row, row) if view.width == place.width else None
    if kept is None or kept == row - place.above[0][0]:
        return row
    return kept + 1
