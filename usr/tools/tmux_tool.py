"""Where hosts with the root layout (v0.9.9 and later) find the tool of python/tools."""

from python.tools.tmux_tool import TmuxTool  # noqa: F401
