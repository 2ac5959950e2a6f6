"""Work that looks like somebody's turn, and turns that come after it: D1, D2, D4, D8."""

from ..table import Case, interrupt, press, run, send, wait

PARTS = "for i in 10 40 70 100; do echo $i; sleep 1.2; done"
WORK = {
    "words before work": "printf 'Installing packages: '; sleep 3; echo done",
    "question mark before work": "printf 'Did it work? '; sleep 3; echo yes",
    "password word before work": "printf 'Password: '; sleep 3; echo none",
    "yes no before work": "printf 'Continue? [y/N] '; sleep 3; echo",
    "prompt before work": "printf 'user@host:~$ '; sleep 3; echo",
    "python prompt before work": "printf '>>> '; sleep 3; echo",
    "percent before work": "printf 'copied 100%%'; sleep 3; echo",
    "sh script in between": "sh -c 'printf \"Name: \"; sleep 3; echo x'",
    "python computes": "python3 -c 'import time; e=time.time()+3\nwhile time.time()<e: pass'",
    "pause between": "echo a; sleep 1.5; echo b; sleep 1.5; echo c",
}

CASES = [
    *[
        Case(
            name=f"early: {name}",
            core=True,
            steps=[
                run(
                    f"{text}; stamp" if "\n" not in text else f"{text}\nstamp",
                    "ready",
                    truth=True,
                    takes=3,
                )
            ],
        )
        for name, text in WORK.items()
    ],
    *[
        Case(
            name=f"early: {name} in {shell}",
            shell=command,
            steps=[run(f"{WORK[name]}; stamp", "ready", truth=True, takes=3)],
        )
        for shell, command in {"zsh": "zsh -f", "fish": "fish --no-config", "dash": "dash"}.items()
        for name in ("words before work", "password word before work", "prompt before work")
    ],
    Case(
        name="early: sudo in a script (D1)",
        login="tt-agent",
        core=True,
        files={"s.sh": "sudo sleep 4; echo after\n"},
        steps=[
            run("bash s.sh", "ready", takes=4, body="after"),
            run("echo next", "ready", body="next"),
            run("sh s.sh; stamp", "ready", takes=4, truth=True, body="after"),
            run("bash -c 'sudo sleep 3 | cat'; stamp", "ready", takes=3, truth=True),
        ],
    ),
    Case(
        name="early: pipelines into less (D1)",
        core=True,
        steps=[
            run("(seq 5; sleep 3; seq 500) | less", "needs key: …", takes=2.9),
            press("G", "needs key: …", has="500"),
            press("q", "ready"),
            run("for i in $(seq 40); do echo $i; sleep 0.05; done | less", "needs key: …"),
            press("q", "ready"),
            run("echo well", "ready", body="well"),
        ],
    ),
    Case(
        name="early: vim in a script (D1)",
        files={"x.sh": "sleep 1; vim -u NONE -N note.txt; echo written\n"},
        steps=[
            run("sh x.sh", "needs key: …", takes=1),
            press("i h i Escape", "needs key: …", has="hi", moving=True),
            send(":wq", "ready", body="written", lacks="~\n~"),
            run("cat note.txt", "ready", body="hi"),
        ],
    ),
    Case(
        name="early: a slow page (D2)",
        core=True,
        tools=("curl",),
        programs=("page.py", "fetch_page.py"),
        steps=[
            run("python3 page.py & sleep 1", "ready", has="", moving=True),
            run(
                "python3 fetch_page.py; stamp",
                "ready",
                takes=3,
                truth=True,
                body="page",
            ),
            run(
                "curl -s http://127.0.0.1:$(cat port); stamp",
                "ready",
                takes=3,
                truth=True,
                body="page",
            ),
            run("kill %1; wait", "ready"),
        ],
    ),
    Case(
        name="early: ssh connects (D2)",
        core=True,
        programs=("mute.py",),
        steps=[
            run("python3 mute.py & sleep 1", "ready", moving=True),
            run(
                "ssh -o BatchMode=yes -p $(cat port) 127.0.0.1; stamp",
                "ready",
                takes=3,
                truth=True,
                late=6,
            ),
        ],
    ),
    Case(
        name="early: redis blocks (D2)",
        needs=("redis",),
        steps=[
            run("redis-cli -p $REDISPORT", "ready"),
            run("ping", "ready", body="PONG"),
            run("blpop x 2", "ready", takes=2, has="(nil)"),
            run("blpop y 1", "ready", takes=1, has="(nil)"),
            run("exit", "ready"),
            run("redis-cli -p $REDISPORT blpop x 2", "ready", takes=2, has="(nil)"),
        ],
    ),
    Case(
        name="early: spinner in a raw terminal (D4)",
        core=True,
        programs=("spin.py",),
        steps=[
            run("python3 spin.py 5; stamp", "ready", takes=5, truth=True),
            run(
                "python3 spin.py 30",
                "run timed out: still running python3…",
                timeout=5,
                moving=True,
            ),
            press("C-c", "…", timeout=1, moving=True),
        ],
    ),
    Case(
        name="early: gauge (D4)",
        steps=[
            run(
                f"{PARTS} | whiptail --gauge 'Copying files' 8 50 0",
                "ready",
                takes=4.5,
            ),
            run("echo after", "ready", body="after"),
            run(
                f"{PARTS} | dialog --clear --gauge 'Copying files' 8 50 0; clear",
                "ready",
                takes=4.5,
            ),
            run("echo after", "ready", body="after"),
        ],
    ),
    Case(
        name="early: sudo at work (D4)",
        programs=("burn.py",),
        login="tt-agent",
        core=True,
        steps=[
            run("sudo sleep 3; stamp", "ready", takes=3, truth=True, body="(no output)"),
            run(
                "sudo sh -c 'echo start; sleep 3; echo end'; stamp",
                "ready",
                takes=3,
                truth=True,
                body="start\nend",
            ),
            run("sudo sleep 30", "run timed out: still running …", timeout=4),
            interrupt("ready"),
            run(
                "sudo python3 burn.py 3; stamp",
                "ready",
                takes=3,
                truth=True,
            ),
        ],
    ),
    Case(
        name="early: sudo prints a question's words (D8)",
        login="tt-agent",
        worlds=(
            "readable",
            "yama",
        ),  # where nothing of sudo's can be read nothing shows that nobody is asked
        steps=[
            run(
                "sudo sh -c 'printf \"Password: \"; sleep 4; echo'; stamp",
                "ready",
                takes=4,
                truth=True,
            ),
            run(
                "sudo sh -c 'printf \"Continue? [y/N] \"; sleep 4; echo'; stamp",
                "ready",
                takes=4,
                truth=True,
            ),
        ],
    ),
    Case(
        name="early: script computes (D4)",
        programs=("burn.py",),
        steps=[
            run("script -q -c 'sleep 3; stamp' /dev/null", "ready", takes=3, truth=True),
            run(
                "script -qc 'python3 burn.py 3' /dev/null; stamp",
                "ready",
                takes=3,
                truth=True,
            ),
            run("unbuffer sh -c 'echo a; sleep 3; echo b'; stamp", "ready", takes=3, truth=True),
            run(
                "expect -c 'spawn sh -c \"sleep 3; echo inner\"; expect eof'; stamp",
                "ready",
                takes=3,
                truth=True,
            ),
        ],
    ),
    Case(
        name="early: typing ahead",
        steps=[
            run("sleep 3; echo a", "run timed out: …", timeout=0.5),
            send("sleep 2; echo b; stamp", "ready", takes=3.5, truth=True, has="b"),
            send("sleep 1; stamp", "ready", takes=1, truth=True),
            wait("ready", body="(nothing new)"),
        ],
    ),
    Case(
        name="early: builds and progress",
        core=True,
        steps=[
            run("work bar 3", "ready", truth=True, takes=2.9),
            run("work burn 2", "ready", truth=True, takes=1.9),
            run("work accept 2", "ready", truth=True, takes=1.9),
            run("work child 2", "ready", truth=True, takes=1.9),
            run("work raw 2", "ready", truth=True, takes=1.9),
            run("work pause 3", "ready", truth=True, takes=2.9, body="first half\nsecond half"),
            run("work lines 1", "ready", truth=True, takes=0.9),
            run("timeout 2 cat /dev/zero >/dev/null; stamp", "ready", truth=True, takes=1.9),
        ],
    ),
]
