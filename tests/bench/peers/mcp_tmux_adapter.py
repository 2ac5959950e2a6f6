"""mcp-tmux's tools, called as functions of the server it builds. Texts and markers are looked for every 0.05 s (its
default is 0.25): sooner answers at no risk. Silence is judged as it comes."""

import asyncio
import os
import re
import time

os.environ["MCP_TMUX_TOOLSETS"] = "all"

from mcp_tmux.server import build_server
from worker import Adapter, serve

POLL = 0.05
ECHO = 0.15  # seconds in which the typed line has left the prompt


class McpTmux(Adapter):
    package = "mcp-tmux"

    def __init__(self, mode: str):
        super().__init__(mode)
        self.tools = build_server(config={"toolsets": ["all"]})._tool_manager
        self.loop = asyncio.new_event_loop()

    def call(self, tool: str, /, **arguments):
        return self.loop.run_until_complete(self.tools.get_tool(tool).fn(**arguments))

    def do(self, text: str, timeout: float) -> str:
        if self.mode == "run":
            done = self.call("tmux_run", target_pane=self.pane, command=text, timeout=timeout, poll_interval=POLL)
            return "ready" if done["completed"] else "timeout"
        self.call("tmux_send_keys", target_pane=self.pane, text=text, enter=True)
        if self.mode != "wait_for_idle":
            time.sleep(ECHO)
        if self.mode == "wait_for_idle":
            done = self.call("tmux_wait_for_idle", target_pane=self.pane, timeout=timeout)["idle"]
        else:
            question = f"|{re.escape(self.question)}\\s*" if self.question else ""
            pattern = f"(?:{self.pattern.removesuffix('$')}{question})\\s*\\Z"
            how = {"regex": True, "timeout": timeout, "poll_interval": POLL}
            where = {"target_pane": self.pane, "pattern": pattern}
            done = self.call("tmux_wait_for_text", **where, **how)["matched"]
        return "ready" if done else "timeout"


if __name__ == "__main__":
    serve(McpTmux)
