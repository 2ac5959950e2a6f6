"""What a question looks like: on a line, left of the cursor, and on a screen. Pure.

Every pattern sees at most `_LONGEST` characters, so that its time has a bound. The programs named
beside a pattern are those whose recorded screens (tests/pure/frames) it was made for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from .output import cells

_LONGEST = 400  # characters of a row that are looked at; no question is longer
_FAR = 40  # rows above the cursor in which the head of a list is looked for


class Kind(StrEnum):
    """What the program takes."""

    INPUT = "input"  # a line and Enter
    PASSWORD = "password"  # a line that is not shown
    KEY = "key"  # keys, each of which acts at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`text`: one line as it is on the screen, without boxes, masks and the mark before the answer.
    `strong`: output practically never has this form; a weak one (`Loading: `) may be output.
    """

    kind: Kind
    text: str
    strong: bool


# ---- on a line ----

_PASSWORD = re.compile(
    r"""(?ix)
    (?: pass(?:word|phrase|code|wort) | kennwort | mot\ de\ passe | contraseña | senha | \bpin\b
      | verification\ code | one-time | \botp\b | 2fa | \b(?:api|access|secret)[ -]?key | \bsecret\b
      | \b(?:api|auth|authentication|authorization|access|bearer|personal|security)\ token
    ) [^\n]{0,120} [:：]$
    """
)  # `root@host's password:`, `[sudo] password for jo:`, `Enter passphrase for key '/root/.ssh/id':`
_KEY = re.compile(
    r"""(?ix)
    (?:press|hit|strike|touch|type)\ (?:the\ |a\ )?
    [<\["'(]? (?:any(?:\ other)?\ key|enter|return|space|esc|[a-z]\b)
      # `Press any key to continue...`, `Press <enter> to launch`, `(press h for help)`
    | --\ ?more\ ?-- | ^\(END\)$ | ^lines\ \d+-\d+ | ^:$  # more, vim, less, git log, systemctl
    """
)
_CHOICE = re.compile(
    r"""(?ix)
    [\[(] [^\[\]()\n]{1,80} (?:/|,\ ?|\||\ or\ ) [^\n]{1,80} [\])]  # [y/N] (y or n)
    (?:\ ?[\[(][^\[\]()\n]{0,80}[\])])?  # [default=N]
    \ ?[:?>]{0,2}$
    """
)  # `Continue? [y/N]`, `(yes/no/[fingerprint])?`, `Colour [red/green] (red):`, `Stage [y,n,q]?`
_WORDS = re.compile(
    r"""(?ix)
    ^(?: (?:please\ )? (?:enter|type\ in|choose|select|pick|specify|provide|paste)\b [^\n]* [:?]
      | (?:[\w.-]+\ )? (?:user\ ?name|login|e-?mail(?:\ address)?) (?:\ for\ [^\n]{1,120})? :
      | read> | \#\? | \?\# )$
    """
)  # `Enter a name:`, `host login:`, `Username for 'https://github.com':`; fish, bash, zsh
_DEFAULT = re.compile(
    r"\w[^\n]*(?:\?\ ?[\[(][^\[\]()\n]{1,120}[\])]:?|\s\[[^\[\]\n]{0,120}\]\ ?[:?])$"
)  # `Ok to proceed? (y)`, `Country Name (2 letter code) [AU]:`
_WEAK = re.compile(
    r"\w[^\n]*(?:[?:：？]|[:：]\ ?[\[(][^\[\]()\n]{1,120}[\])])$"
)  # `Did it work?`, `Installing packages:`, `package name: (p)`
_NO_QUESTION = re.compile(
    r"^(?:In \[\d+\]|\.{3}):$|\w://\S*:$|^\[?\d{2,4}[-/:]\d\d[-/:]\d\d"
)  # IPython's prompts, an address, a line of a log


def is_password(line: str) -> bool:
    """`line`, up to the cursor, asks for something that is not shown."""
    return bool(_PASSWORD.search(line.strip()[-_LONGEST:]))


def is_key(line: str) -> bool:
    """`line`, up to the cursor, asks for a key: a pager's prompt, `Press any key`."""
    return bool(_KEY.search(line.strip()[-_LONGEST:]))


def on_line(left: str) -> Question | None:
    """What the text left of the cursor asks, by its form alone."""
    line = left[-_LONGEST:].strip()
    if not line or _NO_QUESTION.search(line):
        return None
    kind, strong = Kind.INPUT, True
    if _KEY.search(line):
        kind = Kind.KEY
    elif _PASSWORD.search(line):
        kind = Kind.PASSWORD
    elif not (_CHOICE.search(line) or _WORDS.search(line) or _DEFAULT.search(line)):
        if not _WEAK.search(line):
            return None
        strong = False
    return Question(kind=kind, text=_plain(line), strong=strong)


# ---- on a screen ----

_HEAD = re.compile(r"^ ?(?:\?|\[\?\]) +\S")  # `? Pick a colour`: inquirer, prompts, enquirer …
_CLACK = re.compile(r"^[◆▲] +\S")  # `◆  Pick a colour`; ▲ with an error
_CHOSEN = re.compile(
    r"^[\s│]{0,4}(?:[❯▸»➤◉◯○●◻◼☐☑⊙⬡⬢]|[(\[][ xX*][)\]])"
)  # a row of a list: its pointer or its box
_AT_ONCE = re.compile(
    r"""(?ix)
    \([yj]/n\) | ‣\ \w+$ (?<=false|.true) | [›‣]\ \S+\ /\ \S+$  # (y/N), enquirer's confirm, toggles
    | …(?:\ \S*)?$  # a list of enquirer's
    """
)
_SECRET = re.compile(r"(?i)pass(?:word|phrase|code)|\bsecret\b|\btoken\b|\bpin\b|api[ -]key")
_MASK = re.compile(r"\s*(?:[*•●▪∗]+_*|\[(?:input is masked|hidden)\])$")  # what hides an answer
_MARK = re.compile(r"\s*[›‣…»:]?\s*[█_▏]?$")
_TRAIL = re.compile(r"\s*[›‣…]$")  # the mark before an answer that is still empty
_BOX = re.compile(r"^[\s│┃║]+|[\s│┃║]+$")
_BUTTON = re.compile(
    r"[<\[] {0,4}(?:ok|yes|no|cancel|continue|exit|quit|help|skip)\b[^<>\[\]]{0,12}[>\]]", re.I
)
_COUNTER = re.compile(r"^[\s│]*[^\w\s]? ?(\d+/\d+)(?: \(\d+\))?[\s│─]*$")  # fzf: `  3/100 ────`
_TYPED = re.compile(r"^([^\n]*\w[^\n]{0,4}[?:)\]]) \S")  # `package name: (p) abc`
_LETTERS = re.compile(r"[\[(][A-Z][\])][a-z]")  # vim: `[Y]es, (N)o, (C)ancel:`
_HELP = re.compile(r"^(?:\^[A-Z] | Y Yes| N No)")  # the two rows at the bottom of nano


def _plain(row: str) -> str:
    """`row` as it is quoted: without a box and runs of blanks."""
    return " ".join(_BOX.sub("", row[-_LONGEST:]).split())


def on_screen(
    rows: Sequence[str], x: int, y: int, cursor_visible: bool, alternate: bool
) -> Question | None:
    """What a raw-mode program asks whose screen (`rows`, all of the pane) stands still.
    `x`, `y`: the cursor's cell. None where no question is found (an editor, a spinner).
    """
    if not 0 <= y < len(rows):
        return None
    left, right = cells(rows[y][: 4 * _LONGEST], x)
    boxed = _dialog(rows, y, cursor_visible)
    if boxed or not cursor_visible and alternate:
        return boxed
    if alternate:
        return _finder(rows, y, left) or _bottom(rows, y, left, right)
    if _HEAD.match(rows[y]):
        return _library(rows, y, y, cursor_visible)
    if cursor_visible:
        line = _finder(rows, y, left) or on_line(left) or _typed(left, right)
        if line:
            return line
    return _clack(rows, y) or _list_above(rows, y, cursor_visible)


def _library(rows: Sequence[str], head: int, y: int, cursor_visible: bool) -> Question:
    """A question that begins with `?`, in the row `head`; its answer is there or in a list."""
    text = _plain(rows[head])
    block = _block(rows, head)
    keys_alone = not cursor_visible and "›" in text  # prompts hides it where it takes keys: a date
    kind = Kind.INPUT
    if keys_alone or any(map(_CHOSEN.match, block)) or _AT_ONCE.search(text) or _KEY.search(text):
        kind = Kind.KEY
    elif _SECRET.search(text) or _MASK.search(text):
        kind = Kind.PASSWORD
        text = _MASK.sub("", text)
    return Question(kind=kind, text=_TRAIL.sub("", text), strong=True)


def _block(rows: Sequence[str], head: int) -> list[str]:
    """The rows below `head` up to the next blank one."""
    block: list[str] = []
    for row in rows[head + 1 : head + 1 + _FAR]:
        if not row.strip():
            break
        block.append(row)
    return block


def _list_above(rows: Sequence[str], y: int, cursor_visible: bool) -> Question | None:
    """A list whose question is above the cursor's row."""
    for head in range(y - 1, max(-1, y - _FAR), -1):
        if _HEAD.match(rows[head]):
            block = _block(rows, head)
            below = [row for row in block[: y - head] if _CHOSEN.match(row) or row.strip() == ">"]
            return _library(rows, head, y, cursor_visible) if below else None
    return None


def _clack(rows: Sequence[str], y: int) -> Question | None:
    """A question of @clack/prompts: `◆  text`, then rows that begin with `│`, then `└`."""
    for head in range(y, max(-1, y - _FAR), -1):
        if not _CLACK.match(rows[head]):
            continue
        block = _block(rows, head)
        if not any(row.startswith("└") for row in block):
            return None
        text = _plain(rows[head][1:])
        kind = Kind.INPUT
        if any(map(_CHOSEN.match, block)):
            kind = Kind.KEY
        elif _SECRET.search(text) or any(_MASK.search(_plain(row)) for row in block):
            kind = Kind.PASSWORD
        return Question(kind=kind, text=text, strong=True)
    return None


def _dialog(rows: Sequence[str], y: int, cursor_visible: bool) -> Question | None:
    """A window with buttons: whiptail, dialog, prompt_toolkit. Its text is in its first row."""
    buttons = [at for at, row in enumerate(rows) if _BUTTON.search(row) and "│" in row]
    if not buttons:
        return None
    top = max((at for at in range(buttons[-1]) if "┌" in rows[at]), default=None)
    tops = [at for at in range(buttons[-1]) if re.match(r"^ *┌", rows[at])]
    if top is None or not tops:
        return None
    texts = [_plain(row) for row in rows[tops[-1] + 1 : buttons[-1]]]
    text = next((text for text in texts if re.search(r"\w", text)), "")
    kind = Kind.KEY
    if cursor_visible and tops[-1] < y < buttons[-1]:  # in a field, not on a button
        kind = (
            Kind.PASSWORD if _SECRET.search(text) or _MASK.search(_plain(rows[y])) else Kind.INPUT
        )
    return Question(kind=kind, text=text, strong=True)


def _finder(rows: Sequence[str], y: int, left: str) -> Question | None:
    """fzf: what is typed, and beside it in a row of its own how many lines match."""
    for row in rows[max(0, y - 1) : y + 2]:
        counter = _COUNTER.match(row[:_LONGEST])
        if counter:
            return Question(kind=Kind.KEY, text=f"{_plain(left)} {counter[1]}".strip(), strong=True)
    return None


def _typed(left: str, right: str) -> Question | None:
    """A question behind which an answer is typed already."""
    if right.strip():
        return None
    masked = on_line(_MASK.sub("", left.rstrip()))
    if masked and masked.kind is Kind.PASSWORD:
        return masked
    match = _TYPED.match(left[-_LONGEST:])
    question = on_line(match[1]) if match else None
    return question and Question(kind=question.kind, text=_plain(left), strong=False)


def _bottom(rows: Sequence[str], y: int, left: str, right: str) -> Question | None:
    """What a full screen asks in its last row: less, vim, emacs, nano (two rows of help below)."""
    if right.strip() or any(not _HELP.match(row) for row in rows[y + 1 :] if row.strip()):
        return None
    if y < len(rows) - 3:
        return None
    question = on_line(left) or _typed(left, right)
    if question is None or question.kind is not Kind.INPUT:
        return question
    takes_key = _LETTERS.search(left) or "?" in left and "yes" not in left
    kind = Kind.KEY if takes_key else Kind.INPUT
    return Question(kind=kind, text=question.text, strong=question.strong)
