"""Where a place on a pane is now, and which lines came since. Pure: lines in, lines out.

Rows move (the history is full, the window was resized, the screen was cleared), so a row number is
a hint and the content decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..terminal.view import Lines, View
from .memory import MOST_LINE, Sent, Shown

CONTEXT = 60  # rows above a place that are looked at to find it again
_ABOVE = 3  # lines above a place by which it is known where rows have moved
_KEPT = 12  # lines above a place that are remembered


@dataclass(frozen=True, slots=True)
class Since:
    """Lines that came since a place. `cleared`: the place itself is gone; `dropped`: tmux's history
    could not hold all lines; `own_line`: the place's own line, which the first of `lines` may
    continue."""

    lines: list[str]
    cleared: bool = False
    dropped: bool = False
    own_line: str = ""


def place(view: View, sent: Sent | None) -> Shown:
    """The place at the cursor of `view`: all above it, and its own line, has been shown, also what
    came since `sent`."""
    _, below = view.joined.split(view.row)
    return Shown(
        row=view.row,
        history=view.history_size,
        width=view.width,
        line=below[0] if below else "",
        left=view.left.rstrip(),
        above=_above(view.joined, view.row),
        printed=view.printed,
        known=True,
        covers=sent.at if sent else 0.0,
    )


def screen_place(view: View, sent: Sent | None, shown: Shown, still: bool) -> Shown:
    """`shown`, with the full screen of `view` as it was shown after `sent`. `still`: it was all
    drawn."""
    return replace(
        shown,
        screen=str(view.digest),
        screen_left=view.left.rstrip(),
        screen_row=view.cursor_y if still else -1,
        screen_covers=sent.at if sent else 0.0,
    )


def since_place(view: View, lines: Lines, shown: Shown) -> Since:
    """The lines that came since `shown`; its own line first where that has grown."""
    at = _find(view, lines, shown)
    texts = list(lines.texts)
    if at is None:
        if not _has_moved(view, shown):  # what had left the screen was shown
            texts = lines.split(shown.history)[1]
        return Since(texts, cleared=not view.history_is_full, dropped=view.history_is_full)
    if at < len(texts) and texts[at].rstrip() == shown.line.rstrip():
        at += 1
    return Since(texts[at:])


def needs_more(view: View, lines: Lines, shown: Shown) -> bool:
    """Must lines from the very top be read to find the place?"""
    return bool(lines.first) and _find(view, lines, shown) is None


def _find(view: View, lines: Lines, shown: Shown) -> int | None:
    """The index of the place's line."""
    if not _has_moved(view, shown):
        return _at_its_row(lines, shown)
    if not (shown.line.strip() or shown.above):
        return None
    here = next((at for at, row in enumerate(lines.rows) if row == shown.row), None)
    order = [*([here] if here is not None else []), *reversed(range(len(lines.texts)))]
    return next((at for at in order if _is_place(lines.texts, at, shown)), None)


def _has_moved(view: View, shown: Shown) -> bool:
    """Have rows other numbers than when the place was shown?"""
    return view.width != shown.width or view.history_size < shown.history or view.history_is_full


def _at_its_row(lines: Lines, shown: Shown) -> int | None:
    """Rows have not moved: the place is at its row, or, where a program has drawn over the lines
    above it, behind the last of these that is still there. None where none is: then the screen was
    cleared."""
    texts = dict(zip(lines.rows, (text[:MOST_LINE] for text in lines.texts), strict=True))
    row, kept, same = shown.row, 0, not shown.above
    for up, text in reversed(shown.above):  # the topmost first
        if texts.get(shown.row - up) != text:
            row = kept + 1 if same else row
            break
        kept, same = shown.row - up, True
    if not same:
        return None
    if not shown.above and not texts.get(row, "").startswith(shown.line[:MOST_LINE].rstrip()):
        return None
    here = (at for at, start in enumerate(lines.rows) if start >= row)
    return next(here, len(lines.texts))


def _is_place(texts: Sequence[str], at: int, shown: Shown) -> bool:
    if not texts[at].startswith(shown.line.rstrip()):
        return False
    before = [text[:MOST_LINE] for text in texts[max(at - CONTEXT, 0) : at] if text.strip()]
    above = [text for _, text in reversed(shown.above)][-_ABOVE:]
    return before[-len(above) :] == above if above else not before


def _above(lines: Lines, row: int) -> list[tuple[int, str]]:
    """The lines above `row` that are not blank, the nearest first, and how many rows up."""
    pairs = zip(lines.rows, lines.texts, strict=True)
    above = [(row - at, text[:MOST_LINE]) for at, text in pairs if at < row and text.strip()]
    return above[::-1][:_KEPT]
