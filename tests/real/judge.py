"""Whether an answer is right. Pure: text and moments in, a finding out."""

import re
from dataclasses import dataclass
from enum import StrEnum

from tests.support.answer import Answer
from tests.support.terminal import LIMIT

from .table import Step

_SECONDS = re.compile(r" after \d+(?:\.\d+)?s")  # ready (shell) after 0.42s
# ready (shell), exit status 2; ready (prompt matched): >>>
_READY = re.compile(r"ready(?: (\([^()]*\)))?(?:, exit status (\d+))?(?:: .*)?$")
_TURN = re.compile(r"ready|needs |unfinished|matched|quiet")
# needs input: Continue? [y/N]
_QUOTED = re.compile(r"(?:needs (?:input|password)|unfinished): (.*[?:>\])])")
_DOUBT = re.compile(r"note: .*whether some(?:one|body) has typed here")
_STALLED = "error: the tmux server did not answer"  # it is overloaded
_LONGEST = 16_000  # characters of an answer
_SLACK = 0.05  # seconds a call may seem shorter than its program


class Finding(StrEnum):
    RIGHT = "right"
    EARLY = "early"
    LATE = "late"  # none within the limit
    WRONG = "wrong"
    HARM = "harm"  # the screen is touched, or text stands where none may


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One call as it went. Moments are time.monotonic(); `truth`: None where none was written."""
    answer: str
    began: float
    ended: float
    before: str
    after: str
    later: str  # a while after; `after` where the answer claims no turn
    truth: float | None
    denied: bool
    asked: bool = False  # the call before reported that a program waits for input


def judge(step: Step, seen: Seen) -> tuple[Finding, str]:
    """The finding and, where it is not right, why."""
    answer = Answer(seen.answer)
    plain, turn = _SECONDS.sub("", answer.first), claims_turn(answer)
    proven = turn and not plain.startswith(("quiet", "matched"))  # these claim no turn
    if step.doubt and _DOUBT.search(seen.answer):
        return Finding.RIGHT, ""
    if plain.startswith("quiet") and "quiet" in step.right + step.denied:
        pass  # it claims no turn
    elif turn and seen.ended - seen.began < step.takes - _SLACK:
        return Finding.EARLY, f"after {seen.ended - seen.began:.1f} of {step.takes:.1f} s"
    if turn and step.truth and (seen.truth is None or seen.truth > seen.ended):
        return Finding.EARLY, "before the truth was written"
    late = " timed out" in plain and not _may_time_out(step) or _STALLED in plain
    if harm := _harm(step, seen, turn):
        return Finding.HARM, harm
    first = ["timed out"] if late else _first(step, plain, seen.denied)
    reasons = [*first, *_rest(step, seen, plain, answer.body)]
    if step.notes is not None and list(step.notes) != answer.notes:
        reasons.append(f"expected notes {step.notes!r}")
    if reasons:
        return (Finding.LATE if late else Finding.WRONG), "; ".join(reasons)
    if proven and not step.moving and seen.later != seen.after:
        return Finding.EARLY, "the screen changed after the answer"
    return Finding.RIGHT, ""


def claims_turn(answer: str) -> bool:
    return bool(_TURN.match(answer))


def _may_time_out(step: Step) -> bool:
    """Where the row says so, or gives a short limit of its own and leaves the first line open."""
    limit = (step.call or {}).get("timeout", 0)
    is_open = not step.right or "…" in step.right
    return "timed out" in step.right + step.denied or is_open and limit < LIMIT


def is_right(expected: str, plain: str, denied: bool) -> bool:
    """Whether `plain` (a first line without seconds) is what `expected` describes."""
    ready = _READY.fullmatch(expected)
    if not ready:
        return bool(re.fullmatch(".*".join(map(re.escape, expected.strip().split("…"))), plain.strip()))
    got = _READY.fullmatch(plain)
    if not got or ready[1] and ready[1] != got[1]:
        return False
    return ready[2] is None or got[2] == ready[2] or denied and got[2] is None


def _first(step: Step, plain: str, denied: bool) -> list[str]:
    expected = " | ".join(filter(None, [step.right, step.denied if denied else ""]))
    if not expected or any(is_right(one, plain, denied) for one in expected.split(" | ")):
        return []
    return [f"expected {expected!r}"]


def _rest(step: Step, seen: Seen, plain: str, body: str) -> list[str]:
    reasons = []
    if step.body is not None and body != step.body:
        reasons.append(f"expected body {step.body!r}")
    reasons += [f"lacks {text!r}" for text in step.has if text not in seen.answer]
    quoted = _QUOTED.match(plain)
    if quoted and body and body.rstrip().rpartition("\n")[2].strip() == quoted[1].strip():
        reasons.append("the question is repeated")
    if seen.asked and "note: typed ahead" in seen.answer:
        reasons.append("typed ahead, where it was asked for")
    if re.search(r"^~\n~\n~$", body, re.M):
        reasons.append("filler rows")
    if len(seen.answer) > _LONGEST:
        reasons.append(f"{len(seen.answer)} characters")
    return reasons


def _harm(step: Step, seen: Seen, turn: bool) -> str:
    """What was typed or shown that must not be."""
    if step.untouched and seen.after != seen.before:
        return "the screen was touched"
    if turn and step.right.startswith("error: ") and " | " not in step.right:
        return f"typed, where {step.right!r} was due"
    return "; ".join(f"has {text!r}" for text in step.lacks if text in seen.answer)
