"""Who sleeps until a terminal has input: one process looked at through /proc.

Two sources. /proc/PID/syscall proves it: the call, its descriptors and its size. Where that file
is denied (Yama) there is /proc/PID/wchan, the name of the kernel function a process sleeps in, and
it proves nothing: a terminal read and a TCP read or connect have one name (`wait_woken`), and a
poll does not say what it polls. Of another user's process neither can be read: it is hidden.
"""

from __future__ import annotations

import os
import platform
import struct
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from .process import Process, content, exists, open_files, text, threads


class How(StrEnum):
    """In what a process sleeps, the firmest evidence of a question first."""

    READ = "read"  # in a read of this terminal
    SELECT = "select"  # until this terminal alone has input
    LISTEN = "listen"  # for this terminal among others; or it polls, and nobody can say what


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiter:
    """The process that sleeps until the terminal has input."""

    pid: int
    name: str
    how: How
    size: int = 0  # bytes asked for by a read; 0: unknown
    proven: bool = True  # False: only wchan says so
    script: bool = False  # a shell that runs a script, as its words say: it is at no prompt


class _Call(Enum):
    READ = auto()
    READV = auto()
    POLL = auto()
    SELECT = auto()
    EPOLL = auto()
    RING = auto()


_X86_64 = {
    0: _Call.READ,
    19: _Call.READV,  # preadv and preadv2 (327) with offset -1 are the same on a terminal
    327: _Call.READV,
    7: _Call.POLL,
    271: _Call.POLL,  # ppoll
    23: _Call.SELECT,
    270: _Call.SELECT,  # pselect6
    232: _Call.EPOLL,
    281: _Call.EPOLL,  # epoll_pwait
    441: _Call.EPOLL,  # epoll_pwait2
    426: _Call.RING,
}
_GENERIC = {  # aarch64, riscv64, loongarch64: include/uapi/asm-generic/unistd.h
    63: _Call.READ,
    65: _Call.READV,
    286: _Call.READV,
    73: _Call.POLL,
    72: _Call.SELECT,
    22: _Call.EPOLL,
    441: _Call.EPOLL,
    426: _Call.RING,
}
CALLS = {
    "x86_64": _X86_64,
    "aarch64": _GENERIC,
    "riscv64": _GENERIC,
    "loongarch64": _GENERIC,
}
_CALLS = CALLS.get(platform.machine(), {})

# Kernel functions, without a compiler's suffix: `poll_schedule_timeout.constprop.0`. Names of
# several releases.
_IN_READ = ("wait_woken", "n_tty_read")
_IN_POLL = ("poll_schedule_timeout", "do_sys_poll", "do_poll", "do_select", "io_cqring_wait")
_IN_EPOLL = ("ep_poll", "do_epoll_wait")

# What else shows `wait_woken`: TCP reads and connects, a blocking read of inotify or of a network
# tunnel.
_ALSO_WOKEN = ("socket:", "anon_inode:inotify", "anon_inode:[fanotify]", "/dev/net/", "/dev/ptmx")
_TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console", "/dev/hvc")

_POLL_IN = 0x41  # POLLIN, POLLRDNORM
_MOST_POLLED = 256  # entries of a poll that are read
_MOST_SELECTED = 1024  # descriptors that a select can name


def waiter_of(process: Process, tty: str) -> tuple[Waiter | None, bool]:
    """How `process` waits for `tty`, and whether it is hidden: it sleeps, and nobody may see in
    what."""
    best: Waiter | None = None
    # A JVM or a Go program reads in any thread. fish edits in its first; the others poll pipes.
    for thread in [str(process.pid)] if process.name == "fish" else threads(process):
        folder = f"/proc/{process.pid}/task/{thread}"
        if call := text(f"{folder}/syscall"):
            waiter = _by_call(process, call.split(), folder, tty)
        else:
            where = text(f"{folder}/wchan").partition(".")[0]
            if where in ("", "0"):
                return None, _is_hidden(process, where)
            waiter = _by_wchan(process, where, tty)
        best = firmer(best, waiter)
        if best is not None and best.how is not How.LISTEN:
            break  # a Go program listens in one thread and reads in another
    return best, False


def firmer(first: Waiter | None, second: Waiter | None) -> Waiter | None:
    """The one of two that waits more surely; the second of two equals, which is the deeper one:
    npm's child, not npm."""
    if first is None or second is None:
        return first or second
    order = list(How)
    return first if order.index(first.how) < order.index(second.how) else second


def _holds(pid: int, descriptor: int, tty: str) -> bool:
    """Whether that descriptor is the terminal."""
    try:
        return os.readlink(f"/proc/{pid}/fd/{descriptor}") in (tty, "/dev/tty")
    except OSError:
        return False


def _by_call(process: Process, fields: list[str], folder: str, tty: str) -> Waiter | None:
    """`fields`: number, six arguments, stack and instruction pointer; or `running`; or -1 outside
    a system call."""
    if len(fields) < 7:
        return None
    if not _CALLS:  # another machine: the numbers mean nothing here
        return _by_wchan(process, text(f"{folder}/wchan").partition(".")[0], tty)
    call = _CALLS.get(int(fields[0]))
    if call is None:
        return None
    pid, name = process.pid, process.name
    arguments = [int(field, 16) for field in fields[1:7]]
    if call is _Call.RING:
        return _by_wchan(process, "io_cqring_wait", tty)
    if call in (_Call.READ, _Call.READV):
        size = arguments[2] if call is _Call.READ else 0
        if not _holds(pid, arguments[0], tty):
            return None
        return Waiter(pid=pid, name=name, how=How.READ, size=size)
    on_terminal = [_holds(pid, descriptor, tty) for descriptor in _watched(pid, call, arguments)]
    if not any(on_terminal):
        return None
    how = How.SELECT if all(on_terminal) and call is not _Call.EPOLL else How.LISTEN
    return Waiter(pid=pid, name=name, how=how)


def _watched(pid: int, call: _Call, arguments: list[int]) -> list[int]:
    """The descriptors whose input a call waits for."""
    first, second = arguments[:2]
    if call is _Call.EPOLL:
        return _epolled(pid, first)
    if call is _Call.POLL:
        table = _memory(pid, first, 8 * min(second, _MOST_POLLED))
        entries = struct.iter_unpack("ihh", table[: len(table) // 8 * 8])
        return [fd for fd, events, _ in entries if fd >= 0 and events & _POLL_IN]
    count = min(first, _MOST_SELECTED)
    bits = int.from_bytes(_memory(pid, second, (count + 63) // 64 * 8), "little")
    return [fd for fd in range(count) if bits >> fd & 1]


def _epolled(pid: int, descriptor: int) -> list[int]:
    """Of lines like `tfd:        0 events:       19 data: …`."""
    lines = text(f"/proc/{pid}/fdinfo/{descriptor}").splitlines()
    return [int(line.split()[1]) for line in lines if line.startswith("tfd:")]


def _memory(pid: int, address: int, size: int) -> bytes:
    return content(f"/proc/{pid}/mem", size, address) if address and size else b""


def _by_wchan(process: Process, where: str, tty: str) -> Waiter | None:
    """What the name of a kernel function and the open files tell, at best."""
    if where not in _IN_READ + _IN_POLL + _IN_EPOLL:
        return None
    links = open_files(process.pid)
    on_terminal = {fd for fd, link in links.items() if link in (tty, "/dev/tty")}
    if where in _IN_EPOLL:
        polls = [fd for fd, link in links.items() if link == "anon_inode:[eventpoll]"]
        waits = any(on_terminal.intersection(_epolled(process.pid, fd)) for fd in polls)
        how = How.LISTEN
    elif where in _IN_READ:
        waits, how = bool(on_terminal), How.LISTEN if _reads_elsewhere(links, tty) else How.READ
    else:  # standard output alone is not listened to
        waits, how = bool(on_terminal - {1, 2}), How.LISTEN
    if not waits:
        return None
    return Waiter(pid=process.pid, name=process.name, how=how, proven=False)


def _reads_elsewhere(links: dict[int, str], tty: str) -> bool:
    """Whether what shows `wait_woken` may be another file than `tty`. Who asks for a password
    opens /dev/tty and closes it after the answer (readpassphrase, getpass), so ssh and sudo are
    then at a question and not at their socket."""
    if "/dev/tty" in links.values():
        return False
    return any(
        link.startswith(_ALSO_WOKEN) or link.startswith(_TERMINALS) and link != tty
        for link in links.values()
    )


def _is_hidden(process: Process, where: str) -> bool:
    """Another user's process shows `0` as one that runs does, but its program may not be seen. No
    file at all: a kernel that tells nothing."""
    if process.state == "R":
        return False
    if not where:
        return exists(process.pid)
    try:
        os.readlink(f"/proc/{process.pid}/exe")
    except PermissionError:
        return True
    except OSError:
        pass
    return False
