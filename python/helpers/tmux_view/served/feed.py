"""What pages see of a session and type into it, through one client of tmux for all of them.

A page asks and gets an answer when there is something new: a slow page is never flooded, one that
leaves needs no cleaning up. Nobody looks, no client.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

from ...tmux.terminal.client import GONE, TmuxError, tmux
from ..drawn.keys import commands
from ..drawn.screen import FORMAT, Frame, difference, framed, parsed
from .control import Control, written

_LONGEST = 4.0  # seconds that a question waits for something new; a process that ends waits, too
_LINGER = 14.0  # seconds after the last question began in which the client leaves
_QUICK, _CALM = 0.02, 0.08  # seconds between two looks while something happens, and at rest
_SLOW = 0.25  # seconds where a look costs a process, or a session is missing
_LIVELY = 2.0  # seconds after a change in which more is expected
_PAGES = 100  # whose frames are kept


class Feed:
    """Of one session; for many threads."""

    def __init__(self, session: str):
        self._session = session
        self._lock = threading.Condition()  # of all below; told when somebody has typed
        self._client: Control | None = None
        self._leaving = threading.Timer(0, self._leave)
        self._changed = 0.0  # when
        self._pages: dict[int, Frame] = {}  # what each page shows

    def look(self, page: int, wanted: str, top: int | None, have: bool) -> Frame:
        """What is new for `page`; {} after 4 seconds, or when it asks anew.

        `wanted`: a pane; `top`: the first row, counted from the oldest, None for the screen's;
        `have`: the page shows what it was sent last.
        """
        with self._lock:
            self._leave_later()
            shown = dict(self._pages.get(page, {}) if have else {})
            if len(self._pages) > _PAGES:
                self._pages.clear()
            self._pages[page] = shown  # the page's next question replaces it
            until = time.monotonic() + _LONGEST
            while self._pages.get(page) is shown and time.monotonic() < until:
                frame = self._seen(wanted, top)
                if new := difference(frame, shown):
                    self._pages[page] = frame
                    self._changed = time.monotonic()
                    return new
                self._lock.wait(self._pause())
        return {}

    def type(self, pane: str, items: Iterable[tuple[str, str]]) -> Frame:
        """{} when they are typed; `items` as drawn/keys.py has them. Raises ValueError."""
        with self._lock:
            self._changed = time.monotonic()
            try:
                self._run(*commands(pane, items, time.time_ns()))
            except TmuxError as problem:
                return {"refused": str(problem)}
            self._lock.notify_all()
        return {}

    def _seen(self, wanted: str, top: int | None) -> Frame:
        try:
            session = f"={self._session}:"
            frame = self._pane(wanted or session) or self._pane(session)
            height, history = int(frame["height"]), int(frame["history"])
            above = 0 if top is None else min(max(history - top, 0), history)
            part = ["-S", str(-above), "-E", str(height - 1 - above)]
            rows = self._run(["capture-pane", "-p", "-e", "-N", *part, "-t", frame["pane"]])
            return framed(frame, rows, above)
        except TmuxError as problem:
            self._leave()
            missing = f"there is no session {self._session}; it is shown as soon as there is one"
            return {"say": missing if problem.kind in GONE else str(problem)}

    def _pane(self, target: str) -> Frame:
        """What a frame says of a pane but its rows; {} where there is no such pane."""
        frame = parsed(self._run(["display-message", "-p", "-t", target, FORMAT]))
        return frame if frame["pane"] else {}

    def _pause(self) -> float:
        """Seconds until the next look."""
        if not self._client:
            return _SLOW
        return _QUICK if time.monotonic() - self._changed < _LIVELY else _CALM

    # the client

    def _run(self, *commands: list[str]) -> list[str]:
        """The lines that tmux prints. Raises TmuxError."""
        line = written(commands)
        if not self._client:
            option = ["show-options", "-Av", "-t", f"={self._session}:", "destroy-unattached"]
            # Where that is on, the session would end when a client leaves it.
            if tmux(*option).strip() not in ("", "off", "0"):
                return tmux("source-file", "-", stdin=line.encode()).split("\n")[:-1]
            self._client = Control(self._session)
        return self._client.run(line).split("\n")[:-1]

    def _leave_later(self) -> None:
        self._leaving.cancel()
        self._leaving = threading.Timer(_LINGER, self._leave)
        self._leaving.daemon = True
        self._leaving.start()

    def _leave(self) -> None:
        with self._lock:
            if self._client:
                self._client.close()
                self._client = None
