"""What the kernel says about a pane: the foreground of the terminal that counts, its line mode, and
which process waits for input.

Read-only, less than 0.3 ms. Sources: proc(5) (stat, children, syscall, wchan, schedstat, io),
termios(3), FIONREAD. A fact that cannot be read (another system, another user's process) is None:
unknown, never guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .. import programs
from . import process as proc
from .process import Process
from .relay import Foreground, innermost
from .waiter import How, Waiter

# Where a shell waits for a child: bash and dash in the first, zsh and mksh in the second.
_WAITS_FOR_CHILD = ("do_wait", "sigsuspend")
# Options of a shell: one that a command follows, and those that take the next word.
_COMMAND = re.compile(r"-[a-z]*c|--command(?:=.*)?")
_WITH_ARGUMENT = re.compile(r"[-+][a-zA-Z]*[oO]|--rcfile|--init-file|--init-command")
_LIBRARY = re.compile(r"/lib(?:readline|edit)\.so")
_TICK = 10_000_000  # nanoseconds in a tick of /proc/PID/stat


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One reading. A field that is None is unknown."""

    alive: bool  # the pane's own first process is there
    tty: str = ""  # the terminal that counts: the pane's, or the innermost one behind relays
    foreground: int | None = None  # its foreground process group
    name: str = ""  # of that group's leader
    canonical: bool | None = None
    echo: bool | None = None
    unread: int = 0  # bytes typed but not read; in canonical mode only whole lines
    waiter: Waiter | None = None
    relayed: bool = False  # the terminal that counts is behind a relay
    hidden: bool = False  # another user's process sleeps in front, and may wait for input
    remote: str = ""  # the program in front whose other end is out of sight: ssh, another's sudo
    waits_for_child: bool = False  # the leader does: whatever its name, it is not at a prompt
    subject: int = 0  # the waiter's pid, else the leader's: the next two fields are about it
    cpu_ns: int = 0  # nanoseconds of CPU that it has used: if equal twice, it slept in between
    bytes_read: int | None = None  # since it began

    @property
    def blind(self) -> bool:
        return self.canonical is None or self.foreground is None

    @property
    def out_of_sight(self) -> bool:
        """Whether the program that reads cannot be inspected: it is remote, or another user's."""
        return bool(self.remote) or self.hidden or self.blind


def probe(pid: int, tty: str) -> Probe:
    """Reads the facts of the pane whose first process is `pid` and whose terminal is `tty`."""
    first = proc.read(pid)
    if first is None or first.ended:
        return Probe(alive=first is None and proc.exists(pid))
    front = innermost(first, tty)
    terminal, leader = front.terminal, front.leader
    waiter = _examined(front.waiter, terminal.canonical)
    subject = waiter or leader
    pid = subject.pid if subject else front.group
    return Probe(
        alive=True,
        tty=terminal.path,
        foreground=front.group if front.group > 0 else None,
        name=leader.name if leader else "",
        canonical=terminal.canonical,
        echo=terminal.echo,
        unread=front.unread,
        waiter=waiter,
        relayed=terminal.path != tty,
        hidden=front.hidden,
        remote=front.remote,
        waits_for_child=_waits_for_child(front, waiter),
        subject=pid,
        cpu_ns=_cpu_time(pid, [*front.members, *front.loose]),
        bytes_read=proc.bytes_read(pid),
    )


def exit_status(pid: int) -> int | None:
    """The exit status of a process that has ended and was not reaped; None for any other, or if a
    signal ended it."""
    ended = proc.read(pid)
    if ended is None or ended.state != "Z" or ended.status & 0x7F:
        return None
    return ended.status >> 8


def _examined(waiter: Waiter | None, canonical: bool | None) -> Waiter | None:
    """`waiter`, and if it is not proven, with what else can be known: a shell's command line says
    whether it runs a script, and a program with a line editor takes the terminal out of canonical
    mode only while that editor waits."""
    if waiter is None or waiter.proven:
        return waiter
    if programs.of(waiter.name).shell:
        return replace(waiter, script=_runs_script(waiter))
    if canonical is False and waiter.how is How.LISTEN and _has_line_editor(waiter.pid):
        return replace(waiter, how=How.SELECT)
    return waiter


def _runs_script(waiter: Waiter) -> bool:
    """Whether it runs a script or a command: `bash -x setup`, `zsh -lc make`, `busybox ash a`."""
    first, *words = proc.command_line(waiter.pid) or [""]
    options = iter(words[1:] if first.endswith("busybox") else words)
    for word in options:
        if not word.startswith(("-", "+")) or _COMMAND.fullmatch(word):
            return True
        if _WITH_ARGUMENT.fullmatch(word) or word == programs.of(waiter.name).command_option:
            next(options, None)
    return False


_line_editors: dict[int, tuple[int, str]] = {}  # pid: start time and name, both change with it


def _has_line_editor(pid: int) -> bool:
    """Whether readline or libedit is loaded. A "no" may change: python loads it at its first
    prompt."""
    process = proc.read(pid)
    identity = (process.since, process.name) if process else (0, "")
    if _line_editors.get(pid) != identity and _LIBRARY.search(proc.fact(pid, "maps")):
        _line_editors[pid] = identity
    return _line_editors.get(pid) == identity


def _waits_for_child(front: Foreground, waiter: Waiter | None) -> bool:
    """Whether the leader waits for a child. If its sleep cannot be seen, a child in its own group
    shows that too: a shell at its prompt gives each job a group."""
    leader = front.leader
    if leader is None or waiter is not None and waiter.pid == leader.pid:
        return False
    if any(member.parent == leader.pid for member in front.members):
        return True
    return proc.kernel_function(leader.pid, leader.pid) in _WAITS_FOR_CHILD


def _cpu_time(subject: int, processes: list[Process]) -> int:
    """Nanoseconds, exact for the main thread; of other threads only whole ticks count, so that the
    timers of an idle runtime do not."""
    ticks = (each.ticks for each in processes if each.pid == subject and each.threads > 1)
    main = proc.fact(subject, "schedstat").split() or ["0"]
    return int(main[0]) + next(ticks, 0) * _TICK
