"""What the kernel does not show: ssh, tmux in tmux, screen."""

from ..table import Case, interrupt, person, press, run, see, send, wait

REMOTE = "ready | quiet: …$"  # behind ssh: a prompt, or its form
OVER = run("echo over", "ready (shell)", body="over")

CASES = [
    Case(
        name="ssh by key",
        needs=("sshd",),
        steps=[
            run("ssh box", REMOTE),
            run("echo hello", REMOTE, body="hello"),
            run("sleep 4", REMOTE, takes=4, body="(no output)"),
            run("printf '{\"ok\": true}'", REMOTE, body='{"ok": true}'),
            run("printf '{\"ok\": true}'", REMOTE, body='{"ok": true}'),
            run("cd /tmp", REMOTE, body="(no output)"),
            run("pwd", REMOTE, body="/tmp"),
            run("python3 -m venv --without-pip venv$$ && . venv$$/bin/activate", REMOTE),
            run("echo in venv", REMOTE, body="in venv"),
            run("deactivate; rm -r venv$$; cd", REMOTE),
            run("python3 -q", "ready | quiet: >>>"),
            run("6*7", "ready | quiet: >>>", body="42"),
            run("import time; time.sleep(3); print('x')", "ready | quiet: >>>", takes=3, body="x"),
            run("def f():", "unfinished: ... | quiet: ..."),
            send("    return 1", "unfinished: ... | quiet: ..."),
            send("", "ready | quiet: >>>"),
            run("exit()", REMOTE),
            run("echo again", REMOTE, body="again"),
            run("exit", "ready (shell)", body="logout"),
            OVER,
        ],
    ),
    Case(
        name="ssh questions",
        needs=("sshd",),
        steps=[
            run("ssh box", REMOTE),
            run(
                "read -p 'Continue? [y/N] ' x; echo got $x",
                "needs input: Continue? [y/N] | quiet: Continue? [y/N]",
            ),
            send("y", REMOTE, body="got y"),
            run("read -s -p 'Password: ' x; echo; echo ${#x}", "needs password: Password:"),
            send("abcdef", REMOTE, has="6", lacks="abcdef"),
            run("less /etc/services", "needs key: … | quiet: …"),
            press("q", REMOTE),
            run("vi -u NONE x.txt || nano x.txt", "needs key: … | quiet: …"),
            send(":q!", REMOTE),
            run("printf 'user@host:~$ '; sleep 4; echo", "ready | quiet: user@host:~$", takes=4),
            wait("ready"),
            run("printf '>>> '; sleep 4; echo", "ready | quiet: >>>", takes=4),
            wait("ready"),
            run(
                "python3 -c 'import time\ne=time.time()+4\nwhile time.time()<e: pass'",
                REMOTE,
                takes=4,
            ),
            run("sleep 60", "run timed out: still running ssh…", timeout=5),
            interrupt(REMOTE),
            run("exit", "ready (shell)"),
        ],
    ),
    Case(
        name="ssh one command",
        needs=("sshd",),
        steps=[
            run("ssh box hostname -s; stamp", "ready (shell)", truth=True),
            run(
                "ssh -t box 'echo start; sleep 4; echo end'", "ready", takes=4, has=("start", "end")
            ),
            run(
                "ssh box 'sleep 3; exit 7'",
                "ready (shell), exit status 7",
                takes=3,
                body="(no output)",
            ),
            run("ssh box 'seq 3'", "ready", body="1\n2\n3"),
            OVER,
        ],
    ),
    Case(
        name="ssh host key and password (D2)",
        needs=("sshd",),
        steps=[
            run(
                "ssh strange",
                "needs input: Are you sure you want to continue connecting (yes/no/[fingerprint])?",
                has="ED25519 key fingerprint",
            ),
            send("yes", "needs password: tt-second@127.0.0.1's password:"),
            send(
                "wrong",
                "needs password: tt-second@127.0.0.1's password:",
                takes=0.5,
                has="Permission denied",
                lacks="wrong",
            ),
            send("secret-tt-second", REMOTE, lacks="secret-tt-second"),
            run("id -un", REMOTE, body="tt-second"),
            run("sudo -k -n true; bash --norc", REMOTE),
            run("exit", REMOTE),
            run("exit", "ready (shell)"),
            run("ssh secret echo hi", "needs password: tt-second@127.0.0.1's password:", body=""),
            send("secret-tt-second", "ready (shell)", body="hi"),
            OVER,
        ],
    ),
    Case(
        name="person works behind ssh first",
        needs=("sshd",),
        steps=[
            person("ssh box", "Enter"),
            see("tt-second@"),
            wait(REMOTE),
            run("echo hello", REMOTE, body="hello"),
            person("cd /", "Enter"),
            run("pwd", REMOTE, body="/"),
            person("echo half"),
            run("echo oops", "error: …", has="echo half", untouched=True),
            person("", "C-u"),
            run("exit", "ready (shell)"),
        ],
    ),
    Case(
        name="tmux in tmux",
        steps=[
            run("tmux -L inner -f /dev/null new 'bash --norc --noprofile'", "ready | quiet: …"),
            send("echo hello", "ready | quiet: …", has="hello"),
            send("exit", "ready (shell)"),
            OVER,
        ],
        environment={"TMUX": ""},
    ),
    Case(
        name="screen",
        steps=[
            run(
                "export SCREENDIR=$PWD/s; mkdir -m 700 s; screen -s bash",
                "ready | quiet: … | needs key: …",
            ),
            press("Enter", "ready | quiet: …"),
            send("echo hello", "ready | quiet: …", has="hello"),
            send("exit", "ready | quiet: …"),
            OVER,
        ],
    ),
]
