"""One reading of a pane: its visible rows and tmux's state, from one tmux call."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from .client import TmuxError, tmux, version_of
from .output import cells, clean

_NUMBERS = (
    "pane_id pane_pid pane_tty pane_dead pane_dead_status pane_in_mode alternate_on cursor_x cursor_y cursor_flag "
    "pane_width pane_height history_size history_limit pid version pane_input_off pane_synchronized"
).split()
_STATE = "|".join(f"#{{{name}}}" for name in _NUMBERS)
_TEXTS = ("pane_current_command", "pane_current_path")
CUT = "the tmux server ended in the middle of its answer"  # told to end, it breaks off and its client exits 0
MEMORY = (
    "@tmux_tool_mark",
    "@tmux_tool_row",
    "@tmux_tool_prompts",
    "@tmux_tool_read",
)  # pane user options


@dataclass(frozen=True, slots=True)
class View:
    """One reading of a pane: its visible rows and tmux's state, from one call. Sizes and places in cells."""

    id: str
    pid: int  # the pane's first process
    tty: str
    dead: bool
    dead_status: str
    in_mode: bool  # a person scrolls: copy mode or another
    alternate: bool
    cursor_x: int
    cursor_y: int
    cursor_visible: bool
    width: int
    height: int
    history_size: int  # rows above the screen
    history_limit: int
    server: int  # pid of the tmux server
    version: tuple[int, int]
    input_off: bool
    synchronized: bool
    command: str
    path: str
    memory: tuple[str, ...]  # the values of MEMORY
    lines: tuple[str, ...]  # the visible rows

    @property
    def left(self) -> str:
        """The text left of the cursor, on its row."""
        return (
            cells(self.lines[self.cursor_y], self.cursor_x)[0]
            if self.cursor_y < len(self.lines)
            else ""
        )

    @property
    def right(self) -> str:
        """The text from the cursor on, on its row."""
        return (
            cells(self.lines[self.cursor_y], self.cursor_x)[1]
            if self.cursor_y < len(self.lines)
            else ""
        )

    @property
    def row(self) -> int:
        """The cursor's row counted from the oldest row of the history."""
        return self.history_size + self.cursor_y

    @property
    def last(self) -> str:
        """The last line that is not blank."""
        return next((line for line in reversed(self.lines) if line.strip()), "")

    @property
    def last_padded(self) -> str:
        """`last` with the blanks up to the cursor where it stands on that line."""
        below = any(line.strip() for line in self.lines[self.cursor_y + 1 :])
        return self.left + self.right if self.left.strip() and not below else self.last


def view_of(target: str, more: Sequence[str] = ()) -> tuple[View, list[str]]:
    """The view of one pane, and what the tmux commands `more` print, from one call."""
    parting = f":{secrets.token_hex(8)}"
    ask = [
        word
        for name in (*_TEXTS, *MEMORY)
        for word in ("display-message", "-p", "-t", target, f":#{{{name}}}", ";")
    ]
    # display-message answers for a missing target with another pane's data; capture-pane fails as it should.
    out = tmux(
        "display-message",
        "-p",
        "-t",
        target,
        _STATE,
        ";",
        *ask,
        "display-message",
        "-p",
        "-t",
        target,
        parting,
        ";",
        "capture-pane",
        "-p",
        "-t",
        target,
        *more,
    ).split("\n")
    if parting not in out:
        raise TmuxError(CUT, kind="no server")
    part = out.index(parting)
    state = dict(zip(_NUMBERS, out[0].split("|"), strict=False))
    number = {
        name: int(state[name] or 0)
        for name in _NUMBERS
        if name not in ("pane_id", "pane_tty", "pane_dead_status", "version")
    }
    texts = [text.removeprefix(":") for text in out[1:part]]
    known = len(texts) - len(MEMORY)
    command, *path = map(clean, texts[:known])  # a path may hold newlines
    height = number["pane_height"]
    rows = [row.expandtabs() for row in out[part + 1 : -1]]  # tmux 3.8 gives tabs back as they came
    view = View(
        state["pane_id"],
        number["pane_pid"],
        state["pane_tty"],
        bool(number["pane_dead"]),
        state["pane_dead_status"],
        bool(number["pane_in_mode"]),
        bool(number["alternate_on"]),
        number["cursor_x"],
        number["cursor_y"],
        bool(number["cursor_flag"]),
        number["pane_width"],
        height,
        number["history_size"],
        number["history_limit"],
        number["pid"],
        version_of(state["version"]),
        bool(number["pane_input_off"]),
        bool(number["pane_synchronized"]),
        command,
        " ".join(path),
        tuple(texts[known:]),
        tuple((rows + [""] * height)[:height]),
    )
    return view, rows[height:]
