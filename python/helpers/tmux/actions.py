"""What the agent can do with a pane: arguments in, one answer out. Every door calls `Call`.

The action `run` of arguments.ACTIONS is carried out by the method `_run`, and so on.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from . import programs
from .answer import Answer, Word
from .arguments import BadArgument, check
from .client import TmuxError, rows_of
from .line import glued
from .look import DEFAULT, Look, digest
from .output import clean, trimmed
from .pattern import BadPattern, Searcher
from .settings import BadSetting, Settings
from .state import draft_of, load, place_at, since
from .transcript import news
from .turn import PATTERN, SHELL, Verdict
from .typing import NOTHING, may_type, pieces_of, sent_now, type_text
from .watch import Turn, Watch
from .windows import Found, close_window, find, open_window, panes, persons_view

_START = 5.0  # seconds a new session's shell may take to show its first prompt
_TAKE_TURNS = 10.0  # seconds to wait for another caller to release the pane
_STOP = 3.0  # seconds in which a program may end after C-c: su gives its command 2
_TRIES = 8  # inputs on a pane that changes meanwhile
_AGAIN = re.compile(r"(?i)\b(?:again|twice|once more|second time)\b")
_CLOSED = (Word.READY, Word.GONE)  # after the other words a turn is open


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
        self.stop, self.on_look, self.settings = stop or threading.Event(), on_look, settings
        self.notes: list[str] = []
        self.body: list[str] = []  # of earlier steps: lines typed one by one, a dialogue
        self.ending = ExitStack()
        self.action = self.name = ""
        self.found: Found | None = None

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
            result = Answer(word=Word.ERROR, first=f"error: {problem}", detail=str(problem))
        except TmuxError as problem:
            text = f"{problem}{'; ' + problem.hint if problem.hint else ''}"
            result = Answer(word=Word.ERROR, first=f"error: {text}", detail=text)
            if problem.gone:
                what = f"the pane {self.name} has ended" if self.name else str(problem)
                result = Answer(word=Word.GONE, first=f"gone: {what}")
        finally:
            self.ending.close()
        result.notes, result.pane = list(dict.fromkeys(self.notes)), self.name
        return result

    # what every action needs

    def _nap(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped

    def _watch(self, pane: str | None, above: int = 40, **patterns: Any) -> Watch:
        assert self.settings
        return self._begin(find(pane, self.settings, above), **patterns)

    def _begin(self, found: Found, answers: dict[str, str] | None = None, **patterns: Any) -> Watch:
        assert self.settings
        self.found, self.name = found, found.pane.name
        self.notes += found.notes

        def looked(seen: Look, seconds: float) -> None:
            self.on_look(clean("\n".join(trimmed(seen.screen))), f"{self.action} {self.name}", seconds)

        search = Searcher(answers or {}, **patterns)
        watch = Watch(found, search, self._nap, looked, self.settings.line_editor)
        if found.new:
            self._finish(watch, watch.wait(_START, until=False))
        elif watch.first and not watch.seen.alternate_on:
            watch.state.shown = place_at(watch.seen, watch.seen.line_row, prompt=True)
        return watch

    def _lock(self, watch: Watch, limit: float = _TAKE_TURNS) -> None:
        """Holds the pane until the call ends."""
        if self.ending.enter_context(watch.pane.lock(limit, self._nap)):
            watch.state, watch.first = load(watch.read().seen), False

    # the actions

    def _run(self, text: str, timeout: float, answers: Any, **where: Any) -> Answer:
        watch = self._watch(answers=answers, **where)
        self._lock(watch, max(timeout, _TAKE_TURNS))
        return self._enter(watch, True, text, timeout, answers)

    def _send(self, text: str, enter: bool, timeout: float, answers: Any, **where: Any) -> Answer:
        if not text and not enter:
            raise BadArgument("argument 'text': got '' with enter false, allowed: text to type")
        watch = self._watch(answers=answers, **where)
        self._lock(watch)
        if enter:
            return self._enter(watch, False, text, timeout, answers)
        here = may_type(watch, run=False)
        self._note_line(here)
        if not type_text(watch, here, text, enter=False):
            raise TmuxError(f"{self.name} keeps changing", f"wait with wait_ready; {NOTHING}")
        watch.state.draft = draft_of(here.own + text)
        return self._receipt(watch, Word.SENT, f"sent {_size(text)}without Enter to")

    def _enter(self, watch: Watch, run: bool, text: str, timeout: float, answers: Any) -> Answer:
        """Types `text` and Enter, then waits unless `timeout` is 0."""
        end = time.monotonic() + timeout
        here = may_type(watch, run)
        self._note_line(here)
        if run:
            self._note_unseen(watch, here)
        if here.verdict is None:
            self.notes.append(f"typed ahead: {here.reading.program} was running")
        *pieces, last = pieces_of(here, text)
        for number, piece in enumerate(pieces):
            self._type(watch, here, piece, run)
            here = watch.wait(max(end - time.monotonic(), 1.0))
            if not here.at_rest:
                left = f"{len(pieces) - number} lines were not typed"
                self.notes.append(f"{left}: {here.reading.program} does not wait for them")
                return self._finish(watch, here)
            self._go_on(watch, here)
        self._type(watch, here, last, run)
        if not timeout:
            return self._receipt(watch, Word.SENT, f"sent {_size(text)}to")
        return self._finish(watch, self._dialogue(watch, watch.wait(timeout), answers, end))

    def _type(self, watch: Watch, here: Turn, text: str, run: bool) -> None:
        """Types, and again where the pane has changed before a key was typed."""
        for _ in range(_TRIES):
            if type_text(watch, here, text, enter=True):
                return
            watch.state = load(watch.pane.look())
            here = may_type(watch, run)
        raise TmuxError(f"{self.name} keeps changing", f"wait with wait_ready; {NOTHING}")

    def _go_on(self, watch: Watch, here: Turn) -> None:
        """Keeps the output of a step of this call, before the next is typed."""
        self.body += news(watch, here.reading, here.verdict)[0]
        self._learn(watch, here)
        watch.state.open, watch.state.sent = here.word if here.word is Word.UNFINISHED else "", None

    def _dialogue(self, watch: Watch, here: Turn, answers: dict[str, str] | None, end: float) -> Turn:
        """Answers questions as long as they are new."""
        before = None
        while answers and here.verdict and here.word in (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD):
            asked = here.verdict.detail
            named = zip([f"answers {at}" for at in range(1, len(answers) + 1)], answers.values())
            text = next((text for name, text in named if watch.search.search(name, asked)), None)
            if text is None or asked == before:
                break
            before = asked
            self._go_on(watch, here)
            self.body.append(asked if here.word is Word.NEEDS_PASSWORD else f"{asked} {text}")
            self._type(watch, here, text, False)
            here = watch.wait(max(end - time.monotonic(), 0.0))
        return here

    def _keys(self, keys: list[str], timeout: float, pane: str | None) -> Answer:
        watch = self._watch(pane)
        self._lock(watch)
        here = watch.turn(0.05)
        terminal = here.reading.kernel.terminal
        self._press(watch, here, keys)
        if timeout:
            result = self._finish(watch, watch.wait(timeout))
        else:
            what = "keys" if terminal.canonical and not terminal.echo else " ".join(keys)
            result = self._receipt(watch, Word.PRESSED, f"pressed {what} in")
        if here.persons and not any(repr(here.persons) in note for note in self.notes):
            self.notes.append(f"a half-typed line was at the prompt: {here.persons!r}")
        return result

    def _press(self, watch: Watch, here: Turn, keys: list[str]) -> None:
        seen, before = watch.seen, watch.state.sent
        if seen.pane_dead:
            hint = f"start it anew: tmux respawn-pane -t {seen.id}"
            raise TmuxError(f"the program in {self.name} has ended", f"{hint}; {NOTHING}")
        sent = sent_now(watch, here.reading, here, keys[-1] == "Enter")
        sent.escape = keys[-1] == "Escape"
        if before and before.end:
            sent.end = before.end
        elif not here.reading.full_screen:
            sent.end = place_at(seen, seen.line_row)
        if watch.pane.press(keys, seen):
            self.notes.append("the person had scrolled back; copy mode was left for these keys")
        watch.store_sent(sent)

    def _wait_ready(self, timeout: float, person: bool, answers: Any, **where: Any) -> Answer:
        watch = self._watch(answers=answers, **where)
        end, row, first = time.monotonic() + timeout, watch.seen.row, ""

        def ignore(verdict: Verdict) -> bool:
            nonlocal first
            if person and verdict.asks:
                first = first or verdict.detail
                return verdict.detail == first and watch.seen.row == row
            return where["until"] is not None and verdict.ready and watch.state.sent is None

        here = watch.wait(timeout, ignore)
        return self._finish(watch, self._dialogue(watch, here, answers, end), asked=first)

    def _read(self, lines: int, new: bool, pane: str | None) -> Answer:
        watch = self._watch(pane, above=lines)
        here = watch.turn(0.02)
        here.reading.seen = watch.seen = seen = watch.pane.look(lines)
        self._note_line(here)
        rows = trimmed(text for _, text in seen.lines)
        found, notes = news(watch, here.reading, here.verdict)
        if new:
            rows, self.notes = found, [*self.notes, *notes]
            if len(rows) > lines:
                self.notes.append(f"{len(rows) - lines} earlier new lines are left out")
        rows = rows[-lines:]
        if watch.state.sent:
            watch.state.sent.end = None
        self._store(watch, watch.state.open)
        if seen.pane_in_mode:
            self.notes.append(f"the person is scrolled back {seen.scroll_position} lines")
        count = f"{len(rows)} {'new ' if new else ''}line{'s' * (len(rows) != 1)}"
        what = f"{seen.width}x{seen.height}, {here.reading.program} in front"
        what += ", full screen" * here.reading.full_screen
        return Answer(word=Word.READ, first=f"read {count} of {self.name} ({what})", body=rows)

    def _interrupt(self, pane: str | None) -> Answer:
        watch = self._watch(pane)
        here = watch.turn(0.1)
        reading = here.reading
        if here.persons:
            what = f"a half-typed line is in {self.name}, somebody's: {here.persons!r}"
            raise TmuxError(what, "ask the person, or press keys C-c; no key was pressed")
        if here.word is Word.READY and not here.own and not reading.traits.ends_well:
            self.notes.append(f"{reading.program} waits at an empty prompt: no key was pressed")
            return self._finish(watch, here)
        self._press(watch, here, ["C-c"])
        here = watch.wait(_STOP)
        asks = any(map(_AGAIN.search, trimmed(watch.seen.screen)[-3:]))
        other = here.reading.kernel.foreground != reading.kernel.foreground
        if here.word is not Word.READY and (asks or other):
            self._press(watch, here, ["C-c"])
            here = watch.wait(_STOP)
            self.notes.append("C-c was pressed twice")
        program = here.reading.program
        if here.word is not Word.READY and (leave := programs.of(program).leave):
            self.notes.append(f"{program} goes on; leave it: {leave}")
        return self._finish(watch, here)

    def _list(self) -> Answer:
        assert self.settings
        rows = []
        for target, id in panes():
            watch = self._begin(find(id, self.settings))
            here = watch.turn(0.02)
            seen, verdict, typed = watch.seen, here.verdict, here.own or here.persons
            states = ["running"]
            if verdict:
                states = [f"{verdict.word} ({verdict.evidence or clean(verdict.detail)})"]
            states += [f"{'your' if here.own else 'a'} half-typed line {typed!r}"] if typed else []
            states += [f"scrolled back {seen.scroll_position} lines"] if seen.pane_in_mode else []
            states += ["opened by the agent"] if seen.opened else []
            what = f"{seen.width}x{seen.height} {here.reading.program} {seen.pane_current_path}"
            rows.append(f"{target} ({id}) {what}: {', '.join(states)}")
        count = rows_of("list-clients", "-F", "#{client_control_mode}").count("0")
        people = f"{count} {'person' if count == 1 else 'people'}" if count else "nobody"
        first = f"{len(rows)} pane{'s' * (len(rows) != 1)}, {people} attached"
        return Answer(word=Word.LIST, first=first, body=rows)

    def _open(self, name: str, directory: str | None) -> Answer:
        assert self.settings
        found = open_window(name, directory, self.settings)
        watch = self._begin(found)
        if not found.new:
            self.notes.append(f"it was already open; {watch.read().program} is in front")
        stays = f"the person's view stays at {persons_view(self.settings.session)}"
        first = f"opened {self.name} in {found.seen.pane_current_path}; {stays}"
        return Answer(word=Word.OPENED, first=first, detail=self.name)

    def _close(self, pane: str) -> Answer:
        watch = self._watch(pane)
        assert self.found and self.settings
        close_window(self.found, self.settings, lambda: watch.turn(0.1).persons)
        return Answer(word=Word.CLOSED, first=f"closed {pane}", detail=pane)

    # notes

    def _note_line(self, here: Turn) -> None:
        if here.unknown:
            text = f"cannot determine whether someone has typed here: {here.unknown!r}"
            self.notes.append(text)

    def _note_unseen(self, watch: Watch, here: Turn) -> None:
        """Says once that somebody worked here since the last answer."""
        seen, editor = here.reading.seen, here.reading.editor
        if watch.state.shown is None or watch.first or seen.alternate_on:
            return
        lines = since(watch.state.shown, seen, seen.lines)[0]
        rows = [text for row, text in lines if row < seen.line_row and text.strip()]
        rows = rows[: len(rows) - len(editor.above)] if editor and editor.above else rows
        if rows:
            self.notes.append(f"{len(rows)} lines came here since the last answer; read shows them")

    # answers

    def _receipt(self, watch: Watch, word: Word, said: str) -> Answer:
        self._store(watch, word)
        return Answer(word=word, first=f"{said} {self.name}")

    def _store(self, watch: Watch, word: str) -> None:
        """Notes on the pane what this answer has shown and leaves open."""
        watch.state.open = "" if word in _CLOSED else word
        watch.state.stamp = [watch.seen.stamp, watch.seen.settled]
        more: tuple[str, ...] = ()
        if self.found and self.found.is_default:
            more = ("set-option", "-t", watch.seen.id, DEFAULT, watch.seen.id)
        watch.pane.store(watch.state.dumps(), *more)

    def _learn(self, watch: Watch, here: Turn) -> None:
        """A proven prompt is known from now on: the editor shows it, or it stands there again after
        a command, or nobody can have typed since Enter."""
        reading, verdict, sent = here.reading, here.verdict, watch.state.sent
        if verdict is None or not verdict.ready or reading.full_screen:
            return
        left, right = reading.left.strip(), reading.seen.right
        if reading.editor is not None:
            if not reading.editor.text:
                watch.state.learn(reading.program, reading.editor.prompt.strip())
            return
        entered = sent is not None and sent.enter
        again = sent is not None and sent.before == digest(reading.seen.line_left)
        proven = entered and (again or watch.nobody_typed(watch.state.stamp))
        if (proven or verdict.evidence == PATTERN) and (not right.strip() or right.startswith("   ")):
            known = glued(left, reading.prompts) is not None
            if not known and (left or again and reading.traits.shell):
                watch.state.learn(reading.program, left[-120:])

    def _finish(self, watch: Watch, here: Turn, asked: str = "") -> Answer:
        """The answer after a wait; notes what it shows, and what it leaves open."""
        reading, verdict, state, word = here.reading, here.verdict, watch.state, here.word
        if word is Word.GONE:
            status = reading.seen.pane_dead_status or "unknown"
            again = f"tmux respawn-pane -t {reading.seen.id} starts it anew"
            first = f"gone: its program ended (exit status {status}); {again}"
            return Answer(word=word, first=first)
        shown, notes = news(watch, reading, verdict)
        self._learn(watch, here)
        if here.persons:
            self.notes.append(f"a half-typed line is at the prompt, somebody's: {here.persons!r}")
        self.notes += notes
        editor, asks = reading.editor, verdict is not None and verdict.asks
        if asks and editor and editor.text and self.action != "keys":
            proposal = f"it proposes {editor.text!r}; what you send follows it"
            self.notes.append(f"{proposal}, keys C-u empty it")
        if state.sent:
            taken = reading.taken
            state.sent.end = state.sent.end if word is Word.TIMED_OUT and not taken else None
            state.sent = state.sent if verdict is None else None
        state.question = digest(verdict.detail) if verdict else 0
        state.asked = reading.seen.cursor_x
        self._store(watch, word)
        result = self._told(watch, here, asked)
        body = [*self.body, *shown]
        quoted = asks or word is Word.UNFINISHED
        if quoted and body and " ".join(body[-1].split()) == result.detail:
            body = body[:-1]
        nothing = "(no output)" if self.action == "run" else "(nothing new)"
        says_all = quoted or word in (Word.QUIET, Word.MATCHED)
        result.body = body or ([] if says_all and self.action in ("run", "send") else [nothing])
        return result

    def _told(self, watch: Watch, here: Turn, asked: str) -> Answer:
        """The answer's first line."""
        reading, verdict, word, status = here.reading, here.verdict, here.word, None
        name, took = str(word), f"{here.seconds:.2f}"
        detail = verdict.detail if verdict else " ".join(here.matched.split())
        evidence = verdict.evidence if verdict else ""
        if word is Word.READY:
            name = f"ready ({evidence})"
            status = watch.exit_status(reading) if evidence == SHELL else None
        elif word is Word.TIMED_OUT:
            name, took = f"{self.action} timed out", f"{here.seconds:.1f}"
            silent = reading.seen.silent and reading.seen.silent + 0.9
            silent = max(reading.now - watch.changed, silent)
            detail = f"still running {reading.program}, silent for {silent:.1f}s"
            detail = f"still asked: {asked}" if asked else detail
            detail = detail if reading.taken else f"not read yet; {detail}"
        first = f"{name} after {took}s" + (f", exit status {status}" if status is not None else "")
        return Answer(
            word=word,
            first=f"{first}: {detail}" if detail else first,
            evidence=evidence,
            detail=detail,
            seconds=here.seconds,
            exit_status=status,
        )


def _size(text: str) -> str:
    lines = text.count("\n") + 1
    return f"{lines} lines, {len(text.encode())} bytes " if lines > 1 else ""
