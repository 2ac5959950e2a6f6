"""Keys, pressed as requested: the deliberate way, which turn/dialogue hardly ever refuses."""

from __future__ import annotations

from ..evidence.screen.line import Kind
from ..terminal.keys import echo_of
from ..terminal.look import INPUT
from ..transcript.mark import Typed, draft_of, dumps, lines_sent
from ..turn.may_type import may_press
from ..turn.watch import Watch
from ..turn.whose_turn import Turn, whose_turn
from .typing import begins_at, new_input, rows_of_draft, settle

_ENDS_LINE = {"Enter", "C-c", "C-d", "C-j", "C-m"}


def press_keys(watch: Watch, keys: list[str]) -> bool:
    """Presses keys, given by tmux's names; returns whether a person's copy mode was left for it."""
    here = may_press(watch)
    line = here.line.kind is not Kind.NONE and not watch.view.alternate
    if len(keys) > 1 and keys[-1] == "Enter" and line and _ENDS_LINE.isdisjoint(keys[:-1]):
        left_copy_mode = _press(watch, keys[:-1], here)
        watch.look()  # output begins where the cursor is now
        return _press(watch, keys[-1:], here) or left_copy_mode
    ends = max((at for at, key in enumerate(keys, start=1) if key in _ENDS_LINE), default=0)
    left_copy_mode = _press(watch, keys[: ends or None], here)
    if 0 < ends < len(keys):  # the rest may be a line of the agent's own
        watch.renew()
        return _press(watch, keys[ends:], whose_turn(watch)) or left_copy_mode
    return left_copy_mode


def _press(watch: Watch, keys: list[str], here: Turn) -> bool:
    view, typed = watch.view, new_input(watch, here, watch.scene(), "", keys=True)
    secret, ends = typed.typed is Typed.SECRET, not _ENDS_LINE.isdisjoint(keys)
    echo = "" if secret else echo_of(keys) or ""
    typed.enter, typed.escape = ends, keys[-1] == "Escape"
    typed.sent = lines_sent(echo if ends else here.own + echo)  # a draft continues
    if ends:
        typed.end = begins_at(view, rows_of_draft(here, typed))
    left_copy_mode = watch.pane.press(keys, view, {INPUT: dumps(typed)})
    watch.follow(typed, echo)
    if not (view.alternate or here.persons or ends or secret):
        settle(watch, typed)
        # Whatever the keys put on the line (Up: an older command) is the agent's own too.
        line = whose_turn(watch).line.typed or ""
        draft = draft_of(line)
        known = here.line.kind is not Kind.NONE or draft == draft_of(echo)
        if draft and known and watch.view.stamp.value == view.stamp.value:
            typed.draft, typed.sent = draft, lines_sent(line)
            watch.pane.set_option(INPUT, dumps(typed))
    return left_copy_mode
