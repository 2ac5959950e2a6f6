"""Whether a line editor is reading, by the modes that a program has set in its terminal. Pure.

A line editor turns bracketed paste on while it reads and off before a command runs, and tmux sees
that through ssh, docker and sudo too. tmux shows it from 3.7 on. In older releases only keypad mode
is shown: some line editors set it (Debian's zsh, fish 4, python 3.13), but so do pagers and
dialogs, so it counts only if the row has the form of a prompt.
"""

from __future__ import annotations

from ..screen.prompts import has_form
from ..screen.question_line import is_key
from ..screen.view import View


def line_editor_reads(view: View) -> bool:
    """Whether the terminal's modes show that a line editor reads. Until the program has taken Enter
    they are those of the old prompt. A full screen, or a menu without a cursor, never counts."""
    if view.alternate or not view.cursor_visible:
        return False
    if view.bracketed is not None:
        return view.bracketed
    return view.keypad and has_form(view.left) and not is_key(view.left)


def reported(view: View) -> str:
    """What the shell has reported to tmux (OSC 133): whether a command runs, and the last one's
    exit status; "" if it reports nothing. A shell without reports leaves the old one, so a report
    counts only if it has changed since Enter."""
    return f"{view.command_runs} {view.status}".strip()
