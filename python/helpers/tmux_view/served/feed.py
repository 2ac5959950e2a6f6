"""What pages see of a session and type into it, through one client of tmux for all of them.

A page asks and gets an answer when there is something new: a slow page is never flooded, one that
leaves needs no cleaning up. Nobody looks, no client.
"""

from __future__ import annotations

import threading
import time
from itertools import count
from typing import Any

from ...tmux.terminal.client import Kind, TmuxError, version_of
from ..drawn.frame import Frame, screen, sentence
from ..drawn.keys import Refused, commands
from ..drawn.panes import FORMAT, chosen, parsed
from ..drawn.styles import JOINS
from .control import Plain, connected

Answer = dict[str, Any]  # as JSON knows it

_LONGEST = 8.0  # seconds that a question waits for something new
_LINGER = 10.0  # seconds after the last question in which the client leaves
_QUICK, _CALM = 0.02, 0.08  # seconds between two looks while something happens, and at rest
_AGAIN = 0.25  # seconds until a session that is missing is looked for again
_LIVELY = 2.0  # seconds after a change in which more is expected
_ECHO = 0.008  # seconds that a shell takes to echo a key
_KEPT = 24  # frames, to send only what differs: some for each page


class Feed:
    """Of one session; for many threads."""

    def __init__(self, session: str):
        self._session = session
        self._lock = threading.Condition()  # of all below; told when somebody has typed
        self._client: Plain | None = None
        self._joins = False  # its tmux does, see drawn/styles.py
        self._asked = self._changed = 0.0  # when
        self._frames: dict[int, Frame] = {}
        self._numbers = count(time.time_ns() // 1_000_000)  # no page has one of an earlier feed
        self._newest: dict[int, object] = {}

    def look(self, wanted: str, top: int | None, have: int, page: int) -> Answer:
        """The next frame that is not `have`; {} after 8 seconds, or when `page` asks anew.

        `wanted`: a pane; `top`: the first row, counted from the oldest, None for the screen's.
        """
        with self._lock:
            mine = self._newest[page] = object()
            self._asked = time.monotonic()
            until = self._asked + _LONGEST
            while self._newest[page] is mine and time.monotonic() < until:
                number = self._number(self._seen(wanted, top))
                if number != have:
                    self._changed = time.monotonic()
                    return {"n": number} | self._frames[number].since(self._frames.get(have))
                if self._lock.wait(self._pause()):
                    self._lock.wait(_ECHO)
        return {}

    def type(self, pane: str, items: Any) -> Answer:
        """{} when they are typed, else {"refused": why}; `items` as drawn/keys.py has them."""
        with self._lock:
            self._asked = time.monotonic()
            try:
                for command, stdin in commands(pane, items, time.time_ns()):
                    self._run(command, stdin)
            except Refused as problem:
                return {"refused": str(problem)}
            except TmuxError as problem:
                return {"refused": self._why(problem)}
            self._lock.notify_all()
        return {}

    def _seen(self, wanted: str, top: int | None) -> Frame:
        try:
            panes = parsed(self._run(["list-panes", "-a", "-F", FORMAT]))
            pane = chosen(panes, wanted, self._session)
            above = 0 if top is None else min(max(pane.history - top, 0), pane.history)
            part = ["-S", str(-above), "-E", str(pane.height - 1 - above)]
            rows = self._run(["capture-pane", "-p", "-e", "-N", *part, "-t", pane.id])
            return screen(pane, panes, rows, above, self._joins)
        except TmuxError as problem:
            self._leave()
            return sentence(self._why(problem))

    def _pause(self) -> float:
        """Seconds until the next look."""
        if not self._client:
            return _AGAIN
        lively = time.monotonic() - self._changed < _LIVELY
        return max(_QUICK if lively else _CALM, self._client.pause)

    def _number(self, frame: Frame) -> int:
        for number, kept in reversed(self._frames.items()):
            if kept == frame:
                return number
        number = next(self._numbers)
        self._frames[number] = frame
        self._frames.pop(number - _KEPT, None)
        return number

    # the client

    def _run(self, command: list[str], stdin: str = "") -> list[str]:
        if not self._client:
            self._client = connected(self._session)
            (version,) = self._client.run(["display-message", "-p", "#{version}"])
            self._joins = version_of(version) >= JOINS
            threading.Thread(target=self._linger, args=(self._client,), daemon=True).start()
        try:
            return self._client.run(command, stdin)
        except TmuxError:
            self._leave()
            raise

    def _linger(self, client: Plain) -> None:
        """Lets `client` go when nobody looks any more."""
        while self._client is client:
            time.sleep(1)
            with self._lock:
                if self._client is client and time.monotonic() - self._asked > _LINGER:
                    self._leave()

    def _leave(self) -> None:
        if self._client:
            self._client.close()
            self._client = None

    def _why(self, problem: TmuxError) -> str:
        if problem.kind is Kind.NOT_INSTALLED:
            return "tmux is not installed here"
        if problem.kind is Kind.NO_ANSWER:
            return "tmux does not answer; it is stopped or overloaded"
        if "pane" in str(problem):
            return "the pane was closed"
        return f"there is no session {self._session}; it is shown as soon as there is one"
