"""What an answer says: the verdict's first line, and under it what the agent has not seen yet.

The pane remembers up to where the agent has been shown it (mark.Mark); each answer moves that on.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from ..answer import Answer
from ..evidence.screen.line import Kind, Line, is_prompt, line_at
from ..evidence.screen.upper_rows import ALIKE
from ..evidence.screen.view import View, digest
from ..output import clean, squeezed, trimmed, trimmed_end
from ..terminal.client import TmuxError
from ..terminal.look import INPUT, MARK, PROMPTS
from ..transcript.mark import Input, Mark, Typed, draft_of, dumps, left_of, place_at, stamp_of
from ..transcript.news import News, between, output_of
from ..turn.may_type import waits_ahead
from ..turn.wait import Outcome
from ..turn.watch import Watch
from ..turn.whose_turn import Turn, whose_turn
from ..words import OPEN, Evidence, Word
from .ending import compare_upper, without_prompt
from .exit_status import own_status
from .full_screen import screen_rows

_LONGEST = 400  # characters of a question in the first line
_QUOTING = (
    Word.NEEDS_INPUT,
    Word.NEEDS_PASSWORD,
    Word.NEEDS_KEY,
    Word.UNFINISHED,
    Word.QUIET,
    Word.MATCHED,
)
_DEAD = "Pane is dead ("  # tmux's own row on a pane that remains
_NO_OUTPUT, _NOTHING_NEW, _UNCHANGED = "(no output)", "(nothing new)", "(screen unchanged)"
_CLEARS = re.compile(r"\s*(?:clear|reset|tput (?:clear|reset))\b|\^L$")
_UNSEEN = "someone worked here since the last answer, or a program printed; read shows it"
CANNOT_TELL = "cannot determine whether someone has typed here"


def first_line(outcome: Outcome, action: str, timeout: float) -> str:
    """The contract's first line for a verdict."""
    after = f"after {outcome.seconds:.2f}s"
    if outcome.word is Word.GONE:
        return f"gone: {outcome.detail}"
    if outcome.word is Word.TIMED_OUT:
        unread = "; not read yet" if outcome.unread else ""
        running = f"still running {outcome.detail}, silent for {outcome.silent:.1f}s"
        return f"{action} timed out after {timeout:.1f}s: {running}{unread}"
    if outcome.word is Word.READY:
        status = "" if outcome.exit_status is None else f", exit status {outcome.exit_status}"
        quoted = "" if outcome.evidence is Evidence.SHELL else f": {outcome.detail[:_LONGEST]}"
        return f"ready ({outcome.evidence}) {after}{status}{quoted if outcome.detail else ''}"
    return f"{outcome.word} {after}: {' '.join(outcome.detail.split())[:_LONGEST]}"


class Report:
    """The answer to one action. `origin`: the input whose output the body begins with; `above`: the
    rows above the prompt at which it was typed; `earlier`: rows that came already."""

    def __init__(self, watch: Watch, action: str, notes: list[str]):
        self.watch, self.action, self.notes = watch, action, notes
        self.origin: Input | None = None
        self.above: list[str] | None = None
        self.earlier: list[str] = []
        self.prompt = ""
        self.whole = False

    def begin_above(self) -> None:
        """Before the command is typed: what is above its prompt."""
        view = self.watch.view
        if not view.alternate and self.watch.editor is None:
            self.above = view.joined.split(view.row)[0]
            self.prompt = whose_turn(self.watch).line.prompt

    def begins(self) -> None:
        """A text was just typed: what comes from here on is its output."""
        self.origin = self.watch.input

    def answers_itself(self) -> None:
        """A question is answered: the dialogue is shown as it is on the screen."""
        self.whole = True

    def collect(self, outcome: Outcome) -> None:
        """Keeps what came up to here, before the next piece is typed."""
        here = whose_turn(self.watch)
        rows = self._rows(outcome, here.line)
        self.earlier += trimmed_end(rows)
        self._remember(outcome.word, here)

    def answer(self, outcome: Outcome, timeout: float) -> Answer:
        """The whole answer; what it shows counts as shown from now on."""
        watch = self.watch
        rows: list[str] = []
        pending = self.action in ("run", "send") or bool(watch.mark.open)
        if outcome.word is not Word.GONE or watch.view.dead:
            with suppress(TmuxError):  # the pane ends before its output can be read
                rows = self._body(outcome)
        if watch.kernel.blind and not watch.kernel.remote and outcome.word is not Word.GONE:
            self.notes.append("the kernel cannot be read here: the screen alone decides")
        if outcome.word is Word.READY and outcome.evidence is not Evidence.SHELL:
            prompt = whose_turn(watch).prompt
            outcome = replace(outcome, detail=prompt or watch.view.left.strip())
        if outcome.word is Word.NEEDS_INPUT and (here := whose_turn(watch)).proposed:
            outcome = replace(outcome, detail=here.line.prompt)
        outcome = replace(outcome, exit_status=self._status(outcome.exit_status, rows, pending))
        return Answer(
            word=outcome.word,
            first=first_line(outcome, self.action, timeout),
            body=rows,
            evidence=outcome.evidence,
            detail=outcome.detail,
            seconds=outcome.seconds,
            exit_status=outcome.exit_status,
            pane=watch.pane.name,
        )

    def _status(self, status: int | None, rows: list[str], pending: bool) -> int | None:
        """The exit status, where it is that of what the agent has run."""
        watch = self.watch
        alone = watch.input is not None and watch.input.is_last(watch.kernel)
        known = watch.prompts() if pending and not (alone or watch.nobody_typed) else ()
        edited = watch.editor.text if watch.editor else ""
        return own_status(status, rows, watch.view.left, known, self.notes, watch.text, edited)

    def _body(self, outcome: Outcome) -> list[str]:
        watch = self.watch
        if outcome.evidence is Evidence.PATTERN and watch.view.left.strip():
            watch.book.learn(watch.kernel.subject, watch.view.left.strip())
        if watch.view.alternate:
            return self._full_screen(outcome)
        here = whose_turn(watch)
        line = here.line
        if outcome.word is Word.MATCHED and watch.scene().known_prompt:
            line = line_at(watch.view, watch.near())
        self._note_line(here, outcome)
        rows = self._rows(outcome, line)
        rows = [row for row in rows if not (watch.view.dead and row.startswith(_DEAD))]
        rows = [*self.earlier, *rows]
        own = self.action == "run" and outcome.at_prompt
        rows = trimmed_end(rows) if own else trimmed(rows)
        quoted = False
        if outcome.word in _QUOTING and rows and _quotes(outcome.detail, rows[-1]):
            rows, quoted = trimmed(rows[:-1]), True
        self._remember(outcome.word, here)
        if rows:
            return rows
        if quoted or outcome.word in (Word.GONE, Word.UNFINISHED):
            return []
        return [_NO_OUTPUT if self.action == "run" else _NOTHING_NEW]

    def _rows(self, outcome: Outcome, line: Line) -> list[str]:
        """What came: since the command, for its own output, else since the last answer. At a
        shell's prompt what is below the cursor is left over from before, and not new."""
        watch, own = self.watch, self.action == "run"
        end = watch.view.row if outcome.evidence is Evidence.SHELL else None
        rows = self._new_lines(own, end)
        if watch.input is not None and watch.input.typed is Typed.KEYS:
            while rows and is_prompt(rows[0], watch.prompts()) and len(rows) > 1:
                rows = rows[1:]  # of each Enter but the last
        if line.kind is Kind.REST and not line.typed:
            rows = trimmed_end(rows)
            return rows[:-1] if rows and rows[-1].strip() == line.prompt.strip() else rows
        if line.kind is not Kind.COMMAND:
            return rows
        if outcome.at_prompt and line.typed == "":
            watch.book.learn(watch.kernel.subject, line.prompt)
            if self.above is not None and self.prompt[:ALIKE] == line.prompt[:ALIKE]:
                compare_upper(watch, self.above)
        return without_prompt(watch, rows, line)

    def _new_lines(self, own: bool, end: int | None) -> list[str]:
        watch, typed = self.watch, self.origin or self.watch.input
        if own and (typed is None or typed.end is None):
            return []
        if self.whole and not self.origin:
            news = watch.unshown(end)
        elif own and typed is not None:
            news = watch.output_since(typed, end)
        else:
            news = new_since_answer(watch, typed, end)
        self._note_losses(news.cleared, news.lost)
        return news.lines

    def _note_losses(self, cleared: bool, lost: bool) -> None:
        limit = self.watch.view.history_limit
        if lost:
            self.notes.append(f"lines scrolled out of tmux's history (limit {limit}) and are lost")
        elif cleared and not _CLEARS.match(self.watch.text):
            self.notes.append("the screen was cleared: what was printed before that is gone")

    def _note_line(self, here: Turn, outcome: Outcome) -> None:
        """Notes about what is typed at the cursor."""
        if here.proposed:
            self.notes.append(
                f"it proposes {clean(here.proposed)!r}; what you send follows it, keys C-u empty it"
            )
        elif here.own or here.persons:
            self.notes += half_typed(here)

    def _full_screen(self, outcome: Outcome) -> list[str]:
        """What came on the ordinary screen before it, and the full screen."""
        watch = self.watch
        before = self._before_full_screen()
        shown = watch.mark.screen
        rows = screen_rows(watch.view)
        self._remember(outcome.word, whose_turn(watch), settled=outcome.word is not Word.TIMED_OUT)
        if before:
            program = watch.scene().program
            count = f"{len(before)} line{'s' * (len(before) != 1)}"
            self.notes.append(f"{count} came before {program} opened its screen")
            return [*before, *rows]
        return [_UNCHANGED] if watch.view.digest == shown else rows

    def _before_full_screen(self) -> list[str]:
        """What came on the ordinary screen before the full screen opened; it counts as shown."""
        watch, typed = self.watch, self.origin or self.watch.input
        if typed is None or typed.end is None or watch.memory.is_answered:
            return []
        full = watch.view
        view = watch.pane.ordinary(full)
        rows = trimmed(output_of(view, view.joined, typed).lines)
        watch.mark.place = place_at(view)
        return [*self.earlier, *rows]

    def _remember(self, word: Word | None, here: Turn, settled: bool = True) -> None:
        remember(self.watch, word, here, settled)


def new_since_answer(watch: Watch, typed: Input | None, end: int | None = None) -> News:
    """What came since the last answer, up to the row `end`, without the echo of what was typed."""
    place = watch.mark.place
    if typed is None or typed.end is None or watch.mark.covers >= typed.number:
        return watch.unshown(end)
    news = watch.output_since(typed, end)
    if place is None or news.cleared:
        return news
    lines = watch.lines_from(min(place.row, watch.view.row)).upto(end)
    before = between(watch.view, lines, place, typed, watch.printed_over)
    return replace(news, lines=[*before, *news.lines])


def half_typed(here: Turn) -> list[str]:
    """The note about a half-typed line."""
    if here.own:
        return [f"a half-typed line is at the prompt, your own: {clean(here.own)!r}"]
    if not here.persons:
        return []
    where = "the prompt" if here.at_prompt else "the question"
    return [f"a half-typed line is at {where}, not yours: {clean(here.persons)!r}"]


def _quotes(detail: str, row: str) -> bool:
    """Does the first line quote all of this row?"""
    return bool(row.strip()) and squeezed(row) == squeezed(detail)[: len(squeezed(row))]


def unseen(watch: Watch, here: Turn) -> list[str]:
    """A note where something is on the pane that no answer has shown, before it is skipped."""
    if watch.view.alternate or watch.first or watch.mark.place is None:
        return []
    rows = watch.unshown(watch.view.row).lines
    if here.line.kind is Kind.COMMAND and not here.line.typed:
        rows = without_prompt(watch, rows, here.line)
    return [_UNSEEN] if trimmed(rows) else []


def cannot_tell(watch: Watch, here: Turn) -> list[str]:
    """A note where typed text cannot be told from what is drawn."""
    if watch.view.alternate and watch.first:
        return [f"{CANNOT_TELL}: {here.program} fills the screen, and no answer has shown it"]
    if here.unknown:
        return [f"{CANNOT_TELL}: {clean(here.line.prompt)!r}"]
    place = watch.mark.place
    empty = here.ready and here.line.kind is Kind.COMMAND and not here.line.typed
    same = place is not None and (place.row, place.x) == watch.view.cell
    if not (watch.kernel.canonical and empty) or same or watch.nobody_typed_since_answer:
        return []
    # A line that was begun before this prompt came waits in the kernel, unseen.
    return [f"{CANNOT_TELL} before this prompt came: {here.program} reads whole lines"]


def remember(
    watch: Watch, word: Word | None, here: Turn | None = None, settled: bool = True
) -> None:
    """All that is on the screen counts as shown. `word`: what the answer says of it, None where it
    only shows it; `settled`: a full screen has been drawn completely."""
    view, before = watch.view, watch.mark
    here = here or whose_turn(watch)
    left_open = before.open if word is None else str(word) if word in OPEN else ""
    mark = Mark(
        number=before.number + 1,
        covers=watch.input.number if watch.input else before.covers,
        open=left_open,
        ahead=waits_ahead(watch, here),
        stamp=stamp_of(view),
    )
    if view.alternate:
        mark.place, mark.asked = before.place, []
        mark.screen = view.digest
        mark.screen_cell = [view.cursor_y, view.cursor_x] if settled else []
        left = view.left.rstrip()
        mark.screen_line = [len(left), digest(left)]
    else:
        mark.place = place_at(view)
        mark.prompt = here.line.kind is Kind.COMMAND and here.line.typed == ""
        if left_open in (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD):
            mark.asked = _asked(view, here)
            mark.proposed = draft_of(here.proposed)
    _store(watch, mark)


def _asked(view: View, here: Turn) -> list[int]:
    """Where the question at the cursor ends; what is typed behind it is no part of it."""
    typed = here.line.typed or ""
    left = view.left
    if typed and left.rstrip().endswith(typed):
        left = left.rstrip()[: -len(typed)]
    x = len(left.rstrip()) if typed else view.cursor_x
    return [view.row, x, left_of(left, x), view.width]


def _store(watch: Watch, mark: Mark) -> None:
    """Leaves the mark, the last input and the prompts on the pane, in one tmux call."""
    values: dict[str, str | None] = {MARK: dumps(mark)}
    book = watch.book.dumps()
    if book != watch.view.memory.get(PROMPTS, ""):
        values[PROMPTS] = book
    if watch.input is not None:
        values[INPUT] = dumps(watch.input)
    watch.memory.mark = mark
    values = {name: value for name, value in values.items() if value != watch.view.memory.get(name)}
    is_open = bool(mark.open)
    if values or (watch.pane.is_default and watch.view.default.endswith(" open") != is_open):
        watch.pane.remember(values, is_open)
