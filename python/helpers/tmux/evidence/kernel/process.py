"""One reader of /proc/PID for the whole project, and one way to end processes.

Source: proc(5). Files are read by os.open and its like only: it is four times cheaper than open(),
and a test can deny them. A process that ends meanwhile is no error: the answer is then None or
empty.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

END_LIMIT = 2.0  # seconds between SIGTERM and SIGKILL; what obeys at all does so within 0.4
KILL_LIMIT = 2.0  # seconds until what got SIGKILL must be gone
MOST_THREADS = 64  # of one process that are looked at
LOOK_EVERY = 0.04  # seconds between two looks, of which each may cost a process
_SHARED_NAMES = ("pager", "editor", "busybox")  # Debian's names for less and nano; many in one
_PTS = 136  # major device number of the pseudo-terminals
_LAST_FIELD = 49  # `exit_code`, counted from the one behind the name

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """The fields of /proc/PID/stat that are used. They are readable for every user, of every
    user's process."""

    pid: int
    name: str  # at most 15 bytes, as the kernel keeps it
    state: str  # R runs, S sleeps, D sleeps in the kernel, T stopped, Z and X ended
    parent: int
    group: int
    terminal: int  # device number of its controlling terminal; 0: it has none
    foreground: int  # process group in front on that terminal; -1: it has none
    ticks: int  # CPU that all its threads used, in hundredths of a second
    threads: int
    since: int  # when it began, in ticks after the boot: with the pid it means one process for ever
    status: int  # as wait(2) gives it, once it has ended

    @property
    def ended(self) -> bool:
        return self.state in ("Z", "X")

    @property
    def tty(self) -> str:
        """Path of its controlling terminal; "" where it has none or no pseudo-terminal."""
        if os.major(self.terminal) != _PTS:
            return ""
        return f"/dev/pts/{os.minor(self.terminal)}"


def read(pid: int) -> Process | None:
    """The process `pid`, also one that has ended and that nobody has collected; None where there
    is none."""
    head, _, tail = text(f"/proc/{pid}/stat").rpartition(")")  # a name may hold blanks and brackets
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
    if name == "busybox":  # as `busybox ash`; a link to it has the applet's name already
        words = text(f"/proc/{pid}/cmdline").split("\0")
        return words[1] if len(words) > 1 and words[1] else name
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).partition(".")[0] or name
    except OSError:
        return name


def text(path: str) -> str:
    """A small file of /proc, "" where it cannot be read."""
    return content(path).decode("utf-8", "replace")


def content(path: str, size: int = 65536, offset: int = 0) -> bytes:
    """At most `size` bytes of a file from `offset` on, b"" where they cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.pread(file, size, offset)
    except (OSError, OverflowError):  # nothing is mapped there; an address beyond the signed range
        return b""
    finally:
        os.close(file)


def bytes_moved(pid: int) -> tuple[int, int] | None:
    """Bytes that it ever read and wrote, its children's whose end it has collected among them; None
    where that may not be known."""
    lines = text(f"/proc/{pid}/io").split("\n")
    if len(lines) < 2 or not lines[0].startswith("rchar"):
        return None
    return int(lines[0].split()[1]), int(lines[1].split()[1])


def exists(pid: int) -> bool:
    """Whether there is such a process, of whatever user."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def working_directory(pid: int | None) -> str:
    """Its working directory; "" where that may not be known."""
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def open_files(pid: int) -> dict[int, str]:
    """By descriptor; those that can be read."""
    links: dict[int, str] = {}
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):  # closed meanwhile
                links[int(name)] = os.readlink(f"/proc/{pid}/fd/{name}")
    return links


def threads(process: Process) -> list[str]:
    """Its thread ids, the main thread's first."""
    if process.threads == 1:
        return [str(process.pid)]
    try:
        return os.listdir(f"/proc/{process.pid}/task")[:MOST_THREADS]
    except OSError:
        return []


def children(process: Process) -> list[int]:
    """Pids of its children, which belong to the thread that forked them."""
    return [
        int(child)
        for thread in threads(process)
        for child in text(f"/proc/{process.pid}/task/{thread}/children").split()
    ]


def all_pids() -> list[int]:
    """The pids of all processes there are; [] on a system without /proc."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def carrying(tag: bytes) -> set[int]:
    """Processes whose environment has `tag` (`NAME=value`): all that a program started, whatever
    session they moved to."""
    own = os.getpid()
    return {pid for pid in all_pids() if pid != own and tag in _environment(pid)}


def _environment(pid: int) -> list[bytes]:
    whole = b""
    while part := content(f"/proc/{pid}/environ", offset=len(whole)):
        whole += part
    return whole.split(b"\0")


def alive(pid: int) -> bool:
    """Whether it runs. One that only waits to be collected does not count."""
    process = read(pid)
    return exists(pid) if process is None else not process.ended  # None: a system without /proc


def await_end(pid: int | None, seconds: float) -> bool | None:
    """Waits at most `seconds` for the end of the process `pid`; whether it came. None, at once,
    where it came before or cannot be waited for: pidfd_open(2) is Linux's, and asks for no right.
    """
    try:
        descriptor = os.pidfd_open(pid or 0)
    except (OSError, AttributeError):
        return None
    try:
        end = select.poll()  # a select knows no descriptor above 1,023
        end.register(descriptor, select.POLLIN)
        return None if end.poll(0) else bool(end.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def group_alive(group: int, since: int | None = None) -> bool:
    """Whether a process of the group runs; `since`: when its leader began. The leader may have
    ended before the others: a launcher does."""
    try:
        os.killpg(group, 0)
    except PermissionError:
        pass
    except OSError:
        return False
    leader = read(group)
    if leader is not None and since not in (None, leader.since):
        return False  # the number belongs to somebody else now
    if leader is not None and not leader.ended:
        return True
    return any(not process.ended for process in members(group))


def members(group: int) -> list[Process]:
    """The processes of a group."""
    return [process for process in map(read, all_pids()) if process and process.group == group]


def end_processes(first: Collection[int], rest: Callable[[], set[int]] = set) -> bool:
    """SIGTERM to `first`, after END_LIMIT seconds SIGKILL to those that stay and to whatever
    `rest()` finds, until it finds nothing. True: nothing of both runs any more."""
    _signal(first, signal.SIGTERM)
    _signal(first, signal.SIGCONT)
    until(lambda: not any(map(alive, first)), END_LIMIT)

    def nothing_left() -> bool:
        left = {pid for pid in rest() | set(first) if alive(pid)}
        _signal(left, signal.SIGKILL)
        return not left

    return until(nothing_left, KILL_LIMIT)


def _signal(pids: Collection[int], which: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, which)


def until(condition: Callable[[], T], limit: float, every: float = LOOK_EVERY) -> T:
    """The first true value of `condition`, or the last one after `limit` seconds."""
    deadline = time.monotonic() + limit
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(every)
    return value
