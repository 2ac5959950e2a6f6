"""What the agent can do with a pane: arguments in, one answer out. Every door calls `Call`.

The action `run` of arguments.ACTIONS is carried out by the method `_run`, and so on.
"""

import re
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from . import programs
from .answer import ASKS_LINE, Answer, Word, clean, counted, joined, trimmed
from .arguments import check
from .client import TmuxError, rows_of
from .look import PAGE, SLACK, Look
from .may_type import allow
from .pane import Pane, close_window, find, open_window, panes, persons_view
from .pattern import Searcher
from .place import place_at
from .report import Report
from .settings import BadValue, Settings, refused
from .told import Facts, stands, tell, telling
from .transcript import news
from .turn import Turn
from .typing import Dialogue, press
from .verdict import Verdict
from .watch import Watch

_START = 5.0  # seconds a new session's shell may take to show its first prompt
_TAKE_TURNS = 10.0  # seconds to wait for another caller to release the pane
_GLANCE = 0.02  # seconds in which a pane's state must be sure
_LOOKED = 15  # seconds for which a page that has looked counts as open
_KEYS_TAKE = 1.0  # seconds in which a program on a busy machine draws what a person has typed
_STOP = 3.0  # seconds in which a program may end after C-c: su gives its command 2
_LEAVE = "its own way out (q, Escape, C-d, its quit command), or keys C-\\ to force it"
_AGAIN = re.compile(r"(?i)\b(?:again|twice|once more|second time)\b")


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
        except (BadValue, OSError) as problem:  # a disk is full
            answer = _error(str(problem))
        except TmuxError as problem:
            answer = _error(f"{problem}{'; ' + problem.hint if problem.hint else ''}")
            if problem.gone and (self.name or "server" not in str(problem)):
                what = f"the pane {self.name} has ended" if self.name else problem
                answer = Answer(word=Word.GONE, first=f"gone: {what}")
        finally:
            self.ending.close()
        return answer.told(self.notes, self.name)

    # what every action needs

    def _nap(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped

    def _watch(self, pane: str | None, **patterns: Any) -> Watch:
        goes_on = self.action in ("send", "keys", "wait_ready", "interrupt")
        return self._begin(find(pane, self.settings, goes_on), **patterns)

    def _begin(self, pane: Pane, **patterns: Any) -> Watch:
        """A watch on the pane that this call is about."""
        self.name = pane.name
        self.notes += pane.notes

        def looked(seen: Look, seconds: float) -> None:
            screen = clean("\n".join(trimmed(joined(seen.screen, seen.width))))
            self.on_look(screen, f"{self.action} {self.name}", seconds)

        search = Searcher(**patterns)
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

    # the actions

    def _send(
        self, text: str, timeout: float, answers: Any, enter: bool = True, **where: Any
    ) -> Answer:
        """Types `text` and Enter, then waits unless `timeout` is 0."""
        if not (text or enter):
            raise refused("argument 'text'", text, "text to type, or enter true for Enter alone")
        watch = self._watch(answers=answers, **where)
        self._lock(watch, timeout)
        report = self._report(watch)
        dialogue = Dialogue(report, timeout)
        if stuck := dialogue.enter(text, enter):
            return report.finish(stuck)
        if not (timeout and enter):
            said = f"sent {_size(text)}to {self.name}"
            said += "" if enter else " without Enter"
            return report.receipt(Word.SENT, said)
        return report.finish(dialogue.answer(watch.wait(dialogue.left())))

    _run = _send  # what differs is where text may be typed

    def _keys(self, keys: list[str], timeout: float, pane: str | None) -> Answer:
        watch = self._watch(pane)
        self._lock(watch, timeout)
        here = watch.turn(0.05)
        report = self._report(watch)
        allow(watch, here, "keys")
        press(report, here, keys)
        if timeout:
            answer = report.finish(watch.wait(timeout))
        else:
            what = "keys" if here.hidden else " ".join(keys)
            answer = report.receipt(Word.PRESSED, f"pressed {what} in {self.name}")
        if here.persons and not any(repr(here.persons) in note for note in self.notes):
            self.notes.append(here.typed.replace("line is", "line was"))
        return answer

    def _wait_ready(self, timeout: float, person: bool, answers: Any, **where: Any) -> Answer:
        watch = self._watch(answers=answers, **where)
        row, first = watch.seen.row, ""
        told, asked = watch.state.open in ASKS_LINE, watch.state.behind_question

        def ignore(verdict: Verdict) -> bool:
            nonlocal first
            other = told and asked(watch.seen.line_left) is None
            if person and verdict.asks and not other:
                first = first or verdict.detail
                return verdict.detail == first and watch.seen.row == row
            return where["until"] is not None and verdict.ready and not watch.state.sent

        report = self._report(watch)
        dialogue = Dialogue(report, timeout)
        return report.finish(dialogue.answer(watch.wait(timeout, ignore)), asked=first)

    def _read(self, lines: int, new: bool, pane: str | None) -> Answer:
        watch = self._watch(pane)
        report, here = self._report(watch), watch.turn(_GLANCE)
        here.reading.seen = watch.seen = seen = watch.pane.look(lines + SLACK)
        report.note_line(here)
        self.notes += [here.typed] if here.typed else []
        rows = trimmed(text for _, text in seen.lines)
        if watch.first:
            watch.state.place = None  # nothing was shown
        turn = telling(watch, here)
        told = watch.state.open if stands(Facts(watch, here, "answer")).said else here.word
        found, notes = news(watch, here, whole=not new)
        found = trimmed(found)
        if new or here.reading.full_screen:
            rows, self.notes = found, [*self.notes, *notes]
        if len(found) > lines:
            self.notes.append(f"{len(found) - lines} earlier new lines are left out")
        rows = rows[-lines:]
        if told == here.word and here.verdict and not here.typed:
            watch.state.ask(seen)
        tell(watch, told, turn)
        if seen.mode:
            self.notes.append(f"the person is {seen.mode}")
        count = counted(len(rows), "new line" if new else "line")
        what = "its program has ended" if seen.pane_dead else f"{here.reading.program} in front"
        what = f"{seen.width}x{seen.height}, {what}"
        what += ", full screen" if here.reading.full_screen else ""
        return Answer(word=Word.READ, first=f"read {count} of {self.name} ({what})", body=rows)

    def _interrupt(self, pane: str | None) -> Answer:
        watch = self._watch(pane)
        here = watch.turn(0.1 if watch.untouched else _KEYS_TAKE)
        report, reading = self._report(watch), here.reading
        allow(watch, here, "interrupt")
        stays = reading.traits.shell or reading.traits.remote  # C-c would end lua, php and others
        if here.word is Word.READY and not (here.own or stays):
            self.notes.append(f"{reading.program} waits at an empty prompt: no key was pressed")
            return report.finish(here)
        here = self._stop(report, here)
        asks = any(map(_AGAIN.search, trimmed(watch.seen.screen)[-3:]))
        other = here.reading.kernel.foreground != reading.kernel.foreground
        if here.word is not Word.READY and (asks or other):
            here = self._stop(report, here)
            self.notes.append("C-c was pressed twice")
        program = here.reading.program
        if here.word not in (Word.READY, Word.GONE):
            leave = programs.of(program).leave if here.verdict else ""  # a script is no REPL
            self.notes.append(f"{program} goes on; leave it: {leave or _LEAVE}")
        return report.finish(here)

    def _stop(self, report: Report, here: Turn) -> Turn:
        press(report, here, ["C-c"])
        return report.watch.wait(_STOP)

    def _list(self) -> Answer:
        rows = []
        for id, target in panes().items():
            try:
                watch = self._begin(find(id, self.settings))
                rows.append(f"{target} ({id}) {_described(watch)}")
            except TmuxError as problem:
                if not problem.gone:  # it ended meanwhile
                    rows.append(f"{target} ({id}): {problem}")
        self.name = ""  # the answer is about no pane
        count = sum(map(bool, rows_of("list-clients", "-F", "#{client_tty}")))
        people = f"{count} {'person' if count == 1 else 'people'}" if count else "nobody"
        page = "".join(rows_of("show-options", "-gqv", PAGE))
        first = f"{counted(len(rows), 'pane')}, {people} attached"
        if page.isdigit() and time.time() - int(page) < _LOOKED:
            first += ", somebody looks at the page"
        if not rows:
            first += f": use action send, run or read to create the session {self.settings.session}"
        return Answer(word=Word.LIST, first=first, body=rows)

    def _open(self, name: str, directory: str | None) -> Answer:
        watch = self._begin(pane := open_window(name, directory, self.settings))
        if not pane.new:
            self.notes.append(f"it was already open; {watch.read().program} is in front")
        stays = f"the person's view stays at {persons_view(self.settings.session)}"
        first = f"opened {self.name} in {pane.seen.pane_current_path}; {stays}"
        return Answer(word=Word.OPENED, first=first, detail=self.name)

    def _close(self, pane: str) -> Answer:
        watch = self._begin(find(pane, self.settings))
        here = watch.turn(0.1)
        if watch.seen.opened:
            allow(watch, here, "close")
        close_window(watch.pane, here.persons)
        return Answer(word=Word.CLOSED, first=f"closed {pane}", detail=pane)


def _described(watch: Watch) -> str:
    """`160x50 bash /root: ready (shell), a half-typed line 'ls'`."""
    here = watch.turn(_GLANCE)
    seen, verdict, state = watch.seen, here.verdict, "running"
    size, where = f"{seen.width}x{seen.height}", seen.pane_current_path.replace("\n", " ")
    if seen.pane_dead:
        return f"{size}: its program has ended (exit status {seen.pane_dead_status or 'unknown'})"
    if verdict:
        state = f"{verdict.word} ({verdict.evidence or verdict.detail})"
    if typed := here.own or here.persons:
        state += f", {'your' if here.own else 'a'} half-typed line {typed!r}"
    state += f", {seen.mode}" if seen.mode else ""
    state += ", opened by the agent" if seen.opened else ""
    return f"{size} {here.reading.program} {where}: {state}"


def _error(text: str) -> Answer:
    return Answer(word=Word.ERROR, first=f"error: {text}", detail=text)


def _size(text: str) -> str:
    lines = text.count("\n") + 1
    return f"{lines} lines, {len(text.encode())} bytes " if lines > 1 else ""
