"""Who reads in a pane, and how: one value; and in which respects two of them differ. Pure.

The record keeps three readers: whom the last answer has told, at whose prompt a command is at home,
and who got the last input. A reading has the present one, and a call keeps the turn at which it
began. Whatever asks "is it still the same?" asks here, and names the respects that matter to it.
"""

from enum import Flag, auto
from typing import NamedTuple

from .kernel import Kernel
from .look import Look


class Differs(Flag):
    """The respects in which a reader is another one than before. The first are those of a Reader's
    fields, in their order; the rest are added by who knows more than two readers."""

    NOTHING = 0
    PANE = auto()  # another first process: `tmux respawn-pane`
    GROUP = auto()  # in front: a program was started, or has ended
    PROCESS = auto()  # that reads: the next dialog of a script
    RAN = auto()  # it has used CPU
    NAME = auto()  # `exec` keeps all else
    READ = auto()  # it has read bytes
    CANONICAL = auto()  # the kernel collects lines, or does so no more
    ECHO = auto()  # a password is asked for
    ROW = auto()  # of the cursor
    BESIDE = auto()  # another process reads the same terminal too, or does so no more
    AWAKE = auto()  # nobody sleeps in a read
    QUESTION = auto()  # another one is asked, or none

    PROGRAM = PANE | GROUP | PROCESS | NAME
    RUN = PROGRAM | RAN  # without that, whatever was printed is not its own
    WAY = PROCESS | CANONICAL | ECHO | AWAKE  # in which it waits


class Reader(NamedTuple):
    """A pane's first process; the group in front; its subject (who waits, else the topmost), with
    the CPU that this has used, its name, and the bytes that it has read, where they are known; the
    mode of the terminal; the row of the cursor; another process that reads there too."""

    pid: int = 0
    group: int = 0
    subject: int = 0
    cpu_ns: int = 0
    name: str = ""
    bytes_read: int | None = None
    canonical: bool | None = None
    echo: bool | None = None
    row: int = 0
    beside: int = 0


NOBODY = Reader()


def reader_of(seen: Look, kernel: Kernel, beside: int = 0) -> Reader:
    """Who reads now."""
    who = (seen.pid, kernel.foreground, kernel.subject, kernel.cpu_ns, kernel.name)
    how = (kernel.bytes_read, kernel.terminal.canonical, kernel.terminal.echo)
    return Reader(*who, *how, seen.row, beside)


def differs(now: Reader, before: Reader) -> Differs:
    """In which respects they differ."""
    found = Differs.NOTHING
    for respect, new, old in zip(Differs, now, before, strict=False):
        if new != old:
            found |= respect
    return found
