"""The second ladder: what a line editor shows through its memory, a shell's raw mode, or the
modes that it sets in the terminal. Pure.
"""

from __future__ import annotations

from ..evidence.editor.line_editor import Reads
from ..evidence.screen import prompts
from ..evidence.screen.question_line import Kind, on_line, zsh_asks
from ..words import Evidence, Word
from .row import Row, also_before, at_cursor, key_question, program, quote, where
from .scene import ENTERED, SILENT, STILL_BLIND, STILL_DRAWN, Scene

STILL_EDITED = 0.2  # seconds between a line editor's first mode and its prompt, on a bad network


def _builtin_asks(s: Scene) -> bool:
    """Whether a builtin reads through the shell's line editor: the shell runs a script or a
    command, so it is not at a prompt, or the builtin was sent; and no known prompt is there."""
    at_prompt = s.known_prompt or prompts.typed_behind(s.left, s.prompts)
    if s.kernel.waiter is None or at_prompt:
        return False
    return s.kernel.waiter.script or s.runs or bool(s.end and s.asks_read)


def _editor_at_prompt(s: Scene) -> bool:
    """Whether the line editor shows a prompt for commands; for programs other than shells."""
    return prompts.has_form(s.sign) or prompts.is_prompt(s.sign, s.prompts)


def _editor_question(s: Scene) -> Kind | None:
    return question.kind if (question := on_line(s.sign)) else None


def _asks_shell(s: Scene) -> bool:
    """Whether a shell's builtin asks (`read>`), in a form that no prompt has."""
    return s.asks_line and (s.strong or not prompts.is_themed(s.left))


def _holds_sent(s: Scene) -> bool:
    """Whether the line editor still holds the typed text: it has not read the Enter."""
    held = s.editor is not None and bool(s.editor.text.strip())
    return held and s.entered and not s.taken and s.since_sent < ENTERED


# The memory shows that the editor waits, even if a background job that ended late has left the
# terminal in canonical mode. A trap may run at a prompt, and the memory stays unchanged.
MEMORY = where(
    lambda s: s.editor and s.listens,
    Row(None, lambda s: _holds_sent(s) or not s.drawn),
    # The rest of a key, or a one-key answer; zsh reports this for an instant at each prompt.
    Row(Word.NEEDS_KEY, lambda s: s.reads_at is Reads.KEY, key_question, after=STILL_DRAWN),
    Row(Word.NEEDS_PASSWORD, lambda s: s.reads_at is Reads.QUESTION and s.asks_password, quote),
    Row(Word.NEEDS_INPUT, lambda s: s.reads_at is Reads.QUESTION, quote),
    Row(Word.UNFINISHED, lambda s: s.reads_at is Reads.CONTINUATION, at_cursor),
    Row(Word.READY, lambda s: s.shell, evidence=Evidence.SHELL),
    Row(Word.UNFINISHED, lambda s: s.continuation, at_cursor),
    Row(Word.NEEDS_PASSWORD, lambda s: _editor_question(s) is Kind.PASSWORD, quote),
    Row(Word.READY, _editor_at_prompt, evidence=Evidence.PROMPT),
    Row(Word.NEEDS_INPUT, _editor_question, quote),
)

# A shell in raw mode: its line editor, or a builtin that reads one key.
SHELL = (
    Row(Word.NEEDS_KEY, lambda s: s.reads_key, key_question),
    *where(
        lambda s: s.editing_shell,
        Row(None, lambda s: not s.done),
        Row(Word.NEEDS_PASSWORD, lambda s: _builtin_asks(s) and s.asks_password, quote),
        Row(Word.NEEDS_INPUT, _builtin_asks, quote, after=STILL_BLIND),
        Row(Word.UNFINISHED, lambda s: s.continuation, at_cursor),
        Row(Word.UNFINISHED, lambda s: s.indented, program, after=STILL_DRAWN),
        Row(Word.NEEDS_PASSWORD, lambda s: s.asks_password and not s.known_prompt, quote),
        Row(Word.NEEDS_KEY, lambda s: zsh_asks(s.left), key_question),
        Row(Word.NEEDS_INPUT, lambda s: _asks_shell(s) and not s.known_prompt, quote),
        Row(Word.READY, lambda s: True, evidence=Evidence.SHELL),
    ),
    Row(None, lambda s: s.shell),
)


def _at_prompt(s: Scene) -> bool:
    return s.form or prompts.edited(s.left, s.prompts)


def _seems_prompt(s: Scene) -> bool:
    """Whether the line looks like a prompt. A known one is trusted, unless it is the one at which
    the command was typed, or the command may have printed it."""
    of_command = s.printed or prompts.glued(s.left, s.prompts[:1]) is not None
    return of_command if s.prompt_again else s.form


def _since_enter(s: Scene) -> float:
    return also_before(STILL_EDITED)(s) if s.awaited else 0.0


# A program that is out of sight (ssh), by the modes that its line editor sets in the terminal.
# Until Enter has been taken the modes belong to the old prompt. A line editor inside a command
# (`read -e`) sets them too: a line that does not have the form of a prompt is a question.
MODES = (
    *where(
        lambda s: s.kernel.out_of_sight and s.edits and not s.key_asked,
        Row(None, lambda s: not s.taken and not (s.pressed and s.rested >= STILL_BLIND)),
        Row(
            Word.READY,
            lambda s: s.prompt_again or s.idle,
            evidence=Evidence.EDITOR,
            after=_since_enter,
        ),
        Row(None, lambda s: s.rested < STILL_BLIND),
        Row(Word.NEEDS_PASSWORD, lambda s: s.asks_password, quote),
        Row(Word.UNFINISHED, lambda s: s.continuation and s.prompts, at_cursor),
        Row(Word.READY, _at_prompt, evidence=Evidence.EDITOR),
        Row(Word.NEEDS_INPUT, lambda s: s.end and (s.entered or s.asks_line), quote),
        Row(Word.READY, lambda s: not s.end, evidence=Evidence.EDITOR, after=also_before(SILENT)),
    ),
    # The modes were set here and no longer are: a line that looks like a prompt was printed, or
    # belongs to a program that sets none.
    Row(
        Word.QUIET,
        lambda s: s.kernel.out_of_sight and s.edited and _seems_prompt(s),
        at_cursor,
        after=SILENT,
    ),
)
