"""Turns: which messages of a conversation are one turn, whose it is, and how it has ended.

Pure. A message is the API's `info` about it and its `parts`, in the words of line 1: it has a role,
and an assistant's message names the prompt that it answers (`parentID`). A turn with tools has an
answer for each step. In line 2 an idle message (`outcome`, `error`) ends all turns before it.
"""

import re
import secrets
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .reply import OpenCodeTurnFailed, Reply, Status

Facts = dict[str, Any]  # as a wire words them

MARK = "agent"  # ends the id of a prompt that was sent from here; all others are a person's
AT_REST = f"1{MARK}"  # ends that of one which was sent while OpenCode idled
MOST_QUOTED = 500  # characters of OpenCode's own words
# Seconds of idling after which a turn is over although
STEP_LIMIT = 0.5  # it has failed, another step was to follow, or why it ended is known otherwise
CUT_LIMIT = 5.0  # its last step goes on, or what it did to files is not told
IDLE_LIMIT = 30.0  # it has not begun
_ABORTED = ("MessageAbortedError", "aborted")  # an error's name, in either line
_CALLS = ("tool-calls", "unknown")  # the finish of a step that another one follows
_GOES_ON = ("", *_CALLS)
_PASSED_OVER = "passed over"
# Else it was interrupted.
_OUTCOMES = {"succeeded": "stop", "failed": "error", _PASSED_OVER: "error"}
_COUNTED = ("input", "output", "reasoning", "cache_read", "cache_write")  # tokens
# The user rejected permission to use …; … dismissed this question; PermissionRejectedError (1.2);
# … declined this tool call (2)
_REFUSED = re.compile(
    r"rejected permission|dismissed this question|RejectedError|declined this tool", re.IGNORECASE
)


def new_id(at_rest: bool) -> str:
    """An id for a prompt, of OpenCode's own form: they sort by time. `at_rest`: OpenCode idles."""
    moment = int(time.time() * 1000) * 4096 % 2**48
    return f"msg_{moment:012x}{secrets.token_hex(4)}{AT_REST if at_rest else '0' + MARK}"


@dataclass(eq=False)
class Turn:
    """A prompt and everything that comes of it."""

    # What somebody asked: one prompt, and those that were queued and are answered together with it.
    asked: list[Facts] = field(default_factory=list)

    # These, and those that OpenCode itself sent to go on, oldest first.
    prompts: list[Facts] = field(default_factory=list)
    answers: list[Facts] = field(default_factory=list)
    # How OpenCode says that it has ended: "succeeded", "failed", "interrupted"; or passed over.
    outcome: str = ""
    reason: str = ""  # why, if it failed

    @property
    def theirs(self) -> bool:
        """Whether a person has asked any of it: what it asks is for them."""
        # A mark holds across processes, callers and restarts; a list of ids would not.
        return not all(one["id"].endswith(MARK) for one in self.asked)

    @property
    def known(self) -> bool:
        """Whether it is known who asked, though the messages may begin in the middle of it."""
        if not self.asked:
            return False

        return bool(self.asked[0]["parts"]) or not self.theirs

    @property
    def asked_at(self) -> float:
        """When its first prompt came (milliseconds)."""
        return self.prompts[0]["time"]["created"]

    @property
    def finish(self) -> str:
        """How its last step has ended: "error", or as in a Reply; "" if it has not."""
        finish = ""
        for last in self.answers[-1:]:
            finish = _finish(last)

        # Stopped in a retry, or between two steps.
        if finish in _GOES_ON and self.outcome:
            finish = _OUTCOMES.get(self.outcome, "aborted")
        return finish

    @property
    def changes(self) -> list[Facts]:
        """What it did to files, as line 1 tells with its prompts."""
        told = [one.get("summary") or {} for one in self.prompts]
        return [change for one in told for change in one.get("diffs") or []]

    @property
    def lacks_changes(self) -> bool:
        """Whether it has changed files, and line 1 has not told yet what; 1.15 is late."""
        # It never does of a step that was ended.
        steps = [one for one in self.answers if one.get("finish")]
        kinds = [part["type"] for one in steps for part in one["parts"]]
        return "patch" in kinds and not self.changes

    @property
    def goes_on(self) -> bool:
        """Whether a step is to come, as far as the messages tell."""
        # A step that calls tools is followed by another one, which may not be there yet.
        return self.finish in _GOES_ON

    def patience(self, known: bool = False) -> float:
        """Seconds of idling after which it is over. `known`: why it ended."""
        if self.lacks_changes:
            return CUT_LIMIT

        # Line 1 idles before it has done with an error: the next prompt would be passed over.
        if self.finish == "error":
            return STEP_LIMIT

        if not self.goes_on:
            return 0.0

        if self.finish:
            return STEP_LIMIT

        if self.answers:
            return CUT_LIMIT

        if known:
            return STEP_LIMIT

        return IDLE_LIMIT

    def takes(self, prompt: Facts) -> bool:
        """Whether OpenCode itself sent this prompt to go on with the turn."""

        # The conversation has become too long: it is compacted.
        if _compacts(prompt):
            return True

        # Then it is asked again, or told to continue.
        if self.prompts and _compacts(self.prompts[-1]):
            return not _has_own_words(prompt) or text_of(prompt) in map(text_of, self.prompts)

        # A tool has changed the agent: "The plan has been approved. Execute it".
        return self.finish in _CALLS and not _has_own_words(prompt)

    def join(self, other: "Turn") -> None:
        """Makes the other one, which is not answered yet, a part of this one."""
        # Both are answered by the same words.
        self.asked += other.asked
        self.prompts += other.prompts

    def text(self, live: Mapping[str, str] = {}) -> str:
        """All of it so far. `live`: the texts of unfinished parts, by their ids."""
        return "\n\n".join(filter(None, (text_of(one, live) for one in self.answers)))

    def reply(
        self, prompt: str, stopped: bool = False, failure: str = "", live: Mapping[str, str] = {}
    ) -> Reply:
        """The Reply to this prompt of it, once it is over. `stopped`: it was interrupted.
        `failure`: why a turn has failed meanwhile. `live`: as in text(). Raises OpenCodeTurnFailed
        if it ended in an error or never began."""
        finish = self.finish
        if stopped and self.goes_on:
            finish = "aborted"

        # 1.2 and 1.3 keep no text of a step that is ended before it is whole.
        texts = [text_of(one, live) for one in reversed(self.answers)]
        text = next(filter(None, texts), "")
        if finish in ("", "error"):
            self._must_not_have_failed(self.reason or failure, text)

        # Who asked in mid-turn is answered in the same words.
        others = [text_of(one) for one in self.asked if one["id"] != prompt]
        note = "".join(others)[:MOST_QUOTED]
        if note:
            note = f"a prompt sent in mid-turn is answered here too: {note!r}"

        return Reply(
            text=text,
            finish=finish or "aborted",
            tokens=_tokens(self.answers),
            cost=sum(one.get("cost") or 0.0 for one in self.answers),
            duration=self._duration,
            note=note,
        )

    def _must_not_have_failed(self, reason: str, text: str) -> None:
        """Raises OpenCodeTurnFailed with the error of its last answer, else for this reason."""
        if not self.answers:
            said = reason or "aborted, passed over, behind an interrupted one, or without a model"
            if not (self.asked or reason):
                said = "it never arrived, was undone or deleted"
            raise OpenCodeTurnFailed(
                f"the turn did not begin: {said}", "OpenCode's screen may say why"
            )

        said = _reason(self.answers[-1]) or reason
        if said:
            raise OpenCodeTurnFailed(f"the turn failed: {said}", text=text)

    @property
    def _duration(self) -> float:
        """Seconds from its first prompt to its last answer."""
        return max([0.0, *(_ended(one) - self.asked_at for one in self.answers)]) / 1000


@dataclass
class Conversation:
    """The turns of a conversation, or of its newest messages."""

    turns: dict[str, Turn] = field(default_factory=dict)  # by the ids of their prompts
    newest: Turn = field(default_factory=Turn)  # of the last prompt
    last: Turn = field(default_factory=Turn)  # of the last answer

    def of(self, prompt: str) -> Turn:
        """The turn of this prompt; an empty one if it is not there."""
        return self.turns.get(prompt) or Turn()

    def is_past(self, turn: Turn, status: Status) -> bool:
        """Whether OpenCode has gone on to another one, or a subagent in the background."""
        if turn is self.last:
            # What a subagent in the background asks does not hold back the answer: its own turn
            # follows, once it is ready.
            return bool(status.request) and not turn.goes_on
        return bool(turn.answers)

    def works(self, status: Status) -> list[Turn]:
        """The turns that OpenCode works at while it is in this state, or is to work at then, as far
        as is known."""
        if status == "idle":
            return []

        behind = [self.last]  # the turn that was answered last, and those that wait behind it
        for turn in self.turns.values():
            if turn is self.last:
                behind = []
            behind.append(turn)

        found = [turn for turn in behind if turn.asked and turn.goes_on]
        if status.request:  # a subagent in the background may ask after the turn that began it
            found.append(self.last)
        return found

    def told(self, status: Status) -> Status:
        """The state, as an agent is told of it: what a person's turn asks is left to them."""
        at_work = self.works(status)[:1]
        if not any(turn.theirs for turn in at_work):
            return status

        said = f"at a prompt of the user's own, {status.description}"
        return Status("busy", message=said, theirs=True)

    def _add_prompt(self, prompt: Facts) -> None:
        # A person's, ours, or one of OpenCode's own.
        if not self.newest.takes(prompt):
            self.newest = Turn(asked=[prompt])

        # OpenCode idled: what stands unanswered before it, as after an Escape or where a client has
        # only noted something (`noReply`), is no part of what it does now.
        if prompt["id"].endswith(AT_REST):
            for turn in self.turns.values():
                if not turn.answers:
                    turn.outcome = turn.outcome or _PASSED_OVER

        self.newest.prompts.append(prompt)
        self.turns[prompt["id"]] = self.newest

    def _add_answer(self, answer: Facts) -> None:
        # It says which prompt it answers.
        id = answer["parentID"]
        beyond = {"id": id, "parts": [], "time": answer["time"]}  # older than the messages
        turn = self.turns.get(id) or Turn([beyond], [beyond])
        if not turn.answers:
            turn.outcome = ""  # it was not passed over
            turn = self._joined(turn)

        for prompt in turn.prompts:
            self.turns[prompt["id"]] = turn

        turn.answers.append(answer)
        self.last = turn

    def _joined(self, turn: Turn) -> Turn:
        """The turn of which this one, whose first answer is there, is a part."""
        before = self.last
        if turn.prompts[0]["id"].endswith(AT_REST):
            return turn

        # When that had its last words.
        ended = max(map(_ended, before.answers), default=0)
        # A prompt queued in mid-turn takes the turn over at its next step.
        if before.finish in _CALLS and turn.asked_at <= ended + CUT_LIMIT * 1000:
            before.join(turn)
            self.newest = before
            return before

        # Of several that were queued behind a turn the last one is answered, for all of them.
        for other in list(self.turns.values()):
            waits = not (other.answers or other.outcome) and other.asked_at <= ended
            if waits and other is not turn:
                turn.join(other)

        return turn

    def _add_summary(self, summary: Facts) -> None:
        """A person's own /compact has ended."""
        # One that OpenCode has begun by itself belongs to a turn, which goes on.
        turn = self.of(summary["parentID"])
        if turn.asked and turn.asked[0]["id"] == summary["parentID"] and _ended(summary):
            turn.reason = _reason(summary)
            turn.outcome = "failed" if turn.reason else "succeeded"


def conversation_of(messages: list[Facts]) -> Conversation:
    """The turns that these messages are of."""
    found = Conversation()
    for one in messages:
        if one["role"] == "user":
            found._add_prompt(one)

        elif one["role"] == "idle":
            # Line 2 says that all has ended, and how.
            for turn in found.turns.values():
                turn.reason = turn.reason or one["reason"]
                turn.outcome = turn.outcome or one["outcome"]

        elif one.get("summary"):
            # What OpenCode notes when it compacts is no answer.
            found._add_summary(one)

        else:
            found._add_answer(one)

    return found


def text_of(message: Facts, live: Mapping[str, str] = {}) -> str:
    """What a message says, without what OpenCode has put into it."""
    said = []
    for part in message["parts"]:
        if part["type"] == "text" and not part.get("synthetic"):
            # In line 2 a text is empty until it is whole.
            said.append(part["text"] or live.get(part["id"]))

    return "\n\n".join(filter(None, said))


def _compacts(prompt: Facts) -> bool:
    """Whether OpenCode compacts the conversation by itself here."""
    return any(part.get("auto") for part in prompt["parts"])


def _has_own_words(prompt: Facts) -> bool:
    """Whether any part of it came from outside, or is still to come."""
    # Each part that OpenCode has put in says so.
    made = [part.get("synthetic") for part in prompt["parts"]]
    return not made or not all(made)


def work_of(answer: Facts) -> Facts:
    """What its tools have told beside their words: `children`, the ids of the conversations that
    subagents held for it, and `todo`, the list as it left it."""
    told = [(part.get("state") or {}).get("metadata") or {} for part in answer["parts"]]
    children = [one.get("sessionId") or one.get("sessionID") for one in told]
    lists = [one["todos"] for one in told if "todos" in one]
    return {"children": [*filter(None, children)], "todo": lists[-1] if lists else []}


def _reason(answer: Facts) -> str:
    """Why it has failed; "" if it has not."""
    error = answer.get("error") or {}
    return (error.get("data") or {}).get("message") or error.get("name") or ""


def _ended(answer: Facts) -> float:
    """When (milliseconds); 0 if it goes on."""
    return answer["time"].get("completed") or 0.0


def _finish(answer: Facts) -> str:
    """How a step has ended; "" if it has not."""
    if not _ended(answer):
        return ""

    if _was_refused(answer):
        return "rejected"

    error = answer.get("error") or {}
    if error.get("name") in _ABORTED:
        return "aborted"

    if error:
        return "error"

    return answer.get("finish") or "aborted"  # aborted while it retried it has neither


def _was_refused(answer: Facts) -> bool:
    """Whether a permission or question of it was."""
    errors = [str(one["state"].get("error")) for one in answer["parts"] if one["type"] == "tool"]
    return any(map(_REFUSED.search, errors))


def _tokens(answers: list[Facts]) -> dict[str, int]:
    """Those of all steps."""
    total = Counter[str]()
    for one in answers:
        used = one.get("tokens") or {}
        cache = used.get("cache") or {}
        every = {**used, **{f"cache_{name}": count for name, count in cache.items()}}
        total.update({name: every.get(name) or 0 for name in _COUNTED})
    return {**total, "total": total.total()}
