"""The limit: how early an answer could be. The kernel is asked until a process sleeps in a read of the
terminal, and then the screen is shown by one call of tmux. Nothing is judged: a question is `ready` too."""

import sys
import time
from pathlib import Path

from worker import Adapter, serve, tmux

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from python.helpers.tmux.facts.kernel import probe

TAKES = 0.02  # seconds in which the shell begins with what was typed
EVERY = 0.001


class Limit(Adapter):
    def do(self, text: str, timeout: float) -> str:
        pid = int(tmux("display-message", "-p", "-t", self.pane, "#{pane_pid}"))
        tmux("send-keys", "-t", self.pane, "-l", "--", text, ";", "send-keys", "-t", self.pane, "Enter")
        time.sleep(TAKES)
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if probe(pid).waiter:
                tmux("display-message", "-p", "-t", self.pane, "")
                return "ready"
            time.sleep(EVERY)
        return "timeout"


if __name__ == "__main__":
    serve(Limit)
