"""The only file of the harness that knows the tool's own files, beside its door, `actions.Call`."""

from __future__ import annotations

from python.helpers.tmux.kernel import probe


def reads(pid: int, tty: str) -> bool:
    """Whether the program in front of the pane waits for input, and has read all there was.
    `pid`, `tty`: the pane's."""
    kernel = probe(pid, tty)
    return kernel.waiter is not None and not kernel.terminal.unread
