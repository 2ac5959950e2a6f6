"""What an answer says: the verdict's first line, and below it what the agent has not seen yet.

The pane stores how far the agent has been shown it (mark.Mark); each answer advances that.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from ..answer import Answer
from ..evidence.screen.line import Kind, Line, line_at
from ..evidence.screen.prompts import is_prompt
from ..evidence.screen.question_line import LONGEST
from ..output import squeezed, trimmed, trimmed_end
from ..terminal.client import TmuxError
from ..transcript.mark import Input, Place, Typed, place_at
from ..transcript.news import since_answer
from ..turn.wait import Outcome
from ..turn.watch import Watch
from ..turn.whose_turn import Turn, whose_turn
from ..words import ASKED, Evidence, Word
from .ending import learn_upper, without_prompt
from .exit_status import own_status
from .full_screen import screen_rows, without_filler
from .notes import half_typed, losses, may_be_prompt
from .remember import remember

_QUOTING = (*ASKED, Word.UNFINISHED, Word.QUIET, Word.MATCHED)
_NO_OUTPUT, _NOTHING_NEW, _UNCHANGED = "(no output)", "(nothing new)", "(screen unchanged)"


def first_line(outcome: Outcome, action: str, timeout: float) -> str:
    """The contract's first line for a verdict."""
    after = f"after {outcome.seconds:.2f}s"
    if outcome.word is Word.GONE:
        return f"gone: {outcome.detail}"
    if outcome.word is Word.TIMED_OUT:
        unread = "; not read yet" if outcome.unread else ""
        running = f"still running {outcome.detail}, silent for {outcome.silent:.1f}s"
        return f"{action} timed out after {timeout:.1f}s: {running}{unread}"
    if outcome.ready:
        status = "" if outcome.exit_status is None else f", exit status {outcome.exit_status}"
        quoted = "" if outcome.evidence is Evidence.SHELL else f": {outcome.detail[:LONGEST]}"
        return f"ready ({outcome.evidence}) {after}{status}{quoted if outcome.detail else ''}"
    return f"{outcome.word} {after}: {' '.join(outcome.detail.split())[:LONGEST]}"


class Report:
    """The answer to one action. `origin`: the input whose output begins the body; `earlier`: rows
    already collected; `whole`: questions were answered, so the body is the whole dialogue."""

    def __init__(self, watch: Watch, action: str, notes: list[str]):
        self.watch, self.action, self.notes = watch, action, notes
        self.origin: Input | None = None
        self.earlier: list[str] = []
        self.whole = False

    def collect(self, outcome: Outcome) -> None:
        """Keeps the output so far, before the next piece is typed."""
        here = self._turn(outcome)
        self.earlier += self._rows(outcome, here.line)
        remember(self.watch, outcome.word, here)

    def _turn(self, outcome: Outcome) -> Turn:
        """Whose turn it is; if the caller's pattern matched, there is a prompt at the cursor."""
        here = whose_turn(self.watch)
        matched = outcome.evidence is Evidence.PATTERN and self.watch.view.left.strip()
        return replace(here, line=_matched_line(self.watch)) if matched else here

    def answer(self, outcome: Outcome, timeout: float) -> Answer:
        """The whole answer. Everything in it counts as shown from now on."""
        watch = self.watch
        rows: list[str] = []
        pending = self.action in ("run", "send") or bool(watch.mark.open)
        here = self._turn(outcome)
        if outcome.word is not Word.GONE or watch.view.dead:
            with suppress(TmuxError):  # the pane ends before its output can be read
                rows = self._body(outcome, here)
        if watch.kernel.blind and not watch.kernel.remote and outcome.word is not Word.GONE:
            self.notes.append("the kernel cannot be read here: the screen alone decides")
        outcome = replace(
            outcome,
            detail=self._detail(outcome, here),
            exit_status=self._status(outcome.exit_status, rows, pending),
        )
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

    def _detail(self, outcome: Outcome, here: Turn) -> str:
        """What the first line quotes: a prompt that only the screen shows, or a question without
        the answer that its program proposes."""
        watch, detail = self.watch, outcome.detail
        if outcome.ready and outcome.evidence is not Evidence.SHELL:
            return here.prompt or watch.view.left.strip()
        if outcome.word is Word.NEEDS_INPUT:
            return detail.removesuffix(here.proposed or here.own).strip() or detail
        return detail or ("" if outcome.ready else here.program)

    def _status(self, status: int | None, rows: list[str], pending: bool) -> int | None:
        """The exit status, if it is that of the agent's command."""
        watch = self.watch
        alone = watch.input is not None and watch.input.is_last(watch.kernel)
        known = watch.prompts() if pending and not (alone or watch.nobody_typed) else ()
        edited = watch.editor.text if watch.editor else ""
        return own_status(status, rows, watch.view.left, known, self.notes, watch.text, edited)

    def _body(self, outcome: Outcome, here: Turn) -> list[str]:
        watch = self.watch
        if watch.view.alternate:
            return self._full_screen(outcome, here)
        line = here.line
        if outcome.word is Word.MATCHED and watch.scene().known_prompt:
            line = line_at(watch.view, watch.near())
        self.notes += half_typed(here) + may_be_prompt(watch, here)
        rows = self._rows(outcome, line)
        if watch.view.dead:  # tmux's own row on a pane that remains
            rows = [row for row in rows if not row.startswith("Pane is dead (")]
        rows = [*self.earlier, *rows]
        rows = without_filler(rows) if outcome.word is Word.NEEDS_KEY else rows
        own = self.action == "run" and outcome.ready
        rows = trimmed_end(rows) if own else trimmed(rows)
        quoted = outcome.asks and _quotes(outcome.detail, watch.view.left)
        if outcome.word in _QUOTING and rows and _quotes(outcome.detail, rows[-1]):
            rows, quoted = trimmed(rows[:-1]), True
        remember(self.watch, outcome.word, here)
        if rows:
            return rows
        if quoted or outcome.word in (Word.GONE, Word.UNFINISHED):
            return []
        return [_NO_OUTPUT if self.action == "run" else _NOTHING_NEW]

    def _rows(self, outcome: Outcome, line: Line) -> list[str]:
        """The new rows: `run` shows those since its command, the others those since the last
        answer. Below the cursor of a shell's prompt there are only old rows."""
        watch = self.watch
        end = watch.view.row if outcome.evidence is Evidence.SHELL else None
        news = watch.came(*self._begin(), end)
        self.notes += losses(watch, news)
        rows = news.lines
        if watch.input is not None and watch.input.typed is Typed.KEYS:
            while rows and is_prompt(rows[0], watch.prompts()) and len(rows) > 1:
                rows = rows[1:]  # the prompt that each Enter but the last has brought
        if outcome.ready and line.kind is Kind.COMMAND and line.typed == "":
            watch.book.learn(watch.kernel.subject, line.prompt)
            learn_upper(watch)
        return without_prompt(watch, rows, line)

    def _begin(self) -> tuple[Place | None, Input | None]:
        """Where the body begins: the place shown last, if it is not a command's, and the input."""
        watch = self.watch
        typed = self.origin or (None if self.whole else watch.pending)
        if self.action == "run" and typed is not None:
            return None, replace(typed, first=None)
        return watch.mark.place, typed

    def _full_screen(self, outcome: Outcome, here: Turn) -> list[str]:
        """The output on the ordinary screen before it, and the full screen."""
        watch = self.watch
        before = self._before_full_screen()
        shown = watch.mark.screen
        rows = screen_rows(watch.view)
        remember(self.watch, outcome.word, here, settled=outcome.word is not Word.TIMED_OUT)
        if before:
            program = watch.scene().program
            count = f"{len(before)} line{'s' * (len(before) != 1)}"
            self.notes.append(f"{count} came before {program} opened its screen")
            return [*before, *rows]
        return [_UNCHANGED] if watch.view.digest == shown else rows

    def _before_full_screen(self) -> list[str]:
        """The output on the ordinary screen before the full screen opened; it counts as shown."""
        watch = self.watch
        place, typed = self._begin()
        if (typed is None and not self.whole) or (typed is not None and typed.end is None):
            return []
        view = watch.pane.ordinary(watch.view)
        lines = view.joined.upto(view.row - 1)  # the last line may continue further down
        rows = trimmed(since_answer(view, lines, place, typed, watch.printed_over).lines)
        watch.mark.place = replace(place_at(view), right=[])
        return [*self.earlier, *rows]


def _matched_line(watch: Watch) -> Line:
    """The line at the cursor if the caller's pattern has matched a prompt there."""
    line = line_at(watch.view, watch.near())
    known = line.at_prompt and line.prompt and line.typed == ""
    return line if known else Line(Kind.COMMAND, watch.view.left.strip())


def _quotes(detail: str, row: str) -> bool:
    """Whether the first line quotes all of this row."""
    return bool(row.strip()) and squeezed(row) == squeezed(detail)[: len(squeezed(row))]
