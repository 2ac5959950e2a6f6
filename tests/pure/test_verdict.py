"""The decision table alone, no tmux: what the kernel, the line editor and the screen told in each
situation (facts/terminal-signals.md, rules-learned.md, line-editor.md), and the verdict that it
deserves. Then what must hold for every scene there is."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from python.helpers.tmux.evidence import programs
from python.helpers.tmux.evidence.editor.line_editor import Editor, Reads
from python.helpers.tmux.evidence.kernel.probe import How, Probe, Waiter
from python.helpers.tmux.evidence.screen import prompts as prompts_of
from python.helpers.tmux.output import cells, width
from python.helpers.tmux.turn import by_kernel, verdict
from python.helpers.tmux.turn.by_screen import ENDLESS, STILL_BLANK
from python.helpers.tmux.turn.row import Verdict
from python.helpers.tmux.turn.scene import SILENT, STILL_BLIND, STILL_DRAWN, Scene
from python.helpers.tmux.turn.verdict import TABLE, decide
from python.helpers.tmux.words import Evidence, Word
from tests.pure.test_remote_turns import remote_scenes

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: as many times more scenes, new ones in each run
RANDOM = settings(deadline=None, derandomize=FUZZ == 1, database=None, max_examples=100 * FUZZ)
JUST_UNDER = 0.99
FRAMES = Path(__file__).parent / "frames"
AT_ONCE = 0.1  # seconds one decision may take on any line at all
WIDEST = 10_000  # cells of a row, at most, in tmux


# What the kernel tells of the programs in facts/terminal-signals.md. IC = ICANON, E = ECHO.


def at(
    name: str,
    ic: bool | None,
    e: bool | None,
    how: str = "",
    size: int = 0,
    *,
    by: str = "",
    proven: bool = True,
    **more,
) -> Probe:
    """`name` leads the foreground; `by` (itself) sleeps in `how`."""
    waiter = None
    if how:
        waiter = Waiter(pid=77, name=by or name, how=How(how), size=size, proven=proven)
    return Probe(
        alive=True,
        foreground=77,
        name=name,
        canonical=ic,
        echo=e,
        waiter=waiter,
        subject=77,
        awake=1_000_000,
        taken=1_000,
        **more,
    )


BASH = at("bash", False, False, "select")  # at its prompt, in its line editor: it polls
FISH = at("fish", False, False, "select")
ZSH = at("zsh", False, False, "read", 1)  # it reads
DASH = at("dash", True, True, "read", 8192)  # no line editor
NOEDITING = at("bash", True, True, "read", 1024)
DASH_READ = at("dash", True, True, "read", 1)  # the builtin `read`
BASH_READ = at("bash", True, True, "read", 1)
NOEDITING_READ = at("bash", True, True, "read", 4096)
HIDDEN_READ = at("bash", True, False, "read", 1)  # read -s
GUILE = at("guile", True, True, "read", 1)  # it shows no sign for the rest of a command
UNBUFFERED = at("sh", True, False, "read", 1, relayed=True)  # unbuffer turns the echo off
ASKS = at("rm", True, True, "read", 4096)
PYTHON = at("python3", False, False, "select")  # readline
PLAIN_PYTHON = at("python3", True, True, "read", 4096)
NODE = at("node", False, False, "listen")  # epoll, idle or busy
SSH = at("ssh", False, False, "listen", remote="ssh")
LESS = at("less", False, False, "read", 1)
GIT_LOG = at("git", False, False, "read", 1, by="less")
WHIPTAIL = at("whiptail", False, False, "select")
VIM = at("vim", False, False, "select")
TOP = at("top", False, False, "listen")
EMACS = at("emacs", False, False, "listen")
BC = at("bc", False, False, "select")
MORE = at("more", False, False, "listen")
SUDO = at("sudo", True, False, hidden=True)  # another user's: wchan and syscall cannot be read
ROOT_ASKS = at("apt", True, True, hidden=True)
SLEEP = at("sleep", True, True)
# Under Yama nobody can say in which call it sleeps, of what size, or what it polls.
YAMA_ASKS = at("rm", True, True, "read", proven=False)
YAMA_DASH = at("dash", True, True, "read", proven=False)
YAMA_NOEDITING = at("bash", True, True, "read", proven=False)
YAMA_NODE = at("node", True, True, "listen", proven=False)
YAMA_TOP = replace(TOP, waiter=replace(TOP.waiter, proven=False))
YAMA_BASH = at("bash", False, False, "listen", proven=False)
YAMA_SCRIPT = replace(YAMA_BASH, waiter=replace(YAMA_BASH.waiter, script=True))
# A command was sent at bash's known prompt, and no answer has told of what it led to.
UNDER_WAY = {"prompts": ("$ ",), "asks_read": True, "since_sent": 9.0}
BLINDED = Probe(
    alive=True, name="bash"
)  # no /proc, no termios: tmux's own idea of the program in front


def seen(kernel: Probe, left: str = "", **more) -> Scene:
    """A scene whose screen shows `left` in one row, up to the cursor, and nothing else."""
    rows = more.pop("rows", (left,))
    x = more.pop("x", sum(map(width, left)))
    return Scene(kernel=kernel, left=left, rows=rows, x=x, **more)


READY = Verdict(Word.READY, evidence=Evidence.SHELL)
PROMPT = Verdict(Word.READY, evidence=Evidence.PROMPT)
RUNNING = None


def key(program: str) -> Verdict:
    return Verdict(Word.NEEDS_KEY, program)


def asks(question: str) -> Verdict:
    return Verdict(Word.NEEDS_INPUT, question)


def password(question: str) -> Verdict:
    return Verdict(Word.NEEDS_PASSWORD, question)


def quiet(what: str) -> Verdict:
    return Verdict(Word.QUIET, what)


def rest(line: str) -> Verdict:
    return Verdict(Word.UNFINISHED, line)


def full_screen(kernel: Probe, left: str = "", **more) -> Scene:
    """The alternate screen of an editor or a pager: `left` in its last row where it is a pager."""
    last = 23 if kernel.waiter and kernel.waiter.name in ("less", "more") else 5
    rows = tuple(left if row == last else f"text {row}" for row in range(24))
    return seen(kernel, left, rows=rows, y=last, alternate=True, **more)


def frame(name: str, kernel: Probe, **more) -> Scene:
    """A recorded screen of a real program."""
    picture = json.loads((FRAMES / f"{name}.json").read_text(encoding="utf-8"))
    rows = tuple(picture["rows"] + [""] * (picture["height"] - len(picture["rows"])))
    left, _ = cells(rows[picture["y"]], picture["x"])
    place = {key: picture[key] for key in ("x", "y", "cursor_visible", "alternate")}
    return seen(kernel, left, rows=rows, **place, **more)


def edits(
    kernel: Probe, reads: Reads, prompt: str, left: str | None = None, holds: str = "", **more
) -> Scene:
    """A program whose line editor's memory can be read; `holds`: the line that it edits."""
    editor = Editor(prompt=prompt, text=holds, cursor=len(holds), reads=reads, exit_status=None)
    return seen(kernel, prompt if left is None else left, editor=editor, **more)


SITUATIONS: dict[str, tuple[Scene, Verdict | None]] = {
    # ended, or what the caller waits for is there
    "the pane is dead": (
        seen(SLEEP, dead="its program ended (exit status 1)"),
        Verdict(Word.GONE, "its program ended (exit status 1)"),
    ),
    "dead comes before all else": (
        seen(BASH, "$ ", dead="closed", pattern="$ "),
        Verdict(Word.GONE, "closed"),
    ),
    "the caller's prompt pattern": (
        seen(NODE, "cmd] ", pattern="cmd] "),
        Verdict(Word.READY, evidence=Evidence.PATTERN),
    ),
    "the caller's prompt pattern on a canonical program": (
        seen(SLEEP, "cmd] ", pattern="cmd]"),
        Verdict(Word.READY, evidence=Evidence.PATTERN),
    ),
    # canonical and nobody waits
    "sleep, silent for long": (seen(SLEEP, still=600.0), RUNNING),
    "a program that printed 100% and works on": (seen(SLEEP, "copied 100%", still=60.0), RUNNING),
    "a program that printed a prompt": (
        seen(SLEEP, "user@host:~$ ", prompts=("user@host:~$ ",), still=60.0),
        RUNNING,
    ),
    "a program that printed a question": (seen(SLEEP, "Continue? [y/N] ", still=60.0), RUNNING),
    "a program that printed a password prompt": (seen(SLEEP, "Password: ", still=60.0), RUNNING),
    "a program without echo that works": (
        seen(at("work", True, False), "Password: ", still=60.0),
        RUNNING,
    ),
    "a shell in a loop of built-ins": (
        seen(at("bash", True, True), "$ ", prompts=("$ ",), still=9.0),
        RUNNING,
    ),
    "a python REPL that computes": (
        seen(at("python3", True, True), ">>> ", prompts=(">>> ",), still=9.0),
        RUNNING,
    ),
    "a canonical full screen": (
        seen(at("watch", True, True), alternate=True, full=ENDLESS, still=0.1),
        quiet("watch (full screen)"),
    ),
    "a canonical full screen, not for long": (
        seen(at("watch", True, True), alternate=True, full=ENDLESS * JUST_UNDER, still=9.0),
        RUNNING,
    ),
    # passwords
    "read -s": (seen(HIDDEN_READ, "Password: "), password("Password:")),
    "read -s without a word": (
        seen(HIDDEN_READ),
        password("bash reads a line; nothing is asked on the screen"),
    ),
    "getpass whose question stands above": (seen(HIDDEN_READ, asked="Token:"), password("Token:")),
    "a question where a relay has turned the echo off": (
        seen(UNBUFFERED, "Go? "),
        asks("Go?"),
    ),
    "a password where a relay has turned the echo off": (
        seen(UNBUFFERED, "Password: "),
        password("Password:"),
    ),
    "a question that may be asked where a relay has turned the echo off": (
        seen(replace(UNBUFFERED, name="x", waiter=None, hidden=True), "Go? ", still=STILL_BLIND),
        RUNNING,
    ),
    "dash with stty -echo": (
        seen(at("dash", True, False, "read", 1), "Code: "),
        password("Code:"),
    ),
    "dash with stty -echo at what looks like its prompt": (
        seen(at("dash", True, False, "read", 8192), "$ "),
        password("$"),
    ),
    "sudo, which cannot be looked at": (
        seen(SUDO, "[sudo] password for me: ", still=STILL_BLIND),
        password("[sudo] password for me:"),
    ),
    "sudo that was only just started": (
        seen(SUDO, "[sudo] password for me: ", still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "a password inside ssh": (
        seen(SSH, "me@host's password: ", still=STILL_BLIND),
        password("me@host's password:"),
    ),
    "a password inside ssh, just printed": (
        seen(SSH, "me@host's password: ", still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "a password inside ssh comes before a known prompt": (
        seen(SSH, "Password: ", expected=True, prompts=("$ ",), still=STILL_BLIND),
        password("Password:"),
    ),
    "the old password question that still stands": (
        seen(SSH, "Password: ", taken=False, still=9.0, expected=True),
        RUNNING,
    ),
    "a passphrase with a path in it": (
        seen(SSH, "Enter passphrase for key '/home/me/.ssh/id': ", still=SILENT),
        password("Enter passphrase for key '/home/me/.ssh/id':"),
    ),
    "a program in raw mode that asks for a PIN": (seen(PYTHON, "PIN: "), password("PIN:")),
    "a spinning word is no PIN": (seen(PYTHON, "SPINNING: "), asks("SPINNING:")),
    "three dots in an editor": (full_screen(VIM, "..."), RUNNING),
    "the word password in an editor": (full_screen(VIM, "password:"), RUNNING),
    "the word password in an editor, for long": (
        full_screen(VIM, "password:", still=SILENT),
        key("vim"),
    ),
    # a shell without a line editor
    "dash at its prompt": (seen(DASH, "$ "), READY),
    "dash behind output without a line break": (seen(DASH, "5%# "), READY),
    "dash with an empty prompt": (seen(DASH, "", still=STILL_BLIND), READY),
    "dash whose screen is from before the sending": (seen(DASH, "# ", taken=False), None),
    "dash with a prompt like a question": (seen(DASH, "Name: "), READY),
    "bash --noediting at its prompt": (seen(NOEDITING, "bash-5.2$ "), READY),
    "PS2 in dash": (seen(DASH, "> ", prompts=("$ ",)), rest(">")),
    "PS2 in dash where no prompt is known": (
        seen(DASH, "> ", rows=("$ if true", "> then", "> "), y=2),
        rest(">"),
    ),
    "a bare > in dash where no command is begun": (
        seen(DASH, "> ", rows=("output", "> "), y=1),
        READY,
    ),
    "PS2 in dash where that is its prompt": (seen(DASH, "> ", prompts=("> ",)), READY),
    "dash's builtin read": (seen(DASH_READ, "Amount in $ "), asks("Amount in $")),
    "dash's builtin read at what looks like PS2": (seen(DASH_READ, "> "), asks(">")),
    "bash --noediting in read": (seen(NOEDITING_READ, "Name: "), asks("Name:")),
    "cat in a shell's place": (
        seen(at("sh", True, True, "read", 131072, by="cat"), "$ "),
        asks("$"),
    ),
    "dash in a select": (seen(at("dash", True, True, "select", 8192), "Go? "), asks("Go?")),
    # a program that reads a line
    "read -p": (seen(BASH_READ, "Continue? [y/N] "), asks("Continue? [y/N]")),
    "read -p with a dollar at its end": (seen(BASH_READ, "Amount in $ "), asks("Amount in $")),
    "read -t": (seen(at("bash", True, True, "select"), "Quick: "), asks("Quick:")),
    "bash's select": (seen(BASH_READ, "#? "), asks("#?")),
    "rm -i": (seen(ASKS, "rm: remove regular file 'a'? "), asks("rm: remove regular file 'a'?")),
    "a question above the cursor": (seen(ASKS, "", asked="Which one?"), asks("Which one?")),
    "cat": (
        seen(at("cat", True, True, "read", 131072)),
        asks("cat reads a line; nothing is asked on the screen"),
    ),
    "a reader behind a leader": (
        seen(at("sh", True, True, "read", 131072, by="cat")),
        asks("cat reads a line; nothing is asked on the screen"),
    ),
    "a python REPL without readline": (seen(PLAIN_PYTHON, ">>> "), PROMPT),
    "the same at a continuation": (seen(PLAIN_PYTHON, "... ", expected=True), rest("...")),
    "three dots asked by a program": (seen(PLAIN_PYTHON, "... "), asks("...")),
    "root's program that asks": (
        seen(ROOT_ASKS, "Do you want to continue? [Y/n] ", still=STILL_BLIND),
        asks("Do you want to continue? [Y/n]"),
    ),
    "root's program that just printed a question": (
        seen(ROOT_ASKS, "Do you want to continue? [Y/n] ", still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "root's program that prints": (seen(ROOT_ASKS, "Unpacking", still=60.0), RUNNING),
    "node that asks a line of a canonical terminal": (
        seen(at("node", True, True, "listen"), "Name? ", still=STILL_BLIND),
        asks("Name?"),
    ),
    "node that listens and says nothing": (
        seen(at("node", True, True, "listen"), "Listening on 8080", still=60.0),
        RUNNING,
    ),
    # one key of a shell
    "bash read -n1": (seen(at("bash", False, True, "read", 1), "Key? "), key("Key?")),
    "bash read -s -n1": (seen(at("bash", False, False, "read", 1), "$ "), key("bash")),
    "bash read -n1 -t": (
        seen(at("bash", False, True, "select"), "Key? "),
        key("Key?"),
    ),
    "zsh read -k1": (seen(at("zsh", False, True, "read", 1), "Press a key"), key("Press a key")),
    # a shell's line editor
    "bash at its prompt": (seen(BASH, "bash-5.2$ "), READY),
    "zsh at its prompt": (seen(ZSH, "host% "), READY),
    "fish's read of a password": (
        seen(FISH, "Password: ", asks_read=True, entered=True, prompts=("me@host ~>",)),
        password("Password:"),
    ),
    "fish at its prompt": (seen(FISH, "me@host ~> "), READY),
    "a prompt that nobody listed": (seen(BASH, "go! "), READY),
    "an empty prompt": (seen(BASH, "", still=STILL_BLIND), READY),
    "an empty prompt that is known": (seen(BASH, "", prompts=("",)), READY),
    "a prompt that is not drawn yet": (seen(BASH, ""), None),
    "a job that prints over the prompt on and on": (seen(FISH, "", since_sent=3.0), READY),
    "a shell that a background job printed over": (
        seen(BASH, "", prompts=("bash-5.2$ ",), still=STILL_BLIND),
        READY,
    ),
    "a nested shell": (seen(at("env", False, False, "select", by="bash"), "$ "), READY),
    "a root shell that cannot be looked at": (
        seen(at("bash", False, False, hidden=True), "root@host:/# "),
        READY,
    ),
    "a shell in raw mode that does not wait": (
        seen(at("bash", False, False), "$ ", prompts=("$ ",), still=60.0),
        RUNNING,
    ),
    "a shell in raw mode with echo that listens to more": (
        seen(at("zsh", False, True, "listen"), "$ ", still=60.0),
        RUNNING,
    ),
    "a shell in raw mode with echo that does not wait": (
        seen(at("zsh", False, True), "$ ", still=60.0, full=60.0),
        RUNNING,
    ),
    "the sent line stands at the prompt": (
        seen(FISH, "> sleep 3", taken=False, entered=True, prompts=("> ",)),
        RUNNING,
    ),
    "PS2 in bash": (seen(BASH, "> ", prompts=("$ ",)), rest(">")),
    "PS2 in bash where that is its prompt": (seen(BASH, "> ", prompts=("> ",)), READY),
    "quote> in zsh": (seen(ZSH, "quote> "), rest("quote>")),
    "nested for> in zsh": (seen(ZSH, "for then> "), rest("for then>")),
    "heredoc> in zsh": (seen(ZSH, "heredoc> "), rest("heredoc>")),
    "echo \\ in zsh": (seen(ZSH, "> ", prompts=("% ",)), rest(">")),
    "a bare > in zsh where that is its prompt": (seen(ZSH, "> ", prompts=("> ",)), READY),
    "a word and > in zsh is its prompt": (seen(ZSH, "mac> "), READY),
    "fish in the middle of a command": (
        seen(FISH, "      ", entered=True, still=STILL_DRAWN),
        rest("fish"),
    ),
    "fish that still draws": (
        seen(FISH, "      ", entered=True, still=STILL_DRAWN * JUST_UNDER),
        RUNNING,
    ),
    "fish whose last answer said that the rest is asked for": (
        seen(FISH, "      ", rest=True, still=STILL_DRAWN),
        rest("fish"),
    ),
    "fish without a prompt": (seen(FISH, "", entered=True, still=STILL_BLIND), READY),
    "fish at an indented empty line, nothing sent": (
        seen(FISH, "      ", still=STILL_BLIND),
        READY,
    ),
    "fish at an indented line, where it has no prompt": (
        seen(FISH, "      ", prompts=("",), entered=True),
        None,
    ),
    "fish at a prompt that is > alone": (seen(FISH, "> "), READY),
    "bash read -e whose memory is closed": (seen(BASH, "Edit: "), asks("Edit:")),
    "zsh vared": (seen(ZSH, "Edit: "), asks("Edit:")),
    "fish read": (seen(FISH, "read> "), asks("read>")),
    "fish read -s": (seen(FISH, "Password: "), password("Password:")),
    "a prompt that says Password, once learned": (
        seen(FISH, "Password: ", prompts=("Password: ",)),
        READY,
    ),
    "zsh's select": (seen(ZSH, "?# "), asks("?#")),
    "zsh's own question": (
        seen(ZSH, "zsh: correct 'sl' to 'ls' [nyae]? "),
        key("zsh: correct 'sl' to 'ls' [nyae]?"),
    ),
    "a prompt like a question, once learned": (seen(BASH, "Name: ", prompts=("Name: ",)), READY),
    "a prompt like a question with another number": (
        seen(BASH, "[12:01] Name: ", prompts=("[11:59] Name: ",)),
        READY,
    ),
    # another program in raw mode
    "python at its prompt": (seen(PYTHON, ">>> "), PROMPT),
    "gdb": (seen(at("gdb", False, False, "select"), "(gdb) "), PROMPT),
    "ipython": (seen(at("ipython", False, False, "select"), "In [12]: "), PROMPT),
    "sqlite": (seen(at("sqlite3", False, False, "select"), "sqlite> "), PROMPT),
    "ipython, which draws its prompt anew where it was": (
        seen(
            at("ipython", False, False, "listen"),
            "In [2]: ",
            prompts=("In [1]:",),
            expected=True,
            taken=False,
            pressed=True,
            still=STILL_BLIND,
        ),
        PROMPT,
    ),
    "a REPL with a proven wait at a new prompt": (
        seen(PYTHON, "(Pdb) ", expected=True, prompts=(">>> ",)),
        PROMPT,
    ),
    "a REPL at an unlisted prompt, once learned": (
        seen(PYTHON, "go! ", prompts=("go! ",)),
        PROMPT,
    ),
    "a continuation in python": (seen(PYTHON, "... "), rest("...")),
    "a continuation in sqlite": (
        seen(at("sqlite3", False, False, "select"), "   ...> "),
        rest("...>"),
    ),
    "a continuation in ipython": (
        seen(at("ipython", False, False, "select"), "   ...: "),
        rest("...:"),
    ),
    "a continuation in node": (
        seen(NODE, "... ", expected=True, prompts=("> ",), still=SILENT),
        rest("..."),
    ),
    "a continuation in psql": (seen(at("psql", False, False, "select"), "db-# "), rest("db-#")),
    "dots that node just printed": (
        seen(NODE, "... ", expected=True, still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "dots that stood there before": (
        seen(NODE, "... ", expected=True, taken=False, still=9.0),
        RUNNING,
    ),
    "node at its prompt": (
        seen(NODE, "> ", prompts=("> ",)),
        PROMPT,
    ),
    "node at its prompt for the first time": (
        seen(NODE, "> ", still=STILL_BLIND),
        PROMPT,
    ),
    "node at its prompt for the first time, for long": (
        seen(NODE, "> ", still=SILENT),
        PROMPT,
    ),
    "a prompt with a hidden cursor": (
        seen(NODE, "> ", prompts=("> ",), cursor_visible=False, expected=True),
        RUNNING,
    ),
    "an answer that is half typed, in a program that polls": (
        seen(NODE, "package name: (p) abc", x=21, columns=80, still=SILENT),
        asks("package name: (p) abc"),
    ),
    "a line that is typed at node's prompt": (
        seen(NODE, "> 1 + 1", prompts=("> ",), still=STILL_BLIND, expected=True),
        PROMPT,
    ),
    "a line that is being typed at node's prompt": (
        seen(NODE, "> 1 + 1", prompts=("> ",), still=STILL_BLIND * JUST_UNDER, expected=True),
        RUNNING,
    ),
    "a line that was ended at node's prompt": (
        seen(NODE, "> 1 + 1", prompts=("> ",), still=60.0, expected=True, entered=True),
        RUNNING,
    ),
    "output of node's that begins like its prompt": (
        seen(NODE, ">1 + 1", prompts=("> ",), still=60.0, expected=True),
        RUNNING,
    ),
    "a line that is typed at a remote prompt": (
        seen(SSH, "a@b:/c$ ls", prompts=("a@b:/$",), still=SILENT, expected=True),
        PROMPT,
    ),
    "a line at a remote prompt, where its end may be on the way": (
        seen(SSH, "a@b:/c$ ls", prompts=("a@b:/$",), still=SILENT * JUST_UNDER, expected=True),
        RUNNING,
    ),
    "node that just printed a prompt": (seen(NODE, "> ", still=STILL_BLIND * JUST_UNDER), RUNNING),
    "node's old prompt": (
        seen(NODE, "> ", prompts=("> ",), taken=False, expected=True, still=60.0),
        RUNNING,
    ),
    "node busy behind a printed prompt": (
        seen(NODE, "5$ ", prompts=("> ",), expected=True, still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "node behind what may be another prompt, or output": (
        seen(NODE, "5$ ", prompts=("> ",), expected=True, still=SILENT),
        quiet("5$"),
    ),
    "a line without the form of a prompt where one is expected, for long": (
        seen(NODE, "5 files", prompts=("> ",), expected=True, still=60.0),
        RUNNING,
    ),
    "ssh at a remote prompt": (
        seen(SSH, "me@host:~$ ", still=STILL_BLIND),
        PROMPT,
    ),
    "ssh at the same prompt in another directory": (
        seen(SSH, "me@host:/etc$ ", prompts=("me@host:~$ ",), expected=True),
        PROMPT,
    ),
    "ssh while the remote program sleeps": (
        seen(SSH, "", prompts=("$ ",), expected=True, still=600.0),
        RUNNING,
    ),
    "ssh while the remote program shows 57%": (
        seen(SSH, "57%", still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "a remote question": (
        seen(SSH, "Continue? [y/N] ", prompts=("$ ",), expected=True, still=STILL_BLIND),
        asks("Continue? [y/N]"),
    ),
    "a remote question, just printed": (
        seen(SSH, "Continue? [y/N] ", expected=True, still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "a remote line that ends in a colon": (
        seen(SSH, "Loading: ", expected=True, still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "a remote line that ends in a colon for long": (
        seen(SSH, "Name: ", expected=True, still=SILENT),
        quiet("Name:"),
    ),
    "the remote question that was there before": (
        seen(SSH, "Go? ", expected=True, taken=False, still=60.0),
        RUNNING,
    ),
    "input() with readline": (
        seen(PYTHON, "Your name? ", expected=True, prompts=(">>> ",)),
        asks("Your name?"),
    ),
    "a question with a wide sign": (seen(PYTHON, "名前？"), asks("名前？")),
    "a choice in brackets": (
        seen(PYTHON, "Are you sure (yes/no/[fingerprint])? "),
        asks("Are you sure (yes/no/[fingerprint])?"),
    ),
    "no /proc, at a prompt": (
        seen(BLINDED, "me@host:~$ ", still=STILL_BLIND),
        PROMPT,
    ),
    "no /proc, at the known prompt": (
        seen(BLINDED, "$ ", prompts=("$ ",), expected=True),
        PROMPT,
    ),
    "no /proc, the old prompt": (
        seen(BLINDED, "$ ", prompts=("$ ",), expected=True, taken=False, still=60.0),
        RUNNING,
    ),
    "no /proc, PS2": (
        seen(BLINDED, "> ", prompts=("$ ",), expected=True, still=SILENT),
        rest(">"),
    ),
    "no /proc, > just printed": (
        seen(BLINDED, "> ", prompts=("$ ",), expected=True, still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "PS2 behind ssh": (seen(SSH, "> ", prompts=("$ ",), expected=True, still=SILENT), rest(">")),
    "zsh's quote> behind ssh": (
        seen(SSH, "quote> ", prompts=("% ",), expected=True, still=SILENT),
        rest("quote>"),
    ),
    "no /proc, a question": (
        seen(BLINDED, "Continue? [y/N] ", prompts=("$ ",), expected=True, still=STILL_BLIND),
        asks("Continue? [y/N]"),
    ),
    "no /proc, silence after a sent line": (
        seen(BLINDED, "", prompts=("$ ",), expected=True, still=600.0),
        RUNNING,
    ),
    # pagers, menus, keys
    "less": (full_screen(LESS, ":", still=STILL_DRAWN), key("less")),
    "less that still draws": (full_screen(LESS, "line 7", still=STILL_DRAWN * JUST_UNDER), RUNNING),
    "less with a file's name in its last row": (
        full_screen(LESS, "notes.txt", still=STILL_DRAWN),
        key("less"),
    ),
    "less at its end": (seen(LESS, "(END)"), key("less")),
    "git log names less": (seen(GIT_LOG, ":"), key("less")),
    "git log at what looks like a prompt": (
        full_screen(GIT_LOG, "$", still=STILL_DRAWN),
        key("less"),
    ),
    "more": (seen(MORE, "--More--(5%)", still=STILL_BLIND), key("more")),
    "more that may go on printing": (
        seen(MORE, "--More--(5%)", still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "more's line that was there before": (
        seen(MORE, "--More--", taken=False, expected=True, still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "man": (seen(at("man", False, False, "read", 1, by="less"), "lines 1-23"), key("less")),
    "dialog": (
        seen(at("dialog", False, False, "read", 1), "", still=STILL_DRAWN),
        key("dialog"),
    ),
    "a terminal's reply that is read": (
        seen(at("irb", False, False, "read", 1), "", still=STILL_DRAWN * JUST_UNDER),
        None,
    ),
    "whiptail": (full_screen(WHIPTAIL, still=STILL_DRAWN), key("whiptail")),
    "whiptail's question": (
        frame("whiptail-yesno.asking", WHIPTAIL, still=STILL_DRAWN),
        key("Remove the old kernel?"),
    ),
    "a dev server that takes keys and says so": (
        seen(NODE, "", rows=("  press h + enter", "  press r to reload", ""), y=2, still=SILENT),
        key("press r to reload"),
    ),
    "a raw program that says nothing of keys": (
        seen(NODE, "", rows=("  compiled", "  ready", ""), y=2, still=SILENT),
        RUNNING,
    ),
    "whiptail with its cursor hidden": (
        seen(WHIPTAIL, cursor_visible=False, still=STILL_DRAWN),
        key("whiptail"),
    ),
    "press any key": (
        seen(at("onekey", False, False, "read", 1), "Press any key to continue . . ."),
        key("Press any key to continue . . ."),
    ),
    "press any key behind ssh": (
        seen(SSH, "Press any key to continue", prompts=("$ ",), expected=True, still=STILL_BLIND),
        key("Press any key to continue"),
    ),
    "press any key behind ssh, just printed": (
        seen(SSH, "Press any key to go on", expected=True, still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    # questions of raw-mode programs
    "a list of clack's": (
        frame("clack-select.asking", NODE, still=STILL_BLIND, expected=True),
        key("Pick a colour"),
    ),
    "a list of clack's that was just drawn": (
        frame("clack-select.asking", NODE, still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "a password of prompts'": (
        frame("prompts-password.asking", NODE, still=STILL_BLIND),
        password("? Secret word"),
    ),
    "a password of clack's": (
        frame("clack-password.asking", NODE, still=STILL_BLIND),
        password("Secret word"),
    ),
    "a text of clack's": (
        frame("clack-text.asking", NODE, still=STILL_BLIND),
        asks("What is your name?"),
    ),
    "a spinner": (
        frame("clack-spinner.working-1", NODE, still=0.1, expected=True),
        RUNNING,
    ),
    "a question without a form, a blank before the cursor": (
        seen(NODE, "Enter a value (default 5) ", still=SILENT),
        asks("Enter a value (default 5)"),
    ),
    "a question without a form, just printed": (
        seen(NODE, "Enter a value (default 5) ", still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "a text with a blank before the cursor, in a program that reads keys": (
        seen(at("ask", False, False, "read", 1), "Your turn ", still=SILENT),
        key("ask"),
    ),
    "a key is asked for, and there is room for a line": (
        seen(NODE, "Press any key to continue . . . ", still=STILL_BLIND),
        asks("Press any key to continue . . ."),
    ),
    "a key is asked for with room for a line, just printed": (
        seen(NODE, "Press any key to continue . . . ", still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "a key is asked for, and there is no room": (
        seen(NODE, "Press any key to continue . . .", still=STILL_BLIND),
        key("Press any key to continue . . ."),
    ),
    "output of node's with a blank at its end": (
        seen(NODE, "5 files ", prompts=("> ",), expected=True, still=60.0),
        RUNNING,
    ),
    "a weak question of a raw program": (
        seen(NODE, "package name: (p) ", still=SILENT, expected=True),
        asks("package name: (p)"),
    ),
    "a weak question of a raw program, just printed": (
        seen(NODE, "package name: (p) ", still=SILENT * JUST_UNDER, expected=True),
        RUNNING,
    ),
    "a raw program that listens and asks nothing": (
        seen(NODE, "Ready for keys", still=SILENT),
        key("node"),
    ),
    "a raw program that listens, just started": (
        seen(NODE, "Ready for keys", still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    # a line editor without a word
    "bc": (seen(BC, still=STILL_BLANK), asks("bc reads a line; nothing is asked on the screen")),
    "bc that asks above the cursor": (
        seen(BC, asked="Go on?", still=STILL_BLANK),
        asks("Go on?"),
    ),
    "guile that reads the rest of a command": (
        seen(GUILE, expected=True, entered=True),
        rest("guile"),
    ),
    "guile that reads a line, as nothing was typed at its prompt": (
        seen(GUILE, entered=True),
        asks("guile reads a line; nothing is asked on the screen"),
    ),
    "guile at an empty line of which an answer has told": (
        seen(GUILE, expected=True),
        asks("guile reads a line; nothing is asked on the screen"),
    ),
    "guile whose code asks": (
        seen(GUILE, "Name: ", expected=True, entered=True),
        asks("Name:"),
    ),
    "another REPL whose code reads a line": (
        seen(PLAIN_PYTHON, expected=True, entered=True),
        asks("python3 reads a line; nothing is asked on the screen"),
    ),
    "bc that was only just started": (seen(BC, still=STILL_BLANK * JUST_UNDER), RUNNING),
    # full screens
    "vim": (full_screen(VIM, still=STILL_DRAWN), key("vim")),
    "vim that still draws": (full_screen(VIM, still=STILL_DRAWN * JUST_UNDER, full=9.0), RUNNING),
    "emacs, which listens to more than the terminal": (
        full_screen(EMACS, still=STILL_BLIND, expected=True),
        key("emacs"),
    ),
    "emacs that still draws": (
        full_screen(EMACS, still=STILL_BLIND * JUST_UNDER, expected=True),
        RUNNING,
    ),
    "htop, which never stands still": (
        full_screen(TOP, cursor_visible=False, still=0.1, full=ENDLESS),
        quiet("top (full screen)"),
    ),
    "top on the ordinary screen, which is never still": (
        seen(YAMA_TOP, cursor_visible=False, still=0.1, full=ENDLESS),
        quiet("top (full screen)"),
    ),
    "htop, not for long": (
        full_screen(TOP, cursor_visible=False, still=0.1, full=ENDLESS * JUST_UNDER),
        RUNNING,
    ),
    "vim behind ssh": (full_screen(SSH, still=SILENT), quiet("ssh (full screen)")),
    "vim behind ssh that still draws": (full_screen(SSH, still=SILENT * JUST_UNDER), RUNNING),
    # nothing proves anything
    "ssh that says nothing from the start": (seen(SSH, "connected", still=SILENT), quiet("ssh")),
    "ssh that said something just now": (
        seen(SSH, "connected", still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "ssh that connects": (seen(SSH, "", still=ENDLESS * JUST_UNDER), RUNNING),
    "ssh that connects for ever": (seen(SSH, "", still=ENDLESS), quiet("ssh")),
    "ssh at another prompt than the known one": (
        seen(SSH, "(venv) me@host:~$ ", prompts=("me@host:~$ ",), expected=True, still=SILENT),
        PROMPT,
    ),
    "ssh at what may be another prompt": (
        seen(SSH, ">>> ", prompts=("me@host:~$ ",), expected=True, still=SILENT),
        quiet(">>>"),
    ),
    "ssh at what may be another prompt, just printed": (
        seen(SSH, ">>> ", prompts=("me@host:~$ ",), expected=True, still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "a JSON answer without a line break behind ssh": (
        seen(SSH, '{"ok": true}me@host:~$ ', prompts=("me@host:~$ ",), expected=True),
        PROMPT,
    ),
    "output that ends like a short known prompt": (
        seen(SSH, "total 5$ ", prompts=("$ ",), expected=True, still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "a raw program that works": (
        seen(at("work", False, False), "", prompts=("$ ",), expected=True, still=600.0),
        RUNNING,
    ),
    # the line editor's own memory
    "bash reads a command": (edits(BASH, Reads.COMMAND, "Name: "), READY),
    "bash reads a command behind a background job's output": (
        edits(BASH, Reads.COMMAND, "$ ", left="", still=STILL_DRAWN),
        READY,
    ),
    "bash reads a command, and its prompt is not on the screen yet": (
        edits(BASH, Reads.COMMAND, "$ ", left="", still=STILL_DRAWN * JUST_UNDER),
        RUNNING,
    ),
    "bash reads a command, and only the prompt from before is on the screen yet": (
        edits(BASH, Reads.COMMAND, "$ ", taken=False, still=STILL_DRAWN * JUST_UNDER),
        RUNNING,
    ),
    "bash reads a command, and only the echo of the one before is on the screen yet": (
        edits(BASH, Reads.COMMAND, "$ ", left="$ echo same", taken=False),
        RUNNING,
    ),
    "dash reads a command, and only the echo of the one before is on the screen yet": (
        seen(DASH, "# echo same", taken=False),
        RUNNING,
    ),
    "bash reads a command, and only the prompt from before is there: it was sent long ago": (
        edits(BASH, Reads.COMMAND, "$ ", taken=False, since_sent=STILL_DRAWN),
        READY,
    ),
    "bash reads a command behind something else, after long silence": (
        edits(BASH, Reads.COMMAND, "$ ", left="", silent=STILL_DRAWN),
        READY,
    ),
    "bash reads a command where the prompt was before: after clear": (
        edits(BASH, Reads.COMMAND, "$ ", taken=False, still=STILL_DRAWN),
        READY,
    ),
    "fish reads a command, and only the prompt from before is on the screen yet": (
        seen(FISH, "me@host ~> ", taken=False, still=STILL_DRAWN * JUST_UNDER),
        RUNNING,
    ),
    "bash searches its history": (edits(BASH, Reads.SEARCH, "(reverse-i-search)`': "), READY),
    "zsh in vi's command mode": (edits(ZSH, Reads.VI_COMMAND, "% "), READY),
    "bash reads the rest, whatever PS2 is": (
        edits(BASH, Reads.CONTINUATION, "more? "),
        rest("more?"),
    ),
    "bash read -e": (edits(BASH, Reads.QUESTION, "Enter the value "), asks("Enter the value")),
    "bash read -e at what looks like a prompt": (
        edits(BASH, Reads.QUESTION, "Folder> "),
        asks("Folder>"),
    ),
    "zsh vared for a password": (edits(ZSH, Reads.QUESTION, "Password: "), password("Password:")),
    "bash asks whether to show all": (
        edits(
            BASH,
            Reads.KEY,
            "$ ",
            left="Display all 200 possibilities? (y or n)",
            still=STILL_DRAWN,
        ),
        key("Display all 200 possibilities? (y or n)"),
    ),
    "bash after (arg: 3)": (edits(BASH, Reads.KEY, "(arg: 3) ", still=STILL_DRAWN), key("bash")),
    "zsh for an instant at each prompt": (
        edits(ZSH, Reads.KEY, "% ", still=STILL_DRAWN * JUST_UNDER),
        RUNNING,
    ),
    "bash that has not read the Enter": (
        edits(
            BASH,
            Reads.COMMAND,
            "$ ",
            left="$ make all",
            holds="make all",
            entered=True,
            taken=False,
            still=60.0,
        ),
        RUNNING,
    ),
    "bash with an old line of the agent's": (
        edits(
            BASH,
            Reads.COMMAND,
            "$ ",
            left="$ make all",
            holds="make all",
            entered=True,
            taken=False,
            since_sent=60.0,
        ),
        READY,
    ),
    "a known prompt of a program that polls more than the terminal": (
        seen(at("engine", True, True, "listen"), "cmd] ", prompts=("cmd] ",), still=STILL_BLIND),
        PROMPT,
    ),
    "the same, just printed": (
        seen(
            at("engine", True, True, "listen"),
            "cmd] ",
            prompts=("cmd] ",),
            still=STILL_BLIND * JUST_UNDER,
        ),
        RUNNING,
    ),
    "a shell whose trap runs at its prompt": (
        edits(at("bash", False, False), Reads.COMMAND, "$ ", still=60.0),
        RUNNING,
    ),
    "gdb at its prompt": (
        edits(at("gdb", False, False, "select"), Reads.COMMAND, "(gdb) "),
        PROMPT,
    ),
    "gdb behind a half-typed command": (
        edits(at("gdb", False, False, "select"), Reads.COMMAND, "(gdb) ", "(gdb) print", "print"),
        PROMPT,
    ),
    "input() behind a half-typed answer": (
        edits(PYTHON, Reads.COMMAND, "Your name? ", "Your name? Jo", "Jo"),
        asks("Your name? Jo"),
    ),
    "gdb in a definition": (
        edits(at("gdb", False, False, "select"), Reads.COMMAND, ">", expected=True),
        rest(">"),
    ),
    "lua in a block": (edits(at("lua", False, False, "select"), Reads.COMMAND, ">> "), rest(">>")),
    "input() with readline, by its memory": (
        edits(PYTHON, Reads.COMMAND, "Your name? ", prompts=(">>> ",), expected=True),
        asks("Your name?"),
    ),
    "a password by readline's memory": (
        edits(PYTHON, Reads.COMMAND, "Token PIN: ", prompts=(">>> ",)),
        password("Token PIN:"),
    ),
    "an unlisted prompt of psql's, once learned": (
        edits(at("psql", False, False, "select"), Reads.COMMAND, "go! ", prompts=("go! ",)),
        PROMPT,
    ),
    # Yama, and programs of another user
    "a shell of root's that waits for its child": (
        seen(
            at("bash", False, False, hidden=True, waits_for_child=True), "root@host:/# ", still=9.0
        ),
        RUNNING,
    ),
    "a script of root's on the alternate screen, echo off": (
        seen(at("bash", True, False, hidden=True), "done", alternate=True),
        RUNNING,
    ),
    "bash at its prompt under Yama": (seen(YAMA_BASH, "$ "), READY),
    "bash that waits for its child under Yama": (
        seen(replace(YAMA_BASH, waits_for_child=True), "$ ", still=60.0),
        RUNNING,
    ),
    "a script that asks by `read -e` under Yama": (
        seen(YAMA_SCRIPT, "Name of it ", still=STILL_BLIND),
        asks("Name of it"),
    ),
    "a script that asks by `read -e` under Yama, at this moment": (
        seen(YAMA_SCRIPT, "Name of it ", still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "bash's own `read -e` under Yama": (
        seen(YAMA_BASH, "Name of it ", still=STILL_BLIND, **UNDER_WAY),
        asks("Name of it"),
    ),
    "the prompt after bash's own `read -e` under Yama": (
        seen(YAMA_BASH, "$ ", still=STILL_BLIND, **UNDER_WAY),
        READY,
    ),
    "another prompt, set by the command, under Yama": (
        seen(YAMA_BASH, "go! ", **{**UNDER_WAY, "asks_read": False}),
        READY,
    ),
    "a first prompt without a sign under Yama": (
        seen(YAMA_BASH, "go! ", since_sent=9.0),
        READY,
    ),
    "dash at its prompt under Yama": (seen(YAMA_DASH, "# "), READY),
    "dash at its learned prompt under Yama": (seen(YAMA_DASH, "go! ", prompts=("go! ",)), READY),
    "dash's output without a newline under Yama": (
        seen(YAMA_DASH, "no end$ ", prompts=("$ ",)),
        READY,
    ),
    "dash's read under Yama, a question that ends like the prompt": (
        seen(YAMA_DASH, "Amount in $ ", prompts=("$ ",), asks_read=True, still=STILL_BLIND),
        Verdict(Word.QUIET, "Amount in $"),
    ),
    "bash --noediting under Yama, output without a newline": (
        seen(YAMA_NOEDITING, "no end$ ", prompts=("$ ",), unedited=True),
        READY,
    ),
    "bash --noediting under Yama, in another directory": (
        seen(YAMA_NOEDITING, "src$ ", prompts=("~$ ",), unedited=True, still=STILL_BLIND),
        Verdict(Word.QUIET, "src$"),
    ),
    "bash --noediting under Yama wants the rest": (
        seen(YAMA_NOEDITING, "> ", prompts=("$ ",), unedited=True),
        Verdict(Word.UNFINISHED, ">"),
    ),
    "bash's read under Yama": (
        seen(YAMA_NOEDITING, "Amount in $ ", prompts=("$ ",)),
        asks("Amount in $"),
    ),
    "dash's read under Yama": (seen(YAMA_DASH, "Name: ", prompts=("# ",)), asks("Name:")),
    "a prompt known to be that of a program that polls more than the terminal": (
        seen(at("engine", True, True, "listen"), "cmd] ", prompts=("cmd] ",), still=STILL_BLIND),
        PROMPT,
    ),
    "dash at another sign under Yama: its read, or a new prompt": (
        seen(YAMA_DASH, "5$ ", prompts=("# ",), still=STILL_BLIND),
        quiet("5$"),
    ),
    "dash at another sign under Yama, just printed": (
        seen(YAMA_DASH, "5$ ", prompts=("# ",), still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "rm -i under Yama": (seen(YAMA_ASKS, "rm: remove file 'a'? "), asks("rm: remove file 'a'?")),
    "node that polls under Yama, silent for long": (
        seen(YAMA_NODE, "Listening", still=60.0),
        RUNNING,
    ),
    "what may be progress under Yama": (
        seen(YAMA_NODE, "Installing packages: ", still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "what may be progress under Yama, for long": (
        seen(YAMA_NODE, "Installing packages: ", still=SILENT),
        quiet("Installing packages:"),
    ),
    "a strong question under Yama": (
        seen(YAMA_NODE, "Continue? [y/N] ", still=STILL_BLIND),
        asks("Continue? [y/N]"),
    ),
    "root's program that may ask": (
        seen(ROOT_ASKS, "Did it work? ", still=SILENT),
        quiet("Did it work?"),
    ),
    "root's program that may ask, just printed": (
        seen(ROOT_ASKS, "Did it work? ", still=SILENT * JUST_UNDER),
        RUNNING,
    ),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_situation(name):
    scene, expected = SITUATIONS[name]
    assert decide(scene) == expected


def test_the_times_are_those_of_the_contract():
    assert SILENT == 2.0
    assert (
        0.4 <= STILL_BLANK <= STILL_BLIND <= 1.0
    )  # a program between two lines of output is silent for 0.3 s


@pytest.mark.parametrize("number", range(len(TABLE)), ids=lambda n: f"{n}: {TABLE[n].word}")
def test_every_row_is_needed_by_a_situation(number, monkeypatch):
    """Without the row some situation above is decided otherwise: no row can break unseen."""
    cases = [*SITUATIONS.values(), *((scene, decide(scene)) for scene in remote_scenes())]
    shorter = TABLE[:number] + TABLE[number + 1 :]
    monkeypatch.setattr(verdict, "TABLE", shorter)
    assert any(decide(scene) != expected for scene, expected in cases), TABLE[number].word


# Every scene there is

NAMES = st.sampled_from(
    [
        "bash",
        "zsh",
        "fish",
        "dash",
        "sh",
        "python3",
        "node",
        "ssh",
        "script",
        "less",
        "vim",
        "sleep",
        "rm",
    ]
)
HOW = st.sampled_from(How)
WAITERS = st.builds(
    Waiter,
    pid=st.just(77),
    name=NAMES,
    how=HOW,
    size=st.sampled_from([0, 1, 1024, 4096, 8192]),
)
BITS = st.none() | st.booleans()
PROMPT_ALIKES = st.sampled_from(
    [
        "$ ",
        "# ",
        "% ",
        "> ",
        ">>> ",
        "❯ ",
        "➜  src ",
        "λ ",
        "user@host:~$ ",
        "bash-5.2# ",
        "100% ",
        "57%",
        "total 5$",
        "(gdb) ",
        "In [1]: ",
        "(Pdb) ",
        "sqlite> ",
        "mysql> ",
        "root@box:/etc# ",
        "[me@there ~]$ ",
        "PS C:\\> ",
    ]
)
LINES = (
    PROMPT_ALIKES
    | st.sampled_from(
        [
            "",
            "   ",
            "... ",
            "quote> ",
            "Continue? [y/N] ",
            "Password: ",
            "Name: ",
            "--More--",
            "(END)",
            ":",
            "read> ",
            "x" * 500,
            "日本語> ",
            "\u202e$ ",
        ]
    )
    | st.text(max_size=30)
)
TIMES = st.sampled_from([0.0, 0.1, STILL_BLANK, STILL_BLIND, 1.9, SILENT, 3600.0]) | st.floats(
    0, 1e6
)
PROBES = st.builds(
    Probe,
    alive=st.just(True),
    foreground=st.sampled_from([None, 77]),
    name=NAMES,
    canonical=BITS,
    echo=BITS,
    unread=st.just(0),
    waiter=st.none() | WAITERS,
    hidden=st.booleans(),
)
EDITORS = st.builds(
    Editor,
    prompt=LINES,
    text=LINES,
    cursor=st.just(0),
    reads=st.sampled_from(Reads),
    exit_status=st.none() | st.integers(0, 255),
)


def _consistent(scene: Scene) -> Scene:
    """A line editor's memory is read only on a raw terminal that can be looked at."""
    raw = scene.kernel.canonical is False and not scene.kernel.remote
    return scene if raw else replace(scene, editor=None)


SCENES = st.builds(
    Scene,
    kernel=PROBES,
    editor=st.none() | EDITORS,
    rows=st.lists(LINES, max_size=3).map(tuple),
    left=LINES,
    x=st.integers(0, 200),
    y=st.integers(0, 3),
    asked=LINES,
    alternate=st.booleans(),
    cursor_visible=st.booleans(),
    dead=st.sampled_from(["", "", "", "ended"]),
    prompts=st.lists(LINES, max_size=3).map(tuple),
    expected=st.booleans(),
    taken=st.booleans(),
    still=TIMES,
    full=TIMES,
    pattern=st.none() | LINES,
).map(_consistent)
WORDS = {
    Word.READY,
    Word.NEEDS_INPUT,
    Word.NEEDS_PASSWORD,
    Word.NEEDS_KEY,
    Word.UNFINISHED,
    Word.MATCHED,
    Word.QUIET,
    Word.GONE,
}


def word(scene: Scene) -> Word | None:
    decision = decide(scene)
    return decision.word if decision else None


def undecided(scene: Scene, **more) -> Scene:
    """The same, when neither its end, the caller's patterns nor a line editor's memory decide."""
    facts: dict[str, Any] = {"dead": "", "pattern": None, "editor": None}
    return replace(scene, **(facts | more))


@RANDOM
@given(SCENES)
def test_every_scene_has_one_of_the_contracts_words_or_none(scene):
    decision = decide(scene)
    assert decision is None or decision.word in WORDS
    assert decision is None or (decision.evidence is not None) == (decision.word is Word.READY)


@RANDOM
@given(SCENES)
def test_a_canonical_terminal_where_nobody_waits_is_nobodys_turn(scene):
    """Whatever the screen shows and however long it has been silent."""
    facts: dict[str, Any] = {
        "canonical": True,
        "waiter": None,
        "hidden": False,
        "remote": "",
        "foreground": 77,
    }
    kernel = replace(scene.kernel, **facts)
    scene = replace(scene, kernel=kernel, editor=None, alternate=False)
    ends = [
        (Word.GONE, scene.dead or None),
        (Word.READY, scene.pattern),
        (None, ""),
    ]
    assert word(scene) == next(word for word, what in ends if what is not None)


@RANDOM
@given(
    SCENES,
    st.sampled_from(
        ["done", "Building the thing …", "", "  ", "12 files", "~/src/main.c", "57%", "a word."]
    ),
)
def test_silence_alone_is_never_ready(scene, left):
    """No prompt at the cursor and no shell's line editor: not after any time."""
    scene = undecided(scene, left=left, prompts=())
    assume(not (scene.shell and scene.kernel.canonical is False))
    assume(not by_kernel.shell_reads_command(scene))
    for still in (0.0, SILENT, 60.0, 86_400.0):
        assert word(replace(scene, still=still, full=still)) is not Word.READY


@RANDOM
@given(SCENES)
def test_time_turns_nothing_into_ready_but_a_prompt_at_the_cursor(scene):
    scene = undecided(scene)
    now = decide(replace(scene, still=0.0, full=0.0))
    later = decide(replace(scene, still=86_400.0, full=86_400.0))
    if later and later.evidence is Evidence.SHELL and later != now:
        assert scene.shell or scene.shell_reads_command
        assert decide(replace(scene, still=STILL_BLIND)) == later
    elif later and later.word is Word.READY and later != now:
        assert not scene.cooked and not scene.expected
        assert later.evidence is Evidence.PROMPT
        assert scene.end and not scene.alternate


@RANDOM
@given(
    SCENES,
    PROMPT_ALIKES,
    PROMPT_ALIKES,
    st.sampled_from(["node", "ssh", "script", "docker"]),
    st.sampled_from(["blind", "remote", "listens"]),
    TIMES,
)
def test_where_a_prompt_is_awaited_no_other_one_is_ready_without_a_proven_wait(
    scene, known, printed, program, way, still
):
    """Inside ssh, or in node: `5$ ` at the cursor may be output, for as long as it likes."""
    assume(prompts_of.glued(printed, [known]) is None)
    blind = way == "blind"
    kernel = Probe(
        alive=True,
        foreground=None if blind else 77,
        name=program,
        canonical=None if blind else False,
        echo=None if blind else False,
        waiter=None if blind else Waiter(pid=77, name=program, how=How.LISTEN),
        remote=program if way == "remote" else "",
    )
    scene = undecided(
        scene, kernel=kernel, left=printed, prompts=(known,), expected=True, still=still
    )
    assert word(scene) is not Word.READY


@RANDOM
@given(SCENES, st.sampled_from(["$ ", "> ", "me@host:~$ "]), TIMES)
def test_the_prompt_that_was_there_before_counts_only_with_a_proven_wait(scene, prompt, still):
    scene = undecided(
        scene, left=prompt, prompts=(prompt,), taken=False, still=still, expected=True
    )
    assume(not scene.reads and not scene.shell)
    assert word(scene) is not Word.READY


@RANDOM
@given(SCENES, st.sampled_from(["vim", "python3", "ssh"]), HOW, TIMES)
def test_a_full_screen_of_another_program_needs_an_answer_or_proves_nothing(
    scene, program, how, still
):
    """Whatever text is left of its cursor, it is no prompt: an editor may show any."""
    waiter = Waiter(pid=77, name=program, how=how, size=1)
    kernel = replace(scene.kernel, name=program, canonical=False, waiter=waiter)
    scene = undecided(scene, kernel=kernel, alternate=True, still=still, full=still)
    assert word(scene) not in (Word.READY, Word.UNFINISHED)


@RANDOM
@given(SCENES)
def test_a_canonical_line_without_echo_is_only_ever_a_password(scene):
    """Nothing else may be said of it: what is sent now must be kept secret."""
    waiter = Waiter(pid=77, name="sudo", how=How.READ, size=4096)
    kernel = replace(scene.kernel, canonical=True, echo=False, waiter=waiter)
    assert word(undecided(scene, kernel=kernel)) is Word.NEEDS_PASSWORD


BY_EDITOR = {
    Reads.COMMAND: {Word.READY},
    Reads.SEARCH: {Word.READY},
    Reads.VI_COMMAND: {Word.READY},
    Reads.CONTINUATION: {Word.UNFINISHED},
    Reads.QUESTION: {Word.NEEDS_INPUT, Word.NEEDS_PASSWORD},
    Reads.KEY: {Word.NEEDS_KEY},
}


@RANDOM
@given(SCENES, EDITORS)
def test_no_screen_overrules_the_line_editor_of_a_shell(scene, editor):
    waiter = Waiter(pid=77, name="bash", how=How.SELECT)
    kernel = replace(
        scene.kernel,
        name="bash",
        canonical=False,
        echo=False,
        waiter=waiter,
        remote="",
        foreground=7,
    )
    scene = undecided(scene, kernel=kernel, editor=editor, still=STILL_DRAWN, since_sent=9.0)
    assert word(scene) in BY_EDITOR[editor.reads]


HOSTILE = {
    "one letter": "x" * 400,
    "brackets": "x [" + "a" * 400,
    "nested choices": "x " + "[a" * 200,
    "open choices": "x [a/" + "a/" * 200,
    "choices with blanks": "x [" + "a / " * 200,
    "choices with commas": "x (a" + ",a" * 300,
    "arrows": ">" * 400,
    "dollars": "$" * 400,
    "dollars and blanks": "$ " * 300,
    "percents": "%" * 400,
    "digits": "1" * 400,
    "dots": "." * 400,
    "dotted prompt": "." * 399 + ">",
    "blanks": " " * 400 + "x",
    "words": "word " * 200 + ">",
    "short words": "a " * 300 + "!",
    "slashes": "/" * 400,
    "paths": "/a~" * 200,
    "tildes": "~" * 400,
    "password": "password" * 100 + ":",
    "passwords": "password " * 60 + "!",
    "pins": "PIN " * 200,
    "colons": ":" * 400,
    "questions": "x?" * 300,
    "more": "--More--(" * 60,
    "lines": "lines 1-" * 80,
    "fish": "read>" * 100,
    "zsh": "quote " * 100 + ">",
    "wide": "漢" * 400,
    "marks": "e" + "\u0301" * 400,
    "many prompts": "a$ b# c% " * 60,
    "very long": "[a/" * 100_000,
}
LONG_PROMPTS = ("1/" * 200, "~a1" * 130, "$ " * 100, "x" * 400)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_decision_on_a_hostile_line_is_quick(name):
    line = HOSTILE[name]
    for text in (line, line + " ", line + "!", line + ":", line[1:] + ">"):
        for scene in (
            seen(PYTHON, text, prompts=LONG_PROMPTS),
            seen(ZSH, text, prompts=LONG_PROMPTS, entered=True),
            seen(BLINDED, text, still=9.0),
            seen(DASH, text),
            seen(NODE, text, still=9.0, rows=(text[:WIDEST],) * 40, y=39),
        ):
            began = time.process_time()
            decide(scene)
            took = time.process_time() - began
            assert took < AT_ONCE, f"{took:.3f}s for {scene.program}: {text[:60]!r}"


def test_every_shell_of_the_tests_is_known_as_one():
    assert all(programs.of(name).shell for name in "bash zsh fish dash sh ksh".split())
