"""Which lines of a pane are only the echo of what was sent, and what followed it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .memory import Sent
from .output import squeezed
from .places import Since
from .prompt import AHEAD, CONTINUED
from .view import Lines, View

_CARETS = ("^C", "^D", "^Z", "^\\")  # what the terminal shows for keys that are signals
_AHEAD = re.compile(r"^(?:> )+(?=\S)")  # dash's continuation prompts for lines typed ahead: `> > 1`
_PARTLY = ">...."  # how zsh begins a line of which it shows only the end
_MANY = 40  # characters of what was typed that no output repeats by chance
_RIGHT_PROMPT = "  "  # at least two blanks precede one


def since_sent(view: View, lines: Lines, sent: Sent, text: str | None) -> Since:
    """The lines behind the echo of what was sent: a command's own output. `text`: what was sent, in
    full; None where that is not known here."""
    text = text if text is not None else sent.text
    typed = sent.left + (text or "")
    rows = lines.split(min(sent.row, view.row))[1]
    if _is_partly_known(sent, typed):
        end = _tail_end(rows, squeezed(sent.tail))
        if end:
            return Since(rows[end:])
    count = _echo(rows, typed, sent)
    if count:
        return Since(rows[count:])
    if count is None and squeezed(" ".join(rows)) not in ("", squeezed(sent.left)):
        return Since([])  # the echo is still being drawn
    texts = list(lines.texts)
    at = _last_echo(texts, typed) if squeezed(text or "") else None
    if at is not None:
        return Since(texts[at + (echo_rows(texts[at:], typed) or 0) :])
    if view.row < sent.row or count is None or not _opens(rows, sent):
        texts = _without_parts(texts, sent.prompt or "", typed)
        return Since(texts, cleared=not view.history_is_full, dropped=view.history_is_full)
    first = squeezed(typed.partition("\n")[0])
    ends = (n for n in range(1, len(rows) + 1) if squeezed("".join(rows[:n])) == first)
    return Since(_without_parts(rows[next(ends, 1) :], "", typed))


def _is_partly_known(sent: Sent, typed: str) -> bool:
    """Is `typed` only the beginning of what was typed, as the memory keeps it?"""
    return sent.cut and typed == sent.left + (sent.text or "")


def _tail_end(rows: list[str], tail: str) -> int:
    """Behind which row an echo ends of which the beginning and the end are known; 0: not there."""
    for at in range(len(rows)):
        if tail and squeezed("".join(rows[max(at - 2, 0) : at + 1])).endswith(tail):
            return at + 1
    return 0


def _without_parts(rows: list[str], prompt: str, typed: str) -> list[str]:
    """`rows` without those at their beginning that show parts of what was typed: of a line longer
    than the screen zsh shows only the end, behind `>....`."""
    whole = squeezed(typed)
    for at, row in enumerate(rows):
        part = squeezed(row.removeprefix(prompt).lstrip().removeprefix(_PARTLY))
        begins = at > 0 or _PARTLY in row or len(part) > _MANY
        if not part or part not in whole or not begins:
            return rows[at:]
        if whole.endswith(part):
            return rows[at + 1 :]
    return []


def _echo(rows: list[str], typed: str, sent: Sent) -> int | None:
    """Rows of the echo at the beginning of `rows`; 0: none, None: it is still being drawn. Where
    only its beginning is known, its length tells how far it goes."""
    if _is_partly_known(sent, typed):
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
    if sent.size == 0:  # keys: signs of signals, and prompts at which nothing was typed
        rows = [one for one in rows if not _is_bare(one, known)]
    if text is None:
        return _without_unknown(rows, row, sent)
    before = len(rows)
    rows = _without_one(rows, sent.left, text)
    if len(rows) == before and rows:
        rows = _without_rest(rows, sent.left, text, sent.prompt is not None)
    if len(rows) == before and sent.expected and sent.prompt != "":
        rows = without_redrawn(rows, text)
    if sent.prompt is None:
        for prefix in prompts[1:]:
            rows = _without_one(rows, prefix, text)
    return rows


def without_further_echoes(rows: list[str], text: str, prompts: Sequence[str]) -> list[str]:
    """A command's own output without what a program shows that takes its lines one by one (a REPL,
    fish, dash): each further line behind a prompt, or the prompts alone before its output."""
    further = text.split("\n")[1:]
    if not further:
        return rows
    prompts = [prompt.strip() for prompt in prompts if prompt.strip()]
    at = 0
    for line in further:
        here = next((i for i in range(at, len(rows)) if _is_line(rows[i], line, prompts)), None)
        if here is not None:
            rows, at = rows[:here] + rows[here + 1 :], here
    rows = [_AHEAD.sub("", row, count=1) for row in rows]
    for prompt in prompts:
        count = len(further)
        for at, row in enumerate(rows):
            while count and row.startswith(prompt + " ") and row.strip() != prompt:
                row, count = row[len(prompt) + 1 :], count - 1
            rows[at] = row
    return rows


def _is_line(row: str, line: str, prompts: Sequence[str]) -> bool:
    """Is `row` one more line of what was sent, behind a prompt or a continuation of one?"""
    if not line.strip():
        return _only_continues(row)
    expected = squeezed(line)
    if squeezed(CONTINUED.sub("", row)) == expected != squeezed(row):
        return True
    return any(squeezed(row) == squeezed(prompt) + expected for prompt in prompts)


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


def without_redrawn(rows: list[str], text: str) -> list[str]:
    """`rows` without an echo at their beginning whose prompt a line editor has drawn anew since
    (irb: `irb(main):001:0> def f` becomes `irb(main):001:1* def f`)."""
    for line in text.split("\n"):
        if rows and squeezed(line) and squeezed(rows[0]).endswith(squeezed(line)):
            rows = rows[1:]
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


def _is_bare(row: str, prompts: Sequence[str]) -> bool:
    """Is `row` a prompt alone, or with `^C` behind it?"""
    bare = row.rstrip()
    caret = next((mark for mark in _CARETS if bare.endswith(mark)), "")
    bare = bare.removesuffix(caret).strip()
    return bare in [p.strip() for p in prompts] or (bool(caret) and not bare)


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
