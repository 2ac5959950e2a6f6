"""The worlds in which the tool must be right."""

from enum import StrEnum


class World(StrEnum):
    """Who calls, and what the kernel denies to them."""

    READABLE = "readable"  # root, nothing denied
    YAMA = "yama"  # root, what ptrace_scope 1 denies is denied
    USER = "user"  # tmux and the tool as an ordinary user: root's programs are closed, Yama besides
