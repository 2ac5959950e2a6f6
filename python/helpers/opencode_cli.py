"""OpenCodeSession: a conversation with OpenCode in a shared tmux pane that a person also watches.

A program in the pane runs OpenCode's server, and its TUI in front. Prompts are sent to the server
with ids made here; a prompt and all that comes of it is a turn. What a person asks in the same
conversation are turns of theirs: not waited for, not answered, not ended. Linux only: it needs
/proc.
"""

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Self

from .opencode import launch, record
from .opencode.prompt import Prompt, rules_of
from .opencode.record import Record, same
from .opencode.reply import (  # noqa: F401 (some are for callers)
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
)
from .opencode.server import WIRES, Wire, serving
from .opencode.turn import new_id, work_of
from .opencode.waiting import let_pass, told, wait
from .tmux.base import process
from .tmux.base.client import TmuxError
from .tmux.facts.pane import Pane

BEGUN = 3.0  # seconds from a prompt to its turn, which only then can be ended; 0.2 are usual
STOP_LIMIT = 10.0  # seconds for an interrupted turn to end; 0.02 are usual
EXIT_LIMIT = 9.0  # seconds for the program in the pane to end everything, before it is killed
SHELL_LIMIT = 1.0  # seconds for the shell to be in front after that
ENDED = "The run was ended: an OpenCodeSession can be answered, and waited for again"
THEIRS = "a prompt of the user's own is at work or waits, and was left alone"
ELSEWHERE = """opencode: the screen goes on showing the conversation before, as the user has typed
there; what follows works all the same. To see it: /exit, then start()"""
There = tuple[Record, Wire]  # the pane's record of its OpenCode, and the wire to its server


class OpenCodeSession:
    """One conversation. Raises OpenCodeError and its subclasses, TmuxError if there is no such
    pane, and ValueError. Waits print lines of progress unless `progress=False`. As a context
    manager it is started, and ended."""

    def __init__(
        self,
        directory: str | os.PathLike[str] | None = None,  # the pane's, else the current one
        model: str | None = None,  # provider/model
        agent: str | None = None,
        pane: str | None = None,  # else where it runs in the session, or what the person looks at
        timeout: float = 120,  # seconds for a turn if a call names none
        command: str | None = None,  # $OPENCODE_BIN, else `opencode` in the pane's PATH
        # {"bash": {"*": "ask", "git *": "allow"}}: of the conversation, after the configuration's.
        permissions: Mapping[str, Any] | None = None,
    ):
        self.directory = os.path.abspath(directory) if directory else None
        Patience(timeout)  # raises if it is not a number of seconds
        self.model = model
        self.agent = agent
        self.timeout = timeout
        self._command = command or ""
        self._rules = rules_of(permissions or {})
        self._target = pane
        self._pane: Pane | None = None  # None before start()
        self._session: str | None = None  # as last read from the pane
        self._turn = ""  # id of the last prompt that this object has sent

    def __repr__(self) -> str:
        """Where it is, and which conversation."""
        return f"OpenCodeSession({self.directory!r}, session_id={self._session!r})"

    def __enter__(self) -> Self:
        """Starts it, or adopts the one that runs."""
        return self.start()

    def __exit__(self, *_: object) -> None:
        """Ends it, whatever was raised."""
        self.exit()

    # one after the other: begin, ask, answer, end

    @property
    def session_id(self) -> str | None:
        """The id that start(resume=…) takes; None before start()."""
        with suppress(TmuxError):
            self._there()
        return self._session

    def start(self, resume: str | None = None, progress: bool = True) -> Self:
        """Starts OpenCode in the pane, or adopts the one that runs there; continues `resume`, or
        the conversation that has ended there otherwise than by exit(). Returns once a turn can be
        sent."""
        patience = Patience(launch.START_LIMIT, progress)

        self._pane = launch.pane_of(self._target, self.directory, patience)
        begun = launch.started(self._pane, self.directory, resume, self._command, patience)
        now = self.session_id  # which repr() tells from here on
        if not resume or resume == now:
            return self

        with self._held(progress=progress) as (there, wire):
            self._must_be_ours(wire)
            launch.must_be_free(resume, self._pane.id)
            if not wire.go_to(resume):
                if begun:  # nothing that this call started is left
                    self.exit()
                raise OpenCodeStartFailed(
                    f"OpenCode knows no conversation {resume} of {there.directory}",
                    "start() without it begins a new one",
                )

        self._go_on_with(there, wire)
        return self

    def adopt(self) -> Self:
        """Adopts the OpenCode that runs in the pane. Raises OpenCodeGone if there is none."""
        pane = launch.pane_of(self._target, self.directory, AT_ONCE)

        if not same(record.load(pane.id).directory, self.directory):
            raise OpenCodeGone

        self._pane = pane
        self._now()
        return self

    def send(
        self,
        prompt: str,
        timeout: float | None = None,
        progress: bool = True,
        files: Iterable[str | os.PathLike[str]] = (),
    ) -> Reply:
        """One turn; calls start() first if necessary. `files`: paths of what the model is given
        with the prompt, files or directories, as from OpenCode's own directory."""
        with self._prepared(timeout, progress, text=prompt, files=files) as (wire, id, send):
            return wait(wire, id, send=send)

    def command(
        self, name: str, arguments: str = "", timeout: float | None = None, progress: bool = True
    ) -> Reply:
        """One turn that is a command, as the person types it behind a slash: OpenCode's own
        ("init", "review", "compact") or one of the project's."""
        with self._prepared(timeout, progress, command=name, text=arguments) as (wire, id, send):
            return wait(wire, id, send=send)

    def submit(self, prompt: str, files: Iterable[str | os.PathLike[str]] = ()) -> str:
        """Sends the prompt, which OpenCode queues while a turn runs. Returns the turn, an id that
        wait(turn=…) takes, here and in other processes."""
        with self._prepared(queue=True, text=prompt, files=files) as (wire, id, send):
            send()
            self._begin(wire, id)  # else OpenCode may pass it over for the next one
            return id

    def wait(
        self, timeout: float | None = None, progress: bool = True, turn: str | None = None
    ) -> Reply:
        """The Reply to that turn, else to this object's last one, else to the last one of any
        caller's; even if its wait timed out."""
        with self._held(timeout, progress) as (there, wire):
            id = turn or self._turn or there.prompt
            if not id:
                raise OpenCodeError("there is no turn to wait for", "send() or submit() one first")

            return wait(wire, id, stopped=id == there.stopped)

    def turn(self, prompt: str, timeout: float | None = None, progress: bool = True) -> str:
        """The text alone, never empty."""
        return str(self.send(prompt, timeout, progress))

    def messages(self, conversation: str = "") -> list[dict[str, Any]]:
        """All of the conversation, or of that one: role, id, parentID, parts and more, as OpenCode
        has them; of an answer `children` (ids of what subagents held for it) and `todo` too."""
        wire = self._now()[1]
        wire.session = conversation or wire.session

        said = wire.messages(every=True)
        return [{**one, **(work_of(one) if one["role"] == "assistant" else {})} for one in said]

    def reset(self) -> None:
        """Leaves this conversation for a new one, if there is one. Raises OpenCodeError while a
        prompt of the person's own is at work, or waits."""
        if not self._pane:
            try:
                self.adopt()
            except OpenCodeGone:
                return

        with suppress(OpenCodeTurnFailed):  # it cannot be read any more
            self.interrupt()

        with self._held() as (there, wire):
            wire.begin()

        self._go_on_with(there, wire)

    @property
    def status(self) -> Status:
        """What OpenCode does; a request that it shows is one that answer() answers."""
        try:
            status = told(self._now()[1])

            if status.request:
                self._write(raised=status.request["id"])
            return status

        except OpenCodeGone:
            return Status("gone")

        except (OpenCodeError, TmuxError) as problem:
            return Status("busy", message=str(problem))

    def answer(self, *choices: Any, message: str = "") -> None:
        """Answers the request that was last raised, or shown by `status`; raises a newer one. To a
        permission: "once", "always", "reject" (with a `message` to the model the turn goes on). To
        a question: "reject", labels or text; to several questions, an argument or list each."""
        with self._held() as (there, wire):
            status = told(wire)
            asked = status.request
            if not asked:
                raise OpenCodeError(
                    f"nothing waits for an answer: OpenCode is {status.description}"
                )

            if asked["id"] != there.raised:
                raise status.error

            wire.answer(asked, list(choices), message)

    def interrupt(self) -> None:
        """Ends the running turn; wait() then returns what came of it. Raises OpenCodeError if it
        is a person's, or if a prompt of theirs waits behind it: that would be lost."""
        there, wire = self._now()
        if id := there.prompt:  # its turn may be about to begin
            self._begin(wire, id)

        while request := self._must_be_ours(wire).request:
            wire.answer(request, ["reject"])  # it would stay on the screen

        self._write(stopped=id)
        wire.stop(id)

        if not process.until(lambda: wire.status() == "idle", STOP_LIMIT):
            raise OpenCodeError("the turn did not end when interrupted", "exit() ends OpenCode")

    def exit(self) -> str | None:
        """Ends OpenCode and everything that it started, and waits for the shell's prompt, at most
        10 s in all. Returns the id to resume with."""
        pane = self._pane
        if not pane:
            return self._session

        there = self._there()
        with suppress(TmuxError, ProcessLookupError):  # the pane has gone, or the program
            if there.alive:
                os.kill(there.pid, signal.SIGTERM)
                os.kill(there.pid, signal.SIGCONT)  # a stopped process would not get the signal

            if not process.until(lambda: not there.alive, EXIT_LIMIT):
                os.kill(there.pid, signal.SIGKILL)

            process.until(lambda: launch.shell_is_in_front(pane), SHELL_LIMIT)
            record.write(pane.id, Record())

        self._turn = ""
        self._pane = None  # the next turn starts it again
        return self._session

    # what they stand on

    def _there(self) -> Record:
        """What the pane says of it now."""
        there = Record()
        if self._pane:
            there = record.load(self._pane.id)

        self._session = there.session or self._session
        return there

    def _now(self, patience: Patience = AT_ONCE) -> There:
        """The record, and a wire that waits as long. Raises OpenCodeGone."""
        there = self._there()
        with suppress(OSError):  # it has just ended
            if there.alive and there.address:
                return there, WIRES[there.version](
                    there.address,
                    there.password,
                    patience,
                    self._now,
                    there.session,
                    there.directory,
                    self._rules,
                )

        raise OpenCodeGone(self._session)

    @contextmanager
    def _held(self, timeout: float | None = None, progress: bool = True) -> Iterator[There]:
        """Holds the pane, once no other caller does; notes which request is raised meanwhile."""
        if timeout is None:
            timeout = self.timeout
        patience = Patience(timeout, progress)
        pane = self._pane
        if not pane:
            raise OpenCodeGone(self._session)

        try:
            with pane.lock(patience.left, partial(patience.pause, "waits for another caller")):
                yield self._now(patience)

        except OpenCodeAsks as needed:
            self._write(raised=needed.request["id"])
            raise

        except TmuxError as problem:
            self._now()
            raise OpenCodeError(str(problem), problem.hint) from None

    def _must_be_ours(self, wire: Wire) -> Status:
        """The state. Raises OpenCodeError while a prompt of a person's is at work, or waits."""
        status = wire.status()
        # What waits behind a turn that is ended is passed over, or stays where it is.
        if status != "idle" and any(one.theirs for one in wire.conversation().works(status)):
            raise OpenCodeError(THEIRS, "ask the user, or wait until it is over")
        return status

    def _begin(self, wire: Wire, id: str) -> None:
        """Waits until the turn has begun, or even ended."""
        with suppress(OpenCodeTurnFailed):  # the conversation cannot be read
            process.until(
                lambda: wire.status() != "idle" or wire.conversation(id).of(id).answers, BEGUN
            )

    @contextmanager
    def _prepared(
        self,
        timeout: float | None = None,
        progress: bool = True,
        queue: bool = False,
        **asked: Any,  # see Prompt
    ) -> Iterator[tuple[Wire, str, Callable[[], str]]]:
        """Holds the pane, once it may be sent; the wire, the prompt's id, and what sends it. With
        `queue` no turn is waited for."""
        prompt = Prompt(model=self.model, agent=self.agent, **asked)
        if not self._pane:
            self.start(progress=progress)

        with self._held(timeout, progress) as (_, wire):
            wire.show()  # where a person has gone elsewhere
            if not queue:
                let_pass(wire)

            id = new_id(wire.status() == "idle")
            send = wire.ready(id, prompt)
            self._sends(id)  # first: the next caller needs it if this is killed
            yield wire, id, lambda: self._sends(send() or id)

    def _sends(self, id: str) -> str:
        """Notes the turn that is sent."""
        self._turn = id
        self._write(prompt=id)
        return id

    def _go_on_with(self, there: Record, wire: Wire) -> None:
        """Makes the wire's conversation the pane's, and has the screen show it."""
        pane = self._pane
        assert pane
        self._turn = ""  # it is of the other one

        self._write(session=wire.session, prompt="")
        if wire.show():
            return

        if there.stamp != record.stamp(pane.id):
            print(ELSEWHERE)  # a draft of theirs may be there
        else:
            self.exit()
            self._pane = pane
            patience = Patience(launch.START_LIMIT, True)
            launch.started(pane, wire.directory, wire.session, self._command, patience)

    def _write(self, **facts: Any) -> None:
        """Into the pane's record."""
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
    files: Iterable[str | os.PathLike[str]] = (),
    permissions: Mapping[str, Any] | None = None,
) -> Reply:
    """One turn without a terminal. At its end every process that it started has ended.
    `session_id`, of an earlier Reply, continues that conversation; `directory` is the project, by
    default the current one; `timeout` covers everything; the others as in an OpenCodeSession.
    Raises what send() raises."""
    asked = Prompt(text=prompt, model=model, agent=agent, files=files)
    rules = rules_of(permissions or {})
    place = os.path.abspath(directory or ".")
    id = new_id(at_rest=True)

    if session_id:
        with suppress(TmuxError):  # there is no tmux
            launch.must_be_free(session_id)

    try:
        with serving(place, "", Patience(timeout, progress)) as (wire, _):
            wire.rules = rules
            if not session_id:
                wire.begin()
            elif not wire.go_to(session_id):
                raise OpenCodeTurnFailed(f"OpenCode knows no conversation {session_id} of {place}")

            return wait(wire, id, send=wire.ready(id, asked))

    except (OpenCodeAsks, OpenCodeTimedOut) as problem:
        problem.hint = ENDED
        raise
