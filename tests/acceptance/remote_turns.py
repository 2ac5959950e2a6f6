"""Whose turn it is behind ssh: a command writes down the moment at which it ends, and an answer before
that which claims a turn is early."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.pythons import PY313
from tests.support.terminal import Answer, Server, Terminal, poll

from .remote import command

_LIMIT = 12.0  # seconds a turn may take
_LONGEST = 2.5  # seconds that a command lasts at most
_END = "date +%s.%N >{folder}/end"


@dataclass(frozen=True, kw_only=True)
class Program:
    """See the file."""

    start: str
    prompt: str
    texts: list[str]
    through: list[str]
    rc: str = ""
    tool: str = ""
    sets: bool = True


@dataclass(frozen=True)
class Turn:
    """One command: `late` is None where the answer came before its end."""

    program: str
    through: str
    text: str
    answer: Answer
    late: float | None

    @property
    def early(self) -> bool:
        claims = self.answer.startswith(("ready", "needs", "unfinished"))
        return claims and (self.late is None or self.late < 0)

    def __str__(self) -> str:
        late = "never" if self.late is None else f"{self.late:.2f}s"
        return f"{self.program} @ {self.through}: {self.text!r}: {late}: {self.answer!r:.160}"


def _programs() -> dict[str, Program]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text.replace("PY313", PY313 or "none").replace("END", _END))
    found = {}
    for name, row in rows["programs"].items():
        if shutil.which(row.get("tool", name)):
            found[name] = Program(**{**row, "texts": rows["texts"][row["texts"]]})
    fish = shutil.which("fish") or "true"  # it asks for bracketed paste from 4 on
    if "fish" in found and "version 3" not in subprocess.getoutput(f"{fish} --version"):
        found["fish"] = Program(**{**vars(found["fish"]), "sets": True})
    return found


PROGRAMS = _programs()


def play(server: Server, binaries: Path, name: str, through: str) -> Iterator[Turn]:
    """Every command of a program, in one pane."""
    program = PROGRAMS[name]
    folder = server.folder / f"{name}-{through}".replace(" ", "").replace(",", "")
    folder.mkdir()
    for file in ("rc", ".zshrc"):
        (folder / file).write_text(program.rc + "\n")

    def filled(text: str) -> str:
        return text.replace("{folder}", str(folder)).replace("{bin}", str(binaries))

    line = command(binaries, through, folder, filled(program.start))
    with server.open(line, ready=False, folder=folder, size=(160, 24)) as terminal:
        poll(lambda: program.prompt.strip() in terminal.screen(), what=f"{name} @ {through}")
        terminal.wait(timeout=5)
        for text in program.texts:
            turn = _turn(terminal, name, through, filled(text))
            print(turn, file=sys.stderr, flush=True)
            yield turn
            if not turn.answer.startswith("ready") or turn.early:
                time.sleep(_LONGEST)
                if not terminal.wait(timeout=5).startswith(("ready", "quiet")):
                    return


def _turn(terminal: Terminal, name: str, through: str, text: str) -> Turn:
    end = terminal.folder / "end"
    end.unlink(missing_ok=True)
    answer = terminal.run(text, timeout=_LIMIT)
    now = time.time()
    late = now - float(end.read_text()) if end.exists() and end.read_text().strip() else None
    return Turn(name, through, text, answer, late)
