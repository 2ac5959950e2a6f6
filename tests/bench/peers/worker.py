"""The adapter's side: a loop that takes one JSON request a line and answers one JSON line with the
moment of the answer.

Standard library only: it runs inside each tool's own virtual environment.
"""

import json
import os
import subprocess
import sys
import time
from importlib import metadata


def tmux(*words: str) -> str:
    return subprocess.run(["tmux", "-u", *words], capture_output=True, text=True, timeout=30, check=True).stdout


class Adapter:
    """One tool in one pane. Words: ready, needs input, needs password, needs key, unsure, timeout;
    an exception is a failure."""

    package = ""

    def __init__(self, mode: str):
        self.mode = mode

    def version(self) -> str:
        return metadata.version(self.package) if self.package else ""

    def open(self, place: dict) -> None:
        """`place`: pane, session, question, prompt_pattern."""
        self.pane, self.session = place["pane"], place["session"]
        self.pattern = place["prompt_pattern"]
        self.question = place["question"] if "question" in self.mode else ""

    def do(self, text: str, timeout: float) -> str:
        raise NotImplementedError


def serve(adapter_of: type[Adapter]) -> None:
    """Serve until stdin ends. What the tool prints goes to stderr."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    adapter = adapter_of(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        action = request.pop("do")
        try:
            answer = {"ok": True, "value": getattr(adapter, action)(**request)}
        except Exception as problem:
            answer = {"ok": False, "value": f"{type(problem).__name__}: {problem}"[:300]}
        answer["at"] = time.monotonic_ns()
        replies.write(json.dumps(answer) + "\n")
        replies.flush()
