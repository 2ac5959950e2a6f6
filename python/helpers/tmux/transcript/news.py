"""Where a place on a pane is now, and which lines came since. Pure: lines in, lines out.

A place is a cell. Its row number holds unless rows have moved: the history was trimmed, the screen
was cleared, the width changed. Then whole rows are searched for by equality. A place that is
not found is lost, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..evidence.screen.view import Lines, View, digest
from ..output import cells
from .mark import Input, Place, Typed, below, ends_with, left_of

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
    sent = typed.sent if typed.typed is Typed.TEXT else []
    row = _find(view, lines, place, sent, typed.unseen)
    if row is None:
        # Only a clear takes away a row in which text was typed.
        return _all(view, lines.upto(end), place, typed.typed is Typed.TEXT)
    if end is not None and row > end:
        return _higher_up(lines, place, row, end)
    texts, lines = lines.physical, lines.upto(end)
    own = texts.get(row, "")
    before, behind = cells(own, place.x)
    rest = lines.since(row + 1)
    if typed.typed is Typed.KEYS and end is None and place.below == below(texts, row):
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
    behind = _without_echo(_without_right(behind.strip(), place), typed.sent)
    if typed.typed is Typed.TEXT or not behind:  # a suggestion, a right prompt
        return News(rest)
    masked = typed.typed is Typed.SECRET and len(set(behind)) == 1
    return News(rest if masked else [behind, *rest])  # nothing was echoed


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
    row = _find(view, lines, place, [])
    if row is None:
        return _all(view, lines.upto(end), place)
    if end is not None and row > end:
        return _higher_up(lines, place, row, end)
    texts, lines = lines.physical, lines.upto(end)
    start = _drawn_over(view, texts, place, row)
    if start == row:
        own = texts.get(row, "")
        same = left_of(own, place.x) == place.drawn[-1]
        rest = _without_right(cells(own, place.x)[1].strip(), place)
        if behind and own and same:
            return News([*([rest] if rest else []), *lines.since(row + 1)])
        start += not own or same and not rest or digest(lines.at(row)) == place.line
    if start > row and end is None and place.below == below(texts, row):
        return News([])
    return News(lines.since(start))


def between(
    view: View, lines: Lines, place: Place | None, typed: Input, behind: bool = False
) -> list[str]:
    """The lines that came since `place` was shown and before what was typed: without the echo of
    the first input since; if nothing was shown before (None), since that input. `behind`: as in
    since_mark."""
    first = typed.first or typed
    if typed.end is None or first.end is None:
        return []
    top = first.end.row - first.end.height + 1
    rows: list[str] = []
    if place is not None and place.row != top:  # it was not typed at the place itself
        rows = _upto(view, lines, since_mark(view, lines, place, behind), first)
    if first is typed:
        return rows
    return [*rows, *_upto(view, lines, output_of(view, lines, first), typed)]


def _upto(view: View, lines: Lines, news: News, typed: Input) -> list[str]:
    """The lines of `news`, which end where `lines` do, up to the first row of what was typed."""
    row = _find(view, lines, typed.end, typed.sent) if typed.end and not news.cleared else None
    if row is None or typed.end is None:
        return []
    count = len(lines.since(row - typed.end.height + 1))
    return news.lines[: max(len(news.lines) - count, 0)]


def is_within(view: View, lines: Lines, place: Place) -> bool:
    """Are there enough lines to find `place`, or are these all?"""
    return not lines.first or _find(view, lines, place, []) is not None


def _all(view: View, lines: Lines, place: Place, clear: bool = False) -> News:
    """All that may be new if `place` is lost: what was in the history then has not changed, nor,
    if no `clear` took it away, the rows that are as they were."""
    if has_moved(view, place):
        return News(lines.since(0), cleared=True, lost=view.history_is_full)
    first = place.history if clear else _below_kept(lines.physical, place)
    return News(lines.since(first), cleared=first == place.history)


def _below_kept(texts: dict[int, str], place: Place) -> int:
    """The row below those of the screen that a program which drew over the place (fzf, a prompt of
    several rows) has left as they were; the screen's first row if there are none."""
    first = place.history
    for up, one in reversed(place.above):
        if digest(texts.get(place.row - up, "")) != one:
            break
        first = max(place.row - up + 1, first)
    return first


def _higher_up(lines: Lines, place: Place, row: int, end: int) -> News:
    """A program has left the cursor above what it drew (dialog): the lines up to there, below those
    that were there before."""
    texts = lines.physical
    above = ((row - up, one) for up, one in place.above if row - up <= end)
    kept = next((at for at, one in above if digest(texts.get(at, "")) == one), end)
    return News(lines.upto(end).since(kept + 1))


def has_moved(view: View, place: Place) -> bool:
    """May row numbers have changed since the place was stored?"""
    changed = view.width != place.width or view.history_size < place.history
    return changed or view.history_is_full or view.left_over  # that scrolls without a history


def _find(
    view: View, lines: Lines, place: Place, sent: list[list[int]], unseen: bool = False
) -> int | None:
    """The row on which the place is now: where it was, else where the same is drawn, else, in all
    lines of the pane, where Enter redrew what was sent, or below the same rows. `unseen`: it lacks
    what was sent."""
    if view.width != place.width:
        return _find_line(lines, place)
    texts = lines.physical
    moved = has_moved(view, place)
    there = any(digest(texts.get(place.row - up, "")) == one for up, one in place.above)
    sure = not moved and (sent or there or not place.above)
    if sure and _is_drawn(texts, place, place.row):
        return place.row
    drawn = _search(texts, place) if sent or moved else None
    if drawn is not None and not unseen:
        return drawn
    if moved and lines.first:
        return None  # what was drawn may be above these lines, and output may repeat the rest
    below = _search_above(texts, place) if moved else place.row
    if (redrawn := _search_sent(lines, below, sent)) is not None:
        return redrawn + (place.x == 0 and not unseen)  # the text had filled its last row
    if drawn is not None or below is None:
        return drawn
    kept = _same_above(texts, place, below) or not (place.above or sent)
    return below if kept and (not sent or view.row > below) else None


def _is_drawn(texts: dict[int, str], place: Place, row: int) -> bool:
    """Are the place's drawn rows those that end on `row`?"""
    if not place.drawn:
        return row == place.row
    first = row - len(place.drawn) + 1
    whole = all(digest(texts.get(first + at, "")) == one for at, one in enumerate(place.drawn[:-1]))
    return whole and row in texts and left_of(texts[row], place.x) == place.drawn[-1]


def _same_above(texts: dict[int, str], place: Place, row: int) -> int:
    """How many of the remembered rows above are still there, counted from the place up."""
    count = 0
    for up, one in place.above:
        if digest(texts.get(row - up, "")) != one:
            break
        count += 1
    return count


def _search(texts: dict[int, str], place: Place) -> int | None:
    """Rows have moved: the lowest row with the same rows above it; else the only one there is."""
    if not (any(place.drawn) or place.above):
        return None  # an empty row: there are many
    found = [row for row in sorted(texts, reverse=True) if _is_drawn(texts, place, row)]
    for row in found:
        first = place.above or not any(text for at, text in texts.items() if at < row)
        if first and _same_above(texts, place, row) >= min(len(place.above), _SURE):
            return row
    if place.above and len(found) == 1 and len(place.drawn) > 1:
        return found[0]
    return None


def _find_line(lines: Lines, place: Place) -> int | None:
    """The width has changed: whole lines are compared; of several the best match wins. Every
    line begins like an empty row, which is therefore identified only by the row above it."""
    best, score = None, (int(place.line == digest("")), 0)
    for at, text in enumerate(lines.texts):
        begins = len(place.drawn) == 1 and left_of(text, place.x) == place.drawn[0]
        if not begins and digest(text) != place.line:
            continue
        above = {digest(text) for text in lines.texts[max(at - _SURE, 0) : at]}
        near = [up <= at and digest(lines.texts[at - up]) == one for up, one in place.above[:1]]
        fits = (sum(near), sum(one in above for _, one in place.above[:_SURE]))
        if fits >= score:
            grown = place.x == 0 and digest(text) != place.line  # after an empty row
            best, score = lines.rows[at] if grown else _last_row(lines, at), fits
    return best


def _last_row(lines: Lines, at: int) -> int:
    """The row on which the line number `at` ends."""
    return lines.rows[at + 1] - 1 if at + 1 < len(lines.rows) else lines.rows[at]


def _search_above(texts: dict[int, str], place: Place) -> int | None:
    """Rows have moved and the place was redrawn: the lowest row below the same rows."""
    least = min(len(place.above), _SURE)
    rows = (row for row in sorted(texts, reverse=True) if least)
    return next((row for row in rows if _same_above(texts, place, row) >= least), None)


def _search_sent(lines: Lines, near: int | None, sent: list[list[int]]) -> int | None:
    """Enter redrew the line: the sent lines, each at the end of a line, nearest the row `near`."""
    if near is None or not sent:
        return None
    found: list[int] = []
    for at in range(len(sent) - 1, len(lines.texts)):
        texts = lines.texts[at - len(sent) + 1 : at + 1]
        if all(map(ends_with, texts, sent)):
            found.append(_last_row(lines, at))
    return min(found, key=lambda row: abs(row - near), default=None)


def _drawn_over(view: View, texts: dict[int, str], place: Place, row: int) -> int:
    """`row`, or the first row above it that a program has drawn over since, below an unchanged
    one."""
    kept = None
    for up, one in reversed(place.above if view.width == place.width else ()):
        if digest(texts.get(row - up, "")) != one:
            return row if kept is None else kept + 1
        kept = row - up
    return row
