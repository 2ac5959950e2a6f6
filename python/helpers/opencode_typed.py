"""The screen channel: OpenCode driven as a person does it, by typing and reading. What that cannot do exactly is said
in `Reply.note`; what it cannot do at all is an error before anything is typed."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence

from . import opencode_screen as screen
from .opencode_launch import front
from .opencode_reply import OpenCodeError, OpenCodeTurnFailed, Reply, Status
from .tmux.pane import Pane

SETTLE = 0.08  # seconds between the two equal readings that an idle screen and a question need
MOST_DRAWN = 10  # unequal readings of a question, after which the latest counts
UNSURE = (
    1.0  # seconds that an end without its closing mark must stand: the mark may come a frame later
)
EMPTY = (
    3.0  # seconds that an empty answer must stand: the first Markdown of a process is drawn late
)
BEGIN_LIMIT = (
    8.0  # seconds until a turn must be seen to begin; up to 1.5 in a new session, more under load
)
ESCAPES = 0.06  # seconds between two Escapes: at 10 ms they are seen as one, after 5 s forgotten
ONE_ESCAPE = (
    0.5  # seconds in which the first Escape shows, after which the second is pressed all the same
)
TWO_ESCAPES = 2.0  # seconds in which two Escapes end a turn, after which they are pressed again
AFTER_ESCAPE = 0.1  # seconds before text may follow an Escape: else its first letter comes with Alt
SLOWEST = 0.25  # seconds between readings in a long turn
RENDERED = (
    "read from the screen: Markdown is rendered, lines are wrapped, only the last screenful is seen, and a length "
    "limit looks like a normal end"
)


class ScreenChannel:
    """One conversation in the TUI of `pane`, whose process group is `group`. A turn is known by its prompt and the time it
    was typed."""

    name = "screen"

    def __init__(self, pane: Pane, session: str | None, group: int):
        self.pane, self.session, self.group = pane, session, group
        self._escaped = 0.0  # time.monotonic() of the last Escape

    def check(self) -> None:
        """Nothing can be asked here: OpenCode ignores an unknown model and shows the one it uses."""

    def _read(self) -> tuple[Status | None, tuple[str, ...], int]:
        view, kernel = front(self.pane)
        # A shell in front of a stopped OpenCode leaves its last frame on the screen.
        live = view.alternate and kernel.foreground in (None, self.group)
        return (screen.status(view.lines, view.width) if live else None), view.lines, view.width

    def status(self) -> Status:
        now = self._read()[0]
        for _ in range(MOST_DRAWN):
            if now is None or not now.request:
                break
            time.sleep(SETTLE)  # its box may be half drawn
            before, now = now, self._read()[0]
            if now is not None and now.request == before.request:
                break
        return now or Status("busy", message="the screen shows nothing known")

    def _in_front(self) -> None:
        """Raises OpenCodeError where keys would go to another program."""
        kernel = front(self.pane)[1]
        if kernel.foreground not in (None, self.group):
            raise OpenCodeError(
                f"OpenCode is not in front, {kernel.name or 'another program'} is",
                "bring it back with fg",
            )

    def show(self, session: str | None) -> None:
        if session:
            raise OpenCodeError(
                "the screen channel cannot change conversations", "exit(), then start(resume=…)"
            )
        self._type("/new")
        if not self._until(lambda: any("Ask anything" in line for line in self._read()[1])):
            raise OpenCodeError("OpenCode did not begin a new conversation")
        self.session = None

    def submit(self, prompt: str) -> str:
        """Types the prompt and returns once its turn was seen to begin, so that from then on idle means over."""
        if found := re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]", prompt):
            raise OpenCodeError(
                f"the prompt has a control character ({found[0]!r}), which cannot be typed"
            )
        if prompt.strip().lower() in ("exit", "quit", ":q"):
            raise OpenCodeError(f"typed, {prompt.strip()!r} ends OpenCode", "say it in other words")
        text = prompt.replace("\r\n", "\n").replace("\r", "\n")
        # A menu would take the Enter: a blank behind the word closes it.
        text += " " if re.search(r"^/\S*$|@\S*$", text) else ""
        changed = (
            text != prompt or text.count("\n") > 1 or len(text) > 150
        )  # OpenCode folds those and adds a blank
        turn = json.dumps({"prompt": prompt[:300], "at": time.time(), "changed": changed})
        before = self._type(text)
        if not self._until(lambda: self._begun(before)) and screen.draft(*self._read()[1:]):
            raise OpenCodeTurnFailed(
                "OpenCode did not take the prompt: it still stands in its input"
            )
        return turn

    def _type(self, text: str) -> list[str]:
        """Types into the empty input; the marks that stood there before."""
        self._in_front()
        now, lines, width = self._read()
        if now is not None and now.request:
            raise OpenCodeError(f"OpenCode {now}", "answer(…) first")
        if screen.dialog(lines, width):
            raise OpenCodeError(
                "a dialog is open in OpenCode", "close it with Escape, then try again"
            )
        if half := screen.draft(lines, width):
            raise OpenCodeError(
                f"somebody has typed into OpenCode already: {half[:200]!r}",
                "send or clear that first",
            )
        self._write(text)
        return screen.marks(lines, width)

    def _write(self, text: str) -> None:
        time.sleep(max(0.0, self._escaped + AFTER_ESCAPE - time.monotonic()))
        self.pane.type(text, block=True, gap=0.03)

    def _begun(self, before: list[str]) -> bool:
        """A turn is seen: it is busy, wants something, or a mark has come. (A row gone from the top is no new mark.)"""
        now, lines, width = self._read()
        marks = screen.marks(lines, width)
        return now is not None and (
            now != "idle" or bool(marks) and marks.count(marks[-1]) > before.count(marks[-1])
        )

    def look(self, turn: str | None) -> tuple[Status, Reply | None]:
        if (now := self.status()) != "idle":
            return now, None
        asked, first = json.loads(turn or "{}"), time.monotonic()
        pause = SETTLE
        while True:
            time.sleep(pause)
            again, lines, width = self._read()
            if again != "idle":
                return again or self.status(), None
            text, finish, error = screen.answer(lines, width, asked.get("prompt", ""))
            if (
                text
                and finish != "unknown"
                or time.monotonic() - first > (UNSURE if text or error else EMPTY)
            ):
                break
            pause = 0.05
        if error:
            raise OpenCodeTurnFailed(f"the turn failed: {error}", text=text)
        note = RENDERED + (
            "; the prompt was changed by a blank or a line break" if asked.get("changed") else ""
        )
        seconds = time.time() - asked.get("at", time.time())
        return again, Reply(
            text, finish, self.session, duration=seconds, channel="screen", note=note
        )

    def so_far(self, turn: str | None) -> str:
        return screen.answer(*self._read()[1:])[0]

    def tool(self) -> str:
        return ""

    def hurry(self, deadline: float | None) -> None:
        """Nothing here takes long."""

    def pause(self, seconds: float) -> None:
        time.sleep(min(seconds, SLOWEST))

    def answer(self, status: Status, choices: list[list[str]], message: str | None) -> None:
        word = choices[0][0]
        self._in_front()
        if message:
            raise OpenCodeError("the screen channel cannot send a message with the answer")
        if word == "reject":
            self._escape()
        elif status == "needs permission":
            self.pane.press(["Right", "Enter"] if word == "always" else ["Enter"])
            if word == "always":
                self._until(lambda: _confirms(self._read()[1]))
                self.pane.press(["Enter"])
        else:
            labels = [
                option["label"] for option in (status.request or {})["questions"][0]["options"]
            ]
            if len(choices) > 1 or len(choices[0]) > 1 or word not in labels[:9]:
                raise OpenCodeError(
                    f"on the screen only one of {labels} can be chosen", "answer it at the keyboard"
                )
            self.pane.press([str(labels.index(word) + 1)])
        self._until(lambda: self._answered(status))

    def _answered(self, asked: Status) -> bool:
        now, lines, _ = (
            self._read()
        )  # one frame: the next may show the question once more, behind its confirmation
        return now is not None and now.request != asked.request and not _confirms(lines)

    def _until(self, true: Callable[[], bool], limit: float = BEGIN_LIMIT) -> bool:
        deadline = time.monotonic() + limit
        while not (done := true()) and time.monotonic() < deadline:
            time.sleep(0.025)
        return done

    def _escape(self) -> None:
        self.pane.press(["Escape"])
        self._escaped = time.monotonic()

    def interrupt(self) -> None:
        """Escape twice, as a person does it, the second when the first is seen: two that are read together count as one.
        Once where a question stands, which refuses it."""
        for _ in range(8):
            now = self.status()
            if now == "idle":
                return
            self._in_front()
            self._escape()
            if not now.request:
                time.sleep(ESCAPES)
                self._until(
                    lambda: (
                        self.status() != "busy"
                        or "again to interrupt" in "".join(self._read()[1][-2:])
                    ),
                    ONE_ESCAPE,
                )
                self._escape()
            if self._until(lambda: self.status() == "idle", TWO_ESCAPES):
                return
        raise OpenCodeError("the turn did not end when interrupted", "exit() ends OpenCode itself")

    def quit(self) -> None:
        now, lines, width = self._read()
        if now == "idle" and not screen.draft(lines, width) and not screen.dialog(lines, width):
            self._write("/exit")

    def left(self) -> str | None:
        """The id that OpenCode leaves on the screen when it ends."""
        found = re.findall(r"opencode(?:\.exe)? -s (ses_\w+)", "\n".join(self.pane.look().lines))
        return found[-1] if found else None


def _confirms(lines: Sequence[str]) -> bool:
    return any("△ Always allow" in line for line in lines)
