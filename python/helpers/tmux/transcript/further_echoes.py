"""Echoes that follow the first one: of the further lines of what was sent, and those that a line
editor draws anew. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile

from ..evidence.screen.prompt import CONTINUED
from ..output import squeezed

_AHEAD = re.compile(r"^> (?=\S)")  # dash's continuation prompt for a line typed ahead: `> > 1`


def without_further_echoes(
    rows: list[str], text: str, prompts: Sequence[str], canonical: bool
) -> list[str]:
    """A command's own output without what a program shows that takes its lines one by one (a REPL,
    fish, dash): each further line behind a prompt, or the prompts alone before its output.
    `canonical`: the program has no line editor, so dash's signs may precede output."""
    further = text.split("\n")[1:]
    if not further:
        return rows
    prompts = [prompt.strip() for prompt in prompts if prompt.strip()]
    places: dict[str, list[int]] = {}  # of the rows that may show a line, by what they show
    for at, row in enumerate(rows):
        for shown in _lines_on(row, prompts):
            places.setdefault(shown, []).append(at)
    echoes, at = set(), 0
    for here in (places.get(squeezed(line), []) for line in further):
        first = bisect_left(here, at)
        if first < len(here):
            echoes.add(here[first])
            at = here[first] + 1
    rows = [row for at, row in enumerate(rows) if at not in echoes]
    signs = len(further) if canonical else 0
    for at, row in enumerate(rows):
        while signs and _AHEAD.match(row):
            row, signs = row[2:], signs - 1
        rows[at] = row
    for prompt in prompts:
        count = len(further)
        for at, row in enumerate(rows):
            while count and row.startswith(prompt + " ") and not _is_empty_prompt(row, prompt):
                row, count = row[len(prompt) + 1 :], count - 1
            rows[at] = row
    return rows


def _is_empty_prompt(row: str, prompt: str) -> bool:
    """Is `row` that prompt alone, or with a right prompt, before which are two blanks or more?"""
    return row.strip() == prompt or row.startswith(prompt + " " * 3)


def _lines_on(row: str, prompts: Sequence[str]) -> set[str]:
    """Which further lines, without white space, `row` may be: behind a prompt or a continuation of
    one."""
    shown, rest = squeezed(row), squeezed(CONTINUED.sub("", row))
    lines = {rest} if rest != shown else set()
    begins = [squeezed(prompt) for prompt in prompts]
    return lines | {shown[len(one) :] for one in begins if shown.startswith(one) and shown != one}


def only_continues(row: str) -> bool:
    return bool(row.strip()) and not CONTINUED.sub("", row).strip()


def without_redrawn(rows: list[str], text: str) -> list[str]:
    """`rows` without an echo at their beginning whose prompt a line editor has drawn anew since
    (irb: `irb(main):001:0> def f` becomes `irb(main):001:1* def f`)."""
    for line in text.split("\n"):
        if rows and squeezed(line) and squeezed(rows[0]).endswith(squeezed(line)):
            rows = rows[1:]
    return rows


def without_screenful(rows: list[str], lines: Sequence[str], partly: bool) -> list[str] | None:
    """`rows` without the echo of `lines`, of which there are more than rows on the screen. Readline
    shows those that fit, behind the first, then the last one, drawn over another; zsh the last ones
    (`partly`: behind its sign for that). None where that is not what they show."""
    texts, typed = [*map(squeezed, rows)], [*map(squeezed, lines)]
    if partly:
        most = min(len(texts), len(typed))
        ends = (at for at in range(most, 0, -1) if texts[:at] == typed[-at:])
        return rows[at:] if (at := next(ends, 0)) else None
    pairs = zip(texts, typed[1:], strict=False)
    shown = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    over, last = rows[shown] if shown < len(rows) else "", lines[-1]
    if not shown or not any(over == last + line[len(last) :].rstrip() for line in lines):
        return None
    return rows[shown + 1 :]
