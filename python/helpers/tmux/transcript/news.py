"""Where a place on a pane is now, and which lines came since. Pure: lines in, lines out.

A place is a cell. Its row number holds unless rows have moved: the history was trimmed, the screen
was cleared, the width changed. Then whole rows are searched for by equality. A place that is
not found is lost, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

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
    """The lines that came after the cell in which Enter was pressed, up to the row `end`.
    `prompts`: after one of them a line editor redraws what was typed ahead."""
    place = typed.end
    if place is None:
        return News([])
    row = _find(view, lines, place, typed)
    if row is None:
        # Only a clear takes away a row in which text was typed.
        news = _all(view, lines.upto(end), place, typed.typed is Typed.TEXT)
        return replace(news, lines=_without_echoed_row(news.lines, typed))
    texts, lines = lines.physical, lines.upto(end)
    if end is not None and row > end:
        return News(lines.since(_below_kept(texts, place, row, end)))
    own = texts.get(row, "")
    before, behind = cells(own, place.x)
    rest = lines.since(row + 1)
    if place.below == below(texts, row):
        rest = []  # a menu whose cursor stands above its end
    if typed.ahead:  # the kernel echoes it
        return News(_without_redrawn(rest, typed.sent, prompts))
    if not before.strip() and typed.typed is Typed.TEXT:
        stays = typed.stays and place.x == 0
        return News(lines.since(row) if own or stays else rest)  # some print no newline
    first = _drawn_over(view, texts, place, row)
    if typed.typed is Typed.KEYS and not typed.at_prompt and first < row:
        return News(lines.since(first))  # a menu, above the cursor
    plain = typed.typed is not Typed.TEXT or typed.unseen
    if plain and place.drawn and left_of(own, place.x) != place.drawn[-1]:
        return News(lines.since(row))  # the program has redrawn that row: a pager's `:`
    if typed.typed is Typed.TEXT:
        return News(rest)  # behind it: a suggestion, a right prompt
    behind = _without_right(behind.strip(), place)
    shown = _without_echo(behind, typed.sent)
    masked = typed.typed is Typed.SECRET and len(set(shown)) == 1
    rows = rest if masked or not shown else [shown, *rest]
    return News(rows if shown != behind else _without_echoed_row(rows, typed))


def _without_right(behind: str, place: Place) -> str:
    """`behind`, the text right of the cell, without what was already there: a right prompt."""
    if place.right and ends_with(behind, place.right):
        return behind[: -place.right[0]].strip()
    return behind


def _without_echo(behind: str, sent: list[list[int]]) -> str:
    """The text after the cell in which keys were pressed, without their echo."""
    for length, one in sent:
        if digest(behind[:length]) == one:
            return behind[length:].strip()
    return behind.removeprefix("^C").strip()


def _without_echoed_row(rows: list[str], typed: Input) -> list[str]:
    """`rows` without the last that is the echo of keys: output came before they were pressed."""
    for at in reversed(range(len(rows) if typed.typed is Typed.KEYS else 0)):
        if any(line in typed.sent for line in lines_sent(rows[at])):
            return [*rows[:at], *rows[at + 1 :]]
    return rows


def _without_redrawn(rows: list[str], sent: list[list[int]], prompts: Sequence[str]) -> list[str]:
    """`rows` without the first that consists of a prompt and the line that was sent."""
    begins = tuple(prompt.strip() for prompt in prompts if prompt.strip())
    for at, row in enumerate(rows):
        if begins and sent and row.startswith(begins) and ends_with(row, sent[-1]):
            return [*rows[:at], *rows[at + 1 :]]
    return rows


def since_mark(
    view: View, lines: Lines, place: Place, behind: bool = False, end: int | None = None
) -> News:
    """The lines that came since `place` was shown, up to the row `end`; its own line first if
    that has grown, or, with `behind`, the text after the place in it."""
    row = _find(view, lines, place)
    if row is None:
        return _all(view, lines.upto(end), place, clear=False)
    texts, lines = lines.physical, lines.upto(end)
    if end is not None and row > end:
        return News(lines.since(_below_kept(texts, place, row, end)))
    start = _drawn_over(view, texts, place, row)
    if start == row:
        own = texts.get(row, "")
        same = left_of(own, place.x) == place.drawn[-1]
        rest = _without_right(cells(own, place.x)[1].strip(), place)
        if behind and same:
            return News([*([rest] if rest else []), *lines.since(row + 1)])
        start += same and not rest or digest(lines.at(row)) == place.line
    if start > row and place.below == below(texts, row):
        return News([])
    return News(lines.since(start))


def between(view: View, lines: Lines, place: Place | None, typed: Input, behind: bool) -> News:
    """The lines that came since `place` was shown and before what was typed: without the echo of
    the first input since; if nothing was shown before (None), since that input. `behind`: as in
    since_mark."""
    first, news = typed.first or typed, News([])
    if first.end is None:
        return news
    top = _above(view, lines, first)
    # Where it was typed at the place itself, Enter may have redrawn it lower.
    if place is not None and top is not None and place.row != first.end.row - first.end.height + 1:
        news = _kept_apart(since_mark(view, lines, place, behind, top))
    if first is typed or (top := _above(view, lines, typed)) is None:
        return news
    further = _kept_apart(output_of(view, lines, first, end=top))
    return News([*news.lines, *further.lines], lost=news.lost or further.lost)


def _above(view: View, lines: Lines, typed: Input) -> int | None:
    """The row above what was typed; None if that has gone."""
    row = _find(view, lines, typed.end, typed) if typed.end else None
    return None if row is None or typed.end is None else row - typed.end.height


def _kept_apart(news: News) -> News:
    """`news`, unless what is there now may have been there before: a cleared screen."""
    return News(news.lines, lost=news.lost) if news.lost or not news.cleared else News([])


def is_within(view: View, lines: Lines, place: Place) -> bool:
    """Are there enough lines to find `place`, or are these all?"""
    return not lines.first or _find(view, lines, place) is not None


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
    moved = has_moved(view, place)
    there = any(_holds(texts, place.row - up, one) for up, one in place.above)
    sure = not moved and (sent or there or not place.above)
    if sure and _is_drawn(texts, place, place.row):
        return place.row
    drawn = _search_trimmed(view, texts, place) if moved else None
    if moved and lines.first and (drawn is None or unseen):
        return None  # it may be above these lines, and output may repeat what identifies it
    if moved and drawn is None:
        drawn = _search(texts, place, drawn=True)
    if drawn is not None and not unseen:
        return drawn
    below = _search(texts, place, drawn=False) if moved else place.row
    if (redrawn := _search_sent(lines, below, sent)) is not None:
        return redrawn + (place.x == 0 and not unseen)  # the text had filled its last row
    if drawn is not None or below is None:
        return drawn
    kept = _same_above(texts, place, below) or not (place.above or sent)
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


def _same_above(texts: dict[int, str], place: Place, row: int) -> int:
    """How many of the remembered rows above are still there, counted from the place up."""
    same = takewhile(lambda above: _holds(texts, row - above[0], above[1]), place.above)
    return len(list(same))


def _search(texts: dict[int, str], place: Place, drawn: bool) -> int | None:
    """Rows have moved: the lowest row below the same rows, and where the same is `drawn`. Nothing
    was above the first row of a pane."""
    least = min(len(place.above), _SURE)
    for row in sorted(texts, reverse=True):
        if least:
            alike = _same_above(texts, place, row) >= least
        else:
            alike = drawn and not any(text for at, text in texts.items() if at < row)
        if alike and (not drawn or _is_drawn(texts, place, row)):
            return row
    return None


def _search_trimmed(view: View, texts: dict[int, str], place: Place) -> int | None:
    """Rows have moved by what tmux drops of a full history, if by anything: the nearest such row
    with the same drawn there, below the same rows."""
    if not place.drawn:
        return None  # nothing shows that a row is it
    least = min(len(place.above), _SURE)
    rows = (row for row in view.rows_trimmed(place.row) if _is_drawn(texts, place, row))
    return next((row for row in rows if _same_above(texts, place, row) >= least), None)


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
    untouched = kept is None or kept == row - place.above[0][0]
    return row if kept is None or untouched else kept + 1
