"""The tools under measurement. Each is driven in a process of its own by a small adapter in this
folder, with its author's Python API where there is one, so that no transport (MCP, a command line's
start) counts against it.

The settings are the best of each tool's documentation; the reasons stand in the adapters.
Versions are pinned so that figures can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """One way to use a tool. `skips`: shells and scenarios that its documentation rules out;
    reported, not counted."""

    tool: str
    name: str
    signal: str  # what it goes by, for the table
    package: str = ""  # a PyPI requirement; "" runs in this Python
    nine_only: bool = False  # a variant that matters only in the nine scenarios
    skips: tuple[str, ...] = ()
    own_terminal: bool = False  # it starts the shell itself, not in tmux

    @property
    def label(self) -> str:
        return f"{self.tool} {self.name}"


_TMUX_CLI, _LIBTMUX, _MCP_TMUX = (
    "claude-code-tools==1.30.2",
    "libtmux-mcp==0.1.0a22",
    "mcp-tmux==0.3.1",
)
_EMUX, _PEXPECT = "emux==0.68.18", "pexpect==4.9.0"
# types `$?` or `( … )` round the command: not fish's grammar, not Python's
_POSIX_SHELL_COMMAND = ("fish", "repl")

_TOLD, _BOTH_TOLD = "the prompt's text, told", "prompt and question, told"

MODES = (
    Mode("ours", "send", "kernel, line editor, screen"),
    Mode("ours", "run", "kernel, line editor, screen"),
    Mode("tmux-cli", "wait_idle 2 s", "silence (its default)", _TMUX_CLI),
    Mode("tmux-cli", "wait_idle 4 s", "longer silence", _TMUX_CLI, nine_only=True),
    Mode("tmux-cli", "execute", "a typed sentinel", _TMUX_CLI, skips=_POSIX_SHELL_COMMAND),
    Mode("libtmux-mcp", "wait_for_text", _TOLD, _LIBTMUX),
    Mode("libtmux-mcp", "wait_for_text + question", _BOTH_TOLD, _LIBTMUX, nine_only=True),
    Mode(
        "libtmux-mcp", "run_command", "a typed tmux wait-for", _LIBTMUX, skips=_POSIX_SHELL_COMMAND
    ),
    Mode("mcp-tmux", "wait_for_idle", "silence (1 s)", _MCP_TMUX),
    Mode("mcp-tmux", "wait_for_text", _TOLD, _MCP_TMUX),
    Mode("mcp-tmux", "wait_for_text + question", _BOTH_TOLD, _MCP_TMUX, nine_only=True),
    Mode("mcp-tmux", "run", "a typed sentinel", _MCP_TMUX, skips=_POSIX_SHELL_COMMAND),
    Mode("emux", "ask", "silence (2.5 s)", _EMUX),
    Mode(
        "pexpect", "expect", "a unique prompt, told", _PEXPECT, skips=("fish",), own_terminal=True
    ),
    Mode("pexpect", "expect + question", _BOTH_TOLD, _PEXPECT, nine_only=True, own_terminal=True),
    Mode("two captures", "0.5 s apart, or [$#>%]", "the plain rule"),
)


def chosen(only: str | None) -> list[Mode]:
    """`only`: tools or labels, separated by commas; an unknown one is an error."""
    if not only:
        return list(MODES)
    names = [word.strip() for word in only.split(",")]
    unknown = [name for name in names if not any(name in (m.tool, m.label) for m in MODES)]
    if unknown:
        tools = ", ".join(dict.fromkeys(mode.tool for mode in MODES))
        raise SystemExit(f"--only: {', '.join(unknown)} is none of: {tools}")
    return [mode for mode in MODES if mode.tool in names or mode.label in names]
