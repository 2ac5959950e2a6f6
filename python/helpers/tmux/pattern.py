"""Searches for a caller's patterns in a child process.

`re` holds the interpreter lock, so a thread cannot abandon a search that backtracks for ever, but a
process can be killed. The child also ends itself: an alarm stops a search whose caller was killed.
"""

from __future__ import annotations

import json
import re
import select
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress

SEARCH_LIMIT = 2  # seconds of CPU time for one search; on a busy machine it takes longer
_WALL_LIMIT = 10  # seconds after which a search is abandoned in any case

_CHILD = """
import json, re, resource, signal, sys, time
for line in sys.stdin:
    pattern, flags, text, limit, wall = json.loads(line)
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + limit, most))
    signal.alarm(wall)
    match = re.search(pattern, text, flags)
    signal.alarm(0)
    line = None
    if match:  # the first line of the match that is not empty
        begin = text.rfind("\\n", 0, match.start()) + 1
        end = text.find("\\n", max(match.end() - 1, match.start()))
        rows = text[begin : end if end >= 0 else None].split("\\n")
        line = next(filter(str.strip, rows), "")
    print(json.dumps(line), flush=True)
"""


class BadPattern(ValueError):
    """A search took longer than SEARCH_LIMIT, or cannot be started."""


def _child() -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-S", "-E", "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as problem:
        raise BadPattern(f"the search for a pattern cannot be started: {problem}") from None


class Searcher:
    """Searches for patterns, each of which has a name; None is left out. `answers`: those named
    "answers 1" and so on, in which case is ignored. The child starts with the first search and ends
    with `close`."""

    def __init__(self, answers: Iterable[str] = (), **patterns: str | None):
        self._patterns = {name: (one, re.M) for name, one in patterns.items() if one is not None}
        for at, one in enumerate(answers, start=1):
            self._patterns[f"answers {at}"] = (one, re.M | re.I)
        self._child: subprocess.Popen[bytes] | None = None
        self._seen: dict[str, tuple[str, str | None]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._patterns

    def search(self, name: str, text: str) -> str | None:
        """The line of `text` in which the pattern `name` matches first; None if it does not."""
        if name not in self._patterns or not text:
            return None
        if self._seen.get(name, ("",))[0] != text:
            self._seen[name] = (text, self._ask(name, text))
        return self._seen[name][1]

    def _ask(self, name: str, text: str) -> str | None:
        (pattern, flags), self._child = self._patterns[name], self._child or _child()
        stdin, stdout = self._child.stdin, self._child.stdout
        assert stdin and stdout
        with suppress(BrokenPipeError):  # it has ended: its empty answer shows that
            search = [pattern, flags, text, SEARCH_LIMIT, _WALL_LIMIT]
            stdin.write(json.dumps(search).encode() + b"\n")
            stdin.flush()
        came = select.poll()  # select takes no descriptor above 1023
        came.register(stdout, select.POLLIN)
        answer = stdout.readline() if came.poll(_WALL_LIMIT * 1000) else b""
        if not answer:  # killed by its CPU limit, or still searching
            self.close()
            raise BadPattern(
                f"{name} takes longer than {SEARCH_LIMIT}s to search; use a simpler pattern"
                f" without nested repetition; got {pattern[:200]!r}"
            )
        return json.loads(answer)

    def close(self) -> None:
        """Ends the child at once."""
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None
