"""Notes that an answer may carry: what else happened, or cannot be told."""

from __future__ import annotations

from .evidence.kernel.probe import SHELLS
from .evidence.screen.prompt_rows import joined_prompt, without_rows
from .evidence.screen.typed import Typed, shown_directory
from .output import trimmed
from .transcript.places import since_place
from .turn.front import Front
from .turn.watch import Watch
from .typing.type_ahead import typed_ahead

SCROLLED_BACK = (
    "the person had scrolled back; copy mode was left, because these keys do not bypass it"
)
_UNSEEN = "somebody worked here since the last answer, or a program printed; read shows it"
_CANNOT_TELL = "it cannot be told whether somebody has typed here"
_AHEAD = (
    "{0} reads whole lines: if somebody began one before this prompt came, it cannot be seen, and"
    " the next line continues it"
)


def unseen(watch: Watch) -> list[str]:
    """A note where something is on the pane that no answer has shown, before it is skipped."""
    shown = watch.shown
    if watch.view.alternate or shown is None or not shown.known:
        return []
    since = since_place(watch.view, watch.shown_lines(shown).upto(watch.view.row), shown)
    prompt = (watch.editor.prompt if watch.editor else watch.view.left).strip()
    rows = joined_prompt(trimmed(since.lines), prompt)
    if rows and watch.view.left.strip() and rows[-1].strip().startswith(prompt):
        rows = rows[:-1]  # the prompt, and perhaps a right one
    upper = watch.editor.above if watch.editor else watch.book.upper(watch.kernel.subject)
    rest = without_rows(rows, upper, shown_directory(watch)) if upper else None
    return [_UNSEEN] if trimmed(rows if rest is None else rest) else []


def cannot_tell(watch: Watch, here: Front) -> list[str]:
    """A note where a prompt is so strange that typed text behind it cannot be told from it, where
    no answer has shown a full screen, or where a line may have been begun before the prompt came:
    a shell that reads whole lines leaves that in the kernel, and does not show it again."""
    if watch.view.alternate and watch.shown is None:
        return [f"{_CANNOT_TELL}: {here.program} fills the screen, and no answer has shown it"]
    if here.typed is None:
        return []
    if here.typed.text is None:
        return [f"{_CANNOT_TELL}: {here.typed.prompt!r}"]
    empty = here.prompt is not None and not here.typed.text
    whole_lines = watch.kernel.canonical and here.program in SHELLS and empty
    return [_AHEAD.format(here.program)] if whole_lines and _may_be_ahead(watch) else []


def _may_be_ahead(watch: Watch) -> bool:
    """Has somebody typed before the prompt came, or may have before the first answer?"""
    if watch.first:
        return any(row.strip() for row in watch.view.joined.split(watch.view.row)[0])
    return typed_ahead(watch) is not None


def ahead(watch: Watch) -> list[str]:
    """The note about what somebody has typed ahead."""
    found = typed_ahead(watch)
    waits = found is not None and found.count > 0
    return [f"somebody has typed ahead, and it waits to be read: {found}"] if waits else []


def half_typed(typed: Typed | None) -> list[str]:
    """The note about a half-typed line."""
    if typed is None or not typed.text:
        return []
    whose = "your own" if typed.own else "somebody's"
    return [f"a half-typed line is at the prompt, {whose}: {typed.text!r}"]
