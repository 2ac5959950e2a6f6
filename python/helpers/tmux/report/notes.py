"""Notes: what else happened in the pane, or cannot be determined."""

from __future__ import annotations

import re

from ..evidence import programs
from ..evidence.screen.line import Kind
from ..evidence.screen.prompts import has_form
from ..output import clean, trimmed
from ..transcript.news import News
from ..turn.watch import Watch
from ..turn.whose_turn import Turn
from ..words import Word
from .ending import without_prompt

_UNSEEN = (
    "someone worked here since the last answer, or a program printed; read without new shows it"
)
_CLEARS = re.compile(r"\s*(?:clear|reset|tput (?:clear|reset))\b|\^L$")
CANNOT_TELL = "cannot determine whether someone has typed here"


def half_typed(here: Turn) -> list[str]:
    """The note about text at the cursor: the program's own, or a half-typed line."""
    if here.proposed:
        proposes = f"it proposes {clean(here.proposed)!r}"
        return [f"{proposes}; what you send follows it, keys C-u empty it"]
    typed, whose = here.own or here.persons, "your own" if here.own else "not yours"
    where = "the prompt" if here.at_prompt else "the question"
    return [f"a half-typed line is at {where}, {whose}: {clean(typed)!r}"] if typed else []


def unseen(watch: Watch, here: Turn) -> list[str]:
    """A note if the pane shows something that no answer has shown, and this one will skip."""
    if watch.view.alternate or watch.first or watch.mark.place is None:
        return []
    rows = watch.came(watch.mark.place, end=watch.view.row).lines
    return [_UNSEEN] if trimmed(without_prompt(watch, rows, here.line)) else []


def losses(watch: Watch, news: News) -> list[str]:
    """A note if some of what came since the last answer is missing."""
    if news.lost:
        limit = watch.view.history_limit
        return [f"lines scrolled out of tmux's history (limit {limit}) and are lost"]
    redrawn = watch.mark.open == Word.NEEDS_KEY  # such a program may redraw its own screen
    if news.cleared and not (redrawn or _CLEARS.match(watch.text)):
        return ["the screen was cleared: what was printed before that is gone"]
    return []


def cannot_tell(watch: Watch, here: Turn) -> list[str]:
    """A note if typed text cannot be distinguished from what the program drew."""
    if watch.view.alternate and watch.first:
        return [f"{CANNOT_TELL}: {here.program} fills the screen, and no answer has shown it"]
    if here.unknown:
        return [f"{CANNOT_TELL}: {clean(here.line.prompt)!r}"]
    empty = here.ready and here.line.kind is Kind.COMMAND and not here.line.typed
    if not (watch.kernel.canonical and empty) or watch.at_mark or watch.nobody_typed_since_answer:
        return []
    # A line that was begun before this prompt appeared waits in the kernel, unseen.
    return [f"{CANNOT_TELL} before this prompt came: {here.program} reads whole lines"]


def may_be_prompt(watch: Watch, here: Turn) -> list[str]:
    """A note, once, if a remote program is quiet at a line that does not look like a prompt."""
    left, verdict = watch.view.left.strip(), here.verdict
    if verdict is None or verdict.word is not Word.QUIET or watch.mark.open == Word.QUIET:
        return []
    if not here.remote or verdict.detail != left or has_form(left):
        return []
    return ["if that line is a prompt, wait_ready with a prompt_pattern that matches it says so"]


def goes_on(program: str, word: Word | None) -> str:
    """Advice if C-c did not end `program`; `word`: the verdict after it."""
    if word is Word.UNFINISHED:  # whatever is sent now, also `exit`, is part of the command
        return f"C-c has not ended the command that {program} reads; send its rest (SQL: ;)"
    runs = word is Word.TIMED_OUT  # a program that runs reads no text
    way = programs.of(program).leave
    if way and not (runs and way.startswith("send ")):
        return f"{program} did not give the prompt back on C-c; its own way out: {way}"
    return (
        f"{program} did not give the prompt back on C-c; try its own way out (q, Escape, C-d, its"
        " quit command), or keys C-\\ to force it"
    )
