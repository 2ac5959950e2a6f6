"""What a person has typed and not entered: prompt x cursor x shell, on the first call (H1, H3)."""

from ..table import Case, interrupt, panes, pause, person, press, read, run, send, wait

LINE = "echo persons-half-line"
LONG = "echo " + " ".join(f"word{n}" for n in range(40))  # wraps twice at 120 columns
FORMS = {  # have the form of a prompt: the screen alone shows it
    "plain": "user@host:~$ ",
    "root": "[root@box /]# ",
    "oh-my-zsh": "➜  src git:(main) ✗ ",
    "lambda": "λ ",
    "arrow": "➜ ",
    "venv lambda": "(venv) λ ",
    "percent": "user % ",
    "chevron": "❯ ",
    "guillemet": "~/src » ",
    "dollar": "$ ",
    "angle": "> ",
    "two rows": "\n┌ ~/src\n└─▶ ",
    "starship": "\ndemo on  main [!] via  v20\n❯ ",
    "time": "12:30 user $ ",
    "dirs": "/usr/local/lib > ",
}
STRANGE = {  # nothing on the screen shows where the prompt ends
    "empty": "",
    "go": "go! ",
    "bar": "12:30 | ",
    "hundred": "100% ",
    "done": "done. ",
    "at": "me@there ",
    "name": "Name: ",
    "brace": "{ok} ",
    "powerline": "  ~  ",
}
CURSORS = {"end": (), "home": ("C-a",), "middle": ("Left",) * 5}


def shell_and_environment(shell: str, prompt: str) -> tuple[str, dict[str, str]]:
    if shell == "zsh":
        return "zsh -f", {"PS1": prompt.replace("%", "%%")}
    if shell == "fish":
        shown = prompt.replace("\n", "\\n").replace("$", "\\$")
        draws = f"function fish_prompt; printf '%b' '{shown}'; end"
        return f'fish --no-config -C "{draws}"', {}
    return {"bash": "bash --norc --noprofile", "dash": "dash"}[shell], {
        "PS1": prompt.replace("$", "\\$")
    }


def refused(line: str = LINE, doubt: bool = False) -> list:
    return [
        run("echo oops", "error: …", has=(line, "open"), untouched=True, doubt=doubt),
        send("echo oops", "error: …", has=line, untouched=True, doubt=doubt),
        send("oops", "error: …", has=line, enter=False, untouched=True, doubt=doubt),
        interrupt("error: …", has=line, untouched=True, doubt=doubt),
        wait("", has=line, untouched=True, timeout=1, doubt=doubt),
    ]


def half(shell: str, name: str, prompt: str, cursor: str) -> Case:
    command, environment = shell_and_environment(shell, prompt)
    number = list(PROMPTS).index(name)  # in the core each prompt takes turns with the rest
    turn = ("bash", "zsh", "fish", "dash")[number % 4], list(CURSORS)[number // 4 % 3]
    strange = name in STRANGE
    # where a note will do the line is typed after all, so only the first call counts
    steps = refused(doubt=True)[:1] if strange else refused()
    return Case(
        name=f"half-typed: {shell}, {name}, cursor {cursor}",
        shell=command,
        environment=environment,
        core=(shell, cursor) == turn,
        steps=[person(LINE, *CURSORS[cursor]), *steps],
    )


PROMPTS = {**FORMS, **STRANGE}
CASES = [
    *[half("bash", name, prompt, cursor) for name, prompt in PROMPTS.items() for cursor in CURSORS],
    *[
        half("zsh", name, prompt, cursor)
        for name, prompt in PROMPTS.items()
        for cursor in ("end", "home")
    ],
    *[
        half("fish", name, prompt, cursor)
        for name, prompt in FORMS.items()
        for cursor in ("end", "home")
    ],
    *[half("dash", name, prompt, "end") for name, prompt in FORMS.items() if "\n" not in prompt],
    *[
        Case(
            name=f"half-typed: {shell}, wrapped, cursor {cursor}",
            core=True,
            shell=command,
            steps=[person(LONG, *CURSORS[cursor]), *refused(LONG)],
        )
        for shell, command in {"bash": "bash --norc --noprofile", "zsh": "zsh -f"}.items()
        for cursor in CURSORS
    ],
    Case(
        name="half-typed: after an ordinary call",
        core=True,
        steps=[
            run("echo learn", "ready", body="learn"),
            person(LINE, "C-a"),
            *refused(),
            panes(has=LINE),
            read(has=LINE),
            person("", "C-e", "C-u"),
            run("echo free", "ready", body="free"),
        ],
    ),
    Case(
        name="half-typed: bash vi mode",
        core=True,
        shell="bash --norc --noprofile -o vi",
        steps=[person(LINE, "Escape"), pause(1), *refused(), person("", "b", "b"), *refused()[:2]],
    ),
    Case(
        name="half-typed: zsh with a right prompt",
        core=True,
        shell="zsh -f",
        environment={"RPROMPT": "<12:30>"},
        steps=[person(LINE, "C-a"), *refused()],
    ),
    Case(
        name="half-typed: fish suggests the rest",
        core=True,
        shell="fish --no-config",
        steps=[
            run("echo persons-half-line and a suggestion", "ready"),
            person(LINE),
            *refused(),
        ],
    ),
    Case(
        name="half-typed: several rows of one command",
        core=True,
        steps=[person("echo 'row one", "Enter"), person("row two"), *refused("row two")[:2]],
    ),
    Case(
        name="half-typed: bash in a search",
        core=True,
        steps=[
            run("echo needle", "ready", body="needle"),
            person("", "C-r"),
            person("needl"),
            run("echo oops", "error: …", untouched=True),
            send("echo oops", "error: …", untouched=True),
        ],
    ),
    Case(
        name="half-typed: scrolled back",
        core=True,
        steps=[
            person("seq 100", "Enter"),
            person(LINE),
            person("", "C-b", "[", *["C-Up"] * 20),
            *refused()[:2],
        ],
    ),
    Case(
        name="half-typed: a person's unfinished command",
        core=True,
        steps=[
            person("for i in 1 2", "Enter"),
            run("echo oops", "error: …", untouched=True),
            send("echo oops", "error: …", untouched=True),
            person("do echo $i"),
            run("echo oops", "error: …", has="do echo $i", untouched=True),
            send("echo oops", "error: …", has="do echo $i", untouched=True),
        ],
    ),
    Case(
        name="half-typed: a person's open quote in zsh",
        core=True,
        shell="zsh -f",
        steps=[
            person('echo "open', "Enter"),
            run("echo oops", "error: …", untouched=True),
            send("echo oops", "error: …", untouched=True),
        ],
    ),
    Case(
        name="half-typed: keys are the deliberate way",
        core=True,
        steps=[
            person(LINE),
            press("x", "", has=("note: ", LINE)),
            press("BSpace", "", has="note: "),
            press("Enter", "ready", has="persons-half-line"),
        ],
    ),
    Case(
        name="half-typed: the agent's own line",
        core=True,
        steps=[
            send("echo mine", "sent …", enter=False),
            send(" and more", "ready", body="mine and more"),
            send("echo never", "sent …", enter=False),
            interrupt("ready"),
            run("echo free", "ready", body="free"),
            press("e c h o Space o n e", "", has="echo one"),
            press("Enter", "ready", body="one"),
        ],
    ),
    *[
        Case(
            name=f"half-typed: at the prompt of {name}",
            steps=[
                run(command, "ready", denied="quiet: …"),
                person(text, *keys),
                run("1", "error: …", has=text, untouched=True),
                send("1", "error: …", has=text, untouched=True),
            ],
        )
        for name, command, text, keys in (
            ("python", "python3 -q", "print(4", ()),
            ("python, at home", "python3 -q", "print(4", ("C-a",)),
            ("sqlite3", "sqlite3", "select 1", ()),
            ("gdb", "gdb -q -nx", "print 5", ("C-a",)),
            ("node", "node", "console.log(1", ()),
            ("a shell in script", "script -q log", LINE, ()),
            ("a root shell", "sudo bash --norc --noprofile", LINE, ()),
        )
    ],
    Case(
        name="half-typed: a person's answer to a question",
        core=True,
        steps=[
            run("ask 'Proceed? [y/N] '", "needs input: Proceed? [y/N]"),
            person("maybe"),
            send("y", "error: …", has="maybe", untouched=True, doubt=True),
        ],
    ),
]
