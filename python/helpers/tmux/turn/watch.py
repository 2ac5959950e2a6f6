"""Watch: the readings of one pane (screen, kernel, line editor, memory) and the clocks beside them.

A fact is read once per step: `read_kernel` and `look` take readings, all else is derived from the
latest. Clock and sleep are handed in, so that a door can end a wait at once, and a test can make an
hour pass. Nothing here types.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ..evidence.editor.line_editor import Editor, last_exit_status, read_editor
from ..evidence.kernel.probe import Probe, printed_bytes, probe
from ..evidence.screen.prompt import same
from ..evidence.screen.prompt_book import Book
from ..output import squeezed, trimmed
from ..pattern import Searcher
from ..terminal.pane import Pane
from ..terminal.view import SLACK, Lines, View
from ..transcript.echoes import echo_rows, since_sent
from ..transcript.memory import Memory, Sent, Shown, load
from ..transcript.places import CONTEXT, needs_more, place, since_place
from ..words import Word
from .clocks import Clocks
from .scene import Scene
from .verdict import Verdict, decide


class Watch:
    """One pane, watched from the last sending to it. `nap(seconds)` may raise to end the wait;
    `await_end` shortens one, see process.py."""

    def __init__(
        self,
        pane: Pane,
        view: View,
        *,
        prompt_pattern: str | None = None,
        until: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        nap: Callable[[float], object] = time.sleep,
        on_look: Callable[[View, float], object] = lambda view, seconds: None,
        await_end: Callable[[int | None, float], bool | None] = lambda pid, seconds: None,
        line_editor: bool = True,
    ):
        self.pane, self.clock, self.nap, self.on_look = pane, clock, nap, on_look
        self.now = time.time  # seconds since the epoch, as tmux and the memory count
        self.search = Searcher(prompt_pattern=prompt_pattern, until=until)
        self.pid, self.await_end = view.pid, await_end
        self._line_editor = line_editor
        self._editor: tuple[tuple, Editor | None] = ((), None)
        self.text: str | None = None  # what this caller sent last, in full
        self.memory = Memory()
        self.clocks = Clocks(clock)
        self._moved = self._drawn_on = False
        self.heard = printed_bytes(view.server)  # bytes the server has read, as read last
        self.view = view
        self.clocks.seen(view)
        self.reload()
        self.kernel = probe(view.pid, view.tty)

    # readings

    def read_kernel(self) -> Probe:
        """A new reading of the kernel."""
        before, self.kernel = self.kernel, probe(self.view.pid, self.view.tty)
        if not self.kernel.name:
            self.kernel = replace(self.kernel, name=self._name(before))
        self.clocks.kernel(self.kernel)
        self._hear()
        return self.kernel

    def _hear(self) -> None:
        """How much has the server read by now?"""
        before, self.heard = self.heard, printed_bytes(self.view.server)
        if self.heard is not None and self.heard != before:
            self.clocks.output = self.clock()

    def _name(self, before: Probe) -> str:
        """Of the program in front whose leader has ended, or that /proc does not tell."""
        if before.name and before.foreground == self.kernel.foreground is not None:
            return before.name
        return self.pane.command()

    def look(self, above: int = SLACK) -> View:
        """A new reading of the screen; notes what changed and when."""
        before, began = self.view, self.clock()
        self.view = self.pane.look(above)
        self.clocks.look(began, before, self.view)
        return self.view

    def reload(self) -> None:
        """The memory as the latest look found it. What was in the pane before the first answer is
        old: it counts as shown."""
        self.memory = load(self.view.memory, self.view.pid)
        self.first = self.memory.shown is None
        if self.first and not self.view.alternate:
            self.memory.shown = place(self.view, self.memory.sent)

    @property
    def stale(self) -> bool:
        """May the screen be another one than at the last look, as is to be heard now?"""
        self._hear()
        return not self.fresh

    @property
    def fresh(self) -> bool:
        """Had the server read nothing since before the last look when it was last heard?"""
        return self.view.printed is not None and self.heard == self.view.printed

    def refresh(self) -> None:
        """Look again, and load the memory, where anything may have changed since the last look."""
        if self.stale:
            self.look()
            self.reload()
        self.read_kernel()

    def follow(self, sent: Sent, text: str | None) -> None:
        """Something was just typed: from now on it counts what comes after it."""
        self.memory.sent, self.text = sent, text
        self._moved = self._drawn_on = False

    # what is known from the readings

    @property
    def sent(self) -> Sent | None:
        return self.memory.sent

    @property
    def shown(self) -> Shown | None:
        return self.memory.shown

    @property
    def book(self) -> Book:
        return self.memory.book

    @property
    def editor(self) -> Editor | None:
        """The line editor's memory. In canonical mode it has not seen what is typed."""
        return self._memory_of_editor() if self.kernel.canonical is False else None

    def _memory_of_editor(self) -> Editor | None:
        """Read once for each time that its program ran. What ended late, in the background, may
        have put a line editor's terminal into canonical mode."""
        kernel = self.kernel
        waits = kernel.canonical is False or (kernel.canonical and kernel.waiter)
        if not self._line_editor or not waits or kernel.remote:
            return None
        key = (kernel.subject, kernel.awake, kernel.tty)
        if self._editor[0] != key:
            self._editor = (key, read_editor(kernel.subject) if kernel.subject else None)
        editor = self._editor[1]
        return editor if editor is not None and editor.is_shown(self.view) else None

    @property
    def exit_status(self) -> int | None:
        """The last command's, of the shell in front; None where that cannot be known."""
        if self.view.status.isdigit():
            return int(self.view.status)
        editor = self.editor
        if editor is not None:
            return editor.exit_status
        if not self._line_editor or not self.kernel.subject or self.kernel.remote:
            return None
        return last_exit_status(self.kernel.subject)

    def prompts(self) -> tuple[str, ...]:
        """The prompts known of the program in front, the likeliest first."""
        known = self.book.of(self.kernel.subject)
        sent = self.sent
        if sent and sent.prompt and self._same_program(sent):
            known = (sent.prompt, *known)
        return known

    def _same_program(self, sent: Sent) -> bool:
        if self.kernel.blind and not self.kernel.remote:
            return True
        return self.kernel.foreground in (None, sent.foreground)

    def scene(self, asked: str = "") -> Scene:
        """What is decided about: the latest readings."""
        view, sent = self.view, self.sent
        return Scene(
            kernel=self.kernel,
            editor=self._memory_of_editor(),
            rows=view.lines,
            columns=view.width,
            left=view.left,
            x=view.cursor_x,
            y=view.cursor_y,
            asked=asked,
            alternate=view.alternate,
            cursor_visible=view.cursor_visible,
            dead=f"{self.pane.name}: {view.ended}" if view.dead else "",
            prompts=self.prompts(),
            expected=bool(sent and sent.expected and self._same_program(sent)),
            text="" if self._is_answered() else self.sent_text,
            entered=bool(sent and sent.enter and not self.memory.is_answered),
            since_sent=max(self.now() - sent.at, 0.0) if sent else self.clock() - self.clocks.began,
            moved=self.has_moved(),
            drawn_on=self.is_drawn_on(),
            still=self.clocks.still,
            silent=view.silent(view.at),
            full=self.clocks.full,
            pattern=self._pattern(),
        )

    def until(self) -> str | None:
        """The line of output since the last sending that the caller's `until` matches; after an
        answer that told of a match, since that answer."""
        if "until" not in self.search:
            return None
        shown, matched = self.shown, self.memory.is_answered and not self.view.alternate
        if matched and shown and shown.asked == Word.MATCHED:
            fresh = since_place(self.view, self.shown_lines(shown), shown).lines
        else:
            fresh = self.fresh_rows()
        return self.search.search("until", "\n".join(fresh))

    def has_moved(self) -> bool:
        """Is or was the cursor or its line another than at the sending?"""
        view, sent = self.view, self.sent
        if sent is None:
            return True
        here = (view.row, view.left.rstrip(), view.history_size)
        self._moved = self._moved or here != (sent.row, sent.left.rstrip(), sent.history)
        return self._moved

    def is_drawn_on(self) -> bool:
        """Does or did the screen show another text than at the sending?"""
        self._drawn_on = self._drawn_on or not self.sent or self.view.digest != self.sent.digest
        return self._drawn_on

    def _is_answered(self) -> bool:
        """Has an answer told of the prompt behind it? Then a person may have it there again."""
        shown = self.shown if self.sent and self.memory.is_answered else None
        return bool(shown and any(same(shown.line, one) for one in self.prompts()))

    @property
    def sent_text(self) -> str:
        """What was sent with Enter last, as far as it is known."""
        sent = self.sent
        if sent is None or not sent.enter:
            return ""
        return (self.text if self.text is not None else sent.text) or ""

    def _pattern(self) -> str | None:
        """The last line, where the caller's prompt_pattern matches it and it is neither what was
        there before the sending nor its echo. With the blanks up to the cursor, which tmux trims,
        and without: both `> $` and `>$` are written."""
        view, sent = self.view, self.sent
        if "prompt_pattern" not in self.search or not self.has_moved():
            return None
        if sent and (text := self.sent_text):
            last, before = squeezed(view.last), squeezed(sent.left)
            if last != before and echo_rows([view.last], sent.left + text):
                return None
        return self.search.search("prompt_pattern", f"{view.last_padded}\n{view.last.rstrip()}")

    def verdict(self, scene: Scene | None = None) -> Verdict | None:
        """What the readings, as `scene`, show, whatever was sent."""
        return None if self.kernel.unread else decide(scene or self.scene())

    # lines

    def lines_from(self, row: int) -> Lines:
        """The lines from `row` on, and some above; reads more of the pane where that is needed."""
        before, began = self.view, self.clock()
        view, lines = self.pane.lines(before, max(row - CONTEXT, 0))
        if view is not before:
            self.view = view
            self.clocks.look(began, before, view)
        return lines

    def all_lines(self) -> Lines:
        return self.lines_from(0)

    def fresh_rows(self) -> list[str]:
        """Lines that came since the last sending, without its echo."""
        sent = self.sent
        if sent is None or self.view.alternate or sent.alternate:
            return trimmed(list(self.view.lines))
        lines = self.lines_from(min(sent.row, self.view.row))
        return trimmed(since_sent(self.view, lines, sent, self.text).lines)

    def shown_lines(self, shown: Shown) -> Lines:
        """The lines in which the place `shown` is."""
        lines = self.lines_from(min(shown.row, self.view.row))
        return self.all_lines() if needs_more(self.view, lines, shown) else lines
