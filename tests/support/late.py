"""What is only late: it must come and has not come within a limit.

On a busy machine that says nothing, so it is played once more, alone, after the rest of a run
(support/again.py). An answer that is early or wrong, a line that was touched or lost, and a crash fail
at once: a fault that shows in one of three runs would pass eight of nine, if it were played again.
"""

import re
import subprocess

# what a test says of an answer, or a page, that is not the one it waits for: assert ..., answer
_TIMED_OUT = re.compile(r"['\"(]*(?:\w+ timed out after \d|error: the tmux server did not answer)|not within \d")
_TIMEOUT = "Timeout ("  # pytest-timeout's


class Late(AssertionError):
    """What must come has not come within its limit."""


def is_late(problem: BaseException | None) -> bool:
    """Whether that, or what it came of, says so."""
    seen: list[BaseException] = []
    waiting = [problem]
    while waiting:
        one = waiting.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        if _says_late(one):
            return True
        waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
    return False


def _says_late(problem: BaseException) -> bool:
    if isinstance(problem, Late | TimeoutError | subprocess.TimeoutExpired):
        return True
    if type(problem).__name__ == "OpenCodeTimedOut":
        return True
    if type(problem).__name__ == "Failed":  # by pytest.fail
        return str(problem).startswith(_TIMEOUT)
    return isinstance(problem, AssertionError) and bool(_TIMED_OUT.match(str(problem)))
