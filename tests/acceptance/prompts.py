"""The shells, prompts and REPLs in which bodies are compared. Adding one is one row."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

from tests.support.answer import MEMORY_IS_CLOSED
from tests.support.fish import has_read_manuals
from tests.support.pythons import PY311, PY313

from .languages import (
    BC,
    BUSYBOX,
    DASH,
    FISH,
    IRB,
    LUA,
    NODE,
    PYTHON,
    PYTHON_313,
    SHELL,
    SQLITE,
    Shell,
)


@dataclass(frozen=True)
class Prompt:
    """A program and the prompt it shows.

    command: `{rc}` is a file with `rc` in it, `{folder}` an empty folder; last: the prompt's last
    row, as wide as it is drawn; remote: whether it is tried over ssh too; ticks: an upper row
    changes by itself, which only the line editor's memory tells from output.
    """

    command: str
    language: Shell
    last: str
    rc: str = ""
    remote: bool = False
    ticks: bool = False

    def is_there(self) -> bool:
        if self.ticks and MEMORY_IS_CLOSED:
            return False
        words = [word for word in self.command.split() if "=" not in word and word != "env"]
        return bool(words and shutil.which(words[0]))

    def start(self, folder: Path) -> str:
        """The command line; writes what it needs into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        has_read_manuals(folder)
        for name in ("rc", ".zshrc"):
            (folder / name).write_text(self.rc)
        return self.command.format(rc=folder / "rc", folder=folder)


_BASH = "env HISTFILE= bash --noprofile --rcfile {rc}"
_ZSH = "env ZDOTDIR={folder} zsh -d"
_FISH = "env XDG_CONFIG_HOME={folder} XDG_DATA_HOME={folder} fish -C 'source {rc}'"
_HOST = socket.gethostname().partition(".")[0]
_FISH_LAST = f"{getpass.getuser()}@{_HOST} w{'>' if os.geteuid() else '#'} "
_RIGHT = r"\[\e7\e[999C\e[7D\t\e8\]"

PROMPTS = {
    "bash": Prompt(_BASH, SHELL, "$ ", "PS1='$ '", remote=True),
    "bash, two rows": Prompt(_BASH, SHELL, "> ", r"PS1='~/work (main)\n> '", remote=True),
    "bash, a clock above": Prompt(_BASH, SHELL, "$ ", r"PS1='[\t] ~/work\n$ '", ticks=True),
    "bash, a right prompt": Prompt(_BASH, SHELL, "$ ", rf"PS1='{_RIGHT}$ '"),
    "bash, no line editor": Prompt(_BASH + " --noediting", DASH, "$ ", "PS1='$ '"),
    "zsh": Prompt(_ZSH, SHELL, "% ", "PS1='%% '", remote=True),
    "zsh, two rows": Prompt(_ZSH, SHELL, "% ", "PS1=$'~/work (main)\\n%% '"),
    "zsh, a right prompt": Prompt(_ZSH, SHELL, "% ", "PS1='%% '; RPROMPT='%*'"),
    "zsh, transient": Prompt(
        _ZSH, SHELL, "% ", "PS1='%% '; RPROMPT='right'; setopt transient_rprompt"
    ),
    "fish": Prompt(
        _FISH,
        FISH,
        _FISH_LAST,
        "set -g fish_greeting; function prompt_pwd; echo w; end",
        remote=True,
    ),
    "fish, two rows": Prompt(
        _FISH,
        FISH,
        "> ",
        "set -g fish_greeting; function fish_prompt; printf '~/work (main)\\n> '; end",
    ),
    "dash": Prompt("env ENV={rc} dash", DASH, "$ ", "PS1='$ '", remote=True),
    "dash, two rows": Prompt("env ENV={rc} dash", DASH, "$ ", "PS1='~/work\n$ '"),
    "mksh": Prompt("env ENV={rc} mksh", SHELL, "$ ", "PS1='$ '"),
    "busybox": Prompt("env ENV={rc} busybox sh", BUSYBOX, "$ ", "PS1='$ '"),
    "python 3.11": Prompt(f"{PY311} -q", PYTHON, ">>> ", remote=True),
    "python 3.13": Prompt(f"{PY313 or 'none'} -q", PYTHON_313, ">>> "),
    "sqlite3": Prompt("sqlite3 :memory:", SQLITE, "sqlite> "),
    "node": Prompt("node", NODE, "> "),
    "lua": Prompt("lua", LUA, "> "),
    "irb": Prompt("irb --simple-prompt -f", IRB, ">> "),
    "bc": Prompt("env BC_LINE_LENGTH=0 bc -q", BC, ""),
}
