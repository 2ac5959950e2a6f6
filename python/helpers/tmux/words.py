"""The first words of an answer, and the kinds of evidence. Texts are built from them; code compares
the members, never texts."""

from __future__ import annotations

from enum import StrEnum


class Word(StrEnum):
    """How an answer begins: the verdicts, then the receipts and reports."""

    READY = "ready"
    NEEDS_INPUT = "needs input"
    NEEDS_PASSWORD = "needs password"
    NEEDS_KEY = "needs key"
    UNFINISHED = "unfinished"
    MATCHED = "matched"
    QUIET = "quiet"
    TIMED_OUT = "timed out"
    GONE = "gone"
    SENT = "sent"
    PRESSED = "pressed"
    READ = "read"
    LIST = "list"
    OPENED = "opened"
    CLOSED = "closed"
    ERROR = "error"


ASKED = (Word.NEEDS_INPUT, Word.NEEDS_PASSWORD, Word.NEEDS_KEY)
# After these the agent's turn in the pane is still open: its next action continues it.
OPEN = frozenset(
    {*ASKED, Word.UNFINISHED, Word.MATCHED, Word.QUIET, Word.TIMED_OUT, Word.SENT, Word.PRESSED}
)


class Evidence(StrEnum):
    """What shows that there is a prompt."""

    SHELL = "shell"  # the kernel, or the memory of a shell's line editor
    EDITOR = "line editor"  # the modes that a remote line editor has set in the terminal
    PROMPT = "prompt matched"  # the screen, once it is still: a known prompt, or the form of one
    PATTERN = "pattern"  # the caller's prompt_pattern
