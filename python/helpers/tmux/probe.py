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

SHELLS = {"bash", "zsh", "fish", "dash", "sh", "ash", "ksh", "mksh", "tcsh", "csh", "rbash", "yash"}

# System call numbers: (read, how a poll-like call says its descriptors). `epoll_pwait2` is newer than both tables.
_CALLS = {
    "x86_64": {0: "read", 7: "poll", 271: "poll", 23: "select", 270: "select", 232: "epoll", 281: "epoll", 441: "epoll"},
    "aarch64": {63: "read", 73: "poll", 72: "select", 22: "epoll", 441: "epoll"},
}.get(platform.machine(), {})
_MOST_PROCESSES = 64  # of one foreground group are looked at: a build with hundreds of workers must stay cheap


@dataclass(frozen=True, slots=True)
class Waiter:
    """The process that sleeps until this terminal has input. `how`: "read", "select" (a select or poll on the terminal
    alone) or "listen" (on the terminal among others). `size`: bytes asked for by a read. `timed`: it will also wake
    by itself. `proven` is False where only wchan could be read."""
    pid: int
    name: str
    how: str
    size: int = 0
    timed: bool = False
    proven: bool = True


@dataclass(frozen=True, slots=True)
class Probe:
    """One reading. `foreground`: process group id; `name`: its leader's; None in a field means "cannot be known"."""
    alive: bool                    # the pane's own process is there
    foreground: int | None = None
    name: str = ""
    canonical: bool | None = None
    echo: bool | None = None
    unread: int = 0                # bytes typed but not read; whole lines only in canonical mode
    waiter: Waiter | None = None
    hidden: bool = False           # the foreground belongs to another user: nobody can say whether it waits
    subject: int = 0               # the waiter's pid, else the leader's: whom the next two are about
    awake: int = 0                 # nanoseconds of CPU it ever used: equal twice = it slept
    taken: int | None = None       # bytes it ever read, where that may be known

    @property
    def blind(self) -> bool:
        return self.canonical is None or self.foreground is None


def probe(pid: int, tty: str) -> Probe:
    """Read the facts of the pane whose first process is `pid` and whose terminal is `tty`."""
    stat = _stat(pid)
    if stat is None:
        return Probe(alive=_exists(pid))
    if stat[0] in "ZX":
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
    except (OSError, AttributeError) + ((termios.error,) if termios else ()):
        pass
    group = int(stat[5])
    members = _members(pid, group)
    leader = group if group in members else (members[0] if members else group)
    waiter, hidden = _waiter(members, tty, canonical is True)
    subject = waiter.pid if waiter else leader
    return Probe(True, group, _text(f"/proc/{leader}/comm").strip(), canonical, echo, unread, waiter, hidden, subject,
                 int((_text(f"/proc/{subject}/schedstat").split() or ["0"])[0]), _taken(subject))


def printed_bytes(server: int) -> int | None:
    """Bytes the tmux server `server` (a pid) ever read: it moves when a pane prints and not when it is captured."""
    return _taken(server)


def _stat(pid: int) -> list[str] | None:
    text = _text(f"/proc/{pid}/stat")
    return text.rpartition(")")[2].split() or None  # the name in brackets may hold blanks


def _members(pid: int, group: int) -> list[int]:
    """The foreground group's processes among `pid` and its descendants, leader first."""
    found: list[int] = []
    queue = [pid]
    while queue and len(found) < _MOST_PROCESSES:
        one = queue.pop(0)
        stat = _stat(one)
        if stat is None:
            continue
        if int(stat[2]) == group and stat[0] not in "ZX":
            found.append(one)
        for thread in _threads(one):  # children belong to the thread that forked them
            queue.extend(map(int, _text(f"/proc/{one}/task/{thread}/children").split()))
    if not found and _exists(group):  # a group whose parents are gone
        found.append(group)
    return sorted(found, key=lambda one: one != group)


def _waiter(members: list[int], tty: str, canonical: bool) -> tuple[Waiter | None, bool]:
    """Who waits for this terminal, the firmest evidence first; and whether somebody could not be looked at."""
    best, hidden = None, False
    rank = {"read": 3, "select": 2, "listen": 1}
    for one in members:
        for thread in _threads(one) if canonical else [str(one)]:  # a JVM or a Go program reads in any thread
            seen = _blocked(one, thread, tty)
            if seen == "hidden":
                hidden = True
            elif isinstance(seen, Waiter) and (best is None or rank[seen.how] > rank[best.how]):
                best = seen
    return best, hidden


def _blocked(pid: int, thread: str, tty: str) -> Waiter | str | None:
    try:
        with open(f"/proc/{pid}/task/{thread}/syscall") as file:
            fields = file.read().split()
    except PermissionError:
        return "hidden"
    except OSError:
        return _by_wchan(pid, thread)
    if len(fields) < 7:  # "running", or blocked outside a system call
        return None
    call = _CALLS.get(int(fields[0]))
    if call is None:
        return None if _CALLS else _by_wchan(pid, thread)
    a = [int(field, 16) for field in fields[1:7]]
    name = _text(f"/proc/{pid}/comm").strip()
    if call == "read":
        return Waiter(pid, name, "read", a[2]) if _is_tty(pid, a[0], tty) else None
    if call == "epoll":
        watched = [int(line.split()[1]) for line in _text(f"/proc/{pid}/fdinfo/{a[0]}").splitlines()
                   if line.startswith("tfd:")]
        timed = a[3] != 0xFFFFFFFF
    elif call == "poll":
        raw = _memory(pid, a[0], 8 * min(a[1], 256))
        watched = [fd for fd, events, _ in struct.iter_unpack("ihh", raw) if fd >= 0 and events & 1]
        timed = int(fields[0]) == 7 and a[2] & 0xFFFFFFFF != 0xFFFFFFFF or int(fields[0]) != 7 and a[2] != 0
    else:
        bits = int.from_bytes(_memory(pid, a[1], (min(a[0], 1024) + 63) // 64 * 8), "little") if a[1] else 0
        watched = [fd for fd in range(min(a[0], 1024)) if bits >> fd & 1]
        if not watched and a[0] == 1 and a[1]:  # the memory may not be read, but there is only one descriptor
            watched = [0]
        timed = a[4] != 0
    ours = [_is_tty(pid, fd, tty) for fd in watched]
    if not any(ours):
        return None
    return Waiter(pid, name, "select" if all(ours) else "listen", 0, timed)


def _by_wchan(pid: int, thread: str) -> Waiter | None:
    """Without `syscall` (a kernel built without it) a read that sleeps in the tty layer still has this name."""
    where = _text(f"/proc/{pid}/task/{thread}/wchan")
    if where in ("n_tty_read", "wait_woken"):
        return Waiter(pid, _text(f"/proc/{pid}/comm").strip(), "read", proven=False)
    return None


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


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")[:_MOST_PROCESSES]
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
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""
