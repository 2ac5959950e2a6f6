"""One look at a pane: tmux's state, and the rows of the screen and some above, from one call.

What a look says is of one moment, because the server runs the commands of a call one after the
other. Rows are numbered from the oldest row of the history, so that a row keeps its number while
others come below it. tmux joins the rows of a wrapped line; here they are taken apart again where a
cell counts, and stay together where the text does.

A command that depends on what the look sees (Enter, only if the cursor is still there) is part of
the same call: the server runs a call's commands without handling a key in between.
"""

import os
import re
import time
from _blake2 import blake2b  # hashlib loads OpenSSL too, which takes longer than a call
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from ..base.cells import Line, cells, in_one_line, pieces
from ..base.client import TmuxError, tmux
from .readable import LAUNCHED

PERSON = "@tmux_tool_person"  # on a pane: the live view changes it with each bundle of keys
PAGE = "@tmux_tool_page"  # global: when a page of the live view looked last, in seconds since 1970
STATE = "@tmux_tool"  # on a pane: what a call leaves for the next one, see state.py
OPENED = "@tmux_tool_opened"  # on a window: the name under which `open` made it
NAMES = "@tmux_tool_names"  # global: digests of names, each with the pane that an answer told by it
# A hook of a pane that holds a command for the moment in which a condition, or a format, is asked.
HOOK = "pane-set-clipboard"
KEY = "@tmux_tool_key"  # global: a nonce of the server's, with which digests are made
_SHARED = "#{||:#{session_grouped},#{window_linked}}"  # several sessions have the window
# Whether a person may have had the window before them, ever. A key goes to the current window. A
# session's last ones are a stack: one that never was current is not on it. Each session has its own
# stack, so that of a shared window nothing is known.
_SHOWN = f"#{{||:{_SHARED},#{{||:#{{window_active}},#{{window_stack_index}}}}}}"
# Changes with every key from an attached terminal, in whole seconds (server-client.c); in a group
# of sessions also when one is created or ends.
_ACTIVITY = "#{session_activity} #{?session_grouped,#{next_session_id} #{S:x},}"
STAMP = f"#{{session_id}} #{{?{_SHOWN},{_ACTIVITY},}} #{{{PERSON}}}"
_KEY_SIZE = 64  # bytes at most
SLACK = 40  # rows above the screen that a look includes
MOST_ABOVE = 10_000  # rows at most: more than an answer can hold
_AT_ONCE = 64  # panes in one call: its commands must fit into a message to the server, 16 KB
_ATTACHED = "#{?session_grouped,#{session_group_attached},#{session_attached}}"
_SCROLLED = "scrolled back #{scroll_position} lines"
_MODE = f"#{{?scroll_position,{_SCROLLED},#{{?pane_in_mode,in a mode of tmux's,}}}}"


@dataclass(kw_only=True)
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
    mode: str  # what a person does that hides the program's screen
    pane_input_off: bool  # `select-pane -d`
    pane_dead: bool
    pane_dead_status: str
    pane_current_path: str
    launched: bool  # its shell can be read
    opened: str
    own: str  # the windows that `open` made, of all sessions
    names: str
    state: str
    key: str  # of the server's digests
    stamp: str
    attached: bool  # clients of the session or its group
    shown_to: int  # clients that show its window
    visited: bool  # somebody may have typed in the window, ever
    session_activity: int  # the second of the last key; 0 in a window that nobody ever saw
    window_activity: int  # the second of the last output
    now: int  # the second of the look, by tmux's clock
    # What other commands of the call tell, and when it was made.
    unseen: bool  # there are clients in control mode: their keys leave no stamp
    said: str  # output of the command that was part of the call
    at: float  # when it had come, in monotonic seconds
    lines: list[Line]  # wrapped rows joined

    def __post_init__(self) -> None:
        # Any later key changes the stamp, because none came in this second. (After a key of the
        # future the clock was set back.)
        self.settled = self.session_activity - self.now not in (0, 1)
        # Whether people may type here now. The agent's own windows are beside what they look at.
        self.watched = bool(self.shown_to if self.opened else self.attached)
        # Seconds without output, by tmux's whole seconds.
        self.silent = max(self.now - self.window_activity - 1.0, 0.0)
        # Whether the program asks for pasted text in brackets; None before tmux 3.7, which does not
        # tell.
        self.bracketed = {"1": True, "0": False}.get(self.bracket_paste_flag)
        # Rows may have been dropped: tmux drops a tenth of the history when it is full.
        # Rows above may be missing, not because they were dropped, but because they are so many.
        above = self.history_size - min((line.row for line in self.lines), default=0)
        self.is_cut = above >= MOST_ABOVE
        self.history_is_full = self.history_limit * 9 // 10 - 1 <= self.history_size

        self.row = self.history_size + self.cursor_y  # the cursor's
        self.cell = (self.row, self.cursor_x)
        self.rows = rows_of_lines(self.lines, self.width)  # without trailing spaces
        self.screen = [self.rows.get(self.history_size + y, "") for y in range(self.height)]
        self.below = [row for row in self.screen[self.cursor_y + 1 :] if row]
        counter = re.match(r" *\d+/\d+ [^\[]*[─-]$", self.rows.get(self.row - 1, ""))  # a list's
        self.draws = bool(self.below or counter)  # around the cursor's row
        # What a person sees: if equal twice, nothing was drawn in between.
        self.shows = (self.screen, self.cell, self.alternate_on, self.cursor_flag)

        # What is left and right of the cursor, on its row, and on its line, which may begin above.
        self.left, self.right = cells(self.rows.get(self.row, ""), self.cursor_x)
        self.blank = not self.left.strip()  # an empty row, or the cursor stands before its text
        begun = [line for line in self.lines if line[0] <= self.row]
        self.line_row, text = begun[-1] if begun else (self.row, "")
        self.line_end = (self.row - self.line_row) * self.width + self.cursor_x
        self.line_left, self.line_right = cells(text.rstrip(), self.line_end)
        self.line_digest = digest(in_one_line(self.line_left))  # however it is spaced

    @property
    def full_above(self) -> str:
        """The rows above that may be of the cursor's line: zsh's are not marked as wrapped, but
        full."""
        found = ""
        row = self.row - 1
        while row in self.rows and len(self.rows[row]) >= self.width - 1:
            found = self.rows[row] + found
            row -= 1
        return found

    def is_drawn_as(self, before: "Look") -> bool:
        """Whether nothing was drawn up to the cursor since an earlier look, in whatever size."""
        resized = self.width != before.width
        rows, old = (
            [line.text if resized else line for line in one.lines if line.row <= one.row]
            for one in (self, before)
        )
        same = min(len(rows), len(old))
        return self.line_end == before.line_end and rows[-same:] == old[-same:]


def nonce() -> str:
    """A text that nobody can guess. (The module `secrets` takes 20 ms to load.)"""
    return os.urandom(8).hex()


_key = b""  # of the server that was looked at last: a process has one


def digest(text: str) -> int:
    """What identifies a text that is not stored, whatever blanks end it; 0 for an empty one. Nobody
    who reads a record alone finds the text by trying: the key is the server's."""
    data = text.rstrip().encode("utf-8", "replace")
    if not data:
        return 0
    return int.from_bytes(blake2b(data, key=_key, digest_size=4).digest(), "big")


def _use_key(key: str) -> None:
    """Digests are made with this key from now on; a server without one gets it first."""
    global _key
    if not key:
        tmux(before=f"set-option -gqo {KEY} {nonce()}")
        key = tmux("show-options", "-gqv", KEY).strip()
    _key = key.encode()[:_KEY_SIZE]


def load_key() -> None:
    """As a look does, where none could be made: digests are compared with those of other calls."""
    _use_key(tmux("show-options", "-gqv", KEY).strip())


def rows_of_lines(lines: Iterable[Line], width: int) -> dict[int, str]:
    """Each row and its text, of lines that may be wrapped."""
    found: dict[int, str] = {}
    for start, text in lines:
        for row, piece in enumerate(pieces(text, width), start):
            found[row] = piece.rstrip()
    return found


_ATTENDED = f"#{{&&:{_SHOWN},#{{||:{_SHARED},#{{session_last_attached}}}}}}"
_NOW = "%s"
_OWN = f"#{{S:#{{W:#{{?{OPENED},#{{window_id}} ,}}}}}}"
# What tmux is asked for, where that is not the field's name.
_FORMS = {
    "id": "#{pane_id}",
    "pid": "#{pane_pid}",
    "width": "#{pane_width}",
    "height": "#{pane_height}",
    "server": "#{pid}",
    "stamp": STAMP,
    "now": _NOW,
    "session_activity": f"#{{?{_SHOWN},#{{session_activity}},0}}",
    "attached": _ATTACHED,
    "mode": _MODE,
    "shown_to": "#{window_active_clients}",
    "visited": f"#{{||:{_ATTENDED},#{{{PERSON}}}}}",
    # A program that has just begun, or has ended, is in no directory.
    "pane_current_path": "#{?pane_current_path,#{pane_current_path},#{pane_start_path}}",
    "state": f"#{{{STATE}}}",
    "key": f"#{{{KEY}}}",
    "launched": LAUNCHED,
    "opened": f"#{{{OPENED}}}",
    "own": _OWN,
    "names": f"#{{{NAMES}}}",
}
_NOT_ASKED = ("unseen", "said", "at", "lines")  # fields that a format does not tell
_KINDS: dict[str, Any] = {
    field.name: field.type for field in fields(Look) if field.name not in _NOT_ASKED
}
_ASKED = [_FORMS.get(name, f"#{{{name}}}") for name in _KINDS]
_ASKED_OF_MANY = ["" if form == _OWN else form for form in _ASKED]  # for each, that is all windows
_ENDED = "the tmux server ended in the middle of its answer"
_NOTHING = ("display-message", "-p", "")  # a tmux command that only prints an empty line


def look(
    target: str,
    above: int = SLACK,
    first: tuple[str, ...] = (),
    then: tuple[str, ...] = _NOTHING,
    before: str = "",
    call: Callable[..., str] = tmux,
) -> Look:
    """A look at one pane with at least `above` rows above its screen, as far as there are any, and
    the output of the tmux commands `first` and `then`, run right before and after it; `before`: one
    that is run unseen; `call`: what makes the call.

    Raises TmuxError; its `gone` says that there is no such pane.
    """
    mark = f":{nonce()}"  # separates parts that may hold breaks
    show = ("display-message", "-p", "-t", target)
    # For a missing target display-message answers with another pane's values; capture-pane fails.
    answer = call(
        *first,
        *(*show, mark, ";"),
        *(*show, mark.join([*_ASKED, ""]), ";"),
        *_capture(target, above),
        *(*show, mark, ";"),
        *("list-clients", "-F", "#{client_control_mode}", ";"),
        *(*show, mark, ";"),
        *then,
        before=before,
    )
    parts = answer.split(f"{mark}\n")
    if len(parts) != 5:
        raise TmuxError(_ENDED, gone=True)

    begun, values, screen, control_modes, said = parts
    return _made(values.split(mark), screen, control_modes, begun + said)


def looks(ids: list[str]) -> list[Look]:
    """A look at each of these panes, many in one call. One that has ended meanwhile is left out:
    tmux ends a call there, so its half of the panes is asked again."""
    if not ids:
        return []

    half = len(ids) // 2
    if len(ids) <= _AT_ONCE:
        try:
            return _looks(ids)
        except TmuxError as problem:
            if not problem.gone:
                raise
            if not half:
                return []

    return [*looks(ids[:half]), *looks(ids[half:])]


def _looks(ids: list[str]) -> list[Look]:
    """A look at each of these panes, in one call."""
    mark = f":{nonce()}"
    captures: list[str] = []
    for id in ids:
        captures += [*_capture(id, SLACK), "display-message", "-p", "-t", id, mark, ";"]

    answer = tmux(
        *("list-panes", "-a", "-F", mark.join([*_ASKED_OF_MANY, "."]), ";"),
        *("display-message", "-p", f"{_NOW}{mark}", ";"),  # list-panes does not tell the time
        *captures,
        *("list-clients", "-F", "#{client_control_mode}"),
    )
    parts = answer.split(f"{mark}\n")
    if len(parts) != len(ids) + 2:
        raise TmuxError(_ENDED, gone=True)

    values, *screens, control_modes = parts
    *rows, now = values.split(f"{mark}.\n")
    facts: dict[str, list[str]] = {}
    for row in rows:
        told = [now if value == _NOW else value for value in row.split(mark)]
        facts[told[0]] = told

    found: list[Look] = []
    for id, screen in zip(ids, screens, strict=True):
        found.append(_made(facts[id], screen, control_modes, ""))
    return found


def _capture(target: str, above: int) -> tuple[str, ...]:
    """The tmux command that prints the screen and rows above it."""
    first = str(-min(above, MOST_ABOVE))
    return ("capture-pane", "-p", "-J", "-t", target, "-S", first, ";")


def _made(values: list[str], screen: str, control_modes: str, said: str) -> Look:
    """The look that these parts of tmux's answer tell."""
    facts = _facts(values)
    _use_key(facts["key"])
    end = facts["history_size"] + facts["height"]
    return Look(
        **facts,
        unseen="1" in control_modes,
        said=said,
        at=time.monotonic(),
        lines=placed(screen.split("\n")[:-1], end, facts["width"]),
    )


def _facts(values: list[str]) -> dict[str, Any]:
    """What tmux says of each field, as a number or a truth value where it is one."""
    found: dict[str, Any] = {}
    if len(values) != len(_KINDS):
        raise TmuxError(_ENDED, gone=True)
    for (name, kind), value in zip(_KINDS.items(), values, strict=True):
        found[name] = value if kind is str else kind(int(value or 0))
    return found


def ordinary(full: Look) -> Look:
    """The ordinary screen behind a full screen, as it was when that opened."""
    screen = ("capture-pane", "-p", "-J", "-a", "-q", "-t", full.id, ";")
    where = ("display-message", "-p", "-t", full.id, "#{alternate_saved_x} #{alternate_saved_y}")
    full = look(full.id, full.history_size, then=(*screen, *where))
    *texts, place, _ = full.said.split("\n")
    x, y = map(int, place.split())
    above = [line for line in full.lines if line[0] < full.history_size]
    lines = above + placed(texts, full.history_size + full.height, full.width)
    return replace(full, lines=lines, cursor_x=x, cursor_y=y, alternate_on=False)


def painted(pane: str) -> str:
    """The visible rows with the sequences that set their colours."""
    return tmux("capture-pane", "-p", "-e", "-t", pane)


def placed(texts: list[str], end: int, width: int) -> list[Line]:
    """Joined lines and the rows on which they begin, counted upwards from `end`."""
    placed = []
    for text in reversed(texts):
        text = text.expandtabs()
        end -= len(list(pieces(text, width)))
        placed.append(Line(max(end, 0), text))
    return placed[::-1]
