"""What a raw-mode program asks, by its whole screen. Pure.

The programs named here are those whose recorded screens (tests/pure/frames) a pattern was made for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .output import cells
from .question_line import LONGEST, Kind, Question, is_key, is_password, on_line

_FAR = 40  # rows above the cursor in which the head of a list is looked for
_NEAR = 14  # rows above a menu in which its question is looked for

# inquirer, prompts, enquirer, questionary, InquirerPy
_HEAD = re.compile(r"^ ?(?:\?|\[\?\]) +\S")  # `? Pick a colour`
_CHOSEN = re.compile(
    r"^[\s│]{0,4}(?:[❯▸»➤◉◯○●◻◼☐☑⊙⬡⬢]|[(\[][ xX*][)\]])"
)  # a row of a list: its pointer or its box
_AT_ONCE = re.compile(r"(?i)\([yj]/n\)|[›‣] \S+ / \S+$|…(?: \S*)?$")  # yes or no, toggles, lists
_SECRET = re.compile(r"(?i)pass(?:word|phrase|code)|\bsecret\b|\btoken\b|\bpin\b|\bapi[ -]key")
_MASK = re.compile(r"\s*(?:[*•●▪∗]+_*|\[(?:input is masked|hidden)\])$")  # what hides an answer
_MARK = re.compile(r"\s*[›‣…]$")  # before an answer that is still empty
_CLACK = re.compile(r"^[◆▲] +\S")  # `◆  Pick a colour`; ▲ with an error

# windows and full screens
_SIDES = "│┃║"
_EDGE = re.compile(rf"^[\s{_SIDES}]+|[\s{_SIDES}]+$")
_BUTTON = re.compile(
    r"""(?ix)
    [<\[] \ {0,4} (?:ok|yes|no|cancel|continue|exit|quit|help|skip|abort|dismiss)\b
    [^<>\[\]]{0,12} [>\]]
    """
)  # `< OK >`, `[ Dismiss ]`: whiptail, dialog, prompt_toolkit, mc
_COUNTER = re.compile(r"^[\s│]*[^\w\s]? ?(\d+/\d+)(?: \(\d+\))?[\s│─]*$")  # fzf: `  3/100 ────`
_LETTERS = re.compile(r"[\[(][A-Z][\])][a-z]")  # vim: `[Y]es, (N)o, (C)ancel:`
_HELP = re.compile(r"^(?:\^[A-Z] | Y Yes| N No)")  # the two rows at the bottom of nano
_TYPED = re.compile(r"^([^\n]*?\w[^\n]{0,4}?[?:)\]]) +\S")  # `package name: (p) abc`
_SIGN = re.compile(
    r"(?:^|\S)[$#>%❯»➜λ] |^In \[\d+\]: |^\((?:gdb|lldb|[iI]?[pP]db)\) "
)  # a prompt, and no question

# AI command lines: Claude Code, Codex, Gemini CLI
_AT_WORK = re.compile(r"(?i)\besc to interrupt\b|\besc to cancel, \d")
_BOX = re.compile(r"^[\s│]{0,3}[❯›>](?:\s|$)")  # where a prompt is typed
_RULE = re.compile(r"^\s?╭?[─━]{40}")
_CODEX_TURN = re.compile(r"^\s*(›|■|Worked for|>_ OpenAI Codex) ")  # sent, failed, ended, none yet
_NESTED = re.compile(r"^\s*│\s*│ ")
_ITEM = re.compile(r"^[\s│]*[❯›●▸>]?\s*\d{1,2}[.)]\s")
_ITEM_CHOSEN = re.compile(r"^[\s│]{0,8}[❯›●▸>]\s+\d{1,2}[.)]\s")  # `❯ 1. Yes`


@dataclass(frozen=True, slots=True, kw_only=True)
class _Screen:
    """`rows`: the visible rows; `y`: the cursor's; `left`, `right`: the text beside the cursor."""

    rows: Sequence[str]
    y: int
    left: str
    right: str
    visible: bool

    @property
    def row(self) -> str:
        return self.rows[self.y]


def at_work(rows: Sequence[str], y: int) -> bool:
    """The rows around the cursor's say that an AI command line works (`esc to interrupt`)."""
    return any(_AT_WORK.search(row[:LONGEST]) for row in rows[max(0, y - 8) : y + 5])


def on_screen(
    rows: Sequence[str], x: int, y: int, cursor_visible: bool, alternate: bool
) -> Question | None:
    """What a raw-mode program asks whose screen (`rows`, all of the pane) stands still.
    `x`, `y`: the cursor's cell. None where no question is found (an editor, a spinner).
    """
    if not 0 <= y < len(rows) or at_work(rows, y):
        return None
    left, right = cells(rows[y][: 4 * LONGEST], min(x, 4 * LONGEST))
    screen = _Screen(rows=rows, y=y, left=left, right=right, visible=cursor_visible)
    question = _dialog(screen) or _prompt_box(screen, alternate)
    if question:
        return question
    if not cursor_visible:
        return _menu(screen) or _field(screen) or _last_row(screen) or _list(screen)
    if alternate:
        return _finder(screen) or _bottom(screen)
    if _HEAD.match(screen.row):
        return _list(screen)
    return _finder(screen) or on_line(left) or _typed(screen) or _list(screen)


def _plain(row: str) -> str:
    """`row` as it is quoted: without the sides of a box and runs of blanks."""
    return " ".join(_EDGE.sub("", row[:LONGEST]).split())


# ---- prompt libraries ----


def _list(screen: _Screen) -> Question | None:
    """A question of a prompt library, on the cursor's row or above it."""
    for head in range(screen.y, max(-1, screen.y - _FAR), -1):
        row = screen.rows[head]
        if _CLACK.match(row):
            return _clack(screen, head)
        if _HEAD.match(row):
            return _library(screen, head)
    return None


def _block(rows: Sequence[str], head: int) -> list[str]:
    """The rows below `head` up to the next blank one."""
    block: list[str] = []
    for row in rows[head + 1 : head + 1 + _FAR]:
        if not row.strip():
            break
        block.append(row)
    return block


def _library(screen: _Screen, head: int) -> Question | None:
    """A question that begins with `?`, in the row `head`; its answer is there or in a list."""
    block = _block(screen.rows, head)
    above = block[: screen.y - head]
    if screen.y > head and not any(_CHOSEN.match(row) or row.strip() == ">" for row in above):
        return None  # it has been answered, and something else goes on below
    text = _plain(screen.rows[head])
    kind = Kind.INPUT
    keys_alone = not screen.visible and "›" in text  # prompts shows the cursor only in a text
    keys_alone |= text.endswith(("‣ true", "‣ false"))  # enquirer's confirm
    if keys_alone or any(map(_CHOSEN.match, block)) or _AT_ONCE.search(text) or is_key(text):
        kind = Kind.KEY
    elif _SECRET.search(text) or _MASK.search(text):
        kind = Kind.PASSWORD
        text = _MASK.sub("", text)
    return Question(kind=kind, text=_MARK.sub("", text), strong=True)


def _clack(screen: _Screen, head: int) -> Question | None:
    """A question of @clack/prompts: `◆  text`, then rows that begin with `│`, then `└`."""
    block = _block(screen.rows, head)
    if not any(row.startswith("└") for row in block):
        return None
    text = _plain(screen.rows[head][1:])
    kind = Kind.INPUT
    if any(map(_CHOSEN.match, block)):
        kind = Kind.KEY
    elif _SECRET.search(text) or any(_MASK.search(_plain(row)) for row in block):
        kind = Kind.PASSWORD
    return Question(kind=kind, text=text, strong=True)


# ---- lines ----


def _typed(screen: _Screen) -> Question | None:
    """A question behind which an answer is typed already."""
    line = screen.left[-LONGEST:].rstrip()
    if screen.right.strip() or _SIGN.search(line):
        return None
    unmasked = _MASK.sub("", line)
    if is_password(unmasked):
        return on_line(unmasked)
    match = _TYPED.match(line)
    question = on_line(match[1]) if match else None
    return question and Question(kind=question.kind, text=_plain(line), strong=False)


def _bottom(screen: _Screen) -> Question | None:
    """What a full screen asks in its last row: less, vim, emacs, nano (two rows of help below)."""
    below = [row for row in screen.rows[screen.y + 1 :] if row.strip()]
    if screen.right.strip() or screen.y < len(screen.rows) - 3 or not all(map(_HELP.match, below)):
        return None
    question = on_line(screen.left) or _typed(screen)
    if question is None or question.kind is not Kind.INPUT:
        return question
    one_key = _LETTERS.search(question.text) or "?" in question.text and "yes" not in question.text
    kind = Kind.KEY if one_key else Kind.INPUT
    return Question(kind=kind, text=question.text, strong=question.strong)


def _last_row(screen: _Screen) -> Question | None:
    """`Press Enter to continue…` in the last row, the cursor hidden below it."""
    last = next((row for row in reversed(screen.rows) if row.strip()), "")
    return on_line(last) if is_key(last) else None


def _finder(screen: _Screen) -> Question | None:
    """fzf: what is typed, and beside it in a row of its own how many lines match."""
    for row in screen.rows[max(0, screen.y - 1) : screen.y + 2]:
        counter = _COUNTER.match(row[:LONGEST])
        if counter:
            text = f"{_plain(screen.left)} {counter[1]}".strip()
            return Question(kind=Kind.KEY, text=text, strong=True)
    return None


# ---- windows, menus, boxes ----


def _dialog(screen: _Screen) -> Question | None:
    """A window with buttons; its question is its first row of text."""
    for at in range(len(screen.rows) - 1, -1, -1):
        button = _BUTTON.search(screen.rows[at][: 4 * LONGEST])
        inside = _window(screen.rows, at, button.start()) if button else None
        if inside is None:
            continue
        text = next((_plain(row) for row in inside if re.search(r"\w", row)), "")
        kind = Kind.KEY
        if screen.visible and at - len(inside) <= screen.y < at:  # in a field, not on a button
            kind = Kind.INPUT
            if _SECRET.search(text) or _MASK.search(_plain(screen.row)):
                kind = Kind.PASSWORD
        return Question(kind=kind, text=text, strong=True)
    return None


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


def _prompt_box(screen: _Screen, alternate: bool) -> Question | None:
    """Where an AI command line takes its prompt."""
    if not _BOX.match(screen.row) or _ITEM_CHOSEN.match(screen.row):
        return None
    above = screen.rows[max(0, screen.y - (1 if screen.visible else 3)) : screen.y]
    strong = any(map(_RULE.match, above))  # Claude Code, Gemini CLI; aider shows the cursor
    if not strong:
        turn = _codex_turn(screen) if alternate and screen.row.startswith("›") else None
        if turn is None or turn == "›":
            return None  # a prompt whose turn has no end yet: it streams, or waits for the model
        strong = turn != ""
    return Question(kind=Kind.INPUT, text=_plain(screen.row), strong=strong)


def _codex_turn(screen: _Screen) -> str:
    """What Codex's last turn is at: "›" a prompt, else how it ended, "" where neither is shown."""
    for row in reversed(screen.rows[: screen.y]):
        mark = _CODEX_TURN.match(row)
        if mark:
            return mark[1]
    return ""


def _menu(screen: _Screen) -> Question | None:
    """A numbered list of which one is chosen; the nearest row above with a question mark asks."""
    chosen = [at for at, row in enumerate(screen.rows) if _ITEM_CHOSEN.match(row)]
    if not chosen:
        return None
    top = at = chosen[-1]
    while at >= 0 and screen.rows[at].strip():  # an item may have more rows
        top = at if _ITEM.match(screen.rows[at]) else top
        at -= 1
    return Question(kind=Kind.KEY, text=_asked_above(screen.rows, top), strong=True)


def _field(screen: _Screen) -> Question | None:
    """A box inside a box, with the cursor in it: Gemini CLI. dialog shows its progress in one."""
    if not _NESTED.match(screen.row) or _plain(screen.row).endswith("%"):
        return None
    text = _paragraph(screen.rows, screen.y - 1)
    kind = Kind.PASSWORD if _SECRET.search(text) else Kind.INPUT
    return Question(kind=kind, text=text, strong=True)


def _asked_above(rows: Sequence[str], below: int) -> str:
    """The nearest row with a question mark above the row `below`, else the text above it."""
    for row in reversed(rows[max(0, below - _NEAR) : below]):
        if _RULE.match(row):
            break
        if "?" in row:
            return _plain(row)
    return _paragraph(rows, below)


def _paragraph(rows: Sequence[str], below: int) -> str:
    """The first row of the text nearest above the row `below`."""
    text = ""
    for row in reversed(rows[max(0, below - _NEAR) : below]):
        line = "" if _RULE.match(row) else _plain(row)
        if text and not line:
            break
        text = line or text
    return text
