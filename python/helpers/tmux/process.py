"""The only reader of /proc/PID (proc(5)), and of a terminal's mode (termios(3)).

If a process ends in the middle, that is not an error: the result is None or empty.
"""

import contextlib
import fcntl
import os
import select
import struct
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from . import programs

_PTS = 136  # major device number of the pseudo-terminals
_BLOCK = 65536  # bytes requested by one read
_MOST = 1 << 20  # bytes of a file: some have as many lines as a program wants
_SHARED_NAMES = ("pager", "editor")  # Debian's less and nano
_DEEPEST = 32  # generations that are followed upwards
_LOOK_EVERY = 0.04  # seconds between two checks of a condition, each of which may start a process

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
    threads: int
    since: int  # start time in ticks after boot: with the pid it identifies a process for good
    status: int  # exit status as wait(2) returns it, once the process has ended

    @property
    def ended(self) -> bool:
        return self.state in ("Z", "X")

    @property
    def stopped(self) -> bool:
        """Whether a signal has stopped it: it shows the call in which it slept, but reads not."""
        return self.state in ("T", "t")

    @property
    def tty(self) -> str:
        """Path of its controlling terminal; "" if that is not a pseudo-terminal."""
        is_pts = os.major(self.terminal) == _PTS
        return f"/dev/pts/{os.minor(self.terminal)}" if is_pts else ""

    @property
    def cpu_ns(self) -> int:
        """Nanoseconds of CPU that its main thread has used: equal twice, it slept in between."""
        return int((fact(self.pid, "schedstat").split() or ["0"])[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """The state of one terminal. Fields are None if it cannot be opened."""

    path: str
    canonical: bool | None = None  # ICANON
    echo: bool | None = None  # ECHO
    signals: bool | None = None  # ISIG
    unread: int = 0  # bytes typed but not read; in canonical mode only whole lines
    size: tuple[int, ...] = (0, 0)  # columns, rows


def read(pid: int) -> Process | None:
    """The process `pid`, even if it has ended and was not reaped; None if there is none."""
    head, _, tail = fact(pid, "stat").rpartition(")")  # a name may contain spaces and brackets
    fields, name = tail.split(), head.partition("(")[2].replace("\n", " ")
    if len(fields) < 50:
        return None
    if name in _SHARED_NAMES:
        name = os.path.basename(link(pid, "exe")).partition(".")[0] or name
    elif programs.of(name).applets:
        name = "".join(command_line(pid)[1:2]) or name
    return Process(
        pid=pid,
        name=name,
        state=fields[0],
        parent=int(fields[1]),
        group=int(fields[2]),
        terminal=int(fields[4]),
        foreground=int(fields[5]),
        threads=int(fields[17]),
        since=int(fields[19]),
        status=int(fields[49]),
    )


def fact(pid: int, name: str) -> str:
    """A file of /proc/PID, by its name: "schedstat", "fdinfo/3"; "" if it cannot be read. At most
    _MOST bytes of it."""
    data = b""
    with contextlib.suppress(OSError):
        file = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
        try:
            while len(data) < _MOST and (part := os.pread(file, _BLOCK, len(data))):
                data += part
        finally:
            os.close(file)
    return data.decode("utf-8", "replace")


def kernel_function(pid: int, thread: str) -> str:
    """The kernel function in which a thread sleeps, without a compiler's suffix; "0" if it runs or
    is hidden."""
    return fact(pid, f"task/{thread}/wchan").partition(".")[0]


def link(pid: int, name: str) -> str:
    """The target of a link of /proc/PID ("exe", "fd/3"); "" if it cannot be read."""
    try:
        return os.readlink(f"/proc/{pid}/{name}")
    except OSError:
        return ""


def memory(pid: int, address: int, size: int) -> bytes:
    """At most `size` bytes of its memory; b"" if they cannot be read."""
    with contextlib.suppress(OSError, OverflowError):
        file = opened(pid)
        try:
            return os.pread(file, size, address)
        finally:
            os.close(file)
    return b""


def opened(pid: int) -> int:
    """A descriptor for reading its memory. Raises OSError."""
    return os.open(f"/proc/{pid}/mem", os.O_RDONLY)


def bytes_read(pid: int) -> int | None:
    """Bytes that it has read since it began; None if unknown."""
    fields = fact(pid, "io").split()
    return int(fields[1]) if fields[:1] == ["rchar:"] else None


def open_files(pid: int) -> dict[int, str]:
    """Its descriptors and their files ("/dev/pts/5", "socket:[9]"); {} if they cannot be read."""
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return {}
    return {int(name): link(pid, f"fd/{name}") for name in names}


def threads(process: Process) -> list[str]:
    """Its thread ids, at most 64."""
    if process.threads == 1:
        return [str(process.pid)]
    try:
        return os.listdir(f"/proc/{process.pid}/task")[:64]
    except OSError:
        return []


def children(process: Process) -> list[Process]:
    """Its children that have not ended. The kernel lists them by the thread that forked them."""
    tasks = (fact(process.pid, f"task/{thread}/children") for thread in threads(process))
    found = (read(int(pid)) for task in tasks for pid in task.split())
    return [child for child in found if child and not child.ended]


def terminal(path: str) -> Terminal:
    """The state of the terminal `path`."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            flags = termios.tcgetattr(file)[3]
            queue = select.poll()  # a poll moves what was written into the input queue
            queue.register(file, select.POLLIN)
            queue.poll(0)
            unread = fcntl.ioctl(file, termios.FIONREAD, b"\0" * 4)
            size = tuple(os.get_terminal_size(file))
        finally:
            os.close(file)
    except (OSError, termios.error):
        return Terminal(path=path)  # closed, or another user's
    return Terminal(
        path=path,
        canonical=bool(flags & termios.ICANON),
        echo=bool(flags & termios.ECHO),
        signals=bool(flags & termios.ISIG),
        unread=struct.unpack("i", unread)[0],
        size=size,
    )


def command_line(pid: int) -> list[str]:
    return fact(pid, "cmdline").split("\0")[:-1]


def all_pids() -> list[int]:
    """The pids of all processes."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def members(group: int) -> list[Process]:
    """The processes of a group."""
    return [process for process in map(read, all_pids()) if process and process.group == group]


def descends(pid: int, group: int) -> bool:
    """Whether `pid` is of a process group, or was started by a member of it."""
    for _ in range(_DEEPEST):
        found = read(pid)
        if found is None:
            return False
        if found.group == group:
            return True
        pid = found.parent
    return False


def carrying(tag: bytes) -> set[int]:
    """Pids of the processes whose environment contains `tag` (`NAME=value`): everything that a
    program has started, in whatever session, except our own process."""
    others, tagged = set(all_pids()) - {os.getpid()}, tag.decode("utf-8", "replace")
    return {pid for pid in others if tagged in fact(pid, "environ").split("\0")}


def until(condition: Callable[[], T], limit: float, every: float = _LOOK_EVERY) -> T:
    """The first true value of `condition`, or its last value after `limit` seconds."""
    deadline = time.monotonic() + limit
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(every)
    return value
