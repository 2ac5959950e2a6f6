"""The exported variables of a running program: where they are in its memory, and their values.

The symbol tables too are read from memory, never from files, so no special case is needed for a
binary that an upgrade has replaced, that is in a container, or that its own loader started. Images
are little-endian, 64 bits. Memory that is denied or gone raises OSError, invalid data ValueError,
a missing variable KeyError. Sources: proc(5), elf(5), and glibc's dl-lookup.c for DT_GNU_HASH.
"""

from __future__ import annotations

import os
import re
import struct
from typing import ClassVar, NamedTuple

from ..kernel.process import fact, link, opened

# "7f40c2200000-7f40c2214000 r--p 00000000 fe:00 132  /usr/lib/…/libreadline.so.8.2"
_FIRST_BYTES = re.compile(r"(?m)^(\w+)-\w+ \S+ 00000000 (\S+ \d+ +(/.+))$")
_LOAD, _DYNAMIC = 1, 2  # types of program header
_STRINGS, _SYMBOLS, _HASH = 5, 6, 0x6FFFFEF5  # tags of the dynamic section
_LONGEST_TEXT = 1 << 16  # bytes: a prompt with colours and links has a few thousand
_LONGEST_READ = 1 << 20  # bytes: neither a typed line nor a table of headers is longer
_LONGEST_CHAIN = 256  # symbols in one hash bucket: a valid table has a dozen at most


class Variable(NamedTuple):
    address: int
    size: int  # bytes: an int has 4, a long and a pointer 8


class Program:
    """The variables of a process by name. A missing one raises KeyError.

    Its own binary is searched first, as the loader does, then the files whose path matches
    `libraries`. The addresses of the latest program are kept.
    """

    _latest: ClassVar[tuple[object, dict[str, Variable | None]]] = (None, {})

    def __init__(self, memory: Memory, libraries: re.Pattern[str]) -> None:
        self._memory = memory
        key = (memory.pid, mapped := _mapped(memory.pid, libraries))
        latest = Program._latest  # read once: another thread may replace it
        if latest[0] != key:
            latest = Program._latest = key, {}
        self._known = latest[1]
        self._images = [Image(memory, start) for _, start in mapped]

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    def variable(self, name: str) -> Variable:
        variable = self._find(name)
        if variable is None:
            raise KeyError(name)
        return variable

    def number(self, name: str, size: int = 0) -> int:
        """The variable's value. `size`: bytes of the first field, if it is a struct."""
        variable = self.variable(name)
        data = self._memory.read(variable.address, size or variable.size)
        return int.from_bytes(data, "little", signed=True)

    def text(self, name: str) -> bytes:
        """The text that a `char *` points to; b"" for a null pointer."""
        return self._memory.text(self.number(name))

    def buffer(self, name: str, size: int) -> bytes:
        """The first `size` bytes that a pointer points to."""
        return self._memory.read(self.number(name), size) if size else b""

    def _find(self, name: str) -> Variable | None:
        if name not in self._known:
            found = (variable for image in self._images if (variable := image.find(name)))
            self._known[name] = next(found, None)
        return self._known[name]


class Memory:
    """The memory of the process `pid`, read-only."""

    def __init__(self, pid: int) -> None:
        self.pid, self._file = pid, opened(pid)

    def close(self) -> None:
        os.close(self._file)

    def read(self, address: int, size: int) -> bytes:
        """Exactly `size` bytes."""
        data = self._at_most(address, size)
        if len(data) != size:
            raise ValueError("not mapped")
        return data

    def text(self, address: int) -> bytes:
        """The bytes up to the first zero."""
        if not address:
            return b""
        text, end, _ = self._at_most(address, _LONGEST_TEXT).partition(b"\0")
        if not end:
            raise ValueError("a text without an end")
        return text

    def _at_most(self, address: int, size: int) -> bytes:
        if not 0 < address < 1 << 63 or not 0 <= size <= _LONGEST_READ:
            raise ValueError("out of range")
        return os.pread(self._file, size, address)


class Image:
    """The variables exported by one mapped ELF file. `start`: address of its first byte."""

    def __init__(self, memory: Memory, start: int) -> None:
        self._memory = memory
        header = memory.read(start, 64)
        if header[:6] != b"\x7fELF\x02\x01":
            raise ValueError("not a little-endian 64-bit image")
        table, size, count = struct.unpack_from("<32xQ14xHH", header)
        headers = memory.read(start + table, size * count)
        self._bias = start
        tags: dict[int, int] = {}
        for at in range(0, size * count, size):
            kind, offset, address, length = struct.unpack_from("<I4xQQ8xQ", headers, at)
            if kind == _LOAD and offset == 0:
                self._bias = start - address  # 0 if the binary is not position-independent
            elif kind == _DYNAMIC:
                section = memory.read(self._bias + address, length // 16 * 16)
                tags = dict(struct.iter_unpack("<QQ", section))
        # glibc makes these absolute; other loaders leave them relative
        self._strings, self._symbols, table = (
            tags[tag] if tags[tag] >= start else tags[tag] + self._bias
            for tag in (_STRINGS, _SYMBOLS, _HASH)
        )
        count, first, words = self._unpack("<3I", table)
        if not count:
            raise ValueError("an empty hash table")
        self._count, self._first = count, first
        self._buckets = table + 16 + words * 8  # after a filter, which is not needed

    def find(self, name: str) -> Variable | None:
        """The variable of that name; None if this file does not define it."""
        key = _hash(name)
        chains = self._buckets + self._count * 4
        (index,) = self._unpack("<I", self._buckets + key % self._count * 4)
        if index < self._first:
            return None
        for at in range(index, index + _LONGEST_CHAIN):
            (other,) = self._unpack("<I", chains + (at - self._first) * 4)
            if other | 1 == key | 1 and (variable := self._named(name, at)):
                return variable
            if other & 1:
                break
        return None

    def _named(self, name: str, index: int) -> Variable | None:
        """The symbol number `index` if its name is `name`, else None."""
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
    """The binary of the process `pid`, then the libraries: each file (device, inode, path) and the
    address at which it begins."""
    binary = link(pid, "exe")
    files: dict[str, tuple[str, int]] = {}
    for start, file, path in _FIRST_BYTES.findall(fact(pid, "maps")):
        if path == binary or libraries.search(path):
            files.setdefault(path, (file, int(start, 16)))
    return [files[path] for path in sorted(files, key=lambda path: path != binary)]
