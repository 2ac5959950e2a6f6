"""What is known about programs by name: one row each. No other file names a program. Pure.

A program without a row is handled by what the kernel, the terminal's modes and the screen show.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What cannot be seen from outside. A field that is left out is false, or unknown."""

    leave: str = ""  # how to leave it
    remote: bool = False  # its other end is elsewhere, is not its child, or cannot be read
    any_size: bool = False  # a relay that does not give its own size to the inner terminal
    shell: bool = False
    editor: bool = False  # a shell with a line editor of its own
    own_row: bool = False  # its prompt begins on a row of its own, whatever precedes it
    stays: bool = False  # prints no newline on Enter in the empty row below a line that fills its
    # last one: output begins there
    paste: bool = False  # takes several lines as one paste; tmux itself shows that from 3.7 on
    one_line: bool = False  # takes such a paste as one command
    asks_in_editor: bool = False  # its builtin `read` reads through the line editor
    polls_keys: bool = False  # its line editor polls, so a blocked read is for one key
    edits_in_main_thread: bool = False  # its other threads poll, but not for input
    command_option: str = ""  # takes the next word, which is not a script: fish -C
    rest: re.Pattern[str] | None = None  # the form of its continuation prompt
    rest_is_empty: bool = False  # its continuation prompt is empty
    no_prompt: bool = False  # it shows none: what is on its line was typed
    indents: bool = False  # it indents the further rows of a command, without a prompt
    search: str = ""  # the beginning of its history search, in the row below the line
    vi_command: re.Pattern[str] | None = None  # a prompt that shows that letters are commands


# zsh's names of open constructs: `quote>`, `for then>`.
_ZSH_REST = re.compile(
    r"^(?:(?:d|b)?quote|heredocd?|cmdsubst|subsh|cursh|math|pipe|function|for|foreach|select|repeat"
    r"|while|until|if|then|else|elif|case|braceparam|mathsubst|cmdand|cmdor|array|errmathsubst)"
    r"(?: [a-z]+){0,8}>$"
)

_ROWS = {
    # shells
    "bash": Program(shell=True, editor=True, stays=True, paste=True, polls_keys=True),
    "zsh": Program(shell=True, editor=True, paste=True, own_row=True, rest=_ZSH_REST),
    "fish": Program(
        shell=True,
        editor=True,
        own_row=True,
        stays=True,
        asks_in_editor=True,
        edits_in_main_thread=True,
        command_option="-C",
        indents=True,
        search="search: ",
        vi_command=re.compile(r"\[[NRV]\] "),  # `[N] ~> `
    ),
    "dash sh ash ksh mksh rbash yash": Program(shell=True, stays=True),
    "tcsh csh": Program(shell=True),
    # REPLs
    "python": Program(leave="send exit(), or keys C-d", any_size=True),
    "ipython": Program(leave="send exit, or keys C-d", paste=True),
    "ptpython": Program(paste=True),
    "irb": Program(leave="send exit, or keys C-d", rest=re.compile(r"^\?>$")),
    "node": Program(leave="send .exit, or keys C-d", rest=re.compile(r"^\|$")),
    "sqlite": Program(leave="send .quit, or keys C-d", stays=True, one_line=True),
    "psql": Program(leave="send \\q, or keys C-d", stays=True, one_line=True),
    "mysql mariadb": Program(leave="send exit"),
    "gdb": Program(leave="send quit", stays=True, one_line=True, rest=re.compile(r"^ *>$")),
    "bc": Program(leave="send quit, or keys C-d", stays=True, paste=True, no_prompt=True),
    "dc": Program(leave="send q, or keys C-d", no_prompt=True),
    "lua": Program(stays=True, paste=True, rest=re.compile(r"^>>$")),
    "perl": Program(paste=True, any_size=True),
    "R": Program(rest=re.compile(r"^\+$")),
    "guile sbcl csi": Program(rest_is_empty=True),  # guile: without its readline module
    # full screens
    "vim vi nvim": Program(leave="keys Escape, then send :q! (or :wq to save)"),
    "less more man top htop": Program(leave="keys q"),
    "nano": Program(leave="keys C-x, then n"),
    "emacs": Program(leave="keys C-x C-c"),
    "mc": Program(leave="keys F10"),
    "opencode claude": Program(leave="send /exit"),
    "codex": Program(leave="send /quit"),
    # carriers and relays
    "ssh": Program(leave="keys Enter ~ . (ends the connection)", remote=True),
    "telnet": Program(leave="keys C-], then send quit", remote=True),
    "tmux": Program(leave="keys C-b d (leaves the inner one)"),
    "sshpass mosh-client rlogin adb session-manager": Program(remote=True),
    "docker docker-compose podman nerdctl kubectl oc ctr crictl": Program(remote=True),
    "lxc incus lxc-attach machinectl systemd-run virsh": Program(remote=True),
    "tmux:client screen dtach abduco zellij": Program(remote=True),
    "socat minicom picocom tio cu": Program(remote=True),
    "expect tclsh ruby": Program(any_size=True),
    "cat": Program(leave="keys C-d"),
}
_BY_NAME = {name: row for names, row in _ROWS.items() for name in names.split()}
_UNKNOWN = Program()
# A remote program may be any of these.
_RESTS = "|".join(row.rest.pattern for row in _ROWS.values() if row.rest)
FOREIGN = Program(rest=re.compile(_RESTS), search=_BY_NAME["fish"].search)
_VERSION = re.compile(r"[\d.]+$")  # python3.11, sqlite3


def of(name: str) -> Program:
    """The row of the program `name`, as the kernel calls it: `tmux: client`, `python3.11`."""
    name = name.removesuffix(".exe").lstrip(".").replace(" ", "")
    return _BY_NAME.get(_VERSION.sub("", name), _UNKNOWN)
