"""What the agent can do with a pane: arguments in, one answer out. Every door calls `Call`.

The action `run` of arguments.ACTIONS is carried out by the method `_run`, and so on: its parameters
are the action's arguments; `patterns` are those that a Searcher takes; `lines`, but for read's, is
taken before: it shortens any answer. Each goes the same way: which pane, one reading, may it act,
act, wait, answer.
"""

import re
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any

from .arguments import check
from .base import process, programs
from .base.answer import Answer, clean, counted
from .base.cells import joined, trimmed
from .base.client import TmuxError
from .base.keys import Key, Typed, shown
from .base.settings import BadValue, Settings, refused
from .base.words import ASKS_LINE, Word
from .facts.line import question
from .facts.look import SLACK, Look, looks
from .facts.pane import (
    TYPES_FOR,
    TYPING,
    Pane,
    bind,
    close_window,
    find,
    open_window,
    panes,
    persons_view,
)
from .facts.pattern import Searcher
from .facts.place import place_at
from .facts.reader import Differs
from .told.asking import Asked, changed
from .told.may_type import NOTHING, allow, settle
from .told.news import news, remember
from .told.report import Report
from .told.told import Facts, stands, tell, telling
from .told.windows import GLANCE, described, last_lines, people
from .turn.turn import Turn
from .turn.watch import Watch
from .typed.dialogue import Dialogue

_START = 5.0  # seconds a new session's shell may take to show its first prompt
_TAKE_TURNS = 10.0  # seconds to wait for another caller to release the pane
_KEYS_TAKE = 1.0  # seconds in which a program on a busy machine draws what a person has typed
_ONCE_MORE = 1.5  # seconds at most for what a second C-c stops, once the limit is over
_LEAVE = "its own way out (q, Escape, C-d, its quit command), or keys C-\\ to force it"
_AGAIN = re.compile(r"(?i)\b(?:again|twice|once more|second time)\b")
_FORCES = re.compile(r"(?i)\b(?:forc|graceful|immediate|kill)")  # one more C-c would do that
_FOLLOW = "lines behind the one that runs, if any, wait in the shell, and follow it, even after C-c"
_FOR_A_TURN = ("run", "send", "keys", "wait_ready", "interrupt")  # where the last answer was


class Stopped(Exception):
    """The caller has gone: the call ends at once and types nothing more."""


class Call:
    """One call. `stop` ends it at the next poll; `on_look(screen, what, seconds)` receives the
    screen while it waits."""

    def __init__(
        self,
        stop: threading.Event | None = None,
        on_look: Callable[[str, str, float], object] = lambda screen, what, seconds: None,
        settings: Settings | None = None,
    ):
        self.stop = stop or threading.Event()
        self.on_look = on_look
        self._given = settings
        self.notes: list[str] = []
        self.ending = ExitStack()
        self.action = self.name = self.opened = ""  # the last: what `open` tells
        self.seen: Look | None = None  # its first look
        self.dialogue: Dialogue | None = None  # the typing of this call

    def answer(self, came: object) -> Answer:
        """The answer to one call. Raises only Stopped."""
        lines = None
        try:
            self.settings = self._given or Settings.load()
            self.action, arguments = check(came, self.settings)
            if self.action != "read":
                lines = arguments.pop("lines", None)
            answer = getattr(self, f"_{self.action}")(**arguments)
            self._note_others()
        except (BadValue, OSError) as problem:  # OSError: a disk is full
            answer = self._failed(str(problem))
        except TmuxError as problem:
            hint = ""
            if problem.hint:
                hint = f"; {problem.hint}"
            pane_gone = problem.gone and (self.name or problem.rule)
            answer = self._gone(problem) if pane_gone else self._failed(f"{problem}{hint}")
            answer.rule = problem.rule
        finally:
            self.ending.close()

        return answer.shortened(lines, self.notes).cleaned(self.notes, self.name)

    def _note_others(self) -> None:
        """Notes what the agent's own windows have printed beside the pane of this call."""
        if self.seen and self.action not in ("list", "close"):
            with suppress(TmuxError):  # one has ended meanwhile
                self.notes += last_lines(self.settings.session, self.seen)

    def _gone(self, problem: TmuxError) -> Answer:
        """The answer where the pane or the server has ended."""
        what = str(problem)
        if self.name:
            what = f"the pane {self.name} has ended"
        return Answer(word=Word.GONE, first=f"gone: {what}")

    def _failed(self, why: str) -> Answer:
        """The answer where a rule has refused the call, or tmux has failed. An error says that
        nothing was entered: what fails later is a note."""
        if self.opened:
            self.notes.append(self.opened)

        if self.dialogue is None or not self.dialogue.entered:
            return Answer(word=Word.ERROR, first=f"error: {why}", detail=why)

        self.notes.append(f"what came of it is not known: {why}; see it with wait_ready")
        with suppress(TmuxError):  # of a server that stands still
            self.dialogue.note_entered()
        return Answer(word=Word.SENT, first=f"sent to {self.name}")

    # what every action needs

    def _nap(self, seconds: float) -> None:
        """Waits so long; raises Stopped at once when the caller has gone."""
        if self.stop.wait(seconds):
            raise Stopped

    def _watch(self, pane: str | None, **patterns: Any) -> Watch:
        """A watch on the pane that `pane` names."""
        found = find(pane, self.settings)
        bind(found, acts=self.action in _FOR_A_TURN)
        watch = self._begin(found, **patterns)
        unheard = found.name.startswith("%") and not found.seen.key  # another server's pane
        if self.action in ("send", "keys") and (found.new or unheard):
            what = f"no answer has told who waits in {found.name}"
            raise TmuxError(what, f"see it with read; {NOTHING}", rule="nobody was told there")

        return watch

    def _begin(self, pane: Pane, **patterns: Any) -> Watch:
        """A watch on the pane that this call is about."""
        search = Searcher(**patterns)
        self.name = pane.name
        self.ending.callback(pane.end)
        self.seen = pane.seen
        self.notes += pane.notes
        search.notes = self.notes

        def looked(seen: Look, seconds: float) -> None:
            """Shows the caller what the wait has seen."""
            screen = clean("\n".join(trimmed(joined(seen.screen, seen.width))))
            self.on_look(screen, f"{self.action} {self.name}", seconds)

        watch = Watch(pane, search, self._nap, looked, self.settings.line_editor)
        if pane.new:
            self._report(watch).finish(watch.turn(_START))
            watch.reload()
        elif watch.first_call and not watch.seen.alternate_on:
            watch.state.place = place_at(watch.seen, prompt=True)

        return watch

    def _report(self, watch: Watch) -> Report:
        """What this call answers about the pane."""
        return Report(self.action, watch, self.notes)

    def _lock(self, watch: Watch, limit: float) -> None:
        """Holds the pane until the call ends."""
        if self.ending.enter_context(watch.pane.lock(max(limit, _TAKE_TURNS), self._nap)):
            watch.reload()
        self.ending.callback(watch.pane.end)  # before another caller may read the record
        self._nap(0.0)  # the caller may have gone while it waited

    def _pass(self, watch: Watch) -> None:
        """Holds the pane where that is free. A call that waits there is passed; one that types is
        not: C-c in the middle of a command would leave the rest of it to be entered."""
        with suppress(TmuxError):
            self.ending.enter_context(watch.pane.lock(0.0, self._nap))
        with watch.pane.lock(TYPES_FOR, self._nap, TYPING) as waited:
            if waited:
                watch.reload()
        self.ending.callback(watch.pane.end)

    # typing

    def _run(self, text: str, timeout: float, pane: str | None, **patterns: Any) -> Answer:
        """Types a command at a prompt."""
        return self._enter(self._watch(pane, **patterns), text, True, timeout)

    def _send(
        self, text: str, enter: bool, timeout: float, pane: str | None, **patterns: Any
    ) -> Answer:
        """Types a text wherever a line is read."""
        if not (text or enter):
            raise refused("argument 'text'", text, "text to type, or enter true for Enter alone")
        return self._enter(self._watch(pane, **patterns), text, enter, timeout)

    def _enter(self, watch: Watch, text: str, enter: bool, timeout: float) -> Answer:
        """Types `text` and Enter, then waits unless `timeout` is 0. `run` and `send` differ in
        where a text may be typed.

        Of several lines that a shell takes as one paste, those behind one that opens a program
        wait in the shell, unseen, until that ends: which is told.
        """
        self._lock(watch, timeout)
        report = self._report(watch)
        self.dialogue = dialogue = Dialogue(report, timeout)
        stuck = dialogue.enter(text, enter)
        if stuck:
            return report.finish(stuck)

        if timeout and enter:
            here = dialogue.wait()
            shell = watch.state.home.group  # or the REPL that a line of its own has ended
            runs = here.word is Word.TIMED_OUT or here.kernel.foreground != shell
            if runs and dialogue.follows and process.read(shell):
                self.notes.append(_FOLLOW)
            return report.finish(here)

        said = f"sent to {self.name}"
        return report.receipt(Word.SENT, said if enter else f"{said} without Enter")

    def _keys(self, keys: list[Key], timeout: float, pane: str | None, **patterns: Any) -> Answer:
        """Presses keys in the told turn, beside whatever stands on the line there."""
        watch = self._watch(pane, **patterns)
        self._lock(watch, timeout)
        settle(watch)
        here = watch.turn(0.05, fresh=0.0)  # another caller may have answered since the look
        report = self._report(watch)
        typed = [key.text for key in keys if isinstance(key, Typed)]
        allow(watch, here, "keys", next(iter(typed), ""))
        self.dialogue = dialogue = Dialogue(report, timeout)
        stuck = dialogue.press(here, keys)
        if stuck:
            answer = report.finish(stuck)
        elif timeout:
            answer = report.finish(dialogue.wait())
        else:
            what = "keys" if here.hidden else shown(keys)
            answer = report.receipt(Word.PRESSED, f"pressed {what} in {self.name}")

        told = any(here.quoted_text in note for note in self.notes)
        if here.persons and not told:
            self.notes.append(f"a half-typed line was there, not yours: {here.quoted_text}")
        return answer

    # waiting and looking

    def _wait_ready(
        self, timeout: float, person: bool, pane: str | None, **patterns: Any
    ) -> Answer:
        """Waits for a turn, for `until`, or for what the person is to answer."""
        watch = self._watch(pane, **patterns)
        report = self._report(watch)
        asked = Asked(watch, person, for_pattern=patterns["until"] is not None)
        self.dialogue = dialogue = Dialogue(report, timeout)
        here = watch.wait(timeout, asked.is_waited_through)
        if person and asked.question:
            here = dialogue.take_over(here, asked.at)
        return report.finish(dialogue.answer(here), still_asked=asked.by(here))

    def _read(self, lines: int, new: bool, pane: str | None) -> Answer:
        """Shows the screen and its history; of a full screen what it is now."""
        watch = self._watch(pane)
        report = self._report(watch)
        verdict = watch.turn(GLANCE).verdict
        here = Turn(watch.read(above=lines + SLACK), verdict)
        seen = watch.seen
        report.note_line(here)
        report.note_beside(here)
        if here.line_note:
            self.notes.append(here.line_note)
        if watch.first_call:
            watch.state.place = None  # nothing was shown
        turn = telling(watch, here)  # what the record says is asked before it is written
        stays = stands(Facts(watch, here, "answer")).said
        told = news(watch, here, whole=not new)
        remember(watch.state, told)
        found = trimmed(told.body)
        # `Pane is dead`, says tmux in the screen's last row
        rows = trimmed(text for _, text in seen.lines if text or not seen.pane_dead)
        if new or told.screen:
            rows = found
            self.notes += told.notes
        if len(found) > lines:
            self.notes.append(f"{len(found) - lines} earlier new lines are left out")
        rows = rows[-lines:]
        word = str(here.word)
        if stays:
            word = watch.state.open
        if word == here.word and here.verdict and not here.line_note:
            watch.state.ask(seen, here.no_key)
        tell(watch, word, turn)
        if seen.mode:
            self.notes.append(f"the person is {seen.mode}")
        kind = "new line" if new else "line"
        return Answer(
            word=Word.READ,
            first=f"read {counted(len(rows), kind)} of {self.name} ({_shown_in(here)})",
            body=rows,
        )

    # stopping

    def _interrupt(self, timeout: float, pane: str | None, **patterns: Any) -> Answer:
        """Presses the terminal's interrupt key, C-c, once more where that was not enough."""
        watch = self._watch(pane, **patterns)
        self._pass(watch)
        before = watch.turn(0.1 if watch.no_key else _KEYS_TAKE)
        report = self._report(watch)
        allow(watch, before, "interrupt")

        if _would_end(before):
            self.notes.append(
                f"{before.program} waits at an empty prompt: no key was pressed;"
                " keys C-c presses it, which may end it"
            )
            return report.finish(before)

        self.dialogue = dialogue = Dialogue(report, timeout)
        key = before.kernel.terminal.interrupt
        dialogue.press(before, [key])
        here = dialogue.wait()
        if _wants_another(here, before):
            dialogue.press(here, [key])
            here = dialogue.wait(least=min(timeout, _ONCE_MORE))
            self.notes.append(f"{key} was pressed twice")

        if _has_not_stopped(here):
            self.notes.append(_why_it_runs(here))
        return report.finish(here)

    # windows

    def _list(self) -> Answer:
        """All panes of the server, whoever has opened them."""
        rows = []
        targets = panes()
        for seen in looks(list(targets)):
            target = f"{targets[seen.id]} ({seen.id})"
            try:
                rows.append(f"{target} {described(self._begin(Pane(target, seen)))}")
            except TmuxError as problem:
                if not problem.gone:  # it ended meanwhile
                    rows.append(f"{target}: {problem}")

        self.name = ""  # the answer is about no pane
        first = f"{counted(len(rows), 'pane')}, {people()}"
        if not rows:
            first += f": use send, run or read to create the session {self.settings.session}"
        return Answer(word=Word.LIST, first=first, body=rows)

    def _open(
        self,
        name: str,
        directory: str | None,
        text: str | None,
        timeout: float,
        **patterns: Any,
    ) -> Answer:
        """Opens a window of the agent's own; with `text` a command runs there at once."""
        if text is None and any(given is not None for given in patterns.values()):
            allowed = "a command, where the others of run are given"
            raise refused("argument 'text'", text, allowed)

        pane = open_window(name, directory, self.settings)
        bind(pane, acts=False)
        watch = self._begin(pane, **patterns)
        stays = f"the person's view stays at {persons_view(self.settings.session)}"
        opened = f"opened {self.name} in {pane.seen.pane_current_path}; {stays}"

        if pane.new:
            self.opened = opened
        else:
            self.notes.append(f"it was already open; {watch.read().program} is in front")

        if text is None:
            return Answer(word=Word.OPENED, first=opened, detail=self.name)

        self.action = "run"  # from here on
        answer = self._enter(watch, text, True, timeout)
        return replace(answer, first=f"{opened}; {answer.first}")

    def _close(self, pane: str) -> Answer:
        """Ends a window of the agent's own, if nothing runs there and nobody has begun a line."""
        watch = self._watch(pane)
        here = watch.turn(0.1)
        if watch.seen.opened and not here.persons:
            allow(watch, here, "close")
        close_window(watch.pane, here.persons)
        return Answer(word=Word.CLOSED, first=f"closed {pane}", detail=pane)


# read


def _shown_in(here: Turn) -> str:
    """A pane's size, and what is in front there: `160x50, vim in front, full screen`."""
    seen = here.seen
    what = f"{here.program} in front"
    if seen.pane_dead:
        what = "its program has ended"
    if here.full_screen:
        what += ", full screen"
    return f"{seen.width}x{seen.height}, {what}"


# interrupt


def _would_end(here: Turn) -> bool:
    """Whether C-c at an empty prompt would end the program: lua, php and others. A shell stays, and
    so does what is behind ssh."""
    traits = here.reading.traits
    stays = traits.shell or traits.remote
    return here.word is Word.READY and not here.own and not stays


def _wants_another(here: Turn, before: Turn) -> bool:
    """Whether one C-c was not enough: another program is in front by now, or it asks for one
    more, and is not stopping: `Gracefully stopping... (press Ctrl+C again to force)`."""
    if here.word is Word.READY:
        return False
    if changed(before, here.reading) & Differs.GROUP:
        return True
    last = " ".join(trimmed(here.seen.screen)[-3:])
    return bool(_AGAIN.search(last)) and not _FORCES.search(last)


def _has_not_stopped(here: Turn) -> bool:
    """Whether the program neither has ended nor asks what to do: `Stop the server? [y/N]`."""
    if here.word in (Word.READY, Word.GONE, *ASKS_LINE):
        return False
    return question(here.verdict.detail or here.reading.text) is None


def _why_it_runs(here: Turn) -> str:
    """What is told of a program that C-c has not stopped."""
    leave = ""  # a script is no REPL; the far end of a frozen ssh is out of reach
    if here.verdict or here.reading.traits.remote:
        leave = programs.of(here.program).leave
    return f"{here.program} goes on; leave it: {leave or _LEAVE}"
