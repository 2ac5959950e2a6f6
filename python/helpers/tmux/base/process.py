"""The only reader of /proc/PID (proc(5)), and of a terminal's mode (termios(3)).

A process may end at any moment, and its pid may belong to another one a moment later; the start
time tells them apart. What another user's process does is hidden, as far as the kernel hides it.

If a process ends in the middle, that is not an error: the result is None or empty.
"""

import fcntl
import math
import os
import re
import select
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

_SHARED_NAMES = ("pager", "editor")  # Debian's less and nano
_MOST = 1 << 20  # bytes of a file: some have as many lines as a program wants
_PART = 1 << 14  # bytes that are read at once: most files are smaller than a page
_C_C = 0x03
_MOST_LISTED = 1024  # threads or descriptors
_TTY_INDEX = re.compile(r"tty-index:\s*(\d+)")
_SYS_PTRACE = 19  # a capability's number: capabilities(7)
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
    threads: int
    since: int  # start time in ticks after boot: with the pid it identifies a process for good
    allows: bool = False  # others may read it: become_shell.py

    @property
    def is_open(self) -> bool:
        """Whether its system call and its memory can be read."""
        return can_be_read(self.allows)

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
    interrupt: str = "C-c"  # the key that ends a program: another one by `stty intr ^G`
    polled: bool = False  # a read of it does not wait: `stty min 0`
    unread: int = 0  # bytes typed but not read; in canonical mode only whole lines
    stopped: bool = False  # nothing can be written: C-s
    size: tuple[int, ...] = (0, 0)  # columns, rows

    @property
    def echoes(self) -> bool:
        """Whether what is typed shows: it is echoed, and nothing holds the output.

        A line editor echoes by itself: the kernel does not know of that.
        """
        return self.echo and not self.stopped


def read(pid: int) -> Process | None:
    """The process `pid`; None if there is none, or it has ended and was not reaped."""
    exe = link(pid, "exe")  # is gone before the state says that it ends
    head, _, tail = fact(pid, "stat").rpartition(")")  # a name may contain spaces and brackets
    fields = tail.split()
    name = head.partition("(")[2]
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
        threads=int(fields[17]),
        since=int(fields[19]),
    )


def is_hidden(pid: int) -> bool:
    """Whether the process lives and /proc does not show it: that is not mounted, or hides what is
    another user's (hidepid)."""
    if not pid or fact(pid, "stat"):  # none: tmux 3.8 forgets a pid just before the pane is dead
        return False

    with suppress(PermissionError):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False

    return True


def age(pid: int) -> float:
    """Seconds since the process `pid` began; infinite if there is none."""
    process = read(pid)
    if not process:
        return math.inf
    return time.clock_gettime(time.CLOCK_BOOTTIME) - process.since / os.sysconf("SC_CLK_TCK")


def fact(pid: int, name: str) -> str:
    """A file of /proc/PID, by its name: "schedstat", "fdinfo/3"; "" if it cannot be read."""
    try:
        file = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
    except OSError:
        return ""

    text = b""
    with suppress(OSError):
        while len(text) < _MOST and (part := os.read(file, _PART)):
            text += part

    os.close(file)
    return text.decode(errors="replace")


@cache
def _may_trace() -> bool:
    """Whether we have CAP_SYS_PTRACE, which Docker does not give."""
    found = re.search(r"CapEff:\s*(\w+)", fact(os.getpid(), "status"))
    return found is not None and int(found[1], 16) >> _SYS_PTRACE & 1 == 1


def can_be_read(allows: bool) -> bool:
    """Whether Yama lets us read the inside (memory, system call) of a process that `allows` it or
    not, and is no child of ours. Where it does not nobody tries: the kernel logs each try with both
    command lines, and in ours there may be a password.

    Its setting: 0: all of a user's; 1 (Ubuntu, and containers there): what one has started, or what
    allows it; 2: with a capability; 3: none.
    """
    scope = "0"
    with suppress(OSError), open("/proc/sys/kernel/yama/ptrace_scope") as file:
        scope = file.read().strip()

    if scope == "0":
        return True
    if scope == "1" and (allows or os.getpid() == 1):  # a container's first has started all
        return True
    return scope != "3" and _may_trace()


def link(pid: int, name: str) -> str:
    """The target of a link of /proc/PID ("exe", "fd/3"); "" if it cannot be read."""
    try:
        return os.readlink(f"/proc/{pid}/{name}")
    except OSError:
        return ""


def memory(pid: int, address: int, size: int) -> bytes:
    """`size` bytes of its memory; b"" if they cannot be read."""
    data = b""
    with suppress(OSError):
        file = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
        with suppress(OSError, OverflowError):
            data = os.pread(file, size, address)
        os.close(file)

    if len(data) == size:
        return data
    return b""


def bytes_read(pid: int) -> int | None:
    """Bytes that it has read since it began; None if unknown."""
    fields = fact(pid, "io").split()
    if fields:
        return int(fields[1])
    return None


def listed(pid: int, name: str) -> list[int]:
    """The numbers in a folder of /proc/PID: "task", its threads; "fd", its descriptors."""
    try:
        return [int(number) for number in os.listdir(f"/proc/{pid}/{name}")[:_MOST_LISTED]]
    except OSError:
        return []


def threads(process: Process) -> list[int]:
    """Its threads; the first has the number of the process."""
    if process.threads > 1:
        return listed(process.pid, "task")
    return [process.pid]


def children(process: Process, most: int = _MOST_LISTED) -> list[Process]:
    """Its children, of which the youngest count if there are more than `most`. The kernel lists
    them by the thread that forked them."""
    pids: list[int] = []
    for thread in threads(process):
        pids += map(int, fact(process.pid, f"task/{thread}/children").split())
    return list(filter(None, map(read, pids[-most:])))


def terminal_of(process: Process) -> str:
    """The file of its controlling terminal, a pseudo-terminal; "" if it has none."""
    if process.terminal:
        return f"/dev/pts/{os.minor(process.terminal)}"
    return ""


def terminal(process: Process) -> Terminal:
    """The state of the terminal of `process`, a pseudo-terminal."""
    path = terminal_of(process)
    mode = os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK
    with suppress(OSError, termios.error), open(os.open(path, mode), "rb", 0) as file:
        *_, flags, _, _, codes = termios.tcgetattr(file)
        code = codes[termios.VINTR][0] % 0x20 or _C_C  # 0: it has none
        queue = select.poll()  # a poll moves what was written into the input queue
        queue.register(file)
        can_be_written = any(events & select.POLLOUT for _, events in queue.poll(0))
        unread = fcntl.ioctl(file, termios.FIONREAD, b"\0" * 4)
        return Terminal(
            path=path,
            canonical=bool(flags & termios.ICANON),
            echo=bool(flags & termios.ECHO),
            signals=bool(flags & termios.ISIG),
            interrupt=f"C-{chr(code | 0x40).lower()}",
            polled=codes[termios.VMIN] == 0,  # a number in raw mode alone
            unread=int.from_bytes(unread, "little"),
            stopped=not can_be_written,
            size=os.get_terminal_size(file.fileno()),
        )

    return Terminal(path=path)  # closed, or another user's


def has_open(pid: int, path: str) -> bool:
    """Whether it has the file open: that of a container may have the same name, and `/dev/tty` is
    another one for each session."""
    for descriptor in listed(pid, "fd"):
        with suppress(OSError):
            if os.path.samefile(f"/proc/{pid}/fd/{descriptor}", path):
                return True
    return False


def inner_terminals(process: Process) -> list[str]:
    """The terminals whose other side it holds: what is typed there comes from it. The kernel tells
    them in lines such as `tty-index:\t6`."""
    paths: list[str] = []
    for descriptor in listed(process.pid, "fd"):
        if not link(process.pid, f"fd/{descriptor}").endswith("/ptmx"):
            continue
        found = _TTY_INDEX.search(fact(process.pid, f"fdinfo/{descriptor}"))
        if found:
            paths.append(f"/dev/pts/{found[1]}")

    return paths


def all_pids() -> list[int]:
    """The pids of all processes."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def members(group: int) -> list[Process]:
    """The processes of a group."""
    return [process for process in map(read, all_pids()) if process and process.group == group]


def ancestors(pid: int) -> Iterator[Process]:
    """The process `pid`, what has started it, and so on."""
    while process := read(pid):
        yield process
        pid = process.parent


def descends(pid: int, group: int) -> bool:
    """Whether `pid` is of a process group, or was started by a member of it."""
    return any(process.group == group for process in ancestors(pid))


def carrying(tag: str) -> set[int]:
    """Pids of the processes whose environment contains `tag` (`NAME=value`): everything that a
    program has started, in whatever session, except our own process."""
    tagged = (pid for pid in all_pids() if tag in fact(pid, "environ").split("\0"))
    return set(tagged) - {os.getpid()}


def ends(pid: int, limit: float) -> bool:
    """Waits until the process ends, for `limit` seconds at most; whether it does. False at once
    where that cannot be seen: it has ended before."""
    with suppress(OSError), open(os.pidfd_open(pid), "rb", 0) as file:
        queue = select.poll()
        queue.register(file, select.POLLIN)
        return bool(queue.poll(limit * 1000))
    return False


def until(condition: Callable[[], object], limit: float) -> object:
    """The first true value of `condition`, or its last value after `limit` seconds."""
    deadline = time.monotonic() + limit
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY)
    return value
