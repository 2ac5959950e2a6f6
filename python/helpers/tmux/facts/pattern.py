"""Searches for a caller's patterns, in a child process.

`re` holds the interpreter lock, so a thread cannot abandon a pattern that takes for ever, but a
process can be killed. One child searches for several patterns, one after the other, and tells of
each as soon as it knows, so that the slow one is known by what is missing. It ends when nobody
waits for its answer any more.

Slow patterns hold up a call, and with it the pane: all of a call share one budget of time. Before
anything was typed a slow one is an error; afterwards it is left out, and the answer says so.
"""

import subprocess
import sys
import time

from ..base.settings import refused

_LIMIT = 2  # seconds of CPU time for one search
_BUDGET = 15.0  # seconds in which all searches of a call are abandoned: a machine may be busy
_MEMORY_LIMIT = 1 << 30  # bytes
# A key of `answers` may be the question itself, in which `?` and `(` mean themselves. So does a `?`
# at its end, which says nothing in a search: `#?` would match any text, `Age?` would match `Again`.
# Its input: a text, the name of an argument and its patterns, with NUL between them. For each it
# writes `:` and the match's first line that is not empty, or nothing, and a NUL, to its standard
# error: to its standard output nothing, whose SIGIO ends it when there is no reader any more.
_CHILD = f"""
import fcntl, os, re, resource, select, signal, sys
fcntl.fcntl(1, fcntl.F_SETOWN, os.getpid())
fcntl.fcntl(1, fcntl.F_SETFL, os.O_ASYNC)
output = select.poll()
output.register(1, 0)
if output.poll(0):
    os._exit(1)
resource.setrlimit(resource.RLIMIT_CPU, ({_LIMIT}, {_LIMIT}))
resource.setrlimit(resource.RLIMIT_AS, ({_MEMORY_LIMIT}, {_MEMORY_LIMIT}))
signal.alarm({int(_BUDGET)})
sys.stderr = None
text, name, *patterns = sys.stdin.buffer.read().decode("utf-8", "replace").split("\\0")
for pattern in patterns:
    answer = ""
    if name == "answers":
        match = re.search(re.escape(pattern), text, re.I)
        pattern = re.sub(r"(?<![\\\\*+?}}])\\?$", r"\\\\?", pattern)
        match = match or re.search(pattern, text, re.M | re.I)
    else:
        match = re.search(pattern, text, re.M)
    if match:
        begin = text.rfind("\\n", 0, match.start()) + 1
        end = text.find("\\n", max(match.end() - 1, match.start()))
        rows = text[begin : end if end >= 0 else None].split("\\n")
        answer = ":" + next(filter(str.strip, rows), "")
    os.write(2, answer.encode() + b"\\0")
"""


class Searcher:
    """The patterns of one call, by the names of their arguments. `answers`: question -> text; case
    is ignored in questions. `notes`: of the call. A search raises BadValue if it takes too long."""

    def __init__(
        self,
        answers: dict[str, str] | None = None,
        until: str | None = None,
        prompt_pattern: str | None = None,
    ):
        self._answers = answers or {}
        self._patterns = {"until": until, "prompt_pattern": prompt_pattern}
        self.notes: list[str] = []
        self._seen: dict[str, tuple[str, dict[str, str]]] = {}  # the last text, what was found
        self._left_out: set[str] = set()
        self._budget = _BUDGET
        self._forgives = False

    def __contains__(self, name: str) -> bool:
        """Whether the caller has given this pattern."""
        return self._patterns.get(name) is not None

    def forgive(self) -> None:
        """Something has been typed: from now on a slow pattern is left out, and is no error."""
        self._forgives = True

    def search(self, name: str, text: str) -> str | None:
        """The line of `text` in which the pattern `name` matches first; None if it does not."""
        pattern = self._patterns.get(name)
        if pattern is None:
            return None
        return self._found(name, [pattern], text).get(pattern)

    def prompt(self, line: str) -> str | None:
        """What of the line matches prompt_pattern. The blanks at its end may be there or not:
        `cmd> $` is meant to match `cmd> ` too."""
        found = self.search("prompt_pattern", f"{line.rstrip()}\n{line}")
        if found is None:
            return None
        return found.strip()

    def answers(self, question: str) -> dict[str, str]:
        """The keys of `answers` that match `question`, with their texts."""
        found = self._found("answers", list(self._answers), question)
        return {key: text for key, text in self._answers.items() if key in found}

    def answer(self, question: str) -> str | None:
        """The text that answers `question`; None if there is none, or several differ."""
        texts = set(self.answers(question).values())
        if len(texts) == 1:
            return texts.pop()
        return None

    def _found(self, name: str, patterns: list[str], text: str) -> dict[str, str]:
        """The patterns that match, each with its line; a text is searched only once."""
        before, found = self._seen.get(name, (None, {}))
        if before != text:
            found = self._search(name, patterns, text)
            self._seen[name] = (text, found)
        return found

    def _search(self, name: str, patterns: list[str], text: str) -> dict[str, str]:
        """The patterns that match, each with its line.

        Slow ones are left out, one after the other. Once they have taken all the time of the call
        the others are left out too, unasked.
        """
        found: dict[str, str] = {}
        rest = [pattern for pattern in patterns if pattern not in self._left_out]
        while rest and self._budget > 0:
            began = time.monotonic()
            told = _ask(name, rest, text, self._budget)
            found |= {rest[at]: line[1:] for at, line in enumerate(told) if line}
            if len(told) == len(rest):
                return found

            self._budget -= time.monotonic() - began
            self._leave_out(name, rest[len(told)])
            rest = rest[len(told) + 1 :]

        for pattern in rest:
            self._leave_out(name, pattern)
        return found

    def _leave_out(self, name: str, slow: str) -> None:
        """Raises BadValue if nothing was typed yet."""
        argument = f"argument {name!r}"
        if not self._forgives:
            what = f"a pattern without nested repetition: it takes longer than {_LIMIT}s to search"
            raise refused(argument, slow, what) from None
        self._left_out.add(slow)
        self.notes.append(f"{argument}: {slow!r} takes too long to search, and was left out")


def _ask(name: str, patterns: list[str], text: str, limit: float) -> list[str]:
    """What the child says of each pattern: of less than all if one takes too long."""
    asked = "\0".join([text, name, *patterns]).encode()
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            input=asked,
            capture_output=True,
            timeout=limit,
        )
        output = done.stderr
    except subprocess.TimeoutExpired as expired:
        output = expired.stderr or b""

    return output.decode("utf-8", "replace").split("\0")[:-1]
