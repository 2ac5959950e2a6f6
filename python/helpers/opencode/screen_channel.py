"""The screen channel: prompts are typed as a person does it, and the screen tells whose turn it is.

What was said stands in OpenCode's own database, so that an answer is exact and belongs to its
prompt. Nothing is typed unless the cursor is in the empty input; Enter is pressed only when the
input holds the prompt and nothing else.
"""

from __future__ import annotations

import math
import re
import time
from dataclasses import replace

from . import turns
from .database import Database
from .reply import OpenCodeError, OpenCodeTurnFailed, Status
from .screen import Frame
from .terminal import Terminal
from .turns import Message, Turn

FREE_LIMIT = 1.0  # seconds for the input to be free: a frame may be half drawn
TYPED_LIMIT = 4.0  # seconds until what was typed must be drawn: 0.1 are usual, more under load
BEGIN_LIMIT = 8.0  # seconds until a prompt must be in the conversation; up to 1.5 are usual
SHOWN_LIMIT = 30.0  # seconds until a conversation that is resumed must be drawn
ANSWERED_LIMIT = 8.0  # seconds until an answer must have been taken
ESCAPES = 0.06  # seconds between two Escapes: at 10 ms they are seen as one, after 5 s forgotten
ONE_ESCAPE = 0.5  # seconds in which the first shows, after which the second is pressed all the same
TWO_ESCAPES = 2.0  # seconds in which two Escapes end a turn, after which they are pressed again
AFTER_ESCAPE = 0.1  # seconds before text may follow an Escape: else its first letter comes with Alt
MOST_ESCAPES = 8
SETTLE = 0.08  # seconds between two equal frames that a question needs: its box may be half drawn
MOST_DRAWN = 10  # unequal frames, after which the latest counts
SHOWN_WHOLE = 150  # characters of a prompt above which OpenCode folds it, and adds a blank
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")
_COMMAND = re.compile(r"[/!]")  # at the beginning: a command of OpenCode's, its shell mode
_COMPLETED = re.compile(r"@\S*$")  # "see @p": a menu would take the Enter
_ENDS_IT = ("exit", "quit", ":q")


class ScreenChannel:
    """The conversation in the TUI of `terminal`, whose process group is `group`."""

    name = "screen"

    def __init__(self, terminal: Terminal, session: str | None, group: int):
        self.terminal, self.session, self.group = terminal, session, group
        self.database = Database(group)
        self.deadline = math.inf
        self._escaped = 0.0  # time.monotonic() of the last Escape

    def _frame(self) -> Frame | None:
        """What is shown; None where another program is in front. A shell in front of a stopped
        OpenCode leaves its last frame on the screen."""
        front = self.terminal.front()
        live = front.view.alternate and front.group in (0, self.group)
        return Frame(front.view) if live else None

    def _in_front(self) -> Frame:
        frame = self._frame()
        if frame is None:
            name = self.terminal.front().name
            raise OpenCodeError(
                f"OpenCode is not in front, {name or 'another program'} is", "bring it back with fg"
            )
        return frame

    def begin(self, session: str | None) -> None:
        def shown() -> bool:
            frame = self._frame()
            return frame is not None and frame.status is not None and not frame.is_home

        if session and not self.terminal.until(shown, SHOWN_LIMIT):
            raise OpenCodeError(f"the conversation {session} was not shown")
        self.session = session

    def leave(self) -> None:
        self.prepare(None)
        self._type("/new")
        self._enter()
        if not self.terminal.until(lambda: self._in_front().is_home, BEGIN_LIMIT):
            raise OpenCodeError("OpenCode did not begin a new conversation")
        self.session = None

    # sending

    def turn(self, prompt: str) -> Turn:
        if control := _CONTROL.search(prompt):
            raise OpenCodeError(
                f"the prompt has a control character ({control[0]!r}), which cannot be typed"
            )
        if prompt.strip().lower() in _ENDS_IT:
            raise OpenCodeError(f"typed, {prompt.strip()!r} ends OpenCode", "say it in other words")
        typed = _typable(prompt)
        changed = typed != prompt or _is_folded(typed)
        return Turn(prompt=turns.prompt_key(prompt), at=time.time(), changed=changed)

    def prepare(self, unsent: Turn | None) -> None:
        frame = self._free(FREE_LIMIT)
        if (
            unsent
            and not unsent.id
            and frame.input
            and frame.ends_with(unsent.prompt[:SHOWN_WHOLE])
        ):
            self._take_back(unsent.prompt)
            frame = self._free(FREE_LIMIT)
        if frame.obstacle:
            raise OpenCodeError(
                f"nothing was typed: in OpenCode {frame.obstacle} takes the keys",
                "send, answer or close that first; the user may be at work there",
            )
        if frame.is_scrolled and self._is_over():
            raise OpenCodeError(
                "nothing was typed: somebody has scrolled back in the conversation",
                "try again later, or ask the user to go to its end",
            )

    def _free(self, limit: float) -> Frame:
        """The frame once its input is free, or the last one."""
        frames = [self._in_front()]

        def free() -> bool:
            frames[0] = self._in_front()
            return not frames[0].obstacle

        self.terminal.until(free, limit)
        return frames[0]

    def _is_over(self) -> bool:
        newest = self.database.newest(self.session) if self.session else None
        return bool(newest and newest["info"]["role"] == "assistant" and turns.is_over(newest))

    def submit(self, prompt: str, turn: Turn) -> Turn:
        typed = _typable(prompt)
        self._type(typed)
        self._enter()
        if not self.terminal.until(lambda: self.database.find(turn), BEGIN_LIMIT):
            self._take_back(typed)
        found = self.database.find(turn)  # perhaps it was only slow
        if not found:
            raise OpenCodeTurnFailed("OpenCode did not take the prompt; it was taken back out")
        if len(found) > 1 and self.session in dict(found):
            found = [one for one in found if one[0] == self.session]
        if len(found) > 1:
            raise OpenCodeTurnFailed(
                "the answer could not be told: the same prompt was sent twice at this moment"
            )
        self.session, id = found[0]
        return replace(turn, id=id)

    def _type(self, text: str) -> None:
        """Types into the free input; returns when it holds that and nothing else."""
        time.sleep(max(0.0, self._escaped + AFTER_ESCAPE - time.monotonic()))
        self.terminal.paste(text)
        if self.terminal.until(lambda: self._in_front().holds(text), TYPED_LIMIT):
            return
        shown = self._in_front().input
        self._take_back(text)
        raise OpenCodeError(
            f"nothing was sent: somebody typed into OpenCode at the same time: {shown[:200]!r}",
            "send or clear that first",
        )

    def _enter(self) -> None:
        self.terminal.press("Enter")

    def _take_back(self, text: str) -> None:
        """Takes `text` out of the input's end again. Beside a draft of somebody's only what can be
        counted: a sign of other scripts may be one Backspace or several."""
        frame = self._in_front()
        alone = frame.holds(text)
        if not frame.ends_with(text) or not (alone or text.isascii()):
            return
        folded = frame.input.endswith(" lines]")
        count = 1 if folded else SHOWN_WHOLE if alone else len(text)
        self.terminal.press(*["BSpace"] * count)
        self.terminal.until(lambda: not self._in_front().ends_with(text), TYPED_LIMIT)

    # what it does

    def status(self) -> Status:
        frame, status = self._frame(), None
        for _ in range(MOST_DRAWN):
            status = frame.status if frame else None
            if frame is None or status not in ("needs permission", "needs answer"):
                break
            before = frame.rows
            time.sleep(SETTLE)
            frame = self._frame()
            if frame is not None and frame.rows == before:
                return Status(str(frame.status), request=self._request(str(frame.status)))
        return self._by_the_record(status or Status("busy", message="another program is in front"))

    def _by_the_record(self, status: Status) -> Status:
        """The screen may show another conversation, or not yet that a turn has begun."""
        newest = self.database.newest(self.session) if self.session else None
        if newest is None or newest["info"]["role"] != "assistant":
            return status
        if turns.is_over(newest):
            return Status("idle")
        completed = newest["info"]["time"].get("completed")
        return Status("busy") if status == "idle" and not completed else status

    def _request(self, word: str) -> dict:
        """What is asked for, as the API words it, from the tool that waits."""
        part = self.database.running_tool(self.session) if self.session else None
        asked = (part or {"state": {}})["state"].get("input") or {}
        if word == "needs answer":
            return {"questions": asked.get("questions") or [{}]}
        command = asked.get("command") or asked.get("filePath") or ""
        tool = part["tool"] if part else "?"
        return {"permission": tool, "patterns": [], "metadata": {"command": command}}

    def messages(self, turn: Turn) -> list[Message]:
        if self.session is None and (found := self.database.find(turn)):
            self.session = found[0][0]
        return turns.since(turn, self.database.messages(self.session, turn)) if self.session else []

    # answering, ending

    def answer(self, status: Status, choices: list[list[str]], message: str | None) -> None:
        word = choices[0][0]
        if message:
            raise OpenCodeError("the screen channel cannot send a message with the answer")
        if dialog := self._in_front().dialog:
            raise OpenCodeError(f"in OpenCode {dialog} takes the keys", "close it first")
        if word == "reject":
            self._escape()
        elif status == "needs permission":
            self._allow(word)
        else:
            self._choose(choices, status.request or {})
        if not self.terminal.until(lambda: self._answered(status), ANSWERED_LIMIT):
            raise OpenCodeError("OpenCode did not take the answer", "look at its screen")

    def _allow(self, word: str) -> None:
        if word == "always":
            self.terminal.press("Right", "Enter")
            self.terminal.until(lambda: self._in_front().confirms, ANSWERED_LIMIT)
        self.terminal.press("Enter")

    def _choose(self, choices: list[list[str]], request: dict) -> None:
        options = request["questions"][0].get("options") or []
        labels = [option["label"] for option in options][:9]
        label = choices[0][0]
        if len(choices) > 1 or len(choices[0]) > 1 or label not in labels:
            raise OpenCodeError(
                f"on the screen only one of {labels} can be chosen", "answer it at the keyboard"
            )
        self.terminal.press(str(labels.index(label) + 1))

    def _answered(self, asked: Status) -> bool:
        frame = self._in_front()
        if frame.status is None or frame.confirms:
            return False
        return frame.status != asked or self._request(str(asked)) != asked.request

    def _escape(self) -> None:
        self.terminal.press("Escape")
        self._escaped = time.monotonic()

    def interrupt(self) -> None:
        """Escape twice, as a person does it, the second when the first is seen: two that are read
        together count as one. Once where a question is asked, which refuses it."""
        for _ in range(MOST_ESCAPES):
            status = self.status()
            if status == "idle":
                return
            frame = self._in_front()
            if frame.dialog:
                raise OpenCodeError(f"in OpenCode {frame.dialog} takes the keys", "close it first")
            self._escape()
            if not status.request:
                time.sleep(ESCAPES)
                self.terminal.until(self._one_escape_shows, ONE_ESCAPE)
                self._escape()
            if self.terminal.until(lambda: self.status() == "idle", TWO_ESCAPES):
                return
        raise OpenCodeError("the turn did not end when interrupted", "exit() ends OpenCode itself")

    def _one_escape_shows(self) -> bool:
        frame = self._in_front()
        return frame.status != "busy" or frame.interrupts

    def quit(self) -> None:
        frame = self._frame()
        if frame is not None and frame.status == "idle" and not frame.obstacle:
            self._type("/exit")
            self._enter()


def _typable(prompt: str) -> str:
    """`prompt` so that OpenCode takes it for one: neither a command nor a menu takes the Enter."""
    text = prompt.replace("\r\n", "\n").replace("\r", "\n")
    before = " " if _COMMAND.match(text) else ""
    after = " " if _COMPLETED.search(text) else ""
    return before + text + after


def _is_folded(text: str) -> bool:
    return text.count("\n") > 1 or len(text) > SHOWN_WHOLE
