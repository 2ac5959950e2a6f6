"""A text is seen drawn before Enter, alone, where it was asked for; or it is taken back, or told."""

from unittest.mock import patch

from python.helpers.tmux.base.client import TmuxError
from python.helpers.tmux.facts.pane import at_cell
from python.helpers.tmux.facts.state import draft_of
from python.helpers.tmux.typed import entering
from tests.support.stage import BEGAN, Stage
from tests.support.tables import Tables

TABLES = Tables(__file__)
NOTES = {"GONE": entering._GONE, "UNDRAWN": entering._UNDRAWN.format("bash")}


@TABLES.rows("screen, waits, text, moments, right, more")
def test_entered(screen, waits, text, moments, right, more):
    """`right`: what came of it and when, and the erasing of a text that was taken back; `more`: its note, the draft."""
    stage, notes, more = Stage(screen, waits, moments), [], more or {}
    stage.comes()
    with stage.clock(entering), patch.object(entering, "LOOK", 0.02):
        found = outcome(stage, lambda: entering.see_and_enter(stage, stage.here, text, notes))
    assert (found[: len(right)], notes) == (right, [NOTES[name] for name in more.get("notes", "").split()])
    assert "draft" not in more or stage.state.draft == draft_of(more["draft"])


@TABLES.rows("screen, waits, text, moments, right, read")
def test_typed_and_entered(screen, waits, text, moments, right, read):
    """In one call, if the cursor is where it was: at `elsewhere` it is not."""
    stage = Stage(screen, waits.replace(" elsewhere", ""), moments)
    readings: list = []
    cell = (9, 9) if "elsewhere" in waits else stage.seen.cell
    with stage.clock(entering), patch.object(entering, "LOOK", 0.02):
        condition = at_cell(stage.seen, cell)
        found = outcome(stage, lambda: readings.append(entering.type_and_enter(stage, stage.here, text, condition, [])))
    assert (found, [one and one.kernel.bytes_read for one in readings]) == (right, [read])


def outcome(stage: Stage, call) -> str:
    try:
        found = call()
    except TmuxError as problem:
        return f"error: {problem}"
    erased, when = stage.typed.count("\x7f"), f"after {stage.now - BEGAN:.2f}"
    if stage.typed.endswith("\r"):
        return f"entered {when}"
    return f"{'answered' if found else 'not typed'} {when}{f', {erased} erased' if erased else ''}"
