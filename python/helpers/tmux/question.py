"""What a question looks like: the one home of that knowledge, on a line and on a screen. Pure."""

from __future__ import annotations

from .question_line import Kind, Question, is_key, is_pager, is_password, on_line
from .question_screen import on_screen
from .question_window import at_work

__all__ = [
    "Kind",
    "Question",
    "at_work",
    "is_key",
    "is_pager",
    "is_password",
    "on_line",
    "on_screen",
]
