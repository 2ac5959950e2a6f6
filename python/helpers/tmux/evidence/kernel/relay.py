"""Which terminal counts: the pane's own, or the innermost one behind programs that relay to
another.

A relay (sudo, script, su -P, expect, unbuffer, pty.spawn) puts its terminal into raw mode, starts
a program in a session of its own on a terminal of its own, and carries everything to and fro. That
session is seen in /proc/PID/stat of the relay's child, which everybody may read, so one rule
serves for all of them and for another user's relay too. It must be told from a program that merely
runs something on a terminal of its own (vim's :terminal, an AI CLI's tool): a relay gives its own
size to the inner terminal.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field

from .process import Process, children, exists, read
from .waiter import How, Waiter, firmer, waiter_of

try:
    import fcntl
    import termios
except ImportError:  # not a POSIX system: the screen alone decides
    fcntl = termios = None  # type: ignore[assignment]

_TERMIOS_ERROR = termios.error if termios else OSError
_MOST_PROCESSES = 64  # of a group, or entered: a build with hundreds of workers must stay cheap
_DEEPEST = 8  # relays inside each other
# Relays by name: they leave the inner terminal's size as it was (pty.spawn 0x0, pexpect 24x80),
# or never tell it of a resize (expect; tclsh is unbuffer).
_ANY_SIZE = ("expect", "tclsh", "python", "perl", "ruby")

# Carry a terminal that is not on this machine, not ours to see, or not their child's.
REMOTE = frozenset(
    """
    ssh sshpass mosh-client telnet rlogin adb session-manager
    docker docker-compose podman nerdctl kubectl oc ctr crictl
    lxc incus lxc-attach machinectl systemd-run virsh
    tmux:client screen dtach abduco zellij
    socat minicom picocom tio cu
    """.split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """One terminal's state; None where it may not be opened."""

    path: str
    canonical: bool | None = None  # ICANON
    echo: bool | None = None  # ECHO
    signals: bool | None = None  # ISIG
    unread: int = 0  # bytes typed but not read; whole lines only in canonical mode
    size: tuple[int, int] = (0, 0)  # rows, columns


@dataclass(slots=True, kw_only=True)
class Group:
    """The foreground group of one terminal, and what hangs on it."""

    number: int
    leader: Process | None = None  # where it has ended, the group's first member
    members: list[Process] = field(default_factory=list)  # the leader first
    inner: list[tuple[Process, Process]] = field(default_factory=list)  # relay, child elsewhere
    loose: list[Process] = field(default_factory=list)  # below members, without a terminal: su -c
    path: tuple[int, ...] = ()  # pids from the leader up to the topmost process on the terminal
    ended: list[int] = field(default_factory=list)  # members that nobody has collected yet
    beside: bool = False  # another job is on the terminal, or may be

    @property
    def writers(self) -> tuple[int, ...]:
        """All who can write to the terminal; () where others may too."""
        if self.beside or self.loose or len(self.members) >= _MOST_PROCESSES:
            return ()
        return tuple({*self.path, *self.ended, *(member.pid for member in self.members)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """What is in front on the terminal that counts."""

    terminal: Terminal
    group: Group
    waiter: Waiter | None
    hidden: bool
    unread: int  # of all terminals on the way
    remote: str


def front(first: Process, tty: str) -> Front:
    """Follow the relays from the terminal `tty` inwards; `first` is the topmost process on it."""
    relay: Process | None = None
    unread, remote = 0, ""
    for _ in range(_DEEPEST):
        terminal = open_terminal(tty)
        unread += terminal.unread
        if relay is not None and terminal.canonical is None and os.path.exists(tty):
            remote = relay.name
        group = foreground(first)
        waiter, hidden = _who_waits(group, terminal)
        step = _inwards(group, terminal, waiter)
        if step is None:
            break
        relay, first = step
        tty = first.tty
    return Front(
        terminal=terminal,
        group=group,
        waiter=waiter,
        hidden=hidden,
        unread=unread,
        remote=remote or _carries(group, terminal, waiter),
    )


def open_terminal(path: str) -> Terminal:
    """The state of the terminal at `path` now (termios(3), FIONREAD, TIOCGWINSZ)."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            flags = termios.tcgetattr(file)[3]
            unread = fcntl.ioctl(file, termios.FIONREAD, b"\0" * 4)
            size = fcntl.ioctl(file, termios.TIOCGWINSZ, b"\0" * 8)
        finally:
            os.close(file)
    except (OSError, AttributeError, _TERMIOS_ERROR):
        return Terminal(path=path)  # closed meanwhile, another user's, or not a POSIX system
    return Terminal(
        path=path,
        canonical=bool(flags & termios.ICANON),
        echo=bool(flags & termios.ECHO),
        signals=bool(flags & termios.ISIG),
        unread=struct.unpack("i", unread)[0],
        size=struct.unpack("4H", size)[:2],
    )


def foreground(first: Process) -> Group:
    """The group in front on `first`'s terminal, among `first` and its descendants."""
    leader = first if first.pid == first.foreground else read(first.foreground)
    group = Group(number=first.foreground)
    path = _path(first, leader)
    group.path, group.beside = tuple(path or ()), path is None
    _collect(group, first, path)
    if not group.members and leader and not leader.ended:  # a group whose parents are gone
        _collect(group, leader, path)
    group.members.sort(key=lambda member: member.pid != group.number)
    group.leader = group.members[0] if group.members else leader
    return group


def _path(first: Process, leader: Process | None) -> dict[int, Process] | None:
    """The processes from `leader` up to `first`; None where it does not descend from it."""
    path: dict[int, Process] = {}
    while leader is not None and len(path) < _MOST_PROCESSES:
        path[leader.pid] = leader
        if leader.pid == first.pid:
            return path
        leader = first if leader.parent == first.pid else read(leader.parent)
    return None


def _collect(group: Group, top: Process, path: dict[int, Process] | None) -> None:
    """Sort `top` and what descends from it into `group`. Other jobs are not entered: nothing in
    them is in front."""
    queue: list[tuple[Process, Process | None]] = [(top, None)]
    looked = 0
    while queue and len(group.members) + len(group.loose) < _MOST_PROCESSES:
        process, parent = queue.pop(0)
        if process.terminal == top.terminal:
            is_member = process.group == group.number and not process.ended
            if is_member:
                group.members.append(process)
            elif process.ended:
                group.ended.append(process.pid)
            elif path is None or process.pid not in path:
                group.beside = True
            enter = is_member or path is None or process.pid in path
        elif process.ended or parent is None:
            enter = False
        elif process.terminal:
            if parent.group == group.number:
                group.inner.append((parent, process))
            enter = False
        else:
            enter = parent.group == group.number or parent.terminal == 0
            if enter:
                group.loose.append(process)
        if enter and looked < _MOST_PROCESSES:
            looked += 1
            for pid in children(process):
                child = path[pid] if path and pid in path else read(pid)
                if child is not None:
                    queue.append((child, process))


def _who_waits(group: Group, terminal: Terminal) -> tuple[Waiter | None, bool]:
    """Who waits for the terminal, and whether a member might whom nobody can look at. Processes
    without a terminal are asked only where no member waits: a shell at its prompt has daemons for
    children."""
    best: Waiter | None = None
    hidden = group.leader is None and group.number > 0 and exists(group.number)  # hidepid
    idle = _idle_relays(group, terminal)
    for member in group.members:
        waiter, is_hidden = waiter_of(member, terminal.path)
        hidden = hidden or is_hidden
        if waiter and (waiter.proven or member.pid not in idle):
            best = firmer(best, waiter)
    if best is None:
        for process in group.loose:
            best = firmer(best, waiter_of(process, terminal.path)[0])
    return best, hidden


def _idle_relays(group: Group, terminal: Terminal) -> set[int]:
    """In a pipeline (`sudo seq 9 | less`) a relay polls, but not this terminal, which is less's."""
    if terminal.canonical is not False or not terminal.signals:
        return set()
    relays = {relay.pid: relay.parent for relay, _ in group.inner}
    beside = {member.parent for member in group.members if member.pid not in relays}
    return {pid for pid, parent in relays.items() if parent in beside}


def _inwards(
    group: Group, terminal: Terminal, waiter: Waiter | None
) -> tuple[Process, Process] | None:
    """The relay in `group` and the topmost process on its terminal; None where nothing is
    relayed."""
    if not group.inner or terminal.canonical is not False or terminal.signals:
        return None
    if any(map(_is_remote, group.members)):
        return None
    relay, child = group.inner[0]
    if any(other.terminal != child.terminal for _, other in group.inner) or not child.tty:
        return None
    if waiter is not None and (waiter.how is not How.LISTEN or waiter.pid != relay.pid):
        return None  # somebody else takes what is typed: less behind a pipe
    inner = open_terminal(child.tty)
    same_size = inner.canonical is None or inner.size == terminal.size
    return (relay, child) if same_size or relay.name.startswith(_ANY_SIZE) else None


def _carries(group: Group, terminal: Terminal, waiter: Waiter | None) -> str:
    """The program in front that carries a terminal which cannot be followed. While it still asks a
    password itself, or without a terminal at its other end, it leaves this one in canonical
    mode."""
    if terminal.canonical is not False:
        return ""
    if waiter is not None:
        return waiter.name if _is_remote(waiter) else ""
    return next((member.name for member in group.members if _is_remote(member)), "")


def _is_remote(one: Process | Waiter) -> bool:
    return one.name.replace(" ", "") in REMOTE  # tmux's own name: `tmux: client`
