"""Editors, pagers, monitors, dialogs."""

from ..table import Case, interrupt, press, read, run, send, wait

OVER = run("echo over", "ready", body="over")
BACK = "ready (shell)"
LOG = 'for i in $(seq 60); do echo $i >> f; git add f; git commit -qm "commit $i"; done'

CASES = [
    Case(
        name="less",
        core=True,
        files={"long": "".join(f"line {n}\n" for n in range(200)), "short": "one\ntwo\n"},
        steps=[
            run("less long", "needs key: less", has=("line 0", "line 20")),
            press("Space", "needs key: less", has="line 40"),
            send("/line 150", "needs key: less", has="line 150"),
            press("G", "needs key: …", has="line 199"),
            press("q", BACK, body="(nothing new)"),
            run("less short", "needs key: …", has=("one", "two"), lacks="~\n~"),
            press("j", "needs key: …"),
            press("q", BACK, body="(nothing new)"),
            run("more long", "needs key: …", has="line 5"),
            press("q", BACK),
            run("less -X long", "needs key: …", has="line 5"),
            press("q", BACK),
            OVER,
        ],
    ),
    Case(
        name="man",
        core=True,
        steps=[
            run(
                "man ls",
                "needs key: less | needs key: pager | needs key: Manual page…",
                has="LS(1)",
            ),
            read(
                "read …, less in front, full screen… | read …, pager in front, full screen…",
                has="LS(1)",
            ),
            press("q", BACK, body="(nothing new)"),
            run("MANPAGER=cat man true", BACK, has="TRUE(1)"),
            OVER,
        ],
    ),
    Case(
        name="git log and rebase",
        core=True,
        steps=[
            run("git init -q . && " + LOG, BACK, body="(no output)"),
            run(
                "git log --oneline",
                "needs key: less | needs key: pager | needs key: :",
                has="commit 60",
            ),
            press("q", BACK, body="(nothing new)"),
            run(
                "GIT_EDITOR='vim -u NONE -N' git rebase -i HEAD~3",
                "needs key: …",
                has="pick",
            ),
            send(":s/pick/reword/", "needs key: …", has="reword"),
            send(":wq", "needs key: …", has="commit 58"),
            send(":wq", BACK, has="Successfully rebased"),
            run("git status --short", BACK, body="(no output)"),
            run(
                "touch a; git add a; git -c core.editor='vim -u NONE -N' commit",
                "needs key: …",
                has="Please enter the commit message",
            ),
            press("i f i r s t Escape", "needs key: …", has="first", moving=True),
            send(":wq", BACK, has="1 file changed"),
        ],
    ),
    Case(
        name="git add -p",
        core=True,
        steps=[
            run(
                "git init -q . && seq 30 > f && git add f && git commit -qm x "
                "&& sed -i 's/^2$/two/;s/^28$/x/' f",
                BACK,
                body="(no output)",
            ),
            run(
                "git add -p",
                "needs input: (1/2) Stage this hunk [y,n,q,a,d,j,J,g,/,e,?]?",
                has="+two",
            ),
            send(
                "y",
                "needs input: (2/2) Stage this hunk [y,n,q,a,d,K,g,/,e,?]?",
                has="+x",
                lacks="+two",
            ),
            send("n", BACK),
            run("git diff --cached --stat", "ready | needs key: …", has="1 insertion"),
        ],
    ),
    Case(
        name="vim",
        core=True,
        steps=[
            run("vim -u NONE -N note.txt", "needs key: vim", has="note.txt", lacks="~\n~"),
            press("i h e l l o", "needs key: vim", has="hello"),
            press("Escape", "needs key: vim", moving=True),
            send(":set number", "needs key: vim", has="1 hello"),
            press("C-l", "needs key: vim"),
            press("C-l", "needs key: vim", body="(screen unchanged)"),
            send(":q", "needs key: vim", has="E37"),
            send(":wq", BACK, lacks="~\n~"),
            run("cat note.txt", BACK, body="hello"),
            run(
                "vim -u NONE -N note.txt +'!sleep 2'",
                "needs key: … | needs input: …",
                takes=2,
                has="Press ENTER",
            ),
            press("Enter", "needs key: vim"),
            send(":q!", BACK),
            OVER,
        ],
    ),
    Case(
        name="nano",
        steps=[
            run("nano note.txt", "needs key: nano", has="GNU nano"),
            press("h i", "needs key: nano", has="hi"),
            press("C-x", "needs key: … | needs input: …", has="Save modified buffer"),
            press("y", "needs key: … | needs input: …", has="File Name to Write"),
            press("Enter", BACK, body="(nothing new)"),
            run("cat note.txt", BACK, body="hi"),
        ],
    ),
    Case(
        name="emacs",
        steps=[
            run("emacs -nw -Q note.txt", "needs key: emacs", has="note.txt"),
            press("h i", "needs key: emacs", has="hi"),
            press("C-x C-s", "needs key: emacs", has="Wrote"),
            press("M-x", "needs key: … | needs input: M-x", has="M-x"),
            press("C-g", "needs key: emacs", has="Quit"),
            press("C-x C-c", BACK),
            run("cat note.txt", BACK, body="hi"),
        ],
    ),
    Case(
        name="mc",
        steps=[
            run("mc -u", "needs key: mc", has="Quit"),
            press("F10", "needs key: … | ready | needs input: …"),
            press("Enter", "", has=""),
            wait("ready"),
        ],
    ),
    Case(
        name="top, htop and watch",
        steps=[
            run(
                "top -d 0.5",
                "quiet: top… | needs key: top",
                late=12,
                moving=True,
                has="PID",
                timeout=20,
            ),
            press("q", BACK),
            run(
                "htop -d 5",
                "quiet: htop… | needs key: htop",
                late=12,
                moving=True,
                has="PID",
                timeout=20,
            ),
            press("q", BACK, body="(nothing new)"),
            run("watch -n 0.5 date +%N", "quiet: watch…", late=12, moving=True, timeout=20),
            interrupt(BACK),
            run("top -b -n 1 | head -3", BACK, has="top -"),
            OVER,
        ],
    ),
    Case(
        name="whiptail and dialog",
        core=True,
        steps=[
            run(
                "whiptail --yesno 'Delete everything?' 8 40; echo $?",
                "needs key: …",
                has="Delete everything?",
            ),
            press("Tab", "needs key: …"),
            press("Enter", BACK, body="1"),
            run(
                "whiptail --inputbox 'Your name?' 8 40 2>out; cat out; echo",
                "needs key: … | needs input: …",
                has="Your name?",
            ),
            send("Bo", BACK, has="Bo"),
            run(
                "whiptail --passwordbox 'Your password?' 8 40 2>out; wc -c <out",
                "needs … | needs key: …",
                has="Your password?",
            ),
            send("geheim", BACK, body="6", lacks="geheim"),
            run(
                "dialog --clear --menu 'Pick one' 12 40 3 a Apple b Banana 2>out; cat out; echo",
                "needs key: …",
                has="Banana",
            ),
            press("Down Enter", BACK, has="\nb"),
            run("whiptail --msgbox 'All done' 8 40", "needs key: …", has="All done"),
            press("Enter", BACK, body="(nothing new)"),
            OVER,
        ],
    ),
    Case(
        name="full screen crashes",
        programs=("crash.py",),
        steps=[
            run("python3 crash.py", "needs key: …", has="FULL SCREEN PROGRAM"),
            press("x", BACK, has="it crashed", lacks="FULL SCREEN"),
            OVER,
        ],
    ),
    Case(
        name="a pager is asked and read",
        files={"long": "".join(f"line {n}\n" for n in range(300))},
        steps=[
            run("less long", "needs key: less", has="line 10"),
            read("read … full screen…", has="line 10"),
            run("echo oops", "error: …", untouched=True),
            press("j", "needs key: less"),
            interrupt("", has=""),
            press("q", "ready | needs key: …"),
            wait(BACK),
        ],
    ),
]
