"""A fake /proc: processes are given as facts, and everything that reads /proc through os.open and
similar functions finds them."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, field
from functools import partial

from python.helpers.tmux.evidence.kernel import relay
from python.helpers.tmux.evidence.kernel.relay import Terminal

_FIRST_FILE = 1_000_000  # descriptors of ours: far above any real one
PAGE = 4096  # bytes: the kernel returns no more of a file at once
DENIED = PermissionError("denied")


def pts(number: int) -> int:
    """The device number of /dev/pts/NUMBER, as /proc/PID/stat writes it."""
    return 136 << 8 | number


def pollfds(*entries: tuple[int, int]) -> bytes:
    """struct pollfd, for (descriptor, events)."""
    return b"".join(struct.pack("ihh", fd, events, 0) for fd, events in entries)


def fd_set(*descriptors: int) -> bytes:
    """What select is handed: a bit for each descriptor."""
    return sum(1 << fd for fd in descriptors).to_bytes(128, "little")


def call(number: int, *arguments: int) -> str:
    """A line of /proc/PID/syscall."""
    padded = [*arguments, *(0,) * (6 - len(arguments))]
    return " ".join([str(number), *(hex(one) for one in padded), "0x7ffc0", "0x7f1c0"]) + "\n"


@dataclass
class FakeProc:
    """`files`: path -> bytes, or the error that opening it raises; `links`: path -> target or
    error."""

    files: dict[str, bytes | OSError] = field(default_factory=dict)
    links: dict[str, str | OSError] = field(default_factory=dict)
    memory: dict[int, dict[int, bytes]] = field(default_factory=dict)  # pid -> address -> bytes
    terminals: dict[str, Terminal] = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)
    vanish: str = ""  # once a path that ends so was read, its process is gone
    held: dict[int, str] = field(default_factory=dict)  # open descriptor -> path

    def process(
        self,
        pid: int,
        name: str = "bash",
        *,
        parent: int = 0,
        group: int | None = None,
        session: int | None = None,
        tty: int = 7,
        front: int = -1,
        state: str = "S",
        syscall: str | OSError = "",
        wchan: str = "",
        fds: dict[int, str] | None = None,
        threads: tuple[int, ...] = (),
        ticks: int = 0,
        cpu: int = 0,
        status: int = 0,
        since: int = 1,
        children: bool = True,
    ) -> None:
        """One process. `tty`: number of its /dev/pts, 0 for none; `threads`: ids beside the main
        thread's."""
        tids = (pid, *threads)
        fields = [0] * 52
        fields[1:6] = parent, group or pid, session or pid, pts(tty) if tty else 0, front
        fields[11], fields[17], fields[19], fields[49] = ticks, len(tids), since, status
        stat = f"{pid} ({name}) {state} " + " ".join(map(str, fields[1:])) + "\n"
        folder = f"/proc/{pid}"
        self.files[f"{folder}/stat"] = stat.encode()
        self.files[f"{folder}/schedstat"] = f"{cpu} 0 0\n".encode()
        self.files[f"{folder}/io"] = b"rchar: 4711\nwchar: 1\n"
        self.files[f"{folder}/wchan"] = wchan.encode()
        for tid in tids:
            self.files[f"{folder}/task/{tid}/children"] = b""
            self.thread(pid, tid, syscall, wchan)
        if parent and children:
            self.files[f"/proc/{parent}/task/{parent}/children"] += f"{pid} ".encode()
        self.links[f"{folder}/exe"] = f"/usr/bin/{name}"
        for descriptor, target in (fds or {}).items():
            self.links[f"{folder}/fd/{descriptor}"] = target

    def thread(self, pid: int, tid: int, syscall: str | OSError, wchan: str = "") -> None:
        """In what one thread sleeps."""
        folder = f"/proc/{pid}/task/{tid}"
        self.files[f"{folder}/syscall"] = syscall.encode() if isinstance(syscall, str) else syscall
        self.files[f"{folder}/wchan"] = wchan.encode()

    def gone(self, pid: int) -> None:
        """The process ends, and everything of it."""
        for table in (self.files, self.links):
            for path in [path for path in table if path.startswith(f"/proc/{pid}/")]:
                del table[path]

    def install(self, patch) -> FakeProc:
        """Everything that reads /proc from now on finds this one; `patch`: pytest's monkeypatch."""
        for name in ("open", "pread", "close", "readlink", "listdir", "kill"):
            patch.setattr(os, name, partial(getattr(self, f"_{name}"), getattr(os, name)))
        patch.setattr(
            relay, "open_terminal", lambda path: self.terminals.get(path, Terminal(path=path))
        )
        return self

    def _open(self, real, path, *more, **named):
        if not str(path).startswith("/proc/"):
            return real(path, *more, **named)
        self.opened.append(path)
        pid = path.split("/")[2]
        there = self.files.get(path)
        if path == f"/proc/{pid}/mem" and there is None and int(pid) in self.memory:
            there = b"memory"
        _there(there, path)
        file = _FIRST_FILE + len(self.opened)
        self.held[file] = path
        return file

    def _pread(self, real, file, size, offset):
        path = self.held.get(file)
        if path is None:
            return real(file, size, offset)
        pid = int(path.split("/")[2])
        if path.endswith("/mem"):
            return self.remembered(pid, offset, size)
        if path not in self.files:
            raise ProcessLookupError(path)
        content = self.files[path]
        if self.vanish and path.endswith(self.vanish):
            self.gone(pid)
        return content[offset : offset + min(size, PAGE)]

    def remembered(self, pid: int, address: int, size: int) -> bytes:
        """What a reading of a process's memory gives."""
        for start, part in self.memory[pid].items():
            if start <= address < start + len(part) and size > 0:
                return part[address - start :][:size]
        raise OSError("nothing is mapped there")

    def _close(self, real, file):
        return real(file) if self.held.pop(file, None) is None else None

    def _readlink(self, real, path, *more, **named):
        if not str(path).startswith("/proc/"):
            return real(path, *more, **named)
        return _there(self.links.get(path), path)

    def _listdir(self, real, path="."):
        if not str(path).startswith("/proc"):
            return real(path)
        depth = path.rstrip("/").count("/") + 1
        paths = [*self.files, *self.links]
        names = {one.split("/")[depth] for one in paths if one.startswith(f"{path}/")}
        if not names:
            raise FileNotFoundError(path)
        return sorted(names, key=lambda name: (len(name), name))

    def _kill(self, real, pid, signal):
        if signal:
            return real(pid, signal)
        if f"/proc/{pid}/stat" not in self.files:
            raise ProcessLookupError(pid)
        return None


def _there(content, path):
    """What lies there; raises what it is denied with."""
    if content is None:
        raise FileNotFoundError(path)
    if isinstance(content, OSError):
        raise content
    return content
