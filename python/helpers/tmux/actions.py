"""What the agent can do with a pane: arguments in, one answer out. The doors (tool, command line) call `perform`."""
from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable

from .arguments import BadArgument, check
from .client import TmuxError
from .mark import Mark, make
from .output import clean, fit, squeezed, trimmed, width
from .pane import SHARED, Pane, View, panes
from .pattern import BadPattern
from .probe import printed_bytes, probe
from .transcript import new_output
from .verdict import Verdict, draft
from .wait import Outcome, Watch

_SETTLE = 0.25          # seconds in which a program that reads at all has read what was typed
_START = 5.0            # seconds a new session's shell may take to show its first prompt
_AT_PROMPT = 1.0        # seconds `run` gives a shell that is just drawing its prompt
_TAKE_TURNS = 10.0      # seconds `send` and `keys` wait for another caller
_STOP = 2.0             # seconds a program gets to end after C-c
_ENTER_GAP = 0.15       # seconds before Enter where text and Enter in one go count as a paste (Codex: within 0.12)
_CANONICAL_LINE = 4095  # bytes of a line that the kernel keeps in canonical mode
_SHOWN = 60             # lines of new output that `wait_ready` shows


class Stopped(Exception):
    """The caller has gone: end at once, type nothing more."""


class Call:
    """One call of the agent's. `stop` ends it at the next poll; `on_look(screen, what, seconds)` hears of the screen
    while it waits."""

    def __init__(self, stop: threading.Event | None = None,
                 on_look: Callable[[str, str, float], object] = lambda screen, what, seconds: None):
        self.stop = stop or threading.Event()
        self.on_look = on_look
        self.notes: list[str] = []

    def perform(self, came: dict[str, object]) -> str:
        """The answer to one call: its first line is the verdict, the rest screen text. Never raises but Stopped."""
        try:
            action, arguments = check(came)
            answer = getattr(self, f"_{action}")(**arguments)
        except (BadArgument, BadPattern) as problem:
            return f"error: {clean(str(problem))}"
        except TmuxError as problem:
            return f"error: {clean(str(problem))}{'; ' + clean(problem.hint) if problem.hint else ''}"
        first, _, rest = answer.partition("\n")
        return "\n".join([first, *self.notes]) + ("\n" + rest if rest else "")

    # the actions

    def _send(self, text: str, enter: bool, pane: str) -> str:
        if not text and not enter:
            raise BadArgument("argument 'text': got '' with enter false, allowed: text to type, or enter true for Enter alone")
        target = self._open(pane)
        with target.lock(_TAKE_TURNS):
            watch = self._watch(target)
            mark = self._type(watch, text, enter)
            return self._receipt(f"sent to {pane}" + ("" if enter else " without Enter"), watch, mark, enter)

    def _keys(self, keys: list[str], pane: str) -> str:
        target = self._open(pane)
        with target.lock(_TAKE_TURNS):
            watch = self._watch(target)
            mark = self._press(watch, keys)
            return self._receipt(f"pressed {' '.join(keys)} in {pane}", watch, mark, True)

    def _read(self, lines: int, new: bool, pane: str) -> str:
        target = self._open(pane)
        view = target.look()
        view, note, rows = _unread(target, view) if new else (view, "", _last_lines(target, view, lines))
        rows = trimmed([clean(row) for row in rows])
        omitted, rows = rows[:-lines], rows[-lines:]
        if omitted and new:
            note += f" [{len(omitted)} earlier new lines left out: read with lines={len(omitted) + lines}]"
        _remember_reading(target, view)
        state = f"{view.width}x{view.height}, {view.command} in front{', full screen' if view.alternate else ''}"
        if view.dead:
            state += ", its program has ended"
        head = f"read {len(rows)} {'new ' if new else ''}line{'s' * (len(rows) != 1)} of {pane} ({state}){note}"
        return head + "\n" + fit("\n".join(rows), "read fewer lines, or in parts with new=true")

    def _wait_ready(self, timeout: float, prompt_pattern: str | None, until: str | None, pane: str) -> str:
        target = self._open(pane)
        watch = self._watch(target, prompt_pattern, until, "wait_ready")
        outcome = watch.wait(timeout)
        if outcome.word == "gone":
            return worded(outcome, timeout)
        rows = watch.output_rows() or trimmed(list(watch.view.lines))
        return worded(outcome, timeout) + "\n" + fit(clean("\n".join(rows[-_SHOWN:])), "use read to see more")

    def _run(self, text: str, timeout: float, prompt_pattern: str | None, until: str | None, pane: str) -> str:
        target = self._open(pane)
        began = time.monotonic()
        with target.lock(timeout):
            watch = self._watch(target, prompt_pattern, until, "run")
            front = watch.now()
            while (front is None or front.word != "ready") and time.monotonic() - began < _AT_PROMPT:
                self._nap(0.02)
                watch.look()
                front = watch.now()
            if front is None or front.word != "ready":
                raise TmuxError(_not_at_prompt(watch, front, pane), "use send to answer or type ahead, wait_ready to wait, "
                                "interrupt to stop it; nothing was typed")
            mark = self._type(watch, text, True)
            watch = self._watch(target, prompt_pattern, until, "run")
            outcome = watch.wait(timeout)
            if outcome.word == "gone":
                return worded(outcome, timeout)
            program = outcome.kernel.name if outcome.kernel else ""
            ready = outcome.word == "ready" and outcome.why != "pattern" or outcome.word == "unfinished"
            try:
                rows, lost = new_output(target, watch.view, watch.mark or mark, text, ready=ready, program=program,
                                        prompts=watch.scene(outcome.kernel).prompts if outcome.kernel else ())
            except TmuxError:
                rows, lost = [], "[the pane ended before its output could be read]"
        body = fit(clean("\n".join(rows)), "read with more lines to see them")
        return worded(outcome, timeout) + "\n" + "\n".join(part for part in (lost, body) if part)

    def _interrupt(self, pane: str) -> str:
        target = self._open(pane)
        watch = self._watch(target)
        front = watch.scene(probe(watch.view.pid, watch.view.tty)).program
        self._press(watch, ["C-c"])
        watch = self._watch(target, what="interrupt")
        outcome = watch.wait(_STOP)
        if outcome.word == "ready" and _draft(watch):  # a line editor without C-c's usual habit
            self._press(watch, ["C-u"])
            watch = self._watch(target, what="interrupt")
            outcome = watch.wait(_STOP)
        if outcome.word == "ready" and outcome.kernel and outcome.why != "pattern":
            watch.learn(outcome.kernel)
        if outcome.word not in ("ready", "gone"):
            self.notes.append(f"{outcome.kernel and watch.scene(outcome.kernel).program or front} did not give the prompt back on "
                              "C-c; nothing more was done. Try its own way out: keys q, Escape, C-d, "
                              "send its quit command, or C-\\ to force it.")
        if outcome.word == "gone":
            return worded(outcome, _STOP)
        return worded(outcome, _STOP) + "\n" + fit(clean("\n".join(watch.output_rows()[-_SHOWN:])))

    def _list(self) -> str:
        rows = [self._described(target, id) for target, id in panes()]
        note = f"use action send, run or read to create the session {SHARED}" if not rows else ""
        return f"{len(rows)} pane{'s' * (len(rows) != 1)}{': ' + note if note else ''}\n" + fit("\n".join(rows))

    # their parts

    def _open(self, target: str) -> Pane:
        pane = Pane.open(target)
        if pane.created:
            self.notes.append(f"note: session {SHARED} did not exist and was created (detached, 160x50); a person sees it "
                              f"with: tmux attach -t {SHARED}")
            watch = self._watch(pane)
            first = watch.wait(_START)
            if first.word == "ready" and first.kernel:
                watch.learn(first.kernel)
        return pane

    def _nap(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Stopped

    def _watch(self, pane: Pane, prompt_pattern: str | None = None, until: str | None = None, what: str = "") -> Watch:
        def looked(view: View, seconds: float) -> None:
            self.on_look(clean("\n".join(trimmed(list(view.lines)))), f"{what} {pane.name}", seconds)
        return Watch(pane, prompt_pattern=prompt_pattern, until=until, nap=self._nap, on_look=looked)

    def _type(self, watch: Watch, text: str, enter: bool) -> Mark:
        """Type after all that could forbid it was looked at."""
        view, pane = watch.view, watch.pane
        kernel = probe(view.pid, view.tty)
        _typeable(view, pane)
        scene = watch.scene(kernel)
        longest = max((len(line.encode()) for line in text.split("\n")), default=0)
        if scene.cooked and longest > _CANONICAL_LINE:
            raise TmuxError(f"argument 'text' has a line of {longest} bytes; {scene.program} reads in canonical mode, where the "
                            f"kernel keeps {_CANONICAL_LINE} bytes of a line", "send shorter lines, or put it into a file; "
                            "nothing was typed")
        front = watch.now()
        at_prompt = front is not None and front.word in ("ready", "unfinished") and front.why != "pattern"
        own = watch.mark.own if watch.mark else None
        if at_prompt and front and front.word == "ready":
            standing = _draft(watch)
            if standing and not _ours(own, standing):
                raise TmuxError(f"a half-typed line stands at the prompt: {clean(standing)!r}", "it is the person's: ask, or clear "
                                "it with interrupt; nothing was typed")
            own = (own or "") if standing else ""
        secret = scene.cooked and not kernel.echo or scene.password
        prompt = scene.left if not own else scene.left[:len(scene.left) - len(own)] if scene.left.endswith(own) else scene.left
        mark = make(view, kernel, printed_bytes(view.server), None if secret else (own or "") + text, enter, size=len(text.encode())
                    + enter, prompt=at_prompt and (front.word == "ready" or watch.scene(kernel).expected),  # type: ignore[union-attr]
                    own=None if enter or secret else (own or "") + text)
        mark.left = prompt
        known_line_reader = at_prompt or scene.cooked or front is not None and front.word == "needs input"
        pane.type(text, enter, mark=mark.as_dict(), gap=0.0 if known_line_reader else _ENTER_GAP)
        return mark

    def _press(self, watch: Watch, keys: list[str]) -> Mark:
        view, pane = watch.view, watch.pane
        kernel = probe(view.pid, view.tty)
        _typeable(view, pane)
        front, earlier = watch.now(), watch.mark
        at_prompt = front is not None and front.word == "ready" and front.why != "pattern"
        clean_line = at_prompt and (not _draft(watch) or _ours(earlier.own if earlier else None, _draft(watch) or ""))
        leaves = any(key in ("Enter", "C-c", "C-d", "C-j", "C-m") for key in keys)
        mark = make(view, kernel, printed_bytes(view.server), None, leaves, size=0, prompt=at_prompt,
                    own="*" if clean_line and not leaves else None)
        if pane.press(keys, mark=mark.as_dict(), view=view):
            self.notes.append("note: the person had scrolled back; copy mode was left, because these keys do not go round it")
        return mark

    def _receipt(self, said: str, watch: Watch, mark: Mark, whole: bool) -> str:
        """`said`, true to what the program has done with the input within _SETTLE seconds."""
        end = time.monotonic() + _SETTLE
        while True:
            kernel = probe(watch.view.pid, watch.view.tty)
            if not kernel.alive or kernel.blind:
                return said
            if not kernel.unread and (kernel.foreground != mark.foreground or mark.was_taken(kernel, True)):
                return said  # whoever waited has read it, and may have started something
            if not whole and not kernel.unread and (kernel.waiter or kernel.canonical is False):
                return said  # half a line for a reader of whole lines
            if time.monotonic() > end:
                waits = kernel.waiter is not None or kernel.hidden or kernel.canonical is False
                return said if waits and not kernel.unread else f"{said}; not read yet: {kernel.name} runs in the foreground"
            self._nap(0.004)

    def _described(self, target: str, id: str) -> str:
        try:
            pane = Pane(id, target)
            watch = self._watch(pane)
            front = watch.now()
            view = watch.view
            state = "gone" if view.dead else _state(front) if front else "running"
            mode = ", scrolled back" if view.in_mode else ""
            return f"{target} ({id}) {view.width}x{view.height} {view.command} {clean(view.path)}: {clean(state)}{mode}"
        except TmuxError as problem:
            return f"{target} ({id}): {problem}"


def worded(outcome: Outcome, timeout: float) -> str:
    """The contract's first line."""
    after = f"after {outcome.seconds:.2f}s"
    if outcome.word == "timed out":
        return f"wait_ready timed out after {timeout:.1f}s: still running {clean(outcome.detail)}, " \
               f"silent for {outcome.silent:.1f}s"
    if outcome.word == "gone":
        return f"gone: {clean(outcome.detail)}"
    if outcome.word == "ready":
        return f"ready ({outcome.why}) {after}"
    return f"{outcome.word} {after}: {' '.join(clean(outcome.detail).split(chr(10)))}"


def _state(verdict: Verdict) -> str:
    return f"{verdict.word} ({verdict.why or verdict.detail})"


def _not_at_prompt(watch: Watch, front: Verdict | None, pane: str) -> str:
    program = watch.scene(probe(watch.view.pid, watch.view.tty)).program
    if watch.view.dead:
        return f"the program in {pane} has ended"
    return f"{program} is in front in {pane}" + (f" and {_state(front)}" if front else " and still runs")


def _typeable(view: View, pane: Pane) -> None:
    if view.dead:
        raise TmuxError(f"the program in {pane.name} has ended (exit status {view.dead_status or 'unknown'})",
                        f"start it anew: tmux respawn-pane -t {view.id}", "gone")
    if view.input_off:
        raise TmuxError(f"input to {pane.name} is switched off", f"switch it on: tmux select-pane -e -t {view.id}")


def _draft(watch: Watch) -> str | None:
    """What somebody has half typed at the prompt, wherever the cursor stands in it; None where it cannot be told."""
    view = watch.view
    kernel = probe(view.pid, view.tty)
    rows = list(view.lines[:view.cursor_y])
    line = view.left
    while rows and sum(map(width, rows[-1])) >= view.width:  # wrapped rows, which zsh does not mark as such
        line = rows.pop() + line
    known = watch.scene(kernel).prompts
    standing = draft(line, known)
    if standing == "" and view.right[:1].strip():  # the person has pressed Home
        return view.right.strip()
    return standing


def _ours(own: str | None, standing: str) -> bool:
    return own == "*" or own is not None and own != "" and squeezed(own.rpartition("\n")[2]) == squeezed(standing)


def _last_lines(pane: Pane, view: View, lines: int) -> list[str]:
    above = lines
    while True:
        rows = trimmed(pane.lines(view, max(view.history_size - above, 0))[2])
        if len(rows) >= lines or above >= view.history_size or view.alternate:
            return rows
        above *= 4


# What a reading remembers on the pane: the cursor's row and its text, and the lines above it, by which the place is
# found again when rows have moved (history full, cleared, window resized).

def _remember_reading(pane: Pane, view: View) -> None:
    rows = trimmed([row for row in view.lines[:view.cursor_y] if row.strip()])[-3:]
    pane.set_option("@tmux_tool_read", json.dumps({
        "row": view.row, "history": view.history_size, "width": view.width, "full": view.alternate,
        "line": view.lines[view.cursor_y].rstrip()[:400], "above": [row[:200] for row in rows]}))


def _unread(pane: Pane, view: View) -> tuple[View, str, list[str]]:
    """The lines that came since the last reading; a note where some are lost."""
    try:
        last = json.loads(pane.get_option("@tmux_tool_read"))
    except ValueError:
        return view, "", pane.lines(view, 0)[2]
    if view.alternate:
        return view, "", list(view.lines)
    view, before, rows = pane.lines(view, min(last["row"], view.row), 50)
    if not _same_place(before, rows, last):
        everything = pane.lines(view, 0)[2]
        place = next((i for i in range(len(everything) - 1, -1, -1) if _same_place(everything[:i], everything[i:], last)), None)
        if place is None:
            full = view.history_limit and view.history_size >= view.history_limit * 9 // 10 - 1
            note = " [lines were lost: tmux's history holds only " + f"{view.history_limit}]" if full else ""
            return view, note, everything
        rows = everything[place:]
    return view, "", rows[1:] if rows and rows[0].rstrip()[:400] == last["line"] else rows


def _same_place(before: list[str], rows: list[str], last: dict) -> bool:
    above = [row.rstrip()[:200] for row in before[-60:] if row.strip()][-len(last["above"]) or None:]
    return bool(rows) and rows[0].startswith(last["line"]) and (above == last["above"] or not last["above"])

