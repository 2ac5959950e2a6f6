"""What the agent can do with a pane: arguments in, one answer out. The doors (tool, command line) call `perform`."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable

from .answer import Answer
from .arguments import BadArgument, check
from .client import TmuxError, tmux
from .mark import Mark
from .output import clean, fit, joined, trimmed
from .pane import SHARED, Pane, panes
from .pattern import BadPattern
from .probe import probe
from .reading import last_lines, unread
from .sending import half_typed, press_keys, taken, type_text
from .transcript import new_output
from .verdict import Verdict
from .view import View
from .words import Evidence, Word
from .wait import GONE, Outcome, Watch, gone

_START = 5.0  # seconds a new session's shell may take to show its first prompt
_AT_PROMPT = 1.0  # seconds `run` gives a shell that is just drawing its prompt
_TAKE_TURNS = 10.0  # seconds `send` and `keys` wait for another caller
_STOP = 2.0  # seconds a program gets to end after C-c
_LONGEST = 400  # characters of a question in the first line
_SHOWN = 60  # lines of new output that `wait_ready` shows


class Stopped(Exception):
    """The caller has gone: end at once, type nothing more."""


class Call:
    """One call of the agent's. `stop` ends it at the next poll; `on_look(screen, what, seconds)` hears of the screen
    while it waits."""

    def __init__(
        self,
        stop: threading.Event | None = None,
        on_look: Callable[[str, str, float], object] = lambda screen, what, seconds: None,
        settings: object = None,
    ):
        self.settings = settings
        self.stop = stop or threading.Event()
        self.on_look = on_look
        self.notes: list[str] = []
        self.opened: Pane | None = None

    def answer(self, came: object) -> Answer:
        text = self.perform(came)
        first, *rest = text.split("\n")
        words = [w for w in Word if first.startswith(w)] or [Word.TIMED_OUT if "timed out" in first else Word.LIST]
        more = {}
        if match := re.search(r"after ([\d.]+)s", first):
            more["seconds"] = float(match[1])
        if match := re.match(r"ready \((.*)\)", first):
            more["evidence"] = Evidence(match[1])
        return Answer(word=words[0], first=first, body=rest, pane=self.opened.name if self.opened else "", **more)

    def perform(self, came: object) -> str:
        """The answer to one call: its first line is the verdict, the rest screen text. Never raises but Stopped."""
        try:
            action, arguments = check(came)
            answer = getattr(self, f"_{action}")(**arguments)
        except AttributeError as problem:
            return f"error: {problem}"
        except (BadArgument, BadPattern) as problem:
            return _fit(f"error: {problem}")
        except TmuxError as problem:
            if self.opened and problem.kind in GONE:
                return _fit(f"gone: {gone(self.opened, problem)}")
            return _fit(f"error: {problem}{'; ' + problem.hint if problem.hint else ''}")
        first, _, rest = answer.partition("\n")
        return _fit("\n".join([first, *self.notes]) + ("\n" + rest if rest else ""))

    # the actions

    def _send(self, text: str, enter: bool, timeout, prompt_pattern, until, pane: str) -> str:
        if not text and not enter:
            raise BadArgument(
                "argument 'text': got '' with enter false, allowed: text to type, or enter true for Enter alone"
            )
        target = self._target(pane)
        with target.lock(_TAKE_TURNS, nap=self._nap):
            watch = self._watch(target)
            front = taken(watch, type_text(watch, text, enter), enter)
            return f"sent to {pane}{'' if enter else ' without Enter'}{_not_read(front)}"

    def _keys(self, keys: list[str], timeout, pane: str) -> str:
        target = self._target(pane)
        with target.lock(_TAKE_TURNS, nap=self._nap):
            watch = self._watch(target)
            front = taken(watch, self._press(watch, keys), True)
            return f"pressed {' '.join(keys)} in {pane}{_not_read(front)}"

    def _read(self, lines: int, new: bool, pane: str) -> str:
        target = self._target(pane)
        view, note, rows = unread(target) if new else last_lines(target, lines)
        rows = trimmed(rows)
        omitted, rows = rows[:-lines], rows[-lines:]
        if omitted and new:
            note += f" [{len(omitted)} earlier new lines left out: read with lines={len(omitted) + lines}]"
        state = f"{view.width}x{view.height}, {view.command} in front{', full screen' if view.alternate else ''}"
        if view.dead:
            state += ", its program has ended"
        head = f"read {len(rows)} {'new ' if new else ''}line{'s' * (len(rows) != 1)} of {pane} ({state}){note}"
        return head + "\n" + "\n".join(rows)

    def _wait_ready(
        self, timeout: float, prompt_pattern: str | None, until: str | None, pane: str
    ) -> str:
        target = self._target(pane)
        watch = self._watch(target, prompt_pattern, until, "wait_ready")
        outcome = watch.wait(timeout)
        if outcome.word == "gone":
            return worded(outcome, timeout)
        rows = watch.output_rows() or [watch.view.left]
        return worded(outcome, timeout) + "\n" + "\n".join(rows[-_SHOWN:])

    def _run(
        self, text: str, timeout: float, prompt_pattern: str | None, until: str | None, pane: str
    ) -> str:
        target = self._target(pane)
        began = time.monotonic()
        with target.lock(timeout, nap=self._nap):
            watch = self._watch(target, prompt_pattern, until, "run")
            front = watch.now()
            while (
                front is None or front.word != "ready"
            ) and time.monotonic() - began < _AT_PROMPT:
                self._nap(0.02)
                watch.look()
                front = watch.now()
            if front is None or front.word != "ready":
                raise TmuxError(
                    _not_at_prompt(watch, front, pane),
                    "use send to answer or type ahead, wait_ready to wait, "
                    "interrupt to stop it; nothing was typed",
                )
            mark = type_text(watch, text, True)
            outcome = watch.wait(timeout)
            if outcome.word == "gone":
                return worded(outcome, timeout)
            program = outcome.kernel.name if outcome.kernel else ""
            ready = (
                outcome.word == "ready" and outcome.why != "pattern" or outcome.word == "unfinished"
            )
            try:
                rows, lost = new_output(
                    target,
                    watch.view,
                    watch.mark or mark,
                    text,
                    ready=ready,
                    program=program,
                    pid=outcome.kernel.subject if outcome.kernel else None,
                    prompts=watch.prompts,
                )
            except TmuxError:
                rows, lost = [], "[the pane ended before its output could be read]"
        return "\n".join([worded(outcome, timeout), *([lost] if lost else []), *rows])

    def _interrupt(self, pane: str) -> str:
        target = self._target(pane)
        watch = self._watch(target, what="interrupt")
        front = watch.scene(probe(watch.view.pid, watch.view.tty)).program
        self._press(watch, ["C-c"])
        outcome = watch.wait(_STOP)
        if outcome.word == "ready" and half_typed(watch):  # a line editor without C-c's usual habit
            self._press(watch, ["C-u"])
            outcome = watch.wait(_STOP)
        if outcome.word == "ready" and outcome.kernel and outcome.why != "pattern":
            watch.learn(outcome.kernel)
        if outcome.word not in ("ready", "gone"):
            still = watch.scene(outcome.kernel).program if outcome.kernel else front
            self.notes.append(
                f"{still} did not give the prompt back on C-c; nothing more was done. Try its own way out: "
                "keys q, Escape or C-d, send its quit command, or keys C-\\ to force it."
            )
        if outcome.word == "gone":
            return worded(outcome, _STOP)
        return worded(outcome, _STOP) + "\n" + "\n".join(watch.output_rows()[-_SHOWN:])

    def _list(self) -> str:
        rows = [self._described(target, id) for target, id in panes()]
        note = f"use action send, run or read to create the session {SHARED}" if not rows else ""
        return (
            f"{len(rows)} pane{'s' * (len(rows) != 1)}{': ' + note if note else ''}\n"
            + "\n".join(rows)
        )

    # their parts

    def _target(self, target: str | None) -> Pane:
        pane = self.opened = Pane.open(target or SHARED)
        if pane.created:
            self.notes.append(
                f"note: session {SHARED} did not exist and was created (detached, 160x50); a person sees it "
                f"with: tmux attach -t {SHARED}"
            )
            watch = self._watch(pane)
            first = watch.wait(_START)
            if first.word == "ready" and first.kernel:
                watch.learn(first.kernel)
        return pane

    def _open(self, name: str, directory: str | None) -> str:
        tmux("new-window", "-d", "-t", "=shared:", "-n", name, *(["-c", directory] if directory else []))
        return f"opened shared:{name}"

    def _close(self, pane: str) -> str:
        tmux("kill-window", "-t", f"={pane}")
        return f"closed {pane}"

    def _nap(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped

    def _watch(
        self,
        pane: Pane,
        prompt_pattern: str | None = None,
        until: str | None = None,
        what: str = "",
    ) -> Watch:
        def looked(view: View, seconds: float) -> None:
            self.on_look(
                clean("\n".join(trimmed(joined(view.lines, view.width)))),
                f"{what} {pane.name}",
                seconds,
            )

        return Watch(
            pane, prompt_pattern=prompt_pattern, until=until, nap=self._nap, on_look=looked
        )

    def _press(self, watch: Watch, keys: list[str]) -> Mark:
        mark, left = press_keys(watch, keys)
        if left:
            self.notes.append(
                "note: the person had scrolled back; copy mode was left, because these keys do not go round it"
            )
        return mark

    def _described(self, target: str, id: str) -> str:
        try:
            pane = Pane.open(id)
            watch = self._watch(pane)
            front = watch.now()
            view = watch.view
            state = "gone" if view.dead else _state(front) if front else "running"
            mode = ", scrolled back" if view.in_mode else ""
            return f"{target} ({id}) {view.width}x{view.height} {view.command} {view.path}: {state}{mode}"
        except TmuxError as problem:
            return f"{target} ({id}): {problem}"


def _fit(answer: str) -> str:
    return fit(clean(answer), "use read to see more, in parts")


def worded(outcome: Outcome, timeout: float) -> str:
    """The contract's first line."""
    after = f"after {outcome.seconds:.2f}s"
    if outcome.word == "timed out":
        return (
            f"wait_ready timed out after {timeout:.1f}s: still running {outcome.detail}, "
            f"silent for {outcome.silent:.1f}s"
        )
    if outcome.word == "gone":
        return f"gone: {outcome.detail}"
    if outcome.word == "ready":
        return f"ready ({outcome.why}) {after}"
    return f"{outcome.word} {after}: {' '.join(outcome.detail.split(chr(10)))[:_LONGEST]}"


def _not_read(program: str) -> str:
    return f"; not read yet: {program} runs in the foreground" if program else ""


def _state(verdict: Verdict) -> str:
    return f"{verdict.word} ({verdict.why or verdict.detail})"


def _not_at_prompt(watch: Watch, front: Verdict | None, pane: str) -> str:
    program = watch.scene(probe(watch.view.pid, watch.view.tty)).program
    if watch.view.dead:
        return f"the program in {pane} has ended"
    return f"{program} is in front in {pane}" + (
        f" and {_state(front)}" if front else " and still runs"
    )
