"""The decision table alone, without tmux: each situation of situations.toml and its verdict;
test_scenes.py has what must be true of every scene."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from python.helpers.tmux.evidence import programs
from python.helpers.tmux.evidence.editor.line_editor import Editor, Reads
from python.helpers.tmux.evidence.kernel.probe import How, Probe, Waiter
from python.helpers.tmux.output import cells, width
from python.helpers.tmux.turn import verdict
from python.helpers.tmux.turn.by_screen import ENDLESS, STILL_BLANK
from python.helpers.tmux.turn.row import Verdict
from python.helpers.tmux.turn.scene import SILENT, STILL_BLIND, STILL_DRAWN, Scene
from python.helpers.tmux.turn.verdict import TABLE, decide
from python.helpers.tmux.words import Evidence, Word
from tests.pure.test_remote_turns import remote_scenes
from tests.support.examples import at_once
from tests.support.tables import Tables

TABLES = Tables(__file__)

WIDEST = 10_000  # cells of a row, at most, in tmux
HERE = Path(__file__).parent
FILE = tomllib.loads((HERE / "situations.toml").read_text(encoding="utf-8"))
LIMITS = {
    "ENDLESS": ENDLESS,
    "SILENT": SILENT,
    "STILL_BLANK": STILL_BLANK,
    "STILL_BLIND": STILL_BLIND,
    "STILL_DRAWN": STILL_DRAWN,
}
LIMITS |= {f"just under {name}": seconds * 0.99 for name, seconds in LIMITS.items()}
MODES = TABLES["MODES"]


def program(row: str | list) -> Probe:
    """What the kernel shows of a program in the file, or of one written in the same form."""
    if row == "BLINDED":  # no /proc, no termios: tmux's own idea of the program in front
        return Probe(alive=True, name="bash")
    row = FILE["programs"][row] if isinstance(row, str) else row
    words, more = (row[:-1], dict(row[-1])) if isinstance(row[-1], dict) else (row, {})
    name, mode, how, size = [*words, *["", 0][len(words) - 2 :]]
    by, waits = (
        more.pop("by", name),
        {one: more.pop(one) for one in ("proven", "script") if one in more},
    )
    waiter = Waiter(pid=77, name=by, how=How(how), size=size, **waits) if how else None
    canonical, echo = MODES[mode]
    facts = {"foreground": 77, "subject": 77, "cpu_ns": 1_000_000, "bytes_read": 1_000, **more}
    return Probe(alive=True, name=name, canonical=canonical, echo=echo, waiter=waiter, **facts)


def screen_of(name: str) -> dict:
    """A recorded screen of a real program."""
    picture = json.loads((HERE / f"frames/{name}.json").read_text(encoding="utf-8"))
    rows = tuple(picture["rows"] + [""] * (picture["height"] - len(picture["rows"])))
    place = {key: picture[key] for key in ("x", "y", "cursor_visible", "alternate")}
    return {"rows": rows, "left": cells(rows[picture["y"]], picture["x"])[0], **place}


def full_screen(kernel: Probe, left: str) -> dict:
    """The alternate screen of an editor or a pager: `left` in its last row where it is a pager."""
    last = 23 if kernel.waiter and kernel.waiter.name in ("less", "more") else 5
    rows = tuple(left if row == last else f"text {row}" for row in range(24))
    return {"rows": rows, "y": last, "alternate": True}


def seen(kernel: Probe, left: str = "", **more) -> Scene:
    """A scene whose screen shows `left` in one row, up to the cursor, and nothing else."""
    facts = {"left": left, "rows": (left,), "x": sum(map(width, left))}
    return Scene(kernel=kernel, **{**facts, **more})


def scene_of(row: list) -> tuple[Scene, Verdict | None]:
    """A row of the file: the scene, and what it deserves."""
    kernel, left, told, more = program(row[0]), row[1], row[2], dict(*row[3:])
    facts = {key: tuple(it) if isinstance(it, list) else it for key, it in more.items()}
    for key in {"still", "full", "silent", "since_sent"} & facts.keys():
        facts[key] = LIMITS.get(facts[key], facts[key])
    if name := facts.pop("frame", ""):
        facts |= screen_of(name)
    if facts.pop("full_screen", False):
        facts |= full_screen(kernel, left)
    if reads := facts.pop("reads", ""):
        text = facts.pop("holds", "")
        at = {"prompt": facts.pop("prompt"), "text": text, "cursor": len(text)}
        facts["editor"] = Editor(reads=Reads[reads], **at)
    return seen(kernel, **{"left": left, **facts}), verdict_of(told)


def verdict_of(told: str) -> Verdict | None:
    word, _, detail = told.partition(": ")
    if word == "running":
        return None
    if word.startswith("ready"):
        return Verdict(Word.READY, evidence=Evidence(word[len("ready (") : -1]))
    return Verdict(Word(word), detail)


SITUATIONS = {name: scene_of(row) for name, row in FILE["situations"].items()}
PYTHON, ZSH, BLINDED, DASH, NODE = map(program, ("PYTHON", "ZSH", "BLINDED", "DASH", "NODE"))


@pytest.mark.parametrize("name", SITUATIONS)
def test_situation(name):
    scene, expected = SITUATIONS[name]
    assert decide(scene) == expected


def test_the_times_are_those_of_the_contract():
    assert SILENT == 2.0
    # a program between two lines of output is silent for 0.3 s
    assert 0.4 <= STILL_BLANK <= STILL_BLIND <= 1.0


@pytest.mark.parametrize("number", range(len(TABLE)), ids=lambda n: f"{n}: {TABLE[n].word}")
def test_every_row_is_needed_by_a_situation(number, monkeypatch):
    """Without the row some situation above is decided otherwise: no row can break unseen."""
    cases = [*SITUATIONS.values(), *((scene, decide(scene)) for scene in remote_scenes())]
    shorter = TABLE[:number] + TABLE[number + 1 :]
    monkeypatch.setattr(verdict, "TABLE", shorter)
    assert any(decide(scene) != expected for scene, expected in cases), TABLE[number].word


HOSTILE = {
    name: "".join(text * count for text, count in parts)
    for name, parts in TABLES["HOSTILE"].items()
}
LONG_PROMPTS = ("1/" * 200, "~a1" * 130, "$ " * 100, "x" * 400)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_decision_on_a_hostile_line_is_quick(name):
    line = HOSTILE[name]
    for text in (line, line + ":", line[1:] + ">"):
        for scene in (
            seen(PYTHON, text, prompts=LONG_PROMPTS),
            seen(ZSH, text, prompts=LONG_PROMPTS, entered=True),
            seen(BLINDED, text, still=9.0),
            seen(DASH, text),
            seen(NODE, text, still=9.0, rows=(text[:WIDEST],) * 40, y=39),
        ):
            with at_once(f"{scene.program}: {text}"):
                decide(scene)


def test_every_shell_of_the_tests_is_known_as_one():
    assert all(programs.of(name).shell for name in "bash zsh fish dash sh ksh".split())
