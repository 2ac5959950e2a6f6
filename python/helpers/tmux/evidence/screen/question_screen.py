"""The question of a program in raw mode, by its whole screen. Pure.

A program is named here if a pattern was made for its recorded screens (tests/pure/frames).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from .frame import Frame
from .question_line import LONGEST, Kind, Question, is_key, on_line
from .question_window import (
    MASK,
    asked,
    at_work,
    dialog,
    field,
    menu,
    plain,
    prompt_box,
)

_FAR = 40  # rows above the cursor in which the head of a list is looked for

# inquirer, prompts, enquirer, questionary, InquirerPy
_HEAD = re.compile(r"^ ?(?:\?|\[\?\]) +\S")  # `? Pick a colour`
_CHOSEN = re.compile(
    r"^[\s│]{0,4}(?:[❯▸»➤◉◯○●◻◼☐☑⊙⬡⬢]|[(\[][ xX*][)\]])"
)  # a row of a list: its pointer or its box
_AT_ONCE = re.compile(r"(?i)\([yj]/n\)|[›‣] \S+ / \S+$|…(?: \S*)?$")  # yes or no, toggles, lists
_CLACK = re.compile(r"^[◆▲] +\S")  # `◆  Pick a colour`; ▲ with an error

# lines, and the last row of a full screen
_COUNTER = re.compile(r"^[\s│]*[^\w\s]? ?(\d+/\d+)(?: \(\d+\))?[\s│─]*$")  # fzf: `  3/100 ────`
_LETTERS = re.compile(r"[\[(][A-Z][\])][a-z]")  # vim: `[Y]es, (N)o, (C)ancel:`
_HELP = re.compile(r"^(?:\^[A-Z] | Y Yes| N No)")  # the two rows at the bottom of nano
_TYPED = re.compile(r"^([^\n]*?\w[^\n]{0,4}?[?:)\]]) +\S")  # `package name: (p) abc`
_SIGN = re.compile(
    r"(?:^|\S)[$#>%❯»➜λ] |^In \[\d+\]: |^\((?:gdb|lldb|[iI]?[pP]db)\) "
)  # a prompt, not a question


def on_screen(screen: Frame) -> Question | None:
    """The question of a program in raw mode on `screen`, the whole pane, once that is still; None
    if no question is found (an editor, a spinner)."""
    if not 0 <= screen.y < len(screen.rows) or at_work(screen):
        return None
    if not screen.alternate:
        screen = screen.unwrapped()
    question = dialog(screen) or prompt_box(screen)
    if question:
        return question
    if not screen.cursor_visible:
        return menu(screen) or field(screen) or _last_row(screen) or _list(screen)
    if screen.alternate:
        return _finder(screen) or _bottom(screen)
    if _HEAD.match(screen.row):
        return _list(screen)
    return _finder(screen) or on_line(screen.left) or _typed(screen) or _list(screen)


# ---- prompt libraries ----


def _list(screen: Frame) -> Question | None:
    """A question of a prompt library, on the cursor's row or above it."""
    for head in range(screen.y, max(-1, screen.y - _FAR), -1):
        row = screen.rows[head]
        if _CLACK.match(row) or _HEAD.match(row):
            return _library(screen, head)
    return None


def _block(rows: Sequence[str], head: int) -> list[str]:
    """The rows below `head`, up to the next empty one."""
    return list(takewhile(str.strip, rows[head + 1 : head + 1 + _FAR]))


def _is_list(block: Sequence[str]) -> bool:
    """Whether these are rows to choose from: with signs, or one of several with `>` before it."""
    pointed = [row for row in block if row.startswith(" > ")]
    others = [row for row in block if row.startswith("  ")]
    return any(map(_CHOSEN.match, block)) or len(pointed) == 1 and len(others) == len(block) - 1 > 0


def _library(screen: Frame, head: int) -> Question | None:
    """The question in the row `head`. If that begins with `?`, the answer is there or in a list;
    for @clack/prompts, `◆  text`, it is in rows that begin with `│`, up to one with `└`."""
    row, block = screen.rows[head], _block(screen.rows, head)
    answer, keys = [row], _is_list(block)
    if _CLACK.match(row):
        if not any(row.startswith("└") for row in block):
            return None
        words = takewhile(lambda row: not row.startswith(("│", "└")), block)
        text, answer = plain(" ".join([row[1:], *words])), block
    elif screen.y > head and not keys and [row.strip() for row in block] != [">"]:
        return None  # it has been answered, and something else goes on below
    else:
        text = plain(row)
        # the library `prompts` shows the cursor only while a text is typed
        keys_alone = not screen.cursor_visible and "›" in text
        keys = keys or keys_alone or bool(_AT_ONCE.search(text)) or is_key(text)
    return asked(text, keys, answer)


# ---- lines ----


def _typed(screen: Frame) -> Question | None:
    """A question after which an answer is typed already."""
    line = screen.left[-LONGEST:]
    if screen.right.strip() or _SIGN.search(line):
        return None
    unmasked = MASK.sub("", line)
    if (hidden := on_line(unmasked)) and hidden.kind is Kind.PASSWORD:
        return hidden
    match = _TYPED.match(line)
    question = on_line(match[1]) if match else None
    return question and replace(question, text=plain(line), strong=False)


def _bottom(screen: Frame) -> Question | None:
    """The question in the last row of a full screen: less, vim, emacs, nano (two rows of help
    below)."""
    below = filter(str.strip, screen.rows[screen.y + 1 :])
    if screen.right.strip() or screen.y < len(screen.rows) - 3 or not all(map(_HELP.match, below)):
        return None
    question = on_line(screen.left) or _typed(screen)
    if question is None or question.kind is not Kind.INPUT:
        return question
    one_key = _LETTERS.search(question.text) or "?" in question.text and "yes" not in question.text
    return replace(question, kind=Kind.KEY) if one_key else question


def _last_row(screen: Frame) -> Question | None:
    """`Press Enter to continue…` in the last row, with the hidden cursor below it."""
    last = next(filter(str.strip, reversed(screen.rows)), "")
    return on_line(last) if is_key(last) else None


def _finder(screen: Frame) -> Question | None:
    """fzf: the typed text, and above or below it, in a row of its own, how many lines match."""
    for row in screen.rows[max(0, screen.y - 1) : screen.y + 2]:
        counter = _COUNTER.match(row[:LONGEST])
        if counter:
            return asked(f"{plain(screen.left)} {counter[1]}".strip(), keys=True)
    return None
