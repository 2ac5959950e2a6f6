"""Keys, one by one: each after the last was taken, none to another one, none beside what somebody types."""

from types import SimpleNamespace
from unittest.mock import patch

from python.helpers.tmux.base.keys import Typed, shown
from python.helpers.tmux.facts.look import digest
from python.helpers.tmux.facts.state import draft_of
from python.helpers.tmux.typed import pressing, typing
from tests.support.stage import BEGAN, Stage
from tests.support.tables import Tables

TABLES = Tables(__file__)
PATIENCE = 3.0


def pressed(screen: str, waits: str, keys: str, then: list) -> tuple[Stage, str]:
    """The stage, and what was pressed of the keys, `text:` before a text; `then`: what comes of the first ones; each of
    the others is taken."""
    said = [key.removeprefix("text:") for key in keys.split(" ")]
    taken = [[[0, screen, f"cpu={11 + number}"]] for number in range(len("".join(said)))]
    stage = Stage(screen, waits, *then, *taken[len(then):])
    wanted = [Typed(one) if f"text:{one}" in keys else one for one in said]
    with stage.clock(pressing, typing), patch.object(pressing, "LOOK", 0.02):
        rest = pressing.press(SimpleNamespace(watch=stage), stage.here, wanted, PATIENCE)
    return stage, f"{stage.typed}; {shown(rest)}".removesuffix("; ")


@TABLES.rows("screen, waits, keys, then, right, after")
def test_pressed(screen, waits, keys, then, right, after):
    """Which keys arrive; which are not pressed. And when the last does, in seconds."""
    stage, found = pressed(screen, waits, keys, then)
    assert (found, round(stage.now - BEGAN, 2)) == (right, after or 0)


@TABLES.rows("screen, waits, keys, right, draft")
def test_noted(screen, waits, keys, right, draft):
    """What the record says of the last key: where its output begins, and the line that is the agent's own by now."""
    stage, _ = pressed(screen, waits, keys, [])
    sent, place = stage.state.sent, stage.state.sent.place
    facts = {name: getattr(sent, name) for name in ("enter", "escape", "dropped", "beside")}
    facts |= {"nowhere": not place, "whole": place and place.whole, "echo": place and place.echo == digest(keys[-1:])}
    assert [name for name, holds in facts.items() if holds] == right.split()
    assert stage.state.draft == draft_of(draft or "") and (not draft or stage.stored)
