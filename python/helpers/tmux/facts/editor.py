"""A program's line editor: the prompt that it shows, the text typed after it, and what it reads.

Readline (in bash, gdb, sqlite3, python, bc, psql …) and zsh's line editor keep this in exported
variables, which are read from the program's memory; nothing is typed, nothing is stopped. The
result is None if they cannot be read (fish, dash, libedit, a static binary, Yama), or if two
readings differ. Sources: readline.h, bash's parse.y and eval.c, zsh's zle_main.c and prompt.c.

Where a variable is, is read from memory too, by the symbol tables: no file is opened, so nothing
waits for a file system, and a shell whose binary was replaced, or has another root, is read like
any other. Memory that mirrors a file is read only where our own process runs from the same device:
another one, FUSE or a network, may never answer. 64-bit little-endian programs; proc(5), elf(5).
"""

import os
import re
import struct
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from ..base.answer import clean
from ..base.cells import squeezed
from ..base.process import fact, memory
from ..base.words import Word

# "7f40c2200000-7f40c2214000 r--p 00000000 fe:00 132  /usr/lib/…/libreadline.so.8.2"
_MAPPING = re.compile(r"(?m)^(\w+)-(\w+) \S+ (\w+) (\w+:\w+) \d+ *(.*)$")
_BEGIN_OF_FILE = "00000000"  # a mapping's offset
_FILE = struct.Struct("<32xQ16xH")  # where its headers are, and how many
_HEADER = struct.Struct("<I12xQ16xQ8x")  # type, address, size
_DYNAMIC = 2  # a header's type
_TAG = struct.Struct("<qQ")  # of the dynamic section
_STRINGS = 5  # tags
_SYMBOLS = 6
_STRINGS_SIZE = 10
_SYMBOL = struct.Struct("<I4xQQ")  # name, address, size; both are 0 where it is another file's
_PAGE = 4096  # bytes
_LONGEST_TEXT = 1 << 13  # bytes: a prompt with colours and links has a few thousand
_MOST = 1 << 21  # bytes: 87,000 symbols, of which bash has 2,500; more than anybody pastes
_LARGEST_NUMBER = 8  # bytes
_CHARACTER = 4  # bytes of a wchar_t


class _Region(NamedTuple):
    """Memory that can be read at once: the addresses of its first byte, and behind its last."""

    begin: int
    end: int


class _Variable(NamedTuple):
    """Where a variable is, and its size in bytes."""

    address: int
    size: int


class _Variables:
    """The exported variables of the process `pid` by name: its own binary's first, as the loader
    searches, then those of files whose path matches `libraries`."""

    def __init__(self, pid: int, libraries: re.Pattern[str]) -> None:
        self._pid = pid
        self._regions: list[_Region] = []
        files: dict[str, int] = {}  # where each begins; the binary is mapped below its libraries

        for begin, end, offset, device, path in _MAPPING.findall(fact(pid, "maps")):
            if device not in _own_devices():
                continue
            region = _Region(int(begin, 16), int(end, 16))
            self._regions.append(region)
            if offset == _BEGIN_OF_FILE and (not files or libraries.search(path)):
                files.setdefault(path, region.begin)

        self._found: dict[str, _Variable] = {}
        for base in reversed(files.values()):
            self._found |= self._variables_of(base)

    def __contains__(self, name: str) -> bool:
        """Whether the program has the variable: `zleactive` only zsh."""
        return name in self._found

    def number(self, name: str) -> int:
        """The variable's value: a flag, a count, a pointer."""
        variable = self._found[name]
        value = self._read(variable.address, min(variable.size, _LARGEST_NUMBER))
        return int.from_bytes(value, "little", signed=True)

    def address(self, name: str) -> int:
        """Where the variable is: a pointer to it has this value."""
        return self._found[name].address

    def text(self, name: str) -> bytes:
        """The text that a `char *` points to; b"" for a null pointer."""
        address = self.number(name)
        if not address:
            return b""
        return self._at_most(address, _LONGEST_TEXT).partition(b"\0")[0]

    def buffer(self, name: str, size: int) -> bytes:
        """The first `size` bytes that a pointer points to."""
        if not size:
            return b""
        return self._read(self.number(name), size)

    def _read(self, address: int, size: int) -> bytes:
        """Exactly `size` bytes."""
        data = b""
        if 0 < size <= _MOST:
            data = self._at_most(address, size)
        if len(data) != size:
            raise ValueError("out of range, or not mapped")
        return data

    def _at_most(self, address: int, size: int) -> bytes:
        """`size` bytes, or less where the memory that can be read at once ends."""
        ends = (region.end for region in self._regions if region.begin <= address < region.end)
        return memory(self._pid, address, min(size, next(ends, address) - address))

    def _variables_of(self, base: int) -> dict[str, _Variable]:
        """The variables of the file that is mapped at `base`."""
        page = self._read(base, _PAGE)
        table, count = _FILE.unpack_from(page)
        tags: dict[int, int] = {}
        for header, at, length in _HEADER.iter_unpack(page[table:][: _HEADER.size * count]):
            if header == _DYNAMIC:
                tags = dict(_TAG.iter_unpack(self._read(_address(base, at), length)))

        symbols_at = _address(base, tags[_SYMBOLS])
        names_at = _address(base, tags[_STRINGS])
        names = self._read(names_at, tags[_STRINGS_SIZE])
        # linkers write the strings behind the symbols
        entries = (names_at - symbols_at) // _SYMBOL.size * _SYMBOL.size
        return _parsed(self._read(symbols_at, entries), names, base)


def _address(base: int, value: int) -> int:
    """Where a file that is mapped at `base` has what it says is at `value`: an offset, or, in a
    binary of a fixed address and where glibc's loader has replaced it, an address."""
    if value >= base:
        return value
    return base + value


@lru_cache(maxsize=16)
def _parsed(symbols: bytes, names: bytes, base: int) -> dict[str, _Variable]:
    """Each variable of a file."""
    found: dict[str, _Variable] = {}
    for at, value, size in _SYMBOL.iter_unpack(symbols):
        if value and size:
            name = names[at : names.find(b"\0", at)].decode("ascii", "replace")
            found[name] = _Variable(_address(base, value), size)
    return found


@cache
def _own_devices() -> set[str]:
    """The devices of the files that our own process runs from, and of memory without a file."""
    return {device for _, _, _, device, _ in _MAPPING.findall(fact(os.getpid(), "maps"))}


@dataclass(frozen=True)
class Editor:
    """A line editor that waits for a key. It `reads` a command (READY; in a program other than a
    shell, any line), the rest of one, an answer to a shell's `read -e`, `vared` or `select`, or one
    key: an answer to "Display all 200 possibilities?", a search, a menu, vi's commands."""

    prompt: str  # its last line as it is on the screen, without a right prompt
    above: list[str]  # the prompt's other lines
    text: str  # what is typed
    before: str  # as far as the cursor
    reads: Word
    runs: int = 0  # grows with each command that a shell runs (bash), or line that it reads (zsh)
    status: int | None = None  # of the shell's last command; None if it has run none
    brackets: bool = False  # it is known to take pasted text in brackets
    hidden: bool = False  # it draws nothing of what is typed: bash's `read -es`

    def is_on(self, line: str) -> bool:
        """Whether `line`, up to the cursor, ends with the prompt and the text before the cursor, or
        is their end. A prompt alone does not suffice: the echo of a command may follow it."""
        line = squeezed(line)
        edited = squeezed(self.prompt + self.before)
        if not line or not edited:
            return line == edited
        return line.endswith(edited) or edited.endswith(line)

    def is_believed(self, line: str, above: list[str]) -> bool:
        """Whether a shell's memory counts, or what is drawn: `bind -x` makes another editor of
        readline (ble.sh), whose memory stays empty, its prompt too. A text is never ignored.
        `above`: the rows above, in the last of which a job may have left the prompt alone."""
        if self.text.strip() or self.reads is Word.NEEDS_KEY or self.is_on(line):
            return True
        prompt = self.prompt.rstrip()
        prompted = [row.rstrip() for row in above if row.startswith(prompt)]
        return bool(prompt) and (line.startswith(prompt) or prompted[-1:] == [prompt])

    def printed_at(self, line: str) -> str:
        """What a job has printed behind the prompt, or in a row below, where nothing is typed."""
        if self.text or self.reads is Word.NEEDS_KEY or self.is_on(line):
            return ""
        return line.removeprefix(self.prompt.rstrip()).strip()


# Files other than the binary that may define a program's variables:
# `/usr/lib/…/libreadline.so.8.2`, `…/zsh/5.9/zsh/zle.so`, and `…/bin/bash` if a loader started it.
_LIBRARIES = re.compile(r"/[^/]*readline[^/]*\.so[^/]*$|/zle\.so$|/(?:bash|zsh)[^/]*$")


def read_editor(pid: int) -> Editor | None:
    """The line editor of the process `pid`; None if it does not wait in one or cannot be read, or
    if two readings differ, because the program goes on."""
    try:
        variables = _Variables(pid, _LIBRARIES)
        read = _readline
        if "zleactive" in variables:
            read = _zle

        first = read(variables)
        if first == read(variables):
            return first
        return None
    except (LookupError, ValueError, struct.error):  # denied or gone; not what we know
        return None


def runs_of(pid: int) -> int | None:
    """How many commands the shell `pid` has begun, also while it runs one; None if unknown."""
    try:
        return _Variables(pid, _LIBRARIES).number("current_command_number")
    except (LookupError, ValueError, struct.error):
        return None


# Bits of `rl_readline_state`
_PREPARED = 0x4  # the terminal; cleared while a line is executed
_COMMAND = 0x8  # waits for the first key of an editing command; cleared while that runs
_WAITS = _COMMAND | 0x40 | 0x80000  # or for more of it; or the program itself waits: python, gdb
_MORE = 0x40 | 0x80 | 0x100 | 0x400 | 0x200000  # for more keys; C-r; vi's `/`; `(arg: 3)`
_BRACKETS = "_rl_enable_bracketed_paste"
_ECHOES = "_rl_echoing_p"  # the terminal had its echo on when the line began


def _readline(variables: _Variables) -> Editor | None:
    """Readline's line; None where it does not wait for a key."""
    state = variables.number("rl_readline_state")
    if not state & _PREPARED or not state & _WAITS:
        return None

    line = variables.buffer("rl_line_buffer", variables.number("rl_end"))
    before = line[: variables.number("rl_point")]
    *above, prompt = _lines(variables.text("rl_display_prompt"))
    prompt = _mode_sign(variables) + prompt
    ended = _ended(variables, "current_command_number", "last_command_exit_value")
    return Editor(
        prompt=prompt,
        above=above,
        text=line.decode(errors="replace"),
        before=before.decode(errors="replace"),
        reads=_readline_reads(variables, state),
        runs=ended.runs,
        status=ended.status,
        brackets=_BRACKETS in variables and variables.number(_BRACKETS) > 0,
        hidden=_ECHOES in variables and not variables.number(_ECHOES),
    )


def _mode_sign(variables: _Variables) -> str:
    """What `show-mode-in-prompt` puts before the last line of a prompt: `(ins)`."""
    shown = "_rl_show_mode_in_prompt"
    if shown not in variables or not variables.number(shown):
        return ""

    name, default = "_rl_vi_ins_mode_str", b"(ins)"
    if variables.number("rl_editing_mode"):
        name, default = "_rl_emacs_mode_str", b"@"
    elif variables.number("_rl_keymap") == variables.address("vi_movement_keymap"):
        name, default = "_rl_vi_cmd_mode_str", b"(cmd)"

    return _lines(variables.text(name) or default)[-1]


def _readline_reads(variables: _Variables, state: int) -> Word:
    """What readline reads: a key, a command, the rest of one, or an answer."""
    if not state & _COMMAND and _reads_more(variables, state):
        return Word.NEEDS_KEY
    if variables.number("_rl_keymap") == variables.address("vi_movement_keymap"):
        return Word.NEEDS_KEY
    if "last_command_exit_value" not in variables:
        return Word.READY
    # `read -e` has another prompt, while the line that called it is still stored. (After C-c
    # `executing_builtin` is set at a prompt too.)
    if variables.number("current_readline_line"):
        return Word.NEEDS_INPUT
    if variables.text("current_readline_prompt") != variables.text("rl_prompt"):
        return Word.NEEDS_INPUT
    if variables.number("current_prompt_string") == variables.number("ps2_prompt"):
        return Word.UNFINISHED
    return Word.READY


def _reads_more(variables: _Variables, state: int) -> bool:
    """Whether a key was pressed that goes on: C-r, `(arg: 3)`; C-v sets a function."""
    return bool(state & _MORE) or variables.number("_rl_callback_func") != 0


_ZLE_CONTEXTS = (Word.READY, Word.UNFINISHED, Word.NEEDS_INPUT, Word.NEEDS_INPUT)  # ZLCON_…
# Where keys have another meaning: completion and search, which work on a copy of the line; a menu.
_ZLE_KEYS = ("zlemetaline", "localkeymap", "keybuflen", "statusline")


def _zle(variables: _Variables) -> Editor | None:
    """The line of zsh's editor; None where it does not wait for a key."""
    if not variables.number("zleactive"):
        return None

    stored = _TOKENS.sub(b"", variables.text("lpromptbuf"))
    *above, prompt = _lines(_META.sub(lambda pair: bytes([pair[1][0] ^ 0x20]), stored))
    text = ""
    if not variables.number("zlemetaline"):  # else a copy is worked on
        line = variables.buffer("zleline", variables.number("zlell") * _CHARACTER)
        text = line.decode("utf-32-le", "replace")

    ended = _ended(variables, "lineno", "lastval")
    return Editor(
        prompt=prompt,
        above=above,
        text=text,
        before=text[: variables.number("zlecs")],
        reads=_zle_reads(variables),
        runs=ended.runs,
        status=ended.status,
    )


def _zle_reads(variables: _Variables) -> Word:
    """What zsh's editor reads, by the context that it was called in."""
    if any(map(variables.number, _ZLE_KEYS)):
        return Word.NEEDS_KEY
    if variables.text("curkeymapname") == b"vicmd":
        return Word.NEEDS_KEY
    return _ZLE_CONTEXTS[variables.number("zlecontext")]


class _Ended(NamedTuple):
    """How many commands a shell has run, and how the last ended; None: it has run none."""

    runs: int
    status: int | None


def _ended(variables: _Variables, runs: str, status: str) -> _Ended:
    """From 1 on; 0 for what is no shell. A line that is not run (its event is not found) changes
    neither in bash; in zsh it never ends with 0."""
    if runs not in variables:
        return _Ended(0, None)
    count = variables.number(runs)
    return _Ended(count, variables.number(status) if count > 1 else None)


# What marks the parts of a prompt that take no cells, or others than they seem to (`%{…%}`, `%G`,
# `\[…\]`). The terminal draws these parts too, as far as they are no control sequences.
_TOKENS = re.compile(rb"[\x84-\xa2]")  # as zsh stores them
_META = re.compile(rb"\x83(.)", re.DOTALL)  # a byte that would be one: b"\x83\xa8" is b"\x88"
# bash's, also with all between them if that returns to where it began: a right prompt.
_MARKS = re.compile(rb"\x01[^\x02]*\x1b(?:8|\[u)[^\x02]*\x02|[\x01\x02]")


def _lines(prompt: bytes) -> list[str]:
    """The lines of a prompt as they are on the screen."""
    drawn = _MARKS.sub(b"", prompt).decode(errors="replace")
    return [clean(line) for line in drawn.split("\n")]
