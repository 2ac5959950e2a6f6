"""Real shells and programs in a real terminal: what their line editors show and read.

Other releases' shells: `PATH=$(tests/other_shells sid):$PATH tests/run tests/terminal/test_line_editor.py`.
"""

import os
import shlex
import shutil
from dataclasses import dataclass

import pytest

from python.helpers.tmux.base.words import Word
from python.helpers.tmux.facts.editor import read_editor
from tests.conftest import Terminal, poll
from tests.support.answer import MEMORY_IS_CLOSED
from tests.support.run import run
from tests.support.tables import Tables

TABLES = Tables(__file__)
pytestmark = pytest.mark.skipif(MEMORY_IS_CLOSED, reason="all of it is about that memory")
# Start a shell without settings; its prompts are `$ ` and `> `.
COMMANDS = {
    shell: f"env PS1='$ ' PS2='> ' {start}" for shell, start in (("bash", "bash --norc --noprofile"), ("zsh", "zsh -f"))
}


@dataclass(frozen=True)
class Shown:
    """What a line editor says; `cursor`: None at the end of the text."""
    prompt: str = "$ "
    text: str = ""
    cursor: int | None = None
    reads: str = "READY"
    status: int | None = 0


def shown(pid: int) -> Shown | None:
    found = read_editor(pid)
    if found is None:
        return None
    cursor = len(found.before) if found.before != found.text else None
    status = found.status or 0 if found.reads is Word.READY else 0
    return Shown(found.prompt, found.text, cursor, found.reads.name, status)


class Shell:
    """A program in a pane, what a person types there, and what its line editor says."""
    def __init__(self, terminal: Terminal, start: str) -> None:
        terminal.start(start)
        self.terminal, self.pid = terminal, int(terminal.fact("pane_pid"))
        self.types = terminal.person

    def is_at(self, expected: Shown | None) -> None:
        """It gets there, and stays: the state before Enter is taken may be the same one."""
        seen: list[Shown | None] = []

        def there() -> bool:
            seen.append(shown(self.pid))
            return seen[-3:] == [expected] * 3

        poll(there, what=f"{expected}")

    def plays(self, rows: list) -> None:
        for text, keys, then, *seen in rows:
            self.types(text, *keys.split())
            if seen:
                self.terminal.see(seen[0])
            self.is_at(None if then == "none" else Shown(**({} if then == "prompt" else then)))


SITUATIONS = [(shell, name) for shell in COMMANDS for name in TABLES[shell.upper()]]


@pytest.mark.parametrize(("shell", "name"), SITUATIONS)
def test_a_shell_s_line_editor(bare, shell, name):
    it = Shell(bare, COMMANDS[shell])
    it.is_at(Shown())
    it.plays(TABLES[shell.upper()][name])


@pytest.mark.parametrize("start", TABLES["PROGRAMS"])
def test_another_program_s_line_editor(bare, start):
    if not shutil.which(start.split()[0]):
        pytest.skip("not installed")
    Shell(bare, start).plays(TABLES["PROGRAMS"][start])


PROMPTS = [
    pytest.param(shell, text, id=f"{shell}-{name}")
    for shell in ("bash", "zsh")
    for name, text in TABLES[f"{shell.upper()}_PROMPTS"].items()
]


@pytest.mark.parametrize(("shell", "prompt"), PROMPTS)
def test_a_prompt_is_what_precedes_the_typed_text(bare, shell, prompt):
    it = Shell(bare, COMMANDS[shell])
    it.is_at(Shown())
    if shell == "zsh":
        it.plays([["setopt promptsubst; RPROMPT=right", "Enter", "prompt"]])
    it.types(f"PS1={shlex.quote(prompt)}; clear", "Enter")
    poll(lambda: "clear" not in bare.screen() and read_editor(it.pid), what="the new prompt")
    it.types("typed")

    def agrees() -> bool:
        found, row = shown(it.pid), bare.screen().splitlines()[int(bare.fact("cursor_y"))]
        row = row.removesuffix("right").rstrip()
        return found is not None and row == f"{found.prompt}typed"

    poll(agrees, what="the row with the cursor")


def test_a_shell_whose_binary_was_replaced_and_one_in_another_root(bare, tmp_path):
    """As in a container: its paths are not ours."""
    words = run("ldd", "/bin/bash").stdout.split()
    for path in ["/bin/bash", *(word for word in words if word.startswith("/"))]:
        there = tmp_path / path.lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
    start = ["unshare", "--mount", "chroot", str(tmp_path), "/bin/bash"]
    if run(*start, "-c", "true").returncode:
        start = [str(tmp_path / "bin/bash")]
    it = Shell(bare, shlex.join(["env", "PS1=$ ", *start, "--norc", "--noprofile"]))
    it.is_at(Shown())
    os.remove(tmp_path / "bin/bash")
    it.plays([["half", "", {"text": "half"}]])
