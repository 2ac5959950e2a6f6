"""One look at a pane: tmux's state, the visible rows and the lines above them, from one call.

A command that depends on what the look sees (Enter, only if the cursor is still there) rides in the
same call: the server runs a call's commands without handling a key in between.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import replace

from ..evidence.kernel.probe import printed_bytes
from ..evidence.screen.view import Stamp, View, placed
from ..output import clean
from .client import Kind, TmuxError, tmux, version_of

_NUMBERS = (
    "pane_pid pane_dead pane_in_mode alternate_on cursor_x cursor_y cursor_flag pane_width"
    " pane_height history_size history_limit pid pane_input_off pane_synchronized window_activity"
    " session_activity scroll_position bracket_paste_flag keypad_flag keypad_cursor_flag"
).split()
_WORDS = "pane_id pane_tty pane_dead_status version".split()
_STATE = "|".join(f"#{{{name}}}" for name in (*_WORDS, *_NUMBERS)) + "|%s"
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
# `printed_bytes`. The path may hold line breaks: last.
_TEXTS = (
    *(OPENED, DEFAULT, _STATUS, _COMMAND_RUNS, *OPTIONS),
    *("pane_title", "pane_current_path"),
)
_CLIENTS = ("list-clients", "-F", "#{client_created} #{client_flags}")
SLACK = 40  # rows above the screen that a look brings along: what a short command scrolled away
_MOST_ABOVE = 1_000_000_000  # a number that tmux cannot hold counts as none
_server = 0  # pid of the tmux server that answered last
_CUT = "the tmux server ended in the middle of its answer"  # it breaks off and its client exits 0


def view_of(target: str, above: int = SLACK) -> View:
    """The view of one pane with at least `above` rows above its screen, as far as there are any.

    Raises TmuxError, kind NO_TARGET or NO_SERVER where there is no such pane.
    """
    return look_and(target, above)[0]


def look_and(
    target: str, above: int = SLACK, then: Sequence[str] = ()
) -> tuple[View, str]:
    """A view, and what the tmux command `then`, run in the same call right after it, has printed.

    Raises TmuxError as view_of does.
    """
    global _server
    above = min(above, _MOST_ABOVE)
    at, printed = time.monotonic(), printed_bytes(_server) if _server else None
    mark = f":{secrets.token_hex(8)}"
    show = ("display-message", "-p", "-t", target)
    divide = (*show, mark, ";")
    asks = [word for name in (STAMP, *map(_format, _TEXTS)) for word in (*show, f":{name}", ";")]
    # display-message answers for a missing target with another pane's; capture-pane fails properly.
    capture = ("capture-pane", "-p", "-t", target)
    answer = tmux(
        *(*show, _STATE, ";", *asks, *divide, *capture, ";", *divide),
        *(*capture, "-J", "-S", str(-above), ";", *divide, *_CLIENTS, ";", *divide),
        *(then or ("display-message", "-p", "")),
    ).split("\n")
    if answer.count(mark) != 4:
        raise TmuxError(_CUT, kind=Kind.NO_SERVER)
    parts = _divided(answer, mark)
    view = _view(parts, above, at, printed)
    return view, "\n".join(parts[4]).strip()


def _format(name: str) -> str:
    return f"#{{{name}}}"


def _divided(lines: list[str], mark: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line == mark:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _view(parts: list[list[str]], above: int, at: float, printed: int | None) -> View:
    global _server
    (first, *texts), screen, joined, clients = parts[:4]
    state = dict(zip((*_WORDS, *_NUMBERS, "now"), first.split("|"), strict=False))
    number = {name: int(state[name] or 0) for name in (*_NUMBERS, "now")}
    stamp, text = _texts(texts)
    rows = [row.expandtabs() for row in screen]  # 3.8 gives tabs back as tabs
    height, history = number["pane_height"], number["history_size"]
    before, _server = _server, number["pid"]
    control = [one for one in clients if "control-mode" in one]
    attached = [int(one.split()[0]) for one in clients if one and one not in control]
    bracketed = state["bracket_paste_flag"]
    return View(
        at=at,
        now=number["now"],
        printed=printed if before == _server else None,
        id=state["pane_id"],
        pid=number["pane_pid"],
        tty=state["pane_tty"],
        dead=bool(number["pane_dead"]),
        dead_status=state["pane_dead_status"],
        in_mode=bool(number["pane_in_mode"]),
        scrolled=number["scroll_position"],
        alternate=bool(number["alternate_on"]),
        cursor_x=number["cursor_x"],
        cursor_y=number["cursor_y"],
        cursor_visible=bool(number["cursor_flag"]),
        width=number["pane_width"],
        height=height,
        history_size=history,
        history_limit=number["history_limit"],
        server=number["pid"],
        version=version_of(state["version"]),
        input_off=bool(number["pane_input_off"]),
        synchronized=bool(number["pane_synchronized"]),
        activity=number["window_activity"],
        title=clean(text["pane_title"]),
        path=" ".join(clean(text["pane_current_path"]).split("\n")),
        opened=text[OPENED],
        default=text[DEFAULT],
        status=text[_STATUS],
        command_runs=text[_COMMAND_RUNS],
        stamp=Stamp(stamp, number["session_activity"] < number["now"], number["session_activity"]),
        people=len(attached),
        latest_person=max(attached, default=0),
        unseen_people=len(control),
        bracketed=bracketed == "1" if bracketed else None,
        keypad=bool(number["keypad_flag"]),
        keypad_cursor=bool(number["keypad_cursor_flag"]),
        memory={name: text[name] for name in OPTIONS},
        lines=tuple((rows + [""] * height)[:height]),
        joined=placed(joined, history + height, number["pane_width"], above >= history),
    )


def _texts(lines: list[str]) -> tuple[str, dict[str, str]]:
    """The stamp and the values of _TEXTS. Each begins with ":"; a path may hold line breaks."""
    values: list[str] = []
    for line in lines:
        if line.startswith(":") and len(values) <= len(_TEXTS):
            values.append(line[1:])
        elif values:
            values[-1] += "\n" + line
    return values[0], dict(zip(_TEXTS, values[1:], strict=False))


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
    answer = tmux(*(*show, place, ";", *above, *show, mark, ";", *capture, "-a")).split("\n")
    (first, *old), screen = _divided(answer, mark)[:2]
    x, y = (int(number) for number in first.split("|"))
    end = view.history_size + view.height
    joined = placed([*old, *screen[:-1]], end, view.width, True)
    rows = dict(joined.physical())
    visible = tuple(rows.get(view.history_size + at, "") for at in range(view.height))
    return replace(view, alternate=False, cursor_x=x, cursor_y=y, lines=visible, joined=joined)
