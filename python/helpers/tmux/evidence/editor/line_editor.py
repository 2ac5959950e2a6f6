"""A program's line editor: the prompt that it shows, the text typed after it, and what it reads.

Readline (in bash, gdb, sqlite3, python, bc, psql …) and zsh's line editor keep this in exported
variables, which are read from the program's memory; nothing is typed, nothing is stopped. The
result is None if they cannot be read (fish, dash, libedit, a static binary, Yama), or if two
readings differ. Sources: readline.h, bash's parse.y, zsh's zle_main.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from enum import IntFlag, StrEnum
from functools import lru_cache
from typing import TypeVar

from ...evidence.screen.view import View
from ...output import squeezed
from .elf import Memory, Program


class Reads(StrEnum):
    """What the line editor takes the next key for."""

    COMMAND = "command"  # part of a command; in a program other than a shell, of any line
    CONTINUATION = "continuation"  # part of the rest of a shell's command
    QUESTION = "question"  # part of an answer to a shell's `read -e`, `vared`, `select`
    SEARCH = "search"  # part of a text to search the history for; the screen shows the match
    VI_COMMAND = "vi command"  # a command of vi's editing mode
    KEY = "key"  # an answer to "Display all 200 possibilities?", a step in a menu, the rest of a
    # key sequence or `(arg: 3)`; in zsh also while a key's command runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """A line editor that waits for a key."""

    prompt: str  # its last line as it is on the screen, without a right prompt
    above: tuple[str, ...] = ()  # the prompt's other lines
    text: str  # everything typed; zsh edits several lines at once
    cursor: int  # characters of `text` before the cursor
    reads: Reads

    def is_on(self, line: str) -> bool:
        """Whether `line` ends with the prompt and the text before the cursor, or is their end. A
        prompt alone does not suffice: the echo of a command that was just run may follow it."""
        line, edited = squeezed(line), squeezed(self.prompt + self.text[: self.cursor])
        return line.endswith(edited) or (bool(line) and edited.endswith(line))

    def is_shown(self, view: View) -> bool:
        """Whether the prompt is on the screen, or may be hidden: the cursor's line is empty because
        a background job has printed, or a list of completions covers the prompt."""
        if view.alternate:
            return False
        covered = not view.left.strip() or self.reads is Reads.KEY
        return covered or _shows(view.lines, self.prompt)


@lru_cache(maxsize=8)
def _shows(rows: tuple[str, ...], prompt: str) -> bool:
    return squeezed(prompt) in squeezed("".join(rows))


def read_editor(pid: int) -> Editor | None:
    """The line editor of the process `pid`; None if it does not wait in one or cannot be read."""
    return _twice_the_same(pid, _editor)


def last_exit_status(pid: int) -> int | None:
    """`$?` of a bash or zsh, also without a line editor (`bash --noediting`).

    While the shell reads a command, that is the last command's; in between it may be a hook's.
    """
    return _twice_the_same(pid, _exit_status)


# Files other than the binary that may define a program's variables:
# `/usr/lib/…/libreadline.so.8.2`, `…/zsh/5.9/zsh/zle.so`, and `…/bin/bash` if a loader started it.
_LIBRARIES = re.compile(r"/[^/]*readline[^/]*\.so[^/]*$|/zle\.so$|/(?:bash|zsh)[^/]*$")
_Fact = TypeVar("_Fact")


def _twice_the_same(pid: int, fact: Callable[[Program], _Fact | None]) -> _Fact | None:
    """A fact that two readings agree on, because the program goes on and may change its variables;
    else None. The pid 0 means no program."""
    try:
        with closing(Memory(pid)) as memory:
            program = Program(memory, _LIBRARIES)
            first = fact(program)
            return first if first == fact(program) else None
    except (OSError, LookupError, ValueError):  # denied or gone; no such variable; out of range
        return None


def _editor(program: Program) -> Editor | None:
    return _zle(program) if "zleactive" in program else _readline(program)


def _exit_status(program: Program) -> int | None:
    names = ("last_command_exit_value", "lastval")  # bash's, zsh's
    return next((program.number(name) for name in names if name in program), None)


class _State(IntFlag):
    """Bits of `rl_readline_state`. C-c clears only the first two."""

    TERMINAL_PREPARED = 0x4  # cleared while a line is executed
    READS_COMMAND = 0x8  # waits for the first key of an editing command; cleared while that runs
    MORE_INPUT = 0x40  # waits for another key of that command
    INCREMENTAL_SEARCH = 0x80
    OTHER_SEARCH = 0x100  # vi's `/`, emacs' M-p
    NUMERIC_ARGUMENT = 0x400
    CALLBACK = 0x80000  # the program itself waits, and passes the keys on: python, gdb
    SEVERAL_KEYS = 0x200000  # with CALLBACK: waits for another key

    WAITS = READS_COMMAND | MORE_INPUT | CALLBACK
    SEARCH = INCREMENTAL_SEARCH | OTHER_SEARCH
    UNFINISHED = MORE_INPUT | NUMERIC_ARGUMENT | SEVERAL_KEYS


def _readline(program: Program) -> Editor | None:
    state = _State(program.number("rl_readline_state") & 0xFFFFFFFF)
    if not state & _State.TERMINAL_PREPARED or not state & _State.WAITS:
        return None
    end, point = program.number("rl_end"), program.number("rl_point")
    if not 0 <= point <= end < program.number("rl_line_buffer_len"):
        raise ValueError(end)
    line = program.buffer("rl_line_buffer", end + 1)
    if line[end]:
        raise ValueError(line)
    *above, prompt = _lines(program.text("rl_display_prompt"))
    return Editor(
        prompt=_mode(program) + prompt,
        above=tuple(above),
        text=_decoded(line[:end]),
        cursor=len(_decoded(line[:point])),
        reads=_readline_reads(program, state),
    )


def _readline_reads(program: Program, state: _State) -> Reads:
    if not state & _State.READS_COMMAND:
        if state & _State.SEARCH and not _shows_prompt(program):
            return Reads.SEARCH
        if state & _State.UNFINISHED or program.number(
            "_rl_callback_func"
        ):  # C-v sets the function
            return Reads.KEY
    bash = "last_command_exit_value" in program
    if bash and not _bash_reads_command(program):
        return Reads.QUESTION
    if program.number("_rl_keymap") == program.variable("vi_movement_keymap").address:
        return Reads.VI_COMMAND
    return Reads.CONTINUATION if bash and _bash_continues(program) else Reads.COMMAND


def _shows_prompt(program: Program) -> bool:
    """Whether readline shows its prompt, and not a message in its place."""
    return program.number("rl_display_prompt") == program.number("rl_prompt")


def _bash_reads_command(program: Program) -> bool:
    """Whether bash reads a command, not a line for `read -e`, which has another prompt while the
    line that called it is still stored. (After C-c `executing_builtin` is set at a prompt too.)"""
    return (
        program.number("current_readline_line") == 0
        and program.number("current_readline_prompt") != 0
        and program.text("current_readline_prompt") == program.text("rl_prompt")
    )


def _bash_continues(program: Program) -> bool:
    names = ("current_prompt_string", "ps1_prompt", "ps2_prompt")
    current, first, second = (program.number(name) for name in names)
    return current == second != first


def _mode(program: Program) -> str:
    """The text that `show-mode-in-prompt` puts before the last line of a prompt: `(ins)`."""
    if not program.number("_rl_show_mode_in_prompt") or not _shows_prompt(program):
        return ""
    if program.number("rl_editing_mode"):
        name, default = "_rl_emacs_mode_str", "@"
    elif program.number("_rl_keymap") == program.variable("vi_insertion_keymap").address:
        name, default = "_rl_vi_ins_mode_str", "(ins)"
    else:
        name, default = "_rl_vi_cmd_mode_str", "(cmd)"
    return _lines(program.text(name))[-1] if program.number(name) else default


def _zle(program: Program) -> Editor | None:
    if not program.number("zleactive"):
        return None
    before, behind = _zle_line(program)
    *above, prompt = _lines(_plain(program.text("lpromptbuf")))
    return Editor(
        prompt=prompt,
        above=tuple(above),
        text=before + behind,
        cursor=len(before),
        reads=_zle_reads(program),
    )


_ZLE_CONTEXTS = {  # zsh.h's ZLCON_…
    0: Reads.COMMAND,
    1: Reads.CONTINUATION,
    2: Reads.QUESTION,  # `select`
    3: Reads.QUESTION,  # `vared`
}


def _zle_reads(program: Program) -> Reads:
    keymap = program.number("localkeymap")  # set in a state in which keys have another meaning
    if program.number("statusline") and keymap != program.number("command_keymap"):
        return Reads.SEARCH  # `bck-i-search: ` is below the line; else it may be `execute: `
    if keymap or program.number("zlemetaline"):  # a menu
        return Reads.KEY
    if program.number("keybuflen") or program.number("zmod", 4):  # after Esc; after Esc 3
        return Reads.KEY
    if program.text("curkeymapname") == b"vicmd":
        return Reads.VI_COMMAND
    return _ZLE_CONTEXTS[program.number("zlecontext")]


def _zle_line(program: Program) -> tuple[str, str]:
    """The text before and after the cursor."""
    if program.number("zlemetaline"):  # completion and search work on a copy, in bytes
        line, cursor = program.text("zlemetaline"), program.number("zlemetacs")
        return _decoded(_plain(line[:cursor])), _decoded(_plain(line[cursor:]))
    length, cursor = program.number("zlell"), program.number("zlecs")
    if not 0 <= cursor <= length:
        raise ValueError(cursor)
    line = program.buffer("zleline", length * 4)  # a wchar_t *
    text = line.decode("utf-32-le", "replace")
    return text[:cursor], text[cursor:]


_TOKENS = re.compile(rb"\x88[^\x8a]*\x8a|[\x84-\xa2]")  # %{…%}, %G, as zsh stores them
_META = re.compile(rb"\x83(.)", re.DOTALL)  # a byte that would be a token: b"\x83\xa8" is b"\x88"


def _plain(text: bytes) -> bytes:
    """A text that zsh stores "metafied", without the parts that take no cells on the screen."""
    return _META.sub(lambda pair: bytes([pair[1][0] ^ 0x20]), _TOKENS.sub(b"", text))


_IGNORED = re.compile(r"\x01[^\x02]*\x02")  # bash's \[…\], which take no cells
_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # a colour, as "\x1b[1;32m"
    r"|[]PX^_].*?(?:\x07|\x1b\\)"  # a title, a link, as "\x1b]0;~\x07"
    r"|[ -/]*[0-~])",  # "\x1b7", "\x1b(B"
    re.DOTALL,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def _lines(prompt: bytes) -> tuple[str, ...]:
    """The lines of a prompt as they are on the screen."""
    return tuple(
        _CONTROL.sub("", _SEQUENCE.sub("", _IGNORED.sub("", line)))
        for line in _decoded(prompt).split("\n")
    )


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")
