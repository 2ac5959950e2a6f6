"""What the kernel says about a pane's terminal: foreground, line mode, echo, unread input, who waits for input.

Read-only and under 0.3 ms. Sources: proc(5) (stat, task/*/children, task/*/syscall, schedstat, io), termios(3),
FIONREAD. Where a fact cannot be had (another system, another user's process) it is None: not known, never guessed.
"""

from __future__ import annotations

import os
import platform
import struct
from dataclasses import dataclass

try:
    import fcntl
    import termios
except ImportError:  # not a POSIX system: the screen alone decides
    fcntl = termios = None  # type: ignore[assignment]

_TERMIOS_ERROR = termios.error if termios else OSError
SHELLS = {"bash", "zsh", "fish", "dash", "sh", "ash", "ksh", "mksh", "tcsh", "csh", "rbash", "yash"}

# System call numbers: (read, how a poll-like call says its descriptors). `epoll_pwait2` is newer than both tables.
_CALLS = {
    "x86_64": {
        0: "read",
        7: "poll",
        271: "poll",
        23: "select",
        270: "select",
        232: "epoll",
        281: "epoll",
        441: "epoll",
    },
    "aarch64": {63: "read", 73: "poll", 72: "select", 22: "epoll", 441: "epoll"},
}.get(platform.machine(), {})
_MOST_PROCESSES = (
    64  # of one foreground group are looked at: a build with hundreds of workers must stay cheap
)


@dataclass(frozen=True, slots=True)
class Waiter:
    """The process that sleeps until this terminal has input. `how`: "read", "select" (a select or poll on the terminal
    alone) or "listen" (on the terminal among others). `size`: bytes asked for by a read. `timed`: it will also wake
    by itself."""

    pid: int
    name: str
    how: str
    size: int = 0
    timed: bool = False


@dataclass(frozen=True, slots=True)
class Probe:
    """One reading. `foreground`: process group id; `name`: its leader's; None in a field means "cannot be known"."""

    alive: bool  # the pane's own process is there
    foreground: int | None = None
    name: str = ""
    canonical: bool | None = None
    echo: bool | None = None
    unread: int = 0  # bytes typed but not read; whole lines only in canonical mode
    waiter: Waiter | None = None
    hidden: bool = False  # the foreground belongs to another user: nobody can say whether it waits
    subject: int = 0  # the waiter's pid, else the leader's: whom the next two are about
    awake: int = 0  # nanoseconds of CPU it ever used: equal twice = it slept
    taken: int | None = None  # bytes it ever read, where that may be known

    @property
    def blind(self) -> bool:
        return self.canonical is None or self.foreground is None


def probe(pid: int, tty: str) -> Probe:
    """Read the facts of the pane whose first process is `pid` and whose terminal is `tty`."""
    first = _stat(pid)
    if first is None:
        return Probe(alive=_exists(pid))
    if first.state in "ZX":
        return Probe(alive=False)
    canonical = echo = None
    unread = 0
    try:
        terminal = os.open(tty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            flags = termios.tcgetattr(terminal)[3]
            canonical, echo = bool(flags & termios.ICANON), bool(flags & termios.ECHO)
            unread = struct.unpack("i", fcntl.ioctl(terminal, termios.FIONREAD, b"\0" * 4))[0]
        finally:
            os.close(terminal)
    except (OSError, AttributeError, _TERMIOS_ERROR):
        pass  # closed meanwhile, or not a POSIX system
    members = _members(first)
    leader = members[0] if members else None
    waiter, hidden = _waiter(members, tty, canonical is True)
    subject = waiter.pid if waiter else leader.pid if leader else first.foreground
    return Probe(
        True,
        first.foreground,
        leader.name if leader else "",
        canonical,
        echo,
        unread,
        waiter,
        hidden,
        subject,
        int((_text(f"/proc/{subject}/schedstat").split() or ["0"])[0]),
        _taken(subject),
    )


def printed_bytes(server: int) -> int | None:
    """Bytes the tmux server `server` (a pid) ever read: it moves when a pane prints and not when it is captured."""
    return _taken(server)


def exit_status(pid: int) -> int | None:
    """The exit status of an ended process that nobody has collected yet; None where it is not one, or a signal ended it."""
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 50 or fields[0] != "Z" or int(fields[49]) & 0x7F:
        return None
    return int(fields[49]) >> 8


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    name: str
    state: str
    group: int
    foreground: int  # of its terminal
    threads: int


def _stat(pid: int) -> _Process | None:
    head, _, tail = _text(f"/proc/{pid}/stat").rpartition(
        ")"
    )  # the name in brackets may hold blanks and brackets
    fields = tail.split()
    if len(fields) < 18:
        return None
    return _Process(
        pid, head.partition("(")[2], fields[0], int(fields[2]), int(fields[5]), int(fields[17])
    )


def _members(first: _Process) -> list[_Process]:
    """The foreground group's processes among `first` and its descendants, the leader first."""
    found: list[_Process] = []
    queue: list[_Process | None] = [first]
    while queue and len(found) < _MOST_PROCESSES:
        one = queue.pop(0)
        if one is None:
            continue
        if one.group == first.foreground and one.state not in "ZX":
            found.append(one)
        for thread in _threads(one):  # children belong to the thread that forked them
            queue.extend(
                _stat(int(child))
                for child in _text(f"/proc/{one.pid}/task/{thread}/children").split()
            )
    if not found and (leader := _stat(first.foreground)):  # a group whose parents are gone
        found.append(leader)
    return sorted(found, key=lambda one: one.pid != first.foreground)


def _waiter(members: list[_Process], tty: str, canonical: bool) -> tuple[Waiter | None, bool]:
    """Who waits for this terminal, the firmest evidence first; and whether somebody could not be looked at."""
    best, hidden = None, False
    rank = {"read": 3, "select": 2, "listen": 1}
    for one in members:
        for thread in (
            _threads(one) if canonical else [str(one.pid)]
        ):  # a JVM or a Go program reads in any thread
            seen = _blocked(one, thread, tty)
            if seen == "hidden":
                hidden = True
            elif isinstance(seen, Waiter) and (best is None or rank[seen.how] > rank[best.how]):
                best = seen
    return best, hidden


def _blocked(one: _Process, thread: str, tty: str) -> Waiter | str | None:
    pid, name = one.pid, one.name
    text = _text(f"/proc/{pid}/task/{thread}/syscall")
    if not text:  # another user's process, or a kernel built without the file: then a read has this name still
        where = _text(f"/proc/{pid}/task/{thread}/wchan")
        if where in ("n_tty_read", "wait_woken"):
            return Waiter(pid, name, "read")
        return "hidden" if _exists(pid) else None
    fields = text.split()
    if len(fields) < 7:  # "running", or blocked outside a system call
        return None
    call = _CALLS.get(int(fields[0]))
    if call is None:
        return None if _CALLS else "hidden"
    a = [int(field, 16) for field in fields[1:7]]
    if call == "read":
        return Waiter(pid, name, "read", a[2]) if _is_tty(pid, a[0], tty) else None
    if call == "epoll":
        watched = [
            int(line.split()[1])
            for line in _text(f"/proc/{pid}/fdinfo/{a[0]}").splitlines()
            if line.startswith("tfd:")
        ]
        timed = a[3] != 0xFFFFFFFF
    elif call == "poll":
        raw = _memory(pid, a[0], 8 * min(a[1], 256))
        watched = [fd for fd, events, _ in struct.iter_unpack("ihh", raw) if fd >= 0 and events & 1]
        timed = (
            int(fields[0]) == 7
            and a[2] & 0xFFFFFFFF != 0xFFFFFFFF
            or int(fields[0]) != 7
            and a[2] != 0
        )
    else:
        bits = (
            int.from_bytes(_memory(pid, a[1], (min(a[0], 1024) + 63) // 64 * 8), "little")
            if a[1]
            else 0
        )
        watched = [fd for fd in range(min(a[0], 1024)) if bits >> fd & 1]
        if (
            not watched and a[0] == 1 and a[1]
        ):  # the memory may not be read, but there is only one descriptor
            watched = [0]
        timed = a[4] != 0
    ours = [_is_tty(pid, fd, tty) for fd in watched]
    if not any(ours):
        return None
    return Waiter(pid, name, "select" if all(ours) else "listen", 0, timed)


def _is_tty(pid: int, fd: int, tty: str) -> bool:
    try:
        return os.readlink(f"/proc/{pid}/fd/{fd}") in (tty, "/dev/tty")
    except OSError:
        return False


def _memory(pid: int, address: int, size: int) -> bytes:
    try:
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            return memory.read(size) or b""
    except (OSError, ValueError, OverflowError):
        return b""


def _taken(pid: int) -> int | None:
    line = _text(f"/proc/{pid}/io").partition("\n")[0]
    return int(line.split()[1]) if line.startswith("rchar") else None


def _threads(one: _Process) -> list[str]:
    if one.threads == 1:
        return [str(one.pid)]
    try:
        return os.listdir(f"/proc/{one.pid}/task")[:_MOST_PROCESSES]
    except OSError:
        return []


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _text(path: str) -> str:
    """A small file of /proc, or "" where it cannot be read. Four times cheaper than open(): this is the hot path."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(file, 65536).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(file)
