"""The questions of windows, menus and prompt boxes on a screen. Pure.

A program is named here if a pattern was made for its recorded screens (tests/pure/frames).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile
from operator import not_

from .frame import Frame
from .question_line import LONGEST, Kind, Question

_DRAFT = 8  # rows above the cursor's in which a prompt box may begin
_NEAR = 14  # rows above a menu that are searched for its question

_SECRET = re.compile(r"(?i)pass(?:word|phrase|code)|\bsecret\b|\btoken\b|\bpin\b|\bapi[ -]key")
MASK = re.compile(r"\s*(?:[*•●▪∗]+_*|\[(?:input is masked|hidden)\])$")  # hides an answer
_MARK = re.compile(r"\s*[›‣…]$")  # before an answer that is still empty
_SIDES = "│┃║"
_EDGE = re.compile(rf"^[\s{_SIDES}]+|[\s{_SIDES}]+$")
_BUTTON = re.compile(
    r"""(?ix)
    [<\[] \ {0,4} (?:ok|yes|no|cancel|continue|exit|quit|help|skip|abort|dismiss)\b
    [^<>\[\]]{0,12} [>\]]
    """
)  # `< OK >`, `[ Dismiss ]`: whiptail, dialog, prompt_toolkit, mc

# AI command lines: Claude Code, Codex, Gemini CLI, aider
_AT_WORK = re.compile(r"(?i)\besc to interrupt\b|\besc to cancel, \d")
_BOX = re.compile(r"^[\s│]{0,3}[❯›>](?:\s|$)")  # where a prompt is typed
_FURTHER_ROW = re.compile(r"^[\s│]{2,4}\S")  # of the text in it
_RULE = re.compile(r"^\s?╭?[─━]{40}")
_CODEX_TURN = re.compile(r"^\s*(›|■|Worked for|>_ OpenAI Codex) ")  # sent, failed, ended, none yet
_NESTED = re.compile(r"^\s*│\s*│ ")
_ITEM = re.compile(r"^[\s│]*[❯›●▸>]?\s*\d{1,2}[.)]\s")
_ITEM_CHOSEN = re.compile(r"^[\s│]{0,8}[❯›●▸>]\s+\d{1,2}[.)]\s")  # `❯ 1. Yes`


def plain(row: str) -> str:
    """`row` as it is quoted: without the sides of a box and runs of spaces."""
    return " ".join(_EDGE.sub("", row[:LONGEST]).split())


def at_work(screen: Frame) -> bool:
    """Whether rows near the cursor say that an AI command line works (`esc to interrupt`)."""
    near = screen.rows[max(0, screen.y - 8) : screen.y + 5]
    return any(_AT_WORK.search(row[:LONGEST]) for row in near)


def asked(text: str, keys: bool = False, answer: Sequence[str] = ()) -> Question:
    """The question `text`, which keys or a line answer: a hidden line if the text or the rows of
    the `answer` say so."""
    hidden = _SECRET.search(text) or any(MASK.search(plain(row)) for row in answer)
    kind = Kind.KEY if keys else Kind.PASSWORD if hidden else Kind.INPUT
    text = MASK.sub("", text) if hidden else text
    return Question(kind=kind, text=_MARK.sub("", text), strong=True)


def dialog(screen: Frame) -> Question | None:
    """A window with buttons; its question is its first sentence."""
    for at in range(len(screen.rows) - 1, -1, -1):
        button = _BUTTON.search(screen.rows[at][: 4 * LONGEST])
        inside = _window(screen.rows, at, button.start()) if button else None
        if inside is None or not at - len(inside) <= screen.y <= at:
            continue  # dialog leaves its window on the screen when it ends
        in_field = screen.cursor_visible and screen.y < at  # else it is on a button
        return asked(_sentence(inside), not in_field, [screen.row])
    return None


def _sentence(rows: Sequence[str]) -> str:
    """The first text in `rows`, up to the end of its paragraph or a row that ends a sentence."""
    words = ""
    for row in rows:
        line = plain(row) if re.search(r"\w", row) else ""
        if words and not line:
            break
        words = f"{words} {line}".strip()
    return words


def _window(rows: Sequence[str], at: int, column: int) -> list[str] | None:
    """The rows above `at` in the window whose side is left of `column`, if there is one."""
    left = max(rows[at].rfind(side, 0, column) for side in _SIDES)
    right = max(rows[at].find(side, column) for side in _SIDES)
    if left < 0 or right < 0:
        return None
    top = at
    while top > 0 and rows[top][left : left + 1] in tuple(_SIDES + "├"):
        top -= 1
    if rows[top][left : left + 1] not in tuple("┌╭╔"):
        return None
    return [row[left + 1 : right] for row in rows[top + 1 : at]]


def prompt_box(screen: Frame) -> Question | None:
    """The box in which an AI command line takes a prompt; several rows may be typed already."""
    top = screen.y
    while top > max(0, screen.y - _DRAFT) and _FURTHER_ROW.match(screen.rows[top]):
        top -= 1
    row = screen.rows[top]
    if not _BOX.match(row) or _ITEM_CHOSEN.match(row):
        return None
    above = screen.rows[max(0, top - (1 if screen.cursor_visible else 3)) : top]
    strong = any(map(_RULE.match, above))  # Claude Code, Gemini CLI; aider shows the cursor
    codex = screen.alternate and row.startswith("›")
    turns = filter(None, map(_CODEX_TURN.match, reversed(screen.rows[:top])))
    turn = next((mark[1] for mark in turns), "") if codex else "›"
    if not strong and turn == "›":
        return None  # the prompt's turn has not ended: it streams, or waits for the model
    return Question(kind=Kind.INPUT, text=plain(row), strong=strong or bool(turn))


def menu(screen: Frame) -> Question | None:
    """A numbered list with one item chosen; the nearest row above with a question mark asks."""
    chosen = [at for at, row in enumerate(screen.rows) if _ITEM_CHOSEN.match(row)]
    if not chosen:
        return None
    top = at = chosen[-1]
    while at >= 0 and screen.rows[at].strip():  # an item may have more rows
        top = at if _ITEM.match(screen.rows[at]) else top
        at -= 1
    return asked(_asked_above(screen.rows, top), keys=True)


def field(screen: Frame) -> Question | None:
    """A box inside a box, with the cursor in it: Gemini CLI. dialog shows progress in one, too."""
    if not _NESTED.match(screen.row) or plain(screen.row).endswith("%"):
        return None
    return asked(_asked_above(screen.rows, screen.y - 1))


def _asked_above(rows: Sequence[str], below: int) -> str:
    """The nearest row above the row `below` with a question mark, else the first row of the nearest
    text above it."""
    near = rows[max(0, below - _NEAR) : below][::-1]
    for row in takewhile(lambda row: not _RULE.match(row), near):
        if "?" in row:
            return plain(row)
    lines = dropwhile(not_, ("" if _RULE.match(row) else plain(row) for row in near))
    return next(reversed([*takewhile(bool, lines)]), "")
