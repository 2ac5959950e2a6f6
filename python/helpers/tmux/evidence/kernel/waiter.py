"""Whether a process sleeps until a terminal has input, examined through /proc.

Two sources. /proc/PID/syscall proves it: the system call, its descriptors and its size. If that
file is denied (Yama), /proc/PID/wchan names the kernel function in which a process sleeps, and that
proves nothing: a terminal read and a TCP read or connect have the same one (`wait_woken`), and a
poll does not say what it polls. Neither can be read of another user's process: it is hidden.
"""

from __future__ import annotations

import platform
import struct
from dataclasses import dataclass
from enum import StrEnum

from .. import programs
from . import process as proc
from .process import Process


class How(StrEnum):
    """How a process sleeps, the strongest evidence of a question first."""

    READ = "read"  # in a read of this terminal
    SELECT = "select"  # until this terminal alone has input
    LISTEN = "listen"  # until this terminal or another file has input, or some unknown files


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiter:
    """The process that sleeps until the terminal has input."""

    pid: int
    name: str
    how: How
    size: int = 0  # bytes requested by a read; 0: unknown
    proven: bool = True  # False: only wchan says so
    script: bool = False  # a shell that runs a script, by its command line: it is not at a prompt


# Numbers of the system calls, each with those that do the same on a terminal: preadv and preadv2
# with offset -1; ppoll, pselect6, epoll_pwait, epoll_pwait2.
_GENERIC = {  # include/uapi/asm-generic/unistd.h
    "read": (63,),
    "readv": (65, 286),
    "poll": (73,),
    "select": (72,),
    "epoll": (22, 441),
    "io_uring": (426,),
}
CALLS = {
    "x86_64": {
        "read": (0,),
        "readv": (19, 327),
        "poll": (7, 271),
        "select": (23, 270),
        "epoll": (232, 281, 441),
        "io_uring": (426,),
    },
    "aarch64": _GENERIC,
    "riscv64": _GENERIC,
    "loongarch64": _GENERIC,
}
_MACHINE = platform.machine()

# Kernel functions; their names depend on the release.
_IN_READ = ("wait_woken", "n_tty_read")
_IN_POLL = ("poll_schedule_timeout", "do_sys_poll", "do_poll", "do_select", "io_cqring_wait")
_IN_EPOLL = ("ep_poll", "do_epoll_wait")

# What else sleeps in `wait_woken`: TCP reads and connects, a blocking read of inotify or of a
# network tunnel.
_ALSO_WOKEN = ("socket:", "anon_inode:inotify", "anon_inode:[fanotify]", "/dev/net/", "/dev/ptmx")
_TERMINALS = ("/dev/pts/", "/dev/tty", "/dev/console", "/dev/hvc")

_POLL_IN = 0x41  # POLLIN, POLLRDNORM
_MOST_POLLED = 256  # entries of a poll that are examined
_MOST_SELECTED = 1024  # descriptors that a select can name


def waiter_of(process: Process, tty: str) -> tuple[Waiter | None, bool]:
    """How `process` waits for `tty`, and whether it is hidden: it sleeps in an unknown way."""
    best: Waiter | None = None
    if process.stopped:
        return None, False
    main = programs.of(process.name).edits_in_main_thread
    # A JVM or a Go program reads in any thread.
    for thread in [str(process.pid)] if main else proc.threads(process):
        fields = proc.fact(process.pid, f"task/{thread}/syscall").split()
        if fields and _MACHINE in CALLS:
            waiter = _by_call(process, fields, tty)
        else:
            function = proc.kernel_function(process.pid, thread)
            if not fields and function in ("", "0"):
                return None, _is_hidden(process, function)
            waiter = _by_kernel_function(process, function, tty)
        best = stronger(best, waiter)
        if best is not None and best.how is not How.LISTEN:
            break  # a Go program listens in one thread and reads in another
    return best, False


def stronger(first: Waiter | None, second: Waiter | None) -> Waiter | None:
    """The waiter with the stronger evidence; of two equals the second, which is the descendant:
    npm's child, not npm."""
    order = list(How)
    both = [waiter for waiter in (second, first) if waiter is not None]
    return min(both, key=lambda waiter: order.index(waiter.how), default=None)


def _by_call(process: Process, fields: list[str], tty: str) -> Waiter | None:
    """`fields`: number, six arguments, stack and instruction pointer; or `running`; or -1 outside
    a system call."""
    if len(fields) < 7:
        return None
    numbers = CALLS[_MACHINE].items()
    call = next((call for call, same in numbers if int(fields[0]) in same), "")
    first, second, size = (int(field, 16) for field in fields[1:4])
    how = How.SELECT
    if call in ("read", "readv"):
        how, watched = How.READ, [first]
    elif call == "poll":
        watched = _polled(process.pid, first, second)
    elif call == "select":
        watched = _selected(process.pid, first, second)
    elif call == "epoll":
        how, watched = How.LISTEN, _epolled(process.pid, first)
    else:
        ring = call == "io_uring"
        return _by_kernel_function(process, "io_cqring_wait", tty) if ring else None
    on_terminal = [proc.link(process.pid, f"fd/{fd}") in (tty, "/dev/tty") for fd in watched]
    if not any(on_terminal):
        return None
    return Waiter(
        pid=process.pid,
        name=process.name,
        how=how if all(on_terminal) else How.LISTEN,
        size=size if call == "read" else 0,
    )


# The descriptors whose input a call waits for


def _polled(pid: int, address: int, count: int) -> list[int]:
    table = proc.memory(pid, address, 8 * min(count, _MOST_POLLED))
    entries = struct.iter_unpack("ihh", table[: len(table) // 8 * 8])
    return [fd for fd, events, _ in entries if fd >= 0 and events & _POLL_IN]


def _selected(pid: int, count: int, address: int) -> list[int]:
    count = min(count, _MOST_SELECTED)
    bits = int.from_bytes(proc.memory(pid, address, (count + 63) // 64 * 8), "little")
    return [fd for fd in range(count) if bits >> fd & 1]


def _epolled(pid: int, descriptor: int) -> list[int]:
    """By lines such as `tfd:        0 events:       19 data: …`."""
    lines = proc.fact(pid, f"fdinfo/{descriptor}").splitlines()
    return [int(line.split()[1]) for line in lines if line.startswith("tfd:")]


def _by_kernel_function(process: Process, function: str, tty: str) -> Waiter | None:
    """The strongest that the kernel function and the open files allow."""
    if function not in _IN_READ + _IN_POLL + _IN_EPOLL:
        return None
    files = proc.open_files(process.pid)
    on_terminal = {fd for fd, file in files.items() if file in (tty, "/dev/tty")}
    how = How.LISTEN
    if function in _IN_EPOLL:
        epolls = [fd for fd, file in files.items() if file == "anon_inode:[eventpoll]"]
        on_terminal &= {watched for fd in epolls for watched in _epolled(process.pid, fd)}
    elif function in _IN_POLL:
        on_terminal -= {1, 2}  # no program waits for input on its standard output
    elif not _may_read_elsewhere(files, tty):
        how = How.READ
    if not on_terminal:
        return None
    return Waiter(pid=process.pid, name=process.name, how=how, proven=False)


def _may_read_elsewhere(files: dict[int, str], tty: str) -> bool:
    """Whether a process in `wait_woken` may read another file than `tty`. Programs open /dev/tty to
    ask for a password and close it after the answer (readpassphrase, getpass): while it is open,
    ssh and sudo read an answer, not their socket."""
    if "/dev/tty" in files.values():
        return False
    return any(
        file.startswith(_ALSO_WOKEN) or file.startswith(_TERMINALS) and file != tty
        for file in files.values()
    )


def _is_hidden(process: Process, function: str) -> bool:
    """Whether it may sleep in an unknown way. Another user's process shows "0" like one that runs,
    but its program cannot be seen. "": the kernel says nothing."""
    if process.state == "R":
        return False
    return proc.is_hidden(process.pid) if function else proc.exists(process.pid)
