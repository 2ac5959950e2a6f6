"""Where a place on a pane is now, and which lines came since. Pure: lines in, lines out.

A place is a cell. Its row number holds unless rows have moved: the history was trimmed, the screen
was cleared, the width changed. Then whole rows are searched for by equality. A place that is
not found is lost, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..evidence.screen.view import Lines, View, digest
from ..output import cells
from .mark import Input, Place, Typed, below, ends_with, left_of, lines_sent

CONTEXT = 60  # rows above a place that are read to find it again
_SURE = 3  # rows above a place that must be equal too in a search


@dataclass(frozen=True, slots=True)
class News:
    """Lines that came since a place. `cleared`: the place itself is gone; `lost`: the history
    could not hold all lines since, either."""

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
    `prompts`: after one of them a line editor redraws what was typed ahead."""
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
    """The lines that came since `place` was shown, or `typed` there, up to the row `end`; its own
    line first if that has grown, or, with `behind`, the text after the place in it."""
    row = _find(view, lines, place, typed)
    if row is None:
        # Only a clear takes away a row in which text was typed.
        text = typed is not None and typed.typed is Typed.TEXT
        news = _all(view, lines.upto(end), place, clear=text)
        return replace(news, lines=_without_echoed_row(news.lines, typed))
    texts, lines = lines.physical, lines.upto(end)
    if end is not None and row > end:
        return News(lines.since(_below_kept(texts, place, row, end)))
    own = texts.get(row, "")
    before, tail = cells(own, place.x)
    # below an unchanged menu, whose cursor stands above its end, nothing came
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
    for length, one in typed.sent:
        if digest(behind[:length]) == one:
            return behind[length:].strip()
    if typed.typed is Typed.SECRET and len(set(behind)) == 1:
        return ""  # masked
    return behind.removeprefix("^C").strip()


def _without_echoed_row(rows: list[str], typed: Input | None) -> list[str]:
    """`rows` without the last that is the echo of keys: output came before they were pressed."""
    sent = typed.sent if typed is not None and typed.typed is Typed.KEYS else []
    for at in reversed(range(len(rows) if sent else 0)):
        if any(line in sent for line in lines_sent(rows[at])):
            return [*rows[:at], *rows[at + 1 :]]
    return rows


def _without_redrawn(rows: list[str], sent: list[list[int]], prompts: Sequence[str]) -> list[str]:
    """`rows` without the first that consists of a prompt and the line that was sent."""
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
    `end`, without the echo of what was `typed` since. `behind`: as in since_place."""
    if typed is None or typed.end is None:
        return since_place(view, lines, place, behind, end) if place else News([])
    news = output_of(view, lines, typed, prompts, end)
    row = _find(view, lines, typed.end, typed)
    # Where it was typed at the place itself, Enter may have redrawn it lower.
    below = typed.first or place is None or place.row != typed.end.row - typed.end.height + 1
    if row is None or not below:
        return news
    above = row - typed.end.height
    before = since_answer(view, lines, place, typed.first, behind, prompts, above)
    if before.cleared and (lines.first or not before.lost):
        # What is above these lines may be needed; what is above all was perhaps there before.
        return replace(news, cleared=bool(lines.first))
    return replace(news, lines=before.lines + news.lines, lost=before.lost)


def _all(view: View, lines: Lines, place: Place, clear: bool) -> News:
    """All that may be new if `place` is lost: what was in the history then has not changed, nor,
    if no `clear` took it away, the rows that are as they were."""
    if has_moved(view, place):
        return News(lines.since(0), cleared=True, lost=view.history_is_full)
    texts = lines.physical
    first = place.history if clear else _below_kept(texts, place, place.row, place.row)
    return News(lines.since(first), cleared=first == place.history)


def _kept(texts: dict[int, str], place: Place, row: int, end: int) -> int | None:
    """The last of the remembered rows above `row`, from the highest on and down to the row `end`,
    that are as they were."""
    kept = None
    for up, one in reversed(place.above):
        if row - up > end or not _holds(texts, row - up, one):
            break
        kept = row - up
    return kept


def _below_kept(texts: dict[int, str], place: Place, row: int, end: int) -> int:
    """The row below those of the screen that a program which drew over the place (fzf, a prompt of
    several rows) or above it (dialog) has left as they were; the screen's first row if there are
    none."""
    kept = _kept(texts, place, row, end)
    return place.history if kept is None else max(kept + 1, place.history)


def has_moved(view: View, place: Place) -> bool:
    """May row numbers have changed since the place was stored?"""
    changed = view.width != place.width or view.history_size < place.history
    return changed or view.history_is_full or view.left_over  # that scrolls without a history


def _find(view: View, lines: Lines, place: Place, typed: Input | None = None) -> int | None:
    """The row on which the place is now: where it was, else where the same is drawn below the same
    rows, else where Enter redrew what was `typed` there, or below the same rows."""
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
            return None  # it may be above these lines, and output may repeat what identifies it
        below = next(_alike(view, lines, place), None) if place.above else None
    else:
        there = any(_holds(texts, place.row - up, one) for up, one in place.above)
        if (sent or there) and _is_drawn(texts, place, place.row):
            return place.row
    if drawn is not None and not unseen:
        return drawn
    if (redrawn := _search_sent(lines, below, sent)) is not None:
        return redrawn + (place.x == 0 and not unseen)  # the text had filled its last row
    if drawn is not None or below is None:
        return drawn
    kept = _is_below_same(texts, place, below, 1) and (place.above or not sent)
    return below if kept and (not sent or view.row > below) else None


def _holds(texts: dict[int, str], row: int, one: int) -> bool:
    """Is `one` the digest of that row?"""
    return digest(texts.get(row, "")) == one


def _is_drawn(texts: dict[int, str], place: Place, row: int) -> bool:
    """Are the place's drawn rows those that end on `row`?"""
    if not place.drawn:  # the caller was killed before it saw them
        return row == place.row
    first = row - len(place.drawn) + 1
    whole = all(_holds(texts, at, one) for at, one in enumerate(place.drawn[:-1], first))
    return whole and row in texts and left_of(texts[row], place.x) == place.drawn[-1]


def _is_below_same(texts: dict[int, str], place: Place, row: int, count: int) -> bool:
    """Are the nearest `count` of the remembered rows still above `row`?"""
    return all(_holds(texts, row - up, one) for up, one in place.above[:count])


def _alike(view: View, lines: Lines, place: Place) -> Iterator[int]:
    """The rows below the same rows, if rows have moved: first by what tmux drops of a full
    history, if by anything, the nearest first; then, if these are all lines, any, the lowest
    first. Nothing was above the first row of a pane."""
    texts = lines.physical
    top = min((row for row, text in texts.items() if text), default=0)
    everywhere = () if lines.first else sorted(texts, reverse=True)
    for row in (*view.rows_trimmed(place.row), *everywhere):
        if _is_below_same(texts, place, row, _SURE) and (place.above or row - place.height < top):
            yield row


def _find_line(lines: Lines, place: Place) -> int | None:
    """The width has changed: whole lines are compared; of several the lowest wins, if there is one
    below the same line. Every line begins like an empty row, which is therefore identified only by
    the row above it."""
    best, score = None, int(place.line == digest(""))
    for at, text in enumerate(lines.texts):
        begins = len(place.drawn) == 1 and left_of(text, place.x) == place.drawn[0]
        if not begins and digest(text) != place.line:
            continue
        near = sum(up <= at and digest(lines.texts[at - up]) == one for up, one in place.above[:1])
        if near >= score:
            grown = place.x == 0 and digest(text) != place.line  # after an empty row
            best, score = lines.rows[at] if grown else lines.last_row(at), near
    return best


def _search_sent(lines: Lines, near: int | None, sent: list[list[int]]) -> int | None:
    """Enter redrew the line: the sent lines, each at the end of a line, nearest the row `near`."""
    if near is None or not sent:
        return None
    found: list[int] = []
    for at in range(len(sent) - 1, len(lines.texts)):
        texts = lines.texts[at - len(sent) + 1 : at + 1]
        if all(map(ends_with, texts, sent)):
            found.append(lines.last_row(at))
    return min(found, key=lambda row: abs(row - near), default=None)


def _drawn_over(view: View, texts: dict[int, str], place: Place, row: int) -> int:
    """`row`, or the first row above it that a program has drawn over since, below an unchanged
    one."""
    kept = _kept(texts, place, row, row) if view.width == place.width else None
    if kept is None or kept == row - place.above[0][0]:
        return row
    return kept + 1
