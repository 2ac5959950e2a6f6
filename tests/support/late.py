"""What is played again, alone, after the rest of a run (support/again.py): what is only late, once. On a busy machine
that says nothing. An answer that is early or wrong, a line that was touched or lost, and a crash fail at once.

Beyond the core 2,400 cases race with programs that have races of their own (bash may leave a C-c until the next key).
There an answer that is wrong and did no harm is played three times: who breaks a rule is wrong each time.
"""

import re
import subprocess

# what a test says of an answer, or a page, that is not the one it waits for: assert ..., answer
_TIMED_OUT = re.compile(r"['\"(]*(?:\w+ timed out after \d|error: the tmux server did not answer)|not within \d")
_TIMEOUT = "Timeout ("  # pytest-timeout's


class Late(AssertionError):
    """What must come has not come within its limit."""


class Wrong(AssertionError):
    """An answer beyond the core is wrong, and did no harm."""


def plays_again(problem: BaseException) -> int:
    return 3 if isinstance(problem, Wrong) else int(is_late(problem))


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
