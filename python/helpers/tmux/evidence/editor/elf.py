"""The exported variables of a running program: where they are in its memory, and what they hold.

The symbol tables are read from memory too, never from files: a binary that an upgrade has replaced,
one in a container and one that was started by a loader of its own are then no special cases. Images
are little-endian with 64 bits. What cannot be read or is not sound is an OSError, what is missing a
KeyError. Sources: proc(5), elf(5), and for DT_GNU_HASH glibc's dl-lookup.c.
"""

from __future__ import annotations

import errno
import os
import re
import struct
from dataclasses import dataclass
from typing import ClassVar

_LOAD, _DYNAMIC = 1, 2  # kinds of program header
_STRINGS, _SYMBOLS, _HASH = 5, 6, 0x6FFFFEF5  # tags of the dynamic section
_LONGEST_TEXT = 1 << 16  # bytes: prompts with colours and links have a few thousand
_LONGEST_READ = 1 << 20  # bytes: more is no line that somebody typed, nor a table of headers
_LONGEST_CHAIN = 256  # symbols that share a hash bucket: a dozen at most where the table is sound


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    address: int
    size: int  # bytes: an int has 4, a long and a pointer 8


class Program:
    """The variables of the process `pid`, by name; KeyError for one that it does not have.

    Looked for in its own binary first, as the loader does, then in the files whose path `libraries`
    matches. Use it with `with`. Where the variables of the latest program are is known.
    """

    _latest: ClassVar[tuple[object, dict[str, Variable | None]]] = (None, {})

    def __init__(self, pid: int, libraries: re.Pattern[str]) -> None:
        self._memory = Memory(pid)
        try:
            mapped = _mapped(pid, libraries)
            if Program._latest[0] != (pid, mapped):
                Program._latest = (pid, mapped), {}
            self._known = Program._latest[1]
            self._images = [Image(self._memory, start) for _, start in mapped]
        except BaseException:
            self._memory.close()
            raise

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self._memory.close()

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    def variable(self, name: str) -> Variable:
        variable = self._find(name)
        if variable is None:
            raise KeyError(name)
        return variable

    def number(self, name: str) -> int:
        return self._memory.number(self.variable(name))

    def first_int(self, name: str) -> int:
        """The first field of a struct."""
        return self._memory.number(Variable(address=self.variable(name).address, size=4))

    def text(self, name: str) -> bytes:
        """What a `char *` points to; b"" for a null pointer."""
        return self._memory.text(self.number(name))

    def buffer(self, name: str, size: int) -> bytes:
        """The first `size` bytes of what a pointer points to."""
        return self._memory.read(self.number(name), size) if size else b""

    def _find(self, name: str) -> Variable | None:
        if name not in self._known:
            found = (variable for image in self._images if (variable := image.find(name)))
            self._known[name] = next(found, None)
        return self._known[name]


class Memory:
    """The memory of the process `pid`, for reading only."""

    def __init__(self, pid: int) -> None:
        self._file = os.open(f"/proc/{pid}/mem", os.O_RDONLY)

    def close(self) -> None:
        os.close(self._file)

    def read(self, address: int, size: int) -> bytes:
        """Exactly `size` bytes."""
        data = self._at_most(address, size)
        if len(data) != size:
            raise OSError(errno.EFAULT, "not mapped")
        return data

    def text(self, address: int) -> bytes:
        """The bytes up to the first zero."""
        if not address:
            return b""
        text, end, _ = self._at_most(address, _LONGEST_TEXT).partition(b"\0")
        if not end:
            raise OSError(errno.EFAULT, "a text without an end")
        return text

    def number(self, variable: Variable) -> int:
        return int.from_bytes(self.read(variable.address, variable.size), "little", signed=True)

    def _at_most(self, address: int, size: int) -> bytes:
        if not 0 < address < 1 << 63 or not 0 <= size <= _LONGEST_READ:
            raise OSError(errno.EFAULT, "out of range")
        return os.pread(self._file, size, address)


class Image:
    """The variables that one mapped ELF file exports. `start`: the address of its first byte."""

    def __init__(self, memory: Memory, start: int) -> None:
        self._memory = memory
        header = memory.read(start, 64)
        if header[:6] != b"\x7fELF\x02\x01":
            raise OSError(errno.ENOEXEC, "not a little-endian 64-bit image")
        table, size, count = struct.unpack_from("<32xQ14xHH", header)
        headers = memory.read(start + table, size * count)
        self._bias = start
        tags: dict[int, int] = {}
        for at in range(0, size * count, size):
            kind, offset, address, length = struct.unpack_from("<I4xQQ8xQ", headers, at)
            if kind == _LOAD and offset == 0:
                self._bias = start - address  # 0 in a binary that is not position-independent
            elif kind == _DYNAMIC:
                section = memory.read(self._bias + address, length // 16 * 16)
                tags = dict(struct.iter_unpack("<QQ", section))
        # glibc makes these absolute; other loaders leave them relative
        self._strings, self._symbols, self._hash = (
            tags[tag] if tags[tag] >= start else tags[tag] + self._bias
            for tag in (_STRINGS, _SYMBOLS, _HASH)
        )
        self._buckets, self._first, self._words, self._shift = self._unpack("<4I", self._hash)
        if not self._buckets or not self._words:
            raise OSError(errno.ENOEXEC, "an empty hash table")

    def find(self, name: str) -> Variable | None:
        """The variable of that name, None if this file does not define it."""
        key = _hash(name)
        bloom = self._hash + 16
        (word,) = self._unpack("<Q", bloom + key // 64 % self._words * 8)
        if not word >> key % 64 & word >> (key >> self._shift) % 64 & 1:
            return None  # most names end here, at the cost of one read
        buckets = bloom + self._words * 8
        chains = buckets + self._buckets * 4
        (index,) = self._unpack("<I", buckets + key % self._buckets * 4)
        if index < self._first:
            return None
        for one in range(index, index + _LONGEST_CHAIN):
            (other,) = self._unpack("<I", chains + (one - self._first) * 4)
            if other | 1 == key | 1 and (variable := self._named(name, one)):
                return variable
            if other & 1:
                break
        return None

    def _named(self, name: str, index: int) -> Variable | None:
        """Symbol number `index`, if that is its name."""
        at, address, size = self._unpack("<I4xQQ", self._symbols + index * 24)
        zero_ended = name.encode() + b"\0"
        if self._memory.read(self._strings + at, len(zero_ended)) != zero_ended:
            return None
        return Variable(address=self._bias + address, size=size)

    def _unpack(self, form: str, address: int) -> tuple[int, ...]:
        return struct.unpack(form, self._memory.read(address, struct.calcsize(form)))


def _hash(name: str) -> int:
    key = 5381
    for byte in name.encode():
        key = key * 33 + byte & 0xFFFFFFFF
    return key


def _mapped(pid: int, libraries: re.Pattern[str]) -> list[tuple[str, int]]:
    """The binary of the process `pid`, then the libraries: which file (device, inode, path), and
    where it begins in memory."""
    binary = os.readlink(f"/proc/{pid}/exe")
    files: dict[str, tuple[str, int]] = {}
    for line in _whole(f"/proc/{pid}/maps").splitlines():
        # "7f40c2200000-7f40c2214000 r--p 00000000 fe:00 132  /usr/lib/…/libreadline.so.8.2"
        place, _, file = line.partition(" 00000000 ")  # else not its first bytes
        path = file[file.find("/") :] if "/" in file else ""
        if path and (path == binary or libraries.search(path)):
            files.setdefault(path, (file, int(place.partition("-")[0], 16)))
    return [files[path] for path in sorted(files, key=lambda path: path != binary)]


def _whole(path: str) -> str:
    """A file of /proc: one read gives no more than a page of it."""
    file = os.open(path, os.O_RDONLY)
    try:
        return b"".join(iter(lambda: os.read(file, 65536), b"")).decode("utf-8", "replace")
    finally:
        os.close(file)
