"""The decision table alone, no tmux: what the kernel and the screen told in each situation (facts/terminal-signals.md,
facts/rules-learned.md), and the verdict that it deserves. Then what must hold for every scene there is."""

from __future__ import annotations

import os
import time
from dataclasses import fields, replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from python.helpers.tmux import verdict
from python.helpers.tmux.mark import Mark
from python.helpers.tmux.probe import SHELLS, How, Probe, Waiter
from python.helpers.tmux.verdict import (
    SILENT,
    STILL_BLANK,
    STILL_BLIND,
    TABLE,
    Scene,
    Verdict,
    decide,
    draft,
    same_prompt,
)

FUZZ = int(os.environ.get("FUZZ", "1"))  # FUZZ=50: as many times more scenes, new ones in each run
RANDOM = settings(deadline=None, derandomize=FUZZ == 1, database=None, max_examples=100 * FUZZ)
JUST_UNDER = 0.99
AT_ONCE = 0.05  # seconds one decision may take on any line at all
SCREEN = "prompt matched; screen only: "
BLIND = SCREEN + "the kernel cannot be read here"


# What the kernel tells of the programs in facts/terminal-signals.md. IC = ICANON, E = ECHO.


def at(
    name: str,
    ic: bool | None,
    e: bool | None,
    how: str = "",
    size: int = 0,
    *,
    by: str = "",
    timed: bool = False,
    hidden: bool = False,
) -> Probe:
    """`name` leads the foreground; `by` (itself) sleeps in `how`."""
    waiter = Waiter(pid=77, name=by or name, how=How(how), size=size, timed=timed) if how else None
    return Probe(
        alive=True,
        foreground=77,
        name=name,
        canonical=ic,
        echo=e,
        waiter=waiter,
        hidden=hidden,
        subject=77,
        awake=1_000_000,
        taken=1_000,
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
ASKS = at("rm", True, True, "read", 4096)
PYTHON = at("python3", False, False, "select")  # readline
PLAIN_PYTHON = at("python3", True, True, "read", 4096)
NODE = at("node", False, False, "listen")  # epoll, idle or busy
SSH = at("ssh", False, False, "listen")
LESS = at("less", False, False, "read", 1)
GIT_LOG = at("git", False, False, "read", 1, by="less")
WHIPTAIL = at("whiptail", False, False, "select")
VIM = at("vim", False, False, "select", timed=True)
TOP = at("top", False, False, "listen", timed=True)
BC = at("bc", False, False, "select")
MORE = at("more", False, False, "listen")
SUDO = at("sudo", True, False, hidden=True)  # another user's: wchan and syscall cannot be read
ROOT_ASKS = at("apt", True, True, hidden=True)
SLEEP = at("sleep", True, True)
BLINDED = Probe(
    alive=True, name="bash"
)  # no /proc, no termios: tmux's own idea of the program in front

READY = Verdict("ready", why="shell")
PROMPT = Verdict("ready", why="prompt matched")
RUNNING = None


def key(program: str) -> Verdict:
    return Verdict("needs key", program)


def asks(question: str) -> Verdict:
    return Verdict("needs input", question)


def password(question: str) -> Verdict:
    return Verdict("needs password", question)


def rest(line: str) -> Verdict:
    return Verdict("unfinished", line)


SITUATIONS: dict[str, tuple[Scene, Verdict | None]] = {
    # ended, or what the caller waits for is there
    "the pane is dead": (
        Scene(SLEEP, dead="its program ended (exit status 1)"),
        Verdict("gone", "its program ended (exit status 1)"),
    ),
    "dead comes before all else": (
        Scene(BASH, "$ ", dead="closed", until="x", pattern="$ "),
        Verdict("gone", "closed"),
    ),
    "until is seen while the program goes on": (
        Scene(SLEEP, until="  Listening on 8080 "),
        Verdict("matched", "Listening on 8080"),
    ),
    "until is seen in an empty line": (Scene(SLEEP, until=""), Verdict("matched")),
    "until comes before a prompt": (
        Scene(BASH, "$ ", until="done", pattern="$ "),
        Verdict("matched", "done"),
    ),
    "the caller's prompt pattern": (
        Scene(NODE, "cmd] ", pattern="cmd] "),
        Verdict("ready", why="pattern"),
    ),
    "the caller's prompt pattern on a canonical program": (
        Scene(SLEEP, "cmd] ", pattern="cmd]"),
        Verdict("ready", why="pattern"),
    ),
    # canonical and nobody waits
    "sleep, silent for long": (Scene(SLEEP, still=600.0), RUNNING),
    "a program that printed 100% and works on": (Scene(SLEEP, "copied 100%", still=60.0), RUNNING),
    "a program that printed a prompt": (
        Scene(SLEEP, "user@host:~$ ", prompts=("user@host:~$ ",), still=60.0),
        RUNNING,
    ),
    "a program that printed a question": (Scene(SLEEP, "Continue? [y/N] ", still=60.0), RUNNING),
    "a program that printed a password prompt": (Scene(SLEEP, "Password: ", still=60.0), RUNNING),
    "a program without echo that works": (
        Scene(at("work", True, False), "Password: ", still=60.0),
        RUNNING,
    ),
    "a shell in a loop of built-ins": (
        Scene(at("bash", True, True), "$ ", prompts=("$ ",), still=9.0),
        RUNNING,
    ),
    "a python REPL that computes": (
        Scene(at("python3", True, True), ">>> ", prompts=(">>> ",), still=9.0),
        RUNNING,
    ),
    "a canonical full screen": (
        Scene(at("watch", True, True), alternate=True, full=60.0, still=60.0),
        RUNNING,
    ),
    # passwords
    "read -s": (Scene(HIDDEN_READ, "Password: "), password("Password:")),
    "read -s without a word": (
        Scene(HIDDEN_READ),
        password("bash reads a line; nothing is asked on the screen"),
    ),
    "getpass whose question stands above": (Scene(HIDDEN_READ, asked="Token:"), password("Token:")),
    "dash with stty -echo": (
        Scene(at("dash", True, False, "read", 1), "Code: "),
        password("Code:"),
    ),
    "dash with stty -echo at what looks like its prompt": (
        Scene(at("dash", True, False, "read", 8192), "$ "),
        password("$"),
    ),
    "sudo, which cannot be looked at": (
        Scene(SUDO, "[sudo] password for me: ", still=STILL_BLIND),
        password("[sudo] password for me:"),
    ),
    "sudo that was only just started": (
        Scene(SUDO, "[sudo] password for me: ", still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "a password inside ssh": (
        Scene(SSH, "me@host's password: ", still=SILENT),
        password("me@host's password:"),
    ),
    "a password inside ssh, just printed": (
        Scene(SSH, "me@host's password: ", still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "a password inside ssh comes before a known prompt": (
        Scene(SSH, "Password: ", expected=True, prompts=("$ ",), still=SILENT),
        password("Password:"),
    ),
    "the old password question that still stands": (
        Scene(SSH, "Password: ", moved=False, still=9.0, expected=True),
        RUNNING,
    ),
    "a passphrase with a path in it": (
        Scene(SSH, "Enter passphrase for key '/home/me/.ssh/id': ", still=SILENT),
        password("Enter passphrase for key '/home/me/.ssh/id':"),
    ),
    "a program in raw mode that asks for a PIN": (Scene(PYTHON, "PIN: "), password("PIN:")),
    "a spinning word is no PIN": (Scene(PYTHON, "SPINNING: "), asks("SPINNING:")),
    "three dots on a full screen": (Scene(VIM, "...", alternate=True), RUNNING),
    "the word password on a full screen": (Scene(VIM, "password:", alternate=True), RUNNING),
    # a shell without a line editor
    "dash at its prompt": (Scene(DASH, "$ "), READY),
    "dash behind output without a line break": (Scene(DASH, "5%# "), READY),
    "dash with an empty prompt": (Scene(DASH, ""), READY),
    "dash with a prompt like a question": (Scene(DASH, "Name: "), READY),
    "bash --noediting at its prompt": (Scene(NOEDITING, "bash-5.2$ "), READY),
    "PS2 in dash": (Scene(DASH, "> "), rest(">")),
    "PS2 in dash where that is its prompt": (Scene(DASH, "> ", prompts=("> ",)), READY),
    "dash's builtin read": (Scene(DASH_READ, "Amount in $ "), asks("Amount in $")),
    "dash's builtin read at what looks like PS2": (Scene(DASH_READ, "> "), asks(">")),
    "bash --noediting in read": (Scene(NOEDITING_READ, "Name: "), asks("Name:")),
    "cat in a shell's place": (
        Scene(at("sh", True, True, "read", 131072, by="cat"), "$ "),
        asks("$"),
    ),
    "dash in a select": (Scene(at("dash", True, True, "select", 8192), "Go? "), asks("Go?")),
    # a program that reads a line
    "read -p": (Scene(BASH_READ, "Continue? [y/N] "), asks("Continue? [y/N]")),
    "read -p with a dollar at its end": (Scene(BASH_READ, "Amount in $ "), asks("Amount in $")),
    "read -t": (Scene(at("bash", True, True, "select", timed=True), "Quick: "), asks("Quick:")),
    "bash's select": (Scene(BASH_READ, "#? "), asks("#?")),
    "rm -i": (Scene(ASKS, "rm: remove regular file 'a'? "), asks("rm: remove regular file 'a'?")),
    "a question above the cursor": (Scene(ASKS, "", asked="Which one"), asks("Which one")),
    "cat": (
        Scene(at("cat", True, True, "read", 131072)),
        asks("cat reads a line; nothing is asked on the screen"),
    ),
    "a reader behind a leader": (
        Scene(at("sh", True, True, "read", 131072, by="cat")),
        asks("cat reads a line; nothing is asked on the screen"),
    ),
    "a python REPL without readline": (Scene(PLAIN_PYTHON, ">>> "), PROMPT),
    "the same at a continuation": (Scene(PLAIN_PYTHON, "... ", expected=True), rest("...")),
    "three dots asked by a program": (Scene(PLAIN_PYTHON, "... "), asks("...")),
    "root's program that asks": (
        Scene(ROOT_ASKS, "Do you want to continue? [Y/n] ", still=STILL_BLIND),
        asks("Do you want to continue? [Y/n]"),
    ),
    "root's program that just printed a question": (
        Scene(ROOT_ASKS, "Do you want to continue? [Y/n] ", still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "root's program that prints": (Scene(ROOT_ASKS, "Unpacking", still=60.0), RUNNING),
    "node that asks a line of a canonical terminal": (
        Scene(at("node", True, True, "listen"), "Name? ", still=STILL_BLIND),
        asks("Name?"),
    ),
    "node that listens and says nothing": (
        Scene(at("node", True, True, "listen"), "Listening on 8080", still=60.0),
        RUNNING,
    ),
    # one key of a shell
    "bash read -n1": (Scene(at("bash", False, True, "read", 1), "Key? "), key("bash")),
    "bash read -s -n1": (Scene(at("bash", False, False, "read", 1), "$ "), key("bash")),
    "bash read -n1 -t": (
        Scene(at("bash", False, True, "select", timed=True), "Key? "),
        key("bash"),
    ),
    "zsh read -k1": (Scene(at("zsh", False, True, "read", 1), "Press a key"), key("zsh")),
    # a shell's line editor
    "bash at its prompt": (Scene(BASH, "bash-5.2$ "), READY),
    "zsh at its prompt": (Scene(ZSH, "host% "), READY),
    "fish at its prompt": (Scene(FISH, "me@host ~> "), READY),
    "a prompt that nobody listed": (Scene(BASH, "go! "), READY),
    "an empty prompt": (Scene(BASH, ""), READY),
    "a shell that a background job printed over": (
        Scene(BASH, "", prompts=("bash-5.2$ ",), typed="work &"),
        READY,
    ),
    "a nested shell": (Scene(at("env", False, False, "select", by="bash"), "$ "), READY),
    "a root shell that cannot be looked at": (
        Scene(at("bash", False, False, hidden=True), "root@host:/# "),
        READY,
    ),
    "a shell in raw mode that does not wait": (
        Scene(at("bash", False, False), "$ ", prompts=("$ ",), still=60.0),
        RUNNING,
    ),
    "a shell in raw mode with echo that listens to more": (
        Scene(at("zsh", False, True, "listen"), "$ ", still=60.0),
        RUNNING,
    ),
    "a shell in raw mode with echo that does not wait": (
        Scene(at("zsh", False, True), "$ ", still=60.0, full=60.0),
        RUNNING,
    ),
    "the sent line stands at the prompt": (
        Scene(FISH, "> sleep 3", typed="sleep 3", prompts=("> ",)),
        RUNNING,
    ),
    "the sent line stands at the prompt, wrapped": (
        Scene(ZSH, "$ echo a   b", typed="echo a b"),
        RUNNING,
    ),
    "the sent line was the prompt itself": (Scene(BASH, "$ ", typed="$", prompts=("$ ",)), READY),
    "PS2 in bash": (Scene(BASH, "> ", typed="echo 'abc"), rest(">")),
    "PS2 in bash where that is its prompt": (Scene(BASH, "> ", prompts=("> ",)), READY),
    "quote> in zsh": (Scene(ZSH, "quote> "), rest("quote>")),
    "nested for> in zsh": (Scene(ZSH, "for then> "), rest("for then>")),
    "heredoc> in zsh": (Scene(ZSH, "heredoc> "), rest("heredoc>")),
    "echo \\ in zsh": (Scene(ZSH, "> "), rest(">")),
    "a bare > in zsh where that is its prompt": (Scene(ZSH, "> ", prompts=("> ",)), READY),
    "a word and > in zsh is its prompt": (Scene(ZSH, "mac> "), READY),
    "fish in the middle of a command": (
        Scene(FISH, "      ", typed="echo 'abc"),
        rest("echo 'abc"),
    ),
    "fish without a prompt": (Scene(FISH, "", typed="true"), READY),
    "fish at an indented empty line, nothing sent": (Scene(FISH, "      "), READY),
    "fish at a prompt that is > alone": (Scene(FISH, "> "), READY),
    "bash read -e": (Scene(BASH, "Edit: "), asks("Edit:")),
    "zsh vared": (Scene(ZSH, "Edit: "), asks("Edit:")),
    "fish read": (Scene(FISH, "read> "), asks("read>")),
    "fish read -s": (Scene(FISH, "Password: "), password("Password:")),
    "a prompt that says Password, once learned": (
        Scene(FISH, "Password: ", prompts=("Password: ",)),
        READY,
    ),
    "zsh's select": (Scene(ZSH, "?# "), asks("?#")),
    "a prompt like a question, once learned": (Scene(BASH, "Name: ", prompts=("Name: ",)), READY),
    "a prompt like a question with another number": (
        Scene(BASH, "[12:01] Name: ", prompts=("[11:59] Name: ",)),
        READY,
    ),
    # another program in raw mode
    "python at its prompt": (Scene(PYTHON, ">>> "), PROMPT),
    "gdb": (Scene(at("gdb", False, False, "select"), "(gdb) "), PROMPT),
    "ipython": (Scene(at("ipython", False, False, "select"), "In [12]: "), PROMPT),
    "sqlite": (Scene(at("sqlite3", False, False, "select"), "sqlite> "), PROMPT),
    "a REPL with a proven wait at a new prompt": (
        Scene(PYTHON, "(Pdb) ", expected=True, prompts=(">>> ",)),
        PROMPT,
    ),
    "a REPL at an unlisted prompt, once learned": (
        Scene(PYTHON, "go! ", prompts=("go! ",)),
        PROMPT,
    ),
    "a continuation in python": (Scene(PYTHON, "... "), rest("...")),
    "a continuation in sqlite": (
        Scene(at("sqlite3", False, False, "select"), "   ...> "),
        rest("...>"),
    ),
    "a continuation in ipython": (
        Scene(at("ipython", False, False, "select"), "   ...: "),
        rest("...:"),
    ),
    "a continuation in node": (
        Scene(NODE, "... ", expected=True, prompts=("> ",), still=SILENT),
        rest("..."),
    ),
    "a continuation in psql": (Scene(at("psql", False, False, "select"), "db-# "), rest("db-#")),
    "dots that node just printed": (
        Scene(NODE, "... ", expected=True, still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "dots that stood there before": (
        Scene(NODE, "... ", expected=True, moved=False, still=9.0),
        RUNNING,
    ),
    "node at its prompt": (
        Scene(NODE, "> ", prompts=("> ",)),
        Verdict("ready", why=SCREEN + "node hides its state"),
    ),
    "node at its prompt for the first time": (
        Scene(NODE, "> ", still=STILL_BLIND),
        Verdict("ready", why=SCREEN + "node hides its state"),
    ),
    "node at its prompt for the first time, for long": (
        Scene(NODE, "> ", still=SILENT),
        Verdict("ready", why=SCREEN + "node hides its state"),
    ),
    "a prompt with a hidden cursor": (
        Scene(NODE, "> ", prompts=("> ",), cursor_visible=False, expected=True),
        RUNNING,
    ),
    "node that just printed a prompt": (Scene(NODE, "> ", still=STILL_BLIND * JUST_UNDER), RUNNING),
    "node's old prompt": (
        Scene(NODE, "> ", prompts=("> ",), moved=False, expected=True, still=60.0),
        RUNNING,
    ),
    "node busy behind a printed prompt": (
        Scene(NODE, "5$ ", prompts=("> ",), expected=True, still=60.0),
        RUNNING,
    ),
    "ssh at a remote prompt": (
        Scene(SSH, "me@host:~$ ", still=STILL_BLIND),
        Verdict("ready", why=SCREEN + "ssh hides its state"),
    ),
    "ssh at the same prompt in another directory": (
        Scene(SSH, "me@host:/etc$ ", prompts=("me@host:~$ ",), expected=True),
        Verdict("ready", why=SCREEN + "ssh hides its state"),
    ),
    "ssh while the remote program sleeps": (
        Scene(SSH, "", prompts=("$ ",), expected=True, still=600.0),
        RUNNING,
    ),
    "ssh while the remote program shows 57%": (
        Scene(SSH, "57%", still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "a remote question": (
        Scene(SSH, "Continue? [y/N] ", prompts=("$ ",), expected=True, still=STILL_BLIND),
        asks("Continue? [y/N]"),
    ),
    "a remote question, just printed": (
        Scene(SSH, "Continue? [y/N] ", expected=True, still=STILL_BLIND * JUST_UNDER),
        RUNNING,
    ),
    "a remote line that ends in a colon": (
        Scene(SSH, "Loading: ", expected=True, still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "a remote line that ends in a colon for long": (
        Scene(SSH, "Name: ", expected=True, still=SILENT),
        asks("Name:"),
    ),
    "the remote question that was there before": (
        Scene(SSH, "Go? ", expected=True, moved=False, still=60.0),
        RUNNING,
    ),
    "input() with readline": (
        Scene(PYTHON, "Your name? ", expected=True, prompts=(">>> ",)),
        asks("Your name?"),
    ),
    "a question with a wide sign": (Scene(PYTHON, "名前？"), asks("名前？")),
    "a choice in brackets": (
        Scene(PYTHON, "Are you sure (yes/no/[fingerprint])? "),
        asks("Are you sure (yes/no/[fingerprint])?"),
    ),
    "no /proc, at a prompt": (
        Scene(BLINDED, "me@host:~$ ", still=STILL_BLIND),
        Verdict("ready", why=BLIND),
    ),
    "no /proc, at the known prompt": (
        Scene(BLINDED, "$ ", prompts=("$ ",), expected=True),
        Verdict("ready", why=BLIND),
    ),
    "no /proc, the old prompt": (
        Scene(BLINDED, "$ ", prompts=("$ ",), expected=True, moved=False, still=60.0),
        RUNNING,
    ),
    "no /proc, PS2": (
        Scene(BLINDED, "> ", prompts=("$ ",), expected=True, still=SILENT),
        rest(">"),
    ),
    "no /proc, > just printed": (
        Scene(BLINDED, "> ", prompts=("$ ",), expected=True, still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "PS2 behind ssh": (Scene(SSH, "> ", prompts=("$ ",), expected=True, still=SILENT), rest(">")),
    "zsh's quote> behind ssh": (
        Scene(SSH, "quote> ", prompts=("% ",), expected=True, still=SILENT),
        rest("quote>"),
    ),
    "no /proc, a question": (
        Scene(BLINDED, "Continue? [y/N] ", prompts=("$ ",), expected=True, still=STILL_BLIND),
        asks("Continue? [y/N]"),
    ),
    "no /proc, silence after a sent line": (
        Scene(BLINDED, "", prompts=("$ ",), expected=True, still=600.0),
        RUNNING,
    ),
    # pagers, menus, keys
    "less": (Scene(LESS, ":", alternate=True), key("less")),
    "less at its end": (Scene(LESS, "(END)"), key("less")),
    "git log names less": (Scene(GIT_LOG, ":"), key("less")),
    "git log at what looks like a prompt": (Scene(GIT_LOG, "$", alternate=True), key("less")),
    "more": (Scene(MORE, "--More--(5%)"), key("more")),
    "more's line that was there before": (Scene(MORE, "--More--", moved=False), RUNNING),
    "man": (Scene(at("man", False, False, "read", 1, by="less"), "lines 1-23"), key("less")),
    "dialog": (Scene(at("dialog", False, False, "read", 1), ""), key("dialog")),
    "whiptail": (Scene(WHIPTAIL, alternate=True), key("whiptail")),
    "whiptail with its cursor hidden": (Scene(WHIPTAIL, cursor_visible=False), key("whiptail")),
    "press any key": (
        Scene(at("onekey", False, False, "read", 1), "Press any key to continue . . ."),
        key("onekey"),
    ),
    # a line editor without a word
    "bc": (Scene(BC, still=STILL_BLANK), asks("bc reads a line; nothing is asked on the screen")),
    "bc behind its last result": (Scene(BC, asked="42", still=STILL_BLANK), asks("42")),
    "bc that was only just started": (Scene(BC, still=STILL_BLANK * JUST_UNDER), RUNNING),
    # nothing proves anything
    "vim": (Scene(VIM, alternate=True, full=SILENT), Verdict("quiet", "vim (full screen)")),
    "vim, whose screen was seen a moment after its last change": (
        Scene(VIM, alternate=True, full=SILENT * JUST_UNDER, still=SILENT),
        Verdict("quiet", "vim (full screen)"),
    ),
    "vim that was only just started": (
        Scene(VIM, alternate=True, full=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "top, which redraws for ever": (
        Scene(TOP, cursor_visible=False, full=SILENT, expected=True),
        Verdict("quiet", "top (full screen)"),
    ),
    "ssh that says nothing from the start": (
        Scene(SSH, "connected", still=SILENT),
        Verdict("quiet", "ssh"),
    ),
    "ssh that said something just now": (
        Scene(SSH, "connected", still=SILENT * JUST_UNDER),
        RUNNING,
    ),
    "a raw program that works": (
        Scene(at("work", False, False), "", prompts=("$ ",), expected=True, still=600.0),
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


@pytest.mark.parametrize("number", range(len(TABLE)), ids=lambda n: f"{n}: {TABLE[n][0]}")
def test_every_row_is_needed_by_a_situation(number, monkeypatch):
    """Without the row, some situation above is decided otherwise: so no row can be lost or broken unseen."""
    shorter = TABLE[:number] + TABLE[number + 1 :]
    monkeypatch.setattr(verdict, "TABLE", shorter)
    assert [name for name, (scene, expected) in SITUATIONS.items() if decide(scene) != expected], (
        TABLE[number][0]
    )


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
    timed=st.booleans(),
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
SCENES = st.builds(
    Scene,
    PROBES,
    LINES,
    LINES,
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "", "", "ended"]),
    st.lists(LINES, max_size=3).map(tuple),
    st.booleans(),
    LINES,
    st.booleans(),
    TIMES,
    TIMES,
    st.none() | LINES,
    st.none() | LINES,
)
WORDS = {
    "ready",
    "needs input",
    "needs password",
    "needs key",
    "unfinished",
    "matched",
    "quiet",
    "gone",
}


def asked_for(scene: Scene) -> Scene:
    """The same, when neither its end nor the caller's patterns decide."""
    return replace(scene, dead="", until=None, pattern=None)


@RANDOM
@given(SCENES)
def test_every_scene_has_one_of_the_contracts_words_or_none(scene):
    said = decide(scene)
    assert said is None or said.word in WORDS
    assert said is None or (said.why != "") == (said.word == "ready")
    assert decide(scene) == said


@RANDOM
@given(SCENES)
def test_a_canonical_terminal_where_nobody_waits_is_nobodys_turn(scene):
    """Whatever the screen shows and however long it has been silent."""
    scene = replace(scene, kernel=replace(scene.kernel, canonical=True, waiter=None, hidden=False))
    said = decide(scene)
    found = [
        ("gone", scene.dead or None),
        ("matched", scene.until),
        ("ready", scene.pattern),
        (None, ""),
    ]
    expected = next(word for word, what in found if what is not None)
    assert (said and said.word) == expected
    assert expected != "ready" or said.why == "pattern"


@RANDOM
@given(
    SCENES,
    st.sampled_from(
        ["done", "Building the thing …", "", "  ", "12 files", "~/src/main.c", "57%", "a word."]
    ),
)
def test_silence_alone_is_never_ready(scene, left):
    """No prompt at the cursor and no shell's line editor: not after any time."""
    scene = replace(asked_for(scene), left=left, prompts=())
    assume(not (scene.shell and scene.kernel.canonical is False))
    assume(not scene.shell_reads_command)
    for still in (0.0, SILENT, 60.0, 86_400.0):
        said = decide(replace(scene, still=still, full=still))
        assert said is None or said.word != "ready", said


@RANDOM
@given(SCENES)
def test_silence_turns_nothing_into_ready_but_a_prompt_at_the_cursor_of_a_raw_or_blind_terminal(
    scene,
):
    now = decide(replace(scene, still=0.0, full=0.0))
    later = decide(replace(scene, still=86_400.0, full=86_400.0))
    if later and later.word == "ready" and later != now:
        assert not scene.cooked and not scene.expected
        assert later.why.startswith("prompt matched")
        assert scene.end and not scene.alternate


@RANDOM
@given(
    SCENES,
    PROMPT_ALIKES,
    PROMPT_ALIKES,
    st.sampled_from(["node", "ssh", "script", "docker"]),
    st.booleans(),
    TIMES,
)
def test_where_a_prompt_is_awaited_no_other_one_counts_without_a_proven_wait(
    scene, known, printed, program, blind, still
):
    """Inside ssh, or in node: `5$ ` at the cursor may be output, for as long as it likes."""
    assume(not same_prompt(known, printed))
    waiter = None if blind else Waiter(pid=77, name=program, how=How.LISTEN)
    kernel = Probe(
        alive=True,
        foreground=None if blind else 77,
        name=program,
        canonical=None if blind else False,
        echo=None if blind else False,
        waiter=waiter,
    )
    scene = replace(
        asked_for(scene), kernel=kernel, left=printed, prompts=(known,), expected=True, still=still
    )
    said = decide(scene)
    assert said is None or said.word != "ready", said


@RANDOM
@given(SCENES, st.sampled_from(["$ ", "> ", "me@host:~$ "]), TIMES)
def test_the_prompt_that_stood_there_before_counts_only_with_a_proven_wait(scene, prompt, still):
    scene = replace(
        asked_for(scene), left=prompt, prompts=(prompt,), moved=False, still=still, expected=True
    )
    assume(not scene.waits and not scene.shell)
    said = decide(scene)
    assert said is None or said.word != "ready", said


@RANDOM
@given(SCENES, st.sampled_from(["vim", "python3", "ssh"]), HOW, st.booleans(), TIMES)
def test_a_full_screen_of_another_program_wants_a_key_or_proves_nothing(
    scene, program, how, timed, still
):
    """Whatever text stands left of its cursor: an editor may show any."""
    kernel = replace(
        scene.kernel,
        name=program,
        canonical=False,
        waiter=Waiter(pid=77, name=program, how=how, size=1, timed=timed),
    )
    scene = replace(asked_for(scene), kernel=kernel, alternate=True, still=still, full=still)
    said = decide(scene)
    assert said is None or said.word in ("needs key", "quiet"), said


@RANDOM
@given(SCENES)
def test_a_canonical_line_without_echo_is_only_ever_a_password(scene):
    """Nothing else may be said of it: what is sent now must be kept secret."""
    kernel = replace(
        scene.kernel,
        canonical=True,
        echo=False,
        waiter=Waiter(pid=77, name="sudo", how=How.READ, size=4096),
    )
    scene = replace(asked_for(scene), kernel=kernel)
    assert decide(scene).word == "needs password"


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
            Scene(PYTHON, text, prompts=LONG_PROMPTS),
            Scene(ZSH, text, prompts=LONG_PROMPTS, typed=text),
            Scene(BLINDED, text, still=9.0),
            Scene(DASH, text),
        ):
            began = time.process_time()
            decide(scene)
            took = time.process_time() - began
            assert took < AT_ONCE, f"{took:.3f}s for {scene.program}: {text[:60]!r}"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_half_typed_line_is_found_quickly_in_a_hostile_one(name):
    for prompt in (*LONG_PROMPTS, "~/a 12$ ", HOSTILE[name][:400]):
        began = time.process_time()
        draft(HOSTILE[name], (prompt,))
        took = time.process_time() - began
        assert took < AT_ONCE, f"{took:.3f}s with the prompt {prompt[:30]!r}"


# The half-typed line

KNOWN = st.sampled_from(
    ["$ ", "> ", "bash-5.2$ ", "me@host:~/src$ ", "go! ", "❯ ", "[3] > ", "(gdb) ", "a.b*c? "]
)
TYPED = st.text(
    st.characters(codec="ascii", exclude_categories=["Cc"]) | st.sampled_from("äλ漢"), max_size=40
)


@RANDOM
@given(KNOWN, TYPED)
def test_what_stands_behind_a_known_prompt_is_the_draft(prompt, typed):
    assume(not any(sign in typed for sign in "$>!❯)?"))
    assert draft(prompt + typed, (prompt,)) == typed.strip()
    assert draft("some output" + prompt + typed, (prompt,)) == typed.strip()


@RANDOM
@given(KNOWN)
def test_at_an_empty_prompt_the_draft_is_empty_and_not_unknown(prompt):
    assert draft(prompt, (prompt,)) == draft(prompt.rstrip(), (prompt,)) == ""


@RANDOM
@given(st.text(max_size=80), st.lists(st.text(max_size=20), max_size=3).map(tuple))
def test_a_draft_is_always_part_of_the_line(line, prompts):
    found = draft(line, prompts)
    assert found is None or found in line


@pytest.mark.parametrize(
    "line, prompts, expected",
    [
        ("me@host:/etc$ rm -rf x", ("me@host:~$ ",), "rm -rf x"),  # the directory has changed
        ("[14:32:07] % ls", ("[09:00:00] % ",), "ls"),  # the clock goes on
        ("In [13]: x = 1", ("In [12]: ",), "x = 1"),
        ("$ echo $ ", ("$ ",), ""),  # behind the last occurrence
        ("go! rm", ("go! ",), "rm"),
        ("go! rm", (), None),  # an unlisted prompt: only where it was learned
        ("user@host:~$", (), ""),
        ("user@host:~$x", (), None),  # tmux trims the blank behind a prompt
        ("user@host:~$ rm", (), "rm"),
        ("❯ rm", (), "rm"),
        ("% rm", (), "rm"),
        (">>> x", (), "x"),
        ("(gdb) run", (), "run"),
        ("In [1]: x", (), "x"),
        ("plain output", (), None),
        ("", (), None),
        ("57% done", (), None),
        ("   ", ("   ",), None),
    ],
)
def test_draft(line, prompts, expected):
    assert draft(line, prompts) == expected


# The same prompt again


@RANDOM
@given(LINES, LINES)
def test_the_same_prompt_is_the_same_either_way_round(a, b):
    assert same_prompt(a, b) == same_prompt(b, a)
    assert same_prompt(a, a) == bool(a.strip())
    assert not same_prompt("", a) and not same_prompt("  ", a)


@RANDOM
@given(
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.sampled_from(["~", "/", "/etc", "~/src/a-b", "/tmp/x.y"]),
    st.sampled_from(["~", "/", "/var/log", "~/other"]),
)
def test_a_prompt_is_the_same_with_another_directory_and_number(one, two, here, there):
    assert same_prompt(f"[{one}] me@host:{here}$ ", f"[{two}] me@host:{there}$")


@pytest.mark.parametrize(
    "a, b",
    [
        ("$ ", "# "),
        ("> ", ">> "),
        ("me@host:~$ ", "you@host:~$ "),
        (">>> ", "... "),
        ("$ ", "$ ls"),
        ("5$ ", "$ "),
        ("Name: ", "Nome: "),
    ],
)
def test_another_prompt_is_not_the_same(a, b):
    assert not same_prompt(a, b)


# Has the sent text been read? Before that, nothing on the screen counts.

NOW, LONG_AGO = time.time() + 10_000, 0.0
SENT = replace(
    Mark(**{field.name: None for field in fields(Mark)}),
    at=NOW,
    foreground=77,
    subject=77,
    awake=1_000,
    taken=500,
    size=9,
)
THEN = Probe(
    alive=True,
    foreground=77,
    name="bash",
    canonical=False,
    echo=False,
    waiter=Waiter(pid=77, name="bash", how=How.SELECT),
    subject=77,
    awake=1_000,
    taken=500,
)


@pytest.mark.parametrize(
    "name, mark, kernel, moved, taken",
    [
        ("nothing has happened yet", SENT, THEN, False, False),
        ("nothing has been read though the screen moved", SENT, THEN, True, False),
        ("some of it was read", SENT, replace(THEN, taken=508, awake=5_000), True, False),
        ("all of it was read", SENT, replace(THEN, taken=509, awake=5_000), False, True),
        (
            "it is still in the terminal's queue",
            SENT,
            replace(THEN, unread=1, taken=509, awake=5_000),
            True,
            False,
        ),
        (
            "it is still in the queue after long",
            replace(SENT, at=LONG_AGO),
            replace(THEN, unread=9),
            True,
            False,
        ),
        (
            "it is still in the queue and another program is there",
            SENT,
            replace(THEN, unread=3, subject=99),
            True,
            False,
        ),
        ("another program reads now", SENT, replace(THEN, subject=99), False, True),
        ("the program threw it away, a moment ago", SENT, replace(THEN, awake=5_000), False, False),
        ("the program threw it away, long ago", replace(SENT, at=LONG_AGO), THEN, False, True),
        ("keys, and nobody has run", replace(SENT, size=0), replace(THEN, taken=999), False, False),
        (
            "keys, and the program has run",
            replace(SENT, size=0),
            replace(THEN, awake=1_001),
            False,
            True,
        ),
        (
            "what it reads cannot be known, and it has not run",
            replace(SENT, taken=None),
            replace(THEN, taken=999),
            False,
            False,
        ),
        (
            "what it reads cannot be known, and it has run",
            SENT,
            replace(THEN, taken=None, awake=1_001),
            False,
            True,
        ),
        ("blind, and the screen is as it was", SENT, Probe(alive=True, name="bash"), False, False),
        (
            "blind, the screen as it was, after long",
            replace(SENT, at=LONG_AGO),
            Probe(alive=True, name="bash"),
            False,
            False,
        ),
        ("blind, and the screen has moved", SENT, Probe(alive=True, name="bash"), True, True),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whether_the_sent_text_was_read(name, mark, kernel, moved, taken):
    assert mark.was_taken(kernel, moved) is taken


def test_every_shell_of_the_tests_is_known_as_one():
    assert {"bash", "zsh", "fish", "dash", "sh", "ksh"} <= SHELLS
