"""Frames for all pages that look at a session, from one thread and one client of tmux.

A page asks and the feed answers when there is something new: a slow page is never flooded, one that
leaves needs no cleaning up. Nobody looks, no client.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from typing import Any

from ...tmux.terminal.client import Kind, TmuxError
from ..drawn.frame import Frame, screen, sentence
from ..drawn.keys import Refused, commands
from ..drawn.panes import FORMAT, Pane, chosen, parsed
from .control import Control, Plain, connected

Answer = dict[str, Any]  # as JSON knows it

_LONGEST = 20.0  # seconds that a question waits for something new
_LINGER = 10.0  # seconds without a question after which the client leaves
_QUICK, _CALM = 0.03, 0.1  # seconds between two looks while something happens, and at rest
_LIVELY = 2.0  # seconds after a change in which more is expected
_ECHO = 0.008  # seconds that a shell takes to echo a key
_AGAIN = 0.25  # seconds until a missing session is looked for again
_KEPT = 24  # frames, to send only what differs: some for each page


class Question:
    """A page's: the pane that it looks at, its first row if not the screen's, the frame it has."""

    def __init__(self, wanted: str, top: int | None, have: int, page: int):
        self.wanted, self.top, self.have, self.page = wanted, top, have, page
        self.until = time.monotonic() + _LONGEST
        self.answer = _future()


class Typing:
    """What is to be typed into a pane."""

    def __init__(self, pane: str, items: Any):
        self.pane, self.items = pane, items
        self.answer = _future()


class Feed:
    """Of one session."""

    def __init__(self, session: str):
        self._session = session
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._questions: list[Question] = []
        self._typings: list[Typing] = []
        self._asked = self._changed = 0.0
        self._running = False
        self._tmux: Control | Plain | None = None
        self._frames: dict[int, Frame] = {}
        self._numbers = count(time.time_ns() // 1_000_000)  # no page has one of an earlier feed

    def look(self, question: Question) -> Future[Answer]:
        """The next frame that it does not have; {} after 20 seconds, or when its page asks anew."""
        self._add(self._questions, question)
        return question.answer

    def type(self, pane: str, items: Any) -> Future[Answer]:
        """{} when they are typed, else {"refused": why}; `items` as drawn/keys.py has them."""
        typing = Typing(pane, items)
        self._add(self._typings, typing)
        return typing.answer

    def _add(self, queue: list, one: Any) -> None:
        with self._lock:
            queue.append(one)
            self._asked = time.monotonic()
            start, self._running = not self._running, True
        if start:
            threading.Thread(target=self._run, name="tmux view", daemon=True).start()
        self._wake.set()

    # the thread

    def _run(self) -> None:
        while self._wanted():
            self._wake.clear()
            try:
                pause = _ECHO if self._typed() else self._looked()
            except TmuxError as problem:
                self._leave()
                self._tell_all(_why(problem, self._session))
                pause = _AGAIN
            self._wake.wait(pause)
        self._leave()

    def _wanted(self) -> bool:
        with self._lock:
            now = time.monotonic()
            if self._questions or self._typings:
                self._asked = now
            self._running = now - self._asked < _LINGER
            return self._running

    def _leave(self) -> None:
        if self._tmux:
            self._tmux.close()
            self._tmux = None

    def _looked(self) -> float:
        """Answers whoever can be; seconds until the next look."""
        self._tmux = self._tmux or connected(self._session)
        run = self._tmux.run
        panes = parsed(run(["list-panes", "-a", "-F", FORMAT]))
        seen: dict[tuple[Pane, int], Frame] = {}

        def frame(question: Question) -> Frame:
            pane = chosen(panes, question.wanted, self._session)
            if not pane:
                raise TmuxError("no such session", kind=Kind.NO_TARGET)
            above = 0 if question.top is None else max(pane.history - question.top, 0)
            above = min(above, pane.history)
            if (pane, above) not in seen:
                part = ["-S", str(-above), "-E", str(pane.height - 1 - above)]
                rows = run(["capture-pane", "-p", "-e", "-N", *part, "-t", pane.id])
                seen[pane, above] = screen(pane, panes, rows, above)
            return seen[pane, above]

        self._tell(frame)
        lively = time.monotonic() - self._changed < _LIVELY
        return max(_QUICK if lively else _CALM, self._tmux.pause)

    def _tell_all(self, why: str) -> None:
        self._tell(lambda question: sentence(why))

    def _tell(self, frame_for: Callable[[Question], Frame]) -> None:
        with self._lock:
            asked = list(self._questions)
        newest = {question.page: question for question in asked}
        for question in asked:
            frame = frame_for(question)
            number = self._number(frame)
            if question is not newest[question.page]:
                answer = {}
            elif number != question.have:
                self._changed = time.monotonic()
                answer = {"n": number} | frame.since(self._frames.get(question.have))
            elif time.monotonic() > question.until:
                answer = {}
            else:
                continue
            with self._lock:
                self._questions.remove(question)
            question.answer.set_result(answer)

    def _number(self, frame: Frame) -> int:
        for number, kept in reversed(self._frames.items()):
            if kept == frame:
                return number
        number = next(self._numbers)
        self._frames[number] = frame
        while len(self._frames) > _KEPT:
            del self._frames[next(iter(self._frames))]
        return number

    def _typed(self) -> bool:
        """Types what is due; was anything?"""
        with self._lock:
            due, self._typings = self._typings, []
        for one in due:
            one.answer.set_result(self._type(one))
        return bool(due)

    def _type(self, typing: Typing) -> Answer:
        try:
            self._tmux = self._tmux or connected(self._session)
            for command, pasted in commands(typing.pane, typing.items, time.time_ns()):
                self._tmux.run(command, pasted)
        except Refused as problem:
            return {"refused": str(problem)}
        except TmuxError as problem:
            self._leave()
            closed = problem.kind is Kind.NO_TARGET
            return {"refused": "the pane was closed" if closed else _why(problem, self._session)}
        return {}


def _future() -> Future[Answer]:
    """One that whoever waits for it cannot cancel."""
    future: Future[Answer] = Future()
    future.set_running_or_notify_cancel()
    return future


def _why(problem: TmuxError, session: str) -> str:
    if problem.kind is Kind.NOT_INSTALLED:
        return "tmux is not installed here"
    if problem.kind is Kind.NO_ANSWER:
        return "tmux does not answer; it is stopped or overloaded"
    return f"there is no session {session}; it is shown as soon as there is one"


