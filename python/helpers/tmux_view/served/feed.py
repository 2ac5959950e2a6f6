"""What pages see of a session, and type into it.

A page sends a request, and gets an answer once there is something new: a slow page is never
flooded, and a closed page leaves nothing behind. What is typed comes with a look, whose answer has
what that has drawn. A look is one call of tmux; no client stays attached. The kernel says when to
look, at a hundredth of the cost: the server has read whatever a program draws.
"""

from __future__ import annotations

import time
from typing import Any

from ...tmux.base.client import Ahead, TmuxError, tmux, word
from ...tmux.base.process import bytes_read
from ...tmux.base.settings import BadValue, Settings
from ...tmux.facts.look import PAGE
from ...tmux.facts.pane import find
from ..drawn.keys import call, checked, is_short
from ..drawn.screen import FORMAT, OWNER, Frame, difference, framed
from .size import fit

_LONGEST_WAIT = 4.0  # seconds for something new; the end of our process waits for it too
_POLL_EVERY = 0.03  # seconds between two looks, or readings of the kernel
_QUICKLY = 0.002  # as long as somebody types
_TYPES = 1.0  # seconds after a key
_REST = 0.15  # seconds between two looks, unless somebody types: one takes 8 ms of a processor
_ECHO = 0.05  # seconds for what a key draws, after which the next may be sent
_CALM = 1.5  # seconds until a look without new output: for windows that open, close or are resized
_BLIND = 0.25  # seconds if the kernel does not say, or no server runs
_MARK_EVERY = 5.0  # seconds; tmux redraws each attached terminal for it
_MOST_PAGES = 100  # most of which are closed
_MOST_FOUND = 1000  # rows
_EVENTS = (
    "tmux_look",
    "tmux_find",
    "tmux_type",
    "tmux_open",
)

_pages: dict[int, Frame] = {}  # what each page shows
_marked = 0.0  # monotonic seconds, when a look was last marked
_typed = -_TYPES  # when something was typed


def answer(
    config: dict[str, Any] | None,
    event: str,
    data: dict[str, Any],
) -> Frame | None:
    """The answer, for JSON, to the event of a page with the arguments `data`; None to events that
    are not ours. Takes up to 4 seconds. Many threads may call it.

    `config`: settings that come before those of the environment.
    """
    if event not in _EVENTS:
        return None

    try:
        return _answered(Settings.load(config), event, data)
    except (TmuxError, BadValue) as problem:
        return {"refused": str(problem)}
    except (AttributeError, TypeError, ValueError) as problem:
        return {"refused": f"not understood: {problem}"}


def _answered(settings: Settings, event: str, data: dict[str, Any]) -> Frame:
    """The answer to one of our events, as far as the settings allow it."""
    if settings.view == "off":
        return {"refused": "switched off in the plugin's settings"}
    if event == "tmux_look":
        return look(settings, _LONGEST_WAIT, Ahead(), **data)
    if event == "tmux_find":
        return seek(**data)
    if settings.view == "look":
        return {"refused": "this page only shows the terminal"}
    if event == "tmux_type":
        return type_(settings, **data)
    return open_(settings)


def look(
    settings: Settings,
    limit: float,
    typing: Ahead,
    /,
    page: int,
    pane: str,
    top: int | None,
    have: int,
    size: list[int] | None = None,
    start: bool = False,
    **_: object,
) -> Frame:
    """What is new for `page`; {} after `limit` seconds, or if it sends another request.

    `typing`: its first look types a letter before; `pane`: any target, "" for the session's; `top`:
    the first row, counted from the oldest, None for the screen's; `have`: the number of the frame
    that the page shows; `size`: the columns and rows that it has room for, see size.py; `start`: a
    session that is missing is created.
    """
    shown = _begun(page, have)
    told = _prepared(settings, shown, page, pane, size, start)
    server = int(shown.get("server", 0))
    before, looked = shown.get("looked", (None, 0.0))
    until = time.monotonic() + limit
    while True:
        quick = time.monotonic() - _typed < _TYPES
        time.sleep(_QUICKLY if quick else _POLL_EVERY)
        waits = (now := time.monotonic()) < until and _pages.get(page) is shown
        if not (waits or typing):  # only a look tells whether the letter was typed
            return {}
        printed = bytes_read(server)
        if waits and now - looked < _rest(printed, before, quick):
            continue
        frame = _seen(settings.session, pane, top, typing) | told
        shown["looked"] = before, looked = printed, now
        if new := difference(frame, shown):
            frame["number"] = new["number"] = int(time.monotonic() * 1000)
            shown.update(frame)  # the page's next request may already have one of its own
            return new


def _rest(printed: int | None, before: int | None, quick: bool) -> float:
    """Seconds from a look to the next. `printed`: bytes that programs have drawn until now, and
    `before` the look; `quick`: somebody types."""
    if printed is None:
        return _BLIND
    if printed == before:
        return _CALM
    return 0.0 if quick else _REST


def _prepared(
    settings: Settings,
    shown: Frame,
    page: int,
    pane: str,
    size: list[int] | None,
    start: bool,
) -> Frame:
    """Starts the session, and gives its window the page's size. Returns what to tell of that."""
    if settings.view != "type":
        return {}
    if start and not _seen(settings.session, pane, None, Ahead()).get("pane"):
        find(None, settings)
    if size is not None and shown.get("pane"):
        return {"fits": fit(shown, page, size)}
    return {}


def _begun(page: int, have: int) -> Frame:
    """What the page shows, kept until its next request replaces it."""
    last = _pages.get(page, {})
    shown = dict(last) if have == last.get("number") else {}
    if len(_pages) > _MOST_PAGES:
        _pages.clear()
    _pages[page] = shown
    return shown


def type_(
    settings: Settings,
    /,
    pane: str,
    items: list[tuple[str, str]],
    owns: int = 0,
    **more: Any,
) -> Frame:
    """Types `items`, see drawn/keys.py, and returns what they have drawn, if a `look` is with them.
    `owns`: the page whose size the pane's window is to have from now on. Raises ValueError,
    TmuxError."""
    global _typed
    _typed = time.monotonic()
    if owns:
        tmux("set-option", "-wt", checked(pane), OWNER, str(int(owns)))

    calls = [call(pane, *item, time.time_ns()) for item in items]
    place = more.get("look")  # an earlier version's page has none
    typing = Ahead()

    for command, stdin in calls:  # none if one of them is refused
        if place and is_short(items):
            typing.begin(*command, stdin=stdin)
        else:
            tmux(*command, stdin=stdin)

    if place:
        return look(settings, _ECHO, typing, **place | {"pane": pane})
    return {}


def open_(settings: Settings) -> Frame:
    """Opens a window, as a person does, and returns its pane. Raises TmuxError."""
    where = ["-t", f"={settings.session}:", "-c", "#{pane_current_path}"]
    opened = tmux("new-window", "-d", *where, "-P", "-F", "#{pane_id}")
    return {"pane": opened.strip()}


def seek(pane: str, text: str, **_: object) -> Frame:
    """The rows that contain `text`, in any case, counted from the oldest. Raises TmuxError,
    ValueError."""
    wanted = text.casefold()
    shown = tmux("capture-pane", "-p", "-t", checked(pane), "-S", "-")
    lines = shown.casefold().splitlines()
    rows = [at for at, line in enumerate(lines) if wanted in line]
    return {"rows": rows[-_MOST_FOUND:]}


def _seen(session: str, wanted: str, top: int | None, typing: Ahead) -> Frame:
    """The frame; if there is nothing to see, one with a sentence. Raises TmuxError if a letter was
    not typed."""
    types = bool(typing)
    for target in filter(None, (word(wanted), f"={session}:")):  # the second if it is gone
        about = ["display-message", "-p", "-t", target, FORMAT, ";"]
        capture = ["capture-pane", "-p", "-e", "-N", "-t", target]
        try:
            frame = framed(typing.tmux(*_mark(), *about, *capture))
            if top is not None:
                first = top - int(frame["history"])
                last = first + int(frame["height"]) - 1
                part = ["-S", str(first), "-E", str(last)]
                frame = framed(tmux(*about, *capture, *part))
            return frame
        except TmuxError as problem:
            if types:
                raise
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
    now = f"{time.time():.0f}"
    return ["set-option", "-g", PAGE, now, ";"]
