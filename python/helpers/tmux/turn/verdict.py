"""Whose turn it is: one scene (kernel, line editor, screen, what was sent) -> one verdict.

Everything that a decision may depend on is in `Scene`; nothing here starts a process or reads a
clock. The whole decision is TABLE: the first row that matches decides, once the screen has been
still for as long as that row says; until then, and if no row matches, the program is running.

The rows are three ladders, the strongest evidence first, and a weaker kind never overrules a
stronger one. The kernel (by_kernel): the foreground process group, whether its terminal collects
lines, echoes, has unread input, and which process sleeps until there is input. The line editor
(by_editor): its memory holds the prompt, and if it can be read at all the editor waits, so it comes
first; or the modes that it sets in the terminal show that it reads. The screen (by_screen): forms
of prompts and questions, only once it has been still. What a remote program does cannot be known:
there only a known prompt is `ready` and only a strong form a question; everything else that is
still is `quiet`, unless the terminal's modes show more.
"""

from __future__ import annotations

from .by_editor import MEMORY, MODES, SHELL
from .by_kernel import CANONICAL, PROVEN
from .by_screen import SCREEN
from .row import Row, Verdict
from .scene import Scene

TABLE: tuple[Row, ...] = (*PROVEN, *MEMORY, *CANONICAL, *SHELL, *MODES, *SCREEN)


def decide(scene: Scene) -> Verdict | None:
    """The verdict, or None while nothing shows that a program waits."""
    matching = next((row for row in TABLE if row.when(scene)), None)
    return matching.says(scene) if matching else None
