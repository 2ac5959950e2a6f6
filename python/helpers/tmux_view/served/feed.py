"""What pages see of a session, and type into it.

A page sends a request, and gets an answer once there is something new: a slow page is never
flooded, and a closed page leaves nothing behind. A look is one call of tmux; no client stays
attached. The kernel says when to look, at a hundredth of the cost: the server has read whatever a
program draws.
"""

from __future__ import annotations

import time
from typing import Any

from ...tmux.process import bytes_read
from ...tmux.settings import BadSetting, Settings
from ...tmux.client import TmuxError, tmux
from ..drawn.keys import commands, written
from ..drawn.screen import FORMAT, Frame, difference, framed

_LONGEST_WAIT = 4.0  # seconds for something new; the end of our process waits for it too
_POLL_EVERY = 0.03  # seconds between two looks, or readings of the kernel
_CALM = 1.5  # seconds until a look without new output: for windows that open, close or are resized
_BLIND = 0.25  # seconds if the kernel does not say, or no server runs
_MOST_PAGES = 100  # most of which are closed

_pages: dict[int, Frame] = {}  # what each page shows


def answer(settings: Settings, event: str, data: dict[str, Any]) -> Frame | None:
    """The answer, for JSON, to `tmux_look` and `tmux_type` with the arguments `data`; None to other
    events. Takes up to 4 seconds. Many threads may call it."""
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
    """What is new for `page`; {} after 4 seconds, or if it sends another request.

    `pane`: any target, "" for the session's; `top`: the first row, counted from the oldest, None
    for the screen's; `have`: the page shows the last frame that it was sent.
    """
    shown = dict(_pages.get(page, {}) if have else {})
    if len(_pages) > _MOST_PAGES:
        _pages.clear()
    _pages[page] = shown  # the page's next request replaces it
    server = int(shown.get("server", 0))
    before, due, until = None, 0.0, time.monotonic() + _LONGEST_WAIT
    while _pages.get(page) is shown and (now := time.monotonic()) < until:
        time.sleep(_POLL_EVERY)
        printed = bytes_read(server)
        if printed != before or now > due:
            frame = _seen(session, pane, top)
            if new := difference(frame, shown):
                _pages[page] = frame
                return new
            before, due = printed, now + (_BLIND if printed is None else _CALM)
    return {}


def type_(pane: str, items: list[tuple[str, str]], **_: object) -> Frame:
    """Types `items`, see drawn/keys.py, and returns {}. Raises ValueError, TmuxError."""
    _run(*commands(pane, items, time.time_ns()))
    return {}


def _seen(session: str, wanted: str, top: int | None) -> Frame:
    """The frame; if there is nothing to see, one with a sentence."""
    for target in filter(None, (wanted, f"={session}:")):  # the second if the first is gone
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
    return {"say": missing if failure.gone else str(failure)}


def _run(*commands: list[str]) -> str:
    return tmux("source-file", "-", stdin=written(commands).encode())
