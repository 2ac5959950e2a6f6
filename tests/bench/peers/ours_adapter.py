"""The tool of this repository, through the call that its doors make."""

from __future__ import annotations

import sys
from pathlib import Path

from worker import Adapter, serve

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from python.helpers.tmux.actions import Call

WORDS = {
    "ready": "ready",
    "needs input": "needs input",
    "needs password": "needs password",
    "needs key": "needs key",
    "quiet": "unsure",
    "unfinished": "unsure",
    "wait_ready timed out": "timeout",
}


def word_of(answer: str) -> str:
    """The verdict; anything that is none of a wait's words is a failure."""
    first = answer.partition("\n")[0]
    for start, word in WORDS.items():
        if first.startswith(start):
            return word
    raise RuntimeError(first)


class Ours(Adapter):
    def call(self, action: str, **arguments) -> str:
        return Call().perform({"action": action, "pane": self.pane, **arguments})

    def do(self, text: str, timeout: float) -> str:
        if self.mode == "run":
            return word_of(self.call("run", text=text, timeout=timeout))
        self.type(text)
        return self.wait(timeout)

    def wait(self, timeout: float) -> str:
        return word_of(self.call("wait_ready", timeout=timeout))

    def type(self, text: str) -> str:
        answer = self.call("send", text=text)
        if not answer.startswith("sent"):
            raise RuntimeError(answer.partition("\n")[0])
        return answer

    def read(self) -> str:
        return self.call("read")


if __name__ == "__main__":
    serve(Ours)
