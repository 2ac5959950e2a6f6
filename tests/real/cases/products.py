"""The same steps in several shells, at several prompts, behind several texts."""

from ..table import Case, interrupt, person, press, read, run, send, wait

SHELLS = {
    "bash": "bash --norc --noprofile",
    "zsh": "zsh -f",
    "fish": "fish --no-config",
    "dash": "dash",
    "ksh": "ksh93",
    "mksh": "mksh",
    "ash": "busybox ash",
}
TELLS = ("bash", "zsh")  # the shells whose exit status can be read
PS2 = {"zsh": "unfinished: dquote>", "fish": "unfinished…"}
NEW_PROMPT = {"zsh": "PROMPT='new> '", "fish": "function fish_prompt; echo -n 'new> '; end"}
NONE = "(no output)"


def status(shell: str, number: int) -> str:
    return f"ready (shell), exit status {number}" if shell in TELLS else "ready"


def everyday(shell: str) -> Case:
    ok, moving = status(shell, 0), shell == "fish"  # it draws its mark and prompt in several steps
    steps = [
        run("echo hello", ok, body="hello"),
        run("true", ok, body=NONE),
        run("sh -c 'exit 3'", status(shell, 3), body=NONE),
        run("sleep 1.5; stamp", ok, truth=True, takes=1.5, body=NONE),
        run("printf 'no newline'", ok, body="no newline", moving=moving),
        run("printf 'no newline'", ok, body="no newline", moving=moving),
        run("printf 'x\\nno newline'", ok, body="x\nno newline"),
        run(NEW_PROMPT.get(shell, "PS1='new> '"), denied="quiet: new>", body=NONE),
        run("echo after", ok, body="after"),
        run("cd /", ok, body=NONE),
        wait(body="(nothing new)"),
    ]
    core = shell in ("bash", "zsh")
    return Case(name=f"{shell} everyday", shell=SHELLS[shell], core=core, steps=steps)


def questions(shell: str) -> Case:
    ok, key = status(shell, 0), "Press any key to continue"
    steps = [
        run("ask 'Proceed? [y/N] ' 0.5", "needs input: Proceed? [y/N]", truth=True, body=""),
        send("y", ok, body="got y"),
        run("echo one; ask 'Name: ' 0.5", "needs input: Name:", truth=True, body="one"),
        send("Ann", ok, body="got Ann"),
        run("ask 'Password: ' 0.5 hidden", "needs password: Password:", truth=True, body=""),
        send("hunter2", ok, body="thank you", lacks="hunter2"),
        run(f"onekey '{key} '", f"needs key: {key}"),
        press("x", ok, body="got x"),
        run('echo "open', PS2.get(shell, "unfinished: >")),
        send('end"', ok, body="open\nend"),
        run("cat", "needs input: …"),
        send("typed", "needs input: …", has="typed"),
        press("C-d", ok, body="(nothing new)"),
        run("echo over", ok, body="over"),
    ]
    core = shell in ("bash", "dash")
    return Case(name=f"{shell} questions", shell=SHELLS[shell], core=core, steps=steps)


def jobs(shell: str) -> Case:
    silent = "still running sleep, silent for …"
    steps = [
        run("sleep 30", f"run timed out: {silent}", timeout=1.5),
        wait(f"wait_ready timed out: {silent}", timeout=1),
        send("echo ahead", "…", timeout=0, has="not read yet"),
        interrupt(),
        run("sleep 40", f"run timed out: {silent}", timeout=1),
        interrupt(status(shell, 130), body="(nothing new)"),
        run("sleep 30", "run timed out: …", timeout=1),
        press("C-z"),
        run("kill %1"),
        run("sh -c 'sleep 1; echo from the job' &", moving=True),
        run("sleep 2; echo waited", takes=2, has="waited"),
        run("seq 3 | sed 's/^/n/'", body="n1\nn2\nn3"),
        run("sleep 1 | cat; stamp", truth=True, takes=1),
    ]
    return Case(name=f"{shell} limits and jobs", shell=SHELLS[shell], steps=steps)


def upper_rows(worlds: tuple[str, ...]) -> list[Case]:
    """Where memory is closed, an upper row is known for one from the second prompt on."""
    first = NONE if "readable" in worlds else None
    ok, bash, zsh = "ready (shell), exit status 0", "bash prompts with a clock", "zsh two rows"
    clock = [
        run(r"PS1='\n[\t] \w\n└─▶ '", body=first),
        run("echo a", ok, body="a"),
        run("sleep 1.2; printf 'no newline'", body="no newline", takes=1.2),
        run("true", body=NONE),
        run(r"PS1='\[\e[1;32m\]\u\[\e[0m\] \w λ '", body=NONE),
        run("ls -d /usr", body="/usr"),
        run("PS1=''", body=NONE),
        run("echo empty", body="empty"),
        run("PROMPT_COMMAND='sleep 0.5'; PS1='slow$ '"),
        run("echo slow", body="slow"),
    ]
    two = [
        run("RPROMPT='<%T>'", body=NONE),
        run("echo a", ok, body="a"),
        run("PROMPT=$'\\n%~\\n❯ '", body=first),
        run("printf nonl", body="nonl"),
        run("printf nonl", body="nonl"),
        run("sh -c 'exit 9'", "ready (shell), exit status 9", body=NONE),
    ]
    return [
        Case(name=f"{bash}, {worlds[0]}", worlds=worlds, steps=clock),
        Case(name=f"{zsh}, {worlds[0]}", worlds=worlds, shell="zsh -f", steps=two),
    ]


# Work that looks like a turn

WORK = {
    "words before work": "printf 'Installing packages: '; sleep 3; echo done; stamp",
    "question mark before work": "printf 'Did it work? '; sleep 3; echo yes; stamp",
    "password word before work": "printf 'Password: '; sleep 3; echo none; stamp",
    "yes no before work": "printf 'Continue? [y/N] '; sleep 3; echo; stamp",
    "prompt before work": "printf 'user@host:~$ '; sleep 3; echo; stamp",
    "python prompt before work": "printf '>>> '; sleep 3; echo; stamp",
    "percent before work": "printf 'copied 100%%'; sleep 3; echo; stamp",
    "sh script in between": "sh -c 'printf \"Name: \"; sleep 3; echo x'; stamp",
    "python computes": "python3 -c 'import time; e=time.time()+3\nwhile time.time()<e: 1'\nstamp",
    "pause between": "echo a; sleep 1.5; echo b; sleep 1.5; echo c; stamp",
}
IN_OTHER_SHELLS = {  # pairs
    "zsh": "words before work",
    "fish": "password word before work",
    "dash": "prompt before work",
}


def early(shell: str, name: str) -> Case:
    steps = [run(WORK[name], truth=True, takes=3)]
    title = f"early: {name} in {shell}"
    return Case(name=title, shell=SHELLS[shell], core=shell == "bash", steps=steps)


# What a person has typed and not entered

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
PROMPTS = {**FORMS, **STRANGE}
CURSORS = {"end": (), "home": ("C-a",), "middle": ("Left",) * 5}
AT_PROGRAMS = {  # started so; what a person types there
    "python": ("python3 -q", "print(4", ()),
    "python, at home": ("python3 -q", "print(4", ("C-a",)),
    "sqlite3": ("sqlite3", "select 1", ()),
    "gdb": ("gdb -q -nx", "print 5", ("C-a",)),
    "node": ("node", "console.log(1", ()),
    "a shell in script": ("script -q log", LINE, ()),
    "a root shell": ("sudo bash --norc --noprofile", LINE, ()),
}


def start(shell: str, prompt: str) -> tuple[str, dict[str, str]]:
    """The shell's command and environment."""
    if shell == "fish":
        shown = prompt.replace("\n", "\\n").replace("$", "\\$")
        return f"fish --no-config -C \"function fish_prompt; printf '%b' '{shown}'; end\"", {}
    sign = "%" if shell == "zsh" else "$"
    return SHELLS[shell], {"PS1": prompt.replace(sign, {"%": "%%", "$": "\\$"}[sign])}


def refused(line: str = LINE) -> list:
    more = {"has": line, "untouched": True}
    return [
        run("echo oops", "error: …", **{**more, "has": (line, "open")}),
        send("echo oops", "error: …", **more),
        send("oops", "error: …", enter=False, **more),
        interrupt("error: …", **more),
        wait("", timeout=1, **more),
    ]


def half(number: int, name: str, turn: int) -> Case:
    """A prompt with a shell and a cursor, which take turns."""
    shells = ("bash", "zsh", "fish", "dash")
    shell, cursor = shells[(number + turn) % 4], list(CURSORS)[(number // 4 + turn) % 3]
    if shell == "dash":
        cursor = "end"  # it has no line editor
    if name in STRANGE and shell in ("fish", "dash") or shell == "dash" and "\n" in PROMPTS[name]:
        shell = "bash"
    command, environment = start(shell, PROMPTS[name])
    # where a note will do the line is typed after all, so only the first call counts
    doubt = run("echo oops", "error: …", has="-line", untouched=True, doubt=True)
    return Case(
        name=f"half-typed: {shell}, {name}, cursor {cursor}",
        shell=command,
        environment=environment,
        core=turn == 0,
        steps=[person(LINE, *CURSORS[cursor]), *([doubt] if name in STRANGE else refused())],
    )


def wrapped(shell: str, cursor: str) -> Case:
    steps = [person(LONG, *CURSORS[cursor]), *refused(LONG)]
    title = f"half-typed: {shell}, wrapped, cursor {cursor}"
    return Case(name=title, core=True, shell=SHELLS[shell], steps=steps)


def at_program(name: str) -> Case:
    command, text, keys = AT_PROGRAMS[name]
    steps = [run(command, denied="quiet: …"), person(text, *keys)]
    steps += [act("1", "error: …", has=text, untouched=True) for act in (run, send)]
    return Case(name=f"half-typed: at the prompt of {name}", steps=steps)


READERS = {
    "cat": "cat",
    "head": "head -1",
    "bc": "bc -q",
    "readline": "python3 -c 'import readline; print(input())'",
    "no sign of a question": "python3 -c 'import readline; print(input(\"number of items \"))'",
}
WITH_OPTIONS = (  # where memory is closed its words alone tell that a shell is at its prompt
    "bash --norc -o vi",
    "bash --norc --noediting",
    "bash --norc --init-file /dev/null",
    "zsh -f -o extendedglob",
    "mksh -o vi",
    "busybox ash",
)


def persons_answer(name: str) -> Case:
    """A line that a person has typed where nothing is asked, or a line is read."""
    asks, note = "needs input…", "note: a half-typed line is at the question, not yours: '42'"
    steps = [
        run(READERS[name], asks, denied="needs key: bc"),
        person("42"),
        wait("", has=note),
        read(has=note),
        send("7", "error: …", has="half-typed line is at the question: '42'", untouched=True),
        person("", "C-u"),
        send("7", "", has="7"),
    ]
    return Case(name=f"turn: a person's answer, {name}", core=True, steps=steps)


def own_answer(name: str) -> Case:
    note = ", your own: '423'"
    steps = [
        run(READERS[name], "needs input…", denied="needs key: bc"),
        press("4 2", "", moving=True),
        press("3", "", has=note),
        wait("", lacks="not yours"),
        run("9", "error: …", has="needs input", untouched=True),
        send("1", "sent …", enter=False),
        send("5", "", has="42315"),
    ]
    return Case(name=f"turn: one's own answer, {name}", core=True, steps=steps)


def unknown_answer(name: str) -> Case:
    """It was there before the first call."""
    steps = [
        person(READERS[name], "Enter"),
        person("42"),
        send("7", "error: a half-typed line is at …", doubt=True),
    ]
    return Case(name=f"turn: an answer before the first call, {name}", core=True, steps=steps)


def keys_at(name: str, command: str) -> Case:
    """Keys at a program's prompt leave it at its prompt."""
    own, at = "note: a half-typed line is at the prompt, your own: ", "ready (prompt matched)"
    steps = [
        run(command, at),
        *(press(keys, at, notes=[f"{own}'{line}'"]) for keys, line in OWN_KEYS.items()),
        run("7", "error: a half-typed line, your own, is …", untouched=True),
        press("Enter", at),
        person("45"),
        wait(at, has="prompt, not yours: '45'"),
    ]
    return Case(name=f"turn: keys at the prompt of {name}", core=True, tools=(name,), steps=steps)


OWN_KEYS = {"1 2": "12", "3": "123", "BSpace": "12"}


def with_options(command: str) -> Case:
    line = "ls -la /tm"
    refused = {"has": line, "untouched": True}
    steps = [
        person(line),
        run("echo agent", "error: a half-typed line is at the prompt: …", **refused),
        send("echo agent", "error: a half-typed line is at the prompt: …", **refused),
        person("", "C-u"),
        run("echo hi", body="hi"),
    ]
    title = f"turn: a shell with options, {command}"
    where = {"PS1": "me@host:/x# "}
    tools = (command.split()[0],)
    return Case(name=title, core=True, shell=command, environment=where, tools=tools, steps=steps)


def tall(shell: str) -> Case:
    """Readline shows the first rows and draws the last over another; zsh shows the last ones."""
    numbers = "\n".join(map(str, range(40)))
    echoes = "".join(f"echo {n}\n" for n in range(40))
    file = "cat > file <<'E'\n" + "".join(f"row {n}\n" for n in range(40)) + "E"
    steps = [
        run(file, body=NONE),
        run(echoes.rstrip(), body=numbers),
        run(echoes + "true", body=numbers),
    ]
    title = f"run: more lines than the screen leave no echo, {shell}"
    return Case(name=title, core=True, shell=SHELLS[shell], steps=steps)


def long_command(shell: str) -> Case:
    """`until` in the same call, and in a later one that knows of the text only what the pane
    keeps. fish redraws a command that is longer than its screen: that looks like output."""
    wraps = f"true {'x' * 1500} needle; work silent 0.5; echo nee''dle; sleep 30 # needle"
    longer = f"true {'word ' * (40 if shell == 'fish' else 720)}; work silent 0.7; echo EN''D"
    longer += "; sleep 30; : END"
    steps = [
        run(wraps, "matched: needle", until="needle", truth=True),
        interrupt(),
        run(longer, "matched: END", until="END", truth=True),
        interrupt(),
        send(longer, "sent …", timeout=0),
        wait("matched: END", until="END", truth=True),
    ]
    name = f"pattern: until in a long command, {shell}"
    return Case(name=name, core=True, shell=SHELLS[shell], steps=steps)


LONG_OUTPUT = [
    run("seq 20000 | tr '\\n' ' '", has="20000"),
    run("head -c 50000 /dev/zero | tr '\\0' x; echo", lacks="x" * 9000),
]
WRAPPED = [run("printf '%0300d\\n' 7", body="0" * 299 + "7"), wait(body="(nothing new)")]
HALF = {  # by name: a turn may meet the other one
    one.name: one
    for turn in (1, 0)
    for number, name in enumerate(PROMPTS)
    for one in [half(number, name, turn)]
}
CASES = [
    *map(everyday, SHELLS),
    *map(questions, SHELLS),
    *map(jobs, ("bash", "zsh", "fish")),
    *upper_rows(("readable",)),
    *upper_rows(("yama", "user")),
    *(early("bash", name) for name in WORK),
    *(early(shell, name) for shell, name in IN_OTHER_SHELLS.items()),
    *HALF.values(),
    *(wrapped(*pair) for pair in [("bash", "end"), ("bash", "middle"), ("zsh", "home")]),
    *map(at_program, AT_PROGRAMS),
    *(make(name) for make in (persons_answer, own_answer, unknown_answer) for name in READERS),
    *(keys_at(*pair) for pair in [("python3", "python3 -q"), ("node", "node"), ("gdb", "gdb -q")]),
    *map(with_options, WITH_OPTIONS),
    *map(tall, ("bash", "zsh")),
    *map(long_command, ("bash", "zsh", "fish", "dash")),
    Case(name="answer: very long output", core=True, steps=LONG_OUTPUT),
    Case(name="answer: a wrapped line", core=True, steps=WRAPPED),
]
