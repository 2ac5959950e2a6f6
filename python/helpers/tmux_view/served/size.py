"""Which page's size a window has, while no terminal is attached, which would decide it.

A window has one owner: the page in which somebody typed last, or pressed Fit. The others show its
size. The window gets its size of before when the owner lets it go or has not asked for a while, and
when the process ends.
"""

from __future__ import annotations

import atexit
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from ...tmux.base.client import TmuxError, rows_of, tmux
from ..drawn.screen import OWNER, Frame

_KEPT = 90.0  # seconds; a page in a hidden tab asks once a minute
_AWAY = 6.0  # seconds; a page that can be seen asks every 4 s
_LEAST = 40, 10  # columns and rows: less is of no use to the agent
_THREAD = "tmux view sizes"
_ATTACHED = "an attached terminal has another size"
_ANOTHER = "another page has another size: Fit"


@dataclass
class _Fitted:
    """What is to be given back: the size `before`, when `page` has not asked since `asked`."""

    before: str
    page: str = ""
    asked: float = 0.0


_fitted: dict[str, _Fitted] = {}  # by window


def fit(frame: Frame, page: int, size: list[int]) -> str:
    """Gives the frame's window the size that the page has room for, if it is the owner or there is
    none. Returns why it has another one, else "".

    `size`: columns and rows; empty: the page lets it go. Raises TmuxError; TypeError, ValueError if
    a size is no number.
    """
    window, owner = frame["window"], frame["owner"]
    if not size:
        if owner == str(page):
            _give_back(window)
        return ""

    columns, rows = size
    wanted = f"{max(columns, _LEAST[0])} {max(rows, _LEAST[1])}"
    fits = frame["size"] == wanted

    if _is_anothers(window, owner, page):
        if fits:
            return ""
        return _ANOTHER

    fitted = _fitted.setdefault(window, _Fitted(before=frame["size"]))
    fitted.page = str(page)
    fitted.asked = time.monotonic()
    _watch()
    if not fits and not _resize(window, wanted):
        return _ATTACHED

    if not fits or owner != str(page):
        tmux("set-option", "-wt", window, OWNER, str(page))
    return ""


def _is_anothers(window: str, owner: str, page: int) -> bool:
    """Whether there is another owner, which is not closed or hidden as far as is known here."""
    if owner in ("", str(page)):
        return False
    fitted = _fitted.get(window)
    if not fitted or fitted.page != owner:  # another process serves it
        return True
    return time.monotonic() - fitted.asked <= _AWAY


def _resize(window: str, size: str) -> bool:
    """Whether no terminal is attached."""
    if "0" in rows_of("list-clients", "-F", "#{client_control_mode}"):
        return False

    columns, rows = size.split()
    own = tmux("show-options", "-wqv", "-t", window, "window-size").split()
    # It sets an option, with which a terminal that is attached later would not get its own size.
    reset = ["set-option", "-uwt", window, "window-size"]
    if own:
        reset = ["set-option", "-wt", window, "window-size", *own]

    tmux("resize-window", "-t", window, "-x", columns, "-y", rows, ";", *reset)
    return True


def _give_back(window: str) -> None:
    fitted = _fitted.pop(window, None)
    with suppress(TmuxError):  # the window has ended
        owner = tmux("show-options", "-wqv", "-t", window, OWNER).strip()
        if fitted and owner == fitted.page:  # else another process's page has it
            _resize(window, fitted.before)
            tmux("set-option", "-uwt", window, OWNER)


def _watch() -> None:
    names = [thread.name for thread in threading.enumerate()]
    if _THREAD not in names:
        threading.Thread(target=_take_back, name=_THREAD, daemon=True).start()


def _take_back(kept: float = _KEPT) -> None:
    while _fitted:
        for window, fitted in list(_fitted.items()):
            if time.monotonic() - fitted.asked >= kept:
                _give_back(window)
        time.sleep(kept / 10)


atexit.register(_take_back, 0.0)
