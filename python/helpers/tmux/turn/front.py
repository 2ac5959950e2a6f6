"""Who is in front: whose turn it is, and whose line stands at its prompt or question.

A person's half-typed line is never appended to.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..evidence.editor.line_editor import Reads
from ..evidence.kernel.probe import SHELLS
from ..evidence.screen.programs import way_out
from ..evidence.screen.prompt import has_form
from ..evidence.screen.question_line import on_line
from ..evidence.screen.typed import (
    Typed,
    answer_line,
    edited_line,
    further_line,
    is_typed_behind,
    search_line,
    typed_line,
    unfinished_line,
)
from ..terminal.client import TmuxError
from ..words import Word
from .verdict import Verdict
from .watch import Watch

_AT_PROMPT = 1.0  # seconds for a shell that is just drawing its prompt
_AT_FORM = 2.5  # seconds where only the form of a line shows a prompt: it must stand still
_REDRAW = 0.02  # seconds
_FISH_VI = re.compile(r"\[[NRV]\] ")  # fish shows its mode before its prompt: `[N] ~> `


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """Who is in front now."""

    verdict: Verdict | None  # None while nothing shows that anybody waits
    program: str
    typed: Typed | None  # None where neither a prompt nor a question is at the cursor
    at_prompt: bool  # a prompt for commands is, or for the rest of one
    unfinished: bool  # it is for the rest of one
    running: bool  # nobody in front can be seen to wait for input
    remote: bool  # it carries a terminal that cannot be looked at, or is hidden itself

    @property
    def word(self) -> Word | None:
        return self.verdict.word if self.verdict else None

    @property
    def ready(self) -> bool:
        return self.word is Word.READY

    @property
    def prompt(self) -> str | None:
        """The prompt for a new command; None where there is none."""
        if self.typed is None or not self.at_prompt or self.unfinished:
            return None
        return self.typed.prompt

    @property
    def is_idle_repl(self) -> bool:
        """Does a program that is no shell wait at its prompt, with nothing typed behind it?"""
        empty = self.typed is not None and self.typed.text == ""
        return self.ready and empty and not self.remote and self.program not in SHELLS

    @property
    def persons(self) -> str:
        """A half-typed line that is not the agent's; "" where there is none."""
        return (self.typed.text or "") if self.typed and not self.typed.own else ""

    @property
    def own(self) -> str:
        """The agent's own half-typed line."""
        return (self.typed.text or "") if self.typed and self.typed.own else ""


def front(watch: Watch) -> Front:
    """Who is in front, from the latest readings."""
    scene = watch.scene()
    verdict = watch.verdict(scene)
    word = verdict.word if verdict else None
    at_prompt = word is Word.UNFINISHED or bool(verdict and verdict.at_prompt)
    at_prompt |= word is Word.QUIET and has_form(watch.view.left)
    typed, unfinished = None, word is Word.UNFINISHED
    edits = not (scene.cooked or scene.alternate or scene.shell)
    if search := search_line(watch):
        typed, at_prompt, unfinished = search, True, False
    elif unfinished:
        typed = unfinished_line(watch)
    elif at_prompt:
        typed = typed_line(watch)
    elif edits and is_typed_behind(watch):
        typed, at_prompt = typed_line(watch), True
    elif edits and (typed := further_line(watch)):
        at_prompt = unfinished = True
    elif word is Word.NEEDS_INPUT or (verdict is None and scene.listens and _was_asked(watch)):
        typed = answer_line(watch) or _not_told(watch, verdict)
    elif watch.editor is not None and watch.editor.text.strip():
        typed = edited_line(watch, watch.editor)  # ours, if its Enter is late, or in a key
    remote = bool(scene.remote or scene.kernel.hidden)
    return Front(
        verdict=verdict,
        program=scene.program,
        typed=typed,
        at_prompt=at_prompt,
        unfinished=unfinished,
        running=verdict is None and scene.cooked and not (scene.listens or remote),
        remote=remote,
    )


def at_prompt(watch: Watch) -> Front:
    """Who is in front, once that is a prompt for a command, or somebody has typed at one. Raises
    TmuxError where it is none in time."""
    limit = _AT_FORM if has_form(watch.view.left) else _AT_PROMPT
    here = front_once(watch, _is_at_prompt, limit)
    if not _is_at_prompt(here):
        must_take_letters(watch, here.program)
        advice = "use send to answer or type ahead, wait_ready to wait, interrupt to stop it"
        if here.word is Word.NEEDS_KEY and (way := way_out(here.program)):
            advice = f"use keys, or leave it: {way}"
        raise TmuxError(_not_at_prompt(watch, here), f"{advice}; nothing was typed")
    return here


def must_take_letters(watch: Watch, program: str, key: bool = False) -> None:
    """Raises TmuxError where a line editor takes a letter for something else than text. `key`: an
    answer of one key may be given."""
    reads = watch.editor.reads if watch.editor else None
    if reads is Reads.VI_COMMAND or (program == "fish" and _FISH_VI.match(watch.view.left)):
        raise TmuxError(
            f"the line editor of {program} is in vi's command mode: letters are commands",
            "press keys i first, or ask the person; nothing was typed",
        )
    if reads is Reads.KEY and not key:
        raise TmuxError(
            f"the line editor of {program} waits for one key: the rest of one, or an answer",
            "press it with keys, or keys C-g to leave that; nothing was typed",
        )


def front_once(watch: Watch, condition: Callable[[Front], bool], limit: float) -> Front:
    """Who is in front once `condition` is true of it, at the latest after `limit` seconds."""
    end = watch.clock() + limit
    while not condition(here := front(watch)) and watch.clock() <= end:
        watch.nap(_REDRAW)
        watch.refresh()
    return here


def _is_at_prompt(here: Front) -> bool:
    at_prompt = (here.at_prompt or here.ready) and not here.unfinished
    return bool(here.persons) or at_prompt


def _not_at_prompt(watch: Watch, here: Front) -> str:
    name, verdict = watch.pane.name, here.verdict
    if verdict is None:
        return f"{here.program} is in front in {name} and still runs"
    return f"{here.program} is in front in {name} and {verdict.word} ({verdict.detail})"


def _was_asked(watch: Watch) -> bool:
    """Has the last answer told of a question, and the agent sent nothing since? It still stands
    where it stood, though the screen has not been seen to stand still."""
    shown = watch.shown
    return bool(shown and shown.asked == Word.NEEDS_INPUT and watch.memory.is_answered)


def _not_told(watch: Watch, verdict: Verdict | None) -> Typed | None:
    """The line at the cursor that is taken for a question and may be what somebody has typed: no
    answer has told of it, and it has the form of none. A form that is drawn is told otherwise."""
    line = watch.view.left.strip()
    if verdict is None or verdict.detail != line or on_line(line) or has_form(line):
        return None
    return Typed(line, None) if line else None
