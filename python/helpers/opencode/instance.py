"""The OpenCode of one pane: what is known of it, how far its life is, and its end.

The pane's options keep that, as long as the pane lives: a file would outlive a caller that is
killed. Whoever can read them can talk to the tmux server, and so type into the pane.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Self

from ..tmux.evidence.kernel import process
from .reply import OpenCodeGone
from .terminal import GONE, Terminal, TmuxError, View, until
from .turns import Turn

RECORD = "@opencode_record"
PASSWORD = "@opencode_password"  # read by the shell that starts OpenCode, and by HttpChannel
LAUNCH = "@opencode"  # the command that the line at the prompt evaluates: short for the person
LINE = f' eval "$(tmux show -pv {LAUNCH})"'  # the blank keeps it out of most histories
TAG = "OPENCODE_PANE_TAG"  # environment variable of all that OpenCode starts

# How far its life is, as the last caller left it. One that is killed leaves the first, third or
# fourth, and the next one goes on from there; gone is what is none of them and does not run.
STARTING, UP, SENDING, ENDING = "starting", "up", "sending", "ending"

QUIT_LIMIT = 3.0  # seconds for ending by itself; 0.1 to 0.4 are usual
END_LIMIT = 9.0  # seconds for all of an end; what it lacks then is the shell's to do
SHELL_LIMIT = 2.0  # seconds for the shell's prompt to be back
_LEFT = re.compile(r"opencode(?:\.exe)? -s (ses_\w+)")  # it leaves "Continue  opencode -s ses_1a2b"


@dataclass(kw_only=True)
class Instance:
    """`shell` (the process group it was started at) and `tag` are not known of one that a person
    started. `port` of its API on loopback; 0: it has none. `group`: 0 while it starts; `since`: see
    Process. `session` and `turn` were used last."""

    terminal: Terminal
    phase: str = UP
    shell: int = 0
    directory: str = ""
    flags: list[str] = field(default_factory=list)  # of model and agent
    tag: str = ""
    group: int = 0
    since: int = 0
    port: int = 0
    session: str | None = None
    turn: Turn | None = None
    told: str = ""  # id of the permission or question that a caller was told of last

    @classmethod
    def load(cls, terminal: Terminal) -> Self | None:
        """The pane's; None where there is none, or nothing that this version knows."""
        try:
            facts = json.loads(terminal.get_option(RECORD) or "null")
            known = {name: facts[name] for name in facts if name in cls.__dataclass_fields__}
            turn = Turn(**facts["turn"]) if facts["turn"] else None
            return cls(**{**known, "turn": turn, "terminal": terminal})
        except (ValueError, TypeError, KeyError):
            return None

    def save(self, **facts: object) -> Self:
        vars(self).update(facts)
        kept = {name: value for name, value in vars(self).items() if name != "terminal"}
        self.terminal.set_option(RECORD, json.dumps(kept, default=asdict))
        return self

    def refresh(self) -> None:
        """What the pane says now: another process may have used it. Raises OpenCodeGone."""
        try:
            now = self.load(self.terminal)
        except TmuxError as problem:
            if problem.kind not in GONE:
                raise
            now = None
        if now is None or now.group != self.group:
            raise OpenCodeGone(self.last_session())
        vars(self).update(vars(now))
        if not self.alive:
            raise OpenCodeGone(self.end())

    def set_group(self, group: int) -> Self:
        leader = process.read(group)
        self.group, self.since = group, leader.since if leader else 0
        return self

    @property
    def alive(self) -> bool:
        return bool(self.group) and process.group_alive(self.group, self.since or None)

    def is_for(self, directory: str | None) -> bool:
        """Whether it runs, or ran, in that directory, as far as both are known."""
        if not (self.directory and directory):
            return True
        return os.path.realpath(self.directory) == os.path.realpath(directory)

    @property
    def started_with(self) -> dict[str, str]:
        """Its flags of model and agent, with their values."""
        return dict(zip(self.flags[::2], self.flags[1::2], strict=True))

    @property
    def stopped(self) -> bool:
        """The person has stopped it (C-z)."""
        leader = process.read(self.group)
        return leader is not None and leader.state == "T"

    def processes(self) -> set[int]:
        """All that carries its tag."""
        return process.carrying(f"{TAG}={self.tag}".encode()) if self.tag else set()

    def end(self, quit: Callable[[], object] | None = None) -> str | None:
        """Ends it and all that it started, by `quit()`, SIGTERM, SIGKILL, each with its time; then
        the shell's screen is back and nothing is left on the pane. The id to resume with."""
        deadline = time.monotonic() + END_LIMIT
        own = process.members(self.group) if self.alive else []
        started = self.processes() | _with_children(own)
        with contextlib.suppress(TmuxError):
            self.save(phase=ENDING)
        if quit and self.alive:
            with contextlib.suppress(RuntimeError):  # not heard: a signal says it
                quit()
                until(lambda: not self.alive, QUIT_LIMIT)
        # A launcher last: with it the shell takes the terminal, which OpenCode then would put back
        # into canonical mode, below the line editor.
        process.end_processes(started - {self.group})
        process.end_processes(started, self.processes)
        with contextlib.suppress(TmuxError):
            self.terminal.set_options(dict.fromkeys((RECORD, PASSWORD, LAUNCH)))
            self._shell_is_back(deadline)
        return self.last_session()

    def _shell_is_back(self, deadline: float) -> None:
        def wait_for_shell() -> None:
            left = deadline - time.monotonic()
            self.terminal.wait_for_shell(max(0.0, min(SHELL_LIMIT, left)))

        wait_for_shell()
        front = self.terminal.front()
        # What ended late may have taken the prompt with its screen; a killed one leaves its screen.
        if front.is_shell and (front.view.alternate or not front.view.left.strip()):
            self.terminal.mend(front.view)
            wait_for_shell()

    def last_session(self) -> str | None:
        """The conversation of one that has ended; where only the person had one, by the screen."""
        if self.session is None:
            with contextlib.suppress(TmuxError):
                rows = below_launch(self.terminal.front().view)
                for left in _LEFT.findall("\n".join(rows)):
                    self.session = left
        return self.session


def below_launch(view: View, last: int | None = None) -> Sequence[str]:
    """The lines below the last launch line, up to the one on row `last`; all where none is in
    sight."""
    lines = view.joined.upto(last).texts
    begin = max((i + 1 for i, line in enumerate(lines) if LINE.strip() in line), default=0)
    return lines[begin:]


def _with_children(queue: list[process.Process]) -> set[int]:
    """The processes and all that descends from them, whatever group it moved to."""
    found: set[int] = set()
    while queue:
        one = queue.pop()
        found.add(one.pid)
        queue += filter(None, map(process.read, set(process.children(one)) - found))
    return found
