"""OpenCodeSession: a conversation with OpenCode in a shared tmux pane, where a person watches it and may join in.

    session = OpenCodeSession("/path/to/project")
    session.start()
    print(session.send("What does this project do?"))
    session.exit()

The TUI runs in the pane; the same process answers on loopback, where prompts go in and answers come out exactly. Where
that cannot be had, the screen is read instead, and `Reply.channel` says which it was.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

from . import opencode_launch as launcher
from .opencode_api import HttpError
from .opencode_http import HttpChannel
from .opencode_reply import (
    OpenCodeError,
    OpenCodeGone,
    OpenCodeNeeds,
    OpenCodeNotInstalled,
    OpenCodePermissionNeeded,
    OpenCodeQuestionAsked,
    OpenCodeStartFailed,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    Reply,
    Status,
)
from .opencode_run import flags_of, opencode_run
from .opencode_typed import ScreenChannel
from .tmux.client import TmuxError
from .tmux.pane import Pane

__all__ = [
    "OpenCodeError",
    "OpenCodeGone",
    "OpenCodeNeeds",
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

ANSWERS = 10.0  # seconds in which it must answer before a prompt is given to it: its first turns block it for a while
PROGRESS = (
    8.0  # seconds between lines of progress: the code runner that calls us ends on 15 s of silence
)


class OpenCodeSession:
    """One conversation. `directory`: the project, default the current one. `model`: "provider/model". `pane`: any tmux
    target. `timeout`: seconds a turn may take where a call does not say. `channel`: "auto", "http" (or fail), "screen".
    `command`: the binary, default $OPENCODE_BIN, else what the pane's shell finds.

    Raises OpenCodeError and its kin (see opencode_reply), or TmuxError where the pane itself cannot be had: RuntimeErrors
    with a `hint`. `progress=True` prints a line at least every 10 s of waiting.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str] | None = None,
        model: str | None = None,
        agent: str | None = None,
        pane: str = "shared",
        timeout: float = 120,
        channel: str = "auto",
        command: str | None = None,
    ):
        if channel not in ("auto", "http", "screen"):
            raise ValueError(f"channel is {channel!r}; it is one of auto, http, screen")
        if model and not all(model.partition("/")[::2]):
            raise ValueError(f"model is {model!r}; it is written provider/model")
        self.directory = os.path.abspath(directory) if directory else None
        self.model, self.agent, self.timeout, self.channel, self.command = (
            model,
            agent,
            timeout,
            channel,
            command,
        )
        self._target = pane
        self._pane: Pane | None = None
        self._record: launcher.Record = {}
        self._channel: HttpChannel | ScreenChannel | None = None
        self._session_id: str | None = None

    @property
    def session_id(self) -> str | None:
        """What start(resume=…) takes; None before the first turn, and on the screen until exit()."""
        return self._session_id

    def start(self, resume: str | None = None, progress: bool = False) -> OpenCodeSession:
        """Starts OpenCode in the pane, or adopts the one that runs there; `resume` goes on with that conversation.
        Returns itself once the TUI takes input. Raises OpenCodeStartFailed, OpenCodeNotInstalled."""
        pane = self._pane = Pane.open(self._target)
        with self._turn_of_ours(time.monotonic() + launcher.START_LIMIT, progress):
            record = launcher.read(pane) or launcher.found(pane)
            api = launcher.api_of(record) if record and self.channel != "screen" else None
            if record:
                launcher.fits(pane, record, self.directory, self.channel, resume, bool(api))
            else:
                place = self.directory or os.getcwd()
                if not os.path.isdir(place):
                    raise OpenCodeStartFailed(f"there is no directory {place}")
                words = [
                    self.command or os.environ.get("OPENCODE_BIN") or "opencode",
                    place,
                    *flags_of(resume, self.model, self.agent),
                ]
                record, api = launcher.launch(pane, words, self.channel, self._saying(progress))
            self._record = record
            self._session_id = resume or record.get("session")
            self._channel = (
                HttpChannel(api, self._session_id, self.model, self.agent)
                if api
                else ScreenChannel(pane, self._session_id, record["group"])
            )
            try:
                self._channel.check()
                if resume and resume != record.get("session", resume):
                    self._channel.show(resume)
            except OpenCodeError as problem:
                if "session" not in record:  # ours, and just started
                    self.exit()
                raise OpenCodeStartFailed(str(problem)) from None
            self._remember(session=self._session_id)
        return self

    def send(self, prompt: str, timeout: float | None = None, progress: bool = False) -> Reply:
        """One turn, from the prompt to its Reply. Raises what wait() raises; wait() then takes the turn up again."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        self._begun(prompt)
        with self._turn_of_ours(deadline, progress):
            self._submit(prompt)
            return self._wait(deadline, progress)

    def submit(self, prompt: str) -> None:
        """Delivers the prompt and returns; wait() gets the Reply, from another process too. Queued if a turn runs."""
        self._begun(prompt)
        with self._turn_of_ours(time.monotonic() + self.timeout, False):
            self._submit(prompt)

    def wait(self, timeout: float | None = None, progress: bool = False) -> Reply:
        """The Reply of the turn that was submitted last. Raises OpenCodePermissionNeeded, OpenCodeQuestionAsked,
        OpenCodeTurnFailed, OpenCodeTimedOut (the turn goes on), OpenCodeGone."""
        self._live()
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        with self._turn_of_ours(deadline, progress):
            return self._wait(deadline, progress)

    def turn(self, prompt: str, timeout: float | None = None, progress: bool = False) -> str:
        """send(), and only the text of its answer."""
        return str(self.send(prompt, timeout, progress))

    def reset(self) -> None:
        """Leaves this conversation: the next prompt begins a new one."""
        channel = self._live()
        if channel.status() != "idle":
            channel.interrupt()
        channel.show(None)
        self._session_id = None
        self._remember(session=None, turn=None)

    @property
    def status(self) -> Status:
        """What the conversation does now: see Status."""
        try:
            return self._live().status()
        except OpenCodeGone:
            return Status("gone")
        except HttpError as problem:
            return Status("busy" if launcher.alive(self._record) else "gone", message=str(problem))
        except TmuxError:
            return Status("gone")

    def answer(self, *choices: Any, message: str | None = None) -> None:
        """Answers what is pending. A permission: "once", "always" or "reject" (a `message` tells the model why, and the
        turn goes on). A question: the labels chosen, or text of your own; several questions take one argument each, a
        list where several labels are chosen; "reject" dismisses them."""
        channel = self._live()
        now = channel.status()
        if not now.request:
            raise OpenCodeError(f"nothing waits for an answer: OpenCode is {now}")
        if now == "needs permission" and choices not in (("once",), ("always",), ("reject",)):
            raise OpenCodeError(
                f"{choices!r} does not answer a permission",
                'it is one of "once", "always", "reject"',
            )
        wanted = len(now.request.get("questions") or [0])
        if (
            len(choices) == 1
            and not isinstance(choices[0], str)
            and (wanted > 1 or not isinstance(choices[0][0], str))
        ):
            choices = tuple(choices[0])
        given = [[c] if isinstance(c, str) else list(c) for c in choices]
        if wanted == 1 and len(given) > 1:
            given = [[label for labels in given for label in labels]]
        if len(given) != wanted and given[:1] != [["reject"]] or not all(given):
            raise OpenCodeError(f"there are {wanted} questions and {len(given)} answers")
        channel.answer(now, given, message)

    def interrupt(self) -> None:
        """Ends the running turn, a pending permission or question too; OpenCode then takes the next prompt. wait() gives
        what came, with finish "aborted" or "rejected"."""
        self._live().interrupt()

    def exit(self) -> str | None:
        """Ends OpenCode, restores the shell's prompt, leaves no file. Returns the id to resume with; safe to call twice."""
        record, channel, self._channel = self._record, self._channel, None
        if channel and record.get("group"):
            launcher.end(self._pane, record, channel.quit)
            if isinstance(channel, ScreenChannel):
                with contextlib.suppress(TmuxError):
                    self._session_id = channel.left() or self._session_id
        return self._session_id

    # the parts

    def _begun(self, prompt: str) -> None:
        if not prompt.strip():
            raise OpenCodeError("the prompt is empty")
        if self._channel is None and not self._record:
            self.start()

    def _live(self) -> HttpChannel | ScreenChannel:
        if self._channel is None or not launcher.alive(self._record):
            if self._channel is not None:
                launcher.clear(self._pane, self._record)
            again = f"resume={self._session_id!r}" if self._session_id else ""
            raise OpenCodeGone(
                "OpenCode is not running", f"start({again}) goes on", session_id=self._session_id
            )
        return self._channel

    @contextlib.contextmanager
    def _turn_of_ours(self, deadline: float, progress: bool) -> Iterator[None]:
        """Holds the pane. Another caller's turn is waited for, with progress."""
        assert self._pane
        say, stack = self._saying(progress), contextlib.ExitStack()
        while True:
            try:
                stack.enter_context(
                    self._pane.lock(min(1.0, max(0.0, deadline - time.monotonic())))
                )
                break
            except TmuxError as problem:
                if problem.kind != "busy":
                    raise
                if time.monotonic() >= deadline:
                    raise OpenCodeTimedOut(
                        f"another caller uses pane {self._target}", "try again when it is done"
                    ) from None
                say("waits for another caller of this pane")
        with stack:
            yield

    def _saying(self, progress: bool) -> Any:
        """A function that prints its argument when the last line of progress is long enough ago."""
        began = last = time.monotonic()

        def say(what: Any) -> None:
            nonlocal last
            if progress and time.monotonic() - last >= PROGRESS:
                last = time.monotonic()
                what = what() if callable(what) else what
                print(
                    f"opencode: {what.said if isinstance(what, Status) else what}, {last - began:.0f} s",
                    flush=True,
                )

        return say

    def _remember(self, **facts: Any) -> None:
        assert self._pane
        self._record.update(facts)
        launcher.write(self._pane, self._record)

    def _submit(self, prompt: str) -> None:
        channel = self._live()
        with self._reaching():
            if isinstance(channel, HttpChannel):
                self._own_api()
            turn = channel.submit(prompt)
        self._session_id = channel.session
        self._remember(session=channel.session, turn=turn)

    def _own_api(self) -> None:
        """Raises HttpError unless what listens is still our OpenCode; one that is busy starting may take a while to say."""
        deadline = time.monotonic() + ANSWERS
        while launcher.api_of(self._record) is None:
            self._live()
            if time.monotonic() > deadline:
                raise HttpError("OpenCode's API does not answer, or is not its own any more")
            time.sleep(0.1)

    @contextlib.contextmanager
    def _reaching(self) -> Iterator[None]:
        """Tells an OpenCode that ended from one that does not answer."""
        try:
            yield
        except (HttpError, TmuxError) as problem:
            if getattr(problem, "kind", "") in ("no target", "no server"):
                raise OpenCodeGone(
                    f"OpenCode's pane is gone: {problem}", session_id=self._session_id
                ) from None
            if not getattr(problem, "status", 0):
                self._live()
            raise

    def _wait(self, deadline: float, progress: bool) -> Reply:
        try:
            return self._waited(deadline, progress)
        finally:
            if self._channel:
                self._channel.hurry(None)

    def _waited(self, deadline: float, progress: bool) -> Reply:
        channel, turn, say = self._live(), self._record.get("turn"), self._saying(progress)
        now, text = Status("busy"), ""
        while True:
            self._live()
            channel.hurry(max(deadline, time.monotonic()) + 1.0)
            try:
                with self._reaching():
                    now, reply = channel.look(turn)
                if reply:
                    return reply
                if now == "needs permission":
                    raise OpenCodePermissionNeeded(now.request or {})
                if now == "needs answer":
                    raise OpenCodeQuestionAsked(now.request or {})
                say(now if now == "retrying" else lambda: f"busy {channel.tool()}".strip())
            except HttpError as problem:
                if problem.status:
                    raise
                now = Status("busy", message="it does not answer")  # it may be stopped, and go on
                say("does not answer")
            if time.monotonic() >= deadline:
                break
            channel.pause(max(0.0, min(deadline - time.monotonic(), PROGRESS)))
        assert self._pane
        with contextlib.suppress(HttpError), self._reaching():
            text = channel.so_far(turn)
        text = text or ScreenChannel(self._pane, None, self._record["group"]).so_far(turn)
        raise OpenCodeTimedOut(
            f"the turn is not over ({now.said}); so far: {text[-500:] or 'nothing'}",
            "It goes on: wait() again, or interrupt()",
            text=text,
            status=now,
            session_id=self._session_id,
        )
