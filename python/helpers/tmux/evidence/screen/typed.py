"""What is typed at a prompt or behind a question, and by whom.

The line editor's memory tells it exactly; else the prompt is split off by what is known and by its
form, and where nothing tells, that is said.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...output import attributes_at, breadth, squeezed
from ...transcript.wrapped import is_sideways
from ...turn.watch import Watch
from ...words import Word
from ..editor.line_editor import Editor, Reads
from ..kernel.probe import EDITORS
from ..kernel.process import working_directory
from .prompt import CONTINUED, directory_names, has_form, split, typed_behind
from .question_line import on_line

_ROWS_ABOVE = 30  # rows above the cursor in which an earlier prompt is looked for
_RIGHT_PROMPT = "  "  # what is two blanks right of the cursor is no typed text
# Attributes of grey text: `90`, `38;5;240`, `38;2;85;85;85`.
_GREY = re.compile(r"(?:^|;)(?:90|38;5;(?:8|2[34]\d|25[0-5])|38;2;(\d+);\1;\1)(?:;|$)")
# A search in the history, in the cursor's row or below it: readline's, irb's, node's, ipython's and
# mksh's; fish's, whose words a program may ask with.
_SEARCH = re.compile(
    r"\((?:failed |failing )?(?:reverse|forward)-i-search\)`|(?:failed )?(?:bck|fwd)-i-search: "
    r"|I-search(?: backward)?:"
)
_FISH_SEARCH = "search: "
_REMEMBERED = 200  # characters of a long line of the agent's own that are compared


@dataclass(frozen=True, slots=True)
class Typed:
    """What is typed behind a prompt or question. `text` None: it cannot be told whether anything
    is; `own`: the agent typed it."""

    prompt: str
    text: str | None
    own: bool = False


def typed_line(watch: Watch) -> Typed:
    """What is typed at the prompt that is known to be at the cursor."""
    editor = watch.editor
    if editor is not None:
        return edited_line(watch, editor)
    row = watch.view.left + watch.view.right
    begun = any(row.startswith(prompt) for prompt in watch.prompts() if prompt.strip())
    if not begun and is_sideways(row, watch.view.width):
        return Typed("", row.strip(), _is_own(watch, row.strip("<>*+ ")))
    line, above = _prompt_line(watch)
    result = split(line, watch.prompts(), above, shown_directory(watch))
    if result is None:
        return _further_rows(watch, line, above) or _unknown(watch, line)
    text = result.typed or _own_line(watch, line)
    return Typed(result.prompt, text, _is_own(watch, text))


def answer_line(watch: Watch) -> Typed | None:
    """What is typed behind a question: by the line editor, or by what an answer has shown of it."""
    editor, shown, left = watch.editor, watch.shown, watch.view.left.rstrip()
    if editor is not None:
        preset = watch.sent is not None and watch.sent.is_last(watch.kernel)  # `read -e -i`
        typed = edited_line(watch, editor)
        return replace(typed, own=typed.own or preset)
    here = shown if shown and shown.row == watch.view.row else None
    question = here.left if here else ""
    told = here is not None and here.asked == Word.NEEDS_INPUT
    if not left.startswith(question) or not (told or on_line(question)):
        return None
    text = left[len(question) :].strip()
    return Typed(question, text, _is_own(watch, text))


def unfinished_line(watch: Watch) -> Typed:
    """What is typed of a command of several rows: the agent's, where its last sending began it and
    nothing else has come since, else a person's."""
    sent, left = watch.sent, watch.view.left.strip()
    begun = sent is not None and sent.enter and sent.expected and watch.memory.turn_is_open
    shown = watch.shown
    if shown and shown.asked == Word.UNFINISHED and shown.line.strip() == left:
        return Typed(left, "")  # the agent was told of it as it is
    empty = not (watch.editor and watch.editor.text.strip())
    if begun and empty and len(watch.fresh_rows()) <= 1:
        return Typed(left, "")
    typed = typed_line(watch)
    lines, _ = _rows_up(watch, typed.text or "")
    return Typed(left, "\n".join(lines).strip() or left, typed.own)


def further_line(watch: Watch) -> Typed | None:
    """What is typed behind the sign for a further row of a command, in a program that hides its
    state; None where none is."""
    left = watch.view.left
    sign = CONTINUED.match(left)
    text = left[sign.end() :].strip() if sign else ""
    if not text:
        return None
    lines, begun = _rows_up(watch, text)
    named = sign is not None and "(" in sign[0]  # irb draws it before the first row too
    if not begun:
        lines = lines[1:]
    return Typed(left, "\n".join(lines), _is_own(watch, text)) if begun or named else None


def search_line(watch: Watch) -> Typed | None:
    """The row of a search in the history, of a line editor whose memory cannot be read; None where
    none is open."""
    view, kernel, shown, sent = watch.view, watch.kernel, watch.shown, watch.sent
    if kernel.canonical or watch.editor or view.alternate:
        return None
    fish = kernel.name == "fish" or bool(kernel.remote)
    for row in (view.left + view.right, *view.lines[view.cursor_y + 1 :][:1]):
        if _SEARCH.match(row) or (fish and row.startswith(_FISH_SEARCH)):
            pressed = sent is not None and sent.size == 0 and not sent.enter
            told = bool(shown and shown.asked and shown.left and row.startswith(shown.left))
            own = pressed and (told or not watch.memory.is_answered)
            return Typed("", row.strip(), own)
    return None


def _rows_up(watch: Watch, last: str) -> tuple[list[str], bool]:
    """What is typed in the rows of a command of which `last` is the last, and whether a known
    prompt is before the first."""
    prompts = [prompt.strip() for prompt in watch.prompts() if prompt.strip()]
    lines = [last]
    for row in reversed(watch.view.lines[: watch.view.cursor_y]):
        prompt = next((one for one in prompts if row.startswith(one)), None)
        sign = CONTINUED.match(row)
        if prompt is not None:
            return [row.removeprefix(prompt).strip(), *lines], True
        if sign is None:
            first = split(row, prompts)
            return [first.typed if first else row, *lines], False
        lines.insert(0, row[sign.end() :])
    return lines, False


def shown_directory(watch: Watch) -> tuple[str, ...]:
    """How a prompt may show the directory of the program in front."""
    return directory_names(working_directory(watch.kernel.subject), os.path.expanduser("~"))


def edited_line(watch: Watch, editor: Editor) -> Typed:
    text = editor.text
    if editor.reads is Reads.SEARCH:  # the screen shows what was found
        text = text or watch.view.left.strip()
    return Typed(editor.prompt.strip(), text, _is_own(watch, text))


def _unknown(watch: Watch, line: str) -> Typed:
    """No prompt is recognised. A blank line is empty."""
    behind = _right(watch).split(_RIGHT_PROMPT)[0].strip()
    if not line.strip() and not behind:
        return Typed("", "")
    return Typed(line.strip(), behind or None, False)


def _further_rows(watch: Watch, line: str, above: Sequence[str]) -> Typed | None:
    """Several rows of one command, which a line editor shows without a sign before the further
    ones: the last row, which has the form of no prompt, and those up to a known prompt with text
    behind it."""
    if watch.kernel.name not in EDITORS:
        return None
    prompts = watch.prompts()
    if not line or line != line.rstrip() or has_form(line) or "" in prompts:
        return None  # at an empty prompt it is output without a line break
    for at in range(len(above) - 1, -1, -1):
        first = split(above[at], prompts)
        if first and first.prompt in prompts:
            text = "\n".join([first.typed, *(row.strip() for row in [*above[at + 1 :], line])])
            sent = squeezed(watch.sent_text.partition("\n")[0])  # a new prompt may be behind it
            begun = first.typed and squeezed(first.typed) != sent
            return Typed(first.prompt, text, _is_own(watch, text)) if begun else None
    return None


def _own_line(watch: Watch, line: str) -> str:
    """The agent's own half-typed line where the whole row looks like a prompt: `$ echo 5 >`."""
    own = watch.sent.typed if watch.sent else ""
    last = own.rpartition("\n")[2]
    return last if last.strip() and squeezed(line).endswith(squeezed(last)) else ""


def _prompt_line(watch: Watch) -> tuple[str, list[str]]:
    """The line at the cursor as far as it is prompt and typed text, wrapped rows joined, and the
    rows above it. Text right of the cursor shows that it is not at the line's end."""
    view = watch.view
    rows, line = list(view.lines[: view.cursor_y]), view.left
    while rows and (blanks := _goes_on(rows[-1], view.width)) is not None:
        if blanks and (not line.strip() or split(line, watch.prompts())):
            break  # it is whole without that row
        line = rows.pop() + blanks + line
    right = _right(watch)
    if right[:1].strip() and not _is_suggested(watch, line):
        line += right.split(_RIGHT_PROMPT)[0]
        below = view.cursor_y
        while below + 1 < len(view.lines):
            if (blanks := _goes_on(view.lines[below], view.width)) is None:
                break
            below += 1
            line += blanks + view.lines[below]
    indented = bool(line) and not line.strip() and watch.kernel.name == "fish"
    while rows and indented and not line.strip() and rows[-1].strip():
        line = rows.pop() + line  # fish indents the further lines of one command
    return line, rows[-_ROWS_ABOVE:]


def _right(watch: Watch) -> str:
    """What may be typed right of the cursor: in canonical mode nobody can move it back there."""
    return "" if watch.kernel.canonical else watch.view.right


def _is_suggested(watch: Watch, line: str) -> bool:
    """Is the text right of the cursor, behind what is typed on `line`, only suggested, in grey: by
    fish, by zsh-autosuggestions?"""
    before = split(line, watch.prompts())
    if before is None or not before.typed:
        return False
    view = watch.view
    return bool(_GREY.search(attributes_at(watch.pane.coloured(), view.cursor_x, view.cursor_y)))


def _goes_on(row: str, columns: int) -> str | None:
    """The blank in the last cell of a row that goes on in the next one, which tmux does not tell,
    or ""; None where it ends before. zsh does not mark its wrapped rows for tmux."""
    missing = columns - breadth(row)
    return " " * max(missing, 0) if missing <= 1 else None


def _is_own(watch: Watch, text: str) -> bool:
    """Is that the agent's own? Of a long line only its beginning is remembered, of an answer to a
    question only its length."""
    sent, here = watch.sent, squeezed(text)
    if sent is None or not here:
        return False
    own = squeezed(sent.typed)
    if own:
        return own.endswith(here) or (len(own) > _REMEMBERED and here[-_REMEMBERED:] in own)
    return not sent.enter and sent.text is None and sent.cells == len(here)


def is_typed_behind(watch: Watch) -> bool:
    """Is a line typed at the prompt of a program that hides its state (ssh, node)?"""
    return typed_behind(_prompt_line(watch)[0], watch.prompts())
