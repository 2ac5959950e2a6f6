"""A pane without tmux: `Terminal` prints as a terminal does. What it holds is what a real pane gave in
the same situation: rows that wrap, scroll away, are cleared, or move when the window is resized."""

from __future__ import annotations

from typing import Any

from python.helpers.tmux.output import trimmed
from python.helpers.tmux.terminal.view import Lines, View, placed
from python.helpers.tmux.transcript.echoes import since_sent
from python.helpers.tmux.transcript.memory import Sent, Shown, load, shown_value
from python.helpers.tmux.transcript.places import place, since_place

PROMPT = "$ "
OUTPUT = {
    "a line": ["new"],
    "the same line": ["same"],
    "several": ["new 1", "new 2", "new 3"],
    "a line that wraps": ["y" * 130],
    "more than the screen": [f"new {n}" for n in range(25)],
    "blank lines within": ["new 1", "", "new 2"],
}


class Terminal:
    """A pane that is printed to, line by line; the last line is the cursor's."""

    def __init__(self, *lines: str, width: int = 40, height: int = 10, limit: int = 60):
        self.width, self.height, self.limit = width, height, limit
        self.lines = list(lines) or [""]

    def print(self, *lines: str) -> Terminal:
        """The first continues the cursor's line."""
        self.lines[-1] += lines[0]
        self.lines += lines[1:]
        while self._rows(self.lines) - self.height > self.limit:  # tmux drops a tenth
            del self.lines[0]
        return self

    def clear(self) -> Terminal:
        """As `clear` does: the history goes too."""
        self.lines = [""]
        return self

    def resize(self, width: int, height: int) -> Terminal:
        self.width, self.height = width, height
        return self

    def _rows(self, lines: list[str]) -> int:
        return sum(max(-(-len(line) // self.width), 1) for line in lines)

    @property
    def all(self) -> Lines:
        """With the empty rows below the cursor."""
        below = [""] * (self.height - self._rows(self.lines))
        return placed([*self.lines, *below], 0, self.width)

    @property
    def view(self) -> View:
        """With a few lines above the screen, as a look brings them along."""
        total = self._rows(self.lines)
        history = max(total - self.height, 0)
        rows = [
            line[at : at + self.width]
            for line in self.lines
            for at in range(0, max(len(line), 1), self.width)
        ]
        visible = (rows[history:] + [""] * self.height)[: self.height]
        return View(
            at=0.0,
            id="%0",
            pid=42,
            tty="/dev/pts/0",
            dead=False,
            dead_status="",
            in_mode=False,
            alternate=False,
            cursor_x=len(rows[-1]),
            cursor_y=total - history - 1,
            cursor_visible=True,
            width=self.width,
            height=self.height,
            history_size=history,
            history_limit=self.limit,
            server=1,
            version=(3, 4),
            input_off=False,
            synchronized=False,
            activity=0,
            path="/",
            opened="",
            default="",
            status="",
            lines=tuple(visible),
            joined=self.all,
        )

    def shown(self) -> Shown:
        """The place that an answer leaves behind now, as it comes back from the pane."""
        again = load({"@tmux_tool_shown": shown_value(place(self.view, None))}, 42).shown
        assert again is not None
        return again

    def since(self, shown: Shown) -> list[str]:
        return trimmed(since_place(self.view, self.all, shown).lines)

    def sent(self, text: str | None, prompt: str | None = PROMPT, **more) -> Sent:
        """What is sent with the cursor where it is now."""
        view = self.view
        facts: dict[str, Any] = {
            "pid": 42,
            "at": 1e9,
            "foreground": 7,
            "subject": 7,
            "awake": 1,
            "taken": 1,
            "size": 1,
            "left": view.left,
            "prompt": prompt.strip() if prompt is not None else None,
            "expected": True,
            "text": text,
            "cells": len("".join((text or "").split())),
            "row": view.row,
            "history": view.history_size,
        }
        return Sent(**(facts | more))

    def own(self, sent: Sent, text: str | None = None) -> list[str]:
        """A command's own output, with the prompt behind it."""
        return trimmed(since_sent(self.view, self.all, sent, text).lines)
