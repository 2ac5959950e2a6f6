"""The wait: read the kernel often, look at the screen when it may be over, decide, confirm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..evidence.kernel.probe import Probe
from ..evidence.screen.question_line import LONGEST, on_line
from ..terminal.client import GONE, Kind, TmuxError
from ..terminal.pane import Pane
from ..words import Evidence, Word
from .pace import ECHO, SETTLES, look_is_due, pause
from .row import Verdict
from .watch import Watch

_INSTANT = 0.001  # seconds: the server reads output printed before our look; the shortest nap
_JUST = 0.005  # seconds for which a look is fresh even if output cannot be detected
_RELAY = 0.05  # seconds that output takes at most through a relay (sudo, expect)
_OVERTIME = 0.05  # seconds beyond the limit if the readings change at that moment
_LINGER = 1.0  # seconds to see what tmux does with a pane whose program has ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Verdict):
    """A verdict with its circumstances. `word` may be TIMED_OUT; `detail` is then what runs."""

    seconds: float = 0.0  # since the wait began
    silent: float = 0.0  # seconds since the last output
    exit_status: int | None = None
    unread: bool = False  # what was sent has not been read


class Wait:
    """One wait on a watch."""

    def __init__(self, watch: Watch, timeout: float, ignore: Callable[[Verdict], bool]):
        self.watch, self.timeout, self.ignore = watch, timeout, ignore
        self.began = watch.clock()
        self._facts: tuple = ()  # the kernel's, at the last reading
        self._server_bytes: int | None = None  # bytes that the server had read then
        self._turned = False  # the facts have changed since the last look
        self._taken_at: float | None = None  # when what was sent was seen to be read
        self._turned_at = self._settled_at = self.began

    def outcome(self) -> Outcome:
        """Waits for a verdict, at most `timeout` seconds. Raises TmuxError if tmux does not
        answer, BadPattern, and whatever the watch's `nap` raises."""
        try:
            return self._loop()
        except TmuxError as problem:
            if problem.kind not in GONE:
                raise
            return self._gone(gone_text(self.watch.pane, problem))

    def _loop(self) -> Outcome:
        watch = self.watch
        while True:
            kernel = watch.read_kernel()
            if not kernel.alive:
                return self._ended()
            settled = self._is_settled(kernel)
            over = self.elapsed >= self.timeout
            if over or self._look_is_due(settled):
                watch.look()
                if watch.view.pid != watch.pid:
                    return self._ended()
                watch.on_look(watch.view, self.elapsed)
                self._turned = False
                settled = self._still_true(kernel, settled)
                if self._echo_is_drawn(settled) and (line := watch.until()) is not None:
                    watch.read_kernel()  # a prompt may be there already: whose?
                    return self._said(Verdict(Word.MATCHED, line.strip()))
            fresh = watch.fresh or watch.clock() - watch.clocks.looked < _JUST
            if settled and fresh and self._may_be_over() and self._was_taken():
                verdict = watch.verdict()
                if verdict is not None and (over or not self.ignore(verdict)):
                    return self._said(verdict)
            if over and (settled or self.elapsed > self.timeout + _OVERTIME):
                return self._timed_out()
            self._rest()

    def _rest(self) -> None:
        """Sleeps until the next reading is due, or the program in front has ended."""
        watch = self.watch
        just_turned = watch.clock() - self._turned_at < SETTLES
        seconds = min(pause(self.elapsed, just_turned), max(self.timeout - self.elapsed, _INSTANT))
        ended = watch.await_end(watch.kernel.foreground, seconds)
        if ended:
            self._turned_at = watch.clock()
        watch.nap(seconds if ended is None else 0.0)

    def _is_settled(self, kernel: Probe) -> bool:
        """Whether this reading equals the one before: the waiting process slept in between."""
        before, self._facts = self._facts, _facts(kernel)
        now = self.watch.clock()
        if before[:-1] != self._facts[:-1]:
            self._turned, self._turned_at = True, now
        if kernel.relayed and now - self._turned_at < _RELAY:
            return False  # what the inner program printed is still on its way
        read = self.watch.server_bytes
        settled = before == self._facts and read == self._server_bytes and read is not None
        self._server_bytes = read
        if settled:
            self._settled_at = now
        return settled

    def _still_true(self, kernel: Probe, settled: bool) -> bool:
        """Whether the kernel's facts and the screen are unchanged since before the latest look. The
        server has had the time between two readings to read what was printed before them."""
        watch = self.watch
        if not settled:
            watch.nap(_INSTANT)
        if _facts(watch.read_kernel()) != _facts(kernel):
            self._turned = True
            return False
        if watch.stale:  # something was printed, perhaps by another pane
            shown = watch.view.shows
            watch.look()
            return watch.view.shows == shown
        return True

    @property
    def elapsed(self) -> float:
        return self.watch.clock() - self.began

    def _look_is_due(self, settled: bool) -> bool:
        watch, now = self.watch, self.watch.clock()
        return look_is_due(
            may_be_over=self._may_be_over(),
            unsettled=0.0 if settled else now - self._settled_at,
            turned=self._turned,
            stale=not watch.fresh,
            taken=watch.is_taken(),
            since_look=now - watch.clocks.looked,
            cost=watch.clocks.cost,
            elapsed=self.elapsed,
        )

    def _may_be_over(self) -> bool:
        """Whether the screen matters. If not, the program is computing or sleeping."""
        kernel, search = self.watch.kernel, self.watch.search
        asked = "until" in search or "prompt_pattern" in search
        waits = kernel.canonical is not True or kernel.waiter is not None or kernel.hidden
        return waits or asked

    def _echo_is_drawn(self, settled: bool) -> bool:
        """Whether `until` may be matched on this screen without taking half an echo for output.
        A program that prints all the time never settles."""
        if not self._was_taken():
            return False
        self._taken_at = self._taken_at or self.watch.clock()
        return settled or self.watch.clock() - self._taken_at > ECHO

    def _was_taken(self) -> bool:
        watch, kernel = self.watch, self.watch.kernel
        if watch.input is None:
            return not kernel.unread
        return watch.input.was_read(kernel, watch.is_taken(), watch.clock())

    def _said(self, verdict: Verdict) -> Outcome:
        watch = self.watch
        detail = verdict.detail
        if verdict.asks and not watch.view.left.strip():
            again = watch.verdict(watch.scene(asked=self._asked_above()))
            detail = again.detail if again else detail
        elif verdict.asks and detail == watch.view.left.strip():
            whole = watch.view.wrapped_left.strip()
            detail = whole if len(whole) <= LONGEST else detail
        shell = verdict.evidence is Evidence.SHELL
        reported = verdict.evidence is Evidence.EDITOR and watch.is_reported_idle
        return Outcome(
            word=verdict.word,
            detail=detail,
            evidence=verdict.evidence,
            seconds=self.elapsed,
            silent=self._silent(),
            exit_status=watch.exit_status if shell or reported else None,
        )

    def _asked_above(self) -> str:
        """The last new line, if it asks: by its form, or because a command printed it before it
        reads. After a line that a program has read comes its output: bc's results."""
        typed = self.watch.input
        rows = self.watch.new_rows() if typed is not None else []
        if typed is None or not rows:
            return ""
        return rows[-1] if typed.at_prompt or on_line(rows[-1]) else ""

    def _timed_out(self) -> Outcome:
        watch, kernel = self.watch, self.watch.kernel
        if watch.stale:
            watch.look()
        return Outcome(
            word=Word.TIMED_OUT,
            detail=watch.scene().program,
            seconds=self.elapsed,
            silent=self._silent(),
            unread=bool(kernel.unread),
        )

    def _silent(self) -> float:
        """Seconds since the last output; if that came before this wait, to the second, by tmux."""
        watch = self.watch
        silent = watch.clock() - watch.clocks.output
        if watch.clocks.output > self.began:
            return silent
        return max(silent, watch.view.silent + watch.clock() - watch.view.at)

    def _ended(self) -> Outcome:
        """The outcome if the pane's process has ended: a dead pane, a closed one, a new program."""
        watch = self.watch
        until = watch.clock() + _LINGER
        while not (view := watch.look()).dead and view.pid == watch.pid and watch.clock() <= until:
            watch.nap(0.01)
        another = " and another was started" * (view.pid != watch.pid)
        why = view.ended if view.dead else f"its program ended{another}"
        return self._gone(f"{watch.pane.name}: {why}")

    def _gone(self, detail: str) -> Outcome:
        return Outcome(word=Word.GONE, detail=detail, seconds=self.elapsed)


def _facts(kernel: Probe) -> tuple:
    """The kernel's facts whose change may mean a turn, and finally its subject's CPU time."""
    return (
        kernel.tty,
        kernel.foreground,
        kernel.canonical,
        kernel.echo,
        kernel.waiter,
        kernel.unread == 0,
        kernel.cpu_ns,
    )


def wait(
    watch: Watch, timeout: float, ignore: Callable[[Verdict], bool] = lambda verdict: False
) -> Outcome:
    """Waits until it is the caller's turn, at most `timeout` seconds; see Outcome. `ignore`: which
    verdicts do not end the wait because the last answer reported them; at the limit they count."""
    return Wait(watch, timeout, ignore).outcome()


def gone_text(pane: Pane, problem: TmuxError) -> str:
    """What `gone` says if tmux no longer knows the pane."""
    why = "the pane was closed or its program ended"
    if problem.kind is Kind.NO_SERVER:
        why = "the tmux server ended"
    return f"{pane.name}: {why}"
