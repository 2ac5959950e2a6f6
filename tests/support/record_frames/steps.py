"""What a scenario is made of: one program, and the steps in which it is driven and photographed."""

from __future__ import annotations

from dataclasses import dataclass

INPUT = "input"
PASSWORD = "password"
KEY = "key"


@dataclass(frozen=True, slots=True)
class See:
    """Waits until `text` is on the screen."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """Types `text` as it is, without Enter."""

    text: str


@dataclass(frozen=True, slots=True)
class Keys:
    """Presses keys by tmux's names, separated by blanks."""

    names: str


@dataclass(frozen=True, slots=True)
class Frame:
    """Photographs the screen once it stands still; the truth: what is asked, as it is quoted."""

    state: str
    kind: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Moving:
    """Photographs a screen that never stands still `count` times; the truth: no question."""

    state: str
    count: int = 3
    seconds: float = 0.25  # between two pictures


Step = See | Text | Keys | Frame | Moving


@dataclass(frozen=True, slots=True)
class Scenario:
    """`command` is typed at a shell's prompt; then come the steps."""

    name: str
    command: str
    steps: tuple[Step, ...]
    width: int = 100
    height: int = 30


def asked(kind: str, text: str, see: str = "", state: str = "asking") -> tuple[Step, ...]:
    """The program asks `text`: waits for it, then a picture."""
    return (See(see or text), Frame(state, kind, text))
