"""Whose turn it is now, and what is typed at the cursor: the verdict and the line together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..evidence.kernel.probe import SHELLS
from ..evidence.screen.line import (
    Kind,
    Line,
    begun_rest,
    is_question,
    is_typed_behind,
    line_at,
    rest_at,
    search_at,
)
from ..evidence.screen.programs import way_out
from ..evidence.screen.prompts import has_form
from ..terminal.client import TmuxError
from ..words import Word
from .verdict import Verdict
from .watch import Watch

_AT_PROMPT = 1.0  # seconds for a shell that is just drawing its prompt
_AT_FORM = 2.5  # seconds where only the form of a line shows a prompt: it must stand still
_REDRAW = 0.02  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Who is in front now, and the line at the cursor."""

    verdict: Verdict | None  # None while nothing shows that anyone waits
    program: str
    line: Line  # kind NONE where neither a prompt nor a question is at the cursor
    own: str  # what is typed there and is the agent's own
    proposed: str  # what the program itself put behind its question
    running: bool  # the program in front does not wait for input
    remote: bool  # it is on a terminal that cannot be followed, or hidden itself

    @property
    def word(self) -> Word | None:
        return self.verdict.word if self.verdict else None

    @property
    def ready(self) -> bool:
        return self.word is Word.READY

    @property
    def at_prompt(self) -> bool:
        """A prompt for a command is there, or for the rest of one."""
        return self.line.at_prompt

    @property
    def unfinished(self) -> bool:
        return self.line.kind is Kind.REST

    @property
    def prompt(self) -> str | None:
        """The prompt for a new command; None where there is none."""
        return self.line.prompt if self.line.kind is Kind.COMMAND else None

    @property
    def persons(self) -> str:
        """A half-typed line that is not the agent's; "" where there is none."""
        return "" if self.own or self.proposed else self.line.typed or ""

    @property
    def unknown(self) -> bool:
        """It cannot be determined whether anything is typed on the line."""
        return self.line.kind is not Kind.NONE and self.line.typed is None

    @property
    def is_idle_repl(self) -> bool:
        """Does a program that is no shell wait at its prompt, with nothing typed behind it?"""
        empty = self.line.kind is Kind.COMMAND and self.line.typed == ""
        return self.ready and empty and not self.remote and self.program not in SHELLS


def whose_turn(watch: Watch) -> Turn:
    """Whose turn it is, from the latest readings."""
    scene = watch.scene()
    verdict = watch.verdict(scene)
    line = _line(watch, scene, verdict)
    typed = line.typed or ""
    preset = line.kind is Kind.QUESTION and bool(typed) and watch.is_proposed(typed)
    own = typed if watch.is_own(typed) else ""
    remote = bool(scene.remote or scene.kernel.hidden)
    return Turn(
        verdict=verdict,
        program=scene.program,
        line=line,
        own=own,
        proposed=typed if preset and not own else "",
        running=verdict is None and scene.cooked and not (scene.listens or remote),
        remote=remote,
    )


def _line(watch: Watch, scene, verdict: Verdict | None) -> Line:
    view, near, word = watch.view, watch.near(), verdict.word if verdict else None
    if search := search_at(view, near):
        return search
    if word is Word.UNFINISHED:
        return _unfinished(watch)
    quiet = word is Word.QUIET and has_form(view.left)
    if (verdict is not None and verdict.at_prompt) or quiet:
        return line_at(view, near)
    if not (scene.cooked or scene.alternate or scene.shell):
        if is_typed_behind(view, near):
            return line_at(view, near)
        if rest := begun_rest(view, near):
            return rest
    asked = bool(watch.mark.asked) and watch.memory.is_answered
    if word is Word.NEEDS_INPUT or (verdict is None and scene.listens and asked):
        return _question(watch, verdict)
    if near.editor is not None and near.editor.text.strip():
        return line_at(view, near)  # ours, if its Enter is late, or in a key
    return Line(Kind.NONE)


def _unfinished(watch: Watch) -> Line:
    """The rest of a command is asked for. The rows of it are the agent's where its last input began
    it and no key came since, or where an answer has said so."""
    view, typed, mark = watch.view, watch.input, watch.mark
    left = view.left.strip()
    place = mark.place
    if mark.open == Word.UNFINISHED and place and (place.row, place.x) == view.cell:
        return Line(Kind.REST, left)
    begun = typed is not None and typed.enter and typed.at_prompt and watch.memory.turn_is_open
    empty = not (watch.editor and watch.editor.text.strip())
    if begun and empty and (watch.nobody_typed or len(watch.new_rows()) <= 1):
        return Line(Kind.REST, left)
    return rest_at(view, watch.near())


def _question(watch: Watch, verdict: Verdict | None) -> Line:
    """What is typed behind a question: by the line editor, or behind where an answer has shown that
    it ends. A line of which no answer has told, and that has no question's form, may be typed."""
    view, near = watch.view, watch.near()
    if near.editor is not None or (near.asked and near.asked[0] == view.row):
        line = line_at(view, near)
        return Line(Kind.QUESTION, line.prompt, line.typed, line.source)
    left = view.left.strip()
    if not left or watch.nobody_typed or is_question(left):
        return Line(Kind.QUESTION, left) if left else Line(Kind.NONE)
    drawn = verdict is None or verdict.detail != left  # a form that is drawn has its own detail
    return Line(Kind.NONE) if drawn else Line(Kind.QUESTION, left, None)


def at_prompt(watch: Watch) -> Turn:
    """Whose turn it is, once there is a prompt for a command, or a line typed at one. Raises
    TmuxError where there is none in time."""
    limit = _AT_FORM if has_form(watch.view.left) else _AT_PROMPT
    here = turn_once(watch, _is_at_prompt, limit)
    if not _is_at_prompt(here):
        advice = "use send to answer or type ahead, wait_ready to wait, interrupt to stop it"
        if here.word is Word.NEEDS_KEY and (way := way_out(here.program)):
            advice = f"use keys, or leave it: {way}"
        raise TmuxError(_not_at_prompt(watch, here), f"{advice}; nothing was typed")
    return here


def turn_once(watch: Watch, condition: Callable[[Turn], bool], limit: float) -> Turn:
    """Whose turn it is once `condition` is true of it, at the latest after `limit` seconds."""
    end = watch.clock() + limit
    while not condition(here := whose_turn(watch)) and watch.clock() <= end:
        watch.nap(_REDRAW)
        watch.refresh()
    return here


def _is_at_prompt(here: Turn) -> bool:
    at_prompt = (here.at_prompt or here.ready) and not here.unfinished
    return bool(here.persons) or at_prompt


def _not_at_prompt(watch: Watch, here: Turn) -> str:
    name, verdict = watch.pane.name, here.verdict
    if verdict is None:
        return f"{here.program} is in front in {name} and is still running"
    return f"{here.program} is in front in {name} and {verdict.word} ({verdict.detail})"
