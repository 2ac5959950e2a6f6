"""The shells, prompts and REPLs in which bodies are compared: prompts.toml has a row for each."""

import os
import shutil
import socket
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.pythons import PY311, PY313
from tests.support.surroundings import has_read_manuals, user

from .shapes import LANGUAGES, Language


@dataclass(frozen=True)
class Prompt:
    """A program and the prompt it shows, see the file."""
    command: str
    language: Language
    last: str
    rc: str = ""

    def is_there(self) -> bool:
        words = [word for word in self.command.split() if "=" not in word and word != "env"]
        return bool(words and shutil.which(words[0]))

    def start(self, folder: Path) -> str:
        """The command line; writes what it needs into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        has_read_manuals(folder)
        for name in ("rc", ".zshrc"):
            (folder / name).write_text(self.rc)
        return self.command.format(rc=folder / "rc", folder=folder)


_HOST = socket.gethostname().partition(".")[0]
_HERE = {  # what the file cannot know
    "{PY311}": PY311,
    "{PY313}": PY313 or "none",
    "{FISH}": f"{user()}@{_HOST} w{'>' if os.geteuid() else '#'} ",
}


def _prompt(command: str, language: str, last: str, *more: Any) -> Prompt:
    command = _TABLES["COMMANDS"].get(command, command)
    for name, text in _HERE.items():
        command, last = command.replace(name, text), last.replace(name, text)
    return Prompt(command, LANGUAGES[language], last, *more)


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PROMPTS = {name: _prompt(*row) for name, row in _TABLES["PROMPTS"].items()}
