"""The readings of one pane (look, probe, line editor, memory) and their clocks.

A fact is read once per step: `read_kernel` and `look` take readings, and all else is derived from
the latest. Clock and sleep are injected, so that a door can end a wait at once and a test can make
an hour pass. Nothing is typed here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace

from ..evidence import programs
from ..evidence.editor.line_editor import Editor, last_exit_status, read_editor
from ..evidence.editor.modes import reported
from ..evidence.kernel.probe import Probe, probe
from ..evidence.kernel.process import bytes_read, link
from ..evidence.screen.book import Book
from ..evidence.screen.prompts import directory_names
from ..evidence.screen.view import View
from ..output import squeezed
from ..pattern import Searcher
from ..terminal.look import SLACK
from ..terminal.pane import Pane
from ..transcript.mark import (
    Input,
    Mark,
    Typed,
    load,
    may_have_typed,
    place_at,
)
from .clocks import Clocks


class Readings:
    """The readings of one pane. `search`: searches for the caller's patterns; `nap(seconds)` may
    raise to end the wait; `await_end` ends a nap early, see process.py."""

    def __init__(
        self,
        pane: Pane,
        view: View,
        *,
        search: Searcher | None = None,
        clock: Callable[[], float] = time.monotonic,
        nap: Callable[[float], object] = time.sleep,
        on_look: Callable[[View, float], object] = lambda view, seconds: None,
        await_end: Callable[[int | None, float], bool | None] = lambda pid, seconds: None,
        line_editor: bool = True,
    ):
        self.pane, self.clock, self.nap, self.on_look = pane, clock, nap, on_look
        self.search = search or Searcher()
        self.pid, self.await_end = view.pid, await_end
        self._line_editor = line_editor
        self._editor: tuple[tuple, Editor | None] = ((), None)
        self.text = ""  # what this caller typed last with Enter, in full
        self.clocks = Clocks(clock)
        self._left_cell = False  # the cursor has been seen away from where Enter was pressed
        self._reports = False  # the shell's reports to tmux have changed since Enter
        self.server_bytes = bytes_read(view.server)  # read by the server, at the last reading
        self.kernel = probe(view.pid, view.tty)
        self.view = self._ordinary(view)
        self.reload()
        self.seen(self.clock(), view)

    # readings

    def read_kernel(self) -> Probe:
        """Takes a new reading of the kernel."""
        before, self.kernel = self.kernel, probe(self.view.pid, self.view.tty)
        if not self.kernel.name:
            self.kernel = replace(self.kernel, name=self._name(before))
        self.clocks.kernel(self.kernel)
        self._read_server()
        return self.kernel

    def _read_server(self) -> None:
        """Notes how many bytes the server has read by now."""
        before, self.server_bytes = self.server_bytes, bytes_read(self.view.server)
        if self.server_bytes is not None and self.server_bytes != before:
            self.clocks.output = self.clock()

    def _name(self, before: Probe) -> str:
        """The name of the foreground program if its leader has ended or is not in /proc."""
        if before.name and before.foreground == self.kernel.foreground is not None:
            return before.name
        return self.pane.command()

    def look(self, above: int = SLACK) -> View:
        """Takes a new reading of the screen; notes what changed and when."""
        return self.seen(self.clock(), self.pane.look(above))

    def seen(self, began: float, view: View) -> View:
        """Notes `view`, the result of a look begun at `began`."""
        before, self.view = self.view, self._ordinary(view)
        self.clocks.look(began, before, self.view)
        self._note_report()
        return self.view

    def _note_report(self) -> None:
        """A report of the shell counts once it has changed since Enter: until then it is stale."""
        now = reported(self.view)
        self._reports |= bool(now and self.input and now != self.input.reported)

    def _ordinary(self, view: View) -> View:
        """`view`, but not as a full screen if a shell edits a line on it: a killed program has left
        the terminal on the alternate screen."""
        waiter = self.kernel.waiter
        raw = view.alternate and self.kernel.canonical is False
        if raw and waiter is not None and programs.of(waiter.name).shell:
            return replace(view, alternate=False, left_over=True)
        return view

    def reload(self) -> None:
        """Loads the memory from the latest look. Text that was in the pane before the first answer
        counts as shown, except the output of an input that was not waited for."""
        self.memory = load(self.view)
        self.first = self.memory.first
        if self.first and self.input is None and not self.view.alternate:
            self.mark.place = place_at(self.view)

    @property
    def stale(self) -> bool:
        """Whether the screen may have changed since the last look: the server has read more."""
        self._read_server()
        return not self.fresh

    @property
    def fresh(self) -> bool:
        """Whether the server, by the last reading, has read nothing since before the last look."""
        return self.view.printed is not None and self.server_bytes == self.view.printed

    def renew(self) -> None:
        """Takes new readings of everything."""
        self.look()
        self.reload()
        self.read_kernel()

    def refresh(self) -> None:
        """Takes new readings, with a look only if the screen may have changed since the last."""
        if self.stale:
            self.renew()
        else:
            self.read_kernel()

    def follow(self, typed: Input, text: str) -> None:
        """Notes what was just typed: from now on, output counts from there."""
        self.memory.input, self.text = typed, text
        self._left_cell = self._reports = False

    # what follows from them

    @property
    def input(self) -> Input | None:
        return self.memory.input

    @property
    def pending(self) -> Input | None:
        """The last input, if no answer covers it."""
        return None if self.memory.is_answered else self.input

    @property
    def mark(self) -> Mark:
        return self.memory.mark

    @property
    def book(self) -> Book:
        return self.memory.book

    @property
    def editor(self) -> Editor | None:
        """The line editor's memory; None in canonical mode, where it does not see typed text."""
        return self.editor_memory() if self.kernel.canonical is False else None

    def editor_memory(self) -> Editor | None:
        """The line editor's memory, read again only after its program has run. A background job
        that ended late may have put a line editor's terminal into canonical mode."""
        kernel = self.kernel
        if not (kernel.canonical is False or (kernel.canonical and kernel.waiter)):
            return None
        key = (self._readable, kernel.cpu_ns, kernel.tty)
        if self._editor[0] != key:
            self._editor = (key, read_editor(self._readable))
        editor = self._editor[1]
        return editor if editor is not None and editor.is_shown(self.view) else None

    def edited_text(self) -> str | None:
        """The line editor's text, even if its prompt has left the screen; None if its
        memory cannot be read."""
        editor = read_editor(self._readable)
        return editor.text if editor else None

    @property
    def _readable(self) -> int:
        """The pid whose memory may be read; 0, which no process has, if none may."""
        return self.kernel.subject if self._line_editor and not self.kernel.remote else 0

    @property
    def is_reported_idle(self) -> bool:
        """Whether the shell has reported to tmux since Enter, and last that no command runs."""
        return self._reports and self.view.command_runs == "0"

    @property
    def exit_status(self) -> int | None:
        """The exit status of the foreground shell's last command; None if unknown."""
        if self.is_reported_idle and self.view.status.isdigit():
            return int(self.view.status)
        return last_exit_status(self._readable)

    def prompts(self) -> tuple[str, ...]:
        """The known prompts of the program in front, the likeliest first."""
        return self.book.of(self.kernel.subject)

    def directory(self) -> tuple[str, ...]:
        """The forms in which a prompt may show the foreground program's directory."""
        return directory_names(link(self.kernel.subject, "cwd"), os.path.expanduser("~"))

    def title(self) -> str:
        """What precedes the directory in the terminal's title, without white space."""
        name = "".join(self.directory()[-1:])
        return squeezed(self.view.title.removesuffix(name).rpartition(" ")[0])

    @property
    def nobody_typed(self) -> bool:
        """Whether it is proven that no key came from an attached terminal since the last input."""
        return self.input is not None and not may_have_typed(self.input.stamp, self.view)

    @property
    def nobody_typed_since_answer(self) -> bool:
        """Whether the same is proven since the last answer."""
        return not may_have_typed(self.mark.stamp, self.view)

    @property
    def is_text_last(self) -> bool:
        """Whether no key has come since the agent typed text: that ends at the cursor."""
        typed = self.input
        return typed is not None and typed.typed is not Typed.KEYS and self.nobody_typed

    @property
    def is_undisturbed(self) -> bool:
        """Whether no key has come since the agent typed text, or since an answer about a line at
        rest. Both had seen every key that came before."""
        if self.is_text_last:
            return True
        return self.memory.is_answered and self.mark.rested and self.nobody_typed_since_answer
