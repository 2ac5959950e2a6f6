"""What a page shows at one moment, and what of it differs from what it has. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .panes import Pane
from .styles import Run, drawn


@dataclass(frozen=True, slots=True)
class Frame:
    """`head`: all but the rows, by name, as JSON knows it."""

    head: dict[str, Any]
    rows: list[list[Run]]

    def since(self, old: Frame | None) -> dict[str, Any]:
        """What a page that has `old` must be sent: fields of `head`, and rows by their number."""
        had, before = (old.head, old.rows) if old else ({}, [])
        same = [name for name in self.head if name in had and had[name] == self.head[name]]
        changed = {name: self.head[name] for name in self.head if name not in same}
        rows = {at: row for at, row in enumerate(self.rows) if [row] != before[at : at + 1]}
        return changed | ({"rows": rows} if rows else {})


def sentence(text: str) -> Frame:
    """A frame that says why there is no screen; the page keeps the last one behind it."""
    return Frame({"say": text}, [])


def screen(
    pane: Pane, panes: list[Pane], captured: list[str], above: int, joins: bool = False
) -> Frame:
    """Of `pane`, `above` rows above its screen, where no cursor is; `joins`: see styles.py."""
    head = {
        "say": "the program in this pane has ended" if pane.dead else "",
        "pane": pane.id,
        "size": [pane.width, pane.height],
        "cursor": [pane.x, pane.y] if pane.cursor and not above else None,
        "history": pane.history,
        "top": pane.history - above if above else None,
        "brackets": bool(pane.brackets),
        "panes": [[one.id, one.label] for one in panes],
    }
    return Frame(head, drawn((captured + [""] * pane.height)[: pane.height], joins))
