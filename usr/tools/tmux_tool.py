"""Where hosts with the root layout (v0.9.9 and later) look for tools; the tool is in python/tools."""

from python.tools.tmux_tool import TmuxTool  # noqa: F401
