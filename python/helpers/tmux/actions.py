"""What the agent can do with a pane: arguments in, one answer out. Every door calls `Call`.

The action `run` of arguments.ACTIONS is carried out by the method `_run`, called with the action's
arguments, and so on.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from .answer import Answer
from .arguments import BadArgument, check
from .caller import TAKE_TURNS, Caller, Stopped
from .evidence.screen.question_line import asks_again
from .listing import listing, scrolled
from .output import clean, trimmed
from .pattern import BadPattern
from .report.dialog import Dialog, still_asked
from .report.ending import learn_upper
from .report.notes import cannot_tell, goes_on, half_typed, unseen
from .report.reading import read_rows
from .report.report import Report
from .settings import BadSetting, Settings
from .terminal.client import GONE, Kind, TmuxError
from .terminal.windows import close_window, find, must_be_free, open_window, persons_view
from .turn.dialogue import Act
from .turn.may_type import may_type
from .turn.wait import Outcome, gone_text, wait
from .turn.watch import Watch
from .turn.whose_turn import Turn, whose_turn
from .typing.press import press_keys
from .typing.receipt import receipt
from .typing.typing import is_secret, type_text
from .words import Word

__all__ = ["Call", "Stopped"]

_STOP = 3.0  # seconds in which a program may end after C-c: su gives its command 2
_SCROLLED_BACK = (
    "the person had scrolled back; copy mode was left, because these keys do not bypass it"
)


class Call(Caller):
    """One call by the agent."""

    def perform(self, came: object) -> str:
        """The answer to one call, as text. Raises only Stopped."""
        return self.answer(came).text

    def answer(self, came: object) -> Answer:
        """The answer to one call. Raises only Stopped."""
        try:
            self.settings = self.settings or Settings.load()
            self.action, arguments = check(came, self.settings)
            result = getattr(self, f"_{self.action}")(**arguments)
        except (BadArgument, BadPattern, BadSetting) as problem:
            result = self._error(str(problem))
        except TmuxError as problem:
            result = self._error(f"{problem}{'; ' + problem.hint if problem.hint else ''}")
            if self.pane and problem.kind in GONE:
                result = Answer(word=Word.GONE, first=f"gone: {gone_text(self.pane, problem)}")
            elif problem.kind is Kind.NO_TARGET and not problem.hint:
                result = Answer(word=Word.GONE, first=f"gone: {problem}")
        finally:
            self.ending.close()
        result.notes = list(dict.fromkeys(self.notes))
        return result

    def _error(self, text: str) -> Answer:
        pane = self.pane.name if self.pane else ""
        return Answer(word=Word.ERROR, first=f"error: {text}", detail=text, pane=pane)

    # the actions

    # `where`: the arguments `pane`, `prompt_pattern` and `until`, passed on to `_watch`

    def _run(
        self, text: str, timeout: float, answers: dict[str, str] | None, **where: Any
    ) -> Answer:
        watch = self._watch(answers=answers, **where)
        with self._locked(watch, max(timeout, TAKE_TURNS)):
            return self._enter(watch, Act.RUN, text, timeout, answers)

    def _send(
        self,
        text: str,
        enter: bool,
        timeout: float,
        answers: dict[str, str] | None,
        **where: Any,
    ) -> Answer:
        if not text and not enter:
            raise BadArgument(
                "argument 'text': got '' with enter false, allowed: text to type, or enter true for"
                " Enter alone"
            )
        watch = self._watch(goes_on=True, answers=answers, **where)
        with self._locked(watch):
            if enter:
                return self._enter(watch, Act.SEND, text, timeout, answers)
            here = type_text(watch, text, False, Act.SEND)
            self.notes += cannot_tell(watch, here)
            return receipt(Word.SENT, "sent", text, watch, enter=False)

    def _enter(
        self, watch: Watch, act: Act, text: str, timeout: float, answers: dict[str, str] | None
    ) -> Answer:
        """Types `text` and Enter, then waits unless `timeout` is 0."""
        dialog = Dialog(watch, act, self.notes, timeout, answers)
        here = dialog.type(text, act, partial(self._before, watch, act))
        if here.running:
            self.notes.append(f"typed ahead: {here.program} was running")
        return dialog.finish() if timeout else receipt(Word.SENT, "sent", text, watch)

    def _before(self, watch: Watch, act: Act, here: Turn) -> None:
        """Notes what is on the line before anything is typed there."""
        if act is Act.RUN:
            if here.word is Word.QUIET and watch.mark.open != Word.QUIET:
                form = "typed at a line that has the form of a prompt"
                self.notes.append(f"{form}; {here.program} hides its state")
            if here.word is Word.QUIET and here.prompt and not here.unknown:
                # A prompt is known once something is typed at it. `here.prompt` may be a shorter
                # known one, with which the line ends.
                shown = here.prompt if here.line.typed else watch.view.left.strip()
                watch.book.learn(watch.kernel.subject, shown)
            self.notes += unseen(watch, here)
        self.notes += cannot_tell(watch, here)
        learn_upper(watch)

    def _keys(self, keys: list[str], timeout: float, pane: str | None) -> Answer:
        watch = self._watch(pane, goes_on=True)
        with self._locked(watch):
            here = whose_turn(watch)
            what = "keys" if is_secret(watch.scene()) else " ".join(keys)
            self._press(watch, keys)
            if not timeout:
                result = receipt(Word.PRESSED, f"pressed {what}", "", watch)
            else:
                report = Report(watch, "keys", self.notes)
                result = report.answer(wait(watch, timeout), timeout)
            if here.persons and not any(repr(here.persons) in note for note in self.notes):
                self.notes.append(f"a half-typed line was at the prompt: {here.persons!r}")
            return result

    def _wait_ready(
        self, timeout: float, person: bool, answers: dict[str, str] | None, **where: Any
    ) -> Answer:
        watch = self._watch(goes_on=True, answers=answers, **where)
        dialog = Dialog(watch, "wait_ready", self.notes, timeout, answers)
        if person:
            dialog.ignore = still_asked(watch)
        elif where["until"] is not None and watch.input and watch.memory.is_answered:
            # With nothing typed since, the wait is for a background job, not the prompt.
            dialog.ignore = lambda verdict: verdict.at_prompt
        return dialog.finish()

    def _read(self, lines: int, new: bool, pane: str | None) -> Answer:
        watch = self._watch(pane, above=lines)
        here = whose_turn(watch)
        self.notes += cannot_tell(watch, here)
        rows = trimmed(read_rows(watch, lines, new, self.notes))
        omitted, rows = rows[:-lines], rows[-lines:]
        if omitted and new:
            self.notes.append(f"{len(omitted)} earlier new lines are left out")
        view = watch.view
        state = f"{view.width}x{view.height}, {here.program} in front"
        state += ", full screen" * view.alternate + ", its program has ended" * view.dead
        count = f"{len(rows)} {'new ' if new else ''}line{'s' * (len(rows) != 1)}"
        if view.in_mode:
            self.notes.append(f"the person is {scrolled(view)}")
        self.notes += half_typed(here)
        return Answer(
            word=Word.READ,
            first=f"read {count} of {watch.pane.name} ({state})",
            body=rows,
            pane=watch.pane.name,
        )

    def _interrupt(self, pane: str | None) -> Answer:
        watch = self._watch(pane, goes_on=True)
        here = may_type(watch, Act.INTERRUPT)
        self.notes += cannot_tell(watch, here)
        report = Report(watch, "interrupt", self.notes)
        if here.is_idle_repl:  # C-c would end lua, php and others
            self.notes.append(f"{here.program} waits at an empty prompt: no key was pressed")
            return report.answer(wait(watch, _STOP), _STOP)
        if here.unfinished and watch.is_stopped_in_vain:
            # sqlite3 ends at the third.
            self.notes += ["no key was pressed", goes_on(here.program, Word.UNFINISHED)]
            return report.answer(wait(watch, _STOP), _STOP)
        before = watch.kernel.foreground
        outcome = self._pressed(watch, ["C-c"])
        goes = outcome.ready or outcome.word is Word.GONE
        if not goes and (watch.kernel.foreground != before or asks_again(watch.new_rows())):
            outcome = self._pressed(watch, ["C-c"])
            self.notes.append("C-c was pressed twice")
        if outcome.ready and whose_turn(watch).line.typed:
            outcome = self._pressed(watch, ["C-u"])  # its C-c does not clear the line
        asks = (Word.GONE, Word.NEEDS_INPUT, Word.NEEDS_PASSWORD)  # C-c has done its work
        if not outcome.ready and outcome.word not in asks:
            self.notes.append(goes_on(here.program or outcome.detail, outcome.word))
        return report.answer(outcome, _STOP)

    def _list(self) -> Answer:
        first, rows = listing(self._settings)
        return Answer(word=Word.LIST, first=first, body=rows)

    def _open(self, name: str, directory: str | None) -> Answer:
        located = open_window(name, directory, self._settings)
        self._begin(located)
        if not located.new:
            who = whose_turn(self._watching(located)).program
            self.notes.append(f"it was already open; {who} is in front")
        target, seen = located.pane.name, persons_view(self._settings.session)
        first = f"opened {target} in {located.view.path}; the person's view stays at {seen}"
        return Answer(word=Word.OPENED, first=first, detail=target, pane=target)

    def _close(self, pane: str) -> Answer:
        located = find(pane, self._settings)
        self.pane = located.pane
        must_be_free(located, self._settings)
        if line := whose_turn(self._watching(located)).persons:
            raise TmuxError(
                f"a half-typed line is in {pane}: {clean(line)!r}; nothing was closed",
                "it is not yours: ask the person to finish or clear it",
            )
        close_window(located.pane)
        return Answer(word=Word.CLOSED, first=f"closed {pane}", detail=pane, pane=pane)

    def _press(self, watch: Watch, keys: list[str]) -> None:
        if press_keys(watch, keys):
            self.notes.append(_SCROLLED_BACK)

    def _pressed(self, watch: Watch, keys: list[str]) -> Outcome:
        self._press(watch, keys)
        return wait(watch, _STOP)
