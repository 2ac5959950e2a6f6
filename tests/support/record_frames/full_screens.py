"""Pagers, editors, monitors."""

from __future__ import annotations

from .steps import INPUT, KEY, Frame, Keys, Moving, Scenario, See, Step, Text

COMMIT = "git -c user.name=a -c user.email=b commit -q --allow-empty"


def program(name: str, command: str, *steps: Step) -> Scenario:
    return Scenario(name=name, command=command, steps=steps)


PAGERS = (
    program("less-start", "seq 1000 | less", See("\n:"), Frame("asking", KEY, ":")),
    program("less-end", "seq 1000 | less +G", See("(END)"), Frame("asking", KEY, "(END)")),
    program(
        "less-file",
        "seq 1000 >numbers.txt; less numbers.txt",
        See("numbers.txt"),
        Frame("standing"),
    ),
    program(
        "less-back",
        "seq 1000 | less",
        See("\n:"),
        Text("/99"),
        See("/99"),
        Frame("typed"),
        Keys("Enter"),
        Frame("moved", KEY, ":"),
    ),
    program(
        "less-missing",
        "seq 1000 | less",
        See("\n:"),
        Text("/zz"),
        Keys("Enter"),
        See("not found"),
        Frame("asking", KEY, "Pattern not found (press RETURN)"),
    ),
    program("less-normal", "seq 1000 | less -X", See("\n:"), Frame("asking", KEY, ":")),
    program(
        "git-log",
        f"git init -q; for i in $(seq 9); do {COMMIT} -m $i; done; git log",
        See("\n:"),
        Frame("asking", KEY, ":"),
    ),
    program("more-start", "seq 100 | more", See("--More--"), Frame("asking", KEY, "--More--")),
    program(
        "more-file",
        "seq 100 >numbers.txt; more numbers.txt",
        See("--More--"),
        Frame("asking", KEY, "--More--(26%)"),
    ),
    program(
        "man-start",
        "man ls",
        See("Manual page"),
        Frame("asking", KEY, "Manual page ls(1) line 1 (press h for help or q to quit)"),
    ),
)
EDITORS = (
    program(
        "vim-normal",
        "printf 'name: x\\nSure? \\n' >f; vim -u NONE f",
        See("Sure?"),
        Frame("standing"),
        Keys("G $"),
        Frame("question-in-text"),
        Keys("A"),
        Frame("insert"),
    ),
    program("vim-command", "vim -u NONE f", See("~"), Text(":wq"), See(":wq"), Frame("typed")),
    program(
        "vim-enter",
        "vim -u NONE f",
        See("~"),
        Text(":!true"),
        Keys("Enter"),
        See("ENTER"),
        Frame("asking", KEY, "Press ENTER or type command to continue"),
    ),
    program(
        "vim-swap",
        "touch .f.swp; printf 'b0VIM 9.0' >.f.swp; vim -u NONE f",
        See("Swap file"),
        Frame(
            "asking",
            KEY,
            "[O]pen Read-Only, (E)dit anyway, (R)ecover, (D)elete it, (Q)uit, (A)bort:",
        ),
    ),
    program(
        "vim-more",
        "vim --clean f",
        See("~"),
        Text(":let"),
        Keys("Enter"),
        See("-- More --"),
        Frame("asking", KEY, "-- More --"),
    ),
    program(
        "vim-confirm",
        "vim -u NONE f",
        See("~"),
        Text("ix"),
        Keys("Escape"),
        Text(":confirm q"),
        Keys("Enter"),
        See("[Y]es"),
        Frame("asking", KEY, "[Y]es, (N)o, (C)ancel:"),
    ),
    program(
        "nano-start",
        "printf 'name: x\\nSure? \\n' >f; nano f",
        See("Sure?"),
        Frame("standing"),
        Text("x"),
        Keys("C-x"),
        See("Save modified"),
        Frame("save", KEY, "Save modified buffer?"),
        Text("y"),
        See("Write"),
        Frame("name", INPUT, "File Name to Write: f"),
    ),
    program(
        "nano-search",
        "nano f",
        See("New File"),
        Keys("C-w"),
        See("Search:"),
        Frame("asking", INPUT, "Search:"),
    ),
    program(
        "emacs-start",
        "printf 'name: x\\n' >f; emacs -nw -Q f",
        See("name: x"),
        Frame("standing"),
        Text("x"),
        Keys("C-x C-c"),
        See("Save file"),
        Frame(
            "save",
            KEY,
            "Save file /tmp/frames/emacs-start/p/f? (y, n, !, ., q, C-r, C-f, d or C-h)",
        ),
    ),
    program(
        "emacs-find",
        "emacs -nw -Q f",
        See("f"),
        Keys("C-x C-f"),
        See("Find file"),
        Frame("asking", INPUT, "Find file: ~/p/"),
        Keys("C-g"),
        Keys("M-x"),
        See("M-x"),
        Frame("command"),
    ),
    program(
        "mc-start",
        "touch a; mc -u",
        See("Quit"),
        Frame("standing"),
        Keys("F8"),
        See("Cannot operate"),
        Frame("error"),
        Keys("Enter"),
        Keys("Down"),
        Keys("F8"),
        See("Yes"),
        Frame("delete", KEY, 'Delete file "a"?'),
        Keys("Escape Escape"),
        Keys("F5"),
        See("Copy file"),
        Frame("copy", INPUT, 'Copy file "a" with source mask:'),
    ),
    program(
        "git-commit",
        f"git init -q; EDITOR='vim -u NONE' {COMMIT}",
        See("Please enter"),
        Frame("standing"),
    ),
    program("top-working", "top -p $$", See("load average"), Moving("working")),
    program("htop-working", "htop -p $$", See("Quit"), Moving("working")),
    program("watch-working", "watch -t -n 0.5 date", See("20"), Moving("working", seconds=0.6)),
)
SCENARIOS = (*PAGERS, *EDITORS)
