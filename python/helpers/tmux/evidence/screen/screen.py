"""What one screen shows by itself, whatever program has drawn it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import title
from .frame import Frame
from .prompts import LONGEST, has_form
from .question_line import Kind, Question, on_line
from .question_screen import on_screen
from .question_window import at_work

# A row of `dialog --gauge`: `│  │      57%      │  │`.
_GAUGE = re.compile(r"^[^\w%]{0,200}[│┃║|][^\w%]{0,200}\d{1,3}\s?%[^\w%]{0,200}[│┃║|]\W*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen(Frame):
    """What the rows, the cursor and the title say."""

    title: str = ""  # "" if the program has not drawn for long: an old title may be another's

    @property
    def end(self) -> str:
        """`left` without trailing spaces, cut to what patterns look at."""
        return self.left.rstrip()[-LONGEST:]

    @property
    def question(self) -> Question | None:
        """The question at the cursor."""
        return None if self.alternate or not self.end else on_line(self.left)

    @property
    def asks_password(self) -> bool:
        return self.question is not None and self.question.kind is Kind.PASSWORD

    @property
    def key_asked(self) -> bool:
        """Whether the question is for a key: `--More--`, `Press any key`."""
        return self.question is not None and self.question.kind is Kind.KEY

    @property
    def asks_line(self) -> bool:
        return self.question is not None and self.question.kind is Kind.INPUT

    @property
    def strong(self) -> bool:
        """Whether the question has a form that output does not have."""
        return self.question is not None and self.question.strong

    @property
    def picture(self) -> Question | None:
        """The question of a program in raw mode, by its whole screen, once that is still."""
        return on_screen(self)

    @property
    def plain(self) -> bool:
        """Whether the screen shows ordinary lines of output and a cursor."""
        return not self.alternate and self.cursor_visible

    @property
    def form(self) -> bool:
        """Whether the line has the form of a prompt."""
        return self.plain and has_form(self.left) and not self.key_asked

    @property
    def works(self) -> bool:
        """Whether the program itself says that it works, how to interrupt that, or how far it
        is."""
        if not self.plain and title.works(self.title):
            return True
        gauge = any(_GAUGE.match(row) for row in self.rows)
        return gauge or at_work(self)
