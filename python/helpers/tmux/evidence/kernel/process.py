"""The only reader of /proc/PID.

Source: proc(5). Files are opened with os.open: it costs a quarter of open(), and a test can deny
it. If a process ends in the middle, that is not an error: the result is None or empty.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

MOST_THREADS = 64  # threads of one process that are examined
LOOK_EVERY = 0.04  # seconds between two checks of a condition, each of which may start a process
_SHARED_NAMES = ("pager", "editor", "busybox")  # Debian's less and nano; many programs in one
_PTS = 136  # major device number of the pseudo-terminals
_LAST_FIELD = 49  # `exit_code` in /proc/PID/stat, counted from the field after the name
_BLOCK = 65536  # bytes requested by one read; the kernel returns a page of what it generates

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """The fields of /proc/PID/stat that are used. Every user may read them for every process."""

    pid: int
    name: str  # at most 15 bytes, as the kernel keeps it
    state: str  # R runs, S sleeps, D sleeps in the kernel, T is stopped, Z and X have ended
    parent: int
    group: int
    terminal: int  # device number of its controlling terminal; 0: none
    foreground: int  # foreground process group of that terminal; -1: none
    ticks: int  # CPU time of all its threads, in hundredths of a second
    threads: int
    since: int  # start time in ticks after boot: with the pid it identifies a process for good
    status: int  # exit status as wait(2) returns it, once the process has ended

    @property
    def ended(self) -> bool:
        return self.state in ("Z", "X")

    @property
    def stopped(self) -> bool:
        """Whether a signal or a debugger has stopped it: it shows the call that it slept in, but
        reads nothing."""
        return self.state in ("T", "t")

    @property
    def tty(self) -> str:
        """Path of its controlling terminal; "" if that is not a pseudo-terminal."""
        if os.major(self.terminal) != _PTS:
            return ""
        return f"/dev/pts/{os.minor(self.terminal)}"


def read(pid: int) -> Process | None:
    """The process `pid`, even if it has ended and was not reaped; None if there is none."""
    head, _, tail = fact(pid, "stat").rpartition(")")  # a name may contain spaces and brackets
    fields, name = tail.split(), head.partition("(")[2].replace("\n", " ")
    if len(fields) <= _LAST_FIELD:
        return None
    return Process(
        pid=pid,
        name=_real_name(pid, name) if name in _SHARED_NAMES else name,
        state=fields[0],
        parent=int(fields[1]),
        group=int(fields[2]),
        terminal=int(fields[4]),
        foreground=int(fields[5]),
        ticks=int(fields[11]) + int(fields[12]),
        threads=int(fields[17]),
        since=int(fields[19]),
        status=int(fields[_LAST_FIELD]),
    )


def _real_name(pid: int, name: str) -> str:
    if name == "busybox":  # started as `busybox ash`; a link has the applet's name
        return "".join(command_line(pid)[1:2]) or name
    return os.path.basename(link(pid, "exe")).partition(".")[0] or name


def text(path: str) -> str:
    """A file of /proc, of any size (the kernel generates some page by page); "" if it cannot be
    read."""
    data = b""
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_RDONLY)
        try:
            while part := os.pread(file, _BLOCK, len(data)):
                data += part
        finally:
            os.close(file)
    return data.decode("utf-8", "replace")


def fact(pid: int, name: str) -> str:
    """A file of /proc/PID, by its name: "schedstat", "fdinfo/3"; "" if it cannot be read."""
    return text(f"/proc/{pid}/{name}")


def link(pid: int, name: str) -> str:
    """The target of a link of /proc/PID ("exe", "fd/3"); "" if it cannot be read."""
    try:
        return os.readlink(f"/proc/{pid}/{name}")
    except OSError:
        return ""


def opened(pid: int) -> int:
    """A descriptor for reading its memory. Raises OSError."""
    return os.open(f"/proc/{pid}/mem", os.O_RDONLY)


def memory(pid: int, address: int, size: int) -> bytes:
    """At most `size` bytes of its memory; b"" if they cannot be read."""
    with contextlib.suppress(OSError, OverflowError):  # nothing is mapped there; out of range
        file = opened(pid)
        try:
            return os.pread(file, size, address)
        finally:
            os.close(file)
    return b""


def is_hidden(pid: int) -> bool:
    """Whether it belongs to another user whose programs cannot be examined."""
    try:
        os.readlink(f"/proc/{pid}/exe")
    except OSError as problem:
        return isinstance(problem, PermissionError)
    return False


def command_line(pid: int) -> list[str]:
    return fact(pid, "cmdline").split("\0")[:-1]


def kernel_function(pid: int, thread: int | str) -> str:
    """The kernel function in which a thread sleeps, without a compiler's suffix
    (`do_poll.constprop.0`); "0" if it runs or is hidden, "" if the kernel does not say."""
    return fact(pid, f"task/{thread}/wchan").partition(".")[0]


def bytes_read(pid: int) -> int | None:
    """Bytes that it has read since it began, reaped children included; None if unknown. The tmux
    server's number grows when a pane prints; capture-pane does not change it."""
    fields = fact(pid, "io").split()
    return int(fields[1]) if fields[:1] == ["rchar:"] else None


def open_files(pid: int) -> dict[int, str]:
    """Its descriptors and their files ("/dev/pts/5", "socket:[9]"); {} if they cannot be read."""
    links = {int(name): link(pid, f"fd/{name}") for name in _names(f"/proc/{pid}/fd")}
    return {descriptor: file for descriptor, file in links.items() if file}


def threads(process: Process) -> list[str]:
    """Its thread ids, the main thread's first."""
    if process.threads == 1:
        return [str(process.pid)]
    return _names(f"/proc/{process.pid}/task")[:MOST_THREADS]


def children(process: Process) -> list[int]:
    """Pids of its children. The kernel lists them by the thread that forked them."""
    return [
        int(child)
        for thread in threads(process)
        for child in fact(process.pid, f"task/{thread}/children").split()
    ]


def all_pids() -> list[int]:
    """The pids of all processes; [] on a system without /proc."""
    return [int(name) for name in _names("/proc") if name.isdigit()]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def carrying(tag: bytes) -> set[int]:
    """Pids of the processes whose environment contains `tag` (`NAME=value`): everything that a
    program has started, in whatever session, except our own process."""
    others, tagged = set(all_pids()) - {os.getpid()}, tag.decode("utf-8", "replace")
    return {pid for pid in others if tagged in fact(pid, "environ").split("\0")}


def exists(pid: int) -> bool:
    """Whether there is such a process, of any user. One that was not reaped yet counts."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def alive(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    process = read(pid)
    return exists(pid) if process is None else not process.ended  # None: a system without /proc


def await_end(pid: int | None, seconds: float) -> bool | None:
    """Waits at most `seconds` for the process `pid` to end; returns whether it did. None, at once,
    if it had ended before, or cannot be waited for (pidfd_open(2) exists only in Linux)."""
    try:
        descriptor = os.pidfd_open(pid or 0)
    except (OSError, AttributeError):
        return None
    try:
        end = select.poll()  # select() takes no descriptor above 1,023
        end.register(descriptor, select.POLLIN)
        return None if end.poll(0) else bool(end.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def members(group: int) -> list[Process]:
    """The processes of a group."""
    return [process for process in map(read, all_pids()) if process and process.group == group]


def until(condition: Callable[[], T], limit: float, every: float = LOOK_EVERY) -> T:
    """The first true value of `condition`, or its last value after `limit` seconds."""
    deadline = time.monotonic() + limit
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(every)
    return value
