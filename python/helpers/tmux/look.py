"""One look at a pane: tmux's state, and the rows of the screen and some above, from one call.

A command that depends on what the look sees (Enter, only if the cursor is still there) is part of
the same call: the server runs a call's commands without handling a key in between.
"""

import os
import re
import time
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from .client import TmuxError, tmux
from .output import cells, pieces

PERSON = "@tmux_tool_person"  # on a pane: the live view changes it with each bundle of keys
PAGE = "@tmux_tool_page"  # global: when a page of the live view looked last, in seconds since 1970
STATE = "@tmux_tool"  # on a pane: what a call leaves for the next one, see state.py
OPENED = "@tmux_tool_opened"  # on a window: the name under which `open` made it
DEFAULT = "@tmux_tool_default"  # on a session: the pane of the last answer without `pane`
# Changes with every key from an attached terminal, in whole seconds (server-client.c); in a group
# of sessions also when one is created or ends.
_GROUP = "#{?session_grouped,#{next_session_id} #{S:x},}"
STAMP = f"#{{session_id}} #{{session_activity}} {_GROUP} #{{{PERSON}}}"
SLACK = 40  # rows above the screen that a look includes
_ATTACHED = "#{?session_grouped,#{session_group_attached},#{session_attached}}"


@dataclass(frozen=True, kw_only=True)
class Look:
    """Sizes and places are in cells. A *row* counts from the oldest row of the history."""

    id: str
    pid: int  # the pane's first process
    server: int  # pid of the tmux server
    socket_path: str
    width: int
    height: int
    cursor_x: int
    cursor_y: int
    cursor_flag: bool
    history_size: int  # rows above the screen
    history_limit: int
    alternate_on: bool
    keypad_flag: bool
    keypad_cursor_flag: bool  # the arrow keys have another form
    bracket_paste_flag: str
    pane_in_mode: bool  # a person scrolls: copy mode or another
    scroll_position: int  # lines by which they have scrolled back
    pane_dead: bool
    pane_dead_status: str
    pane_current_path: str
    opened: str
    default: str
    state: str
    stamp: str
    attached: bool  # clients of the session or its group
    typed: int  # the second of the last key
    printed: int  # the second of the last output
    now: int  # the second of the look, by tmux's clock
    unseen: bool  # there are clients in control mode: their keys leave no stamp
    said: str  # output of the command that was part of the call
    at: float  # monotonic seconds
    lines: list[tuple[int, str]]  # (row, text), wrapped rows joined

    @property
    def settled(self) -> bool:
        """Whether any later key changes the stamp: none came in this second. After a key of the
        future the clock was set back."""
        return self.typed - self.now not in (0, 1)

    @property
    def silent(self) -> float:
        """Seconds without output, by tmux's whole seconds."""
        return max(self.now - self.printed - 1.0, 0.0)

    @property
    def row(self) -> int:
        """The cursor's row."""
        return self.history_size + self.cursor_y

    @property
    def cell(self) -> tuple[int, int]:
        return self.row, self.cursor_x

    @cached_property
    def rows(self) -> dict[int, str]:
        """Each row and its text, without trailing spaces."""
        return rows_of_lines(self.lines, self.width)

    @property
    def left(self) -> str:
        """The text left of the cursor, on its row."""
        return cells(self.rows.get(self.row, ""), self.cursor_x)[0]

    @property
    def right(self) -> str:
        """The text from the cursor on, on its row."""
        return cells(self.rows.get(self.row, ""), self.cursor_x)[1]

    @cached_property
    def line(self) -> tuple[int, str]:
        """The cursor's line: the row on which it begins, which may be above, and its text."""
        above = [line for line in self.lines if line[0] <= self.row]
        return above[-1] if above else (self.row, "")

    @property
    def line_row(self) -> int:
        return self.line[0]

    @cached_property
    def _line_split(self) -> tuple[str, str]:
        row, text = self.line
        return cells(text.rstrip(), (self.row - row) * self.width + self.cursor_x)

    @property
    def line_left(self) -> str:
        """The text left of the cursor from the beginning of its line."""
        return self._line_split[0]

    @property
    def line_digest(self) -> int:
        """What identifies that text, however it is spaced."""
        return digest(" ".join(self.line_left.split()))

    @property
    def line_right(self) -> str:
        """The text from the cursor to the end of its line."""
        return self._line_split[1]

    @property
    def full_above(self) -> str:
        """The rows above that may be of the cursor's line: zsh's are not marked as wrapped, but
        full."""
        found, row = "", self.row - 1
        while len(self.rows.get(row, "")) >= self.width - 1:
            found, row = self.rows[row] + found, row - 1
        return found

    @property
    def screen(self) -> list[str]:
        """The visible rows."""
        return [self.rows.get(self.history_size + y, "") for y in range(self.height)]

    @property
    def draws(self) -> bool:
        """Whether something is drawn below the cursor's row, or a list's counter above it."""
        above = self.rows.get(self.row - 1, "")
        return any(self.screen[self.cursor_y + 1 :]) or bool(re.match(r" *\d+/\d+ ", above))

    @property
    def last(self) -> str:
        """The last visible row that is not empty."""
        return next(filter(str.strip, reversed(self.screen)), "")

    @cached_property
    def shows(self) -> tuple:
        """What a person sees: if equal twice, nothing was drawn in between."""
        return (self.screen, self.cell, self.alternate_on, self.cursor_flag)

    @property
    def bracketed(self) -> bool | None:
        """Whether the program asks for pasted text in brackets; None before tmux 3.7, which does
        not tell."""
        return {"1": True, "0": False}.get(self.bracket_paste_flag)

    @property
    def mode(self) -> str:
        """What a person does that hides the program's screen."""
        if self.scroll_position:
            return f"scrolled back {self.scroll_position} lines"
        return "in a mode of tmux's" if self.pane_in_mode else ""

    @property
    def history_is_full(self) -> bool:
        """Whether rows may have been dropped. tmux drops a tenth of the history when it is full."""
        return self.history_limit * 9 // 10 - 1 <= self.history_size


def nonce() -> str:
    """A text that nobody can guess. (The module `secrets` takes 20 ms to load.)"""
    return os.urandom(8).hex()


def digest(text: str) -> int:
    """What identifies a text that is not stored."""
    return zlib.crc32(text.rstrip().encode("utf-8", "replace"))


def rows_of_lines(lines: Iterable[tuple[int, str]], width: int) -> dict[int, str]:
    """Each row and its text, of lines that may be wrapped."""
    found: dict[int, str] = {}
    for start, text in lines:
        for row, piece in enumerate(pieces(text, width), start):
            found[row] = piece.rstrip()
    return found


# What tmux is asked for, where that is not the field's name.
_FORMS = {name: f"#{{pane_{name}}}" for name in ("id", "pid", "width", "height")}
_FORMS |= {"server": "#{pid}", "stamp": STAMP, "now": "%s"}
_FORMS |= {"state": f"#{{{STATE}}}", "opened": f"#{{{OPENED}}}", "default": f"#{{{DEFAULT}}}"}
_FORMS |= {"typed": "#{session_activity}", "printed": "#{window_activity}", "attached": _ATTACHED}
_OTHERS = ("unseen", "said", "at", "lines")
_KINDS: dict[str, Any] = {
    field.name: field.type for field in fields(Look) if field.name not in _OTHERS
}
_ASKED = [_FORMS.get(name, f"#{{{name}}}") for name in _KINDS]


def look(
    target: str,
    above: int = SLACK,
    then: tuple[str, ...] = ("display-message", "-p", ""),
    first: tuple[str, ...] = (),
) -> Look:
    """A look at one pane with at least `above` rows above its screen, as far as there are any, and
    the output of the tmux command `then`, run right after it; `first`: one run before it.

    Raises TmuxError; its `gone` says that there is no such pane.
    """
    at, mark = time.monotonic(), f":{nonce()}"  # separates parts that may hold breaks
    show = ("display-message", "-p", "-t", target)
    # For a missing target display-message answers with another pane's values; capture-pane fails.
    answer = tmux(
        *([*first, ";"] if first else []),
        *(*show, mark.join([*_ASKED, ""]), ";"),
        *("capture-pane", "-p", "-J", "-t", target, "-S", str(-min(above, 10**9)), ";"),
        *(*show, mark, ";", "list-clients", "-F", "#{client_control_mode}", ";", *show, mark, ";"),
        *then,
    )
    parts = answer.split(f"{mark}\n")
    if len(parts) != 4:
        raise TmuxError("the tmux server ended in the middle of its answer", gone=True)
    found = zip(_KINDS.items(), parts[0].split(mark), strict=True)
    facts: dict[str, Any] = {
        name: value if kind is str else kind(int(value or 0)) for (name, kind), value in found
    }
    end = facts["history_size"] + facts["height"]
    return Look(
        **facts,
        unseen="1" in parts[2],
        said=parts[3].strip(),
        at=at,
        lines=placed(parts[1].split("\n")[:-1], end, facts["width"]),
    )


def ordinary(full: Look) -> Look:
    """The ordinary screen behind a full screen, as it was when that opened."""
    full = look(full.id, full.history_size)
    where = ("display-message", "-p", "-t", full.id, "#{alternate_saved_x} #{alternate_saved_y}")
    screen = tmux("capture-pane", "-p", "-J", "-a", "-q", "-t", full.id, ";", *where)
    *texts, place, _ = screen.split("\n")
    x, y = map(int, place.split())
    above = [line for line in full.lines if line[0] < full.history_size]
    lines = above + placed(texts, full.history_size + full.height, full.width)
    return replace(full, lines=lines, cursor_x=x, cursor_y=y, alternate_on=False)


def painted(pane: str) -> str:
    """The visible rows with the sequences that set their colours."""
    return tmux("capture-pane", "-p", "-e", "-t", pane)


def placed(texts: list[str], end: int, width: int) -> list[tuple[int, str]]:
    """Joined lines and the rows on which they begin, counted upwards from `end`."""
    placed = []
    for text in reversed(texts):
        text = text.expandtabs()
        end -= len(list(pieces(text, width)))
        placed.append((max(end, 0), text))
    return placed[::-1]
