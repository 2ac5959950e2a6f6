"""The line at the cursor: prompt + typed text. One function splits it, and all others call that.

The line editor's memory splits it exactly. Otherwise the prompt is a known one, or a text that has
the form of one. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise

from ...output import breadth, cells, width
from .. import programs
from ..editor.line_editor import Editor, Reads
from .prompts import CONTINUED, Split, begins, has_form, split, typed_behind
from .question_line import on_line
from .view import View

_ROWS_ABOVE = 30  # rows above the cursor searched for an earlier prompt
_RIGHT_PROMPT = "  "  # text two spaces right of the cursor is not typed text
# A history search, in the cursor's row or below it, of readline, irb, python 3.13, ipython, mksh,
# zsh ("failing bck-i-search") and node ("failed-bck-i-search"); fish's is in `programs`.
_SEARCH = re.compile(
    r"\((?:\w+ )?(?:(?:reverse|forward)-i-search\)|[rf]-search )`|I-search(?: backward)?:"
    r"|(?:\w+[ -])?(?:bck|fwd)-i-search: "
)
# Marks of ksh, at the right, for a line that continues there; readline has `<` at the left.
_SIDEWAYS = ("<", ">", "*", "+")


class Kind(Enum):
    """What the line is for."""

    COMMAND = auto()
    REST = auto()  # of a command that is unfinished
    QUESTION = auto()
    SEARCH = auto()  # in the history
    NONE = auto()


@dataclass(frozen=True, slots=True)
class Line:
    """`prompt`: its last row, stripped; `typed`: the text typed after it, in all rows, "" if there
    is none, None if that cannot be determined."""

    kind: Kind
    prompt: str = ""
    typed: str | None = ""

    @property
    def at_prompt(self) -> bool:
        """Whether a prompt or a continuation prompt is there."""
        return self.kind in (Kind.COMMAND, Kind.REST, Kind.SEARCH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """What is known besides the look: about the program, and about earlier answers."""

    editor: Editor | None = None
    program: str = ""
    canonical: bool = False
    remote: bool = False
    prompts: tuple[str, ...] = ()  # known, the likeliest first
    directory: tuple[str, ...] = ()  # how a prompt may show the directory
    asked: tuple[int, int] | None = None  # row and column at which a question ended
    floor: int = 0  # the first row that can hold typed text: below what was entered or shown
    begins_at_floor: bool = False  # the prompt, which may be wrapped, does not begin above it
    untouched: bool = False  # no key has come since Enter, or since the prompt was seen empty
    ends_here: bool = False  # none since the agent typed text: a program drew what is behind it


def line_at(view: View, near: Near) -> Line:
    """The line at the cursor if a prompt or a question is known to be there."""
    if near.editor is not None:
        return _edited(view, near, near.editor)
    if near.asked is not None and near.asked[0] == view.row:
        return _answered(view, near.asked[1])
    row = view.left + view.right
    if _is_sideways(row, view.width) and not begins(row, near.prompts):
        return Line(Kind.COMMAND, "", row.strip())
    text, above = _joined(view, near)
    found = split(text, near.prompts, above, near.directory, near.untouched)
    if found is None:
        return _further_rows(view, near, text, above) or _unsplit(view, near, text)
    return Line(Kind.COMMAND, found.prompt, found.typed)


def search_at(view: View, near: Near) -> Line | None:
    """A history search in a line editor whose memory cannot be read."""
    return None if near.editor is not None else _searched(view, near)


def rest_at(view: View, near: Near) -> Line:
    """The line of an unfinished command: all of its rows are typed."""
    typed = near.editor.text if near.editor else _behind_sign(view.left)[1]
    _, rows = _rows_up(view.lines[: view.cursor_y], near, typed)
    return Line(Kind.REST, view.left.strip(), "\n".join(rows).strip() or view.left.strip())


def begun_rest(view: View, near: Near) -> Line | None:
    """The line at a continuation prompt with text after it, in a program that hides its state;
    None if there is none."""
    sign, text = _behind_sign(view.left)
    first, rows = _rows_up(view.lines[: view.cursor_y], near, text)
    named = "(" in sign  # irb draws it before the first row too
    if not text or not (first or named):
        return None
    return Line(Kind.REST, view.left, "\n".join(rows if first else rows[1:]))


def _behind_sign(row: str) -> tuple[str, str]:
    """The continuation prompt of `row`, and the text after it; "" if there is none."""
    sign = CONTINUED.match(row)
    return (sign[0], row[sign.end() :].strip()) if sign else ("", "")


def is_typed_behind(view: View, near: Near) -> bool:
    """Whether a line is typed at the prompt of a program that hides its state (ssh, node)."""
    return typed_behind(_joined(view, near)[0], near.prompts)


def _edited(view: View, near: Near, editor: Editor) -> Line:
    text, kind = editor.text, Kind.COMMAND
    if editor.reads is Reads.SEARCH:  # the screen shows what was found
        shown = _searched(view, near)
        text, kind = text or (shown and shown.typed) or view.left.strip(), Kind.SEARCH
    elif editor.reads is Reads.QUESTION:
        kind = Kind.QUESTION
    elif editor.reads is Reads.CONTINUATION:
        kind = Kind.REST
    return Line(kind, editor.prompt.strip(), text)


def _searched(view: View, near: Near) -> Line | None:
    if near.canonical or view.alternate:
        return None
    sign = (programs.FOREIGN if near.remote else programs.of(near.program)).search
    for row in (view.left + view.right, *view.lines[view.cursor_y + 1 :][:1]):
        if _SEARCH.match(row) or (sign and row.startswith(sign)):
            return Line(Kind.SEARCH, "", row.strip())
    return None


def _answered(view: View, x: int) -> Line:
    question, answer = cells(view.left + (view.right if view.right[:1].strip() else ""), x)
    return Line(Kind.QUESTION, question.strip(), answer.strip())


def _rows_up(
    above: Sequence[str], near: Near, last: str, signed: bool = True
) -> tuple[Split | None, list[str]]:
    """The known prompt above the rows of a command, or None, and the text typed in these rows, the
    last of which is `last`. `signed`: only rows that begin with a continuation prompt count."""
    rows = [last]
    for row in reversed(above):
        first, sign = split(row, near.prompts), CONTINUED.match(row)
        if first and first.known:
            return first, [first.typed, *rows]
        if signed and sign is None:
            return None, [first.typed if first else row, *rows]
        rows.insert(0, row[sign.end() if sign else 0 :].strip())
    return None, rows


def _unsplit(view: View, near: Near, text: str) -> Line:
    """The line if no prompt is recognised. A line of spaces is empty."""
    behind = "" if near.canonical else view.right.split(_RIGHT_PROMPT)[0].strip()
    if not text.strip() and not behind:
        return Line(Kind.COMMAND)
    return Line(Kind.COMMAND, text.strip(), behind or None)


def _further_rows(view: View, near: Near, line: str, above: Sequence[str]) -> Line | None:
    """The line if it is several rows of one command, in a line editor without a continuation
    prompt: the last row, and those above it up to a known prompt with text after it."""
    if not programs.of(near.program).editor or line != line.rstrip():
        return None  # it ends with a space: a prompt does
    if not line or "" in near.prompts:
        return None  # if the prompt is empty, it is output without a line break
    floor = len(above) - max(view.row - near.floor, 0)
    first, rows = _rows_up(above[max(floor, 0) :], near, line.strip(), signed=False)
    if first is None or not first.typed:
        return None
    return Line(Kind.COMMAND, first.prompt, "\n".join(rows))


def _joined(view: View, near: Near) -> tuple[str, list[str]]:
    """The prompt and typed text at the cursor, wrapped rows joined, and the rows above. If there is
    text right of the cursor, the line goes on there, unless the program drew that text."""
    rows, line = list(view.lines[: view.cursor_y]), view.left
    while rows and (missing := _goes_on(rows[-1], view.width)) is not None:
        above = view.history_size + len(rows) <= near.floor and near.begins_at_floor
        alone = begins(line, near.prompts) or missing and (not line.strip() or split(line))
        if above or alone:
            break  # the line is whole without that row
        line = rows.pop() + missing + line
    whole = near.canonical or near.untouched or near.ends_here
    right = "" if whole else view.right.split(_RIGHT_PROMPT)[0]
    if right.strip():
        line += right
        for row, below in pairwise(view.lines[view.cursor_y :]):
            if (missing := _goes_on(row, view.width)) is None:
                break
            line += missing + below
    indents = programs.of(near.program).indents and not begins(line, near.prompts)
    while rows and indents and line.startswith(" "):
        line = rows.pop() + line  # fish indents the further lines of one command
    return line, rows[-_ROWS_ABOVE:]


def _goes_on(row: str, columns: int) -> str | None:
    """What tmux omits in the last cell of a row that continues in the next one: a space, or "";
    None if the row ends before that cell. zsh does not mark its wrapped rows for tmux."""
    missing = columns - breadth(row)
    return " " * max(missing, 0) if missing <= 1 else None


def _is_sideways(row: str, columns: int) -> bool:
    """Whether `row` is of a line scrolled sideways. The end of a right prompt is not a mark."""
    used = breadth(row.rstrip())
    last = row.split(_RIGHT_PROMPT)[-1].strip()
    marked = last[-1:] in _SIDEWAYS if _RIGHT_PROMPT not in row else last in _SIDEWAYS
    return (used >= columns - 1 and marked) or (row.startswith("<") and used * 2 >= columns)


def is_question(line: str) -> bool:
    """Whether `line` has the form of a question or a prompt, so that it is not typed text."""
    return on_line(line) is not None or has_form(line)


def wraps_into(text: str, columns: int, x: int) -> list[tuple[int, int]]:
    """The cells (rows down, column) in which the cursor may be once `text` is drawn from the column
    `x` on. A wide character that does not fit goes to the next row; after the last column the
    cursor stays there, or is at the beginning of the next row."""
    row = 0
    for char in text:
        wide = width(char)
        if x + wide > columns:
            row, x = row + 1, 0
        x += wide
    return [(row, x), (row + 1, 0)] if x >= columns else [(row, x)]


def further_rows(text: str, columns: int, x: int) -> int:
    """How many rows below its first one `text` takes if it is drawn from the column `x` on."""
    first, *lines = text.split("\n")
    rows = [wraps_into(first, columns, x), *(wraps_into(line, columns, 0) for line in lines)]
    return sum(ends[0][0] for ends in rows) + len(lines)
