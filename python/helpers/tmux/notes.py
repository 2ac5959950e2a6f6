"""Notes that an answer may carry: what else happened, or cannot be told."""

from __future__ import annotations

from .front import Front
from .output import trimmed
from .places import since_place
from .prompt_rows import joined_prompt, without_rows
from .typed import Typed, shown_directory
from .watch import Watch

SCROLLED_BACK = (
    "the person had scrolled back; copy mode was left, because these keys do not bypass it"
)
_UNSEEN = "somebody worked here since the last answer, or a program printed; read shows it"


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


def cannot_tell(here: Front) -> list[str]:
    """A note where a prompt is so strange that typed text behind it cannot be told from it."""
    if here.typed is None or here.typed.text is not None:
        return []
    return [f"it cannot be told whether somebody has typed here: {here.typed.prompt!r}"]


def half_typed(typed: Typed | None) -> list[str]:
    """The note about a half-typed line."""
    if typed is None or not typed.text:
        return []
    whose = "your own" if typed.own else "somebody's"
    return [f"a half-typed line is at the prompt, {whose}: {typed.text!r}"]
