"""What the kernel says about a pane: who is in front on the terminal that counts, its line mode,
who waits for input.

Read-only and under 0.3 ms. Sources: proc(5) (stat, task/*/children, task/*/syscall, wchan,
schedstat, io), termios(3), FIONREAD. Where a fact cannot be had (another system, another user's
process) it is None: not known, never guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from . import process
from .process import Process
from .relay import Group, front
from .waiter import How, Waiter

SHELLS = frozenset("bash zsh fish dash sh ash ksh ksh93 mksh tcsh csh rbash yash".split())
EDITORS = {"bash", "zsh", "fish"}  # of these, those that have a line editor by themselves
_IN_WAIT = (
    "do_wait",
    "sigsuspend",
)  # bash and dash wait for a child in one, zsh and mksh in the other
# Of a shell: a command follows, and the options that take the word behind them.
_COMMAND = re.compile(r"-[a-z]*c|--command(?:=.*)?")
_WITH_ARGUMENT = re.compile(r"[-+][a-zA-Z]*[oO]|--rcfile|--init-file|--init-command")
_TICK = 10_000_000  # nanoseconds in a tick of /proc/PID/stat

__all__ = ["SHELLS", "How", "Probe", "Waiter", "exit_status", "printed_bytes", "probe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One reading. None in a field means "cannot be known"."""

    alive: bool  # the pane's own first process is there
    tty: str = ""  # the terminal that counts: the pane's, or the innermost one behind relays
    foreground: int | None = None  # process group in front on that terminal
    name: str = ""  # its leader's
    canonical: bool | None = None
    echo: bool | None = None
    unread: int = 0  # bytes typed but not read; whole lines only in canonical mode
    waiter: Waiter | None = None
    hidden: bool = False  # somebody in front sleeps who belongs to another user, and might wait
    remote: str = (
        ""  # who in front carries a terminal that cannot be looked at: ssh; another user's sudo
    )
    waits_for_child: bool = False  # the leader does: whatever it is called, it is at no prompt
    subject: int = 0  # the waiter's pid, else the leader's: whom the next two are about
    awake: int = 0  # nanoseconds of CPU it ever used: equal twice = it slept
    taken: int | None = None  # bytes it ever read, where that may be known
    writers: tuple[int, ...] = ()  # all who can write to the terminal; () where others may too

    @property
    def blind(self) -> bool:
        return self.canonical is None or self.foreground is None


def probe(pid: int, tty: str) -> Probe:
    """Read the facts of the pane whose first process is `pid` and whose terminal is `tty`."""
    first = process.read(pid)
    if first is None:
        return Probe(alive=process.exists(pid))
    if first.ended:
        return Probe(alive=False)
    in_front = front(first, tty)
    terminal, group = in_front.terminal, in_front.group
    waiter = _looked_into(in_front.waiter, terminal.canonical)
    subject = waiter.pid if waiter else group.leader.pid if group.leader else group.number
    return Probe(
        alive=True,
        tty=terminal.path,
        foreground=group.number if group.number > 0 else None,
        name=group.leader.name if group.leader else "",
        canonical=terminal.canonical,
        echo=terminal.echo,
        unread=in_front.unread,
        waiter=waiter,
        hidden=in_front.hidden,
        remote=in_front.remote,
        waits_for_child=_waits_for_child(group, waiter),
        subject=subject,
        awake=_awake(subject, [*group.members, *group.loose]),
        taken=_taken(subject),
        writers=group.writers,
    )


def printed_bytes(server: int) -> int | None:
    """Bytes the tmux server `server` (a pid) ever read: it moves when a pane prints and not when
    it is captured."""
    return _taken(server)


def exit_status(pid: int) -> int | None:
    """The exit status of an ended process that nobody has collected yet; None where it is not one,
    or a signal ended it."""
    ended = process.read(pid)
    if ended is None or ended.state != "Z" or ended.status & 0x7F:
        return None
    return ended.status >> 8


def _looked_into(waiter: Waiter | None, canonical: bool | None) -> Waiter | None:
    """What else is open to us about a waiter that is not proven: a shell's words say whether it
    runs a script; and a program with a line editor takes the terminal out of canonical mode only
    while that waits."""
    if waiter is None or waiter.proven:
        return waiter
    if waiter.name in SHELLS:
        return replace(waiter, script=_runs_script(waiter))
    if canonical is False and waiter.how is How.LISTEN and _has_line_editor(waiter.pid):
        return replace(waiter, how=How.SELECT)
    return waiter


def _runs_script(waiter: Waiter) -> bool:
    """Do its words name a script or a command: `bash -x setup`, `zsh -lc make`, `busybox ash a`?"""
    first, *words = process.text(f"/proc/{waiter.pid}/cmdline").split("\0")[:-1] or [""]
    options = iter(words[1:] if first.endswith("busybox") else words)
    for word in options:
        if not word.startswith(("-", "+")) or _COMMAND.fullmatch(word):
            return True
        if _WITH_ARGUMENT.fullmatch(word) or (waiter.name == "fish" and word == "-C"):
            next(options, None)
    return False


@lru_cache(maxsize=64)
def _has_line_editor(pid: int) -> bool:
    maps = process.text(f"/proc/{pid}/maps")
    return "/libreadline.so" in maps or "/libedit.so" in maps


def _waits_for_child(group: Group, waiter: Waiter | None) -> bool:
    """A child in its own group tells it too, where the leader's sleep may not be seen: a shell at
    its prompt gives every job a group."""
    leader = group.leader
    if leader is None or waiter is not None and waiter.pid == leader.pid:
        return False
    if any(member.parent == leader.pid for member in group.members):
        return True
    return process.text(f"/proc/{leader.pid}/wchan").partition(".")[0] in _IN_WAIT


def _awake(subject: int, processes: list[Process]) -> int:
    """Exact for the main thread; what other threads work counts in ticks, so that a runtime's
    timers are no work."""
    fields = process.text(f"/proc/{subject}/schedstat").split()
    threaded = (one.ticks for one in processes if one.pid == subject and one.threads > 1)
    return int(fields[0] if fields else 0) + next(threaded, 0) * _TICK


def _taken(pid: int) -> int | None:
    moved = process.bytes_moved(pid)
    return moved[0] if moved else None
