"""OpenCodeSession: a conversation with OpenCode in a shared tmux pane, which a person watches too.

    session = OpenCodeSession("/path/to/project")
    session.start()
    print(session.send("What does this project do?"))
    session.exit()

A program in the pane runs OpenCode's server, on loopback with a password, and its TUI as what the
person sees. Prompts go in over HTTP, with ids made here, and by those the answers come out. Nothing
is typed into the TUI and nothing is read off it. Linux only: it needs /proc.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from .opencode import launch, record
from .opencode.api import Api, HttpError
from .opencode.launch import GONE, Kind, Pane, TmuxError
from .opencode.record import UP, Record, Turn
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
from .opencode.run import opencode_run
from .opencode.turn import new_id
from .opencode.wait import Wait
from .tmux.evidence.kernel.process import until

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

BEGUN = 3.0  # seconds from a prompt in the conversation to its turn; 0.2 are usual
STOP_LIMIT = 20.0  # seconds for an interrupted turn to end; 0.02 are usual
END_LIMIT = 9.0  # seconds for the program in the pane to end all, before it is killed
EXIT_LIMIT = 10.0  # seconds for all of an exit
DYING_LIMIT = 1.0  # seconds in which an OpenCode that does not answer may turn out to have ended

T = TypeVar("T")


class _Here(NamedTuple):
    """The pane's OpenCode as it is now."""

    record: Record
    turn: Turn
    api: Api


class OpenCodeSession:
    """One conversation. `directory`: the project; None: that of the OpenCode that the pane runs,
    else the current one. `model`: written "provider/model". `pane`: any tmux target; None: where
    the session `shared`, or that of the settings, runs OpenCode for that project, else what the
    person looks at there. `timeout`: seconds a turn may take where a call does not say. `command`:
    the program, default $OPENCODE_BIN, else the `opencode` of the pane's PATH, else of the caller's.

    Raises OpenCodeError and its kin (opencode/reply.py), or TmuxError where there is no such pane:
    RuntimeErrors with a `hint`. A wait prints a line of progress for every 8 s unless
    `progress=False`.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str] | None = None,
        model: str | None = None,
        agent: str | None = None,
        pane: str | None = None,
        timeout: float = 120,
        command: str | None = None,
    ):
        if model and not all(model.partition("/")[::2]):
            raise ValueError(f"model is {model!r}; it is written provider/model")
        self.directory = os.path.abspath(directory) if directory else None
        self.model, self.agent, self.timeout = model, agent, seconds_of(timeout)
        self._command, self._target = command or "", pane
        self._pane: Pane | None = None  # None before start()
        self._session: str | None = None  # as the pane said last
        self._seen = ""  # id of the permission or question that `status` has shown

    @property
    def session_id(self) -> str | None:
        """What start(resume=…) takes; None before start(). Another process may have changed it."""
        with contextlib.suppress(OpenCodeError, TmuxError):
            self._now()
        return self._session

    def start(self, resume: str | None = None, progress: bool = True) -> OpenCodeSession:
        """Starts OpenCode in the pane, or adopts the one that runs there; `resume` goes on with
        that conversation, and without it the one goes on that a person has ended there. Returns
        itself once a turn can be sent. Raises OpenCodeStartFailed, OpenCodeNotInstalled."""
        if self.directory and not os.path.isdir(self.directory):
            raise OpenCodeStartFailed(f"there is no directory {self.directory}")
        report = Progress(progress)
        pane = launch.pane_of(self._target, self.directory, report)
        there = launch.started(pane, self.directory, resume, self._command, report)
        api = Api(there.port, there.password)
        if resume and resume != record.load(pane.id)[1].session:
            if not api.holds(resume, there.directory):
                self._end(there)
                reason = f"OpenCode knows no conversation {resume} of {there.directory}"
                raise OpenCodeStartFailed(reason, "start() without resume begins a new one")
            record.write(pane.id, turn=Turn(session=resume))
            api.show(resume)
        self._must_be_configured(api)
        self._pane = pane
        self._now()
        return self

    def adopt(self) -> OpenCodeSession:
        """Goes on with the OpenCode that the pane runs; starts none. Raises OpenCodeGone."""
        self._pane = launch.pane_of(self._target, self.directory, Progress(False))
        self._now()
        return self

    def send(self, prompt: str, timeout: float | None = None, progress: bool = True) -> Reply:
        """One turn, from the prompt to its Reply; start() comes first where that is missing. Raises
        what wait() raises; wait() then takes the turn up again."""
        must_be_text(prompt)
        report = Progress(progress)
        if self._pane is None:
            self.start(progress=progress)
        deadline = self._deadline(timeout)
        with self._held(deadline, report):
            self._submit(prompt)
            return self._reply(deadline, report)

    def submit(self, prompt: str) -> None:
        """Delivers the prompt and returns; wait() gets the Reply, from another process too. Queued
        if a turn runs."""
        must_be_text(prompt)
        if self._pane is None:
            self.start(progress=False)
        with self._held(self._deadline(None), Progress(False)):
            self._submit(prompt)

    def wait(self, timeout: float | None = None, progress: bool = True) -> Reply:
        """The Reply of the turn that was sent last, again where it was told before. Raises
        OpenCodePermissionNeeded, OpenCodeQuestionAsked, OpenCodeTurnFailed, OpenCodeTimedOut (the
        turn goes on), OpenCodeGone."""
        report, deadline = Progress(progress), self._deadline(timeout)
        with self._held(deadline, report):
            return self._reply(deadline, report)

    def turn(self, prompt: str, timeout: float | None = None, progress: bool = True) -> str:
        """send(), and only the text of its answer."""
        return str(self.send(prompt, timeout, progress))

    def reset(self) -> None:
        """Leaves this conversation for a new one."""
        self.interrupt()
        with self._held(self._deadline(None), Progress(False)) as here:
            session = here.api.begin()
            self._write(Turn(session=session))
            here.api.show(session)
            self._session = session

    @property
    def status(self) -> Status:
        """What the conversation does now: see Status."""
        try:
            here = self._now()
            status = here.api.status(here.turn.session)
        except OpenCodeGone:
            return Status("gone")
        except (OpenCodeError, TmuxError) as problem:
            gone = isinstance(problem, HttpError) and self._has_ended()
            return Status("gone") if gone else Status("busy", message=str(problem))
        self._seen = (status.request or {}).get("id", "")
        return status

    def answer(self, *choices: Any, message: str | None = None) -> None:
        """Answers what was raised, or shown by `status`, last. A permission: "once", "always" or
        "reject" (a `message` tells the model why, and the turn goes on). A question: the labels
        chosen, or text of your own; several questions take one argument each, a list where several
        labels are chosen; "reject" dismisses them. Raises what is asked for now where that is
        something else."""
        with self._held(self._deadline(None), Progress(False)) as here:
            status = here.api.status(here.turn.session)
            if status.request is None:
                raise OpenCodeError(f"nothing waits for an answer: OpenCode is {status}")
            permission = status == "needs permission"
            if status.request["id"] not in (here.turn.told, self._seen):
                self._write(replace(here.turn, told=status.request["id"]))
                kind = OpenCodePermissionNeeded if permission else OpenCodeQuestionAsked
                raise kind(status.request)
            if permission and choices not in (("once",), ("always",), ("reject",)):
                reason = f"{choices!r} does not answer a permission"
                raise OpenCodeError(reason, 'it is one of "once", "always", "reject"')
            count = len(status.request.get("questions") or [0])
            here.api.answer(status, labels_of(choices, count), message)

    def interrupt(self) -> None:
        """Ends the running turn, a pending permission or question too; OpenCode then takes the next
        prompt. wait() gives what came, with finish "aborted" or "rejected"."""
        with self._answering():
            api, turn = (here := self._now()).api, here.turn
            if turn.prompt:  # it may be about to begin, or never will
                self._write(replace(turn, stopped=turn.prompt))
                until(lambda: self._has_begun(api, turn), BEGUN)
            api.abort(turn.session)
            if not until(lambda: api.status(turn.session) == "idle", STOP_LIMIT):
                raise OpenCodeError("the turn did not end when interrupted", "exit() ends OpenCode")

    def exit(self) -> str | None:
        """Ends OpenCode and all it started, within 10 s; then the shell's prompt is back and
        nothing is left on the pane. Returns the id to resume with; safe to call twice."""
        with contextlib.suppress(OpenCodeGone, TmuxError):
            deadline = time.monotonic() + EXIT_LIMIT
            self._end(self._now().record)
            assert self._pane
            launch.wait_for_shell(self._pane, deadline)
        return self._session

    # the parts

    def _now(self) -> _Here:
        """The pane's OpenCode. Raises OpenCodeGone, of which nothing is left then."""
        if self._pane is None:
            raise OpenCodeGone
        try:
            there, turn = record.load(self._pane.id)
            if there and there.alive and there.state == UP:
                self._session = turn.session
                return _Here(there, turn, Api(there.port, there.password))
            self._session = turn.session or self._session
            if there is None or not there.alive:
                record.clear(self._pane.id)
        except TmuxError as problem:
            if problem.kind not in GONE:
                raise
        raise OpenCodeGone(self._session)

    def _has_ended(self) -> bool:
        """Whether it ends or has ended: then its server has stopped answering just before."""

        def ended() -> bool:
            try:
                self._now()
                return False
            except OpenCodeGone:
                return True

        return until(ended, DYING_LIMIT)

    def _must_live(self) -> None:
        if self._has_ended():
            raise OpenCodeGone(self._session)

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """A request that is not answered, because OpenCode has ended, is OpenCodeGone."""
        try:
            yield
        except (HttpError, TmuxError):
            self._must_live()
            raise

    @contextlib.contextmanager
    def _held(self, deadline: float, report: Progress) -> Iterator[_Here]:
        """Holds the pane; another caller's turn is waited for, until `deadline`."""

        def nap(seconds: float) -> None:
            report.say("waits for another caller of this pane")
            time.sleep(seconds)

        self._now()
        assert self._pane
        try:
            with self._answering(), self._pane.lock(deadline - time.monotonic(), nap):
                yield self._now()
        except TmuxError as problem:
            if problem.kind != Kind.BUSY:
                raise
            reason = f"another caller uses pane {self._pane.name}"
            raise OpenCodeError(reason, "try again when it is done") from None

    def _submit(self, prompt: str) -> None:
        here, id = self._now(), new_id(time.time())
        with contextlib.suppress(HttpError):  # it is only for the person's eye
            here.api.show(here.turn.session)
        # Before it is sent: who is killed over it leaves what the next caller needs.
        self._write(Turn(session=here.turn.session, prompt=id))
        try:
            here.api.prompt(here.turn.session, id, prompt, self.model, self.agent)
        except HttpError as problem:
            if problem.status:
                reason = f"OpenCode did not take the prompt: {problem.reason}"
                raise OpenCodeTurnFailed(reason, "its screen may say why") from None
            self._must_live()  # else it may have come: wait() tells

    def _reply(self, deadline: float, report: Progress) -> Reply:
        here = self._now()
        turn = here.turn
        if not turn.prompt:
            raise OpenCodeError("there is no turn to wait for", "send() or submit() a prompt first")
        wait = Wait(
            here.api, turn.session, turn.prompt, self._must_live, turn.stopped == turn.prompt
        )
        try:
            return wait.reply(deadline, report)
        except (OpenCodePermissionNeeded, OpenCodeQuestionAsked) as needed:
            self._write(replace(turn, told=vars(needed)["request"]["id"]))
            raise

    def _write(self, turn: Turn) -> None:
        assert self._pane
        record.write(self._pane.id, turn=turn)

    @staticmethod
    def _has_begun(api: Api, turn: Turn) -> bool:
        running = api.status(turn.session) != "idle"
        return running or len(api.since(turn.session, turn.prompt)) != 1

    @staticmethod
    def _end(there: Record) -> None:
        """Tells the program in the pane to end all, and at last the kernel to end it."""
        for each in (signal.SIGTERM, signal.SIGCONT):  # a stopped one would not hear of it
            os.kill(there.pid, each)
        if not until(lambda: not there.alive, END_LIMIT):
            os.kill(there.pid, signal.SIGKILL)

    def _must_be_configured(self, api: Api) -> None:
        """Raises where model or agent is not: OpenCode says so on its screen only."""
        checks = (("model", self.model, api.models), ("agent", self.agent, api.agents))
        for kind, wanted, known in checks:
            if wanted and wanted not in (names := known()):
                reason = f"OpenCode has no {kind} {wanted}"
                raise OpenCodeStartFailed(reason, f"There are: {', '.join(names[:20])}")

    def _deadline(self, timeout: float | None) -> float:
        return time.monotonic() + (self.timeout if timeout is None else seconds_of(timeout))
