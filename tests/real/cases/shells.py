"""Plain shells: prompts, questions, passwords, keys, unfinished lines, jobs, exit statuses."""

from ..table import Case, interrupt, panes, person, press, run, send, wait

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
NEW_PROMPT = {
    "zsh": "PROMPT='new> '",
    "fish": "function fish_prompt; echo -n 'new> '; end",
}


def status(shell: str, number: int) -> str:
    return f"ready (shell), exit status {number}" if shell in TELLS else "ready"


def everyday(shell: str) -> Case:
    return Case(
        name=f"{shell} everyday",
        shell=SHELLS[shell],
        core=shell in ("bash", "zsh"),
        steps=[
            run("echo hello", status(shell, 0), body="hello"),
            run("true", status(shell, 0), body="(no output)"),
            run("sh -c 'exit 3'", status(shell, 3), body="(no output)"),
            run("sleep 1.5; stamp", status(shell, 0), truth=True, takes=1.5, body="(no output)"),
            run(
                "printf 'no newline'",
                status(shell, 0),
                body="no newline",
                moving=shell == "fish",  # it draws its mark and prompt in several steps
            ),
            run(
                "printf 'no newline'",
                status(shell, 0),
                body="no newline",
                moving=shell == "fish",  # it draws its mark and prompt in several steps
            ),
            run("printf 'x\\nno newline'", status(shell, 0), body="x\nno newline"),
            run(
                NEW_PROMPT.get(shell, "PS1='new> '"),
                "ready",
                denied="quiet: new>",
                body="(no output)",
            ),
            run("echo after", status(shell, 0), body="after"),
            run("cd /", status(shell, 0), body="(no output)"),
            wait("ready", body="(nothing new)"),
        ],
    )


def questions(shell: str) -> Case:
    return Case(
        name=f"{shell} questions",
        shell=SHELLS[shell],
        core=shell in ("bash", "dash"),
        steps=[
            run("ask 'Proceed? [y/N] ' 0.5", "needs input: Proceed? [y/N]", truth=True, body=""),
            send("y", status(shell, 0), body="got y"),
            run("echo one; ask 'Name: ' 0.5", "needs input: Name:", truth=True, body="one"),
            send("Ann", status(shell, 0), body="got Ann"),
            run("ask 'Password: ' 0.5 hidden", "needs password: Password:", truth=True, body=""),
            send("hunter2", status(shell, 0), body="thank you", lacks="hunter2"),
            run("onekey 'Press any key to continue '", "needs key: Press any key to continue"),
            press("x", status(shell, 0), body="got x"),
            run('echo "open', PS2.get(shell, "unfinished: >")),
            send('end"', status(shell, 0), body="open\nend"),
            run("cat", "needs input: …"),
            send("typed", "needs input: …", has="typed"),
            press("C-d", status(shell, 0), body="(nothing new)"),
            run("echo over", status(shell, 0), body="over"),
        ],
    )


def jobs(shell: str) -> Case:
    return Case(
        name=f"{shell} limits and jobs",
        shell=SHELLS[shell],
        steps=[
            run("sleep 30", "run timed out: still running sleep, silent for …", timeout=1.5),
            wait("wait_ready timed out: still running sleep, silent for …", timeout=1),
            send("echo ahead", "…", timeout=0, has="not read yet"),
            interrupt("ready"),
            run("sleep 40", "run timed out: still running sleep, silent for …", timeout=1),
            interrupt(status(shell, 130), body="(nothing new)"),
            run("sleep 30", "run timed out: …", timeout=1),
            press("C-z", "ready"),
            run("kill %1", "ready"),
            run("sh -c 'sleep 1; echo from the job' &", "ready", moving=True),
            run("sleep 2; echo waited", "ready", takes=2, has="waited"),
            run("seq 3 | sed 's/^/n/'", "ready", body="n1\nn2\nn3"),
            run("sleep 1 | cat; stamp", "ready", truth=True, takes=1),
        ],
    )


def clocks(worlds: tuple[str, ...]) -> Case:
    # denied: an upper row is known for one from the second prompt on
    first = "(no output)" if "readable" in worlds else None
    return Case(
        name=f"bash prompts with a clock, {worlds[0]}",
        worlds=worlds,
        steps=[
            run(r"PS1='\n[\t] \w\n└─▶ '", "ready", body=first),
            run("echo a", "ready (shell), exit status 0", body="a"),
            run("sleep 1.2; printf 'no newline'", "ready", body="no newline", takes=1.2),
            run("true", "ready", body="(no output)"),
            run(r"PS1='\[\e[1;32m\]\u\[\e[0m\] \w λ '", "ready", body="(no output)"),
            run("ls -d /usr", "ready", body="/usr"),
            run("PS1=''", "ready", body="(no output)"),
            run("echo empty", "ready", body="empty"),
            run("PROMPT_COMMAND='sleep 0.5'; PS1='slow$ '", "ready"),
            run("echo slow", "ready", body="slow"),
        ],
    )


def two_rows(worlds: tuple[str, ...]) -> Case:
    # denied: an upper row is known for one from the second prompt on
    first = "(no output)" if "readable" in worlds else None
    return Case(
        name=f"zsh right prompt and two rows, {worlds[0]}",
        worlds=worlds,
        shell=SHELLS["zsh"],
        steps=[
            run("RPROMPT='<%T>'", "ready", body="(no output)"),
            run("echo a", "ready (shell), exit status 0", body="a"),
            run("PROMPT=$'\\n%~\\n❯ '", "ready", body=first, lacks="somebody"),
            run("printf nonl", "ready", body="nonl"),
            run("printf nonl", "ready", body="nonl"),
            run("sh -c 'exit 9'", "ready (shell), exit status 9", body="(no output)"),
        ],
    )


CASES = [
    *[everyday(shell) for shell in SHELLS],
    *[questions(shell) for shell in SHELLS],
    *[jobs(shell) for shell in ("bash", "zsh", "fish")],
    Case(
        name="bash read -e and friends",
        steps=[
            run(
                "read -e -p 'Enter the value ' x; echo got $x",
                "needs input: Enter the value",
                denied="quiet: …",
                body="",
            ),
            send("12", "ready", body="got 12"),
            run(
                "read -e -p 'Folder> ' x; echo got $x",
                "needs input: Folder>",
                denied="quiet: …",
                body="",
            ),
            send("/tmp", "ready", body="got /tmp"),
            run("read -p 'Amount in $ ' x; echo got $x", "needs input: Amount in $", body=""),
            send("5", "ready", body="got 5"),
            run("read -s -p 'Secret: ' x; echo; echo ${#x}", "needs password: Secret:", body=""),
            send("abcdef", "ready", has="6", lacks="abcdef"),
            run(
                "read -n1 -p 'Sure? ' x; echo; echo got $x", "needs key: Sure? | needs input: Sure?"
            ),
            press("y", "ready", has="got y"),
            run(
                "read -t 3 -p 'Quick: ' x; echo done", "needs input: Quick:", denied="quiet: Quick:"
            ),
            wait("needs input: Quick: | ready"),
        ],
    ),
    Case(
        name="bash select and traps",
        programs=("fetch.sh",),
        steps=[
            run(
                "select x in red green; do echo got $x; break; done",
                "needs input: #?",
                has="1) red",
            ),
            send("2", "ready", body="got green"),
            run("bash fetch.sh", "run timed out: still running …", timeout=2),
            interrupt("ready"),
            run("for i in 1 2 3; do sleep 0.4; echo $i; done", "ready", takes=1.2, body="1\n2\n3"),
            run("i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; stamp", "ready", truth=True),
            run("bash --norc -c 'sleep 1; exit 7'", "ready (shell), exit status 7", takes=1),
            run("bash --norc --noprofile", "ready (shell)", body="(no output)"),
            run("(exit 42)", "ready (shell), exit status 42", body="(no output)"),
            run("exit", "ready (shell), exit status 42"),
            run("nosuchcommand", "ready (shell), exit status 127", has="command not found"),
        ],
    ),
    Case(
        name="a program that ignores C-c",
        core=True,
        steps=[
            run("stubborn", "run timed out: still running stubborn…", has="working", timeout=1.5),
            interrupt("interrupt timed out: still running stubborn…", has="stubborn"),
            press("C-z", "ready"),
            run("kill -9 %1; wait", "ready"),
            run("true", "ready", has=""),
            run("echo over", "ready", body="over"),
        ],
    ),
    Case(
        name="zsh vared and continuation",
        shell=SHELLS["zsh"],
        steps=[
            run("vared -p 'Value? ' -c x; echo got $x", "needs input: Value?", body=""),
            send("7", "ready", body="got 7"),
            run("for i in 1 2", "unfinished: for>"),
            send("do echo $i; done", "ready", body="1\n2"),
            run("cat <<END", "unfinished: heredoc>"),
            send("text\nEND", "ready", body="text"),
            run(
                "read -k1 '?Key please '; echo got $REPLY",
                "needs key: Key please | needs input: Key please",
            ),
            press("z", "ready", has="got z"),
            run("read 'x?Your name: '; echo hi $x", "needs input: Your name:"),
            send("Bo", "ready", body="hi Bo"),
            run("false", "ready (shell), exit status 1", body="(no output)"),
        ],
    ),
    Case(
        name="zsh long command and until",
        shell=SHELLS["zsh"],
        steps=[
            run(
                "sleep 2; echo " + "abcdefg " * 440 + "; echo EN''D; sleep 3; : END",
                "matched: END",
                until="^END",
                takes=2,
            ),
            wait("ready", takes=1),
        ],
    ),
    Case(
        name="fish read and functions",
        shell=SHELLS["fish"],
        steps=[
            run("read -P 'Which one? ' x; echo got $x", "needs input: Which one?", body=""),
            send("b", "ready", body="got b"),
            run("read -s -P 'Password: ' x; echo; string length $x", "needs password: Password:"),
            send("abcd", "ready", has="4", lacks="abcd"),
            run("function twice", "unfinished…"),
            send("echo $argv $argv\nend", "ready"),
            run("twice a", "ready", body="a a"),
            run("for i in 1 2\nsleep 0.5\necho $i\nend", "ready", takes=1, body="1\n2"),
        ],
    ),
    Case(
        name="bash several lines",
        core=True,
        steps=[
            run(
                "echo one\nsleep 1\necho two",
                "ready (shell), exit status 0",
                body="one\ntwo",
                takes=1,
            ),
            run("cat <<'END'\nline a\n\nline b\nEND", "ready", body="line a\n\nline b"),
            run("f() {\necho in f\n}\nf", "ready", body="in f"),
            send("cat <<END", "unfinished: >"),
            send("text", "unfinished: >", body=""),
            send("END", "ready", body="text"),
            run("if true", "unfinished: >"),
            interrupt("ready"),
            run("echo fine", "ready", body="fine"),
        ],
    ),
    *[clocks(worlds) for worlds in (("readable",), ("yama", "user"))],
    *[two_rows(worlds) for worlds in (("readable",), ("yama", "user"))],
    Case(
        name="person types in between",
        steps=[
            run("echo first", "ready", body="first"),
            person("echo by hand", "Enter"),
            run("echo second", "ready", body="second", has="note: "),
            run("echo third", "ready", body="third", lacks="note: "),
            person("echo by hand again", "Enter"),
            wait("ready", has="by hand again"),
            panes(has="bash"),
        ],
    ),
]
