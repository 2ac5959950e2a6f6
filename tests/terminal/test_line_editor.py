"""Real shells and programs in a real terminal: their line editors say what they show and read.

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
from tests.conftest import ROOT, Terminal, poll
from tests.support.answer import MEMORY_IS_CLOSED
from tests.support.tables import Tables

TABLES = Tables(__file__)

pytestmark = pytest.mark.skipif(MEMORY_IS_CLOSED, reason="all of it is about that memory")
FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=10: ten times as many random commands, new ones
SYSTEM = "system"
RELEASES = (SYSTEM, "bullseye", "sid")  # bash 5.1, 5.2, 5.3; zsh 5.8, 5.9, 5.9.2
ENVIRONMENT = dict(os.environ)  # with the real home: what was fetched once stays
FETCHING = 100  # seconds at most, for two shells and a dozen libraries


@cache
def folder_of(release: str) -> str:
    """Where another release's shells are; "" if they cannot be fetched."""
    script = [str(ROOT / "tests/other_shells"), release]
    try:
        done = subprocess.run(
            script, capture_output=True, text=True, timeout=FETCHING, env=ENVIRONMENT
        )
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


class Shell:
    """A program in a pane, what a person types there, and what its line editor says."""

    def __init__(self, terminal: Terminal, start: str) -> None:
        terminal.start(start)
        self.terminal = terminal
        self.pid = int(terminal.fact("pane_pid"))

    def types(self, text: str, *keys: str) -> None:
        self.terminal.person(text, *keys)

    def is_at(self, expected: Editor | None) -> None:
        """It gets there, and stays."""
        seen: list[Editor | None] = []

        def there() -> bool:
            seen.append(read_editor(self.pid))
            return seen[-1] == expected

        try:
            poll(there, what=f"{expected}")
        except AssertionError:
            pytest.fail(f"{expected} is not {seen[-1]} on\n{self.terminal.screen()}")
        assert read_editor(self.pid) == expected

    def runs(self, text: str) -> None:
        """A command that prints nothing, from prompt to prompt."""
        self.types(text, "Enter")
        self.is_at(PROMPT)


def line(text: str, cursor: int | None = None, prompt: str = "$ ", status: int = 0) -> Editor:
    """Half a command."""
    at = len(text) if cursor is None else cursor
    return Editor(prompt=prompt, text=text, cursor=at, reads=Reads.COMMAND, exit_status=status)


def other(reads: Reads, text: str = "", cursor: int | None = None, prompt: str = "$ ") -> Editor:
    return replace(line(text, cursor, prompt), reads=reads, exit_status=None)


PROMPT = line("")


class Step(NamedTuple):
    """What a person types, and where the line editor is then."""

    text: str
    keys: str
    then: Editor | None
    screen: str = ""  # what is to be seen there before


TYPED = Step("echo häß€", "", line("echo häß€"))
REST = "sh -c \"echo rest''ing; exec sleep 60\""  # it says so itself, then C-c reaches it
RUNNING = Step(REST, "Enter", None, "resting")
STOPPED = Step("", "C-c", line("", status=130))
VI_COMMAND = [
    Step("abc def", "", line("abc def")),
    Step("", "Escape", other(Reads.VI_COMMAND, "abc def", 6)),
]

BASH = {
    "an empty prompt": [],
    "half a line": [TYPED],
    "half a line, the cursor at its start": [TYPED, Step("", "C-a", line("echo häß€", 0))],
    "half a line, the cursor in a word": [TYPED, Step("", "Left", line("echo häß€", 8))],
    "a line longer than the screen": [Step("x" * 4000, "", line("x" * 4000))],
    "a command runs": [RUNNING],
    "a command was stopped": [RUNNING, STOPPED],
    "C-c at half a line": [TYPED, STOPPED],
    "a failed command": [Step("(exit 42)", "Enter", line("", status=42))],
    "an open quote": [Step("echo 'a", "Enter", other(Reads.CONTINUATION, prompt="> "))],
    "half a continued line": [
        Step("for i in 1; do", "Enter", other(Reads.CONTINUATION, prompt="> ")),
        Step("echo $i", "", other(Reads.CONTINUATION, "echo $i", prompt="> ")),
    ],
    "PS1 is the same text as PS2": [
        Step("PS2=$PS1", "Enter", PROMPT),
        Step("echo 'a", "Enter", other(Reads.CONTINUATION)),
        Step("'>/dev/null", "Enter", PROMPT),
    ],
    "read -e": [Step("read -e -p 'Name: '", "Enter", other(Reads.QUESTION, prompt="Name: "))],
    "read -e without a prompt": [Step("read -e", "Enter", other(Reads.QUESTION, prompt=""))],
    "read -e with the prompt's text": [
        Step("read -e -p '$ '", "Enter", other(Reads.QUESTION)),
        Step("yes", "", other(Reads.QUESTION, "yes")),
        Step("", "Enter", PROMPT),
    ],
    "read -e in a function, left with C-c": [
        Step("f() { read -e -p 'Name: '; }; f", "Enter", other(Reads.QUESTION, prompt="Name: ")),
        STOPPED,
    ],
    "read -e in a key's command": [
        Step('bind -x \'"\\C-t": read -e -p "Name: "\'', "Enter", PROMPT),
        Step("", "C-t", other(Reads.QUESTION, prompt="Name: ")),
        Step("", "Enter", PROMPT),
    ],
    "plain read": [Step("read -p 'Name: '", "Enter", None)],
    "C-r": [
        TYPED,
        Step("", "C-r", other(Reads.SEARCH, "echo häß€", prompt="(reverse-i-search)`': ")),
    ],
    "C-r that finds nothing": [
        Step("", "C-r", other(Reads.SEARCH, prompt="(reverse-i-search)`': ")),
        Step("zz", "", other(Reads.SEARCH, prompt="(failed reverse-i-search)`zz': ")),
        Step("", "C-g", PROMPT),
    ],
    "M-p": [Step("", "M-p", other(Reads.SEARCH, prompt="$ :"))],
    "after Escape": [Step("", "Escape", other(Reads.KEY))],
    "after Escape 3": [Step("", "M-3", other(Reads.KEY, prompt="(arg: 3) ")), STOPPED],
    "after C-v": [Step("", "C-v", other(Reads.KEY)), Step("", "C-c", line("\x03"))],
    "half a paste": [
        Step("\x1b[200~half", "", other(Reads.KEY)),
        Step("\x1b[201~", "", line("half")),
    ],
    "too many possibilities": [
        Step("ls /usr/bin/", "Tab Tab", other(Reads.KEY, "ls /usr/bin/"), "Display all"),
        Step("y", "", other(Reads.KEY, "ls /usr/bin/"), "--More--"),
        Step("q", "", line("ls /usr/bin/")),
    ],
    "a slow completion": [
        Step(f"rest() {{ {REST}; }}; complete -F rest foo", "Enter", PROMPT),
        Step("foo ", "Tab", None, "resting"),
        Step("", "C-c", line("foo ")),
    ],
    "a key's command runs": [
        Step(f"rest() {{ {REST}; }}; bind -x '\"\\C-t\": rest'", "Enter", PROMPT),
        Step("", "C-t", None, "resting"),
    ],
    "vi's command mode": [Step("set -o vi", "Enter", PROMPT), *VI_COMMAND],
    "vi's command mode, in the middle of a command": [
        Step("set -o vi", "Enter", PROMPT),
        *VI_COMMAND,
        Step("d", "", other(Reads.KEY, "abc def", 6)),
    ],
    "vi's search": [
        Step("set -o vi", "Enter", PROMPT),
        *VI_COMMAND,
        Step("/", "", other(Reads.SEARCH, prompt="$ /")),
        Step("ab", "", other(Reads.SEARCH, "ab", prompt="$ /")),
    ],
    "vi's search and count, left with C-c": [
        Step("set -o vi", "Enter", PROMPT),
        Step("", "Escape", other(Reads.VI_COMMAND)),
        Step("/", "", other(Reads.SEARCH, prompt="$ /")),
        STOPPED,
        Step("abc", "", line("abc", status=130)),
    ],
    "the mode in the prompt": [
        Step("bind 'set show-mode-in-prompt on'; set -o vi", "Enter", line("", prompt="(ins)$ ")),
        Step("", "Escape", other(Reads.VI_COMMAND, prompt="(cmd)$ ")),
    ],
    "a bash in it": [Step("bash --norc", "Enter", None)],
    "another shell in its place": [
        Step("exec zsh -f", "Enter", PROMPT),
        Step("(exit 3)", "Enter", line("", status=3)),
    ],
    "a shell without a line editor in its place": [Step("exec bash --noediting", "Enter", None)],
}

ZSH = {
    "an empty prompt": [],
    "half a line": [TYPED],
    "half a line, the cursor at its start": [TYPED, Step("", "C-a", line("echo häß€", 0))],
    "half a line, the cursor in a word": [TYPED, Step("", "Left", line("echo häß€", 8))],
    "a line longer than the screen": [Step("x" * 4000, "", line("x" * 4000))],
    "several lines at once": [
        Step("echo a", "Escape Enter", line("echo a\n")),
        Step("echo b", "", line("echo a\necho b")),
        Step("", "Up", line("echo a\necho b", 6)),
    ],
    "wide and combined letters": [
        Step("日本 e\u0301 \U0001f44d\U0001f3fd", "", line("日本 e\u0301 \U0001f44d\U0001f3fd"))
    ],
    "a command runs": [RUNNING],
    "a command was stopped": [RUNNING, STOPPED],
    "C-c at half a line": [TYPED, STOPPED],
    "a failed command": [Step("(exit 42)", "Enter", line("", status=42))],
    "an open quote": [Step("echo 'a", "Enter", other(Reads.CONTINUATION, prompt="> "))],
    "vared": [
        Step("x=old; vared -p 'x is ' x", "Enter", other(Reads.QUESTION, "old", prompt="x is "))
    ],
    "select": [Step("select x in a b; do done", "Enter", other(Reads.QUESTION, prompt="?# "))],
    "plain read": [Step("read 'x?Name: '", "Enter", None)],
    "C-r": [TYPED, Step("", "C-r", other(Reads.SEARCH, "echo häß€"))],
    "C-r that finds nothing": [
        Step("", "C-r", other(Reads.SEARCH)),
        Step("zz", "", other(Reads.SEARCH)),
        Step("", "C-g", PROMPT),
    ],
    "M-x": [Step("", "M-x", other(Reads.KEY)), Step("", "C-g", PROMPT)],
    "after Escape": [Step("", "Escape", other(Reads.KEY))],
    "after Escape 3": [Step("", "M-3", other(Reads.KEY)), Step("a", "", line("aaa"))],
    "after C-v": [Step("", "C-v", other(Reads.KEY))],
    "too many possibilities": [
        Step("ls /usr/bin/", "Tab", other(Reads.KEY, "ls /usr/bin/"), "do you wish to see all"),
        Step("n", "", line("ls /usr/bin/")),
    ],
    "a menu": [
        Step("zmodload zsh/complist; autoload compinit; compinit -D", "Enter", PROMPT),
        Step("zstyle ':completion:*' menu select=1", "Enter", PROMPT),
        Step("ls /usr/s", "Tab", line("ls /usr/s")),
        Step("", "Tab", other(Reads.KEY, "ls /usr/sbin/")),
        Step("", "C-g", line("ls /usr/s")),
    ],
    "a key's command runs": [
        Step(f"w() {{ {REST} }}; zle -N w; bindkey '^T' w", "Enter", PROMPT),
        Step("abc", "C-t", other(Reads.KEY, "abc"), "resting"),
    ],
    "a suggestion": [
        Step("p() { POSTDISPLAY=' or so' }; zle -N p; bindkey '^T' p", "Enter", PROMPT),
        Step("abc", "C-t", line("abc")),
    ],
    "vi's command mode": [Step("bindkey -v", "Enter", PROMPT), *VI_COMMAND],
    "vi's command mode, in the middle of a command": [
        Step("bindkey -v", "Enter", PROMPT),
        *VI_COMMAND,
        Step("d", "", other(Reads.KEY, "abc def", 6)),
    ],
    "vi's search": [
        Step("bindkey -v", "Enter", PROMPT),
        *VI_COMMAND,
        Step("/", "", other(Reads.SEARCH, "abc def", 6)),
    ],
    "a bash in its place": [Step("exec bash --norc", "Enter", PROMPT)],
    "no line editor": [Step("unsetopt zle", "Enter", None)],
}

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

BASH_PROMPTS = TABLES["BASH_PROMPTS"]
ZSH_PROMPTS = TABLES["ZSH_PROMPTS"]
PROMPTS = [
    *((pytest.param("bash", text, id=f"bash-{name}")) for name, text in BASH_PROMPTS.items()),
    *((pytest.param("zsh", text, id=f"zsh-{name}")) for name, text in ZSH_PROMPTS.items()),
]


@pytest.mark.parametrize(("shell", "prompt"), PROMPTS)
def test_a_prompt_is_what_stands_before_the_typed_text(bare, shell, prompt):
    it = Shell(bare, command(shell, SYSTEM))
    it.is_at(PROMPT)
    if shell == "zsh":
        it.runs("setopt promptsubst; RPROMPT=right")
    it.types(f"PS1={shlex.quote(prompt)}; clear", "Enter")
    poll(lambda: "clear" not in bare.screen() and read_editor(it.pid), what="the new prompt")
    it.types("typed")

    def agrees() -> bool:
        editor, screen = read_editor(it.pid), bare.screen()
        row = screen.splitlines()[int(bare.fact("cursor_y"))].removesuffix("right").rstrip()
        return editor is not None and row == f"{editor.prompt}typed" and editor.exit_status == 0

    poll(agrees, what="the row with the cursor")


# --- the exit status


def random_commands(count: int) -> list[tuple[str, int | None]]:
    """Commands with the status they end with; None: the one before stays."""
    chance = random.Random(None if FUZZ > 1 else 7)

    def one() -> tuple[str, int | None]:
        status, more = chance.randrange(256), chance.randrange(256)
        return chance.choice(
            [
                (f"(exit {status})", status),
                (f"sh -c 'exit {status}'", status),
                (f"(exit {more}) | (exit {status})", status),
                (f"f() {{ return {status}; }}; f", status),
                (f"x=$(exit {status})", status),
                (f": $(exit {status})", 0),
                (f"true && (exit {status}) || (exit {more})", status and more),
                (f"! (exit {status})", int(not status)),
                (f"eval '(exit {status})' # {more}", status),
                (f"if (exit {more}); then true; else (exit {status}); fi", more and status),
                ("true", 0),
                ("false", 1),
                ("ls /nonexistent", 2),
                ("cd /nonexistent", 1),
                ("no-such-command", 127),
                ("/", 126),
                ("sh -c 'kill -9 $$'", 137),
                ("[ 1 = 2 ]", 1),
                ("true & wait", 0),
                ("sleep 0.05; (exit 9)", 9),
                ("", None),
            ]
        )

    return [one() for _ in range(count)]


COUNT = {  # what counts the prompts, and would change the status if anything did
    "bash": "n=0; PROMPT_COMMAND='((n++)); false'; trap '(exit 77)' DEBUG; PS1='$n$(false)> '",
    "zsh": "n=0; precmd() { ((n++)); false }; preexec() { (exit 77) }; setopt promptsubst; "
    "PS1='$n$(false)> '",
}


@pytest.mark.timeout(180 * FUZZ)
@pytest.mark.parametrize("release", AS_PARAMETERS)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_exit_status_of_random_commands_whatever_hooks_there_are(bare, shell, release):
    it = Shell(bare, command(shell, release))
    it.is_at(PROMPT)
    it.types(COUNT[shell], "Enter")
    it.is_at(line("", prompt="1> "))
    expected = 0
    for number, (text, status) in enumerate(random_commands(60 * FUZZ), start=2):
        it.types(text, "Enter")
        now = f"{number}> "
        expected = expected if status is None else status

        def awaited(now: str = now) -> Editor | None:
            editor = read_editor(it.pid)
            here = editor and editor.prompt == now and editor.reads is Reads.COMMAND
            return editor if here else None

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
    poll(lambda: read_editor(pid) == line("", status=6))
    assert read_editor(it.pid) is None


# --- other programs


def at(prompt: str, text: str = "") -> Editor:
    return other(Reads.COMMAND, text, prompt=prompt)


PENDING = "Make breakpoint pending on future shared library load? (y or [n]) "
PROGRAMS = {
    "sqlite3": [
        Step("", "", at("sqlite> ")),
        Step("select 1", "Enter", at("   ...> ")),
        Step("fro", "", at("   ...> ", "fro")),
        Step("", "C-r", other(Reads.SEARCH, "fro", prompt="(reverse-i-search)`': ")),
    ],
    "bc -q": [Step("", "", at("")), Step("1+", "", at("", "1+"))],
    "gdb -q -nx": [
        Step("", "", at("(gdb) ")),
        Step("break foo", "Enter", at(PENDING)),
        Step("n", "Enter", at("(gdb) ")),
        Step("", "C-v", other(Reads.KEY, prompt="(gdb) ")),
        Step("a", "", at("(gdb) ", "a")),
        Step("", "C-u", at("(gdb) ")),
        Step("", "M-3", other(Reads.KEY, prompt="(arg: 3) ")),
        Step("", "C-c", other(Reads.KEY, prompt="(gdb) ")),  # it is 3 still, as the next step shows
        Step("a", "", at("(gdb) ", "aaa")),
        Step("", "C-u", at("(gdb) ")),
        Step("show ", "Tab Tab", other(Reads.KEY, "show ", prompt="(gdb) ")),
        Step("n", "C-u", at("(gdb) ")),
        Step("shell sleep 60", "Enter", None),
    ],
    "/usr/bin/python3 -q": [
        Step("", "", at(">>> ")),
        Step("def f():", "Enter", at("... ")),
        Step("", "Enter", at(">>> ")),
        Step("input('\\033[1mName\\033[0m: ')", "Enter", at("Name: ")),
        Step("", "Enter", at(">>> ")),
        Step("", "C-r", other(Reads.SEARCH, prompt="(reverse-i-search)`': ")),
        Step("", "C-c", at(">>> ")),
        Step("import time; time.sleep(60)", "Enter", None),
    ],
    "lua5.4": [Step("", "", at("> ")), Step("for i=1,2 do", "Enter", at(">> "))],
    "fish --no-config": [Step("echo half", "", None)],
    "dash": [Step("echo half", "", None)],
    "cat": [Step("half", "", None)],
}


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
    libraries = re.findall(r"/\S+", subprocess.check_output(["ldd", "/bin/bash"], text=True))
    for path in ["/bin/bash", *libraries]:
        there = tmp_path / path.lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, there)
    there = ["unshare", "--mount", "chroot", str(tmp_path)]
    if subprocess.run([*there, "/bin/bash", "-c", "true"], capture_output=True).returncode:
        pytest.skip("chroot is not permitted here")
    it = Shell(bare, shlex.join(["env", "PS1=$ ", *there, "/bin/bash", "--norc", "--noprofile"]))
    it.is_at(PROMPT)
    it.types("half")
    it.is_at(line("half"))
