"""The README's picture: a real run on a tmux server of its own, drawn as the screen that the person
sees, and the agent's calls with their answers beside it.

The screen is what tmux captured at the end. Each call is marked in the row where the cursor stood
when it was made.
"""

from __future__ import annotations

import json
import sys
import textwrap
import time
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from .lane import Lane

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from python.helpers.tmux.actions import Call

PICTURE = Path(__file__).with_name("picture.svg")
COLUMNS, ROWS = 52, 16  # of the terminal
PROMPT = "ana@laptop:~/site$ "
SETTLES = 0.5  # seconds for the screen to show what the person typed

_SCRIPT = """#!/bin/bash
echo "Comparing with staging ..."
sleep 1
read -p 'Copy 3 files to staging? [y/N] ' answer
read -s -p 'Password for ana: ' password; echo
sleep 1.5
echo 'index.html about.html style.css'
echo '3 files copied'
"""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A call of the agent's, or else what the person types."""

    call: dict | None = None
    keys: tuple[str, ...] = ()
    about: str = ""


_STEPS = (
    Step(call={"action": "run", "text": "./deploy.sh"}),
    Step(call={"action": "send", "text": "y"}),
    Step(keys=("sesame", "Enter"), about="the person types the password"),
    Step(call={"action": "wait_ready", "timeout": 60}),
    Step(call={"action": "run", "text": "python3 -q"}),
    Step(call={"action": "run", "text": "import os; len(os.listdir())"}),
    Step(call={"action": "run", "text": "exit()"}),
    Step(keys=("git add ind",), about="the person begins a command"),
    Step(call={"action": "run", "text": "ls -l"}),
)


@dataclass(kw_only=True)
class Event:
    """One step as it went: `row` of all lines that the pane has, where the cursor stood before."""

    row: int
    column: int
    typed: str
    lines: list[str] = field(default_factory=list)
    number: int = 0  # of a call; 0: the person


class Recording:
    """The steps, played on the session `shared` of a server of its own."""

    def __init__(self, lane: Lane):
        self.lane = lane
        self.events: list[Event] = []

    def play(self) -> None:
        with self.lane.here():
            Call().perform({"action": "read"})  # creates the session
            number = 0
            for step in _STEPS:
                if step.call is None:
                    self._type(step)
                    continue
                number += 1
                self._call(step, number)

    def screen(self) -> list[str]:
        """All lines of the pane, history too."""
        text = self.lane.tmux("capture-pane", "-p", "-S", "-", "-t", "=shared:")
        return text.rstrip("\n").split("\n")

    def _call(self, step: Step, number: int) -> None:
        assert step.call
        event = self._event(step.call.get("text", ""))
        event.number = number
        self.events.append(event)
        event.lines = [json.dumps(step.call), *Call().perform(step.call).split("\n")]

    def _type(self, step: Step) -> None:
        event = self._event(step.keys[0])
        event.lines = [step.about]
        for key in step.keys:
            self.lane.tmux("send-keys", "-t", "=shared:", key)
        time.sleep(SETTLES)
        self.events.append(event)

    def _event(self, typed: str) -> Event:
        position = "#{e|+:#{history_size},#{cursor_y}} #{cursor_x}"
        row, column = self.lane.tmux("display-message", "-p", "-t", "=shared:", position).split()
        return Event(row=int(row), column=int(column), typed=typed)


def record() -> tuple[list[str], list[Event]]:
    """The screen at the end, and what happened."""
    with Lane() as lane:
        site = lane.folder / "site"
        site.mkdir()
        for name in ("index.html", "about.html", "style.css"):
            (site / name).touch()
        script = site / "deploy.sh"
        script.write_text(_SCRIPT)
        script.chmod(0o755)
        profile = lane.folder / "home" / ".bash_profile"
        profile.write_text(f"PS1='{PROMPT}'\nunset HISTFILE\n")
        lane.environment |= {
            "TMUX_TOOL_WIDTH": str(COLUMNS),
            "TMUX_TOOL_HEIGHT": str(ROWS),
            "TMUX_TOOL_DIRECTORY": str(site),
        }
        lane.tmux("set-option", "-g", "default-shell", "/bin/bash")
        recording = Recording(lane)
        recording.play()
        return recording.screen(), recording.events


WIDTH, HEIGHT = 7.6, 19  # of a character, in units of the picture
MARGIN, GUTTER, TOP = 12, 52, 62
BESIDE = 62  # columns of the calls
_MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
STYLE = f"""
text {{ font: 12.6px {_MONO}; fill: #24292f; white-space: pre }}
.title {{ font: 600 13px ui-sans-serif, system-ui, sans-serif }}
.agent {{ fill: #0550ae }} .person {{ fill: #bc4c00 }} .first {{ font-weight: 600 }}
.bad {{ fill: #b42318 }} .dim {{ fill: #57606a }}
.screen {{ fill: #f6f8fa; stroke: #d0d7de }}
.mark {{ fill: #0550ae }} .mark.person {{ fill: #bc4c00 }}
.number {{ font: 600 10.5px ui-sans-serif, system-ui, sans-serif; fill: #ffffff }}
@media (prefers-color-scheme: dark) {{
text {{ fill: #e6edf3 }} .agent {{ fill: #79c0ff }} .person {{ fill: #ffa657 }}
.bad {{ fill: #ff7b72 }} .dim {{ fill: #9198a1 }} .screen {{ fill: #161b22; stroke: #3d444d }}
.mark {{ fill: #1f6feb }} }}"""


def svg(screen: list[str], events: list[Event]) -> str:
    left = MARGIN + GUTTER
    right = left + COLUMNS * WIDTH + 34
    beside, end = _calls(events, right)
    height = max(end, TOP + ROWS * HEIGHT) + 14
    width = right + 26 + BESIDE * WIDTH + MARGIN
    frame = f'width="{COLUMNS * WIDTH + 20:.0f}" height="{ROWS * HEIGHT + 20:.0f}"'
    box = f'viewBox="0 0 {width:.0f} {height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">',
        "<title>A shared terminal, and the agent's calls beside it</title>",
        f"<style>{STYLE}</style>",
        _text(left, 24, "What the person sees: the tmux session shared", "title"),
        _text(right, 24, "What the agent calls, and what it is answered", "title"),
        f'<rect class="screen" x="{left - 10}" y="{TOP - 26}" rx="6" {frame}/>',
        *_rows(screen, events, left),
        *(_mark(_gutter(event), TOP + event.row * HEIGHT, event) for event in events),
        *beside,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _rows(screen: list[str], events: list[Event], left: float) -> list[str]:
    """The screen; what was typed in the colour of who typed it."""
    rows = []
    for number, line in enumerate(screen):
        y = TOP + number * HEIGHT
        rows.append(_text(left, y, line))
        for event in events:
            shown = line[event.column :].startswith(event.typed)
            if event.row == number and event.typed and shown:
                rows[-1] = _text(left, y, line[: event.column])
                rest = line[event.column + len(event.typed) :]
                x = left + event.column * WIDTH
                rows.append(_text(x, y, event.typed, "agent" if event.number else "person"))
                rows.append(_text(x + len(event.typed) * WIDTH, y, rest))
                break
    return [row for row in rows if row]


def _calls(events: list[Event], right: float) -> tuple[list[str], float]:
    """The calls with their answers, and the y below them."""
    parts, y = [], float(TOP)
    for event in events:
        parts.append(_mark(right + 8, y, event))
        for number, line in enumerate(event.lines):
            for part in textwrap.wrap(line, BESIDE, subsequent_indent="  ") or [""]:
                parts.append(_text(right + 26, y, part, _kind(event, number, line)))
                y += HEIGHT
        y += HEIGHT * 0.45
    return parts, y - HEIGHT


def _kind(event: Event, number: int, line: str) -> str:
    """The class of a line: the call, the first line of its answer, the rest."""
    if not event.number:
        return "person"
    if number == 0:
        return "agent"
    if number == 1:
        return "first bad" if line.startswith("error") else "first"
    return ""


def _gutter(event: Event) -> float:
    """Where its mark is, left of the screen: the person's and a call's may be in the same row."""
    return MARGIN + (8 if event.number == 0 else 28)


def _mark(x: float, y: float, event: Event) -> str:
    kind = "mark" if event.number else "mark person"
    label = str(event.number) if event.number else "P"
    return (
        f'<circle class="{kind}" cx="{x:.1f}" cy="{y - 4.5:.1f}" r="8"/>'
        f'<text class="number" x="{x:.1f}" y="{y - 0.8:.1f}" text-anchor="middle">{label}</text>'
    )


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    """`text` in the grid: each character as wide as the next, whatever font there is."""
    if not text.strip():
        return ""
    grid = "" if kind == "title" else f' textLength="{len(text) * WIDTH:.1f}"'
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"{grid}>{escape(text)}</text>'


def draw() -> Path:
    PICTURE.write_text(svg(*record()))
    return PICTURE
