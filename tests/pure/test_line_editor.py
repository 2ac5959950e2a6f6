"""A line editor's memory, made up byte by byte: valid data is read, anything else is None."""

from __future__ import annotations

import itertools
import re
import struct
import sys
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from python.helpers.tmux.evidence.editor import elf
from python.helpers.tmux.evidence.editor.line_editor import (
    Editor,
    Reads,
    last_exit_status,
    read_editor,
)
from tests.support.fake_proc import DENIED, FakeProc
from tests.support.tables import Tables

TABLES = Tables(__file__)

PID = 4194305  # one more than the kernel ever gives
BINARY = "/usr/local/bin/program"
READLINE = "/usr/lib/x86_64-linux-gnu/libreadline.so.8.2"
BINARY_AT, LIBRARY_AT, HEAP_AT = 0x10000, 0x40000, 0x80000
# where an image has its parts
HASH, SYMBOLS, STRINGS, DYNAMIC, DATA = 0x400, 0x1000, 0x2000, 0x3000, 0x4000


def gnu_hash(name: str) -> int:
    key = 5381
    for byte in name.encode():
        key = (key * 33 + byte) % 2**32
    return key


@dataclass(frozen=True)
class Image:
    """An ELF file as a loader maps it, with real tables; `variables`: what they hold."""

    variables: dict[str, bytes]
    start: int = BINARY_AT
    fixed: bool = False  # linked for this address, not position-independent
    absolute: bool = True  # the loader has made the dynamic section's addresses absolute
    buckets: int = 2
    ident: bytes = b"\x7fELF\x02\x01\x01"  # 64 bit, little-endian
    static: bool = False
    tags: tuple[tuple[int, int], ...] = ((5, STRINGS), (6, SYMBOLS), (0x6FFFFEF5, HASH))

    @property
    def names(self) -> list[str]:
        """In the order that the hash table needs."""
        return sorted(self.variables, key=lambda name: gnu_hash(name) % self.buckets)

    @property
    def base(self) -> int:
        """What addresses in the file are counted from."""
        return self.start if self.fixed else 0

    def address(self, name: str) -> int:
        before = self.names[: self.names.index(name)]
        return self.start + DATA + sum(len(self.variables[one]) for one in before)

    def content(self) -> bytes:
        parts = {
            0: self._headers(),
            HASH: self._hash_table(),
            SYMBOLS: bytes(24) + b"".join(map(self._symbol, self.names)),
            STRINGS: self._strings(),
            DYNAMIC: self._dynamic(),
            DATA: b"".join(self.variables[name] for name in self.names),
        }
        whole = bytearray(DATA + len(parts[DATA]))
        for at, part in parts.items():
            whole[at : at + len(part)] = part
        return bytes(whole)

    def _headers(self) -> bytes:
        kinds = [(1, 0, self.base, 0x3000), (1, DYNAMIC, self.base + DYNAMIC, 0x9000)]
        if not self.static:
            kinds.append((2, DYNAMIC, self.base + DYNAMIC, len(self._dynamic())))
        headers = b"".join(
            struct.pack("<IIQQQQQQ", kind, 4, offset, address, address, size, size, 8)
            for kind, offset, address, size in kinds
        )
        counts = struct.pack("<HH", 56, len(kinds))
        place = struct.pack("<Q", 64)
        return self.ident.ljust(32, b"\0") + place + bytes(14) + counts + bytes(6) + headers

    def _dynamic(self) -> bytes:
        base = self.start if self.absolute else self.base
        return b"".join(struct.pack("<QQ", tag, base + at) for tag, at in self.tags) + bytes(16)

    def _strings(self) -> bytes:
        return b"\0" + b"".join(name.encode() + b"\0" for name in self.names)

    def _symbol(self, name: str) -> bytes:
        text = self._strings().index(b"\0" + name.encode() + b"\0") + 1
        address = self.base + self.address(name) - self.start
        return struct.pack("<IBBHQQ", text, 0x11, 0, 5, address, len(self.variables[name]))

    def _hash_table(self) -> bytes:
        keys = [gnu_hash(name) for name in self.names]
        groups = [key % self.buckets for key in keys]
        firsts = [1 + groups.index(n) if n in groups else 0 for n in range(self.buckets)]
        ends = [one != other for one, other in zip(groups, [*groups[1:], None], strict=True)]
        chains = [key & ~1 | end for key, end in zip(keys, ends, strict=True)]
        bloom = 0
        for key in keys:
            bloom |= 1 << key % 64 | 1 << (key >> 5) % 64
        head = struct.pack("<4IQ", self.buckets, 1, 1, 5, bloom)
        return head + b"".join(struct.pack("<I", one) for one in [*firsts, *chains])


INODES = itertools.count(77)


@dataclass
class Heap:
    """What pointers point to."""

    data: bytearray = field(default_factory=lambda: bytearray(8))

    def text(self, text: bytes, end: bytes = b"\0") -> bytes:
        """Puts a text there; the pointer to it."""
        address = HEAP_AT + len(self.data)
        self.data += text + end
        return pointer(address)


def pointer(address: int) -> bytes:
    return struct.pack("<Q", address)


def number(value: int) -> bytes:
    return struct.pack("<i", value)


class System(FakeProc):
    """A /proc with one process in it."""

    def __init__(self) -> None:
        super().__init__()
        self.links[f"/proc/{PID}/exe"] = BINARY
        self.later: dict[int, bytes] = {}  # by address: what a second reading of it gives
        self._seen: set[int] = set()

    def denies(self, name: str) -> None:
        self.files[f"/proc/{PID}/{name}"] = DENIED

    def remembered(self, pid: int, address: int, size: int) -> bytes:
        if address in self.later and address in self._seen:
            return self.later[address]
        self._seen.add(address)
        return super().remembered(pid, address, size)

    def changes(self, later: dict[int, bytes]) -> None:
        """While it is read: these addresses, at the second reading from now."""
        self.later, self._seen = later, set()

    def runs(self, heap: Heap, images: dict[str, Image]) -> None:
        """One process that has these files mapped."""
        self.memory[PID] = {image.start: image.content() for image in images.values()}
        self.memory[PID][HEAP_AT] = bytes(heap.data)
        inode = next(INODES)  # other files than before
        lines = ["00000000-00001000 ---p 00000000 00:00 0 "]
        for path, image in sorted(images.items(), key=lambda pair: pair[1].start):
            for offset in (0, DYNAMIC):
                at = image.start + offset
                lines.append(f"{at:08x}-{at + 0x3000:08x} r--p {offset:08x} fe:00 {inode}   {path}")
        lines.append("7ffd0000-7ffe0000 rw-p 00000000 00:00 0      [stack]\n")
        self.files[f"/proc/{PID}/maps"] = "\n".join(lines).encode()

    def runs_bash(self, heap: Heap | None = None, facts: dict | None = None, **other) -> Image:
        """bash at its prompt; `other`: variables that differ; `facts`: the image's."""
        heap = heap or Heap()
        image = Image(bash(heap) | other, **(facts or {}))
        self.runs(heap, {BINARY: image})
        return image

    def runs_zsh(self, heap: Heap | None = None, **other: bytes) -> None:
        heap = heap or Heap()
        self.runs(heap, {BINARY: Image(zsh(heap) | other)})


@pytest.fixture
def system(monkeypatch):
    return System().install(monkeypatch)


def bash(heap: Heap, prompt: bytes = b"$ ") -> dict[str, bytes]:
    """`echo hé` is typed at the prompt, the cursor is behind `echo`, the last command failed."""
    shown, first = heap.text(prompt), heap.text(b"\\$ ")
    return {
        "rl_readline_state": struct.pack("<Q", 0x4000E),
        "rl_line_buffer": heap.text("echo hé".encode()),
        "rl_line_buffer_len": number(256),
        "rl_end": number(8),
        "rl_point": number(4),
        "rl_display_prompt": shown,
        "rl_prompt": shown,
        "rl_editing_mode": number(1),
        "_rl_show_mode_in_prompt": number(0),
        "_rl_emacs_mode_str": bytes(8),
        "_rl_vi_ins_mode_str": bytes(8),
        "_rl_vi_cmd_mode_str": bytes(8),
        "_rl_callback_func": bytes(8),
        "_rl_keymap": pointer(0x1230),
        "vi_movement_keymap": bytes(4112),
        "vi_insertion_keymap": bytes(4112),
        "current_readline_line": bytes(8),
        "current_readline_prompt": heap.text(prompt),
        "current_prompt_string": first,
        "ps1_prompt": first,
        "ps2_prompt": heap.text(b"> "),
        "last_command_exit_value": number(2),
    }


def zsh(heap: Heap, prompt: bytes = b"vm% ") -> dict[str, bytes]:
    return {
        "zleactive": number(1),
        "zlecontext": number(0),
        "lpromptbuf": heap.text(prompt),
        "zleline": heap.text("echo hé".encode("utf-32-le")),
        "zlell": number(7),
        "zlecs": number(4),
        "zlemetaline": bytes(8),
        "zlemetacs": number(0),
        "statusline": bytes(8),
        "localkeymap": bytes(8),
        "command_keymap": pointer(0x7770),
        "curkeymapname": heap.text(b"main"),
        "keybuflen": number(0),
        "zmod": bytes(20),
        "lastval": struct.pack("<q", 300),
    }


BASH = Editor(prompt="$ ", text="echo hé", cursor=4, reads=Reads.COMMAND)
ZSH = Editor(prompt="vm% ", text="echo hé", cursor=4, reads=Reads.COMMAND)


def nothing_is_read(what: object = "") -> None:
    assert (read_editor(PID), last_exit_status(PID)) == (None, None), what


# --- files in memory


@TABLES.rows("how")
def test_a_binary_is_read_however_it_was_linked_and_loaded(system, how):
    system.runs_bash(facts=how)
    assert read_editor(PID) == BASH
    assert last_exit_status(PID) == 2


def test_zsh_has_its_variables_in_two_files(system):
    heap = Heap()
    variables = zsh(heap)
    here = {name: variables.pop(name) for name in ("zleactive", "zlemetacs", "lastval")}
    module = Image(variables, start=LIBRARY_AT)
    system.runs(heap, {BINARY: Image(here), "/usr/lib/zsh/5.9/zsh/zle.so": module})
    assert read_editor(PID) == ZSH
    assert last_exit_status(PID) == 300


UNREADABLE = {
    "a script": {"ident": b"#!/bin/sh"},
    "32 bit": {"ident": b"\x7fELF\x01\x01\x01"},
    "big-endian": {"ident": b"\x7fELF\x02\x02\x01"},
    "a static binary": {"static": True},
    "no hash table of this kind": {"tags": ((5, STRINGS), (6, SYMBOLS), (4, HASH))},
    "an empty hash table": {"tags": ((5, STRINGS), (6, SYMBOLS), (0x6FFFFEF5, 0x900))},
    "tables where no address is": {"tags": ((5, 1 << 63), (6, SYMBOLS), (0x6FFFFEF5, HASH))},
    "tables beyond all memory": {"tags": ((5, 1 << 40), (6, 1 << 40), (0x6FFFFEF5, HASH))},
}


def test_another_kind_of_binary_is_none(system):
    for kind, facts in UNREADABLE.items():
        system.runs_bash(facts=facts)
        nothing_is_read(kind)


def test_a_table_of_headers_that_is_absurdly_long_is_none(system):
    system.runs_bash()
    image = bytearray(system.memory[PID][BINARY_AT])
    image[54:58] = b"\xff" * 4  # 65535 headers of 65535 bytes
    system.memory[PID][BINARY_AT] = bytes(image)
    assert read_editor(PID) is None


def test_a_readline_without_one_of_its_variables_is_none(system):
    heap = Heap()
    variables = bash(heap) | {  # a state in which all the others are read
        "_rl_show_mode_in_prompt": number(1),
        "rl_editing_mode": number(0),
        "rl_readline_state": struct.pack("<Q", 0xC0006),
    }
    system.runs(heap, {BINARY: Image(variables)})
    assert read_editor(PID) == replace(BASH, prompt="(cmd)$ ")
    not_read = {"last_command_exit_value", "_rl_emacs_mode_str", "_rl_vi_ins_mode_str"}
    for name in variables.keys() - not_read:
        others = {other: value for other, value in variables.items() if other != name}
        system.runs(heap, {BINARY: Image(others)})
        assert read_editor(PID) is None, name


def test_a_zsh_without_one_of_its_variables_is_none(system):
    heap = Heap()
    for name in zsh(heap).keys() - {"zlemetacs", "lastval"}:
        variables = zsh(heap)
        if name == "command_keymap":
            variables["statusline"] = heap.text(b"x")
        del variables[name]
        system.runs(heap, {BINARY: Image(variables)})
        assert read_editor(PID) is None, name


def test_a_program_s_own_copy_of_a_library_s_variable_counts(system):
    heap = Heap()
    library = Image(bash(heap), start=LIBRARY_AT)
    own = {"rl_point": number(6), "_rl_callback_func": bytes(8)}
    binary = Image(own, start=0x70000)  # behind the library
    system.runs(heap, {READLINE: library, BINARY: binary})
    assert read_editor(PID) == replace(BASH, cursor=6)


def test_which_files_beside_the_binary_may_define_the_variables(system):
    heap = Heap()
    library = Image(bash(heap), start=LIBRARY_AT)
    for path, read in TABLES["PATHS"].items():
        system.runs(heap, {BINARY: Image({"main": bytes(8)}), path: library})
        assert read_editor(PID) == (BASH if read else None), path


def test_a_process_that_is_closed_to_us_or_gone_is_none(system):
    nothing_is_read("gone")
    for file in ("mem", "maps"):
        system.runs_bash()
        system.denies(file)
        nothing_is_read(file)


def test_nothing_stays_open(system):
    system.runs_bash()
    assert read_editor(PID)
    system.denies("maps")
    assert read_editor(PID) is None
    assert system.opened and not system.held


class OneVariable:
    """An image that defines every name, at the address where the image begins."""

    def __init__(self, memory: object, start: int) -> None:
        self.start = start

    def find(self, name: str) -> elf.Variable:
        return elf.Variable(self.start, 4)


def test_threads_that_read_two_programs_do_not_mix_their_addresses(monkeypatch):
    """Whatever line of `Program.__init__` one thread is at, another reads another program."""
    monkeypatch.setattr(elf, "Image", OneVariable)
    monkeypatch.setattr(elf, "_mapped", lambda pid, libraries: [(f"file of {pid}", pid)])

    def address(pid: int) -> int:
        program = elf.Program(SimpleNamespace(pid=pid), re.compile(""))
        return program.variable("rl_point").address

    def other_thread(frame, event, argument):
        if frame.f_code is elf.Program.__init__.__code__:
            assert address(2) == 2  # a tracing function is not traced itself
            return other_thread
        return None

    before = sys.gettrace()
    sys.settrace(other_thread)
    try:
        found = address(1)
    finally:
        sys.settrace(before)
    assert found == 1


# --- values


WRONG = {
    "more is typed than the buffer holds": {"rl_line_buffer_len": number(8)},
    "a cursor behind the end": {"rl_point": number(9)},
    "a cursor before the start": {"rl_point": number(-1)},
    "an end before the start": {"rl_end": number(-1), "rl_point": number(-1)},
    "a line that goes on behind its end": {"rl_end": number(5)},
    "a line at no address": {"rl_line_buffer": bytes(8)},
    "a line beyond all memory": {"rl_line_buffer": pointer(1 << 40)},
    "a line at an address that cannot be": {"rl_line_buffer": b"\xff" * 8},
    "a prompt beyond all memory": {"rl_display_prompt": pointer(1 << 40)},
}


def test_a_value_out_of_range_is_none(system):
    for name, change in WRONG.items():
        system.runs_bash(**change)
        assert read_editor(PID) is None, name


WRONG_IN_ZSH = {
    "a cursor behind the end": {"zlecs": number(8)},
    "a cursor before the start": {"zlecs": number(-1)},
    "an end before the start": {"zlell": number(-1), "zlecs": number(-1)},
    "a line beyond all memory": {"zleline": pointer(1 << 40)},
    "too long to be a line": {"zlell": number(1 << 30)},
    "a context that is none": {"zlecontext": number(4)},
}


def test_a_value_out_of_zsh_s_range_is_none(system):
    for name, change in WRONG_IN_ZSH.items():
        system.runs_zsh(**change)
        assert read_editor(PID) is None, name


def test_a_prompt_without_an_end_is_none(system):
    heap = Heap()
    endless = b"$ " * 100_000
    system.runs_bash(heap, rl_display_prompt=heap.text(endless, end=b""))
    assert read_editor(PID) is None


LATER = {
    "rl_readline_state": struct.pack("<Q", 0x2040002),
    "rl_end": number(0),
    "rl_point": number(5),
}


def test_a_value_that_changes_while_it_is_read_is_none(system):
    for name, value in LATER.items():
        image = system.runs_bash()
        system.changes({image.address(name): value})
        assert read_editor(PID) is None, name
    image = system.runs_bash()
    system.changes({image.address("last_command_exit_value"): number(0)})
    assert last_exit_status(PID) is None


# What each state means, and how prompts are drawn: terminal/test_line_editor.py.


def test_what_a_bash_without_a_shell_s_variables_or_before_its_first_prompt_reads(system):
    heap = Heap()
    variables = bash(heap)
    asks = variables | {"current_readline_prompt": bytes(8)}
    for more in ({}, {"rl_prompt": heap.text(b"")}):
        system.runs(heap, {BINARY: Image(asks | more)})
        assert read_editor(PID) == replace(BASH, reads=Reads.QUESTION)
    for name in ("last_command_exit_value", "current_prompt_string", "current_readline_line"):
        del variables[name]
    system.runs(heap, {BINARY: Image(variables)})
    assert read_editor(PID) == BASH
    assert last_exit_status(PID) is None


def test_a_bash_that_reads_commands_again_is_not_held_up_by_a_key_that_gdb_waits_for(system):
    for state, reads in ((0xC0006, Reads.KEY), (0x4000E, Reads.COMMAND)):
        bits = struct.pack("<Q", state)
        system.runs_bash(rl_readline_state=bits, _rl_callback_func=pointer(0x5550))
        assert read_editor(PID).reads is reads


def test_zsh_s_exit_status_may_be_negative(system):
    system.runs_zsh(lastval=struct.pack("<q", -1))
    assert last_exit_status(PID) == -1


def test_zsh_s_completion_works_on_a_copy_of_the_line(system):
    heap = Heap()
    copy = b"ls \xc3\x83\x81"  # "ls á", the á's second byte escaped
    change = {"zlemetaline": heap.text(copy), "zlemetacs": number(3), "zleline": bytes(8)}
    system.runs_zsh(heap, **change)
    editor = read_editor(PID)
    assert (editor.text, editor.cursor, editor.reads) == ("ls á", 3, Reads.KEY)


PROMPTS = {
    "a link": (b"\x1b]8;;http://x\x1b\\site\x1b]8;;\x1b\\> ", "site> "),
    "a bell": (b"\x07$ ", "$ "),
    "bytes that are no text": (b"\xff> ", "\ufffd> "),
}


ZSH_PROMPTS = {  # wider than their letters
    b"x\xa1\xa1> ": "x> ",
    b"\x88\x1b7\x1b[60Cright\x1b8\x8aleft> ": "left> ",
}


def test_a_prompt_is_as_it_is_on_the_screen(system):
    kinds = ((bash, BASH, dict(PROMPTS.values())), (zsh, ZSH, ZSH_PROMPTS))
    for shell, editor, prompts in kinds:
        for raw, shown in prompts.items():
            heap = Heap()
            system.runs(heap, {BINARY: Image(shell(heap, prompt=raw))})
            assert read_editor(PID) == replace(editor, prompt=shown)
