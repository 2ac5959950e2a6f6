"""Programs that ask on a line: installers, logins, debuggers, REPLs."""

from __future__ import annotations

from .steps import INPUT, KEY, PASSWORD, Frame, Keys, Moving, Scenario, See, Step, Text

DONE = See("\n$\n")
HOST_KEY = "Are you sure you want to continue connecting (yes/no/[fingerprint])?"
SSH = "jo@127.0.0.1's password:"
SUDO = "[sudo] password for jo:"


def line(name: str, command: str, *steps: Step) -> Scenario:
    return Scenario(name=name, command=command, steps=steps)


def asks(kind: str, text: str, state: str = "asking") -> tuple[Step, ...]:
    """Asks `text` at the end of the screen."""
    return (See(text + "\n"), Frame(state, kind, text))


def sends(text: str) -> tuple[Step, ...]:
    return (Text(text), Keys("Enter"))


NPM = (
    line(
        "npm-init",
        "npm init",
        *asks(INPUT, "package name: (p)"),
        Text("abc"),
        Frame("typed", INPUT, "package name: (p) abc"),
        *sends(""),
        *asks(INPUT, "version: (1.0.0)", "version"),
        Keys("Enter"),
        *asks(INPUT, "description:", "description"),
    ),
    line(
        "npm-exec",
        "npx cowsay hi",
        *asks(INPUT, "Ok to proceed? (y)"),
        Text("n"),
        Frame("typed", INPUT, "Ok to proceed? (y) n"),
    ),
    line(
        "npm-create",
        "create-vite",
        See("Project name"),
        Frame("asking", INPUT, "Project name:"),
        Text("thing"),
        Frame("typed", INPUT, "Project name:"),
        Keys("Enter"),
        See("framework"),
        Frame("select", KEY, "Select a framework:"),
    ),
)
GDB = (
    line(
        "gdb-quit",
        "gdb -q -nx sleep",
        See("(gdb)"),
        Frame("prompt"),
        *sends("break nowhere_at_all"),
        See("(y or [n])"),
        Frame(
            "pending", INPUT, "Make breakpoint pending on future shared library load? (y or [n])"
        ),
        *sends("n"),
        *sends("run 30 &"),
        *sends("quit"),
        See("Quit anyway"),
        Frame("asking", INPUT, "Quit anyway? (y or n)"),
    ),
    line(
        "gdb-pager",
        "gdb -q -nx",
        See("(gdb)"),
        *sends("help all"),
        See("--Type <RET>"),
        Frame("asking", KEY, "--Type <RET> for more, q to quit, c to continue without paging--"),
    ),
)
REPLS = (
    line(
        "ptpython-exit",
        "ptpython",
        See(">>>"),
        Frame("prompt"),
        Keys("C-d"),
        See("Do you really"),
        Frame("asking", KEY, "Do you really want to exit? ([y]/n)"),
    ),
    line(
        "ipython-exit",
        "ipython",
        See("In [1]"),
        Frame("prompt"),
        Keys("C-d"),
        See("Do you really"),
        Frame("asking", INPUT, "Do you really want to exit ([y]/n)?"),
    ),
    line(
        "python-prompt",
        "python3 -q",
        See(">>>"),
        Frame("standing"),
        Text("print('a?')"),
        Frame("typed"),
    ),
    line(
        "node-prompt",
        "node",
        See("\n>\n"),
        Frame("standing"),
        Text("let a = b ? c : d"),
        Frame("typed"),
    ),
    line("sqlite-prompt", "sqlite3", See("sqlite>\n"), Frame("standing")),
    line("bash-read", "read -e -p 'Enter the value: ' x", *asks(INPUT, "Enter the value:")),
    line("bash-select", "select x in red green; do break; done", *asks(INPUT, "#?")),
)
DEBIAN = (
    line(
        "apt-install",
        "flock /tmp/apt.lock apt-get install cowsay",
        *asks(INPUT, "Do you want to continue? [Y/n]"),
        *sends("n"),
        See("Abort."),
        Frame("done"),
    ),
    line(
        "dpkg-conffile",
        "conffile",
        See("[default=N]"),
        Frame("asking", INPUT, "*** thing.conf (Y/I/N/O/D/Z) [default=N] ?"),
    ),
    line(
        "adduser-new",
        "with-users",
        See("#\n"),
        *sends("adduser --home $HOME/ann ann"),
        *asks(PASSWORD, "New password:"),
        *sends("secret"),
        *asks(PASSWORD, "Retype new password:", "again"),
        *sends("secret"),
        *asks(INPUT, "Full Name []:", "name"),
        *sends(""),
        *sends(""),
        *sends(""),
        *sends(""),
        *sends(""),
        *asks(INPUT, "Is the information correct? [Y/n]", "sure"),
    ),
    line(
        "passwd-own",
        "with-users",
        See("#\n"),
        *sends("su jo -c passwd"),
        *asks(PASSWORD, "Current password:"),
        *sends("secret"),
        *asks(PASSWORD, "New password:", "new"),
    ),
    line(
        "sudo-password",
        "with-users",
        See("#\n"),
        *sends("su jo"),
        See("$\n"),
        *sends("sudo id"),
        *asks(PASSWORD, SUDO),
        *sends("wrong"),
        See("try again"),
        *asks(PASSWORD, SUDO, "error"),
    ),
    line(
        "ssh-login",
        "with-users sshd",
        See("#\n"),
        *sends("ssh jo@127.0.0.1"),
        *asks(INPUT, HOST_KEY),
        *sends("yes"),
        *asks(PASSWORD, SSH, "password"),
        *sends("wrong"),
        See("try again"),
        *asks(PASSWORD, SSH, "error"),
    ),
)
TOOLS = (
    line(
        "openssl-req",
        "openssl req -new -nodes -keyout k",
        *asks(INPUT, "Country Name (2 letter code) [AU]:"),
        *sends(""),
        *asks(INPUT, "State or Province Name (full name) [Some-State]:", "state"),
        *sends(""),
        *asks(INPUT, "Locality Name (eg, city) []:", "city"),
    ),
    line(
        "openssl-key",
        "openssl genrsa -aes128 -out k 2048",
        *asks(PASSWORD, "Enter PEM pass phrase:"),
        *sends("secret"),
        *asks(PASSWORD, "Verifying - Enter PEM pass phrase:", "again"),
    ),
    line(
        "ssh-keygen",
        "ssh-keygen -t ed25519",
        *asks(INPUT, "Enter file in which to save the key (/root/.ssh/id_ed25519):"),
        *sends("k"),
        *asks(PASSWORD, "Enter passphrase (empty for no passphrase):", "passphrase"),
        *sends(""),
        *asks(PASSWORD, "Enter same passphrase again:", "again"),
    ),
    line(
        "git-add",
        "git init -q; seq 9 >f; git add f; seq 5 >f; git add -p",
        *asks(INPUT, "(1/1) Stage this hunk [y,n,q,a,d,e,?]?"),
    ),
    line("git-clean", "git init -q; touch a b; git clean -i", *asks(INPUT, "What now>")),
    line("psql-password", "psql -W -h 127.0.0.1 -U jo", *asks(PASSWORD, "Password:")),
    line("rm-ask", "touch f; rm -i f", *asks(INPUT, "rm: remove regular empty file 'f'?")),
    line(
        "unzip-like",
        "touch f; cp -i f /etc/hostname",
        *asks(INPUT, "cp: overwrite '/etc/hostname'?"),
    ),
    line(
        "print-sleep",
        "printf 'Installing packages: '; sleep 3",
        See("packages:\n"),
        Frame("working", INPUT, "Installing packages:"),
    ),
    line("npm-install", "npm install typescript", See("typescript"), Moving("working")),
)
SCENARIOS = (*NPM, *GDB, *REPLS, *DEBIAN, *TOOLS)
