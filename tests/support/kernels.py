"""A made-up /proc, for tables: processes in a few words, and the terminals on which they are.

A process is a line such as `bash 10: select 0`: name, pid, and how it sleeps. More words: `in 9` (its process
group; else one of its own), `of 7` (its parent; else the process above it), `on 6` (its terminal; else 5),
`without a terminal`, `state T`, `threads 11,12`, `another user's`. It sleeps in `read FD SIZE`, `poll FD …`,
`select FD …`, `epoll FD`, in a kernel function where the call is denied (`wchan n_tty_read`) or `restarted`, or not
at all. Its files: 0 to 2 are its terminal, others stand behind that: `; 7 is /dev/ptmx 6`.
"""

import re
import struct
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from python.helpers.tmux.base import process as proc
from python.helpers.tmux.base.process import Terminal

CALLS = {"read": 0, "poll": 7, "select": 23, "epoll": 232}
MODES = {  # canonical, echo, signals
    "cooked": (True, True, True),
    "secret": (True, False, True),
    "raw": (False, False, False),
    "raw, signals": (False, False, True),
    "closed": (None, False, True),
}
_PROCESS = re.compile(
    r"(?P<name>.+?) (?P<pid>\d+)(?: in (?P<group>\d+))?(?: of (?P<parent>\d+))?(?: on (?P<tty>\d+)|"
    r" (?P<none>without a terminal))?"
    r"(?: state (?P<state>\w))?(?: threads (?P<threads>[\d,]+))?(?P<other> another user's)?"
    r": (?P<does>[^;]+)(?P<files>.*)"
)


class World:
    """The files of /proc of these processes. In front of each terminal is its last one's group, or that of `front`."""
    def __init__(self, processes: str | list[str], more: dict[str, Any]) -> None:
        self.terminals, self.front, self.more = more.get("terminals", {}), {}, more
        self.processes: dict[int, dict] = {}
        above = 1
        for line in [processes] if isinstance(processes, str) else processes:
            found = _PROCESS.fullmatch(line).groupdict()
            pid = int(found["pid"])
            found["group"] = found["group"] or found["pid"]
            found["tty"] = found["tty"] or (None if found["none"] else "5")
            files = dict(re.findall(r"; (\d+) is ([^;]+)", found["files"]))
            self.processes[pid] = found | {"parent": int(found["parent"] or above), "files": files}
            self.front[found["tty"]] = int(found["group"])
            above = pid
        self.front |= more.get("front", {})

    def tty(self, pid: int) -> str:
        tty = self.processes[pid]["tty"]
        return f"/dev/pts/{tty}" if tty else "/dev/pts/5"

    def threads(self, pid: int) -> list[int]:
        return [pid, *map(int, filter(None, (self.processes[pid]["threads"] or "").split(",")))]

    def fact(self, pid: int, name: str) -> str:
        found = self.processes.get(pid)
        if not found:
            return ""
        if name == "stat":
            tty = int(found["tty"]) if found["tty"] else 0
            front = self.front[found["tty"]] if found["tty"] else -1
            state = found["state"] or "S"
            rest = [state, found["parent"], found["group"], 0, (136 << 8 | tty) if tty else 0, front, *[0] * 11]
            return f"{pid} ({found['name']}) {' '.join(map(str, [*rest, len(self.threads(pid)), 0, pid]))}"
        if name == "schedstat":
            return "77 0 0"
        if name == "io":
            return "rchar: 99\n"
        if name == "cmdline":
            return self.more.get("words", {}).get(str(pid), found["name"]) + "\0"
        if children := re.fullmatch(r"task/(\d+)/children", name):
            own = [child for child, one in self.processes.items() if one["parent"] == pid]
            return " ".join(map(str, own)) if int(children[1]) == pid else ""
        if task := re.fullmatch(r"task/(\d+)/(syscall|wchan)", name):
            assert task[2] == "wchan" or self.is_open(pid), "it is asked for what is denied"
            return self.sleeps(pid, int(task[1]), task[2])
        if info := re.fullmatch(r"fdinfo/(\d+)", name):
            _, _, inner = found["files"].get(info[1], "").partition(" ")
            if inner.startswith("watches "):
                return "".join(f"tfd: {fd} events: 19\n" for fd in inner.split()[1:])
            return f"flags:\t{self.more.get('flags', '02')}\ntty-index:\t{inner}\n"
        if name == "wchan":
            return self.sleeps(pid, pid, name)
        raise AssertionError(name)

    def is_open(self, pid: int) -> bool:
        """`allowing`: the one whose inside Yama does not deny; without it, all of them."""
        return pid == self.more.get("allowing", pid)

    def sleeps(self, pid: int, thread: int, what: str) -> str:
        does = self.processes[pid]["does"]
        if "threads" in self.more:
            does = self.more["threads"].get(str(thread), does)
        how, *words = does.split()
        if how in ("wchan", "restarted"):
            return words[0] if what == "wchan" else {"wchan": "", "restarted": "219 0x0"}[how]
        if what == "wchan" or how not in CALLS:
            return "running" if what == "syscall" else "0"
        if how == "read":
            return f"{CALLS[how]} {int(words[0]):#x} 0x0 {int(words[1]):#x} 0x0"
        if how == "epoll":
            return f"{CALLS[how]} {int(words[0]):#x} 0x0 0x0 0x0"
        address = thread << 32
        return (
            f"{CALLS[how]} {address:#x} {len(words):#x} 0x0 0x0"
            if how == "poll"
            else f"{CALLS[how]} 0x40 {address:#x} 0x0 0x0"
        )

    def memory(self, pid: int, address: int, size: int) -> bytes:
        does = self.processes[pid]["does"]
        if "threads" in self.more:
            does = self.more["threads"].get(str(address >> 32), does)
        how, *words = does.split()
        if how == "poll":  # `2w`: it waits until it may write there
            entries = [(int(word.rstrip("w")), 4 if word.endswith("w") else 1) for word in words]
            return b"".join(struct.pack("ihh", fd, events, 0) for fd, events in entries)[:size]
        return sum(1 << int(word) for word in words).to_bytes(size, "little")

    def link(self, pid: int, name: str) -> str:
        found = self.processes.get(pid)
        if not found or found["other"]:
            return ""
        if name == "exe":
            return f"/usr/bin/{found['name']}"
        fd = name.removeprefix("fd/")
        files = found["files"]
        return files[fd].partition(" ")[0] if fd in files else self.tty(pid) if int(fd) < 3 else ""

    def listed(self, pid: int, name: str) -> list[int]:
        if pid not in self.processes or self.processes[pid]["other"]:
            return []
        if name == "task":
            return self.threads(pid)
        return [0, 1, 2, *map(int, self.processes[pid]["files"])]

    def terminal(self, process: proc.Process) -> Terminal:
        number = str(process.terminal & 0xFF)
        mode = self.terminals.get(number, "cooked")
        mode, *rest = [mode] if isinstance(mode, str) else mode
        canonical, echo, signals = MODES[mode]
        size, unread = rest[0] if rest else (80, 24), rest[1] if rest[1:] else 0
        return Terminal(
            path=f"/dev/pts/{number}", canonical=canonical, echo=echo, signals=signals, unread=unread, size=tuple(size),
            polled=self.more.get("polled", False),
        )

    def entered(self) -> ExitStack:
        """While it is entered, /proc is this one."""
        stack = ExitStack()
        for name in ("fact", "link", "listed", "memory", "terminal"):
            stack.enter_context(patch.object(proc, name, getattr(self, name)))
        stack.enter_context(patch.object(proc, "can_be_read", lambda allows: allows or "allowing" not in self.more))
        stack.enter_context(patch.object(proc, "all_pids", lambda: list(self.processes)))
        return stack
