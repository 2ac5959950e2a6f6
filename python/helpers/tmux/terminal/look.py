"""One look at a pane: tmux's state, the visible rows and the lines above them, from one call.

A command that depends on what the look sees (Enter, only if the cursor is still there) is part of
the same call: the server runs a call's commands without handling a key in between.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..evidence.kernel.process import bytes_read
from ..evidence.screen.view import Stamp, View, placed
from ..output import clean
from .client import Kind, TmuxError, tmux, version_of

# Options of a pane, in which a call stores what the next one needs: see transcript/mark.py.
MARK, INPUT, PROMPTS = "@tmux_tool_mark", "@tmux_tool_input", "@tmux_tool_prompts"
OPTIONS = (MARK, INPUT, PROMPTS)
PERSON = "@tmux_tool_person"  # on a pane: the live view changes it with each bundle of keys
# Changes with every key from an attached terminal, in whole seconds (server-client.c). In a group
# of sessions also when one is created or ends: keys in that one would leave no other trace.
_GROUP = "#{?session_grouped,#{next_session_id} #{S:x},}"
STAMP = f"#{{session_id}} #{{session_activity}} {_GROUP} #{{{PERSON}}}"
OPENED = "@tmux_tool_opened"  # on a window: `open` made it
# On a session: the pane that the last answer without `pane` was about.
DEFAULT = "@tmux_tool_default"


def _number(value: str) -> int:
    return int(value or 0)


def _flag(value: str) -> bool:
    return value not in ("", "0")


def _known_flag(value: str) -> bool | None:
    return value == "1" if value else None


def _one_line(value: str) -> str:
    return " ".join(clean(value).split("\n"))


# What converts a value, its name in a View, and its name in tmux. Without pane_current_command: for
# that one the server reads /proc, which changes `bytes_read`.
_STATE: dict[Callable[[str], Any], dict[str, str]] = {
    str: {
        "id": "pane_id",
        "tty": "pane_tty",
        "dead_status": "pane_dead_status",
        "opened": OPENED,
        "default": DEFAULT,
        # in tmux 3.8 and newer, if the shell reports by OSC 133
        "status": "pane_command_status",
        "command_runs": "pane_command_running",
    },
    _number: {
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
    },
    _flag: {
        "dead": "pane_dead",
        "in_mode": "pane_in_mode",
        "input_off": "pane_input_off",
        "synchronized": "pane_synchronized",
        "alternate": "alternate_on",
        "cursor_visible": "cursor_flag",
        "keypad": "keypad_flag",
    },
    _known_flag: {"bracketed": "bracket_paste_flag"},
    version_of: {"version": "version"},
    _one_line: {"title": "pane_title", "path": "pane_current_path"},
}
_NAMES = (*(name for names in _STATE.values() for name in names.values()), *OPTIONS)
_ASKED = (*(f"#{{{name}}}" for name in _NAMES), STAMP, "#{session_activity}", "%s")
_CLIENTS = (
    "list-clients",
    "-F",
    "#{session_grouped}#{session_id} #{client_created} #{client_flags}",
)
SLACK = 40  # rows above the screen that a look includes: enough for what a short command scrolls
_MOST_ABOVE = 1_000_000_000  # tmux takes a larger number for none
_server = 0  # pid of the tmux server that answered last
_CUT = "the tmux server ended in the middle of its answer"  # its client then exits with 0


def view_of(target: str, above: int = SLACK) -> View:
    """The view of one pane with at least `above` rows above its screen, as far as there are any.

    Raises TmuxError, of kind NO_TARGET or NO_SERVER if there is no such pane.
    """
    return look_and(target, above)[0]


def look_and(target: str, above: int = SLACK, then: Sequence[str] = ()) -> tuple[View, str]:
    """A view, and the output of the tmux command `then`, run in the same call right after it.

    Raises TmuxError as view_of does.
    """
    global _server
    above = min(above, _MOST_ABOVE)
    at, printed = time.monotonic(), bytes_read(_server) if _server else None
    mark = f":{secrets.token_hex(8)}"  # separates parts, and values, which may hold line breaks
    show = ("display-message", "-p", "-t", target)
    divide = (*show, mark, ";")
    # For a missing target display-message answers with another pane's values; capture-pane fails.
    capture = ("capture-pane", "-p", "-t", target)
    answer = tmux(
        *(*show, mark.join(_ASKED), ";", *divide),
        *(*capture, ";", *divide, *capture, "-J", "-S", str(-above), ";", *divide),
        *(*_CLIENTS, ";", *divide, *(then or ("display-message", "-p", ""))),
    )
    *parts, said = answer.split(f"{mark}\n")
    if len(parts) != 4:
        raise TmuxError(_CUT, kind=Kind.NO_SERVER)
    state, *rows = parts
    *values, stamp, key, now = state.rstrip("\n").split(mark)
    raw = dict(zip(_NAMES, values, strict=True))
    fields = {
        field: read(raw[name]) for read, names in _STATE.items() for field, name in names.items()
    }
    before, _server = _server, fields["server"]
    second = _number(key)
    fields |= {
        "at": at,
        "now": int(now),
        "printed": printed if before == _server else None,
        "stamp": Stamp(stamp, second < int(now), second),
        "memory": {name: raw[name] for name in OPTIONS},
    }
    return _view(fields, above, [part.split("\n")[:-1] for part in rows]), said.strip()


def _view(fields: dict[str, Any], above: int, parts: list[list[str]]) -> View:
    screen, joined, clients = parts
    rows = [row.expandtabs() for row in screen]  # 3.8 returns tabs as tabs
    width, height, history = (fields[name] for name in ("width", "height", "history_size"))
    control = [client for client in clients if "control-mode" in client]
    # A key changes the stamp of its own session, and of those in its group.
    ours = ("1", f"0{fields['stamp'].value.partition(' ')[0]} ")
    people = [client for client in clients if client.startswith(ours) and client not in control]
    return View(
        **fields,
        people=len(people),
        latest_person=max((int(client.split()[1]) for client in people), default=0),
        unseen_people=len(control),
        lines=tuple((rows + [""] * height)[:height]),
        joined=placed(joined, history + height, width, above >= history),
    )


def ordinary(view: View) -> View:
    """A view of the ordinary screen behind a full screen, as it was when that opened.

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
