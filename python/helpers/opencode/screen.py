"""What OpenCode's TUI shows: whose turn it is, what its input holds, what else takes the keys. Pure.

Only the rows below the conversation and the cursor are believed: the conversation may quote any of
these words. Right on every captured screen of 1.2.15 to 1.18.33 (tests/opencode/screens).
"""

from __future__ import annotations

import re

from ..tmux.output import cells
from ..tmux.view import View
from .reply import Status

SIDEBAR = 42  # columns at the right of a window wider than 120: not part of the conversation
TEXT_COLUMN = 3  # columns from the bar at the left of the input to its first character
PREFIX = 100  # signs of a prompt that are compared with its block on the screen
FOOT = 2  # rows at the bottom that tell the state
QUESTION = 5  # rows at the bottom that a question's or permission's keys are among
BAR = "┃"  # at the left of the input, of prompts, of tool output
_END = re.compile(r"^\s*╹▀")  # the row below the input
_IN_INPUT = re.compile(r"^\s*┃(?!.*┃$)")  # "  ┃  draft"; not a menu above it: "  ┃ /exit  …  ┃"
_BUSY = re.compile(r"\besc (?:again to )?interrupt\b")
_RETRY = re.compile(r"([^⬝■]*) \[retrying (?:in (\S+) )?attempt #(\d+)")  # no quota [retrying in 2s
_PERMISSION = re.compile(r"^\s*┃\s+△ (?:Permission required|Always allow|Reject permission)")
_CONFIRMS = re.compile(r"^\s*┃\s+△ Always allow")
_BUTTONS = re.compile(r"enter con|Allow once|Confirm")
_ASKS = re.compile(r"^\s*┃.*\besc dismiss\b")
_IDLE = re.compile(r"\bctrl\+p commands\b|\besc exit shell mode\b")
_VERSION = re.compile(r"(\d+\.\d+\.\d+)$")  # the last row of the home screen
_TITLE = re.compile(r"(\S+(?: \S+)*) {6,}esc(?:/enter)?\b")  # "Commands             esc"
_PASTED = re.compile(r"\[Pasted ~\d+ lines\]")  # how a long prompt is shown
_CONVERSATION_END = re.compile(r"^ {5}▣ |^\s*┃")  # a turn's closing mark; an error's block
_LEFT = re.compile(r"opencode(?:\.exe)? -s (ses_\w+)")  # "Continue  opencode -s ses_1a2b"
_LOGO = "█▀▀█ █▀▀█"  # of the home screen


class Frame:
    """One look at the TUI, parsed once. `status`: None where this is not OpenCode, or not yet."""

    def __init__(self, view: View):
        self.view = view
        self.rows = [_main_part(line, view.width) for line in view.lines]
        self._end = max((i for i, row in enumerate(self.rows) if _END.match(row)), default=0)
        self._top = self._end
        while self._top and _IN_INPUT.match(self.rows[self._top - 1]):
            self._top -= 1
        last = next((row for row in reversed(view.lines) if row.strip()), "").rstrip()
        version = _VERSION.search(last)
        self.version = version[1] if version else ""
        self.status = self._read_status()

    def _read_status(self) -> Status | None:
        rows = [row for row in self.rows if row.strip()]
        foot, low = rows[-FOOT:], rows[-QUESTION:]
        if any(map(_BUSY.search, foot)):
            retry = next(filter(None, map(_RETRY.search, foot)), None)
            if retry is None:
                return Status("busy")
            return Status("retrying", attempt=int(retry[3]), message=retry[1].strip())
        if any(map(_IDLE.search, foot)):
            return Status("idle")
        if any(map(_ASKS.search, low)):
            return Status("needs answer")
        if any(map(_BUTTONS.search, low)) and any(map(_PERMISSION.search, rows)):
            return Status("needs permission")
        return Status("idle") if self.version and self._end else None

    @property
    def is_home(self) -> bool:
        """No conversation is shown yet."""
        return any(_LOGO in row for row in self.rows)

    @property
    def confirms(self) -> bool:
        """ "Allow always" was chosen and has to be confirmed."""
        return any(map(_CONFIRMS.match, self.rows))

    @property
    def interrupts(self) -> bool:
        """One Escape was pressed, the next ends the turn."""
        return any("again to interrupt" in row for row in self.rows[-FOOT - 1 :])

    # the input: rows with a bar, the last of which names the agent

    @property
    def _cursor_in_input(self) -> bool:
        view = self.view
        if not view.cursor_visible or not self._top <= view.cursor_y < self._end - 1:
            return False
        return view.cursor_x >= self.rows[view.cursor_y].index(BAR) + TEXT_COLUMN

    @property
    def input(self) -> str:
        """What the input holds; "" where it is empty, whatever it suggests."""
        texts = [row.strip().removeprefix(BAR).strip() for row in self.rows[self._top : self._end]]
        text = "\n".join(texts[:-1]).strip()
        return "" if text.startswith("Ask anything") and self._cursor_at_start else text

    @property
    def _cursor_at_start(self) -> bool:
        view = self.view
        bar = self.rows[view.cursor_y].find(BAR) if view.cursor_y < len(self.rows) else -1
        above = self.rows[self._top : view.cursor_y]
        first = not any(row.strip().removeprefix(BAR).strip() for row in above)
        return first and bar >= 0 and view.cursor_x == bar + TEXT_COLUMN

    @property
    def _shell_mode(self) -> bool:
        label = self.rows[self._end - 1].strip().removeprefix(BAR).strip() if self._end else ""
        return label == "Shell"

    @property
    def dialog(self) -> str:
        """What lies over the TUI and takes the keys; "" where nothing does."""
        if self._cursor_in_input:
            return ""
        title = next(filter(None, map(_TITLE.search, self.rows)), None)
        if title:
            return f"the dialog {re.split(' {2,}', title[1])[-1]!r}"
        return "a dialog" if self.view.cursor_visible else ""

    @property
    def obstacle(self) -> str:
        """Why no prompt may be typed now; "" where the cursor is in the empty input."""
        if self.status is None:
            return "nothing that is known here"
        if self.status in ("needs permission", "needs answer"):
            return f"a question ({self.status})"
        if not self._cursor_in_input:
            return self.dialog or "an input without a cursor"
        if self._shell_mode:
            return f"its shell mode {self.input!r}"
        return f"a draft: {self.input[:200]!r}" if self.input else ""

    @property
    def is_scrolled(self) -> bool:
        """The conversation's end is not in sight. Only where its newest turn is known to be over."""
        above = [row for row in self.rows[: self._top] if row.strip()]
        return bool(above) and not _CONVERSATION_END.match(above[-1])

    def holds(self, text: str) -> bool:
        """Whether the input holds `text` and nothing else, as far as that can be seen."""
        return _key(self.input) == _key(text) or bool(_PASTED.fullmatch(self.input))

    def ends_with(self, text: str) -> bool:
        """Whether the input ends in `text`."""
        return _key(self.input).endswith(_key(text)) or self.input.endswith(" lines]")

    def text_below(self, prompt: str) -> str:
        """What is shown of the answer to `prompt`, rendered; "" where that prompt is not in sight
        or not the last one."""
        bars = [row.lstrip().startswith(BAR) for row in self.rows[: self._top]]
        ends = [i for i, bar in enumerate(bars) if bar]
        if not ends:
            return ""
        last = first = ends[-1]
        while first and bars[first - 1]:
            first -= 1
        block = "".join(row.strip().removeprefix(BAR) for row in self.rows[first : last + 1])
        if not _key(block) or not _key(prompt).startswith(_key(block)[:PREFIX]):
            return ""
        below = (row.strip() for row in self.rows[last + 1 : self._top])
        return "\n".join(row for row in below if not row.startswith("▣")).strip()


def session_left(view: View) -> str | None:
    """The id that OpenCode leaves on the screen when it ends."""
    found = _LEFT.findall("\n".join(view.lines))
    return found[-1] if found else None


def _main_part(line: str, width: int) -> str:
    """A row without the sidebar and the scroll bar."""
    row = cells(line, width - SIDEBAR)[0] if width > 120 else line
    return row.rstrip().removesuffix("█").rstrip()


def _key(text: str) -> str:
    """Letters, digits and ASCII signs alone: blanks wrap, and wide signs may be drawn otherwise."""
    return "".join(sign for sign in text if sign.isalnum() or (sign.isascii() and sign > " "))
