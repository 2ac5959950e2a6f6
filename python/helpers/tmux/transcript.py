"""What came since a place on the pane: where the place is now, and which lines are only echoes.

Pure: lines in, lines out. Rows move (the history is full, the window was resized, the screen was
cleared), so a row number is a hint and the content decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .memory import Sent, Shown
from .output import squeezed, trimmed
from .prompt import AHEAD, CONTINUED, Book, glued, upper_rows, without_rows
from .view import Lines, View

CONTEXT = 60  # rows above a place that are looked at to find it again
_ABOVE = 3  # lines above a place by which it is known
_CARETS = ("^C", "^D", "^Z", "^\\")  # what the terminal shows for keys that are signals
_AHEAD = re.compile(r"^(?:> )+(?=\S)")  # dash's continuation prompts for lines typed ahead: `> > 1`
_RIGHT_PROMPT = "  "  # at least two blanks precede one


@dataclass(frozen=True, slots=True)
class Since:
    """Lines that came since a place. `before`: the lines above them; `cleared`: the place itself is
    gone; `dropped`: tmux's history could not hold all lines; `own_line`: the place's own line, which
    the first of `lines` may continue."""

    lines: list[str]
    before: list[str]
    cleared: bool = False
    dropped: bool = False
    own_line: str = ""


# places


def place(view: View, sent: Sent | None) -> Shown:
    """The place at the cursor of `view`: all above it, and its own line, has been shown, also what
    came since `sent`."""
    above, below = view.joined.split(view.row)
    return Shown(
        row=view.row,
        history=view.history_size,
        width=view.width,
        line=below[0] if below else "",
        above=_above(above),
        printed=view.printed,
        known=True,
        covers=sent.at if sent else 0.0,
    )


def since_place(view: View, lines: Lines, shown: Shown) -> Since:
    """The lines that came since `shown`; its own line first where that has grown."""
    at = _find(view, lines, shown)
    texts = list(lines.texts)
    if at is None:
        return Since(texts, [], cleared=not view.history_is_full, dropped=view.history_is_full)
    if texts[at].rstrip() == shown.line.rstrip():
        at += 1
    return Since(texts[at:], texts[:at])


def needs_more(view: View, lines: Lines, shown: Shown) -> bool:
    """Must lines from the very top be read to find the place?"""
    return bool(lines.first) and _find(view, lines, shown) is None


def _find(view: View, lines: Lines, shown: Shown) -> int | None:
    """The index of the place's line."""
    texts = lines.texts
    moved = view.width != shown.width or view.history_size < shown.history or view.history_is_full
    here = next((i for i, row in enumerate(lines.rows) if row == shown.row), None)
    known = shown.line.strip() or shown.above
    if here is not None and _is_place(texts, here, shown) and (known or not moved):
        return here
    if not known:
        return None
    return next((i for i in reversed(range(len(texts))) if _is_place(texts, i, shown)), None)


def _is_place(texts: Sequence[str], at: int, shown: Shown) -> bool:
    if not texts[at].startswith(shown.line.rstrip()):
        return False
    above = _above(texts[max(at - CONTEXT, 0) : at])
    if not above or not shown.above:
        return above == shown.above
    return above[-len(shown.above) :] == shown.above[-len(above) :]


def _above(texts: Sequence[str]) -> list[str]:
    return [text.rstrip()[:200] for text in texts[-CONTEXT:] if text.strip()][-_ABOVE:]


# echoes


def since_sent(view: View, lines: Lines, sent: Sent, text: str | None) -> Since:
    """The lines behind the echo of what was sent: a command's own output. `text`: what was sent, in
    full; None where that is not known here."""
    text = text if text is not None else sent.text
    typed = sent.left + (text or "")
    above, rows = lines.split(min(sent.row, view.row))
    count = _echo(rows, typed, sent)
    if count:
        return Since(rows[count:], above)
    if count is None and squeezed(" ".join(rows)) not in ("", squeezed(sent.left)):
        return Since([], above)  # the echo is still being drawn
    texts = list(lines.texts)
    at = _last_echo(texts, typed) if squeezed(text or "") else None
    if at is not None:
        return Since(texts[at + (echo_rows(texts[at:], typed) or 0) :], texts[:at])
    if view.row < sent.row or count is None or not _opens(rows, sent):
        return Since(texts, [], cleared=not view.history_is_full, dropped=view.history_is_full)
    first = squeezed(typed.partition("\n")[0])
    ends = (n for n in range(1, len(rows) + 1) if squeezed("".join(rows[:n])) == first)
    return Since(rows[next(ends, 1) :], above)


def _echo(rows: list[str], typed: str, sent: Sent) -> int | None:
    """Rows of the echo at the beginning of `rows`; 0: none, None: it is still being drawn. Where
    only its beginning is known, its length tells how far it goes."""
    if sent.cut and typed == sent.left + (sent.text or ""):
        begin, whole = squeezed(typed), len(squeezed(sent.left)) + sent.cells
        length = 0
        for count, row in enumerate(rows, 1):
            length += len(squeezed(row))
            if length >= whole:
                return count if squeezed("".join(rows[:count])).startswith(begin[:200]) else 0
        return None
    drawn = echo_rows(rows, typed)
    return None if drawn == -1 else drawn or 0


def without_echo(
    rows: list[str], sent: Sent, text: str | None, known: Sequence[str], row: str
) -> list[str]:
    """`rows` (what came since a place) without the echo of what was sent since then: of texts that
    were typed ahead too, which the terminal shows as they come and the shell once more at its
    prompt. `known`: prompts; `row`: the place's own line, which the first row may continue."""
    prompts = ["", *known]
    text = text if text is not None else sent.text
    for earlier in sent.ahead:
        for prefix in (row, *prompts):
            rows = _without_one(rows, prefix, earlier)
    if sent.alternate:
        return rows
    if text is None:
        return _without_unknown(rows, row, sent)
    before = len(rows)
    rows = _without_one(rows, sent.left, text)
    if len(rows) == before and rows:
        rows = _without_rest(rows, sent.left, text, sent.prompt is not None)
    if sent.prompt is None:
        for prefix in prompts[1:]:
            rows = _without_one(rows, prefix, text)
    return rows


def without_further_echoes(rows: list[str], text: str, prompts: Sequence[str]) -> list[str]:
    """A command's own output without what a shell shows that takes its lines one by one (fish,
    dash): each further line at a prompt, or the prompts alone before that line's output."""
    further = text.split("\n")[1:]
    rows = [_AHEAD.sub("", row, count=1) if further else row for row in rows]
    for prompt in dict.fromkeys(prompt for prompt in prompts if further and prompt.strip()):
        for line in further:
            rows = _without_one(rows, prompt, line)
        count = len(further)
        for at, row in enumerate(rows):
            while count and row.startswith(prompt.strip() + " ") and row.strip() != prompt.strip():
                row, count = row[len(prompt.strip()) + 1 :], count - 1
            rows[at] = row
    return rows


def _without_one(rows: list[str], prefix: str, text: str) -> list[str]:
    """`rows` without the first echo of `prefix` and `text`."""
    typed = prefix + text
    start = squeezed(typed)[:1]
    if not squeezed(text):
        return rows
    for at, row in enumerate(rows):
        if squeezed(row)[:1] == start and (count := echo_rows(rows[at:], typed) or 0) > 0:
            return rows[:at] + rows[at + count :]
    return rows


def _without_rest(rows: list[str], left: str, text: str, prompt: bool) -> list[str]:
    """`rows` with the echo cut from the beginning of its row, where output follows it directly."""
    for at, row in enumerate(rows):
        rest = _behind(row, squeezed(left + text))
        if rest is not None and not prompt:
            return [*rows[:at], *([rest] if rest.strip() else []), *rows[at + 1 :]]
        caret = next((mark for mark in _CARETS if text == mark), "")
        if caret and row.rstrip().endswith(caret):  # behind text that was there, or is new
            return [*rows[:at], *[row.rstrip()[: -len(caret)]] * (at > 0), *rows[at + 1 :]]
    return rows


def _without_unknown(rows: list[str], line: str, sent: Sent) -> list[str]:
    """`rows` without an echo of which only the length is known: it continues the place's line."""
    if rows and sent.cells and rows[0].startswith(line.rstrip()):
        grown = squeezed(rows[0][len(line.rstrip()) :])
        if len(grown) == sent.cells:
            return rows[1:]
    return rows


def _behind(row: str, typed: str) -> str | None:
    """What follows `typed` (without white space) in `row`; None where `row` begins otherwise."""
    at = 0
    for place, char in enumerate(row):
        if at == len(typed):
            return row[place:]
        if char.isspace():
            continue
        if char != typed[at]:
            return None
        at += 1
    return "" if at == len(typed) else None


def _last_echo(rows: list[str], typed: str) -> int | None:
    start = squeezed(typed)[:1]
    for at in reversed(range(len(rows))):
        if squeezed(rows[at])[:1] == start and (echo_rows(rows[at:], typed) or 0) > 0:
            return at
    return None


def _opens(rows: list[str], sent: Sent) -> bool:
    """Is the first row still the one that was typed on? It begins alike, and is no new prompt."""
    begin = squeezed(sent.left)
    if not rows or not begin or not squeezed(rows[0]).startswith(begin):
        return False
    return squeezed(rows[0]) != begin or not sent.text


def echo_rows(rows: list[str], typed: str) -> int | None:
    """How many of `rows`, from the first, are the echo of `typed` (prompt included), continuation
    prompts allowed between its lines and a right prompt behind it. None if they are not; -1 while
    the echo is still being drawn."""
    expected, at = squeezed(typed), 0
    if not expected:
        return 0
    for count, row in enumerate(rows, 1):
        reached = _follow(row, expected, at)
        if reached is None and count > 1:
            reached = _follow(CONTINUED.sub("", row), expected, at)
        if reached is None:
            return None
        at = reached
        if at == len(expected):
            # Empty lines at the end of what was sent: a continuation prompt each.
            empty = len(typed) - len(typed.rstrip("\n"))
            while empty and count < len(rows) and _only_continues(rows[count]):
                count, empty = count + 1, empty - 1
            return count
    return -1


def _only_continues(row: str) -> bool:
    return bool(row.strip()) and not CONTINUED.sub("", row).strip()


def _follow(row: str, expected: str, at: int) -> int | None:
    """How far into `expected` one more row of its echo leads; None where it is something else."""
    for place, char in enumerate(row):
        if at == len(expected):
            rest = row[place:]
            ends = not rest.strip() or rest.startswith(_RIGHT_PROMPT) or AHEAD.fullmatch(rest)
            return at if ends else None
        if char.isspace():
            continue
        if char != expected[at]:
            return None
        at += 1
    return at


# the prompt at the end


@dataclass(frozen=True, slots=True)
class Ending:
    """How output ends at a prompt: its last row, its rows above that, and whether that was read
    from the line editor (`exact`) or is only known from before."""

    left: str  # the text left of the cursor
    prompt: str  # the prompt on that row, "" where there is none
    upper: list[str]


def without_prompt(body: list[str], ending: Ending) -> tuple[list[str], bool]:
    """`body` without the prompt at its end, and whether output was glued to it: output without a
    line break at its end, which stays."""
    left, prompt = ending.left.rstrip(), ending.prompt.rstrip()
    if not body or not left or left not in body[-1]:
        return body, False
    *rest, last = body
    begin = len(left) - len(prompt) if prompt and left.endswith(prompt) else 0
    output = last[: last.rindex(left)] + left[:begin]
    if output.strip():
        return [*rest, output.rstrip()], True
    cut = without_rows(rest, ending.upper) if ending.upper else rest
    return trimmed_end(rest if cut is None else cut), False


def prompt_at(left: str, book: Book, sent: Sent | None, pid: int) -> str:
    """The prompt in `left` as far as earlier prompts tell: output may be glued before it."""
    before = sent.prompt if sent and sent.prompt is not None else None
    known = [*book.of(pid), *([before] if before else [])]
    begin = glued(left, known)
    return left.rstrip()[begin or 0 :]


def rows_above(
    body: list[str], before: list[str], sent: Sent | None, book: Book, pid: int
) -> list[str]:
    """The upper rows of the prompt at the end of `body`, known or seen above earlier prompts."""
    if book.upper(pid) and without_rows(body, book.upper(pid)) is not None:
        return book.upper(pid)
    if not sent or not sent.prompt or not before:
        return []
    return upper_rows(body, before, [sent.prompt, *book.of(pid)])


def trimmed_end(lines: list[str]) -> list[str]:
    """`lines` without blank ones at the end."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


# full screens


def screen_rows(view: View) -> list[str]:
    """A full screen without its empty rows and vi's and less's `~`."""
    return [row.rstrip() for row in view.lines if row.strip() not in ("", "~")]


def lost_lines(view: View, printed_then: int | None, printed: int | None, kept: list[str]) -> str:
    """A note on lines that tmux's history could not hold. tmux counts none; the bytes that the
    server has read since `printed_then` give an estimate."""
    held = sum(len(line.encode()) + 2 for line in kept)
    count = "an unknown number of"
    if printed is not None and printed_then is not None and kept:
        lost = (printed - printed_then - held) / max(held / len(kept), 1)
        count = f"about {max(round(lost), 1)}"
    return f"{count} lines scrolled out of tmux's history (limit {view.history_limit}) and are lost"


__all__ = [
    "Ending",
    "Since",
    "echo_rows",
    "lost_lines",
    "place",
    "screen_rows",
    "since_place",
    "trimmed",
]
