"""libtmux-mcp's tools, called as functions.

`wait_for_text` sees only what is written after it began, and says so; a careful caller looks at the
pane once first, and waits in slices.
"""

import asyncio
import re
import time

from libtmux_mcp._utils import ExpectedToolError
from libtmux_mcp._wait_policy import _configure_wait_ceiling
from libtmux_mcp.tools.pane_tools.io import capture_pane, run_command, send_keys
from libtmux_mcp.tools.pane_tools.wait import wait_for_text
from worker import Adapter, serve

SLICE = 1.0  # seconds: what comes between the look and the wait is seen at the next look
ECHO = 0.15  # seconds in which the typed line has left the prompt


class LibtmuxMcp(Adapter):
    package = "libtmux-mcp"

    def __init__(self, mode: str):
        super().__init__(mode)
        # As its server does from LIBTMUX_MCP_WAIT_MAX_SECONDS; the default is 30.
        _configure_wait_ceiling(120.0)

    def do(self, text: str, timeout: float) -> str:
        if self.mode == "run_command":
            result = asyncio.run(run_command(text, pane_id=self.pane, timeout=timeout))
            return "timeout" if result.timed_out else "ready"
        send_keys(text, pane_id=self.pane, literal=True, enter=False)
        send_keys("Enter", pane_id=self.pane, enter=False)
        time.sleep(ECHO)
        return self.wait(timeout)

    def wait(self, timeout: float) -> str:
        patterns = [self.pattern] + ([re.escape(self.question) + r"\s*$"] if self.question else [])
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            rows = [row for row in self.read().split("\n") if row.strip()]
            if rows and any(re.search(pattern, rows[-1]) for pattern in patterns):
                return "ready"
            how = {"regex": True, "match_case": True, "timeout": min(SLICE, left)}
            try:
                match = asyncio.run(wait_for_text(patterns, pane_id=self.pane, **how))
            except ExpectedToolError as problem:
                if "re-arm" not in str(problem):
                    raise
                continue  # the history was cleared; its own advice
            if match.found:
                return "ready"
        return "timeout"

    def read(self) -> str:
        shown = capture_pane(pane_id=self.pane)
        if isinstance(shown, str):
            return shown
        return "\n".join(getattr(shown, "lines", None) or getattr(shown, "content", None) or [])


if __name__ == "__main__":
    serve(LibtmuxMcp)
