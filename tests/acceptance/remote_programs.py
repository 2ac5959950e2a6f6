"""What runs behind ssh in remote_turns, by remote_programs.toml, and what its places stand for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.pythons import PY313
from tests.support.services import POSTGRES, postgres

_END = "date +%s.%N >{folder}/end"


@dataclass(frozen=True)
class Program:
    """See the file."""

    start: str
    prompt: str
    texts: tuple[str, ...]
    rc: str = ""
    sets: bool = True
    ways: tuple[str, ...] = ("devbox", "farbox", "roughbox")


_FISH = shutil.which("fish") or ""
_HERE = {"{PY313}": PY313 or "none", "{FISH}": _FISH}
_ROWS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_TEXTS = {name: tuple(texts) for name, texts in _ROWS["texts"].items()}
_TEXTS["SHELL_AND_JOB"] = (*_TEXTS["SHELL"], "sleep 0.5 & {end}")


def _program(row: dict) -> Program:
    for name, path in _HERE.items():
        row["start"] = row["start"].replace(name, path)
    ways = tuple(row.get("ways", Program.ways))
    return Program(**{**row, "texts": _TEXTS[row["texts"]], "ways": ways})


PROGRAMS = {name: _program(row) for name, row in _ROWS["programs"].items()}
if _FISH and "version 3" not in subprocess.getoutput(f"{_FISH} --version"):
    PROGRAMS["fish"] = replace(PROGRAMS["fish"], sets=True)  # from 4 on


@contextmanager
def database() -> Iterator[None]:
    """A postgres, and this process's environment for its psql, where it is installed."""
    if not POSTGRES:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="tt-") as place:
        folder = Path(place, "postgres")
        folder.mkdir()
        if os.geteuid() == 0:
            Path(place).chmod(0o755)
            shutil.chown(folder, "postgres")
        with postgres(folder) as variables:
            os.environ.update(variables)
            yield
            for name in variables:
                del os.environ[name]


def fill(text: str, folder: Path, binaries: Path) -> str:
    """`text` with its places filled in."""
    server = " ".join(f"{name}={value}" for name, value in os.environ.items() if name[:2] == "PG")
    values = {
        "end": _END.format(folder=folder),
        "folder": str(folder),
        "rc": str(folder / "rc"),
        "bin": str(binaries),
        "psql": f"env {server} psql",
    }
    text = text.replace("{end}", values["end"])
    return re.sub(r"\{(\w+)\}", lambda name: values[name[1]], text)
