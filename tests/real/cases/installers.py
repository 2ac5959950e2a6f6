"""Installers and system programs that ask."""

from ..table import Case, press, run, send, wait

OVER = run("echo over", "ready", body="over")
BACK = "ready (shell)"
TEMPLATES = """Template: tt-demo/colour
Type: select
Choices: red, green, blue
Description: Favourite colour:
 Which one do you like best?
"""
CONFIG = """#!/bin/sh
. /usr/share/debconf/confmodule
db_input high tt-demo/colour || true
db_go
"""

CASES = [
    Case(
        name="six questions",
        core=True,
        programs=("install.sh",),
        steps=[
            run(
                "sh install.sh",
                "needs input: Install directory [/opt/demo]:",
                body="Welcome to the installer",
            ),
            send("", "needs input: Port number:", body=""),
            send("8080", "needs input: Accept the licence? (yes/no)", body=""),
            send("yes", "needs password: Admin password:", body=""),
            send(
                "geheim",
                "needs input: >",
                denied="unfinished: >",
                has=("1) small", "2) large"),
                lacks="geheim",
            ),
            send(
                "2", "needs input: Press ENTER to finish", takes=2, body="Installing into /opt/demo"
            ),
            send("", BACK, body="finished 8080 yes 2"),
        ],
    ),
    Case(
        name="rm, cp and mv ask",
        core=True,
        steps=[
            run("touch a b; rm -i a b", "needs input: rm: remove regular empty file 'a'?", body=""),
            send("y", "needs input: rm: remove regular empty file 'b'?", body=""),
            send("n", BACK, body="(nothing new)"),
            run("touch a; cp -i a b", "needs input: cp: overwrite 'b'?", body=""),
            send("y", BACK, body="(nothing new)"),
            run("find . -name a -ok echo {} \\;", "needs input: < echo ... ./a > ?", body=""),
            send("y", BACK, body="./a"),
            run("echo a | xargs -p echo", "needs input: echo a?...", body=""),
            send("y", BACK, body="a"),
        ],
    ),
    Case(
        name="openssl req",
        steps=[
            run(
                "openssl req -x509 -newkey rsa:2048 -keyout k.pem -out c.pem -days 1",
                "needs password: Enter PEM pass phrase:",
            ),
            send(
                "geheim",
                "needs password: Verifying - Enter PEM pass phrase:",
                body="",
                lacks="geheim",
            ),
            send(
                "geheim",
                "needs input: Country Name (2 letter code) [AU]:",
                has="Distinguished Name",
            ),
            send("DE", "needs input: State or Province Name (full name) [Some-State]:", body=""),
            send("", "needs input: Locality Name (eg, city) []:", body=""),
            send(
                "",
                "needs input: Organization Name (eg, company) [Internet Widgits Pty Ltd]:",
                body="",
            ),
            send("", "needs input: Organizational Unit Name (eg, section) []:", body=""),
            send("", "needs input: Common Name (e.g. server FQDN or YOUR name) []:", body=""),
            send("localhost", "needs input: Email Address []:", body=""),
            send("", BACK),
            run("openssl rsa -in k.pem -noout", "needs password: Enter pass phrase for k.pem:"),
            send("geheim", BACK, lacks="geheim"),
        ],
    ),
    Case(
        name="ssh-keygen and passwd",
        core=True,
        login="tt-agent",
        steps=[
            run("ssh-keygen -t ed25519", "needs input: Enter file in which to save the key (…):"),
            send("./key", "needs input: Enter passphrase… | needs password: Enter passphrase…"),
            send("", "needs password: Enter same passphrase again:"),
            send("", BACK, has="Your public key has been saved"),
            run(
                "ssh-keygen -t ed25519 -f key -N ''",
                "needs input: Overwrite (y/n)?",
                has="already exists",
            ),
            send("n", BACK),
            run(
                "passwd", "needs password: Current password:", has="Changing password for tt-agent"
            ),
            send("wrong", BACK, has="Authentication token manipulation error", lacks="wrong\n"),
            OVER,
        ],
    ),
    Case(
        name="adduser",
        steps=[
            run(
                "sudo adduser --disabled-login --no-create-home tt-new",
                "needs input: Full Name []:",
                has="Enter the new value, or press ENTER for the default",
            ),
            send("Some One", "needs input: Room Number []:", body=""),
            send("", "needs input: Work Phone []:", body=""),
            send("", "needs input: Home Phone []:", body=""),
            send("", "needs input: Other []:", body=""),
            send("", "needs input: Is the information correct? [Y/n]", body=""),
            send("y", BACK),
            run("sudo deluser --quiet tt-new", BACK),
        ],
        worlds=("readable",),
    ),
    Case(
        name="apt asks",
        steps=[
            run(
                "sudo apt-get -o Debug::NoLocking=1 remove ed",
                "needs input: Do you want to continue? [Y/n]",
                has="The following packages will be REMOVED",
            ),
            send("n", BACK, body="Abort."),
            run("apt-cache policy bash | head -1", BACK, body="bash:"),
            run("apt list --installed 2>/dev/null | grep -c bash", BACK),
            OVER,
        ],
    ),
    Case(
        name="debconf dialog",
        worlds=("readable", "yama"),
        files={"demo.templates": TEMPLATES, "demo.config": CONFIG},
        steps=[
            run(
                "export DEBCONF_DB_OVERRIDE=File{$PWD/config.dat}; "
                "debconf-loadtemplate tt-demo demo.templates",
                BACK,
            ),
            run(
                "DEBIAN_FRONTEND=dialog debconf -o tt-demo ./demo.config",
                "needs key: …",
                has="Favourite colour",
            ),
            press("Down Enter", BACK),
            run("rm config.dat; debconf-loadtemplate tt-demo demo.templates", BACK),
            run(
                "DEBIAN_FRONTEND=readline debconf -o tt-demo ./demo.config",
                "needs input: Favourite colour:",
                has="2. green",
            ),
            send("2", BACK),
            OVER,
        ],
    ),
    Case(
        name="gpg and dpkg",
        steps=[
            run(
                "echo hi > f; gpg --batch --pinentry-mode loopback --passphrase '' -c f; ls f.gpg",
                "ready",
                has="f.gpg",
            ),
            run(
                "gpg --batch --homedir . --pinentry-mode loopback --passphrase '' "
                "--quick-gen-key a@b",
                "ready",
                has="",
            ),
            run(
                "gpg --homedir . --delete-secret-keys a@b",
                "needs input: Delete this key from the keyring? (y/N)",
            ),
            send("n", BACK),
            run("dpkg -l bash | tail -1 | cut -c1-2", BACK, body="ii"),
            OVER,
        ],
    ),
    Case(
        name="a server and its log",
        core=True,
        steps=[
            run(
                "python3 -u -m http.server --bind 127.0.0.1 0",
                "matched: Serving HTTP on 127.0.0.1…",
                until="Serving HTTP",
            ),
            wait("wait_ready timed out: still running python3…", timeout=1),
            press("C-c", BACK, has="Keyboard interrupt received"),
            run(
                "sleep 1; echo 'Listening on 8080'; sleep 30",
                "matched: Listening on 8080",
                until="Listening on",
                takes=1,
            ),
            press("C-c", BACK, body="(nothing new)"),
            OVER,
        ],
    ),
]
