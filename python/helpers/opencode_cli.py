"""OpenCodeSession: a conversation with OpenCode in a shared tmux pane, which a person watches too.

A program in the pane runs OpenCode's server, and its TUI in front. Prompts go in over HTTP, with
ids made here, and by those the answers come out. Linux only: it needs /proc.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Self

from .opencode import launch, record
from .opencode.api import Api
from .opencode.record import Record, same
from .opencode.reply import (  # noqa: F401 (the errors are for callers)
    AT_ONCE,
    OpenCodeAsks,
    OpenCodeError,
    OpenCodeGone,
    OpenCodeNotInstalled,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Patience,
    Reply,
    Status,
    must_be_text,
)
from .opencode.server import serving
from .opencode.turn import new_id, wait
from .tmux.evidence.kernel import process
from .tmux.terminal.client import TmuxError
from .tmux.terminal.pane import Pane

BEGUN = 3.0  # seconds from a prompt to its turn, before which nothing can be ended; 0.2 are usual
STOP_LIMIT = 10.0  # seconds for an interrupted turn to end; 0.02 are usual
EXIT_LIMIT = 9.0  # seconds for the program in the pane to end all, before it is killed
SHELL_LIMIT = 1.0  # seconds for the shell to be in front then
NOBODY = "Nobody can be asked in a run: use OpenCodeSession, or allow it in OpenCode's settings"
LATE = "The run was ended: give it more time"
There = tuple[Record, Api]  # what the pane says of its OpenCode, and that one's server


class OpenCodeSession:
    """One conversation. Raises OpenCodeError and its kin, TmuxError where there is no such pane,
    and ValueError. Waits print lines of progress unless `progress=False`."""

    def __init__(
        self,
        directory: str | os.PathLike[str] | None = None,  # the pane's, else the current one
        model: str | None = None,  # provider/model
        agent: str | None = None,
        pane: str | None = None,  # where it runs in the session, else what the person looks at
        timeout: float = 120,  # seconds a turn may take where a call does not say
        command: str | None = None,  # $OPENCODE_BIN, else `opencode` in the pane's PATH, or ours
    ):
        self.directory = os.path.abspath(directory) if directory else None
        self.model, self.agent, self.timeout = model, agent, timeout
        Patience(timeout)  # of a kind that can be used
        self._command, self._target = command or "", pane
        self._pane: Pane | None = None  # None before start()
        self._session: str | None = None  # as last read from the pane
        self._seen = ""  # id of the permission or question that `status` has shown

    @property
    def session_id(self) -> str | None:
        """What start(resume=…) takes; None before start()."""
        with suppress(TmuxError):
            self._there()
        return self._session

    def start(self, resume: str | None = None, progress: bool = True) -> Self:
        """Starts OpenCode in the pane, or adopts the one that runs there; goes on with `resume`, or
        with what a person has ended there. Returns itself once a turn can be sent."""
        if self.directory and not os.path.isdir(self.directory):
            raise OpenCodeStartFailed(f"there is no directory {self.directory}")
        patience = Patience(launch.START_LIMIT, progress)
        self._pane = launch.pane_of(self._target, self.directory, patience)
        begun = launch.started(self._pane, self.directory, resume, self._command, patience)
        try:
            self._now(patience)[1].must_know(self.model, self.agent)
            if resume and resume != self.session_id:
                with self._held(progress=progress) as (there, api):
                    if not api.go_to(resume, there.directory):
                        reason = f"OpenCode knows no conversation {resume} of {there.directory}"
                        raise OpenCodeStartFailed(reason, "start() without it begins a new one")
                    self._show(api)
        except OpenCodeStartFailed:
            if begun:  # for nothing
                self.exit()
            raise
        return self

    def adopt(self) -> Self:
        """Goes on with the OpenCode that the pane runs; starts none. Raises OpenCodeGone."""
        pane = launch.pane_of(self._target, self.directory, AT_ONCE)
        if not same(record.load(pane.id).directory, self.directory):
            raise OpenCodeGone
        self._pane = pane
        self._now()
        return self

    def send(self, prompt: str, timeout: float | None = None, progress: bool = True) -> Reply:
        """One turn, after a start() if that is missing."""
        self._must_be_begun(prompt, progress)
        with self._held(timeout, progress) as (_, api):
            return wait(api, self._submit(api, prompt))

    def submit(self, prompt: str) -> None:
        """Delivers the prompt, behind a turn that runs; wait() gets the Reply."""
        self._must_be_begun(prompt)
        with self._held() as (_, api):
            self._submit(api, prompt)

    def wait(self, timeout: float | None = None, progress: bool = True) -> Reply:
        """The Reply of the turn that was sent last, by whatever process, also one that was late."""
        with self._held(timeout, progress) as (there, api):
            if not there.prompt:
                raise OpenCodeError("there is no turn to wait for", "send() or submit() one first")
            return wait(api, there.prompt, there.prompt == there.stopped)

    def turn(self, prompt: str, timeout: float | None = None, progress: bool = True) -> str:
        return str(self.send(prompt, timeout, progress))

    def reset(self) -> None:
        """Leaves this conversation for a new one."""
        self.interrupt()
        with self._held() as (_, api):
            api.begin()
            self._show(api)

    @property
    def status(self) -> Status:
        try:
            status = self._now()[1].status()
        except OpenCodeGone:
            status = Status("gone")
        except (OpenCodeError, TmuxError) as problem:
            status = Status("busy", message=str(problem))
        self._seen = status.request["id"] if status.request else ""
        return status

    def answer(self, *choices: Any, message: str | None = None) -> None:
        """Answers what was raised, or shown by `status`, last; raises what is asked by now. To a
        permission: "once", "always", "reject" (a `message` tells the model why: the turn goes on).
        To a question: "reject", the labels chosen or text; to several one argument or list each."""
        with self._held() as (there, api):
            status = api.status()
            if not (asked := status.request):
                raise OpenCodeError(f"nothing waits for an answer: OpenCode is {status}")
            if asked["id"] not in (there.told, self._seen):
                raise status.error
            api.answer(asked, choices, message or "")

    def interrupt(self) -> None:
        """Ends the running turn; wait() gives what came."""
        there, api = self._now()
        self._write(stopped=there.prompt)
        process.until(lambda: api.status() != "idle" or len(api.since(there.prompt)) != 1, BEGUN)
        api.abort()
        if not process.until(lambda: api.status() == "idle", STOP_LIMIT):
            raise OpenCodeError("the turn did not end when interrupted", "exit() ends OpenCode")

    def exit(self) -> str | None:
        """Ends OpenCode and all it started, within 10 s; the shell's prompt is back then. Returns
        the id to resume with."""
        if not (pane := self._pane):
            return None
        there = self._there()
        with suppress(TmuxError, ProcessLookupError):  # the pane has gone, or the program
            if there.alive:
                os.kill(there.pid, signal.SIGTERM)
                os.kill(there.pid, signal.SIGCONT)  # a stopped one would not hear of it
            # The record of one that was killed is taken back by what clears up after it.
            process.until(lambda: not there.alive and not record.load(pane.id).pid, EXIT_LIMIT)
            if there.alive:
                os.kill(there.pid, signal.SIGKILL)
            process.until(lambda: launch.shell_is_in_front(pane), SHELL_LIMIT)
            record.write(pane.id, Record())
        return self._session

    def _there(self) -> Record:
        there = record.load(self._pane.id) if self._pane else Record()
        self._session = there.session or self._session
        return there

    def _now(self, patience: Patience = AT_ONCE) -> There:
        """Raises OpenCodeGone."""
        there = self._there()
        if not (there.alive and there.port):
            raise OpenCodeGone(self._session)
        api = Api(there.port, there.password, patience, self._now, there.session)
        return there, api

    @contextmanager
    def _held(self, timeout: float | None = None, progress: bool = True) -> Iterator[There]:
        """Holds the pane, after another caller's turn. What is asked meanwhile, a caller hears."""
        patience = Patience(self.timeout if timeout is None else timeout, progress)
        if not (pane := self._pane):
            raise OpenCodeGone
        try:
            with pane.lock(patience.left, partial(patience.pause, "waits for another caller")):
                yield self._now(patience)
        except OpenCodeAsks as needed:
            self._write(told=needed.request["id"])
            raise
        except TmuxError as problem:
            self._now()
            raise OpenCodeError(str(problem), problem.hint) from None

    def _must_be_begun(self, prompt: str, progress: bool = True) -> None:
        must_be_text(prompt)
        if self._pane is None:
            self.start(progress=progress)

    def _submit(self, api: Api, text: str) -> str:
        """The prompt's id."""
        settings = api.settings(self.model, self.agent)
        api.show()
        prompt = new_id()
        self._write(prompt=prompt)  # before it is sent: the next caller needs it if this is killed
        api.prompt(prompt, text, settings)
        return prompt

    def _show(self, api: Api) -> None:
        self._write(session=api.session, prompt="")
        api.show()

    def _write(self, **facts: Any) -> None:
        assert self._pane
        record.change(self._pane.id, **facts)


def opencode_run(
    prompt: str,
    session_id: str | None = None,
    directory: str | None = None,
    model: str | None = None,
    agent: str | None = None,
    timeout: float = 300,
    progress: bool = True,
) -> Reply:
    """One turn without a terminal; every process that it started has ended then. `session_id` of
    an earlier Reply gives it that memory; `directory` is the project, default the current one;
    `timeout` is for all of it. Raises what send() does: nobody can be asked here."""
    must_be_text(prompt)
    patience, place = Patience(timeout, progress), os.path.abspath(directory or ".")
    try:
        with serving(place, "", patience) as (api, *_):
            if not session_id:
                api.begin()
            elif not api.go_to(session_id, place):
                raise OpenCodeTurnFailed(f"OpenCode knows no conversation {session_id} of {place}")
            id = new_id()
            api.prompt(id, prompt, api.settings(model, agent))
            reply = wait(api, id)
    except (OpenCodeAsks, OpenCodeTimedOut) as problem:
        problem.hint = LATE if isinstance(problem, OpenCodeTimedOut) else NOBODY
        raise
    if not reply.text:
        raise OpenCodeTurnFailed(f"OpenCode gave an empty answer (finish: {reply.finish})")
    return reply
