"""More programs that ask: partitions, file transfer, credentials, following a log."""

from ..table import Case, interrupt, press, run, send, wait

OVER = run("echo over", "ready", body="over")
BACK = "ready (shell)"

CASES = [
    Case(
        name="fdisk",
        steps=[
            run(
                "truncate -s 10M disk; /sbin/fdisk disk",
                "needs input: Command (m for help):",
                has="Welcome to fdisk",
            ),
            send("n", "needs input: Select (default p):", has="primary"),
            send("p", "needs input: Partition number (1-4, default 1):", body=""),
            send("", "needs input: First sector (2048-20479, default 2048):", body=""),
            send(
                "",
                "needs input: Last sector, +/-sectors or +/-size{K,M,G,T,P} "
                "(2048-20479, default 20479):",
                body="",
            ),
            send("", "needs input: Command (m for help):", has="Created a new partition 1"),
            send("q", BACK),
            OVER,
        ],
    ),
    Case(
        name="sftp",
        needs=("sshd",),
        steps=[
            run(
                "ssh box true; sftp -S $(command -v ssh) box",
                "ready | needs input: sftp>",
                has="Connected",
            ),
            send("pwd", "ready | needs input: sftp>", has="/home/tt-second"),
            send("ls -a", "ready | needs input: sftp>", has=".bashrc"),
            send("bye", BACK),
            OVER,
        ],
    ),
    Case(
        name="git asks for credentials",
        core=True,
        programs=("unauthorised.py",),
        steps=[
            run("python3 unauthorised.py & sleep 1", "ready", moving=True),
            run(
                "git clone http://127.0.0.1:$(cat port)/x.git",
                "needs input: Username for 'http://127.0.0.1:…':",
                has="Cloning into",
            ),
            send("ann", "needs password: Password for 'http://ann@127.0.0.1:…':", body=""),
            send("geheim", "ready", has="Authentication failed", lacks="geheim"),
            run("kill %1; wait", "ready"),
            OVER,
        ],
    ),
    Case(
        name="pip asks",
        steps=[
            run("python3 -m venv v && . v/bin/activate", "ready", timeout=60),
            run("pip uninstall setuptools", "needs input: Proceed (Y/n)?", has="Would remove"),
            send("n", "ready"),
            run("deactivate", "ready", body="(no output)"),
        ],
    ),
    Case(
        name="following a log",
        core=True,
        programs=("tick.py",),
        steps=[
            run("python3 tick.py > log & sleep 1.2", "ready", moving=True),
            run(
                "tail -f log",
                "run timed out: still running tail…",
                has="tick 1",
                timeout=2,
                moving=True,
            ),
            wait("matched: tick 9", until="tick 9$", moving=True),
            interrupt("ready", lacks="tick 1\n"),
            run("less +F log", "run timed out: … | quiet: …", timeout=2, moving=True, has="tick"),
            press("C-c", "needs key: …"),
            press("q", "ready"),
            run("kill %1; wait", "ready"),
            OVER,
        ],
    ),
    Case(
        name="gpg edits a key",
        steps=[
            run(
                "export GNUPGHOME=$PWD; chmod 700 .; "
                "gpg -q --batch --pinentry-mode loopback --passphrase '' "
                "--quick-gen-key a@b default default 0",
                "ready",
                has="",
            ),
            run("gpg --edit-key a@b", "ready | needs input: gpg>", has="Secret key is available"),
            send("adduid", "needs input: Real name:"),
            send("Some One", "needs input: Email address:", body=""),
            send("x@y.org", "needs input: Comment:", body=""),
            send(
                "",
                "needs input: Change (N)ame, (C)omment, (E)mail or (O)kay/(Q)uit?",
                has="You selected this USER-ID",
            ),
            send("q", "ready | needs input: gpg>"),
            send("quit", "ready | needs input: …"),
            run("gpgconf --kill all", "ready"),
        ],
    ),
    Case(
        name="bash -x, time and here strings",
        core=True,
        steps=[
            run(
                "bash -xc 'echo a; sleep 1; echo b'",
                "ready",
                takes=1,
                body="+ echo a\na\n+ sleep 1\n+ echo b\nb",
            ),
            run("time sleep 1", "ready", takes=1, has="real"),
            run("tr a-z A-Z <<< abc", "ready", body="ABC"),
            run("xargs -n1 echo", "needs input: …"),
            send("one two", "needs input: …", has="one"),
            press("C-d", "ready", has=""),
            run("tee copy", "needs input: …"),
            send("line", "needs input: …", has="line"),
            press("C-d", "ready"),
            run("cat copy", "ready", body="line"),
            run("sort", "needs input: …"),
            send("b\na", "needs input: …"),
            press("C-d", "ready", has="a\nb"),
        ],
    ),
    Case(
        name="mariadb-secure-installation",
        needs=("mariadb",),
        worlds=("readable", "yama"),
        steps=[
            run(
                "mariadb-secure-installation --socket=$MYSQL_UNIX_PORT",
                "needs password: Enter current password for root (enter for none):",
            ),
            send(
                "",
                "needs input: Enable unix_socket authentication? [Y/n]",
                has="OK, successfully used password",
            ),
            send("n", "needs input: Set root password? [Y/n]"),
            interrupt("ready"),
            OVER,
        ],
    ),
    Case(
        name="tig and screens",
        steps=[
            run(
                "git init -q . && echo a > f && git add f && git commit -qm first",
                "ready",
            ),
            run("tig", "needs key: tig", has="first"),
            press("Enter", "needs key: tig", has="diff --git"),
            press("q", "needs key: tig | ready"),
            press("q", "ready | needs key: tig"),
            press("q", "ready", has=""),
        ],
    ),
]
