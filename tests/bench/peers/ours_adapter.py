"""The tool of this repository, through the call that its doors make."""

import sys
from pathlib import Path

from worker import Adapter, serve

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from python.helpers.tmux.actions import Call
from python.helpers.tmux.base.words import Word

WORDS = {
    Word.READY: "ready", Word.NEEDS_INPUT: "needs input", Word.NEEDS_PASSWORD: "needs password",
    Word.NEEDS_KEY: "needs key", Word.QUIET: "unsure", Word.UNFINISHED: "unsure", Word.TIMED_OUT: "timeout",
}


class Ours(Adapter):
    """`mode` is the action that types a command and waits."""

    def do(self, text: str, timeout: float) -> str:
        """The verdict; an answer that is none is a failure. The text is made too: it is work."""
        answer = Call().answer({"action": self.mode, "pane": self.pane, "text": text, "timeout": timeout})
        if answer.word not in WORDS:
            raise RuntimeError(answer.text.partition("\n")[0])
        return WORDS[answer.word] if answer.text else ""


if __name__ == "__main__":
    serve(Ours)
