"""What OpenCode's TUI shows: whose turn it is, what its input holds, what takes the keys. Pure.

Only the rows below the conversation and the cursor are believed: the conversation may quote any of
these words. Right on every captured screen of 1.2.15 to 1.18.33 (tests/opencode/screens).
"""

from __future__ import annotations

import re
from itertools import takewhile

from ..tmux.output import cells
from .reply import Status
from .terminal import View

SIDEBAR = 42  # columns at the right of a window wider than 120: not part of the conversation
TEXT_COLUMN = 3  # columns from the bar at the left of the input to its first character
PREFIX = 100  # signs of a prompt that are compared with its block on the screen
FOOT = 2  # rows at the bottom that tell the state where a dialog hides the input
QUESTION = 5  # rows at the bottom that a question's or permission's keys are among
MOST_QUOTED = 200  # characters
SHOWN_WHOLE = 150  # characters (as JavaScript counts them) and lines up to which the input shows
LINES_SHOWN = 2  # what is pasted; above it shows a name of it, and puts a blank behind that
_BAR = re.compile(r"^\s*┃\s*")  # at the left of the input, of prompts, of tool output
_IN_INPUT = re.compile(r"^\s*┃(?!.*┃$)")  # "  ┃  draft"; not a menu above it: "  ┃ /exit  …  ┃"
_END = re.compile(r"^\s*╹▀")  # the row below the input
# A narrow pane wraps the words below the input, each in its own columns, or cuts them.
_BUSY = re.compile(r"\besc (?:again to )?interrupt\b|[⬝■] +esc\b|\[retrying ")
_RETRY = re.compile(r"([^⬝■]*) \[retrying (?:in (\S+) )?attempt #(\d+)")  # no quota [retrying in 2s
_PERMISSION = re.compile(r"^\s*┃\s+△ (?:Permission required|Always allow|Reject permission)")
_CONFIRMS = re.compile(r"^\s*┃\s+△ Always allow")
_BUTTONS = re.compile(r"enter con|Allow once|Confirm")
_ASKS = re.compile(r"^\s*┃.*\besc(?: dismiss)?$")
_IDLE = re.compile(r"\bctrl\+p\b|\besc exit\b")
# "behind it   Commands        esc"
_TITLE = re.compile(r"(?:.*\s{2})?(\S.*?) {6,}esc(?:/enter)?\b")
_PASTED = re.compile(r"\[Pasted ~\d+ lines\]$")  # the name of a long prompt
_CONVERSATION_END = re.compile(r"^ {5}▣ |^\s*┃")  # a turn's closing mark; an error's block
_SCROLL_BAR = re.compile(r"(?:^|\s+)[█▀▄]$")  # 1.2 and 1.3 show one, with halves at its ends
_LOGO = "█▀▀█ █▀▀█"  # of the home screen


class Frame:
    """One look at the TUI, parsed once. `status`: None where this is not OpenCode, or not yet.
    `input`: what its input holds, "" where that is empty. `cursor_in_input`: the keys go there."""

    def __init__(self, view: View):
        self._lines = view.lines
        self.rows = [_main_part(line, view.width) for line in view.lines]
        self._end = max((i for i, row in enumerate(self.rows) if _END.match(row)), default=0)
        self._top = self._end
        while self._top and _IN_INPUT.match(self.rows[self._top - 1]):
            self._top -= 1
        self.status = self._read_status()
        # The input's last row names the agent, or says that it is a shell's.
        texts = [_BAR.sub("", row) for row in self.rows[self._top : self._end]]
        self._label = texts[-1] if texts else ""
        y, text = view.cursor_y, "\n".join(texts[:-1]).strip()
        inside = view.cursor_visible and self._top <= y < self._end - 1
        column = view.cursor_x - self.rows[y].index("┃") - TEXT_COLUMN if inside else -1
        self.cursor_in_input = column >= 0
        suggests = text.startswith("Ask anything") and column == 0
        self.input = "" if suggests else text
        self._dialog_cursor = view.cursor_visible and not self.cursor_in_input

    def _read_status(self) -> Status | None:
        rows = [row for row in self.rows if row.strip()]
        foot, low = rows[-FOOT:], rows[-QUESTION:]
        if self._end and not _BAR.match(rows[-1]):  # else a question is in place of the input
            foot = list(takewhile(str.strip, self._lines[self._end + 1 :]))
        if any(map(_BUSY.search, foot)):
            for retry in filter(None, map(_RETRY.search, foot)):
                return Status("retrying", attempt=int(retry[3]), message=retry[1].strip())
            return Status("busy")
        if any(map(_IDLE.search, foot)):
            return Status("idle")
        if any(map(_ASKS.search, low)):
            return Status("needs answer")
        if any(map(_BUTTONS.search, low)) and any(map(_PERMISSION.search, rows)):
            return Status("needs permission")
        return None

    @property
    def chosen(self) -> tuple[str, str]:
        """The agent and the model that a person's prompt would go to, as the row below the input
        names them; "" where it does not."""
        agent, _, model = self._label.partition(" · ")
        return (agent, model.partition(" · ")[0]) if model else ("", "")

    @property
    def is_home(self) -> bool:
        """No conversation is shown yet."""
        return any(_LOGO in row for row in self.rows)

    @property
    def shows_conversation(self) -> bool:
        return self.status is not None and not self.is_home

    @property
    def confirms(self) -> bool:
        """ "Allow always" was chosen and has to be confirmed."""
        return any(map(_CONFIRMS.match, self.rows))

    @property
    def asked(self) -> str:
        """What the question for a permission says; "" where none is shown."""
        starts = [i for i, row in enumerate(self.rows) if _PERMISSION.match(row)]
        rows = self.rows[starts[-1] + 1 :] if starts else []
        rows = list(takewhile(lambda row: not _BUTTONS.search(row), rows))
        return " ".join(" ".join(_BAR.sub("", row) for row in rows).split())

    def asks_for(self, command: str) -> bool:
        return bool(command) and _signs(command) in _signs(self.asked)

    @property
    def is_drawn(self) -> bool:
        """Whether it shows what takes the keys; half a frame does not."""
        asks = self.status in ("needs permission", "needs answer")
        return self.status is not None and (asks or self.cursor_in_input or bool(self.dialog))

    @property
    def dialog(self) -> str:
        """What lies over the TUI and takes the keys; "" where nothing does."""
        titles = () if self.cursor_in_input else filter(None, map(_TITLE.match, self._lines))
        for title in titles:
            if title[1] != "enter":  # else a question's keys in a narrow pane
                return f"the dialog {title[1].strip()!r}"
        return "a dialog" if self._dialog_cursor else ""

    @property
    def obstacle(self) -> str:
        """Why no prompt may be typed now; "" where the cursor is in the empty input."""
        if self.status is None:
            return "nothing that is known"
        if self.status in ("needs permission", "needs answer"):
            return f"a question ({self.status})"
        if not self.cursor_in_input:
            return self.dialog or "no cursor in its input"
        draft = repr(self.input[:MOST_QUOTED])
        if self._label == "Shell":
            return f"its shell mode with {draft}"
        return f"what somebody has typed: {draft}" if self.input else ""

    @property
    def is_scrolled(self) -> bool:
        """Whether the conversation's end is out of sight; to be asked when no turn runs."""
        above = [row for row in self.rows[: self._top] if row.strip()]
        return bool(above) and not self.is_home and not _CONVERSATION_END.match(above[-1])

    @property
    def is_folded(self) -> bool:
        """The input ends in the name of a long text instead of that text."""
        return bool(_PASTED.search(self.input))

    def holds(self, text: str, lines: int = 0) -> bool:
        """Whether the input holds `text` and nothing else, as far as that can be seen. `lines`:
        folded_lines() of it."""
        return bool(self.input) and _signs(self.input) in _shown(text, lines)

    def contains(self, text: str, lines: int = 0) -> bool:
        return bool(self.input) and any(one in _signs(self.input) for one in _shown(text, lines))

    def ends_with(self, text: str, lines: int = 0) -> bool:
        return bool(self.input) and _signs(self.input).endswith(_shown(text, lines))

    def text_below(self, prompt: str) -> str:
        """What is shown of the answer to `prompt`, rendered; "" where that prompt is not in sight,
        or anything but text came since."""
        last = max((i for i in range(self._top) if _BAR.match(self.rows[i])), default=-1)
        first = last
        while first > 0 and _BAR.match(self.rows[first - 1]):
            first -= 1
        block = _signs("".join(_BAR.sub("", row) for row in self.rows[max(first, 0) : last + 1]))
        if not block or not _signs(prompt).startswith(block[:PREFIX]):
            return ""
        below = [row.strip() for row in self.rows[last + 1 : self._top]]
        return "\n".join(row for row in below if not row.startswith("▣")).strip()


def as_typed(text: str) -> str:
    """`text` with the line breaks that are typed for its own."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def folded_lines(text: str) -> int:
    """The number of lines by which the input names `text` instead of showing it; 0: it shows it."""
    text = as_typed(text).strip()
    lines = text.count("\n") + 1
    size = len(text.encode("utf-16-le", "surrogatepass")) // 2
    return lines if lines > LINES_SHOWN or size > SHOWN_WHOLE else 0


def _shown(text: str, lines: int) -> tuple[str, ...]:
    """What the input may show of `text`, as _signs(): its name where it is folded, or itself."""
    name = (f"[Pasted~{lines}lines]",) if lines else ()
    return (_signs(text), *name)


def _main_part(line: str, width: int) -> str:
    """A row without the sidebar and the scroll bar."""
    row = cells(line, width - SIDEBAR)[0] if width > 120 else line
    return _SCROLL_BAR.sub("", row.rstrip())


def _signs(text: str) -> str:
    """Letters, digits and ASCII signs alone: blanks wrap, and wide signs may be drawn otherwise."""
    return "".join(sign for sign in text if sign.isalnum() or (sign.isascii() and sign > " "))
