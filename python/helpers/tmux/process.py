"""The only reader of /proc/PID (proc(5)), and of a terminal's mode (termios(3)).

If a process ends in the middle, that is not an error: the result is None or empty.
"""

import fcntl
import math
import os
import select
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

_SHARED_NAMES = ("pager", "editor")  # Debian's less and nano
_MOST = 1 << 20  # characters of a file: some have as many lines as a program wants
_MOST_LISTED = 1024  # threads or descriptors
_LOOK_EVERY = 0.04  # seconds between two checks of a condition, each of which may start a process


@dataclass(frozen=True)
class Process:
    """The fields of /proc/PID/stat that are used. Every user may read them for every process."""

    pid: int
    exe: str  # path of its binary; "": another user's
    name: str  # at most 15 bytes, as the kernel keeps it
    state: str  # R runs, S sleeps, D sleeps in the kernel, T is stopped
    parent: int
    group: int
    terminal: int  # device number of its controlling terminal; 0: none
    foreground: int  # foreground process group of that terminal; -1: none
    since: int  # start time in ticks after boot: with the pid it identifies a process for good

    @property
    def cpu_ns(self) -> int:
        """Nanoseconds of CPU that its main thread has used: equal twice, it slept in between."""
        return int((fact(self.pid, "schedstat").split() or ["0"])[0])


@dataclass(frozen=True)
class Terminal:
    """The state of one terminal."""

    path: str = ""
    canonical: bool | None = None  # ICANON; None: it cannot be opened
    echo: bool = False  # ECHO
    signals: bool = True  # ISIG
    unread: int = 0  # bytes typed but not read; in canonical mode only whole lines
    size: tuple[int, ...] = (0, 0)  # columns, rows


def read(pid: int) -> Process | None:
    """The process `pid`; None if there is none, or it has ended and was not reaped."""
    exe = link(pid, "exe")  # is gone before the state says that it ends
    head, _, tail = fact(pid, "stat").rpartition(")")  # a name may contain spaces and brackets
    fields, name = tail.split(), head.partition("(")[2]
    if not fields or fields[0] in "ZX":
        return None
    if name in _SHARED_NAMES:
        name = os.path.basename(exe) or name
    return Process(
        pid=pid,
        exe=exe,
        name=name,
        state=fields[0],
        parent=int(fields[1]),
        group=int(fields[2]),
        terminal=int(fields[4]),
        foreground=int(fields[5]),
        since=int(fields[19]),
    )


def age(pid: int) -> float:
    """Seconds since the process `pid` began; infinite if there is none."""
    process = read(pid)
    if not process:
        return math.inf
    return time.clock_gettime(time.CLOCK_BOOTTIME) - process.since / os.sysconf("SC_CLK_TCK")


def fact(pid: int, name: str) -> str:
    """A file of /proc/PID, by its name: "schedstat", "fdinfo/3"; "" if it cannot be read."""
    with (
        suppress(OSError),
        open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file,
    ):
        return file.read(_MOST)
    return ""


def link(pid: int, name: str) -> str:
    """The target of a link of /proc/PID ("exe", "fd/3"); "" if it cannot be read."""
    try:
        return os.readlink(f"/proc/{pid}/{name}")
    except OSError:
        return ""


def memory(pid: int, address: int, size: int) -> bytes:
    """`size` bytes of its memory; b"" if they cannot be read."""
    with suppress(OSError, OverflowError), open(f"/proc/{pid}/mem", "rb", 0) as file:
        file.seek(address)
        data = file.read(size)
        return data if len(data) == size else b""
    return b""


def bytes_read(pid: int) -> int | None:
    """Bytes that it has read since it began; None if unknown."""
    fields = fact(pid, "io").split()
    return int(fields[1]) if fields else None


def listed(pid: int, name: str) -> list[int]:
    """The numbers in a folder of /proc/PID: "task", its threads; "fd", its descriptors."""
    try:
        return [int(number) for number in os.listdir(f"/proc/{pid}/{name}")[:_MOST_LISTED]]
    except OSError:
        return []


def children(process: Process) -> list[Process]:
    """Its children. The kernel lists them by the thread that forked them."""
    threads = listed(process.pid, "task")
    tasks = (fact(process.pid, f"task/{thread}/children") for thread in threads)
    return list(filter(None, (read(int(pid)) for task in tasks for pid in task.split())))


def terminal(process: Process) -> Terminal:
    """The state of the terminal of `process`, a pseudo-terminal."""
    path = f"/dev/pts/{os.minor(process.terminal)}"
    mode = os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK
    with suppress(OSError, termios.error), open(os.open(path, mode), "rb", 0) as file:
        flags = termios.tcgetattr(file)[3]
        queue = select.poll()  # a poll moves what was written into the input queue
        queue.register(file)
        queue.poll(0)
        unread = fcntl.ioctl(file, termios.FIONREAD, b"\0" * 4)
        return Terminal(
            path=path,
            canonical=bool(flags & termios.ICANON),
            echo=bool(flags & termios.ECHO),
            signals=bool(flags & termios.ISIG),
            unread=int.from_bytes(unread, "little"),
            size=os.get_terminal_size(file.fileno()),
        )
    return Terminal(path=path)  # closed, or another user's


def all_pids() -> list[int]:
    """The pids of all processes."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def members(group: int) -> list[Process]:
    """The processes of a group."""
    return [process for process in map(read, all_pids()) if process and process.group == group]


def descends(pid: int, group: int) -> bool:
    """Whether `pid` is of a process group, or was started by a member of it."""
    while process := read(pid):
        if process.group == group:
            return True
        pid = process.parent
    return False


def carrying(tag: str) -> set[int]:
    """Pids of the processes whose environment contains `tag` (`NAME=value`): everything that a
    program has started, in whatever session, except our own process."""
    tagged = (pid for pid in all_pids() if tag in fact(pid, "environ").split("\0"))
    return set(tagged) - {os.getpid()}


def until(condition: Callable[[], object], limit: float) -> object:
    """The first true value of `condition`, or its last value after `limit` seconds."""
    deadline = time.monotonic() + limit
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY)
    return value
