"""What came since the mark: the new output alone, without the command's echo and without the next prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .mark import Mark, Prompts
from .output import echo_rows, squeezed, trimmed
from .pane import Pane, panes
from .probe import printed_bytes
from .verdict import shape
from .view import MEMORY, View

_ABOVE = 400  # rows before the mark that are looked at, to see what stood above earlier prompts
_TALLEST = 4  # rows of a prompt above its last one
_REVERSED = re.compile(
    r"\x1b\[(?:\d+;)*7m[%#]\S*\s*$"
)  # zsh's mark for output without a final newline

_PATH = re.compile(r"[~/]\S*")  # what changes in a prompt's upper row when the directory does


@dataclass(frozen=True, slots=True)
class Since:
    """What came since a mark: the lines behind the echo, those above it, and a note on what was lost ("" if nothing)."""

    view: View
    above: list[str]
    lines: list[str]
    lost: str = ""


def since(pane: Pane, view: View, mark: Mark, text: str | None) -> Since:
    """Find the echo of `text` that was typed at `mark`, and what follows it. The mark's row is a hint, which clearing,
    resizing and a full history make worthless; the content decides."""
    if view.alternate or mark.full:
        return Since(view, [], trimmed(list(view.lines)))
    typed = mark.left + (text or "")
    view, above, rows = pane.lines(view, min(mark.row, view.row), _ABOVE)
    count = echo_rows(rows, typed) or 0
    if count > 0:
        return Since(view, above, rows[count:])
    if count < 0 and squeezed(" ".join(rows)) not in ("", squeezed(mark.left)):
        return Since(view, above, [])  # the echo is still being drawn
    everything = pane.lines(view, 0)[2]
    at = _last_echo(everything, typed) if squeezed(text or "") else None
    if at is not None:
        return Since(
            view, everything[:at], everything[at + (echo_rows(everything[at:], typed) or 0) :]
        )
    if view.row < mark.row or count < 0 or not _opens(rows, mark):
        full = view.history_limit > 0 and view.history_size >= view.history_limit * 9 // 10 - 1
        return Since(
            view, [], everything, lost_lines(view, mark.printed, everything) if full else ""
        )
    first = squeezed(typed.partition("\n")[0])
    return Since(
        view,
        above,
        rows[
            next((n for n in range(1, len(rows) + 1) if squeezed("".join(rows[:n])) == first), 1) :
        ],
    )


def new_output(
    pane: Pane,
    view: View,
    mark: Mark,
    text: str | None,
    *,
    ready: bool,
    program: str,
    pid: int | None = None,
    prompts: Prompts | None = None,
) -> tuple[list[str], str]:
    """The lines that came since `mark`, and a note on what was lost ("" if nothing was). `text` is what was sent,
    `ready` that a prompt of process `pid` stands at the cursor, which is then cut off; `prompts` are those known."""
    found = since(pane, view, mark, text)
    body = trimmed_end([line.rstrip() for line in found.lines])
    if (
        body and "\n" in (text or "") and program in ("dash", "sh", "ash")
    ):  # a continuation prompt for each line typed ahead
        body[0] = re.sub(
            rf"^(?:> )+(?:{re.escape(mark.left)})?", "", body[0]
        )  # and perhaps a prompt
    if ready and not found.view.alternate:
        body = _without_prompt(
            pane, found.view, body, found.above, mark, program, prompts or Prompts(), pid
        )
    return body, found.lost


def _last_echo(rows: list[str], typed: str) -> int | None:
    start = squeezed(typed)[:1]
    return next(
        (
            i
            for i in range(len(rows) - 1, -1, -1)
            if squeezed(rows[i])[:1] == start and (echo_rows(rows[i:], typed) or 0) > 0
        ),
        None,
    )


def trimmed_end(lines: list[str]) -> list[str]:
    """`lines` without blank ones at the end."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _opens(rows: list[str], mark: Mark) -> bool:
    """The first row is still the one that the mark was set on: it begins alike, and it is not a new prompt."""
    begin = squeezed(mark.left)
    return (
        bool(rows and begin)
        and squeezed(rows[0]).startswith(begin)
        and (squeezed(rows[0]) != begin or not mark.text)
    )


def _without_prompt(
    pane: Pane,
    view: View,
    body: list[str],
    before: list[str],
    mark: Mark,
    program: str,
    prompts: Prompts,
    pid: int | None,
) -> list[str]:
    """`body` without the prompt at its end, which may stand right behind output that had no final newline."""
    left = view.left.rstrip()
    if not left or not body or left not in body[-1]:
        return body
    begin = prompts.begins(left, mark, pid)
    if begin is None and mark.prompt and not mark.left.strip():
        return body  # a shell without a prompt: it is all output
    *rest, last = body
    glued = last[: last.rindex(left)] + left[: begin or 0]
    if glued.strip():
        return [*rest, glued]
    body, upper = _without_rows(rest, prompts.upper(pid))
    if not upper and rest and before:
        alike = [
            one for one in prompts.of(pid) if squeezed(one)[:3] == squeezed(mark.left)[:3]
        ]  # fish's, with a status in it
        body, upper = _without_rows(rest, _upper_rows(view, rest, before, [mark.left, *alike]))
        if upper:
            pane.set_option(MEMORY[2], prompts.learn_upper(pid, upper))
    end = body[-1][-1:] if body else ""
    if (program == "fish" and end == "⏎") or (
        program == "zsh" and end and end in "%#" and _marked(pane, body[-1])
    ):
        body[-1] = body[-1][:-1]
    return trimmed_end(body)


def _upper_rows(view: View, body: list[str], before: list[str], prompts: list[str]) -> list[str]:
    """The upper rows of a prompt of several rows: those that stood above every earlier prompt too. What stood above the
    very first one cannot have been the output of a command like this."""
    shapes = [re.compile(shape(prompt)) for prompt in prompts if prompt.strip()]
    earlier = [at for at, row in enumerate(before) if any(one.match(row) for one in shapes)]
    tall = min((_common(before, before[:at]) for at in earlier), default=_common(before, body))
    whole = len(before) < _ABOVE and view.history_size < view.history_limit * 9 // 10
    return before[len(before) - tall :] if whole or len({before[at] for at in earlier}) > 1 else []


def _without_rows(body: list[str], upper: list[str]) -> tuple[list[str], list[str]]:
    """`body` without the rows `upper` at its end, of which the first may stand behind output without a newline; and
    `upper`, or [] where that is not how it ends."""
    if (
        not upper
        or len(body) < len(upper)
        or not all(map(_same, body[len(body) - len(upper) + 1 :], upper[1:]))
    ):
        return body, []
    row, top = body[-len(upper)].rstrip(), upper[0].rstrip()
    rest = body[: -len(upper)]
    if _same(row, top):
        return rest, upper
    return ([*rest, row.removesuffix(top)], upper) if row.endswith(top) else (body, [])


def _same(row: str, other: str) -> bool:
    return _PATH.sub("·", row.rstrip()) == _PATH.sub("·", other.rstrip())


def _common(a: list[str], b: list[str]) -> int:
    """How many rows at the end of both are the same, but for directories in them."""
    count = 0
    while count < min(len(a), len(b), _TALLEST) and _same(a[-1 - count], b[-1 - count]):
        count += 1
    return count


def _marked(pane: Pane, row: str) -> bool:
    """Does `row` end in a reversed character, on the screen itself?"""
    wanted = squeezed(row)
    return any(
        _REVERSED.search(line) and squeezed(re.sub(r"\x1b\[[\d;]*m", "", line)) == wanted
        for line in pane.coloured()
    )


def lost_lines(view: View, printed_then: int | None, kept: list[str]) -> str:
    """Roughly how many lines tmux's history could not hold: tmux counts none, the bytes that the server has read tell.
    `printed_then`: those at the moment from which it is counted; `kept`: the lines that are still there."""
    printed = printed_bytes(view.server)
    held = sum(len(line.encode()) + 2 for line in kept)
    what = "an unknown number of"
    if printed is not None and printed_then is not None and kept:
        count = max(round((printed - printed_then - held) / max(held / len(kept), 1)), 1)
        what = f"{'' if len(panes()) == 1 else 'at most '}about {count}"  # other panes' bytes count too
    return (
        f"[{what} lines scrolled out of tmux's history (limit {view.history_limit}) and are lost]"
    )
