"""What the terminal itself shows of a remote program: its line editor's modes, its title, the
shell's reports. Each situation and the verdict that it deserves; no tmux."""

from __future__ import annotations

from dataclasses import replace

import pytest

from python.helpers.tmux.evidence.editor.modes import line_editor_reads
from python.helpers.tmux.evidence.kernel.probe import How, Probe, Waiter
from python.helpers.tmux.evidence.screen.view import View
from python.helpers.tmux.turn.by_editor import STILL_EDITED
from python.helpers.tmux.turn.by_screen import ENDLESS
from python.helpers.tmux.turn.row import Verdict
from python.helpers.tmux.turn.scene import SILENT, STILL_BLIND, STILL_DRAWN, Scene
from python.helpers.tmux.turn.verdict import decide
from python.helpers.tmux.words import Evidence, Word
from tests.pure.views import view_of
from tests.support.tables import Tables

TABLES = Tables(__file__)

PROMPT = "user@host:~$ "
_WAITER = Waiter(pid=77, name="ssh", how=How.LISTEN, size=0, proven=True)
SSH = Probe(alive=True, foreground=77, name="ssh", canonical=False, echo=False, waiter=_WAITER)
SSH = replace(SSH, remote="ssh", subject=77)
CODEX = replace(SSH, name="codex", remote="", waiter=replace(_WAITER, name="codex"))
READY = Verdict(Word.READY, evidence=Evidence.EDITOR)
JUST_UNDER = 0.99


def behind(left: str, **more) -> Scene:
    """A command was entered at PROMPT behind ssh, and was taken; now the row ends with `left`."""
    facts = {"expected": True, "entered": True, "edited": True, "prompts": (PROMPT,), **more}
    facts["prompts"] = tuple(facts["prompts"])
    return Scene(**{"kernel": SSH, "left": left, "rows": (left,), **facts})


STILL = {"STILL_EDITED": STILL_EDITED, "STILL_BLIND": STILL_BLIND, "SILENT": SILENT}


def verdict_of(text: str) -> Verdict:
    word, _, detail = text.partition(": ")
    return Verdict(Word(word), detail) if detail else READY


VERDICTS = {
    name: (behind(left, **more), STILL[still], verdict_of(verdict))
    for name, (left, more, still, verdict) in TABLES["VERDICTS"].items()
}


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_comes_once_the_screen_is_still_and_not_before(name):
    scene, seconds, verdict = VERDICTS[name]
    assert decide(replace(scene, still=seconds)) == verdict
    assert decide(replace(scene, still=seconds * JUST_UNDER)) is None


RUNNING = {
    "the old prompt, whose Enter is on its way": behind(PROMPT, edits=True, taken=False),
    "the old prompt and a report": behind(PROMPT, edits=True, taken=False, idle=True),
    "a silent command": behind(""),
    "progress": behind("Downloading 45%"),
    "output that ends like a prompt, for a while": behind("a price of 5$ ", still=1.9),
}


@pytest.mark.parametrize("name", RUNNING)
def test_a_place_that_no_longer_shows_its_line_editor_is_running(name):
    scene = RUNNING[name]
    assert decide(replace(scene, still=scene.still or ENDLESS)) is None


@TABLES.rows("left, more, still, evidence")
def test_a_prompt_is_ready_at_once(left, more, still, evidence):
    scene = behind(left, still=STILL.get(still, 0.0), **more)
    assert decide(scene) == Verdict(Word.READY, evidence=Evidence(evidence))


def test_another_known_prompt_than_the_one_of_the_command_is_ready():
    """`exit` leaves a python that sets modes for a shell that sets none."""
    scene = behind(PROMPT, prompts=(">>> ", PROMPT))
    assert decide(scene) == Verdict(Word.READY, evidence=Evidence.PROMPT)
    assert decide(behind("(venv) " + PROMPT, still=1.9)) is None


def test_keys_that_leave_the_cursor_where_it_is_are_waited_for_a_little():
    scene = behind(PROMPT, edits=True, entered=False, pressed=True, taken=False)
    assert decide(replace(scene, still=STILL_EDITED)) is None
    assert decide(replace(scene, still=STILL_BLIND)) == READY


def test_the_modes_never_overrule_the_kernel():
    runs = replace(SSH, remote="", canonical=True, echo=True, waiter=None, name="make")
    assert decide(behind(PROMPT, kernel=runs, edits=True, still=ENDLESS)) is None


# AI command lines


def full(kernel: Probe, title: str, **more) -> Scene:
    """A full screen of one, in which nothing was drawn for a second."""
    return Scene(kernel=kernel, title=title, alternate=True, **{"still": 1.0, **more})


@pytest.mark.parametrize("title", ["⠹ folder", "⠂ Claude Code", "✦  Working… (folder)"])
@pytest.mark.parametrize("kernel", [CODEX, SSH])
def test_an_ai_command_line_at_work_gives_no_verdict(kernel, title):
    assert decide(full(kernel, title, still=ENDLESS * JUST_UNDER)) is None


def test_an_ai_command_line_that_asks_for_a_decision_needs_a_key_at_once():
    for kernel in (CODEX, SSH):
        scene = full(kernel, "[ ! ] Action Required | folder", still=STILL_DRAWN)
        verdict = decide(scene)
        assert verdict is not None and verdict.word is Word.NEEDS_KEY


def test_a_decision_is_not_reported_again_right_after_a_key():
    asks = full(CODEX, "[ ! ] Action Required | folder", pressed=True, still=STILL_DRAWN)
    assert decide(replace(asks, since_sent=STILL_DRAWN)) is None
    assert decide(replace(asks, since_sent=1.0)) is not None  # something was drawn since
    assert decide(replace(asks, still=SILENT, since_sent=SILENT)) is not None


def test_an_idle_ai_command_line_takes_keys():
    assert decide(full(CODEX, "folder")) == Verdict(Word.NEEDS_KEY, "codex")


def remote_scenes() -> list[Scene]:
    """The situations of this file: with those of test_verdict.py they need each row."""
    asks = full(CODEX, "[ ! ] Action Required | folder", still=STILL_DRAWN)
    works = [full(one, "⠹ folder", still=ENDLESS * JUST_UNDER) for one in (CODEX, SSH)]
    still = [
        replace(scene, still=seconds * share)
        for scene, seconds, _ in VERDICTS.values()
        for share in (1, JUST_UNDER)
    ]
    running = [replace(scene, still=scene.still or ENDLESS) for scene in RUNNING.values()]
    local = replace(SSH, remote="", name="sqlite3", waiter=replace(_WAITER, name="sqlite3"))
    reads = behind("Which one ", kernel=local, edits=True, prompts=(), still=STILL_BLIND)
    return [*still, *running, asks, *works, full(CODEX, "folder"), reads]


# What the terminal's modes are


def view(left: str = PROMPT, **more) -> View:
    return view_of([left], width=80, height=1, version=(3, 8), **more)


def test_bracketed_paste_is_a_line_editors_if_tmux_shows_it():
    assert line_editor_reads(view("anything", bracketed=True))
    assert not line_editor_reads(view(bracketed=False, keypad=True))


def test_in_older_tmux_keypad_mode_counts_at_the_form_of_a_prompt():
    assert line_editor_reads(view(keypad=True))
    for pager in (":", "(END)", "notes.txt", "lines 1-20"):
        assert not line_editor_reads(view(pager, keypad=True)), pager


def test_a_full_screen_and_a_menu_without_a_cursor_do_not_count():
    assert not line_editor_reads(view(bracketed=True, alternate=True))
    assert not line_editor_reads(view(bracketed=True, cursor_visible=False))
