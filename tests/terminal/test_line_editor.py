"""Real shells and programs in a real terminal: what their line editors show and read.

bash and zsh also come from two other Debian releases, where `tests/other_shells` can fetch them.
"""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from python.helpers.tmux.evidence.editor.line_editor import (
    Editor,
    Reads,
    last_exit_status,
    read_editor,
)
from tests.conftest import Terminal, poll
from tests.support.answer import MEMORY_IS_CLOSED
from tests.support.examples import FUZZ
from tests.support.run import ROOT, run
from tests.support.tables import Tables

TABLES = Tables(__file__)

pytestmark = pytest.mark.skipif(MEMORY_IS_CLOSED, reason="all of it is about that memory")
SYSTEM = "system"
RELEASES = (SYSTEM, "bullseye", "sid")  # bash 5.1, 5.2, 5.3; zsh 5.8, 5.9, 5.9.2
ENVIRONMENT = dict(os.environ)  # with the real home: what was fetched once stays
FETCHING = 100  # seconds at most, for two shells and a dozen libraries


@cache
def folder_of(release: str) -> str:
    """Where another release's shells are; "" if they cannot be fetched."""
    try:
        done = run(ROOT / "tests/other_shells", release, timeout=FETCHING, env=ENVIRONMENT)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout.strip()


def command(shell: str, release: str) -> str:
    """Starts a shell without settings; its prompts are `$ ` and `> `."""
    if release == SYSTEM:
        start = {"bash": "bash --norc --noprofile", "zsh": "zsh -f"}[shell]
        return f"env PS1='$ ' PS2='> ' {start}"
    folder = folder_of(release)
    if not folder:
        pytest.skip(f"the shells of {release} could not be fetched")
    # that zsh finds its modules by a start file of its own
    start = {"bash": "bash --norc --noprofile", "zsh": "zsh"}[shell]
    return f"env PS1='$ ' PS2='> ' {folder}/{start}"


class Shown(NamedTuple):
    """What a line editor says, and with what the shell's last command ended where it reads one."""

    editor: Editor
    status: int | None


def shown(pid: int) -> Shown | None:
    editor = read_editor(pid)
    reads_command = editor is not None and editor.reads is Reads.COMMAND
    return editor and Shown(editor, last_exit_status(pid) if reads_command else None)


class Shell:
    """A program in a pane, what a person types there, and what its line editor says."""

    def __init__(self, terminal: Terminal, start: str) -> None:
        terminal.start(start)
        self.terminal = terminal
        self.pid = int(terminal.fact("pane_pid"))

    def types(self, text: str, *keys: str) -> None:
        self.terminal.person(text, *keys)

    def is_at(self, expected: Shown | None) -> None:
        """It gets there, and stays: the state before Enter is taken may be the same one."""
        seen: list[Shown | None] = []

        def there() -> bool:
            seen.append(shown(self.pid))
            return seen[-3:] == [expected] * 3

        try:
            poll(there, what=f"{expected}")
        except AssertionError:
            pytest.fail(f"{expected} is not {seen[-1]} on\n{self.terminal.screen()}")

    def runs(self, text: str) -> None:
        """A command that prints nothing, from prompt to prompt."""
        self.types(text, "Enter")
        self.is_at(PROMPT)


def line(text: str, cursor: int | None = None, prompt: str = "$ ", status: int = 0) -> Shown:
    """Half a command."""
    at = len(text) if cursor is None else cursor
    return Shown(Editor(prompt=prompt, text=text, cursor=at, reads=Reads.COMMAND), status)


PROMPT = line("")


class Step(NamedTuple):
    """What a person types, and where the line editor is then."""

    text: str
    keys: str
    then: Shown | None
    screen: str = ""  # what is to be seen there before


def steps_of(name: str) -> dict[str, list[Step]]:
    """A table of the file, as its first lines say."""
    return {
        title: [Step(row[0], row[1], editor(row[2]), *row[3:]) for row in rows]
        for title, rows in TABLES[name].items()
    }


def editor(then: str | dict) -> Shown | None:
    if isinstance(then, str):
        return PROMPT if then == "prompt" else None
    facts = dict(then)
    reads, status = facts.pop("reads", ""), facts.pop("status", 0)
    found = line(facts.pop("text", ""), **facts)
    if reads:
        return Shown(replace(found.editor, reads=Reads[reads]), None)
    return found._replace(status=status)


LONG = {"a line longer than the screen": [Step("x" * 4000, "", line("x" * 4000))]}
BASH, ZSH = steps_of("BASH") | LONG, steps_of("ZSH") | LONG
# Another release has other addresses; what a state means is the same.
IN_OTHER_RELEASES = {
    "half a line, the cursor in a word",
    "a failed command",
    "an open quote",
    "read -e",
    "vared",
    "C-r",
    "too many possibilities",
    "vi's command mode",
}
AS_PARAMETERS = [
    pytest.param(release, id=release, marks=[] if release == SYSTEM else pytest.mark.thorough)
    for release in RELEASES
]
SITUATIONS = [
    pytest.param(shell, release, name, id=f"{shell}-{release}-{name}", marks=parameter.marks)
    for parameter in AS_PARAMETERS
    for release in parameter.values
    for shell, situations in (("bash", BASH), ("zsh", ZSH))
    for name in situations
    if release == SYSTEM or name in IN_OTHER_RELEASES
]


@pytest.mark.timeout(180)  # the first of another release fetches it
@pytest.mark.parametrize(("shell", "release", "name"), SITUATIONS)
def test_a_shell_s_line_editor(bare, shell, release, name):
    it = Shell(bare, command(shell, release))
    it.is_at(PROMPT)
    for one in {"bash": BASH, "zsh": ZSH}[shell][name]:
        it.types(one.text, *one.keys.split())
        bare.see(one.screen)
        it.is_at(one.then)


# --- prompts, as they are on the screen

PROMPTS = [
    pytest.param(shell, text, id=f"{shell}-{name}")
    for shell in ("bash", "zsh")
    for name, text in TABLES[f"{shell.upper()}_PROMPTS"].items()
]


@pytest.mark.parametrize(("shell", "prompt"), PROMPTS)
def test_a_prompt_is_what_precedes_the_typed_text(bare, shell, prompt):
    it = Shell(bare, command(shell, SYSTEM))
    it.is_at(PROMPT)
    if shell == "zsh":
        it.runs("setopt promptsubst; RPROMPT=right")
    it.types(f"PS1={shlex.quote(prompt)}; clear", "Enter")
    poll(lambda: "clear" not in bare.screen() and read_editor(it.pid), what="the new prompt")
    it.types("typed")

    def agrees() -> bool:
        found, screen = shown(it.pid), bare.screen()
        row = screen.splitlines()[int(bare.fact("cursor_y"))].removesuffix("right").rstrip()
        return found is not None and (row, found.status) == (f"{found.editor.prompt}typed", 0)

    poll(agrees, what="the row with the cursor")


# --- the exit status


def random_commands(count: int) -> list[tuple[str, int | None]]:
    """Commands with the status they end with; None: the one before stays."""
    chance = random.Random(None if FUZZ > 1 else 7)

    def drawn() -> tuple[str, int | None]:
        one, other = chance.randrange(256), chance.randrange(256)
        known = {"one": one, "not one": int(not one), "one and other": one and other, "": None}
        text, status = chance.choice(TABLES["COMMANDS"])
        return text.replace("ONE", str(one)).replace("OTHER", str(other)), known.get(status, status)

    return [drawn() for _ in range(count)]


@pytest.mark.timeout(180 * FUZZ)
@pytest.mark.parametrize("release", AS_PARAMETERS)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_exit_status_of_random_commands_whatever_hooks_there_are(bare, shell, release):
    it = Shell(bare, command(shell, release))
    it.is_at(PROMPT)
    it.types(TABLES["COUNT"][shell], "Enter")
    it.is_at(line("", prompt="1> "))
    expected = 0
    for number, (text, status) in enumerate(random_commands(60 * FUZZ), start=2):
        it.types(text, "Enter")
        now = f"{number}> "
        expected = expected if status is None else status

        def awaited(now: str = now) -> Shown | None:
            found = shown(it.pid)
            here = found and found.editor.prompt == now and found.editor.reads is Reads.COMMAND
            return found if here else None

        assert poll(awaited, what=now) == line("", prompt=now, status=expected), text


@pytest.mark.parametrize(("text", "status"), [("(exit 7)", 7), ("true", 0)])
def test_a_shell_without_a_line_editor_has_an_exit_status(bare, text, status):
    it = Shell(bare, "env PS1='$ ' bash --norc --noediting")
    it.types(f"false; {text}; PS1='now '", "Enter")  # an assignment ends with 0
    it.types(text, "Enter")
    poll(lambda: bare.screen().count("now") >= 3 and last_exit_status(it.pid) == status)
    assert read_editor(it.pid) is None


def test_every_shell_of_a_nest_has_its_own(bare):
    it = Shell(bare, command("bash", SYSTEM))
    it.types("(exit 5); sleep 1; zsh -f", "Enter")

    def inner() -> int | None:
        children = Path(f"/proc/{it.pid}/task/{it.pid}/children").read_text().split()
        return int(children[0]) if children and read_editor(int(children[0])) else None

    pid = poll(inner, what="the zsh in the bash")
    it.types("(exit 6)", "Enter")
    poll(lambda: shown(pid) == line("", status=6))
    assert read_editor(it.pid) is None


# --- other programs


PROGRAMS = steps_of("PROGRAMS")


@pytest.mark.parametrize("start", PROGRAMS.keys())
def test_another_program_s_line_editor(bare, start):
    if not shutil.which(start.split()[0]):
        pytest.skip("not installed")
    it = Shell(bare, start)
    for one in PROGRAMS[start]:
        it.types(one.text, *one.keys.split())
        if one.text:
            bare.see(one.text.split("\\")[0].strip()[:20])
        it.is_at(one.then)


def test_a_shell_whose_binary_was_replaced(bare, tmp_path):
    binary = shutil.copy("/bin/bash", tmp_path / "bash")
    it = Shell(bare, f"env PS1='$ ' {binary} --norc --noprofile")
    it.is_at(PROMPT)
    os.remove(binary)
    it.types("half")
    it.is_at(line("half"))


def test_a_shell_in_another_root(bare, tmp_path):
    """As in a container: its paths are not ours."""
    libraries = re.findall(r"/\S+", run("ldd", "/bin/bash").stdout)
    for path in ["/bin/bash", *libraries]:
        there = tmp_path / path.lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
    there = ["unshare", "--mount", "chroot", str(tmp_path)]
    if run(*there, "/bin/bash", "-c", "true").returncode:
        pytest.skip("chroot is not permitted here")
    it = Shell(bare, shlex.join(["env", "PS1=$ ", *there, "/bin/bash", "--norc", "--noprofile"]))
    it.is_at(PROMPT)
    it.types("half")
    it.is_at(line("half"))
