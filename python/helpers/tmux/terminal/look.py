"""One look at a pane: tmux's state, the visible rows and the lines above them, from one call.

A command that depends on what the look sees (Enter, only if the cursor is still there) rides in the
same call: the server runs a call's commands without handling a key in between.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..evidence.kernel.process import bytes_read
from ..evidence.screen.view import Stamp, View, placed
from ..output import clean
from .client import Kind, TmuxError, tmux, version_of

# What a View calls it, and tmux's name of it.
_WORDS = {"id": "pane_id", "tty": "pane_tty", "dead_status": "pane_dead_status"}
_NUMBERS = {
    "pid": "pane_pid",
    "server": "pid",
    "width": "pane_width",
    "height": "pane_height",
    "cursor_x": "cursor_x",
    "cursor_y": "cursor_y",
    "history_size": "history_size",
    "history_limit": "history_limit",
    "scrolled": "scroll_position",
    "activity": "window_activity",
}
_FLAGS = {
    "dead": "pane_dead",
    "in_mode": "pane_in_mode",
    "input_off": "pane_input_off",
    "synchronized": "pane_synchronized",
    "alternate": "alternate_on",
    "cursor_visible": "cursor_flag",
    "keypad": "keypad_flag",
}
_OTHERS = ("version", "bracket_paste_flag", "session_activity")
_STATE = (*_WORDS.values(), *_NUMBERS.values(), *_FLAGS.values(), *_OTHERS)
# What is remembered on a pane: see transcript/mark.py.
MARK, INPUT, PROMPTS = "@tmux_tool_mark", "@tmux_tool_input", "@tmux_tool_prompts"
OPTIONS = (MARK, INPUT, PROMPTS)
PERSON = "@tmux_tool_person"  # on a pane: the live view changes it with each bundle of keys
# Moves with every key from an attached terminal, in whole seconds (server-client.c). In a group of
# sessions also with one that was created or ended: keys in it would leave no other trace.
_GROUP = "#{?session_grouped,#{next_session_id} #{S:x},}"
STAMP = f"#{{session_id}} #{{session_activity}} {_GROUP} #{{{PERSON}}}"
OPENED = "@tmux_tool_opened"  # on a window: `open` made it
# On a session: the pane that the last answer without `pane` was about.
DEFAULT = "@tmux_tool_default"
# tmux 3.8 and newer, of a shell that reports by OSC 133.
_STATUS, _COMMAND_RUNS = "pane_command_status", "pane_command_running"
# Free text, a line each. Not pane_current_command: for it the server reads /proc, which moves
# `bytes_read`. The path may hold line breaks: last.
_TEXTS = (
    *(OPENED, DEFAULT, _STATUS, _COMMAND_RUNS, *OPTIONS),
    *("pane_title", "pane_current_path"),
)
_CLIENTS = (
    "list-clients",
    "-F",
    "#{session_grouped}#{session_id} #{client_created} #{client_flags}",
)
SLACK = 40  # rows above the screen that a look brings along: what a short command scrolled away
_MOST_ABOVE = 1_000_000_000  # a number that tmux cannot hold counts as none
_server = 0  # pid of the tmux server that answered last
_CUT = "the tmux server ended in the middle of its answer"  # it breaks off and its client exits 0


def view_of(target: str, above: int = SLACK) -> View:
    """The view of one pane with at least `above` rows above its screen, as far as there are any.

    Raises TmuxError, kind NO_TARGET or NO_SERVER where there is no such pane.
    """
    return look_and(target, above)[0]


def look_and(target: str, above: int = SLACK, then: Sequence[str] = ()) -> tuple[View, str]:
    """A view, and what the tmux command `then`, run in the same call right after it, has printed.

    Raises TmuxError as view_of does.
    """
    global _server
    above = min(above, _MOST_ABOVE)
    at, printed = time.monotonic(), bytes_read(_server) if _server else None
    mark = f":{secrets.token_hex(8)}"
    show = ("display-message", "-p", "-t", target)
    divide = (*show, mark, ";")
    asks = [word for name in (STAMP, *map(_format, _TEXTS)) for word in (*show, f":{name}", ";")]
    # display-message answers for a missing target with another pane's; capture-pane fails properly.
    capture = ("capture-pane", "-p", "-t", target)
    answer = tmux(
        *(*show, "|".join((*map(_format, _STATE), "%s")), ";", *asks, *divide),
        *(*capture, ";", *divide, *capture, "-J", "-S", str(-above), ";", *divide),
        *(*_CLIENTS, ";", *divide, *(then or ("display-message", "-p", ""))),
    )
    *parts, said = answer.split(f"{mark}\n")
    if len(parts) != 4:
        raise TmuxError(_CUT, kind=Kind.NO_SERVER)
    return _view([part.split("\n")[:-1] for part in parts], above, at, printed), said.strip()


def _format(name: str) -> str:
    return f"#{{{name}}}"


def _view(parts: list[list[str]], above: int, at: float, printed: int | None) -> View:
    global _server
    (first, *texts), screen, joined, clients = parts
    *state, now = first.split("|")
    word = dict(zip(_STATE, state, strict=False))
    number = {field: int(word[name] or 0) for field, name in _NUMBERS.items()}
    fields: dict[str, Any] = {field: word[name] for field, name in _WORDS.items()}
    fields |= number | {field: word[name] not in ("", "0") for field, name in _FLAGS.items()}
    # Each begins with ":". A path may hold line breaks.
    stamp, *values = "\n".join(["", *texts]).split("\n:", len(_TEXTS) + 1)[1:]
    text = dict(zip(_TEXTS, values, strict=False))
    rows = [row.expandtabs() for row in screen]  # 3.8 gives tabs back as tabs
    width, height, history = (number[name] for name in ("width", "height", "history_size"))
    before, _server = _server, number["server"]
    control = [one for one in clients if "control-mode" in one]
    # A key moves the stamp of its own session, and of those in its group.
    ours = ("1", f"0{stamp.partition(' ')[0]} ")
    people = [one for one in clients if one.startswith(ours) and one not in control]
    attached = [int(one.split()[1]) for one in people]
    key = int(word["session_activity"] or 0)
    bracketed = word["bracket_paste_flag"]
    return View(
        **fields,
        at=at,
        now=int(now),
        printed=printed if before == _server else None,
        version=version_of(word["version"]),
        title=clean(text["pane_title"]),
        path=" ".join(clean(text["pane_current_path"]).split("\n")),
        opened=text[OPENED],
        default=text[DEFAULT],
        status=text[_STATUS],
        command_runs=text[_COMMAND_RUNS],
        stamp=Stamp(stamp, key < int(now), key),
        people=len(attached),
        latest_person=max(attached, default=0),
        unseen_people=len(control),
        bracketed=bracketed == "1" if bracketed else None,
        memory={name: text[name] for name in OPTIONS},
        lines=tuple((rows + [""] * height)[:height]),
        joined=placed(joined, history + height, width, above >= history),
    )


def ordinary(view: View) -> View:
    """The ordinary screen behind a full screen as a view of its own: what was there when it opened.

    Raises TmuxError as view_of does.
    """
    capture = ("capture-pane", "-p", "-J", "-t", view.id)
    history = str(-(view.history_size or 1))
    mark = f":{secrets.token_hex(8)}"
    show = ("display-message", "-p", "-t", view.id)
    above = (*capture, "-S", history, "-E", "-1", ";") if view.history_size else ()
    place = "#{alternate_saved_x}|#{alternate_saved_y}"
    answer = tmux(*(*show, place, ";", *above, *show, mark, ";", *capture, "-a"))
    (first, *old), screen = (part.split("\n")[:-1] for part in answer.split(f"{mark}\n"))
    x, y = (int(number) for number in first.split("|"))
    end = view.history_size + view.height
    joined = placed([*old, *screen], end, view.width, True)
    rows = joined.physical
    visible = tuple(rows.get(view.history_size + at, "") for at in range(view.height))
    return replace(view, alternate=False, cursor_x=x, cursor_y=y, lines=visible, joined=joined)
