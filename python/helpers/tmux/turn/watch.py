"""What the readings of one pane mean for the decision: the scene, the line, what is new."""

from __future__ import annotations

from dataclasses import replace

from ..evidence import programs
from ..evidence.editor.modes import line_editor_reads
from ..evidence.screen.line import Near
from ..evidence.screen.prompts import begins
from ..evidence.screen.view import Lines
from ..output import trimmed
from ..transcript.mark import (
    Input,
    Place,
    Typed,
    draft_of,
    goes_beyond,
    left_of,
    lines_sent,
)
from ..transcript.news import CONTEXT, News, has_moved, since_answer
from ..words import Word
from .by_screen import ENDLESS
from .readings import Readings
from .row import Verdict
from .scene import Scene
from .verdict import decide


class Watch(Readings):
    """One pane, watched since the last input."""

    def near(self) -> Near:
        """What is known about the line at the cursor, besides the look."""
        kernel = self.kernel
        return Near(
            editor=self.editor,
            program=kernel.name,
            canonical=bool(kernel.canonical),
            remote=bool(kernel.remote),
            prompts=self.prompts(),
            directory=self.directory() if self.editor is None else (),
            asked=self._asked(),
            floor=self._floor(),
            begins_at_floor=bool(self.pending) or begins(self.view.left, self.prompts()),
            untouched=self._is_untouched(),
            ends_here=self.is_text_last,
        )

    def _is_untouched(self) -> bool:
        """Whether no key has come since Enter, or since an empty prompt was seen there."""
        typed, place = self.input, self.mark.place
        if typed is not None and typed.enter and self.nobody_typed:
            return True
        same_row = place is not None and place.row == self.view.row
        empty = self.mark.prompt and not self.is_draft
        return same_row and empty and self.nobody_typed_since_answer

    def _asked(self) -> tuple[int, int] | None:
        """The cell in which the question at the cursor ended when it was shown, or in which the
        agent began a draft that it has not ended; None if another text is there now."""
        mark, typed = self.mark, self.pending
        if mark.asked and (typed is None or self.is_draft):
            row, x, before = mark.asked[:3]
        elif typed and self.is_draft and not typed.at_prompt and typed.end and typed.end.drawn:
            row, x, before = typed.end.row, typed.end.x, typed.end.drawn[-1]
        else:
            return None
        return (row, x) if left_of(self.view.left, x) == before else None

    def _floor(self) -> int:
        """The first row that can hold typed text; 0 if unknown."""
        typed, place, taken = self.pending, self.mark.place, False
        if typed is not None and typed.enter:
            place, taken = typed.end or place, typed.end is not None and self.is_taken()
        elif self.first:
            return 0
        return 0 if place is None or has_moved(self.view, place) else place.row + taken

    @property
    def is_draft(self) -> bool:
        """Whether the last input did not end its line."""
        return self.input is not None and not self.input.enter

    @property
    def is_stopped_in_vain(self) -> bool:
        """Whether C-c was pressed last, and the answer still said `unfinished`."""
        typed, unfinished = self.input, self.mark.open == Word.UNFINISHED
        pressed = typed is not None and typed.sent == lines_sent("^C")
        return pressed and unfinished and self.memory.is_answered

    def is_own(self, text: str) -> bool:
        """Whether `text`, typed at the cursor, is the agent's own draft. It may also be a line that
        the agent entered: fish returns a line that it cannot parse."""
        own = bool(text and self.input and self.input.draft == draft_of(text))
        return own and (self.is_draft or self.nobody_typed)

    def is_proposed(self, text: str) -> bool:
        """Whether the program itself put `text` after its question: it was there from the start."""
        if self.memory.is_answered:
            return self.mark.proposed == draft_of(text)
        return self.nobody_typed

    def scene(self, asked: str = "") -> Scene:
        """The latest readings, as the decision takes them."""
        view, typed, pending = self.view, self.input, self.pending
        same = typed is not None and self._same_program(typed)
        return Scene(
            kernel=self.kernel,
            editor=self.editor_memory(),
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
            unedited=bool(typed and typed.unedited and same),
            entered=bool(pending and pending.enter),
            pressed=bool(pending and pending.typed is Typed.KEYS),
            escape=bool(pending and pending.escape),
            rest=self.mark.open == Word.UNFINISHED,
            asks_read=bool(typed and typed.asks and (pending or self.mark.asked)),
            runs=bool(typed and same and self._titles_command(typed)),
            begun=self._begun(),
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
        """Whether the typed text contained a known prompt, and nothing has come since an answer
        that was unsure of it."""
        doubted = self.mark.open == Word.QUIET and self.at_mark
        return bool(self.input and self.input.prints and (doubted or self.pending))

    def _titles_command(self, typed: Input) -> bool:
        """Whether the title shows a running command. fish sets it to the directory at its prompt,
        and to the command's name and the directory at each command, before it draws anything."""
        if typed.title is None or not programs.of(self.kernel.name).asks_in_editor:
            return False
        return goes_beyond(self.title(), typed.title)

    def _begun(self) -> int:
        """The first visible row below the text that was sent; 0 if uncertain."""
        typed = self.input
        if typed is None or typed.end is None or not typed.sent or typed.typed is not Typed.TEXT:
            return 0
        moved = has_moved(self.view, typed.end)
        return 0 if moved else max(typed.end.row + 1 - self.view.history_size, 0)

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

    @property
    def at_mark(self) -> bool:
        """Whether the cursor is where an answer last showed it."""
        place = self.mark.place
        return place is not None and (place.row, place.x) == self.view.cell

    def is_taken(self) -> bool:
        """Whether the program has acted on what was typed: the cursor has left the cell in which
        Enter was pressed. Until then a prompt there is the old one."""
        typed = self.pending
        if typed is None or typed.end is None or self.view.alternate:
            return True
        if self.view.cell != (typed.end.row, typed.end.x):
            self._left_cell = True
            return True
        if typed.typed is not Typed.TEXT or not typed.sent:  # the prompt may come back to that cell
            return self._left_cell
        return [left_of(self.view.left, typed.end.x)] != typed.end.drawn[-1:]

    def _pattern(self) -> str | None:
        """The last line, if the caller's prompt_pattern matches it once the program has acted on
        what was typed. It is tried with the spaces up to the cursor, which tmux trims, and without:
        callers write both `> $` and `>$`."""
        view, typed = self.view, self.pending
        if not self.is_taken():
            return None
        end = typed.end if typed and typed.sent else None
        if end and end.drawn and left_of(view.last, end.x) == end.drawn[-1]:
            return None  # the echo
        return self.search.search("prompt_pattern", f"{view.last_padded}\n{view.last.rstrip()}")

    def verdict(self, scene: Scene | None = None) -> Verdict | None:
        """The verdict from `scene`, by default the latest readings; None while input is unread."""
        return None if self.kernel.unread else decide(scene or self.scene())

    # lines

    def lines_from(self, row: int) -> Lines:
        """The lines from `row` on, and some above; reads more of the pane if necessary."""
        before, began = self.view, self.clock()
        view, lines = self.pane.lines(before, max(row - CONTEXT, 0))
        if view is not before:
            self.seen(began, view)
        return lines

    def came(self, place: Place | None, typed: Input | None = None, end: int | None = None) -> News:
        """What came since an answer showed the pane up to `place` (None: since the first input), up
        to the row `end`, without the echo of what was `typed` since."""
        inputs = [each for each in (typed, typed and typed.first) if each is not None]
        places = [at for at in (place, *(each.end for each in inputs)) if at is not None]
        news, behind, prompts = News([]), self.printed_over, self.prompts()
        for first in (min((at.row - at.height for at in places), default=self.view.row), 0):
            lines = self.lines_from(min(first, self.view.row))
            news = since_answer(self.view, lines, place, typed, behind, prompts, end)
            if not (news.cleared and lines.first):
                break  # else the place may be above these lines
        return news

    def output_of(self, typed: Input, end: int | None = None) -> News:
        """What came after `typed`, up to the row `end`."""
        return self.came(None, replace(typed, first=None), end)

    @property
    def printed_over(self) -> bool:
        """Whether a job printed the text after the last shown prompt."""
        return self.mark.prompt and self.nobody_typed_since_answer

    def new_rows(self) -> list[str]:
        """Lines that came since the last input, or since a later answer that said `matched`."""
        typed, view = self.input, self.view
        if view.alternate or typed is None or typed.end is None:
            return trimmed(list(view.lines))
        if self.memory.is_answered and self.mark.matched is not None:
            return trimmed(self.came(self.mark.matched).lines)
        return trimmed(self.output_of(typed).lines)
