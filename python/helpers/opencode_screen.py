"""What OpenCode's TUI shows, read from the visible rows. Pure; right on every captured screen of 1.2.15 to 1.18.33."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .opencode_reply import Status
from .tmux.output import cells, trimmed

SIDEBAR = (
    42  # columns on the right where the window is wider than 120: not part of the conversation
)
_BUSY = re.compile(r"\besc (?:again to )?interrupt\b")
_RETRY = re.compile(r"([^⬝■]*) \[retrying (?:in (\S+) )?attempt #(\d+)")
_PERMISSION = re.compile(r"^\s*┃\s+△ (?:Permission required|Always allow|Reject permission)")
_BUTTONS = re.compile(r"enter con|Allow once|Confirm")
_QUESTION = re.compile(r"^\s*┃.*\besc dismiss\b")
_IDLE = re.compile(r"\bctrl\+p commands\b")
_HOME = re.compile(r"\b\d+\.\d+\.\d+$")
_MARK = re.compile(r"^ {5}▣ {2}\S.*?(?: · (interrupted|(?:\d[\d.]*\s?(?:ms|s|m|h)\s?)+))?$")
_DIALOG = re.compile(r"^ {8,}\S.*\s{6,}esc$")
_OPTION = re.compile(r"(\d)\. (?:\[.\] )?(.+?)(?: ✓)?$")


def main_part(lines: Sequence[str], width: int) -> list[str]:
    """The rows without the sidebar and without trailing blanks."""
    return [(cells(line, width - SIDEBAR)[0] if width > 120 else line).rstrip() for line in lines]


def status(lines: Sequence[str], width: int) -> Status | None:
    """The state shown, or None where this is not OpenCode, or not yet. The conversation itself is not consulted: it may
    quote any of these words, the rows below it cannot."""
    rows = [line for line in main_part(lines, width) if line.strip()]
    foot, low = rows[-2:], rows[-5:]
    if any(map(_BUSY.search, foot)):
        found = next(filter(None, map(_RETRY.search, foot)), None)
        return (
            Status("retrying", attempt=int(found[3]), message=found[1].strip())
            if found
            else Status("busy")
        )
    if any(map(_IDLE.search, foot)):
        return Status("idle")
    if any(map(_QUESTION.search, low)):
        return Status("needs answer", request=_question(rows))
    if any(map(_BUTTONS.search, low)) and any(map(_PERMISSION.search, rows)):
        return Status("needs permission", request=_permission(rows))
    last = next((line for line in reversed(lines) if line.strip()), "").rstrip()
    return Status("idle") if _HOME.search(last) and any("┃" in row for row in rows) else None


def _permission(rows: list[str]) -> dict:
    at = max(i for i, row in enumerate(rows) if _PERMISSION.search(row))
    said = [
        text
        for row in rows[at + 1 :]
        if (text := row.strip().lstrip("┃").strip()) and "enter con" not in row
    ]
    command = next((text[2:] for text in said if text.startswith("$ ")), "")
    tool = "bash" if command else said[0] if said else "?"
    return {
        "permission": tool,
        "patterns": [],
        "metadata": {"command": command or " ".join(said[1:])},
    }


def _question(rows: list[str]) -> dict:
    start = (
        max((i for i, row in enumerate(rows[:-1]) if not row.strip().startswith("┃")), default=-1)
        + 1
    )
    said = [text for row in rows[start:] if (text := row.strip().lstrip("┃").strip())]
    options = [found[2] for text in said if (found := _OPTION.match(text))]
    asked = next((text for text in said if not _OPTION.match(text)), "")
    labels = [{"label": option} for option in options if option != "Type your own answer"]
    return {"questions": [{"question": asked, "options": labels}]}


def draft(lines: Sequence[str], width: int) -> str:
    """What stands in the input box; "" where it is empty."""
    rows = main_part(lines, width)
    top = foot = max((i for i, row in enumerate(rows) if row.strip().startswith("╹▀")), default=0)
    while top and rows[top - 1].strip().startswith("┃"):
        top -= 1
    said = trimmed(
        [row.strip().lstrip("┃").strip() for row in rows[top : foot - 1]]
    )  # its last row names the agent
    return "" if said and said[0].startswith("Ask anything") else "\n".join(said)


def dialog(lines: Sequence[str], width: int) -> bool:
    """A palette or another box lies over the conversation and takes the keys."""
    return any(map(_DIALOG.match, main_part(lines, width)))


def marks(lines: Sequence[str], width: int) -> list[str]:
    """The rows that stand under each turn: bare while it runs (and after an error), with its duration when it is over."""
    return [row for row in main_part(lines, width) if _MARK.match(row)]


def answer(lines: Sequence[str], width: int, prompt: str = "") -> tuple[str, str, str]:
    """(text, finish, error) of the newest turn as rendered: what stands between the last block (a prompt, a tool's
    output) and its closing mark. `error` is the block before an unfinished mark, unless that is the prompt."""
    rows = main_part(lines, width)
    foot = max((i for i, row in enumerate(rows) if row.strip().startswith("╹▀")), default=len(rows))
    while foot and rows[foot - 1].strip().startswith("┃"):
        foot -= 1
    end = max((i for i, row in enumerate(rows[:foot]) if _MARK.match(row)), default=foot)
    top = max((i for i, row in enumerate(rows[:end]) if row.strip().startswith("┃")), default=-1)
    text = "\n".join(trimmed([row.removeprefix("     ") for row in rows[top + 1 : end]]))
    closed = _MARK.match(rows[end]) if end < foot else None
    if closed and closed[1]:
        return text, "aborted" if closed[1] == "interrupted" else "stop", ""
    first = top
    while first > 0 and rows[first - 1].strip().startswith("┃"):
        first -= 1
    block = " ".join(
        row.strip().lstrip("┃").strip() for row in rows[max(first, 0) : top + 1]
    ).strip()
    same = "".join(block.split())[:200] == "".join(prompt.split())[:200]
    failed = bool(closed) and not text and block and not same
    return text, "unknown", block if failed else ""
