"""What is drawn: the visible rows of a pane and its cursor. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...output import breadth, cells
from .question_line import LONGEST

_WRAPPED = 4  # rows above the cursor's that may belong to one line
_SIDE = tuple("─━╌│┃║┐┘╮╯┤")  # of a box


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Places are in cells."""

    rows: tuple[str, ...] = ()  # the visible rows
    columns: int = 0  # of the pane
    left: str = ""  # text left of the cursor, on its row
    x: int = 0  # the cursor's cell
    y: int = 0
    alternate: bool = False
    cursor_visible: bool = True

    @property
    def row(self) -> str:
        """The cursor's row."""
        return self.rows[self.y]

    @property
    def right(self) -> str:
        """The text from the cursor on, on its row."""
        return cells(self.row, self.x)[1]

    def unwrapped(self) -> Frame:
        """The same frame, with the cursor's row joined to the rows that wrap into it."""
        top = self.y
        while top > max(0, self.y - _WRAPPED) and self._is_full(self.rows[top - 1]):
            top -= 1
        above = "".join(self.rows[top : self.y])
        rows = (*self.rows[:top], above + self.row, *self.rows[self.y + 1 :])
        return replace(self, rows=rows, y=top, x=breadth(above) + self.x, left=above + self.left)

    def _is_full(self, row: str) -> bool:
        """Whether text, and not a box, reaches the last column."""
        return 0 < self.columns <= breadth(row[:LONGEST]) and not row[:LONGEST].endswith(_SIDE)
