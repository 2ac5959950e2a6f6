"""Terminals inside the terminal: sudo, su, script, expect."""

from ..table import Case, interrupt, press, run, send

PW = "secret-tt-agent"
ASKED = "needs password: [sudo] password for tt-agent:"
ROOT = "ready | quiet: …#"
OVER = run("echo over", "ready (shell)", body="over")
PTY = "import pty; pty.spawn(['bash', '--norc', '--noprofile'])"

CASES = [
    Case(
        name="sudo asks",
        login="tt-agent",
        core=True,
        steps=[
            run("sudo -k whoami", ASKED, body=""),
            send(PW, "ready (shell), exit status 0", body="root", lacks=PW),
            run("sudo -k whoami", ASKED, body=""),
            send("mistyped", ASKED, has="Sorry, try again.", lacks="mistyped"),
            send(PW, "ready", body="root", lacks=PW),
            run("sudo -k; sudo -u tt-second sh -c 'sleep 2; id -un'", ASKED),
            send(PW, "ready", takes=2, body="tt-second", lacks=PW),
            run("sudo -k whoami", ASKED),
            interrupt("ready"),
            OVER,
        ],
    ),
    Case(
        name="sudo shell",
        login="tt-agent",
        core=True,
        steps=[
            run("sudo bash --norc --noprofile", ROOT, denied="quiet: …"),
            run("id -un", ROOT, body="root"),
            run("sleep 2", ROOT, takes=2, body="(no output)"),
            run("(exit 5)", "ready (shell), exit status 5", denied=ROOT, body="(no output)"),
            run(
                "read -p 'Sure? [y/N] ' x; echo got $x",
                "needs input: Sure? [y/N]",
                denied="quiet: Sure? [y/N]",
                body="",
            ),
            send("y", ROOT, body="got y"),
            run("read -s -p 'Secret: ' x; echo; echo ${#x}", "needs password: Secret:"),
            send("abcdef", ROOT, has="6", lacks="abcdef"),
            run('echo "open', "unfinished: >"),
            send('end"', ROOT, body="open\nend"),
            run("PS1='new# '", ROOT),
            run("printf 'no newline'", ROOT, body="no newline"),
            run("exit", "ready (shell)", body="exit"),
            OVER,
        ],
    ),
    Case(
        name="sudo -i and a python",
        login="tt-agent",
        steps=[
            run("sudo -i", ROOT, denied="quiet: …"),
            run("python3 -q", "ready | quiet: >>>"),
            run("6*7", "ready | quiet: >>>", body="42"),
            run("import time; time.sleep(2)", "ready | quiet: >>>", takes=2),
            run("x = input('Name? ')", "needs input: Name?", denied="quiet: Name?"),
            send("Bo", "ready | quiet: >>>"),
            run("exit()", ROOT),
            run("echo inside", ROOT, body="inside"),
            run("cat /etc/os-release | less", "needs key: …", denied="quiet: sudo…", has="Debian"),
            press("q", ROOT),
            run("exit", "ready (shell)"),
            OVER,
        ],
    ),
    Case(
        name="su - user -c (D10)",
        worlds=("readable", "yama"),
        core=True,
        steps=[
            run(
                "su - tt-second -c 'read -p \"Sure? \" x; echo got $x'",
                "needs input: Sure?",
                body="",
            ),
            send("yes", "ready (shell)", body="got yes"),
            run("su tt-second -c 'sleep 2; id -un'", "ready (shell)", takes=2, body="tt-second"),
            run(
                "runuser -u tt-second -- sh -c 'read -p \"Name: \" x; echo $x'",
                "needs input: Name:",
            ),
            send("Bo", "ready", body="Bo"),
            run("su tt-second -c 'python3 -q'", "ready"),
            run("6*7", "ready", body="42"),
            run("exit()", "ready (shell)"),
            OVER,
        ],
    ),
    Case(
        name="su with a password",
        login="tt-agent",
        steps=[
            run("su tt-second", "needs password: Password:", body=""),
            send("secret-tt-second", "ready", denied="quiet: …$", lacks="secret-tt-second"),
            run("id -un", "ready | quiet: …$", body="tt-second"),
            run("sleep 2", "ready | quiet: …$", takes=2, body="(no output)"),
            run("read -p 'Go on? ' x; echo $x", "needs input: Go on?", denied="quiet: Go on?"),
            send("no", "ready | quiet: …$", body="no"),
            run("exit", "ready (shell)"),
            run("su tt-second -c 'read -p \"Sure? \" x; echo got $x'", "needs password: Password:"),
            send("secret-tt-second", "needs input: Sure?", denied="quiet: Sure?"),
            send("ok", "ready (shell)", body="got ok"),
            run("su tt-second -c id", "needs password: Password:"),
            send(
                "wrong", "ready (shell), exit status 1", has="Authentication failure", lacks="wrong"
            ),
            OVER,
        ],
    ),
    Case(
        name="script and nested relays",
        core=True,
        steps=[
            run("script -q log", "ready"),
            run("echo inside", "ready", body="inside"),
            run(
                "sh -c 'sleep 2; exit 4'",
                "ready (shell), exit status 4",
                takes=2,
                body="(no output)",
            ),
            run("python3 -q", "ready"),
            run("x = input('Name? ')", "needs input: Name?"),
            send("Bo", "ready"),
            run("exit()", "ready"),
            run(
                "sudo sh -c 'read -p \"Deep? \" x; echo $x'",
                "needs input: Deep?",
                denied="quiet: Deep?",
            ),
            send("very", "ready", body="very"),
            run("less /etc/services", "needs key: less"),
            press("q", "ready"),
            run("exit", "ready (shell)"),
            OVER,
        ],
    ),
    Case(
        name="pty.spawn, unbuffer and expect",
        files={
            "ask.exp": "spawn sh -c {printf 'Proceed? [y/N] '; read x; echo got $x; "
            "sleep 2; echo end}\ninteract\n"
        },
        steps=[
            run(f'python3 -c "{PTY}"', "ready"),
            run("echo in", "ready", body="in"),
            run("sleep 2; (exit 6)", "ready (shell), exit status 6", takes=2, body="(no output)"),
            run("ask 'Proceed? [y/N] ' 1", "needs input: Proceed? [y/N]", truth=True),
            send("y", "ready", body="got y"),
            run("exit", "ready (shell)"),
            run("expect ask.exp", "needs input: Proceed? [y/N]"),
            send("y", "ready", takes=2, has=("got y", "end")),
            run("unbuffer sh -c 'echo a; sleep 2; echo b'", "ready", takes=2, body="a\nb"),
            OVER,
        ],
    ),
]
