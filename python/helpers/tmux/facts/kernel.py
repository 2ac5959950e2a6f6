"""What the kernel says about a pane: its foreground, its line mode, and who sleeps in a read of it.

A terminal has one foreground group: only its processes may read what is typed. So who waits is
found by looking how each of them sleeps. /proc/PID/syscall proves that: `read` of descriptor 0, and
descriptor 0 is this terminal. Where that is closed (Yama), wchan names the kernel function alone,
and the open files say what it may wait for.

A relay (sudo, script, expect) puts its terminal into raw mode and starts a program in a session of
its own on another terminal, whose keys it passes on: the innermost one counts.

Nothing here is written, stopped or traced. A probe takes about 0.3 ms.
"""

import os
import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..base import process as proc
from ..base import programs
from ..base.process import Process, Terminal
from .readable import has_become_shell

# How a process sleeps, the strongest evidence first.
READ = 0  # in a read of the terminal: cat
SELECT = 1  # in a poll or a select of it alone: bash at its prompt
SEEMS = 2  # in one that seems so, where its files are not known
LISTEN = 3  # in a poll of others too: node's event loop, vim
HIDDEN = 4  # in a way that is hidden: another user's sudo
POLLS = 5  # in a poll of unknown files that is hardly ever of the terminal
WORKS = 6  # in anything else, or it does not sleep

# What sleeps in `wait_woken`: reads of terminals and TCP, connects, inotify, tunnels.
_WOKEN = r"socket:|anon_inode:inotify|/dev/(?:net/|pt|tty)"
# The words of a shell that runs a script or a command: `bash -x setup`, `zsh -lc make`.
_SCRIPT = re.compile(
    r"""(?x)
    [^\0]*\0  # its name, then options, of which some have a value
    (?> (?:--rcfile|--init-file|-[oOC])\0[^\0]*\0 | --[^\0]*\0 | [-+](?:[^\0]*[^c\0])?\0
        | -no[^\0]*\0 )*+  # a long one: elvish -norc
    (?: [^-+] | [-+][^\0]*c\0 )
    """
)
_MOST_PROCESSES = 64  # a build with hundreds of workers must stay cheap
_DEEPEST = 8  # relays inside each other
_MOST_POLLED = 256  # entries of a poll
_MOST_SELECTED = 1024  # descriptors of a select
_POLLIN = 0x41  # with POLLRDNORM
_NOT_SET = (0, 0)  # a terminal's size
_EPOLL = "anon_inode:[eventpoll]"
_NON_BLOCKING = re.compile(r"flags:\s*\d*[4-7]\d{3}\n")


class _Calls(NamedTuple):
    """The numbers of the system calls that wait.

    `restarted`: restart_syscall, by which a poll goes on after its process was stopped (STOP, CONT,
    a frozen container). The arguments are gone then: the kernel function tells how it sleeps.
    """

    read: str
    poll: str
    select: str
    epoll: str
    restarted: str


_CALLS = {
    "x86_64": _Calls(
        read="0 19", poll="7 271", select="23 270", epoll="232 281 441", restarted="219"
    ),
    "aarch64": _Calls(read="63 65", poll="73", select="72", epoll="22 441", restarted="128"),
}.get(os.uname().machine)


class _Function(NamedTuple):
    """Kernel functions in which a process sleeps, whose names depend on the release; how that is;
    the files for which it may wait there."""

    names: str
    how: int
    files: str


_FUNCTIONS = (
    _Function("wait_woken n_tty_read", READ, _WOKEN),
    _Function(
        "poll_schedule_timeout do_sys_poll do_poll do_select io_cqring_wait",
        SEEMS,
        rf"{_WOKEN}|pipe:|anon_inode:",
    ),
    _Function("ep_poll do_epoll_wait", LISTEN, r"anon_inode:\[eventpoll\]"),
)


class _Sleep(NamedTuple):
    """How a thread sleeps; for which descriptors; for how many bytes, 0: unknown."""

    how: int
    descriptors: list[int]
    size: int = 0


_AWAKE = _Sleep(WORKS, [])


@dataclass(frozen=True)
class Waiter:
    """A process, and how it sleeps; true if that is until the terminal has input."""

    pid: int = 0
    how: int = WORKS
    size: int = 0  # bytes requested by a read; 0: unknown

    def __bool__(self) -> bool:
        """Whether it sleeps in a read, or a wait for one."""
        return self.how <= LISTEN


@dataclass(frozen=True)
class Kernel:
    """One reading. A field that is None is unknown."""

    terminal: Terminal
    foreground: int = -1  # its foreground process group
    name: str = ""  # of the subject, or of what is on a terminal that cannot be opened
    waiter: Waiter = Waiter()
    remote: bool = False  # its other end is out of sight
    script: bool = False  # it is a shell that runs a script, by its command line
    piped: bool = False  # a pipe gives it its input, or takes its output: a filter
    subject: int = 0  # the waiter's pid, else the topmost in front; 0: the pane's process has ended
    cpu_ns: int = 0  # of the subject
    bytes_read: int | None = None
    beside: int = 0  # another one in front that is proven to read too
    stopped: str = ""  # what wants to read, and is stopped for that, because it is not in front
    open: bool = True  # the subject's memory can be read

    @property
    def out_of_sight(self) -> bool:
        """Whether the program that reads cannot be inspected, or may be one of another user."""
        return self.remote or self.waiter.how == HIDDEN

    @property
    def may_be_a_turn(self) -> bool:
        """Whether it does not show by itself that a program runs."""
        return bool(self.waiter) or self.out_of_sight or not self.subject


@dataclass(frozen=True, kw_only=True)
class _Level:
    """One terminal: the pane's, or that of a relay inside it."""

    first: Process  # its topmost process
    terminal: Terminal
    relayed: list[Process]  # what those in front have started on another terminal
    waiter: Waiter
    subject: Process  # who waits, else the topmost in front
    beside: int
    stopped: str

    @property
    def is_closed(self) -> bool:
        """Whether the terminal cannot be opened: another user's."""
        return self.terminal.canonical is None

    @property
    def is_remote(self) -> bool:
        """Whether its other end is out of sight: it cannot be opened, or ssh is in front, which
        keeps canonical mode while it asks for a password itself."""
        if self.is_closed:
            return True
        return not self.terminal.canonical and programs.of(self.subject.name).remote


def runs_script(shell: Process) -> bool:
    """Whether a shell runs a script or a command, by its command line: it has no prompt. Of one
    that an interpreter runs (`python3 /usr/bin/xonsh`) the words behind that count."""
    words = proc.fact(shell.pid, "cmdline")
    _, _, behind = words.partition("\0")
    if os.path.basename(behind.partition("\0")[0]) == shell.name:
        words = behind
    return bool(_SCRIPT.match(words))


def probe(pid: int, strangers: bool = False, drawn: bool = False, launched: bool = False) -> Kernel:
    """Reads the facts of the pane whose first process is `pid`.

    strangers: where nobody in front waits, a reader is looked for that a daemon has started for
        them (pinentry for gpg).
    drawn: the program in front draws a screen of its own.
    launched: the pane's first process is one that can be read (readable.py).
    """
    first = proc.read(pid)
    if first is None:
        return Kernel(terminal=Terminal())
    first = replace(first, allows=launched and has_become_shell(first))
    level = _level(first)
    unread = level.terminal.unread
    for _ in range(_DEEPEST):
        inner = _inwards(level, drawn)
        if inner is None:
            break
        level = _level(inner)
        unread += level.terminal.unread
    remote = level.is_remote
    if strangers and not level.waiter:
        level = _with_stranger(level)
    subject = level.subject
    shell = programs.of(subject.name).shell
    return Kernel(
        terminal=replace(level.terminal, unread=unread),
        foreground=level.first.foreground,
        name=level.first.name if level.is_closed else subject.name,
        waiter=level.waiter,
        remote=remote,
        script=shell and runs_script(subject),
        piped=any(proc.link(subject.pid, f"fd/{each}").startswith("pipe:") for each in (0, 1)),
        subject=subject.pid,
        cpu_ns=subject.cpu_ns,
        bytes_read=proc.bytes_read(subject.pid),
        beside=level.beside,
        stopped=level.stopped,
        open=subject.is_open,
    )


def reads_too(pids: Iterable[int], terminal: Terminal) -> int:
    """Which of these processes sleeps in a read of this terminal and is none of its jobs, so that
    no key ends or stops it: pinentry, which has outlived gpg. 0: none does.

    Who holds its other side is a relay, which types there: script keeps both sides open.
    """
    found = [one for one in map(proc.read, pids) if one and one.exe]  # none of the kernel's own
    loose = {one.pid: one for one in found if proc.terminal_of(one) != terminal.path}
    for waiter in _waiters(loose.values(), terminal):
        if not (waiter and proc.has_open(waiter.pid, terminal.path)):
            continue
        if terminal.path not in proc.inner_terminals(loose[waiter.pid]):
            return waiter.pid

    return 0


def _level(first: Process) -> _Level:
    """The terminal of `first`, and who is in front there."""
    terminal = proc.terminal(first)
    front, relayed, behind = _front(first)
    topmost = next(iter(front.values()), first)
    waiter = _strongest(front.values(), terminal)
    if waiter.pid != topmost.pid and _polls(topmost, terminal, waiter):
        waiter = Waiter(topmost.pid, LISTEN)

    others = [process for process in front.values() if process.pid != waiter.pid]
    second = _strongest(others, terminal) if waiter.how <= SELECT else Waiter()
    return _Level(
        first=first,
        terminal=terminal,
        relayed=relayed,
        waiter=waiter,
        subject=front.get(waiter.pid, topmost),
        beside=second.pid if second.how <= SELECT else 0,
        stopped=next((f"{one.name} ({one.pid})" for one in behind if one.state == "T"), ""),
    )


def _polls(process: Process, terminal: Terminal, waiter: Waiter) -> bool:
    """Whether it reads the terminal now and then, without sleeping until there is input: a script
    that starts dd again and again after `stty min 0 time 1`; ansible's pause, which naps."""
    if terminal.canonical:
        return False
    if terminal.polled:
        return bool(waiter)
    naps = "nanosleep" in proc.fact(process.pid, "wchan")
    return naps and bool(_NON_BLOCKING.search(proc.fact(process.pid, "fdinfo/0")))


def _front(first: Process) -> tuple[dict[int, Process], list[Process], list[Process]]:
    """The processes in front on the terminal of `first` by their pids, and what these have started
    without a terminal (`su -c`); what these have started on another terminal (sudo's shell); what
    they have started in the background (`timeout` in a script).

    What else is on this terminal is in the background, but what it has started may be in front: a
    shell in which somebody has started another shell.
    """
    front: dict[int, Process] = {}
    relayed: list[Process] = []
    behind: dict[int, Process] = {}
    queue = [first]
    for process in queue:
        started = process.parent in front
        if process.group == first.foreground or (started and not process.terminal):
            front[process.pid] = process
        elif process.terminal != first.terminal:
            if started:
                relayed.append(process)
            continue
        elif started or process.parent in behind or _is_job_of_script(process):
            behind[process.pid] = process

        if len(queue) < _MOST_PROCESSES:
            queue += proc.children(process, _MOST_PROCESSES)

    return front, relayed, [*behind.values()]


def _is_job_of_script(process: Process) -> bool:
    """Whether it is stopped, and a script has started it with job control (`set -m`): what stands
    stopped in a shell with a prompt is the person's, to whom `fg` is known."""
    parent = process.state == "T" and proc.read(process.parent)
    return bool(parent and runs_script(parent))


def _inwards(level: _Level, drawn: bool) -> Process | None:
    """The topmost process on a relay's inner terminal; None if nothing is relayed. Where another
    program takes what is typed (less, after a pipe from `script`) nothing is."""
    waiter = level.waiter
    if level.is_remote or level.terminal.canonical:
        return None

    for child in level.relayed:
        relay_listens = waiter.how == LISTEN and waiter.pid == child.parent
        if (relay_listens or not waiter) and _passes_on(level, child, drawn):
            return child

    return None


def _passes_on(level: _Level, child: Process, drawn: bool) -> bool:
    """Whether keys are passed on to the terminal of `child`, and its screen is this screen.

    A relay with a terminal of the same size, or of none (nobody has set it), makes no signals of
    keys: sudo and script pass on C-c too. apt does, and keeps a row below dpkg's terminal for its
    bar, and expect's terminal may have any size: they hold the other side of it. So does what shows
    it in a part of a screen of its own, as an editor does, and zsh for its helpers.
    """
    inner = proc.terminal(child)
    if not level.terminal.signals and inner.size in (level.terminal.size, _NOT_SET):
        return True
    relay = proc.read(child.parent)
    if drawn or relay is None or programs.of(relay.name).shell:
        return False
    return inner.path in proc.inner_terminals(relay)


def _with_stranger(level: _Level) -> _Level:
    """The level, with a reader that has no terminal of its own and is younger than its subject."""
    pids = [pid for pid in proc.all_pids() if pid > level.subject.pid]
    younger = filter(None, map(proc.read, pids))
    loose = {process.pid: process for process in younger if not process.terminal}
    waiter = _strongest(loose.values(), level.terminal)
    if not waiter:
        return level
    return replace(level, waiter=waiter, subject=loose[waiter.pid])


def _strongest(front: Iterable[Process], terminal: Terminal) -> Waiter:
    """The strongest evidence; of equals the last, the descendant: npm's child, not npm."""
    waiters = [Waiter(), *_waiters(front, terminal)]
    return min(reversed(waiters), key=lambda waiter: waiter.how)


def _waiters(front: Iterable[Process], terminal: Terminal) -> Iterator[Waiter]:
    """How each process waits for `terminal`: a JVM or a Go program in any of its threads, fish in
    its first alone."""
    for process in front:
        if process.state != "S":
            continue
        if process.terminal and not process.exe:
            yield Waiter(pid=process.pid, how=HIDDEN)
        helpers = programs.of(process.name).helpers
        for thread in [process.pid] if helpers else proc.threads(process):
            yield _waits(process, thread, terminal)


def _waits(process: Process, thread: int, terminal: Terminal) -> Waiter:
    """How a thread waits for `terminal`. Where it waits for other files too it only listens, and so
    does, in raw mode, a thread beside the main one: it hands the keys on."""
    pid = process.pid
    sleep = _sleep(process, thread, terminal)
    files: list[bool] = []  # of each for which it waits, whether that is the terminal
    for file in _files(pid, sleep.descriptors):
        files.append(file in (terminal.path, "/dev/tty"))

    if not any(files):
        return Waiter()

    beside = thread != pid and not terminal.canonical
    alone = all(files) and not beside
    how = sleep.how if alone else max(sleep.how, LISTEN)
    return Waiter(pid=pid, how=how, size=sleep.size)


def _sleep(process: Process, thread: int, terminal: Terminal) -> _Sleep:
    """How a thread sleeps, by its system call, or where that is closed by the kernel function."""
    pid = process.pid
    fields: list[str] = []
    if process.is_open:
        fields = proc.fact(pid, f"task/{thread}/syscall").split()
    if fields and _CALLS and fields[0] != _CALLS.restarted:
        return _by_call(pid, fields, _CALLS)
    return _by_kernel_function(pid, thread, terminal)


def _by_call(pid: int, fields: list[str], calls: _Calls) -> _Sleep:
    """`fields`: the call's number, six arguments, stack and instruction pointer; or `running`; or
    -1 outside a system call."""
    call = fields[0]
    if call in calls.read.split():
        return _Sleep(READ, [int(fields[1], 16)], int(fields[3], 16))
    if call in calls.poll.split():
        return _Sleep(SELECT, _polled(pid, int(fields[1], 16), int(fields[2], 16)))
    if call in calls.select.split():
        return _Sleep(SELECT, _selected(pid, int(fields[1], 16), int(fields[2], 16)))
    if call in calls.epoll.split():
        return _Sleep(LISTEN, [int(fields[1], 16)])
    return _AWAKE


def _polled(pid: int, address: int, count: int) -> list[int]:
    """The descriptors of a poll that wait for input."""
    entries = proc.memory(pid, address, 8 * min(count, _MOST_POLLED))
    found = struct.iter_unpack("ihh", entries)
    return [fd for fd, events, _ in found if fd >= 0 and events & _POLLIN]


def _selected(pid: int, count: int, address: int) -> list[int]:
    """The descriptors of a select that wait for input: bits of a set."""
    count = min(count, _MOST_SELECTED)
    bits = int.from_bytes(proc.memory(pid, address, (count + 63) // 64 * 8), "little")
    return [fd for fd in range(count) if bits >> fd & 1]


def _files(pid: int, descriptors: list[int]) -> Iterator[str]:
    """What the descriptors stand for. An epoll stands for those that it watches; it may be watched
    by another one, or polled: racket."""
    for descriptor in descriptors:
        file = proc.link(pid, f"fd/{descriptor}")
        watched = _epolled(pid, descriptor) if file == _EPOLL else []
        if watched:
            yield from (proc.link(pid, f"fd/{inner}") for inner in watched)
        else:
            yield file


def _epolled(pid: int, descriptor: int) -> list[int]:
    """The descriptors that it watches, by lines such as `tfd:        0 events:       19 …`."""
    lines = proc.fact(pid, f"fdinfo/{descriptor}").splitlines()
    return [int(line.split()[1]) for line in lines if line.startswith("tfd:")]


def _by_kernel_function(pid: int, thread: int, terminal: Terminal) -> _Sleep:
    """The strongest that the kernel function and the open files allow."""
    function = proc.fact(pid, f"task/{thread}/wchan").partition(".")[0]  # a compiler's suffix
    for row in _FUNCTIONS:
        if function not in row.names.split():
            continue
        others = () if row.how == READ else (1, 2)  # nobody polls the standard output for input
        opened = [fd for fd in proc.listed(pid, "fd") if fd not in others]
        watched = [fd for fd in opened if re.match(row.files, proc.link(pid, f"fd/{fd}"))]
        weak = row.how == SEEMS and terminal.canonical
        return _Sleep(POLLS if weak else row.how, watched)

    return _AWAKE
