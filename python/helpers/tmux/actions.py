"""What the agent can do with a pane: arguments in, one answer out. Every door calls `Call`.

The action `run` of arguments.ACTIONS is carried out by the method `_run`, and so on: its parameters
are the action's arguments, all of them. Each goes the same way: which pane, one reading, may it
act, act, wait, answer.
"""

import re
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

from . import programs
from .answer import ASKS_LINE, Answer, Word, clean, counted, joined, trimmed
from .arguments import check
from .client import TmuxError, rows_of
from .dialogue import Dialogue
from .keys import Key, shown
from .line import question
from .look import PAGE, SLACK, Look
from .may_type import allow
from .pane import Pane, close_window, find, open_window, panes, persons_view
from .pattern import Searcher
from .place import place_at
from .report import Report
from .settings import BadValue, Settings, refused
from .transcript import news
from .turn import Turn
from .verdict import Verdict
from .watch import Watch

_START = 5.0  # seconds a new session's shell may take to show its first prompt
_TAKE_TURNS = 10.0  # seconds to wait for another caller to release the pane
_GLANCE = 0.02  # seconds in which a pane's state must be sure
_LOOKED = 15  # seconds for which a page that has looked counts as open
_KEYS_TAKE = 1.0  # seconds in which a program on a busy machine draws what a person has typed
_LEAVE = "its own way out (q, Escape, C-d, its quit command), or keys C-\\ to force it"
_AGAIN = re.compile(r"(?i)\b(?:again|twice|once more|second time)\b")
_GOES_ON = ("send", "keys", "wait_ready", "interrupt")  # with what the last answer was about


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
        self.stop, self.on_look, self._given = stop or threading.Event(), on_look, settings
        self.notes: list[str] = []
        self.ending = ExitStack()
        self.action = self.name = ""

    def answer(self, came: object) -> Answer:
        """The answer to one call. Raises only Stopped."""
        try:
            self.settings = self._given or Settings.load()
            self.action, arguments = check(came, self.settings)
            answer = getattr(self, f"_{self.action}")(**arguments)
        except (BadValue, OSError) as problem:  # OSError: a disk is full
            answer = _error(str(problem))
        except TmuxError as problem:
            answer = self._failed(problem)
        finally:
            self.ending.close()
        return answer.told(self.notes, self.name)

    def _failed(self, problem: TmuxError) -> Answer:
        """The answer where tmux has failed, or a rule has refused the call."""
        if problem.gone:
            what = f"the pane {self.name} has ended" if self.name else problem
            return Answer(word=Word.GONE, first=f"gone: {what}")
        return _error(f"{problem}; {problem.hint}" if problem.hint else str(problem))

    # what every action needs

    def _nap(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped

    def _watch(self, pane: str | None, search: Searcher) -> Watch:
        """A watch on the pane that `pane` names."""
        goes_on = self.action in _GOES_ON
        return self._begin(find(pane, self.settings, goes_on), search)

    def _begin(self, pane: Pane, search: Searcher) -> Watch:
        """A watch on the pane that this call is about."""
        self.name = pane.name
        self.notes += pane.notes

        def looked(seen: Look, seconds: float) -> None:
            screen = clean("\n".join(trimmed(joined(seen.screen, seen.width))))
            self.on_look(screen, f"{self.action} {self.name}", seconds)

        watch = Watch(pane, search, self._nap, looked, self.settings.line_editor)
        if pane.new:
            self._report(watch).finish(watch.turn(_START))
            watch.reload()
        elif watch.first and not watch.seen.alternate_on:
            watch.state.place = place_at(watch.seen, prompt=True)
        return watch

    def _report(self, watch: Watch) -> Report:
        return Report(self.action, watch, self.notes)

    def _lock(self, watch: Watch, limit: float) -> None:
        """Holds the pane until the call ends."""
        if self.ending.enter_context(watch.pane.lock(max(limit, _TAKE_TURNS), self._nap)):
            watch.reload()
        self._nap(0.0)  # the caller may have gone while it waited

    # typing

    def _run(
        self,
        text: str,
        timeout: float,
        prompt_pattern: str | None,
        until: str | None,
        answers: dict[str, str] | None,
        pane: str | None,
    ) -> Answer:
        search = Searcher(answers, until, prompt_pattern)
        return self._type(text, True, timeout, search, pane)

    def _send(
        self,
        text: str,
        enter: bool,
        timeout: float,
        prompt_pattern: str | None,
        until: str | None,
        answers: dict[str, str] | None,
        pane: str | None,
    ) -> Answer:
        if not (text or enter):
            raise refused("argument 'text'", text, "text to type, or enter true for Enter alone")
        search = Searcher(answers, until, prompt_pattern)
        return self._type(text, enter, timeout, search, pane)

    def _type(
        self, text: str, enter: bool, timeout: float, search: Searcher, pane: str | None
    ) -> Answer:
        """Types `text` and Enter, then waits unless `timeout` is 0. `run` and `send` differ in
        where text may be typed."""
        watch = self._watch(pane, search)
        self._lock(watch, timeout)
        report = self._report(watch)
        dialogue = Dialogue(report, timeout)
        stuck = dialogue.enter(text, enter)
        if stuck:
            return report.finish(stuck)
        if timeout and enter:
            return report.finish(dialogue.wait())
        said = f"sent {_size(text)}to {self.name}"
        return report.receipt(Word.SENT, said if enter else f"{said} without Enter")

    def _keys(
        self,
        keys: list[Key],
        timeout: float,
        until: str | None,
        answers: dict[str, str] | None,
        pane: str | None,
    ) -> Answer:
        watch = self._watch(pane, Searcher(answers, until))
        self._lock(watch, timeout)
        here, report = watch.turn(0.05), self._report(watch)
        allow(watch, here, "keys")
        dialogue = Dialogue(report, timeout)
        stuck = dialogue.press(here, keys)
        if stuck:
            answer = report.finish(stuck)
        elif timeout:
            answer = report.finish(dialogue.wait())
        else:
            what = "keys" if here.hidden else shown(keys)
            answer = report.receipt(Word.PRESSED, f"pressed {what} in {self.name}")
        told = any(repr(here.persons) in note for note in self.notes)
        if here.persons and not told:
            self.notes.append(f"a half-typed line was there, not yours: {clean(here.persons)!r}")
        return answer

    # waiting and looking

    def _wait_ready(
        self,
        timeout: float,
        prompt_pattern: str | None,
        until: str | None,
        answers: dict[str, str] | None,
        person: bool,
        pane: str | None,
    ) -> Answer:
        watch = self._watch(pane, Searcher(answers, until, prompt_pattern))
        row, first = watch.seen.row, ""
        told, behind = watch.state.open in ASKS_LINE, watch.state.behind_question

        def ignore(verdict: Verdict) -> bool:
            nonlocal first
            other = told and behind(watch.seen.line_left) is None
            if person and verdict.asks and not other:
                first = first or verdict.detail
                return verdict.detail == first and watch.seen.row == row
            return until is not None and verdict.ready and not watch.state.sent

        report = self._report(watch)
        dialogue = Dialogue(report, timeout)
        return report.finish(dialogue.answer(watch.wait(timeout, ignore)), asked=first)

    def _read(self, lines: int, new: bool, pane: str | None) -> Answer:
        watch = self._watch(pane, Searcher())
        report, verdict = self._report(watch), watch.turn(_GLANCE).verdict
        here = Turn(watch.read(above=lines + SLACK), verdict)
        seen, full_screen = watch.seen, here.reading.full_screen
        report.note_line(here)
        if here.typed:
            self.notes.append(here.typed)
        if watch.first:
            watch.state.place = None  # nothing was shown
        found, notes = news(watch, here, whole=not new)
        found = trimmed(found)
        rows = trimmed(text for _, text in seen.lines)
        if new or full_screen:
            rows = found
            self.notes += notes
        if len(found) > lines:
            self.notes.append(f"{len(found) - lines} earlier new lines are left out")
        rows = rows[-lines:]
        report.store(watch.state.open)
        if seen.mode:
            self.notes.append(f"the person is {seen.mode}")
        count = counted(len(rows), "new line" if new else "line")
        what = "its program has ended" if seen.pane_dead else f"{here.reading.program} in front"
        size = f"{seen.width}x{seen.height}, {what}{', full screen' if full_screen else ''}"
        return Answer(word=Word.READ, first=f"read {count} of {self.name} ({size})", body=rows)

    # stopping

    def _interrupt(
        self, timeout: float, answers: dict[str, str] | None, pane: str | None
    ) -> Answer:
        watch = self._watch(pane, Searcher(answers))
        before = watch.turn(0.1 if watch.untouched else _KEYS_TAKE)
        report = self._report(watch)
        allow(watch, before, "interrupt")
        if _would_end(before):
            program = before.reading.program
            self.notes.append(f"{program} waits at an empty prompt: no key was pressed")
            return report.finish(before)
        dialogue = Dialogue(report, timeout)
        here = self._stop(dialogue, before)
        if _wants_another(here, before):
            here = self._stop(Dialogue(report, timeout), here)
            self.notes.append("C-c was pressed twice")
        if _has_not_stopped(here):
            self.notes.append(_goes_on(here))
        return report.finish(here)

    def _stop(self, dialogue: Dialogue, here: Turn) -> Turn:
        dialogue.press(here, ["C-c"])
        return dialogue.wait()

    # windows

    def _list(self) -> Answer:
        rows = []
        for id, target in panes().items():
            try:
                watch = self._begin(find(id, self.settings), Searcher())
                rows.append(f"{target} ({id}) {_described(watch)}")
            except TmuxError as problem:
                if not problem.gone:  # it ended meanwhile
                    rows.append(f"{target} ({id}): {problem}")
        self.name = ""  # the answer is about no pane
        first = f"{counted(len(rows), 'pane')}, {_people()}"
        if not rows:
            first += f": use action send, run or read to create the session {self.settings.session}"
        return Answer(word=Word.LIST, first=first, body=rows)

    def _open(self, name: str, directory: str | None) -> Answer:
        pane = open_window(name, directory, self.settings)
        watch = self._begin(pane, Searcher())
        if not pane.new:
            self.notes.append(f"it was already open; {watch.read().program} is in front")
        stays = f"the person's view stays at {persons_view(self.settings.session)}"
        first = f"opened {self.name} in {pane.seen.pane_current_path}; {stays}"
        return Answer(word=Word.OPENED, first=first, detail=self.name)

    def _close(self, pane: str) -> Answer:
        watch = self._begin(find(pane, self.settings), Searcher())
        close_window(watch.pane, watch.turn(0.1).persons)
        return Answer(word=Word.CLOSED, first=f"closed {pane}", detail=pane)


# interrupt


def _would_end(here: Turn) -> bool:
    """Whether C-c at an empty prompt would end the program: lua, php and others. A shell stays, and
    so does what is behind ssh."""
    traits = here.reading.traits
    stays = traits.shell or traits.remote
    return here.word is Word.READY and not here.own and not stays


def _wants_another(here: Turn, before: Turn) -> bool:
    """Whether one C-c was not enough: another program is in front by now, or it asks for one
    more."""
    if here.word is Word.READY:
        return False
    if here.reading.kernel.foreground != before.reading.kernel.foreground:
        return True
    last = trimmed(here.reading.seen.screen)[-3:]
    return any(_AGAIN.search(row) for row in last)


def _has_not_stopped(here: Turn) -> bool:
    """Whether the program neither has ended nor asks what to do: `Stop the server? [y/N]`."""
    if here.word in (Word.READY, Word.GONE, *ASKS_LINE):
        return False
    return not here.verdict or question(here.verdict.detail) is None


def _goes_on(here: Turn) -> str:
    """What is told of a program that C-c has not stopped."""
    program = here.reading.program
    leave = programs.of(program).leave if here.verdict else ""  # a script is no REPL
    return f"{program} goes on; leave it: {leave or _LEAVE}"


# list


def _people() -> str:
    """`nobody attached`, `2 people attached, somebody looks at the page`."""
    clients = [tty for tty in rows_of("list-clients", "-F", "#{client_tty}") if tty]
    who = "nobody"
    if clients:
        who = "1 person" if len(clients) == 1 else f"{len(clients)} people"
    page = "".join(rows_of("show-options", "-gqv", PAGE))
    looks = page.isdigit() and time.time() - int(page) < _LOOKED
    return f"{who} attached, somebody looks at the page" if looks else f"{who} attached"


def _described(watch: Watch) -> str:
    """`160x50 bash /root: ready (shell), a half-typed line 'ls'`."""
    here = watch.turn(_GLANCE)
    seen, verdict = watch.seen, here.verdict
    size, folder = f"{seen.width}x{seen.height}", seen.pane_current_path.replace("\n", " ")
    if seen.pane_dead:
        return f"{size}: its program has ended (exit status {seen.pane_dead_status or 'unknown'})"
    state = ["running"]
    if verdict:
        state = [f"{verdict.word} ({verdict.evidence or verdict.detail})"]
    if here.own:
        state.append(f"your half-typed line {here.own!r}")
    if here.persons:
        state.append(f"a half-typed line {here.persons!r}")
    if seen.mode:
        state.append(seen.mode)
    if seen.opened:
        state.append("opened by the agent")
    return f"{size} {here.reading.program} {folder}: {', '.join(state)}"


# words


def _error(text: str) -> Answer:
    return Answer(word=Word.ERROR, first=f"error: {text}", detail=text)


def _size(text: str) -> str:
    """`3 lines, 57 bytes `; nothing of one line."""
    lines = text.count("\n") + 1
    return f"{lines} lines, {len(text.encode())} bytes " if lines > 1 else ""
