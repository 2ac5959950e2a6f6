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
import math
import os
import time
from typing import Any

from .opencode import launch as launcher
from .opencode.attachment import Attachment, gone, held
from .opencode.http_channel import Api, HttpChannel
from .opencode.record import Record
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
)
from .opencode.run import flags_of, opencode_run
from .opencode.screen import folded_lines
from .opencode.screen_channel import ScreenChannel
from .opencode.terminal import Terminal, TmuxError
from .opencode.turns import Channel, Turn, prompt_key
from .opencode.wait import Wait, labels_of, until_begun
from .tmux.process import working_directory

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
STOPPED = "OpenCode is stopped (C-z): fg in its pane brings it back"


class OpenCodeSession:
    """One conversation. `directory`: the project, default the current one. `model`: written
    "provider/model". `pane`: any tmux target; None: what the person looks at in the session
    `shared`, or of the settings. `timeout`: seconds a turn may take where a call does not say.
    `channel`: "auto", "http" (or fail), "screen". `command`: the program, default $OPENCODE_BIN,
    else the `opencode` that the pane's shell finds, else the one found here.

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
        self.model, self.agent, self.timeout = model, agent, timeout
        self.channel, self.command, self._target = channel, command, pane
        self._attachment: Attachment | None = None  # None before start()

    @property
    def session_id(self) -> str | None:
        """What start(resume=…) takes; None before the first turn. Another process's turns count."""
        with contextlib.suppress(OpenCodeError, TmuxError):
            self._attached.record()
        return self._attachment.channel.session if self._attachment else None

    def start(self, resume: str | None = None, progress: bool = True) -> OpenCodeSession:
        """Starts OpenCode in the pane, or adopts the one that runs there; `resume` goes on with
        that conversation. Returns itself once prompts are taken, usually after 4 s. Raises
        OpenCodeStartFailed, OpenCodeNotInstalled."""
        return self._attach(resume, Progress(progress), start=True)

    def adopt(self, progress: bool = True) -> OpenCodeSession:
        """Goes on with the OpenCode that the pane runs; starts none. Raises OpenCodeGone."""
        return self._attach(None, Progress(progress), start=False)

    def _attach(self, resume: str | None, report: Progress, start: bool) -> OpenCodeSession:
        terminal = Terminal(self._target)
        with held(terminal, time.monotonic() + launcher.START_LIMIT, report):
            record = launcher.existing(terminal, report)
            fresh = record is None
            if record is None:
                if not start:
                    raise gone(None)
                words = self._words(resume)
                record = launcher.launch(terminal, words, resume, self.channel, report)
            api = None if self.channel == "screen" else launcher.api_of(terminal, record)
            if not fresh:
                self._must_fit(terminal, record, resume, exact=api is not None)
            try:
                channel = self._channel(terminal, record, api)
                channel.begin(resume if fresh or resume != record.session else None)
            except OpenCodeError as problem:
                if fresh:
                    launcher.end(terminal, record)
                raise OpenCodeStartFailed(problem.reason, problem.hint) from None
            self._attachment = Attachment(terminal, channel, record)
        return self

    def send(self, prompt: str, timeout: float | None = None, progress: bool = True) -> Reply:
        """One turn, from the prompt to its Reply. Raises what wait() raises; wait() then takes the
        turn up again."""
        report, deadline = Progress(progress), self._deadline(timeout)
        self._must_be_begun(prompt, progress)
        with self._attached.hold(deadline, report):
            self._submit(prompt)
            return self._wait(deadline, report)

    def submit(self, prompt: str) -> None:
        """Delivers the prompt and returns; wait() gets the Reply, from another process too. Queued
        if a turn runs."""
        self._must_be_begun(prompt, progress=False)
        with self._attached.hold(self._deadline(None), Progress(False)):
            self._submit(prompt)

    def wait(self, timeout: float | None = None, progress: bool = True) -> Reply:
        """The Reply of the turn that was submitted last. Raises OpenCodePermissionNeeded,
        OpenCodeQuestionAsked, OpenCodeTurnFailed, OpenCodeTimedOut (the turn goes on),
        OpenCodeGone."""
        report, deadline = Progress(progress), self._deadline(timeout)
        with self._attached.hold(deadline, report):
            return self._wait(deadline, report)

    def turn(self, prompt: str, timeout: float | None = None, progress: bool = True) -> str:
        """send(), and only the text of its answer."""
        return str(self.send(prompt, timeout, progress))

    def reset(self) -> None:
        """Leaves this conversation: the next prompt begins a new one."""
        self.interrupt()
        self._attached.channel.leave()
        self._attached.save(self._attached.record(), session=None, turn=None)

    @property
    def status(self) -> Status:
        """What the conversation does now: see Status."""
        try:
            self._attached.record()
            return self._attached.channel.status()
        except OpenCodeGone:
            return Status("gone")
        except (OpenCodeError, TmuxError) as problem:
            return Status("busy", message=str(problem))

    def answer(self, *choices: Any, message: str | None = None) -> None:
        """Answers what is pending. A permission: "once", "always" or "reject" (a `message` tells
        the model why, and the turn goes on). A question: the labels chosen, or text of your own;
        several questions take one argument each, a list where several labels are chosen; "reject"
        dismisses them."""
        status = self.status
        if status.request is None:
            raise OpenCodeError(f"nothing waits for an answer: OpenCode is {status}")
        if status == "needs permission" and choices not in (("once",), ("always",), ("reject",)):
            reason = f"{choices!r} does not answer a permission"
            raise OpenCodeError(reason, 'it is one of "once", "always", "reject"')
        count = len(status.request.get("questions") or [0])
        self._attached.channel.answer(status, labels_of(choices, count), message)

    def interrupt(self) -> None:
        """Ends the running turn, a pending permission or question too; OpenCode then takes the next
        prompt. wait() gives what came, with finish "aborted" or "rejected"."""
        record, channel = self._attached.record(), self._attached.channel
        if record.turn:
            until_begun(channel, record.turn)
        channel.interrupt()

    def exit(self) -> str | None:
        """Ends OpenCode and all it started, within 10 s; then the shell's prompt is back and
        nothing is left on the pane. Returns the id to resume with; safe to call twice."""
        return self._attachment.end() if self._attachment else None

    # the parts

    def _words(self, resume: str | None) -> list[str]:
        """What is to be started: program, directory, flags."""
        place = self.directory or os.getcwd()
        if not os.path.isdir(place):
            raise OpenCodeStartFailed(f"there is no directory {place}")
        command = self.command or os.environ.get("OPENCODE_BIN") or "opencode"
        return [command, place, *flags_of(resume, self.model, self.agent)]

    def _must_fit(
        self, terminal: Terminal, record: Record, resume: str | None, exact: bool
    ) -> None:
        """Raises where the OpenCode that this pane runs is not the one that is asked for."""
        place, reason = record.directory or working_directory(record.group), ""
        hint = "exit() it first, or use another pane"
        if terminal.front().group not in (0, record.group):
            reason, hint = "this pane's OpenCode is not in front", "bring it back with fg"
        elif self.directory and os.path.realpath(place) != os.path.realpath(self.directory):
            reason = f"this pane already runs OpenCode in {place}"
        elif not exact and self.channel == "http":
            reason, hint = "the OpenCode in this pane has no API of ours", 'use channel="auto"'
        elif not exact and resume and resume != record.session:
            reason = "this pane already runs OpenCode with another conversation"
        if reason:
            raise OpenCodeStartFailed(reason, hint)

    def _channel(self, terminal: Terminal, record: Record, api: Api | None) -> Channel:
        if api is None:
            return ScreenChannel(terminal, record.session, record.group)
        return HttpChannel(api, record.group, record.session, self.model, self.agent)

    @property
    def _attached(self) -> Attachment:
        if self._attachment is None:
            raise gone(None)
        return self._attachment

    def _deadline(self, timeout: float | None) -> float:
        return time.monotonic() + (self.timeout if timeout is None else timeout)

    def _must_be_begun(self, prompt: str, progress: bool) -> None:
        if not prompt.strip():
            raise OpenCodeError("the prompt is empty")
        if self._attachment is None:
            self.start(progress=progress)

    def _submit(self, prompt: str) -> None:
        record, channel = self._attached.record(), self._attached.channel
        if record.stopped:
            raise OpenCodeError(STOPPED, "then send it again")
        channel.prepare(prompt, record.turn)
        turn = Turn(prompt=prompt_key(prompt), at=time.time(), folded=folded_lines(prompt))
        # Before it is sent: who is killed over it leaves what the next caller needs.
        record = self._attached.save(record, session=channel.session, turn=turn)
        turn = channel.submit(prompt, turn)
        self._attached.save(record, session=channel.session, turn=turn)

    def _wait(self, deadline: float, report: Progress) -> Reply:
        record, channel = self._attached.record(), self._attached.channel
        if record.turn is None:
            raise OpenCodeError("there is no turn to wait for", "send() or submit() a prompt first")
        wait = Wait(channel, record.turn)
        try:
            while True:
                channel.deadline = max(deadline, time.monotonic()) + 1.0
                if reply := wait.look():
                    return reply
                if not record.alive:
                    self._attached.record()
                if record.stopped:
                    wait.status = Status("busy", message=STOPPED)
                report.say(wait.description)
                if time.monotonic() >= deadline:
                    raise wait.timed_out(self._attached.terminal)
                wait.pause(deadline - time.monotonic())
        finally:
            channel.deadline = math.inf
