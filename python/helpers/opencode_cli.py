"""OpenCodeSession: a conversation with OpenCode in a shared tmux pane, which a person watches too.

    session = OpenCodeSession("/path/to/project")
    session.start()
    print(session.send("What does this project do?"))
    session.exit()

The TUI runs in the pane; the same process answers on loopback, where prompts go in and answers come
out exactly. Where that cannot be had, prompts are typed and answers are read from OpenCode's own
database, and `Reply.channel` says which it was. Linux only: it needs /proc.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

from .opencode import launch as launcher
from .opencode.http_channel import HttpChannel, HttpError
from .opencode.instance import SENDING, UP, Instance
from .opencode.reply import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodeNotInstalled,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Progress,
    Reply,
    Status,
    labels_of,
    must_be_text,
    seconds_of,
)
from .opencode.run import flags_of, opencode_run, usual_command
from .opencode.screen import folded_lines
from .opencode.screen_channel import ScreenChannel
from .opencode.terminal import Terminal, TmuxError, until
from .opencode.turns import Turn, prompt_key
from .opencode.wait import Channel, Wait, asked

__all__ = [
    "OpenCodeError",
    "OpenCodeGone",
    "OpenCodeNotInstalled",
    "OpenCodePermissionNeeded",
    "OpenCodeQuestionAsked",
    "OpenCodeSession",
    "OpenCodeStartFailed",
    "OpenCodeTimedOut",
    "OpenCodeTurnFailed",
    "Reply",
    "Status",
    "opencode_run",
]

CHANNELS = ("auto", "http", "screen")
BEGUN = 3.0  # seconds from a prompt in the conversation to its turn; 0.2 are usual


class OpenCodeSession:
    """One conversation. `directory`: the project, default the current one. `model`: written
    "provider/model". `pane`: any tmux target; None: where the session `shared`, or that of the
    settings, runs OpenCode for that project, else what the person looks at there. `timeout`:
    seconds a turn may take where a call does not say. `channel`: "auto", "http" (or fail),
    "screen". `command`: the program, default $OPENCODE_BIN, else the `opencode` that the pane's
    shell finds, else the one found here.

    Raises OpenCodeError and its kin (opencode/reply.py), or TmuxError where the pane itself cannot
    be had: RuntimeErrors with a `hint`. A wait prints a line of progress for every 8 s unless
    `progress=False`.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str] | None = None,
        model: str | None = None,
        agent: str | None = None,
        pane: str | None = None,
        timeout: float = 120,
        channel: str = "auto",
        command: str | None = None,
    ):
        if channel not in CHANNELS:
            raise ValueError(f"channel is {channel!r}; it is one of {', '.join(CHANNELS)}")
        if model and not all(model.partition("/")[::2]):
            raise ValueError(f"model is {model!r}; it is written provider/model")
        self.directory = os.path.abspath(directory) if directory else None
        self.model, self.agent, self.timeout = model, agent, seconds_of(timeout)
        self.channel, self.command, self._target = channel, command, pane
        self._connection: Channel | None = None  # None before start()
        self._seen = ""  # id of the permission or question that `status` has shown

    @property
    def session_id(self) -> str | None:
        """What start(resume=…) takes; None before the first turn. Another process's turns count."""
        with contextlib.suppress(OpenCodeError, TmuxError):
            self._current()
        return self._connection.instance.session if self._connection else None

    def start(self, resume: str | None = None, progress: bool = True) -> OpenCodeSession:
        """Starts OpenCode in the pane, or adopts the one that runs there; `resume` goes on with
        that conversation, and without it the one goes on that somebody else ended there. Returns
        itself once prompts are taken, usually after 4 s. Raises OpenCodeStartFailed,
        OpenCodeNotInstalled."""
        return self._attach(resume, Progress(progress), start=True)

    def adopt(self, progress: bool = True) -> OpenCodeSession:
        """Goes on with the OpenCode that the pane runs; starts none. Raises OpenCodeGone."""
        return self._attach(None, Progress(progress), start=False)

    def _attach(self, resume: str | None, report: Progress, start: bool) -> OpenCodeSession:
        terminal = launcher.terminal_of(self._target, self.directory, report)
        with terminal.held(time.monotonic() + launcher.START_LIMIT, report):
            there = launcher.found(terminal, report)
            running = there if there and there.alive else None
            if running is None and not start:
                raise OpenCodeGone(there.last_session() if there else None)
            instance = running or self._launched(terminal, resume, there, report)
            http = HttpChannel(instance, self.model, self.agent)
            exact = self.channel != "screen" and bool(http.is_ours())
            if running:
                self._must_fit(running, resume, exact)
            try:
                channel: Channel = http if exact else ScreenChannel(instance)
                channel.begin(resume if running else instance.session)
            except OpenCodeError as problem:
                hint = problem.hint
                if running is None:
                    if instance.session and not resume:
                        hint = launcher.and_goes_on(hint, instance.session)
                    instance.end()
                raise OpenCodeStartFailed(problem.reason, hint) from None
            instance.save()
            self._connection = channel
        return self

    def send(self, prompt: str, timeout: float | None = None, progress: bool = True) -> Reply:
        """One turn, from the prompt to its Reply. Raises what wait() raises; wait() then takes the
        turn up again."""
        report, deadline = Progress(progress), self._deadline(timeout)
        self._must_be_begun(prompt, progress)
        with self._hold(deadline, report) as channel:
            self._submit(channel, prompt)
            return Wait(channel).reply(deadline, report)

    def submit(self, prompt: str) -> None:
        """Delivers the prompt and returns; wait() gets the Reply, from another process too. Queued
        if a turn runs."""
        self._must_be_begun(prompt, progress=False)
        with self._hold(self._deadline(None), Progress(False)) as channel:
            self._submit(channel, prompt)

    def wait(self, timeout: float | None = None, progress: bool = True) -> Reply:
        """The Reply of the turn that was submitted last. Raises OpenCodePermissionNeeded,
        OpenCodeQuestionAsked, OpenCodeTurnFailed, OpenCodeTimedOut (the turn goes on),
        OpenCodeGone."""
        report, deadline = Progress(progress), self._deadline(timeout)
        with self._hold(deadline, report) as channel:
            return Wait(channel).reply(deadline, report)

    def turn(self, prompt: str, timeout: float | None = None, progress: bool = True) -> str:
        """send(), and only the text of its answer."""
        return str(self.send(prompt, timeout, progress))

    def reset(self) -> None:
        """Leaves this conversation: the next prompt begins a new one."""
        self.interrupt()
        with self._hold(self._deadline(None), Progress(False)) as channel:
            channel.leave()
            channel.instance.save(phase=UP, session=None, turn=None)

    @property
    def status(self) -> Status:
        """What the conversation does now: see Status."""
        try:
            status = self._current().status()
            self._seen = (status.request or {}).get("id", "")
            return status
        except OpenCodeGone:
            return Status("gone")
        except (OpenCodeError, TmuxError) as problem:
            return Status("busy", message=str(problem))

    def answer(self, *choices: Any, message: str | None = None) -> None:
        """Answers what was raised, or shown by `status`, last. A permission: "once", "always" or
        "reject" (a `message` tells the model why, and the turn goes on). A question: the labels
        chosen, or text of your own; several questions take one argument each, a list where several
        labels are chosen; "reject" dismisses them. Raises what is asked for now where that is
        something else."""
        with self._hold(self._deadline(None), Progress(False)) as channel:
            status = channel.status()
            if status.request is None:
                raise OpenCodeError(f"nothing waits for an answer: OpenCode is {status}")
            if status.request["id"] not in (channel.instance.told, self._seen):
                raise asked(channel.instance, status, status.request)
            permits = choices in (("once",), ("always",), ("reject",))
            if status == "needs permission" and not permits:
                reason = f"{choices!r} does not answer a permission"
                raise OpenCodeError(reason, 'it is one of "once", "always", "reject"')
            count = len(status.request.get("questions") or [0])
            channel.answer(status, labels_of(choices, count), message)

    def interrupt(self) -> None:
        """Ends the running turn, a pending permission or question too; OpenCode then takes the next
        prompt. wait() gives what came, with finish "aborted" or "rejected"."""
        channel = self._current()
        if turn := channel.instance.turn:  # it may be about to begin, or never will
            until(lambda: channel.status() != "idle" or len(channel.messages(turn)) != 1, BEGUN)
        channel.interrupt()

    def exit(self) -> str | None:
        """Ends OpenCode and all it started, within 10 s; then the shell's prompt is back and
        nothing is left on the pane. Returns the id to resume with; safe to call twice."""
        with contextlib.suppress(OpenCodeGone, TmuxError):
            channel = self._current()
            channel.instance.end(channel.quit)
        return self._connection.instance.last_session() if self._connection else None

    # the parts

    def _launched(
        self, terminal: Terminal, resume: str | None, ended: Instance | None, report: Progress
    ) -> Instance:
        flags = flags_of(model=self.model, agent=self.agent)
        place, command = self.directory or "", self.command or usual_command()
        new = Instance(terminal=terminal, directory=place, flags=flags, session=resume)
        return launcher.launch_after(ended, new, command, self.channel, report)

    def _must_fit(self, running: Instance, resume: str | None, exact: bool) -> None:
        """Raises where the OpenCode that the pane runs is not the one that is asked for."""
        reason = ""
        hint = "exit() it first, or use another pane"
        if running.terminal.front().group not in (0, running.group):
            reason, hint = "this pane's OpenCode is not in front", "bring it back with fg"
        elif not running.is_for(self.directory):
            reason = f"this pane already runs OpenCode in {running.directory}"
        elif not exact and self.channel == "http":
            reason, hint = "the OpenCode in this pane has no API of ours", 'use channel="auto"'
        elif not exact and resume not in (None, running.session):
            reason = "this pane already runs OpenCode with another conversation"
        elif not exact and not {*flags_of(model=self.model, agent=self.agent)} <= {*running.flags}:
            reason = "model and agent cannot be changed on the screen channel"
        if reason:
            raise OpenCodeStartFailed(reason, hint)

    def _current(self) -> Channel:
        """The channel to OpenCode as it is now. Raises OpenCodeGone."""
        if self._connection is None:
            raise OpenCodeGone
        self._connection.instance.refresh()
        return self._connection

    @contextlib.contextmanager
    def _hold(self, deadline: float, report: Progress) -> Iterator[Channel]:
        """Holds the pane; the channel. Raises OpenCodeGone also where OpenCode ends meanwhile."""
        channel = self._current()
        try:
            with channel.instance.terminal.held(deadline, report):
                yield self._current()
        except (HttpError, TmuxError):
            self._current()
            raise

    def _deadline(self, timeout: float | None) -> float:
        return time.monotonic() + (self.timeout if timeout is None else seconds_of(timeout))

    def _must_be_begun(self, prompt: str, progress: bool) -> None:
        must_be_text(prompt)
        if self._connection is None:
            self.start(progress=progress)

    def _submit(self, channel: Channel, prompt: str) -> None:
        channel.prepare(prompt)
        turn = Turn(prompt=prompt_key(prompt), at=time.time(), folded=folded_lines(prompt))
        # Before it is sent: who is killed over it leaves what the next caller needs.
        channel.instance.save(phase=SENDING, turn=turn)
        try:
            turn = channel.submit(prompt, turn)
        except OpenCodeTurnFailed:  # and nothing of it is left
            channel.instance.save(phase=UP)
            raise
        channel.instance.save(phase=UP, turn=turn)
