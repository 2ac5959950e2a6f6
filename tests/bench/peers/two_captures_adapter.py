"""The rule that many tools carry: two equal captures 0.5 s apart, or a last line that ends like a prompt."""

import re
import time

from worker import Adapter, serve, tmux

PROMPT = re.compile(r"[$#>%]\s*$")
APART = 0.5


class TwoCaptures(Adapter):
    def do(self, text: str, timeout: float) -> str:
        tmux("send-keys", "-t", self.pane, "-l", "--", text)
        tmux("send-keys", "-t", self.pane, "Enter")
        end, before = time.monotonic() + timeout, None
        while time.monotonic() < end:
            time.sleep(APART)
            now = tmux("capture-pane", "-p", "-t", self.pane).rstrip()
            if now == before or PROMPT.search(now.rpartition("\n")[2]):
                return "ready"
            before = now
        return "timeout"


if __name__ == "__main__":
    serve(TwoCaptures)
