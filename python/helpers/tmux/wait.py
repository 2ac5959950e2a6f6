"""The waiting: read the kernel often, the screen when it may be over, decide, confirm, say.

One plain loop. Its clock and its sleep are handed in, so that a door can make it stop at once, and a test can make an
hour pass. Nothing here types.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from .client import TmuxError
from .mark import Mark, Prompts
from .output import echo_rows, squeezed, trimmed
from .pane import Pane
from .pattern import Searcher
from .probe import Probe, printed_bytes, probe
from .transcript import since
from .verdict import Scene, Verdict, decide
from .view import View

_CONFIRM = 0.003  # seconds between the two equal readings: a shell that is about to run something does not sleep so long
_HEARTBEAT = (
    1.0  # seconds between two looks when nothing moves: a server that hangs is noticed by them
)
_LOOK_SHARE = (
    5,
    60,
)  # a look may cost a fifth of the time while the wait is young, a sixtieth when it is old
_OLD = 10.0  # seconds
GONE = ("no target", "no server")  # kinds of TmuxError that mean it about a pane that was there
_LINGER = 1.0  # seconds to see what tmux makes of a pane whose program has ended


def _pause(elapsed: float) -> float:
    """Seconds to the next reading of the kernel: short while an answer is likely, at most 90 ms ever."""
    return 0.003 if elapsed < 1 else 0.008 if elapsed < 4 else min(elapsed / 150, 0.09)


@dataclass(frozen=True, slots=True)
class Outcome(Verdict):
    """A verdict with its circumstances. `word` may also be "timed out"."""

    seconds: float = 0.0  # since the wait began
    silent: float = 0.0  # seconds since the last output
    kernel: Probe | None = None
    view: View | None = None


class Watch:
    """One pane, watched from the mark that was left on it. `nap(seconds)` may raise to end the wait."""

    def __init__(
        self,
        pane: Pane,
        *,
        prompt_pattern: str | None = None,
        until: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        nap: Callable[[float], object] = time.sleep,
        on_look: Callable[[View, float], object] = lambda view, seconds: None,
    ):
        self.pane, self.clock, self.nap, self.on_look = pane, clock, nap, on_look
        self.search = Searcher(prompt_pattern=prompt_pattern, until=until)
        self.began = self.changed = self.looked = self.last_heard = self.last_output = clock()
        self.full_since: float | None = None
        self.cost = 0.002
        self.fresh_output: list[str] = []
        self.mark: Mark | None = None
        self.follow()
        self._seen(pane.look())
        self.printed = printed_bytes(self.view.server)
        self.pid = self.view.pid

    def follow(self) -> None:
        """Something was just typed: go by the mark that was left then, from the next look on."""
        self.following, self.moved = True, False

    def look(self) -> View:
        """Read the screen; note what changed and when."""
        self.printed = printed_bytes(self.view.server)
        began = self.clock()
        view = self.pane.look()
        self.cost = max(self.clock() - began, 0.001)
        if _shows(view) != _shows(self.view):
            self.changed = self.clock()
            self.last_output = max(
                self.last_heard, self.last_output
            )  # the server was heard to read it then
        return self._seen(view)

    def _seen(self, view: View) -> View:
        self.view, self.looked = view, self.clock()
        if self.following:
            self.following = False
            self.mark, self.prompts = (
                Mark.load(view.memory[0], view.memory[1], view),
                Prompts(view.memory[2]),
            )
        if not (view.alternate or not view.cursor_visible):
            self.full_since = None
        elif self.full_since is None:
            self.full_since = self.looked
        return view

    def scene(self, kernel: Probe, asked: str = "") -> Scene:
        """What is decided about: this reading of the kernel with the latest look."""
        view, mark, now = self.view, self.mark, self.clock()
        kernel = kernel if kernel.name else _named(kernel, view.command)
        if mark and (view.row, view.left.rstrip(), view.history_size) != (
            mark.row,
            mark.left.rstrip(),
            mark.history,
        ):
            self.moved = True
        known = self.prompts.of(kernel.subject)
        same = mark is not None and (mark.foreground == kernel.foreground or kernel.blind)
        if mark and mark.prompt and same:
            known += (mark.left,)
        return Scene(
            kernel,
            view.left,
            asked,
            view.alternate,
            view.cursor_visible,
            dead=f"{self.pane.name}: {_ended(view)}" if view.dead else "",
            prompts=known,
            expected=bool(mark and mark.expected and same),
            typed=(mark.text or "").rpartition("\n")[2] if mark and mark.enter else "",
            moved=self.moved or mark is None,
            still=now - self.changed,
            full=now - self.full_since if self.full_since is not None else 0.0,
            pattern=self._pattern(),
            until=self.search.search("until", "\n".join(self.fresh_output)),
        )

    def _pattern(self) -> str | None:
        """The last line, where the caller's prompt_pattern matches it and it is not what stood there before the mark, nor
        the echo of what was sent. With the blanks up to the cursor, which tmux trims, and without: `> $` and `>$` are
        both written."""
        view, mark = self.view, self.mark
        if "prompt_pattern" not in self.search or (mark and not self.moved):
            return None
        shown = squeezed(view.last)
        if (
            mark
            and mark.text
            and mark.enter
            and shown != squeezed(mark.left)
            and echo_rows([view.last], mark.left + mark.text)
        ):
            return None
        return self.search.search("prompt_pattern", f"{view.last_padded}\n{view.last.rstrip()}")

    def now(self) -> Verdict | None:
        """What the pane shows at this moment, from one reading, whatever was sent."""
        kernel = probe(self.view.pid, self.view.tty)
        return decide(self.scene(kernel)) if not kernel.unread else None

    def wait(self, timeout: float) -> Outcome:
        """Wait for a verdict, at most `timeout` seconds. Raises TmuxError where tmux does not answer, BadPattern, and
        whatever `nap` raises."""
        began = self.began = self.clock()
        try:
            return self._wait(began, timeout)
        except TmuxError as problem:
            if problem.kind not in GONE:
                raise
            return Outcome(
                "gone", gone(self.pane, problem), "", self.clock() - began, 0.0, None, self.view
            )
        finally:
            self.search.close()

    def _wait(self, began: float, timeout: float) -> Outcome:
        stale = (
            self.following or "until" in self.search or self.clock() - self.looked > _CONFIRM
        )  # since the last look
        before: object = None if stale else ...
        heard, self.last_heard = self.printed, began
        while True:
            kernel, now = probe(self.view.pid, self.view.tty), self.clock()
            if not kernel.alive:
                return self._gone(began)
            turn: object = (
                kernel.foreground,
                kernel.canonical,
                kernel.echo,
                kernel.waiter,
                kernel.unread == 0,
            )
            before = turn if before is ... else before
            printed = printed_bytes(self.view.server)
            stale = stale or printed is None or printed != self.printed
            if printed is None or printed != heard:
                heard, self.last_heard = printed, now
            share = _LOOK_SHARE[now - began > _OLD]
            may = self._may_be_over(kernel)
            if (
                may and (turn != before or stale and now - self.looked > self.cost * share)
            ) or now - self.looked > _HEARTBEAT:
                before, stale = turn, False
                self._refresh(began)
                if self.view.pid != self.pid:
                    return self._gone(began)
            elif turn != before:
                stale = True
            if may and not stale:
                scene, mark = self.scene(kernel), self.mark
                if (mark is None or mark.was_taken(kernel, self.moved)) and (
                    verdict := decide(scene)
                ):
                    confirmed = self._confirm(kernel, verdict)
                    if confirmed:
                        return self._said(confirmed[0], confirmed[1], began)
                    stale, before = True, None  # unstable: once more, at once
                    if self.clock() - began <= timeout:
                        continue
            elapsed = self.clock() - began
            if elapsed >= timeout:
                if stale:
                    self.look()
                return Outcome(
                    "timed out",
                    self.scene(kernel).program,
                    "",
                    elapsed,
                    self.clock() - self.last_output,
                    kernel,
                    self.view,
                )
            self.nap(min(_pause(elapsed), timeout - elapsed))

    def _may_be_over(self, kernel: Probe) -> bool:
        """Without this the screen need not be read: a program that computes or sleeps is nobody's turn."""
        return (
            kernel.canonical is not True
            or kernel.waiter is not None
            or kernel.hidden
            or "until" in self.search
            or "prompt_pattern" in self.search
        )

    def _refresh(self, began: float) -> None:
        view = self.look()
        if view.pid != self.pid:
            return
        if "until" in self.search:
            self.fresh_output = self.output_rows()
        self.on_look(view, self.clock() - began)

    def output_rows(self) -> list[str]:
        """Lines that came since the mark, without the echo of what was sent; the screen where there is no such line."""
        if self.mark is None:
            return trimmed(list(self.view.lines))
        return trimmed(since(self.pane, self.view, self.mark, self.mark.text).lines)

    def _confirm(self, first: Probe, verdict: Verdict) -> tuple[Verdict, Probe] | None:
        """A second reading: the same screen and the same kernel, and who waits has slept in between."""
        seen = _shows(self.view)
        self.nap(_CONFIRM)
        second = probe(self.view.pid, self.view.tty)
        if (
            second.foreground,
            second.canonical,
            second.echo,
            second.waiter,
            second.unread,
            second.awake,
        ) != (first.foreground, first.canonical, first.echo, first.waiter, 0, first.awake):
            return None
        self.look()
        if _shows(self.view) != seen:
            return None
        asked = ""
        if verdict.word in ("needs input", "needs password") and not self.view.left.strip():
            rows = self.output_rows() if self.mark else []
            asked = rows[-1] if rows else ""
        again = decide(self.scene(second, asked))
        return (again, second) if again and again.word == verdict.word else None

    def _said(self, verdict: Verdict, kernel: Probe, began: float) -> Outcome:
        mark = self.mark
        if (
            verdict.why.startswith(("shell", "prompt"))
            and mark
            and mark.enter
            and mark.text is not None
        ):
            self.learn(kernel)
        return Outcome(
            verdict.word,
            verdict.detail,
            verdict.why,
            self.clock() - began,
            self.clock() - self.last_output,
            kernel,
            self.view,
        )

    def learn(self, kernel: Probe) -> None:
        """Remember the text left of the cursor as this program's prompt."""
        stored = self.prompts.learn(kernel.subject, self.view.left, self.mark)
        if stored:
            self.pane.set_option("@tmux_tool_prompts", stored)

    def _gone(self, began: float) -> Outcome:
        """The pane's process has ended: what tmux makes of it, a dead pane, a closed one or a new program."""
        until = self.clock() + _LINGER
        while True:
            view = self.pane.look()
            if view.dead or view.pid != self.pid:
                detail = f"{self.pane.name}: " + (
                    _ended(view) if view.dead else "its program ended and another was started"
                )
                return Outcome("gone", detail, "", self.clock() - began, 0.0, None, view)
            if self.clock() > until:
                return Outcome(
                    "gone",
                    f"{self.pane.name}: its program ended",
                    "",
                    self.clock() - began,
                    0.0,
                    None,
                    view,
                )
            self.nap(0.01)


def wait_ready(
    pane: Pane, timeout: float = 10.0, prompt_pattern: str | None = None, until: str | None = None
) -> Outcome:
    """Wait until it is the caller's turn in `pane`, at most `timeout` seconds; see Outcome."""
    return Watch(pane, prompt_pattern=prompt_pattern, until=until).wait(timeout)


def gone(pane: Pane, problem: TmuxError) -> str:
    """What `gone` says where tmux no longer knows the pane."""
    why = (
        "the tmux server ended"
        if problem.kind == "no server"
        else "the pane was closed or its program ended"
    )
    return f"{pane.name}: {why}"


def _shows(view: View) -> tuple:
    return (
        view.lines,
        view.cursor_x,
        view.cursor_y,
        view.history_size,
        view.alternate,
        view.cursor_visible,
    )


def _ended(view: View) -> str:
    return f"its program ended (exit status {view.dead_status or 'unknown'}); tmux respawn-pane -t {view.id} starts it anew"


def _named(kernel: Probe, command: str) -> Probe:
    """Where /proc cannot be read tmux's own idea of the program in front has to do."""
    return replace(kernel, name=command)
