"""What pages see of a session, and type into it.

A page sends a request, and gets an answer once there is something new: a slow page is never
flooded, and a closed page leaves nothing behind. A look is one call of tmux; no client stays
attached. The kernel says when to look, at a hundredth of the cost: the server has read whatever a
program draws.
"""

from __future__ import annotations

import time
from typing import Any

from ...tmux.client import TmuxError, tmux, word
from ...tmux.look import PAGE
from ...tmux.pane import find
from ...tmux.process import bytes_read
from ...tmux.settings import BadValue, Settings
from ..drawn.keys import call
from ..drawn.screen import FORMAT, Frame, difference, framed
from .size import fit

_LONGEST_WAIT = 4.0  # seconds for something new; the end of our process waits for it too
_POLL_EVERY = 0.03  # seconds between two looks, or readings of the kernel
_CALM = 1.5  # seconds until a look without new output: for windows that open, close or are resized
_BLIND = 0.25  # seconds if the kernel does not say, or no server runs
_MARK_EVERY = 5.0  # seconds; tmux redraws each attached terminal for it
_MOST_PAGES = 100  # most of which are closed

_pages: dict[int, Frame] = {}  # what each page shows
_marked = 0.0  # monotonic seconds, when a look was last marked


def answer(config: dict[str, Any] | None, event: str, data: dict[str, Any]) -> Frame | None:
    """The answer, for JSON, to `tmux_look` and `tmux_type` with the arguments `data`; None to other
    events. Takes up to 4 seconds. Many threads may call it.

    `config`: settings that come before those of the environment.
    """
    try:
        settings = Settings.load(config)
        match event, settings.view:
            case "tmux_look" | "tmux_type", "off":
                return {"refused": "switched off in the plugin's settings"}
            case "tmux_look", _:
                return look(settings, **data)
            case "tmux_type", "look":
                return {"refused": "this page only shows the terminal"}
            case "tmux_type", _:
                return type_(**data)
    except (TmuxError, BadValue) as problem:
        return {"refused": str(problem)}
    except (AttributeError, TypeError, ValueError) as problem:
        return {"refused": f"not understood: {problem}"}
    return None


def look(
    settings: Settings,
    page: int,
    pane: str,
    top: int | None,
    have: bool,
    size: tuple[int, int] | None = None,
    start: bool = False,
    **_: object,
) -> Frame:
    """What is new for `page`; {} after 4 seconds, or if it sends another request.

    `pane`: any target, "" for the session's; `top`: the first row, counted from the oldest, None
    for the screen's; `have`: the page shows the last frame that it was sent; `size`: the columns
    and rows that it would like to have; `start`: a session that is missing is created.
    """
    shown = dict(_pages.get(page, {}) if have else {})
    if len(_pages) > _MOST_PAGES:
        _pages.clear()
    _pages[page] = shown  # the page's next request replaces it
    if settings.view == "type":
        if start and not _seen(settings.session, pane, None).get("pane"):
            find(None, settings)
        if size and shown.get("pane"):
            fit(shown["pane"], *size)
    server = int(shown.get("server", 0))
    before, due, until = None, 0.0, time.monotonic() + _LONGEST_WAIT
    while _pages.get(page) is shown and (now := time.monotonic()) < until:
        time.sleep(_POLL_EVERY)
        printed = bytes_read(server)
        if printed != before or now > due:
            frame = _seen(settings.session, pane, top)
            if new := difference(frame, shown):
                _pages[page] = frame
                return new
            before, due = printed, now + (_BLIND if printed is None else _CALM)
    return {}


def type_(pane: str, items: list[tuple[str, str]], **_: object) -> Frame:
    """Types `items`, see drawn/keys.py, and returns {}. Raises ValueError, TmuxError."""
    for command, stdin in [call(pane, *item, time.time_ns()) for item in items]:
        tmux(*command, stdin=stdin)
    return {}


def _seen(session: str, wanted: str, top: int | None) -> Frame:
    """The frame; if there is nothing to see, one with a sentence."""
    for target in filter(None, (word(wanted), f"={session}:")):  # the second if it is gone
        about = ["display-message", "-p", "-t", target, FORMAT, ";"]
        capture = ["capture-pane", "-p", "-e", "-N", "-t", target]
        try:
            frame = framed(tmux(*_mark(), *about, *capture))
            if top is not None:
                first = top - int(frame["history"])
                last = first + int(frame["height"]) - 1
                frame = framed(tmux(*about, *capture, "-S", str(first), "-E", str(last)))
            return frame
        except TmuxError as problem:
            failure = problem
    if failure.gone:
        return {"say": f"There is no session {session}. Any key starts it.", "pane": ""}
    return {"say": f"{failure}; {failure.hint}".rstrip("; ")}


def _mark() -> list[str]:
    """Tells the agent's calls that somebody looks."""
    global _marked
    if time.monotonic() - _marked < _MARK_EVERY:
        return []
    _marked = time.monotonic()
    return ["set-option", "-g", PAGE, f"{time.time():.0f}", ";"]
