"""Which terminal counts: the pane's own, or the innermost one behind programs that relay to it.

A relay (sudo, script, su -P, expect, unbuffer, pty.spawn) puts its terminal into raw mode, starts
a program in a session of its own on a terminal of its own, and copies bytes in both directions.
/proc/PID/stat of the relay's child shows that session to every user, so one rule covers all relays,
also those of another user. A program that only runs something on a terminal of its own (vim's
:terminal, an AI CLI's tool) is not a relay: a relay gives its own size to the inner terminal.
"""

from __future__ import annotations

import os
import select
import struct
from collections import deque
from dataclasses import dataclass, field

from .. import programs
from .process import Process, children, exists, read
from .waiter import How, Waiter, stronger, waiter_of

try:
    import fcntl
    import termios
except ImportError:  # not a POSIX system: the screen alone decides
    fcntl = termios = None  # type: ignore[assignment]

_TERMIOS_ERROR = termios.error if termios else OSError
_MOST_PROCESSES = 64  # members of a group: a build with hundreds of workers must stay cheap
_DEEPEST = 8  # relays inside each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """The state of one terminal. Fields are None if it cannot be opened."""

    path: str
    canonical: bool | None = None  # ICANON
    echo: bool | None = None  # ECHO
    signals: bool | None = None  # ISIG
    unread: int = 0  # bytes typed but not read; in canonical mode only whole lines
    size: tuple[int, ...] = (0, 0)  # columns, rows


@dataclass(slots=True, kw_only=True)
class Foreground:
    """The foreground process group of one terminal, and what its members have started."""

    terminal: Terminal
    group: int  # its number; -1: none
    leader: Process | None = None  # if it has ended, the first of the members
    members: list[Process] = field(default_factory=list)  # the leader first
    inner: list[tuple[Process, Process]] = field(default_factory=list)  # relay, child elsewhere
    loose: list[Process] = field(default_factory=list)  # descendants without a terminal: su -c
    waiter: Waiter | None = None
    hidden: bool = False  # a member sleeps in a way that cannot be seen
    unread: int = 0  # of all terminals from the pane's to this one
    remote: str = ""  # the member whose other end cannot be followed


def innermost(first: Process, tty: str) -> Foreground:
    """The foreground of the terminal that counts: relays are followed inwards from the terminal
    `tty`. `first`: the topmost process on it."""
    relay: Process | None = None
    unread = 0
    for _ in range(_DEEPEST):
        front = _foreground(first, open_terminal(tty))
        unread += front.terminal.unread
        step = _inwards(front)
        if step is None:
            break
        relay, first = step
        tty = first.tty
    closed = front.terminal.canonical is None and os.path.exists(front.terminal.path)
    front.unread, front.remote = unread, relay.name if relay and closed else _remote(front)
    return front


def open_terminal(path: str) -> Terminal:
    """The state of the terminal `path` (termios(3), FIONREAD, its size)."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            flags = termios.tcgetattr(file)[3]
            _deliver(file)
            unread = fcntl.ioctl(file, termios.FIONREAD, b"\0" * 4)
            size = tuple(os.get_terminal_size(file))
        finally:
            os.close(file)
    except (OSError, AttributeError, _TERMIOS_ERROR):
        return Terminal(path=path)  # closed, another user's, or not a POSIX system
    return Terminal(
        path=path,
        canonical=bool(flags & termios.ICANON),
        echo=bool(flags & termios.ECHO),
        signals=bool(flags & termios.ISIG),
        unread=struct.unpack("i", unread)[0],
        size=size,
    )


def _deliver(terminal: int) -> None:
    """Moves what was written to the terminal into its input queue, so that FIONREAD counts it. A
    poll waits until the kernel has done that (tty_buffer_flush_work)."""
    queue = select.poll()
    queue.register(terminal, select.POLLIN)
    queue.poll(0)


def _foreground(first: Process, terminal: Terminal) -> Foreground:
    front = Foreground(terminal=terminal, group=first.foreground)
    leader = first if first.pid == first.foreground else read(first.foreground)
    starter = first
    if leader is not None and first.pid not in (leader.pid, leader.parent):
        parent = read(leader.parent)
        starter = parent if parent and parent.terminal == first.terminal else leader
    _collect(front, starter, everywhere=leader is None)
    front.members.sort(key=lambda member: member.pid != front.group)
    front.leader = front.members[0] if front.members else leader
    _find_waiter(front)
    return front


def _collect(front: Foreground, top: Process, everywhere: bool) -> None:
    """Sorts `top`, which has started the group, and its descendants into `front`. Other jobs are
    followed only if `everywhere`: nothing in them is in front."""
    queue = deque([(top, top)])
    entered = 0
    while queue and len(front.members) + len(front.loose) < _MOST_PROCESSES:
        process, parent = queue.popleft()
        if process.ended:
            continue
        is_member, below = process.group == front.group, parent.group == front.group
        if process.terminal == top.terminal:
            front.members += [process] * is_member
            enter = is_member or everywhere or process is top
        elif process.terminal:
            front.inner += [(parent, process)] * below
            enter = False
        else:
            enter = below or not parent.terminal
            front.loose += [process] * enter
        if enter and entered < _MOST_PROCESSES:
            entered += 1
            queue.extend((child, process) for child in map(read, children(process)) if child)


def _find_waiter(front: Foreground) -> None:
    """Notes which process waits for the terminal, and whether a member that cannot be examined may.
    Processes without a terminal count only if no member waits: the children of a shell at its
    prompt may be daemons."""
    front.hidden = front.leader is None and front.group > 0 and exists(front.group)  # hidepid
    idle = _idle_relays(front)
    for member in front.members:
        waiter, hidden = waiter_of(member, front.terminal.path)
        front.hidden |= hidden
        if waiter and (waiter.proven or member.pid not in idle):
            front.waiter = stronger(front.waiter, waiter)
    for process in () if front.waiter else front.loose:
        front.waiter = stronger(front.waiter, waiter_of(process, front.terminal.path)[0])


def _idle_relays(front: Foreground) -> set[int]:
    """Relays that do not read this terminal: in `sudo seq 9 | less` sudo polls, but less reads."""
    if front.terminal.canonical is not False or not front.terminal.signals:
        return set()
    relays = {relay.pid: relay.parent for relay, _ in front.inner}
    siblings = {member.parent for member in front.members if member.pid not in relays}
    return {pid for pid, parent in relays.items() if parent in siblings}


def _inwards(front: Foreground) -> tuple[Process, Process] | None:
    """The relay and the topmost process on its terminal; None if nothing is relayed."""
    terminal, waiter = front.terminal, front.waiter
    if not front.inner or terminal.canonical is not False or terminal.signals:
        return None
    if any(map(_is_remote, front.members)):
        return None
    relay, child = front.inner[0]
    if any(other.terminal != child.terminal for _, other in front.inner) or not child.tty:
        return None
    if waiter is not None and (waiter.how is not How.LISTEN or waiter.pid != relay.pid):
        return None  # another program takes what is typed: less after a pipe
    inner = open_terminal(child.tty)
    same_size = inner.canonical is None or inner.size == terminal.size
    # pty.spawn leaves 0x0, pexpect 24x80; expect does not pass a resize on
    return (relay, child) if same_size or programs.of(relay.name).any_size else None


def _remote(front: Foreground) -> str:
    """The program in front whose other end cannot be followed; "" if there is none. Such a program
    leaves this terminal in canonical mode while it asks for a password itself, or if it has no
    terminal at its other end."""
    if front.terminal.canonical is not False:
        return ""
    candidates = [front.waiter] if front.waiter else front.members
    return next((each.name for each in candidates if _is_remote(each)), "")


def _is_remote(process: Process | Waiter) -> bool:
    return programs.of(process.name).remote
