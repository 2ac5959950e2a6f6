"""Whole answers: what no earlier answer has shown, without echo and without the empty prompt."""

from ..table import Case, interrupt, panes, pause, person, press, read, run, see, send, tmux, wait

NEW = "(nothing new)"
NONE = "(no output)"
LONG = {"long": "".join(f"line {n}\n" for n in range(200))}
TICKS = "for i in 1 2 3 4 5 6 7 8; do echo t$i; sleep 0.4; done"
AGAIN = wait("ready", body=NEW)


def case(name: str, *steps, core: bool = True, **more) -> Case:
    return Case(name=f"answer: {name}", steps=list(steps), core=core, **more)


CASES = [
    case("run and wait", run("seq 3", body="1\n2\n3"), AGAIN, AGAIN, run("true", body=NONE), AGAIN),
    case("send a command", send("seq 3", body="1\n2\n3"), AGAIN, send("echo x", body="x")),
    case("keys enter a command", press("e c h o Space h i Enter", body="hi"), AGAIN),
    case(
        "Enter alone", run("echo a", body="a"), send("", body=NEW), press("Enter", body=NEW), AGAIN
    ),
    case("several lines sent", send("echo a\necho b\necho c", body="a\nb\nc"), AGAIN),
    case(
        "clear alone",
        run("seq 5", body="1\n2\n3\n4\n5"),
        run("clear", body=NONE),
        AGAIN,
        run("echo b", body="b"),
    ),
    case(
        "output before clear is lost", run("echo lost; clear; echo kept", body="kept", has="note: ")
    ),
    case(
        "screen erased by a program",
        run("echo lost; printf '\\033[2J\\033[H'; echo kept", has="kept"),
        AGAIN,
    ),
    case(
        "C-l",
        run("seq 5", body="1\n2\n3\n4\n5"),
        press("C-l", body=NEW),
        AGAIN,
        run("echo b", body="b"),
    ),
    case(
        "resize",
        run("seq 40", has="40"),
        tmux("resize-window", "-t", "PANE", "-x", "70", "-y", "20"),
        pause(0.5),
        AGAIN,
        run("echo b", body="b"),
        tmux("resize-window", "-t", "PANE", "-x", "140", "-y", "40"),
        pause(0.5),
        AGAIN,
        run("echo c", body="c"),
    ),
    case(
        "full history",
        run("seq 5000", has="5000"),
        AGAIN,
        run("echo x", body="x"),
        run("seq 2990 3000", has="2990\n2991"),
    ),
    case(
        "hidden password",
        run("ask 'Password: ' 0 hidden", "needs password: Password:", body=""),
        send("geheim", body="thank you"),
        AGAIN,
    ),
    case(
        "interrupt while it prints",
        run("echo start; sleep 30", "run timed out: …", body="start", timeout=1.5),
        interrupt(body=NEW),
        AGAIN,
    ),
    case(
        "interrupt at an empty prompt",
        interrupt(body=NEW),
        run("echo a", body="a"),
        interrupt(body=NEW),
    ),
    case(
        "parts of one output",
        run(TICKS, "run timed out: …", has="t1", lacks="t8", timeout=1),
        wait("ready", has="t8", lacks="t1\n"),
        AGAIN,
    ),
    case("a wrapped line", run("printf '%0300d\\n' 7", body="0" * 299 + "7"), AGAIN),
    case("wide letters", run("echo äöü 漢字 🙂 ok", body="äöü 漢字 🙂 ok")),
    case("tabs and blanks", run("printf 'a\\tb  c\\n\\n\\nd\\n'", body="a       b  c\n\n\nd")),
    case("drawn over", run("printf '10%%\\r20%%\\rdone\\n'", body="done")),
    case("colours", run("printf '\\033[31mred\\033[0m\\n'", body="red")),
    case(
        "a printed prompt",
        run("echo 'bash-5.2# '", body="bash-5.2#"),
        run("echo '$ ls'", body="$ ls"),
        AGAIN,
    ),
    case(
        "the command's own text as output",
        run("echo 'echo x'", body="echo x"),
        run("echo x", body="x"),
    ),
    case(
        "no line break, three times",
        run("printf ok", body="ok"),
        run("printf ok", body="ok"),
        run("printf ok", body="ok"),
        run("printf 'x\\nok'", body="x\nok"),
        AGAIN,
    ),
    case(
        "time-outs name their action",
        send("sleep 20", "send timed out: still running sleep, silent for …", timeout=1),
        press("x", "keys timed out: still running sleep, silent for …", timeout=1),
        wait("wait_ready timed out: still running sleep, silent for …", timeout=1),
        run("echo x", "error: …", untouched=True),
        interrupt("ready"),
        core=True,
    ),
    case(
        "receipts",
        run("cat", "needs input: …"),
        send("x\ny\nz", "sent 3 lines, 5 bytes to …", timeout=0),
        send("abc", "sent …", enter=False),
        press("Enter", "…", has="abc"),
        press("C-d", "ready"),
    ),
    case(
        "timeout 0",
        send("sleep 1; echo late", "sent …", timeout=0, body=""),
        wait("ready", body="late"),
    ),
    case(
        "until",
        run(
            "echo a; sleep 1; echo SERVING; sleep 2",
            "matched: SERVING",
            until="SERVING",
            takes=1,
            has="a",
        ),
        wait("ready", body=NEW, takes=0.5),
    ),
    case(
        "a person's command in between",
        run("echo one", body="one"),
        person("echo by hand", "Enter"),
        wait("ready", has=("echo by hand\nby hand",)),
        AGAIN,
        person("echo more", "Enter"),
        run("echo two", body="two", has="note: "),
        run("echo three", body="three", lacks="note: "),
        AGAIN,
    ),
    case(
        "old when the agent comes",
        person("seq 3", "Enter"),
        wait("ready", body=NEW, lacks="seq"),
        read(has=("1\n2\n3",)),
        run("echo a", body="a"),
    ),
    case("old for run", person("echo before", "Enter"), run("echo a", body="a")),
    case(
        "read new",
        run("echo a", body="a"),
        read("read 0 new lines…", new=True),
        person("echo b", "Enter"),
        read("read …", new=True, has="b"),
        read("read 0 new lines…", new=True),
        AGAIN,
        read("read …", lines=5, has="echo b"),
    ),
    case(
        "background output",
        run("(sleep 1; echo b''g) &", moving=True),
        see("bg"),
        wait("ready", has="bg"),
        run("echo fg", has="fg"),
        AGAIN,
    ),
    case(
        "less and out",
        run("less long", "needs key: less", has="line 5"),
        press("j", "needs key: less", has="line 29"),
        press("q", body=NEW),
        AGAIN,
        run("echo a", body="a"),
        files=LONG,
    ),
    case(
        "less on the ordinary screen",
        run("less -X long", "needs key: less | needs key: :", has="line 5"),
        press("q", lacks="line 5\n"),
        AGAIN,
        files=LONG,
    ),
    case(
        "git log on the ordinary screen",
        run(
            "git init -q . && for i in $(seq 60); do git commit -q --allow-empty -m c$i; done",
            body=NONE,
        ),
        run("LESS=FRX git log --oneline", "needs key: …", has="c60"),
        press("q", lacks="c60"),
        AGAIN,
    ),
    case(
        "vi and out",
        run("vim -u NONE -N f", "needs key: vim"),
        send(":q", lacks="~"),
        AGAIN,
        run("echo a", body="a"),
    ),
    case(
        "screen unchanged",
        run("less long", "needs key: less"),
        press("C-l", "needs key: less"),
        press("C-l", "needs key: less", body="(screen unchanged)"),
        wait("needs key: less", body="(screen unchanged)"),
        press("q"),
        files=LONG,
    ),
    case(
        "man and out", run("man true", "needs key: …", has="TRUE(1)"), press("q", body=NEW), AGAIN
    ),
    case(
        "output around a full screen",
        run("echo before; less long; echo behind", "needs key: less"),
        press("q", has="behind", lacks="line 5"),
        AGAIN,
        files=LONG,
    ),
    case(
        "a shell left with C-d",
        run("bash --norc --noprofile", body=NONE),
        press("C-d", body="exit"),
        AGAIN,
    ),
    case(
        "very long output",
        run("seq 20000 | tr '\\n' ' '", has="20000"),
        run("head -c 50000 /dev/zero | tr '\\0' x; echo", lacks="x" * 9000),
    ),
    case("a number as text", run(42, "ready", has="42"), run("echo 1.50", body="1.50")),
    case("numbers as strings", run("echo a", body="a", timeout="5"), read(lines="3", has="echo a")),
    case(
        "wrong calls",
        send("x", "error: …", foo=1, has="foo", untouched=True),
        read("error: …", lines=0, untouched=True),
        send("a\x01b", "error: …", untouched=True),
        run("x", "error: …", timeout="soon", has="timeout", untouched=True),
        run("x", "error: …", pane="nowhere", has="nowhere"),
    ),
    case(
        "run where nothing asks",
        run("sleep 4", "run timed out: …", timeout=0.5),
        run("echo x", "error: …", untouched=True),
        wait("ready", takes=1),
    ),
    case(
        "reset",
        run("seq 3", body="1\n2\n3"),
        run("tput reset", body=NONE),
        AGAIN,
        run("echo a", body="a"),
    ),
    case("a list of panes", run("true", body=NONE), panes(has=("120x30", "bash"))),
    case(
        "stderr and status",
        run(
            "ls /nowhere; echo to-err >&2",
            "ready (shell), exit status 0",
            has=("No such file", "to-err"),
        ),
        run("false", "ready (shell), exit status 1", body=NONE),
        run("true", "ready (shell), exit status 0", body=NONE),
        run("exit 3 | true", "ready (shell), exit status 0", body=NONE),
        run("kill -9 $BASHPID | cat; (kill -9 $BASHPID)", "ready (shell), exit status 137"),
    ),
]
