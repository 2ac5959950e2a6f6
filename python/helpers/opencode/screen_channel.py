"""The screen channel: prompts are typed as a person does it, and the screen tells whose turn it is.

What was answered is in OpenCode's own database, so that an answer is exact and belongs to its
prompt. Nothing is typed unless the cursor is in the empty input; Enter is pressed only when the
input holds the prompt and nothing else.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace

from . import turns
from .database import Database
from .instance import SENDING, Instance
from .reply import OpenCodeError, OpenCodeTurnFailed, Status
from .screen import SHOWN_WHOLE, Frame, as_typed, folded_lines
from .terminal import until
from .turns import Message, Turn

FREE_LIMIT = 1.0  # seconds for the input to be free
TYPED_LIMIT = 15.0  # seconds until what was typed must be drawn: 0.1 are usual, more under load
BEGIN_LIMIT = 8.0  # seconds until OpenCode must have taken a prompt or an answer; 1.5 are usual
PAGE_LIMIT = 5.0  # seconds until a page is drawn, and from a first prompt to its conversation's
LATE_LIMIT = 30.0  # seconds until a prompt that was taken is stored, a resumed page drawn
ESCAPES = 0.1  # seconds from an Escape to the next key: at once it is Alt, two at 0.01 count as one
INTERRUPTED_LIMIT = 1.0  # seconds in which two Escapes end a turn, else they are pressed again
MOST_ESCAPES = 8
QUIT_LIMIT = 2.0  # seconds until /exit must be drawn, before a signal says it
FOLDED_KEYS = 2  # Backspaces for the name of a folded prompt: one is for the blank behind it
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f]")
_COMMAND = re.compile(r"[/!]")  # at the beginning: a command of OpenCode's, its shell mode
_COMPLETED = re.compile(r"@\S*$")  # "see @p": a menu would take the Enter
_ENDS_IT = ("exit", "quit", ":q")
QUESTION = "question"  # the tool that asks one


class ScreenChannel:
    """The conversation in the TUI of `instance`: what HttpChannel does, at the keyboard."""

    name = "screen"

    def __init__(self, instance: Instance):
        self.instance, self.terminal = instance, instance.terminal
        self.database = Database(instance.group)
        since = instance.since / os.sysconf("SC_CLK_TCK")  # the boot where that is not known
        self._began = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since

    def _frame(self) -> Frame:
        """What is shown. Raises where another program is in front: a shell in front of a stopped
        OpenCode leaves its last frame on the screen."""
        front = self.terminal.front()
        if not front.view.alternate or front.group not in (0, self.instance.group):
            if front.group == self.instance.group:
                raise OpenCodeError("OpenCode shows nothing: it is about to end, or to begin")
            reason = f"OpenCode is not in front, {front.name or 'another program'} is"
            raise OpenCodeError(reason, "fg in its pane brings it back")
        return Frame(front.view)

    def begin(self, session: str | None) -> None:
        if session and not until(lambda: self._frame().shows_conversation, LATE_LIMIT):
            raise OpenCodeError(f"the conversation {session} was not shown")

    def leave(self) -> None:
        self.prepare("")
        self._type("/new")
        self.terminal.press(["Enter"])
        if not until(lambda: self._frame().is_home, BEGIN_LIMIT):
            raise OpenCodeError("OpenCode did not begin a new conversation")

    # sending

    def prepare(self, prompt: str) -> None:
        if control := _CONTROL.search(prompt):
            reason = f"the prompt has a control character ({control[0]!r}), which cannot be typed"
            raise OpenCodeError(reason)
        if prompt.strip().lower() in _ENDS_IT:
            reason = f"typed, {prompt.strip()!r} ends OpenCode"
            raise OpenCodeError(reason, "say it in other words")
        # An earlier caller may have been killed over its prompt.
        unsent = self.instance.turn if self.instance.phase == SENDING else None
        if unsent:
            drawn = unsent.at + TYPED_LIMIT - time.time()
            until(lambda: self._frame().input or self.database.find(unsent), drawn)
            if self._take_back(unsent.prompt, unsent.folded, behind=False):
                # Its Enter may have been under way: then it is a first prompt all the same.
                until(lambda: self.instance.session or self.database.find(unsent), PAGE_LIMIT)
        if self.instance.session or (unsent and self.database.find(unsent)):
            # The first prompt moves to another page: what is typed into the page before it is lost.
            until(lambda: self._frame().shows_conversation, PAGE_LIMIT)
        until(lambda: self._frame().is_drawn, PAGE_LIMIT)
        until(lambda: not self._obstacle(), FREE_LIMIT)
        if obstacle := self._obstacle():
            reason = f"nothing was typed: OpenCode shows {obstacle}"
            raise OpenCodeError(reason, "the user may be at work there: ask, or try again later")

    def _obstacle(self) -> str:
        frame, answer = self._frame(), self._last_answer()
        if (
            not frame.obstacle
            and frame.is_scrolled
            and answer
            and turns.is_over(answer, self._began)
        ):
            return "a conversation that somebody has scrolled back"
        return frame.obstacle

    def submit(self, prompt: str, turn: Turn) -> Turn:
        text = as_typed(prompt)
        # Blanks, so that neither a command nor a menu takes the Enter.
        text = " " * bool(_COMMAND.match(text)) + text + " " * bool(_COMPLETED.search(text))
        self._type(text)
        self.terminal.press(["Enter"])
        if not (found := until(lambda: self._sent(turn), BEGIN_LIMIT)):
            held = bool(self._frame().input)
            back = self._take_back(text, turn.folded)
            found = until(lambda: self._sent(turn), 0.0 if held else LATE_LIMIT)
            if not found:
                reason = "OpenCode did not take the prompt" + "; it was taken back out" * back
                raise OpenCodeTurnFailed(reason)
        if len(found) > 1:
            found = [place for place in found if place[0] == self.instance.session]
        if len(found) != 1:
            reason = "whose answer is whose cannot be told: another OpenCode got the same prompt"
            raise OpenCodeTurnFailed(reason)
        self.instance.session, id = found[0]
        sent = replace(turn, id=id, changed=bool(turn.folded) or text != prompt)
        if found[0] not in self.database.find(turn):
            self.instance.turn = sent
            reason = "the prompt was sent together with what somebody typed at the same time"
            raise OpenCodeTurnFailed(reason, "the turn goes on: wait() for it, or interrupt()")
        return sent

    def _sent(self, turn: Turn) -> list[tuple[str, str]]:
        """The messages that are the prompt; where none is, those of this conversation that have it
        among other text."""
        if found := self.database.find(turn):
            return found
        mixed = self.database.find(turn, whole=False)
        return [place for place in mixed if self.instance.session in (None, place[0])]

    def _type(self, text: str) -> None:
        """Types into the free input; returns when it holds that and nothing else."""
        self.terminal.type(text, enter=False, block=True)
        lines = folded_lines(text)
        until(lambda: self._frame().contains(text, lines), TYPED_LIMIT)
        if not self._frame().holds(text, lines):
            shown = self._frame().input
            # What is not drawn yet, or cannot be told apart, the next caller takes back.
            back = self._take_back(text, lines)
            kind = OpenCodeTurnFailed if back else OpenCodeError
            reason = "nothing was sent: somebody typed into OpenCode at the same time"
            left = "send or clear that" if back else "clear that, where the prompt may stand too"
            raise kind(f"{reason}: {shown[:200]!r}", f"ask the user to {left}")

    def _take_back(self, text: str, lines: int, behind: bool = True) -> bool:
        """Takes `text` out of the end of the input again; whether it was there. `behind`: also
        where it is behind a draft of somebody's, if each of its signs is one Backspace."""
        frame = self._frame()
        alone = frame.holds(text, lines)
        there = alone or (behind and text.isascii() and frame.ends_with(text, lines))
        if there:
            count = FOLDED_KEYS if frame.is_folded else SHOWN_WHOLE if alone else len(text)
            self.terminal.press(["BSpace"] * count)
            until(lambda: not self._frame().ends_with(text, lines), TYPED_LIMIT)
        return there

    # what it does

    def status(self) -> Status:
        try:
            frame = self._frame()
            status = frame.status or Status("busy", message="the screen is not known")
            if status in ("needs permission", "needs answer"):
                request = self._request(frame, status)
                return Status(str(status), request=request) if request else Status("busy")
        except OpenCodeError as problem:
            status = Status("busy", message=str(problem))
        # The screen may show another conversation, or not yet that a turn has begun.
        answer = self._last_answer()
        if answer is None:
            return status
        if turns.is_over(answer, self._began):
            return Status("idle")
        completed = answer["info"]["time"].get("completed")
        return Status("busy") if status == "idle" and not completed else status

    def _last_answer(self) -> Message | None:
        """The conversation's newest message, without its parts, if it is the assistant's."""
        newest = self.database.newest(self.instance.session)
        return newest if newest and newest["info"]["role"] == "assistant" else None

    def _request(self, frame: Frame, word: str) -> dict | None:
        """What is asked for, as the API words it, from the tool that waits; None where none does:
        the screen still shows what has been answered."""
        session = self.instance.session
        tools = self.database.running_tools(session) if session else []
        if session and not tools:
            return None
        if word == "needs answer":
            asked = [part for part in tools if part["tool"] == QUESTION][:1]
            given = asked[0]["state"].get("input") or {} if asked else {}
            return {"questions": [{}], **given, "id": asked[0].get("callID", "") if asked else ""}
        requests = [turns.request_of(part) for part in tools]
        if len(requests) != 1:  # several may wait, or run: the screen asks for one of them
            requests = [one for one in requests if frame.asks_for(one["metadata"]["command"])]
        unknown = {"id": frame.asked, "permission": "?", "metadata": {"command": frame.asked}}
        return max(requests, key=lambda one: len(one["metadata"]["command"]), default=unknown)

    def messages(self, turn: Turn) -> list[Message]:
        if self.instance.session is None and len(found := self.database.find(turn)) == 1:
            self.instance.session = found[0][0]  # of several it cannot be told which is ours
        return turns.since(turn, self.database.messages(self.instance.session, turn))

    # answering, ending

    def answer(self, status: Status, choices: list[list[str]], message: str | None) -> None:
        word, frame = choices[0][0], self._frame()
        if message:
            raise OpenCodeError("the screen channel cannot send a message with the answer")
        if frame.dialog:
            raise OpenCodeError(f"OpenCode shows {frame.dialog}", "close it first")
        if word == "reject":
            self.terminal.press(["Escape"])
            time.sleep(ESCAPES)
        elif status == "needs permission":
            if word == "always":
                self.terminal.press(["Right", "Enter"])
                until(lambda: self._frame().confirms, BEGIN_LIMIT)
            self.terminal.press(["Enter"])
        else:
            self.terminal.press([self._key_of(choices, status.request or {})])
        if not until(lambda: self._answered(status), BEGIN_LIMIT):
            raise OpenCodeError("OpenCode did not take the answer", "look at its screen")

    def _key_of(self, choices: list[list[str]], request: dict) -> str:
        """The digit before the label that is chosen."""
        options = request["questions"][0].get("options") or []
        labels = [option["label"] for option in options][:9]
        label = choices[0][0]
        if len(choices) > 1 or len(choices[0]) > 1 or label not in labels:
            reason = f"on the screen only one of {labels} can be chosen"
            raise OpenCodeError(reason, "answer it at the keyboard")
        return str(labels.index(label) + 1)

    def _answered(self, asked: Status) -> bool:
        frame, status = self._frame(), self.status()
        return frame.status is not None and not frame.confirms and status.request != asked.request

    def interrupt(self) -> None:
        """Escape twice, as a person does it; once where a question is asked, which refuses it."""
        for _ in range(MOST_ESCAPES):
            status = self.status()
            if status == "idle":
                return
            if dialog := self._frame().dialog:
                raise OpenCodeError(f"OpenCode shows {dialog}", "close it first")
            for _ in range(1 if status.request else 2):
                self.terminal.press(["Escape"])
                time.sleep(ESCAPES)
            if until(lambda: self.status() == "idle", INTERRUPTED_LIMIT):
                return
        raise OpenCodeError("the turn did not end when interrupted", "exit() ends OpenCode")

    def quit(self) -> None:
        frame = self._frame()
        if frame.status != "idle" or frame.obstacle:
            raise OpenCodeError("OpenCode's input is not free")
        self.terminal.type("/exit", enter=False, block=True)
        if until(lambda: self._frame().holds("/exit"), QUIT_LIMIT):
            self.terminal.press(["Enter"])
        else:
            self.terminal.drop_unread()  # else the shell reads it when this one is killed
