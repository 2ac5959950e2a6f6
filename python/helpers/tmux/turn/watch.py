"""Watch: the readings of one pane (look, probe, line editor, memory) and the clocks beside them.

A fact is read once per step: `read_kernel` and `look` take readings, all else is derived from the
latest. Clock and sleep are handed in, so that a door can end a wait at once, and a test can make an
hour pass. Nothing here types.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace

from ..evidence.editor.line_editor import Editor, last_exit_status, read_editor
from ..evidence.editor.modes import line_editor_reads, reported
from ..evidence.kernel.probe import EDITORS, SHELLS, Probe, printed_bytes, probe
from ..evidence.kernel.process import working_directory
from ..evidence.screen.book import Book
from ..evidence.screen.line import Near
from ..evidence.screen.prompts import directory_names
from ..evidence.screen.view import Lines, View
from ..output import trimmed
from ..pattern import Searcher
from ..terminal.look import SLACK
from ..terminal.pane import Pane
from ..transcript.mark import (
    Input,
    Mark,
    Typed,
    draft_of,
    left_of,
    load,
    may_have_typed,
    place_at,
    stamp_of,
)
from ..transcript.news import CONTEXT, News, is_within, output_of, since_mark
from ..words import Word
from .clocks import Clocks
from .scene import ENDLESS, Scene
from .verdict import Verdict, decide


class Watch:
    """One pane, watched from the last input on. `nap(seconds)` may raise to end the wait;
    `await_end` shortens one, see process.py."""

    def __init__(
        self,
        pane: Pane,
        view: View,
        *,
        prompt_pattern: str | None = None,
        until: str | None = None,
        answers: dict[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        nap: Callable[[float], object] = time.sleep,
        on_look: Callable[[View, float], object] = lambda view, seconds: None,
        await_end: Callable[[int | None, float], bool | None] = lambda pid, seconds: None,
        line_editor: bool = True,
    ):
        self.pane, self.clock, self.nap, self.on_look = pane, clock, nap, on_look
        named = {f"answers {at + 1}": pattern for at, pattern in enumerate(answers or {})}
        self.search = Searcher(prompt_pattern=prompt_pattern, until=until, **named)
        self.pid, self.await_end = view.pid, await_end
        self._line_editor = line_editor
        self._editor: tuple[tuple, Editor | None] = ((), None)
        self.text = ""  # what this caller typed last with Enter, in full
        self.clocks = Clocks(clock)
        self._left_cell = False  # the cursor was seen elsewhere than where Enter was pressed
        self._reports = False  # the shell's reports to tmux have changed since Enter
        self.heard = printed_bytes(view.server)  # bytes the server has read, as read last
        self.kernel = probe(view.pid, view.tty)
        self.view = self._ordinary(view)
        self.clocks.seen(view)
        self.reload()
        self._note_report()

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
        """Of the program in front whose leader has ended, or that /proc does not show."""
        if before.name and before.foreground == self.kernel.foreground is not None:
            return before.name
        return self.pane.command()

    def look(self, above: int = SLACK) -> View:
        """A new reading of the screen; notes what changed and when."""
        return self.seen(self.clock(), self.pane.look(above))

    def seen(self, began: float, view: View) -> View:
        """A look that began then has given `view`."""
        before, self.view = self.view, self._ordinary(view)
        self.clocks.look(began, before, self.view)
        self._note_report()
        return self.view

    def _note_report(self) -> None:
        """What the shell had reported before Enter may be stale: it counts once it has changed."""
        now = reported(self.view)
        self._reports |= bool(now and self.input and now != self.input.reported)

    def _ordinary(self, view: View) -> View:
        """`view`, where a shell edits a line on it: then it is no full screen, though a program
        that was killed has left the terminal so."""
        waiter = self.kernel.waiter
        shell = waiter is not None and waiter.name in SHELLS and self.kernel.canonical is False
        return replace(view, alternate=False, left_over=True) if view.alternate and shell else view

    def reload(self) -> None:
        """The memory as the latest look found it. What was in the pane before the first answer is
        old: it counts as shown."""
        self.memory = load(self.view)
        self.first = self.memory.first
        if self.first and not self.view.alternate:
            self.mark.place = place_at(self.view)
            self.mark.covers = self.input.number if self.input else 0

    @property
    def stale(self) -> bool:
        """May the screen be another one than at the last look, as the server's reads show now?"""
        self._hear()
        return not self.fresh

    @property
    def fresh(self) -> bool:
        """Had the server read nothing since before the last look when it was last asked?"""
        return self.view.printed is not None and self.heard == self.view.printed

    def refresh(self) -> None:
        """Look again, and load the memory, where anything may have changed since the last look."""
        if self.stale:
            self.look()
            self.reload()
        self.read_kernel()

    def follow(self, typed: Input, text: str) -> None:
        """Something was just typed: from now on what comes after it counts."""
        self.memory.input, self.text = typed, text
        self._left_cell = self._reports = False

    # what is known from the readings

    @property
    def input(self) -> Input | None:
        return self.memory.input

    @property
    def mark(self) -> Mark:
        return self.memory.mark

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

    def edited_text(self) -> str | None:
        """What the line editor holds, also where its prompt has left the screen; None where its
        memory cannot be read."""
        if not self._line_editor or self.kernel.remote or not self.kernel.subject:
            return None
        editor = read_editor(self.kernel.subject)
        return editor.text if editor else None

    @property
    def is_reported_idle(self) -> bool:
        """Has the shell reported to tmux since Enter, and last that no command runs?"""
        return self._reports and self.view.command_runs == "0"

    @property
    def exit_status(self) -> int | None:
        """The last command's, of the shell in front; None where that is unknown."""
        if self.is_reported_idle and self.view.status.isdigit():
            return int(self.view.status)
        editor = self.editor
        if editor is not None:
            return editor.exit_status
        if not self._line_editor or not self.kernel.subject or self.kernel.remote:
            return None
        return last_exit_status(self.kernel.subject)

    def prompts(self) -> tuple[str, ...]:
        """The prompts known of the program in front, the likeliest first."""
        return self.book.of(self.kernel.subject)

    def directory(self) -> tuple[str, ...]:
        """How a prompt may show the directory of the program in front."""
        return directory_names(working_directory(self.kernel.subject), os.path.expanduser("~"))

    def near(self) -> Near:
        """What is known beside the look, for the line at the cursor."""
        kernel, mark = self.kernel, self.mark
        here = mark.place is not None and mark.place.row == self.view.row
        asked = self._asked()
        return Near(
            editor=self.editor,
            program=kernel.name,
            canonical=bool(kernel.canonical),
            remote=bool(kernel.remote),
            multiline=kernel.name in EDITORS,
            prompts=self.prompts(),
            directory=self.directory() if self.editor is None else (),
            asked=asked,
            floor=self._floor(),
            drawn_right=here and mark.prompt and self.nobody_typed_since_answer,
        )

    def _asked(self) -> tuple[int, int] | None:
        """The cell at which a question at the cursor ended when it was shown, or at which the agent
        began a draft that it has not ended; None where another text is there now."""
        mark, typed = self.mark, self.input
        draft = typed.end if typed and self._is_draft and not typed.at_prompt else None
        if mark.asked and (self.memory.is_answered or draft):
            row, x, before = mark.asked[:3]
        elif draft is not None and draft.drawn:
            row, x, before = draft.row, draft.x, draft.drawn[-1]
        else:
            return None
        return (row, x) if left_of(self.view.left, x) == before else None

    def _floor(self) -> int:
        """The first row on which anything can be typed."""
        typed, place = self.input, self.mark.place
        if typed is not None and typed.enter and typed.end and not self.memory.is_answered:
            return typed.end.row + self.is_taken()
        return place.row if place is not None and not self.first else 0

    @property
    def _is_draft(self) -> bool:
        """Did the last input not end its line?"""
        return self.input is not None and not self.input.enter

    @property
    def nobody_typed(self) -> bool:
        """Is it proven that no key came from an attached terminal since the last input?"""
        return self.input is not None and not may_have_typed(self.input.stamp, self.view)

    @property
    def nobody_typed_since_answer(self) -> bool:
        """The same since the last answer."""
        return not may_have_typed(self.mark.stamp, self.view)

    def is_own(self, text: str) -> bool:
        """Is `text`, typed at the cursor, the agent's own draft?"""
        return bool(text and self.input and self.input.draft == draft_of(text))

    def is_proposed(self, text: str) -> bool:
        """Has the program itself put `text` behind its question: was it there when that came?"""
        if self.memory.is_answered:
            return self.mark.proposed == draft_of(text)
        return self.nobody_typed

    def scene(self, asked: str = "") -> Scene:
        """What is decided about: the latest readings."""
        view, typed = self.view, self.input
        answered = self.memory.is_answered
        same = typed is not None and self._same_program(typed)
        return Scene(
            kernel=self.kernel,
            editor=self._memory_of_editor(),
            rows=view.lines,
            columns=view.width,
            left=view.wrapped_left if self.kernel.canonical else view.left,
            x=view.cursor_x,
            y=view.cursor_y,
            asked=asked,
            alternate=view.alternate,
            cursor_visible=view.cursor_visible,
            dead=f"{self.pane.name}: {view.ended}" if view.dead else "",
            prompts=self.prompts(),
            expected=bool(typed and typed.at_prompt and same),
            entered=bool(typed and typed.enter and not answered),
            pressed=bool(typed and typed.typed is Typed.KEYS and not answered),
            rest=self.mark.open == Word.UNFINISHED,
            asks_read=bool(typed and typed.asks and not answered),
            printed=self._may_be_printed(),
            edits=line_editor_reads(view),
            edited=bool(typed and typed.edited and same and self.memory.turn_is_open),
            idle=self.is_reported_idle,
            title=view.title if self.clocks.still < ENDLESS else "",
            since_sent=self.clock() - (typed.at if typed else self.clocks.began),
            taken=self.is_taken(),
            still=self.clocks.still,
            silent=view.silent,
            full=self.clocks.full,
            pattern=self._pattern(),
        )

    def _may_be_printed(self) -> bool:
        """Was a known prompt in the text that was typed, and has nothing come since an answer that
        was not sure of it?"""
        mark, place = self.mark, self.mark.place
        doubted = mark.open == Word.QUIET and place and (place.row, place.x) == self.view.cell
        return bool(self.input and self.input.prints and (doubted or not self.memory.is_answered))

    def _same_program(self, typed: Input) -> bool:
        if self.kernel.blind and not self.kernel.remote:
            return True
        return self.kernel.foreground in (None, typed.foreground)

    def until(self) -> str | None:
        """The line of output since the last input that the caller's `until` matches; after an
        answer that said `matched`, since that answer."""
        if "until" not in self.search:
            return None
        return self.search.search("until", "\n".join(self.new_rows()))

    def is_taken(self) -> bool:
        """Has the program done something with what was typed: has the cursor left the cell in which
        Enter was pressed? Until then a prompt there is the old one."""
        typed = self.input
        if typed is None or typed.end is None or self.memory.is_answered or self.view.alternate:
            return True
        if typed.alternate or self.view.cell != (typed.end.row, typed.end.x):
            self._left_cell = True
            return True
        if typed.typed is not Typed.TEXT or not typed.sent:  # the prompt may come back to that cell
            return self._left_cell
        return [left_of(self.view.left, typed.end.x)] != typed.end.drawn[-1:]

    def _pattern(self) -> str | None:
        """The last line, where the caller's prompt_pattern matches it once something was done with
        what was typed. With the blanks up to the cursor, which tmux trims, and without: both `> $`
        and `>$` are written."""
        view, typed = self.view, self.input
        if "prompt_pattern" not in self.search or not self.is_taken():
            return None
        end = typed.end if typed and typed.sent and not self.memory.is_answered else None
        if end and end.drawn and left_of(view.last, end.x) == end.drawn[-1]:
            return None  # the echo
        return self.search.search("prompt_pattern", f"{view.last_padded}\n{view.last.rstrip()}")

    def verdict(self, scene: Scene | None = None) -> Verdict | None:
        """What the readings, as `scene`, show, whatever was typed."""
        return None if self.kernel.unread else decide(scene or self.scene())

    def stamp(self) -> list[object]:
        return stamp_of(self.view)

    # lines

    def lines_from(self, row: int) -> Lines:
        """The lines from `row` on, and some above; reads more of the pane where that is needed."""
        before, began = self.view, self.clock()
        view, lines = self.pane.lines(before, max(row - CONTEXT, 0))
        if view is not before:
            self.seen(began, view)
        return lines

    def all_lines(self) -> Lines:
        return self.lines_from(0)

    def output_since(self, typed: Input, end: int | None = None) -> News:
        """What came behind `typed`, up to the row `end`."""
        place = typed.end
        if place is None:
            return News([])
        lines = self.lines_from(min(place.row - len(place.drawn), self.view.row))
        news = output_of(self.view, lines.upto(end), typed, self.prompts())
        if news.cleared and lines.first:
            news = output_of(self.view, self.all_lines().upto(end), typed, self.prompts())
        return news

    def unshown(self, end: int | None = None) -> News:
        """What came since the last answer, up to the row `end`."""
        place = self.mark.place
        if place is None:
            return News([])
        lines = self.lines_from(min(place.row, self.view.row))
        if not is_within(self.view, lines, place):
            lines = self.all_lines()
        return since_mark(self.view, lines.upto(end), place, self.printed_over)

    @property
    def printed_over(self) -> bool:
        """Was what is behind the prompt that was shown last printed by a job?"""
        return self.mark.prompt and self.nobody_typed_since_answer

    def new_rows(self) -> list[str]:
        """Lines that came since the last input; since an answer that said `matched`, after that."""
        typed, view = self.input, self.view
        if view.alternate or typed is None or typed.alternate:
            return trimmed(list(view.lines))
        if self.memory.is_answered and self.mark.open == Word.MATCHED:
            return trimmed(self.unshown().lines)
        return trimmed(self.output_since(typed).lines)
