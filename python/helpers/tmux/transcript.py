"""What came since the mark: the new output alone, without the command's echo and without the next prompt."""
from __future__ import annotations

import re

from .mark import Mark
from .output import echo_rows, squeezed, trimmed
from .pane import Pane, View
from .probe import printed_bytes
from .verdict import same_prompt

_ABOVE = 4           # rows before the mark that are looked at: the upper rows of the prompt
_REVERSED = re.compile(r"\x1b\[(?:\d+;)*7m[%#]\S*\s*$")  # zsh's mark for output without a final newline

_PATH = re.compile(r"[~/]\S*")                       # what changes in a prompt's upper row when the directory does


def new_output(pane: Pane, view: View, mark: Mark, text: str | None, *, ready: bool, program: str,
               prompts: tuple[str, ...] = ()) -> tuple[list[str], str]:
    """The lines that came since `mark`, and a note on what was lost ("" if nothing was). `text` is what was sent,
    `ready` that a prompt stands at the cursor, which is then cut off; `prompts` are those known."""
    if view.alternate:
        return trimmed(list(view.lines)), ""
    typed = mark.left + (text or "")
    view, before, rows = pane.lines(view, min(mark.row, view.row), _ABOVE)
    count, lost = echo_rows(rows, typed) or 0, ""
    if count <= 0:  # rows have moved, or nothing was echoed: the mark's row is a hint, the content decides
        everything = pane.lines(view, 0)[2]
        at = _last_echo(everything, typed) if squeezed(text or "") else None
        if at is not None:
            before, rows = everything[max(at - _ABOVE, 0):at], everything[at:]
            count = echo_rows(rows, typed) or 0
        elif view.row < mark.row or echo_rows(rows, typed) == -1 or not _opens(rows, mark):
            rows, count = everything, 0
            if view.history_limit and view.history_size >= view.history_limit * 9 // 10 - 1:
                lost = lost_lines(view, mark.printed, rows)
        else:
            first = squeezed(typed.partition("\n")[0])
            count = next((n for n in range(1, len(rows) + 1) if squeezed("".join(rows[:n])) == first), 1)
    body = trimmed_end([line.rstrip() for line in rows[count:]])
    return (_without_prompt(pane, view, body, before, mark, program, prompts) if ready else body), lost


def _last_echo(rows: list[str], typed: str) -> int | None:
    start = squeezed(typed)[:1]
    return next((i for i in range(len(rows) - 1, -1, -1)
                 if squeezed(rows[i])[:1] == start and (echo_rows(rows[i:], typed) or 0) > 0), None)


def trimmed_end(lines: list[str]) -> list[str]:
    """`lines` without blank ones at the end."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _opens(rows: list[str], mark: Mark) -> bool:
    """The first row is still the one that the mark was set on."""
    return bool(rows) and squeezed(rows[0]).startswith(squeezed(mark.left)) and bool(squeezed(mark.left))


def _without_prompt(pane: Pane, view: View, body: list[str], before: list[str], mark: Mark, program: str,
                    prompts: tuple[str, ...]) -> list[str]:
    left = view.left.rstrip()
    if not left or not body or not squeezed(body[-1]).startswith(squeezed(left)) and not body[-1].endswith(left):
        return body
    *body, last = body
    known = next((p.rstrip() for p in (*prompts, mark.left) if p.strip() and left.endswith(p.rstrip())), left)
    if len(known) < len(left):  # output without a final newline, and the prompt right behind it
        return [*body, last[:last.rfind(known)]]
    tall = _prompt_rows_above(pane, view, before, body, mark)
    if tall:
        body = body[:-tall]
    end = body[-1][-1:] if body else ""
    if (program == "fish" and end == "⏎") or (program == "zsh" and end in ("%", "#") and _marked(pane, body[-1])):
        body[-1] = body[-1][:-1]
    return trimmed_end(body)


def _prompt_rows_above(pane: Pane, view: View, before: list[str], body: list[str], mark: Mark) -> int:
    """How many of the last rows of `body` belong to a prompt of several rows: those that stood above every earlier
    prompt too. What stood above the very first one cannot have been the output of a command like this."""
    if not _common(before, body):
        return 0
    first = max(mark.row, 0)
    before = pane.lines(view, first, first)[1] if first <= view.row else before  # all that tmux still holds
    tall, commands = _common(before, body), set()
    for at, row in enumerate(before):
        if row.startswith(mark.left.rstrip()) or same_prompt(row, mark.left):
            tall = min(tall, _common(before[:at], body))
            commands.add(row)
    whole = view.history_size < view.history_limit * 9 // 10
    return tall if whole or len(commands) > 1 else 0


def _common(a: list[str], b: list[str]) -> int:
    count = 0
    while count < min(len(a), len(b), _ABOVE) and _PATH.sub("·", a[-1 - count].rstrip()) == _PATH.sub("·", b[-1 - count]):
        count += 1
    return count


def _marked(pane: Pane, row: str) -> bool:
    """Does `row` end in a reversed character, on the screen itself?"""
    wanted = squeezed(row)
    return any(_REVERSED.search(line) and squeezed(re.sub(r"\x1b\[[\d;]*m", "", line)) == wanted
               for line in pane.coloured())


def lost_lines(view: View, printed_then: int | None, kept: list[str]) -> str:
    """Roughly how many lines tmux's history could not hold: tmux counts none, the bytes that the server has read tell.
    `printed_then`: those at the moment from which it is counted; `kept`: the lines that are still there."""
    printed = printed_bytes(view.server)
    held = sum(len(line.encode()) + 2 for line in kept)
    what = "an unknown number of"
    if printed is not None and printed_then is not None and kept:
        what = f"about {max(round((printed - printed_then - held) / max(held / len(kept), 1)), 1)}"
    return f"[{what} lines scrolled out of tmux's history (limit {view.history_limit}) and are lost]"
