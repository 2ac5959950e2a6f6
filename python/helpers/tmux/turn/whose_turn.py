"""Whose turn it is now, and what is typed at the cursor: the verdict and the line together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..evidence import programs
from ..evidence.editor.line_editor import Reads
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
from ..evidence.screen.prompts import has_form, split
from ..output import cells
from ..words import Word
from .by_kernel import may_be_at_prompt
from .row import Verdict, unasked
from .scene import Scene
from .watch import Watch

_CHECK_PAUSE = 0.02  # seconds between two checks of a condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The program in front, and the line at the cursor."""

    verdict: Verdict | None  # None while nothing shows that a program waits
    program: str
    line: Line  # kind NONE if neither a prompt nor a question is at the cursor
    own: str  # typed text that is the agent's own
    proposed: str  # what the program itself put after its question
    running: bool  # the program in front does not wait for input
    remote: bool  # its terminal cannot be followed, or it cannot be inspected

    @property
    def word(self) -> Word | None:
        return self.verdict.word if self.verdict else None

    @property
    def ready(self) -> bool:
        return self.word is Word.READY

    @property
    def at_prompt(self) -> bool:
        """Whether a prompt for a command, or for the rest of one, is there."""
        return self.line.at_prompt

    @property
    def unfinished(self) -> bool:
        return self.line.kind is Kind.REST

    @property
    def prompt(self) -> str | None:
        """The prompt for a new command; None if there is none."""
        return self.line.prompt if self.line.kind is Kind.COMMAND else None

    @property
    def persons(self) -> str:
        """A half-typed line that is not the agent's; "" if there is none."""
        return "" if self.own or self.proposed else self.line.typed or ""

    @property
    def unknown(self) -> bool:
        """Whether it cannot be determined if anything is typed on the line."""
        return self.line.kind is not Kind.NONE and self.line.typed is None

    @property
    def is_idle_repl(self) -> bool:
        """Whether a program other than a shell waits at its prompt, with nothing typed after it."""
        empty = self.line.kind is Kind.COMMAND and self.line.typed == ""
        return self.ready and empty and not self.remote and not programs.of(self.program).shell


def whose_turn(watch: Watch) -> Turn:
    """Whose turn it is, from the latest readings."""
    scene = watch.scene()
    verdict = watch.verdict(scene)
    line = _line(watch, scene, verdict)
    if not line.typed and watch.is_draft and watch.is_own(line.prompt):  # at an empty prompt
        line = replace(line, prompt="", typed=line.prompt)
    typed = line.typed or ""
    preset = line.kind is Kind.QUESTION and bool(typed) and watch.is_proposed(typed)
    own = typed if watch.is_own(typed) else ""
    remote = scene.kernel.out_of_sight
    return Turn(
        verdict=verdict,
        program=scene.program,
        line=line,
        own=own,
        proposed=typed if preset and not own else "",
        running=verdict is None and scene.cooked and not (scene.listens or remote),
        remote=remote,
    )


def _line(watch: Watch, scene: Scene, verdict: Verdict | None) -> Line:
    view, near, word = watch.view, watch.near(), verdict.word if verdict else None
    if search := search_at(view, near):
        return search
    if scene.traits.no_prompt and verdict is not None and near.editor is None:
        return Line(Kind.QUESTION, "", view.wrapped_left.strip())
    if word is Word.UNFINISHED:
        return _unfinished(watch)
    quiet = word is Word.QUIET and has_form(view.left)
    if (verdict is not None and verdict.at_prompt) or quiet:
        return line_at(view, near)
    if not (scene.cooked or scene.alternate or scene.shell):
        if is_typed_behind(view, near):
            return line_at(view, near)
        if rest := _reported_rest(watch) or begun_rest(view, near):
            return rest
    asked = near.asked is not None
    if word is Word.NEEDS_INPUT or (verdict is None and scene.listens and asked):
        return _question(watch, scene, verdict)
    editor = near.editor
    if editor is not None and (editor.text.strip() or editor.reads is Reads.SEARCH):
        return line_at(view, near)  # our line, if its Enter is late, or one key of it
    return Line(Kind.NONE)


def _unfinished(watch: Watch) -> Line:
    """The line of an unfinished command. It is the agent's if its last input began the command
    and no key came since, or if an answer has said so."""
    if rest := _reported_rest(watch):
        return rest
    view, typed = watch.view, watch.input
    left = view.left.strip()
    begun = typed is not None and typed.enter and typed.at_prompt and watch.memory.turn_is_open
    empty = not (watch.editor and watch.editor.text.strip())
    if begun and empty and (watch.nobody_typed or len(watch.new_rows()) <= 1):
        return Line(Kind.REST, left)
    return rest_at(view, watch.near())


def _reported_rest(watch: Watch) -> Line | None:
    """The line at a continuation prompt that the last answer has reported."""
    view, mark = watch.view, watch.mark
    place = mark.place
    if mark.open != Word.UNFINISHED or place is None or place.row != view.row:
        return None
    sign, typed = cells(view.left, place.x)
    return Line(Kind.REST, sign.strip(), typed.strip())


def _question(watch: Watch, scene: Scene, verdict: Verdict | None) -> Line:
    """The question and what is typed after it, by the line editor, or by where the question ended
    when an answer showed it. A line that no answer has shown and that does not have the form of a
    question may have been typed."""
    view, near = watch.view, watch.near()
    if near.editor is not None or (near.asked and near.asked[0] == view.row):
        line = line_at(view, near)
        return replace(line, kind=Kind.QUESTION)
    left = view.wrapped_left.strip()
    if not left or watch.nobody_typed or is_question(left):
        return Line(Kind.QUESTION, left) if left else Line(Kind.NONE)
    found = split(left, near.prompts, (), near.directory) if may_be_at_prompt(scene) else None
    if found is not None and found.typed:
        return Line(Kind.COMMAND, found.prompt, found.typed)
    plain = (left, view.left.strip(), unasked(scene))  # else the form is drawn
    shown = verdict is not None and verdict.detail in plain
    return Line(Kind.QUESTION, left, None) if shown else Line(Kind.NONE)


def turn_once(watch: Watch, condition: Callable[[Turn], bool], limit: float) -> Turn:
    """Whose turn it is once `condition` is true, at the latest after `limit` seconds."""
    end = watch.clock() + limit
    while not condition(here := whose_turn(watch)) and watch.clock() <= end:
        watch.nap(_CHECK_PAUSE)
        watch.refresh()
    return here
