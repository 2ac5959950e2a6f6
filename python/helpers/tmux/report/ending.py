"""How output ends: the prompt after it, which is not output."""

from __future__ import annotations

import re

from ..evidence import programs
from ..evidence.screen.line import Kind, Line
from ..evidence.screen.prompts import glued
from ..evidence.screen.upper_rows import seen_rows, without_rows
from ..output import squeezed, trimmed_end
from ..turn.watch import Watch

# After output without a line break zsh shows a reversed % or #, fish a dim sign.
_MARK = re.compile(r"\x1b\[(?:\d+;)*[27]m[%#⏎]\S*\s*$")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


def without_prompt(watch: Watch, rows: list[str], line: Line) -> list[str]:
    """`rows`, which end at the cursor's row, without the empty prompt at their end."""
    rows = trimmed_end([row.rstrip() for row in rows])
    if line.kind not in (Kind.COMMAND, Kind.REST) or line.typed or not rows:
        return rows  # the agent must see a half-typed line
    prompt = _prompt(watch, line)
    if not prompt:
        return rows if watch.view.left.strip() else trimmed_end(rows)
    rows, last, output = _split(watch, rows, prompt)
    if last is None:
        return rows
    if output.strip() or line.kind is Kind.REST:
        return trimmed_end([*rows, output.rstrip()])
    upper = upper_rows(watch, prompt)
    return _without_mark(watch, without_rows(rows, upper, watch.directory()))


def _prompt(watch: Watch, line: Line) -> str:
    """The last row of the prompt, as it is on the screen."""
    if watch.editor is not None or line.kind is Kind.REST:
        return line.prompt
    left, whole = watch.view.left.strip(), watch.view.wrapped_left
    if programs.of(watch.kernel.name).own_row:
        return left
    begin = glued(whole, watch.prompts())  # output may be glued before it
    return whole[begin:].strip() if begin else left


def _split(watch: Watch, rows: list[str], prompt: str) -> tuple[list[str], str | None, str]:
    """`rows` without the prompt's last row; that row, None if it is missing; and the text before
    the prompt in it. A prompt may be wrapped, and tmux does not join all of its rows."""
    signs, text, count = squeezed(prompt), "", 0
    while count < len(rows) and len(squeezed(text)) < len(signs):
        count += 1
        text = rows[-count] + text
    left = watch.view.left.rstrip()
    last = text[: text.rindex(left) + len(left)] if left and left in text else text.rstrip()
    if not squeezed(last).endswith(signs):
        return rows, None, ""
    begin, missing = len(last), len(signs)
    while missing:  # a space may be lost where it wraps
        begin -= 1
        missing -= not last[begin].isspace()
    return rows[:-count], last, last[:begin]


def upper_rows(watch: Watch, prompt: str) -> list[str]:
    """The rows of the prompt at the cursor above its last one."""
    editor = watch.editor
    if editor is not None:
        return list(editor.above)
    known = watch.book.upper(watch.kernel.subject, prompt)
    return known or []


def learn_upper(watch: Watch) -> None:
    """Learns the upper prompt rows of a shell whose line editor cannot be read. The rows above a
    REPL's prompt are its results."""
    shell = watch.kernel.remote or programs.of(watch.kernel.name).shell
    if watch.editor is not None or watch.view.alternate or not shell:
        return
    book, subject, prompts = watch.book, watch.kernel.subject, watch.prompts()
    if not prompts or not prompts[0]:
        return
    above, names = watch.view.joined.split(watch.view.row)[0], watch.directory()
    known = book.upper(subject, prompts[0])
    if known is not None and (not known or without_rows(above, known, names) != above):
        return
    seen = seen_rows(above, prompts, names)
    if seen is not None:
        book.learn_upper(subject, seen)


def _without_mark(watch: Watch, body: list[str]) -> list[str]:
    """`body` without the mark that zsh and fish show for output without a line break."""
    last = body[-1].rstrip() if body else ""
    if last.endswith(("%", "#", "⏎")) and _is_marked(watch, last):
        return trimmed_end([*body[:-1], last[:-1].rstrip()])
    return body


def _is_marked(watch: Watch, row: str) -> bool:
    """Whether `row`, which may be wrapped, ends with such a mark on the screen itself."""
    marked = (line for line in watch.pane.coloured() if _MARK.search(line))
    shown = (squeezed(_COLOUR.sub("", line)) for line in marked)
    return any(line.endswith(squeezed(row)) or squeezed(row).endswith(line) for line in shown)
