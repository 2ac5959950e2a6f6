"""Which lines of a pane are only the echo of what was sent, and what followed it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..evidence.screen.prompt import AHEAD, CONTINUED, same
from ..evidence.screen.prompt_rows import TALLEST
from ..output import squeezed
from ..terminal.view import Lines, View
from .further_echoes import only_continues, without_redrawn, without_screenful
from .memory import Sent
from .places import Since
from .wrapped import is_sideways, unwrapped

_CARETS = ("^C", "^D", "^Z", "^\\")  # what the terminal shows for keys that are signals
_PARTLY = ">...."  # how zsh begins a line of which it shows only the end
# What clears the screen by itself: to say that output is gone would be noise. `clear && ls` is not.
CLEARS = re.compile(r"^\s*(?:clear|reset|tput (?:clear|reset))\s*$")
_MASKS = set("*●•○∙")  # what programs show for each character of a secret
_MANY = 40  # characters of what was typed that no output repeats by chance
_SURE = 200  # characters by which the beginning of a long echo is known
_RIGHT_PROMPT = "  "  # at least two blanks precede one


def since_sent(view: View, lines: Lines, sent: Sent, text: str | None) -> Since:
    """The lines behind the echo of what was sent: a command's own output. `text`: what was sent, in
    full; None where that is not known here."""
    if text is None:
        text = sent.text
    cut = sent.cut and text == sent.text  # only the beginning, as the memory keeps it
    text = text or ""
    typed = sent.left + text
    above, rows = lines.split(min(sent.row, view.row))
    rows = unwrapped(rows, typed, view.width)
    count = (_cut_echo(rows, typed, sent) if cut else echo_rows(rows, typed)) or 0
    if count > 0:
        return Since(rows[count:])
    drawing = count < 0  # or not even begun, or gone
    if drawing and squeezed("".join(rows)) not in ("", squeezed(sent.left)):
        return Since([])
    if rows and is_sideways(rows[0], view.width) and squeezed(rows[0])[1:-1] in squeezed(typed):
        return Since(rows[1:])
    texts = unwrapped(lines.texts, typed, view.width)
    found = _find(texts, sent.left, text, last=True)
    if found:
        return Since(texts[found[1] :])
    rows = rows[_lower(above, rows, sent) :]
    if view.row < sent.row or drawing or not _opens(view, rows, sent):
        texts = _without_parts(texts, typed, sent.prompt or "")
        return Since(texts, cleared=not view.history_is_full, dropped=view.history_is_full)
    first = max(echo_rows(rows, typed.partition("\n")[0]) or 0, 1 if sent.left.strip() else 0)
    partly = first > 0 and rows[first - 1].endswith(_PARTLY)
    rest = without_screenful(rows[first:], typed.split("\n"), partly)
    return Since(_without_parts(rows[first:], typed) if rest is None else rest)


def _cut_echo(rows: list[str], typed: str, sent: Sent) -> int | None:
    """As `echo_rows`, of a text of which only the beginning, the end and the length are known."""
    tail, end = squeezed(sent.tail), ""
    for count, row in enumerate(rows, 1):
        end = (end + squeezed(row))[-len(tail) :]
        if end == tail != "":
            return count
    whole, shown = len(squeezed(sent.left)) + sent.cells, ""
    for count, row in enumerate(rows, 1):
        shown += squeezed(row)
        if len(shown) >= whole:
            return count if shown.startswith(squeezed(typed)[:_SURE]) else None
    return -1


def _without_parts(rows: list[str], typed: str, prompt: str = "") -> list[str]:
    """`rows` without those at their beginning that show parts of what was typed: of a line longer
    than the screen zsh shows only the end, behind `>....`."""
    whole = squeezed(typed)
    for at, row in enumerate(rows):
        part = squeezed(row.removeprefix(prompt).lstrip().removeprefix(_PARTLY))
        begins = at > 0 or _PARTLY in row or len(part) > _MANY
        if not part and row.endswith(_PARTLY):
            continue  # the part follows on the next row
        if not part or part not in whole or not begins:
            return rows[at:]
        if whole.endswith(part):
            return rows[at + 1 :]
    return []


def without_echo(
    rows: list[str],
    sent: Sent,
    text: str | None,
    known: Sequence[str],
    row: str,
    columns: int,
) -> list[str]:
    """`rows` (what came since a place) without the echo of what was sent since then: of texts that
    were typed ahead too, which the terminal shows as they come and the shell once more at its
    prompt. `known`: prompts; `row`: the place's own line, which the first row may continue;
    `columns`: cells of a row."""
    prompts = ["", *known]
    text = text if text is not None else sent.text
    rows = unwrapped(rows, sent.left + (text or ""), columns)
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
    if sent.cut and text == sent.text:
        rows = _without_cut(rows, sent)
    rows = _without_one(rows, sent.left, text)
    if len(rows) == before:
        rows = _without_rest(rows, row, sent, text)
    if len(rows) == before and sent.expected and sent.prompt != "":
        rows = without_redrawn(rows, text)
    if sent.prompt is None:
        for prefix in prompts[1:]:
            rows = _without_one(rows, prefix, text)
    return rows


def without_covered(rows: list[str], row: str, prompts: Sequence[str]) -> list[str]:
    """`rows` without the prompt that a background job has printed behind: the place's own `row`."""
    covered = row.rstrip()
    if not rows or not rows[0].startswith(covered) or not any(same(row, one) for one in prompts):
        return rows
    printed = rows[0][len(covered) :].strip()
    return [*([printed] if printed else []), *rows[1:]]


def _without_one(rows: list[str], left: str, text: str) -> list[str]:
    """`rows` without the first echo of `text` behind `left`."""
    found = _find(rows, left, text)
    return rows[: found[0]] + rows[found[1] :] if found else rows


def _without_cut(rows: list[str], sent: Sent) -> list[str]:
    """`rows` without the first echo of a text that is known in parts."""
    typed = sent.left + (sent.text or "")
    begin = squeezed(typed)[:_SURE]
    for at, row in enumerate(rows):
        if row.strip() and begin.startswith(squeezed(row)[: len(begin)]):
            count = _cut_echo(rows[at:], typed, sent) or 0
            return rows[:at] + rows[at + count :] if count > 0 else rows
    return rows


def _find(rows: list[str], left: str, text: str, last: bool = False) -> tuple[int, int] | None:
    """Where in `rows` the first or the last echo of `text` behind `left` begins and ends."""
    typed, first = left + text, squeezed((left + text).partition("\n")[0])
    expected = squeezed(typed)
    places = range(len(rows)) if squeezed(text) else ()
    for at in reversed(places) if last else places:
        if squeezed(rows[at])[:1] == expected[:1]:
            count = _echo_rows(rows[at:], typed, expected, first) or 0
            if count > 0:
                return at, at + count
    return None


def _without_rest(rows: list[str], line: str, sent: Sent, text: str) -> list[str]:
    """`rows` with the echo cut from the beginning of its row, where output follows it directly.
    `line`: the place's own."""
    for at, row in enumerate(rows):
        rest = None if sent.prompt is not None else _behind(row, squeezed(sent.left + text))
        if rest is not None:
            return [*rows[:at], *([rest] if rest.strip() else []), *rows[at + 1 :]]
        if text in _CARETS and row.endswith(text):  # behind text that was there, or is new
            before = row.removesuffix(text)
            new = at > 0 or before.rstrip() != line.rstrip()
            return [*rows[:at], *([before] if new else []), *rows[at + 1 :]]
    return rows


def _is_bare(row: str, prompts: Sequence[str]) -> bool:
    """Is `row` a prompt alone, or `^C`, or both?"""
    signal = row.endswith(_CARETS)
    bare = (row[:-2] if signal else row).strip()
    return bare in [p.strip() for p in prompts] or (signal and not bare)


def _without_unknown(rows: list[str], line: str, sent: Sent) -> list[str]:
    """`rows` without an echo of which only the length is known: it continues the place's line."""
    line = sent.left if sent.left.startswith(line) else line  # of a long one the place has a part
    if not rows or not rows[0].startswith(line):
        return rows
    grown = squeezed(rows[0][len(line) :])
    masked = not sent.cells and set(grown) <= _MASKS
    return rows[1:] if grown and (masked or len(grown) == sent.cells) else rows


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


def _lower(above: list[str], rows: list[str], sent: Sent) -> int:
    """How many rows lower a prompt of several rows was drawn anew, those `above` it too: fish does
    that where it expands an abbreviation, whose echo is not what was sent."""
    begin = squeezed(sent.left)
    for at, row in enumerate(map(squeezed, rows[: TALLEST + 1])):
        if begin and row.startswith(begin):
            return at if rows[:at] == above[len(above) - at :] else 0
    return 0


def _opens(view: View, rows: list[str], sent: Sent) -> bool:
    """Is the first row still the one that was typed on? It begins alike, and is no new prompt: that
    would be at the cursor. Of a row that was blank the history tells."""
    begin = squeezed(sent.left)
    if not begin:
        return not view.history_is_full and view.history_size >= sent.history
    if not squeezed(rows[0]).startswith(begin):
        return False
    unechoed = view.row > sent.row and not CLEARS.match(sent.text or "")
    return squeezed(rows[0]) != begin or not sent.text or unechoed


def echo_rows(rows: list[str], typed: str) -> int | None:
    """How many of `rows`, from the first, are the echo of `typed` (prompt included), continuation
    prompts allowed between its lines and a right prompt behind it. None if they are not; -1 while
    the echo is still being drawn."""
    return _echo_rows(rows, typed, squeezed(typed), squeezed(typed.partition("\n")[0]))


def _echo_rows(rows: list[str], typed: str, expected: str, first: str) -> int | None:
    """`expected`: `typed` without white space, `first`: its first line without it. A long text is
    squeezed once for all rows."""
    at = 0
    if not expected:
        return 0
    for count, row in enumerate(rows, 1):
        reached = _follow(row, expected, at)
        if count == 1 and first and _follow(row, first, 0) == len(first):
            reached = len(first)  # of several lines the first has the right prompt behind it
        if reached is None and count > 1:
            reached = _follow(CONTINUED.sub("", row), expected, at)
        if reached is None:
            return None
        at = reached
        if at == len(expected):
            # Empty lines at the end of what was sent: a continuation prompt each.
            empty = len(typed) - len(typed.rstrip("\n"))
            while empty and count < len(rows) and only_continues(rows[count]):
                count, empty = count + 1, empty - 1
            return count
    return -1


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
