"""What runs behind ssh in remote_turns: each program, its commands, what each writes at its end."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.devbox import free_port
from tests.support.pythons import PY313
from tests.support.terminal import poll

_END = "date +%s.%N >{folder}/end"


@dataclass(frozen=True)
class Program:
    """`start`: its command line; `prompt`: as it ends; `texts`: the commands; `rc`: its settings;
    `sets`: it asks for bracketed paste; `ways`: the hosts it is started on, "" is this machine.

    In `start` and `texts`: {folder} is a folder of its own, {rc} the file `rc` in it, {end} writes
    down the moment, {bin} has an ssh that knows the hosts, {psql} knows the server.
    """

    start: str
    prompt: str
    texts: tuple[str, ...]
    rc: str = ""
    sets: bool = True
    ways: tuple[str, ...] = ("devbox", "farbox", "roughbox")


_SHELL = (
    "{end}",
    "echo hi; {end}",
    "sleep 1.3; {end}",
    "printf 'user@host:~$ '; sleep 1.5; echo; {end}",
    "printf 'Downloading 45%% '; sleep 1.2; echo done; {end}",
    "echo 'Building: '; sleep 0.9; echo 'Name: '; sleep 0.9; {end}",
    "echo one; sleep 0.7; echo two; sleep 0.7; {end}",
    "printf 'no end of line'; {end}",
    "clear; {end}",
    "seq 400; {end}",
    "stty -echo; sleep 0.4; stty echo; {end}",
    "true; sleep 0.3; {end}",
)
_JOB = ("sleep 0.5 & {end}",)
_RC = "PS1='user@host:\\w$ '"
_SMKX = (
    "PS1='%n@%m %~ %# '; zle-line-init() { echoti smkx }; zle -N zle-line-init;"
    " zle-line-finish() { echoti rmkx }; zle -N zle-line-finish"
)
_NOW = "open('{folder}/end','w').write(str(__import__('time').time())) and None"
_PYTHON = (
    _NOW,
    f"__import__('time').sleep(1.2); {_NOW}",
    f"print('>>> ', end='', flush=True); __import__('time').sleep(1.2); {_NOW}",
    f"print(*range(300), sep='\\n'); {_NOW}",
)
_SQLITE = (
    f".shell {_END}",
    f".shell sleep 1.2; {_END}",
    f".shell seq 200; {_END}",
    f".shell printf 'sqlite> '; sleep 1.2; {_END}",
)
_PSQL = (
    f"\\! {_END}",
    f"select 1; \\! {_END}",
    f"select pg_sleep(1.2); \\! {_END}",
    f"select * from generate_series(1, 200); \\! {_END}",
    f"\\! printf 'postgres=# '; sleep 1.2; {_END}",
)
_BASH = "bash --noprofile --rcfile {rc}"
_ZSH = "env ZDOTDIR={folder} zsh -d"
_FISH = shutil.which("fish") or ""
_FISH_SETS = bool(_FISH) and "version 3" not in subprocess.getoutput(f"{_FISH} --version")
# A relay of docker's kind: its name is all that tells that nothing behind it can be seen.
_DOCKER = "{bin}/docker -qfc 'unshare -fp --mount-proc " + _BASH + "' /dev/null"

PROGRAMS = {
    "bash": Program(_BASH, "$ ", _SHELL + _JOB, rc=_RC),
    "zsh": Program(_ZSH, "% ", _SHELL, rc="PS1='%n@%m %~ %% '"),
    "zsh, keypad": Program(_ZSH, "# ", _SHELL, rc=_SMKX),
    "fish": Program(f"env XDG_CONFIG_HOME={{folder}} {_FISH}", "@", _SHELL, sets=_FISH_SETS),
    "dash": Program("env ENV={rc} dash", "$ ", _SHELL, rc="PS1='$ '", sets=False),
    "python 3.13": Program(f"{PY313} -q", ">>> ", _PYTHON),
    "sqlite3": Program("sqlite3 :memory:", "sqlite> ", _SQLITE),
    "psql": Program("{psql} -P pager=off", "=# ", _PSQL),
    "ssh in ssh": Program("{bin}/ssh -t devbox " + _BASH, "$ ", _SHELL + _JOB, rc=_RC),
    "sudo -i": Program("sudo HISTFILE= -i", "# ", _SHELL + _JOB),
    "su -": Program("env HISTFILE= su -w HISTFILE -", "# ", _SHELL + _JOB),
    "docker": Program(_DOCKER, "$ ", _SHELL + _JOB, rc=_RC, ways=("",)),
    "mosh": Program(
        "{bin}/mosh --no-init devbox -- " + _BASH, "$ ", _SHELL + _JOB, rc=_RC, ways=("",)
    ),
}


@contextmanager
def postgres() -> Iterator[None]:
    """A server, and this process's environment for its psql, where it is installed."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not places:
        yield
        return
    folder, user = Path(tempfile.mkdtemp(prefix="tt-")), []
    if os.geteuid() == 0:  # it refuses to run as root
        shutil.chown(folder, "postgres")
        user = ["runuser", "-u", "postgres", "--"]
    port, data = free_port(), folder / "data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    begin = [places[-1].with_name("initdb"), "-A", "trust", "-U", "postgres", "-D", data]
    subprocess.run([*user, *begin], check=True, timeout=60, **quiet)
    options = ["-D", data, "-k", folder, "-p", str(port), "-c", "listen_addresses=127.0.0.1"]
    server = subprocess.Popen([*user, places[-1], *options], **quiet)
    names = {"PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "postgres"}
    os.environ.update(names)
    try:
        poll(lambda: (folder / f".s.PGSQL.{port}").exists(), what="postgres")
        yield
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
        for name in names:
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
