"""What pages see of a session and type into it.

A page asks and gets an answer when there is something new: a slow page is never flooded, one that
leaves needs no cleaning up. A look is one call of tmux, and no client stays attached. The kernel
says when to look, for a hundredth of the price: whatever a program draws, the server has read.
"""

from __future__ import annotations

import time
from typing import Any

from ...tmux.evidence.kernel.process import bytes_read
from ...tmux.settings import BadSetting, Settings
from ...tmux.terminal.client import GONE, TmuxError, tmux
from ..drawn.keys import commands, written
from ..drawn.screen import FORMAT, Frame, difference, framed

_LONGEST = 4.0  # seconds that a question waits for something new; a process that ends waits, too
_PAUSE = 0.03  # seconds between two looks, or questions to the kernel
_CALM = 1.5  # seconds until a look without that: for windows that come, go and change their size
_BLIND = 0.25  # seconds if the kernel does not say, or no server runs
_MANY = 100  # pages, of which most are closed

_pages: dict[int, Frame] = {}  # what each page shows


def answer(settings: Settings, event: str, data: dict[str, Any]) -> Frame | None:
    """To `tmux_look` and `tmux_type`, whose arguments are in `data`, as JSON; None to others.

    Takes up to 4 seconds. For many threads.
    """
    try:
        match event, settings.view:
            case _, "off":
                return {"refused": "the view is switched off in the plugin's settings"}
            case "tmux_look", _:
                return look(settings.session, **data)
            case "tmux_type", "look":
                return {"refused": "this page only shows the terminal"}
            case "tmux_type", _:
                return type_(**data)
    except TmuxError as problem:
        return {"refused": str(problem)}
    except (TypeError, ValueError) as problem:
        return {"refused": f"not understood: {problem}"}
    return None


def configured_answer(
    config: dict[str, Any] | None, event: str, data: dict[str, Any]
) -> Frame | None:
    """answer() with the settings in a host's configuration of the plugin."""
    try:
        return answer(Settings.load(config), event, data)
    except BadSetting as problem:
        return {"refused": str(problem)}


def look(session: str, page: int, pane: str, top: int | None, have: bool, **_: object) -> Frame:
    """What is new for `page`; {} after 4 seconds, or when it asks again.

    `pane`: any target, "" for the session's; `top`: the first row, counted from the oldest, None
    for the screen's; `have`: the page shows what it was sent last.
    """
    shown = dict(_pages.get(page, {}) if have else {})
    if len(_pages) > _MANY:
        _pages.clear()
    _pages[page] = shown  # the page's next question replaces it
    server = int(shown.get("server", 0))
    before, due, until = None, 0.0, time.monotonic() + _LONGEST
    while _pages.get(page) is shown and (now := time.monotonic()) < until:
        time.sleep(_PAUSE)
        printed = bytes_read(server)
        if printed != before or now > due:
            frame = _seen(session, pane, top)
            if new := difference(frame, shown):
                _pages[page] = frame
                return new
            before, due = printed, now + (_BLIND if printed is None else _CALM)
    return {}


def type_(pane: str, items: list[tuple[str, str]], **_: object) -> Frame:
    """{} when they are typed; `items` as drawn/keys.py has them. Raises ValueError, TmuxError."""
    _run(*commands(pane, items, time.time_ns()))
    return {}


def _seen(session: str, wanted: str, top: int | None) -> Frame:
    """The frame; one with a sentence if there is nothing to see."""
    for target in filter(None, (wanted, f"={session}:")):  # the second where the first is gone
        about = ["display-message", "-p", "-t", target, FORMAT]
        capture = ["capture-pane", "-p", "-e", "-N", "-t", target]
        try:
            frame = framed(_run(about, capture))
            if top is not None:
                first = top - int(frame["history"])
                last = first + int(frame["height"]) - 1
                frame = framed(_run(about, [*capture, "-S", str(first), "-E", str(last)]))
            return frame
        except TmuxError as problem:
            failure = problem
    missing = f"there is no session {session}; it is shown as soon as there is one"
    return {"say": missing if failure.kind in GONE else str(failure)}


def _run(*commands: list[str]) -> str:
    return tmux("source-file", "-", stdin=written(commands).encode())
