"""One world's place: a tmux server, its user, its home and the services that cases need.

It ends with all it started.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TextIO

from python.helpers.tmux.evidence.kernel.process import carrying
from tests.support import terminal
from tests.support.devbox import free_port
from tests.support.fish import has_read_manuals
from tests.support.killed import kill_all
from tests.support.run import ROOT, run
from tests.support.worlds import World

CACHE = Path("/var/cache/tmux-tool-tests")
PROGRAMS = {*terminal.PROGRAMS} - {"play", "ssh"}  # on the PATH of every pane; ssh is a real one
AGENT, SECOND = "tt-agent", "tt-second"
_STARTS = 30.0  # seconds a service may take to start on a busy machine


_SUDOERS = f"""{AGENT} ALL=(ALL:ALL) NOPASSWD: ALL
{AGENT} ALL=(root) PASSWD: /usr/bin/whoami, /usr/bin/wc
{AGENT} ALL=({SECOND}) PASSWD: ALL
"""


def make_users() -> None:
    """Two ordinary users with the password `secret-NAME`; sudo asks the first one at times."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"  # where useradd and chpasswd are
    for name in (AGENT, SECOND):
        if run("id", name).returncode:
            run("useradd", "-m", "-s", "/bin/bash", name, check=True)
        run("chpasswd", input=f"{name}:secret-{name}", check=True)
        Path(f"/home/{name}/.hushlogin").touch()
    rules = Path("/etc/sudoers.d/tmux-tool-tests")
    if not rules.exists() or rules.read_text() != _SUDOERS:  # never empty for another run's sudo
        rules.write_text(_SUDOERS)
        rules.chmod(0o440)


def as_user(name: str) -> list[str]:
    """The words before a command that run it as that user."""
    user = pwd.getpwnam(name)
    numbers = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}"]
    return ["setpriv", *numbers, "--init-groups", "--inh-caps=-all"]


class Place:
    """`prefix`: the words before a command of the world's user; `environment`: every pane's."""

    def __init__(self, world: World):
        self.world = world
        make_users()
        self.folder = Path(tempfile.mkdtemp(prefix="tr-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.user = AGENT if world is World.USER else "root"
        self.prefix = as_user(AGENT) if world is World.USER else []
        self.tool = self._readable(ROOT / "python", "tool/python").parent
        self.caller = self._readable(ROOT / "tests/real/caller.py", "caller.py")
        self._readable(ROOT / "tests/support/denied.py", "denied.py")
        self.home, self.bin = self._mine("home"), self._mine("bin")
        self._mine("tmux")
        has_read_manuals(self.home / ".local/share")
        self._done(["chown", "-R", f"{self.user}:", str(self.home)])
        for name in PROGRAMS:
            program = self.bin / name
            text = (ROOT / f"tests/support/programs/{name}.py").read_text()
            program.write_text("#!/usr/bin/python3 -SE\n" + text)
            program.chmod(0o755)
        folders: list[str | Path] = [self.bin, CACHE / "python/bin"]
        own = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tmux-tool-tests"
        folders += [own / "ai-npm/node_modules/.bin", own / "aider-venv/bin"]  # root's own
        folders += [CACHE / "node/node_modules/.bin", "/usr/lib/postgresql/15/bin"]
        folders += ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"]
        self.environment = {
            "HOME": str(self.home),
            "USER": self.user,
            "SHELL": "/bin/bash",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "PATH": ":".join(map(str, folders)),
            "TMUX_TMPDIR": str(self.folder / "tmux"),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            **{f"GIT_{role}_NAME": "a" for role in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{role}_EMAIL": "a@b" for role in ("AUTHOR", "COMMITTER")},
            "npm_config_update_notifier": "false",
            "IPYTHONDIR": str(self.home / "ipython"),
        }
        self.started: list[subprocess.Popen] = []
        uid = pwd.getpwnam(self.user).pw_uid
        self.socket = self.folder / f"tmux/tmux-{uid}/default"
        start = ["tmux", "-u", "-f", "/dev/null", "new-session", "-d", "-s", "keeper", "cat"]
        for option in ("-g status off", "-s escape-time 20", "-g assume-paste-time 0"):
            start += [";", "set-option", *option.split()]
        subprocess.run([*self.prefix, *start], env=self.environment, cwd="/", check=True)
        self._callers = self.folder / "tmux/callers"
        self._nursery: subprocess.Popen | None = None
        self._lock = threading.Lock()

    def new_caller(self) -> TextIO:
        """A connection to a process that makes calls, see caller.py."""
        with self._lock:
            if not self._nursery:  # now: the environment is complete
                words = ["/usr/bin/python3", str(self.caller), str(self.tool), self.world]
                self._nursery = subprocess.Popen(
                    [*self.prefix, *words, str(self._callers)],
                    stdin=subprocess.DEVNULL,
                    env=self.environment,
                    cwd="/",
                )
        end = time.monotonic() + _STARTS
        while not self._callers.exists():
            assert time.monotonic() < end and self._nursery.poll() is None, "no caller"
            time.sleep(0.02)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self._callers))
            return connection.makefile("rw", encoding="utf-8")

    def tmux(self, *words: str, check: bool = True) -> str:
        """A tmux command, as root."""
        command = ["tmux", "-u", "-S", str(self.socket), *words]
        done = run(*command, env=self.environment, cwd="/")
        assert not check or done.returncode == 0, (words, done.stderr)
        return done.stdout

    def end(self) -> None:
        self.tmux("kill-server", check=False)
        if self._nursery:
            self._nursery.kill()
            self._nursery.wait()
        for process in self.started:
            process.send_signal(signal.SIGTERM)
        for process in self.started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        tag = f"TMUX_TMPDIR={self.folder / 'tmux'}".encode()
        kill_all(lambda: carrying(tag))  # `script` outlives its terminal
        shutil.rmtree(self.folder, ignore_errors=True)

    # services

    def start(self, names: set[str]) -> None:
        for name in sorted(names):
            getattr(self, f"_start_{name}")()

    def _start_sshd(self) -> None:
        folder, port = self._mine("ssh", "root"), free_port()
        for name in ("host", "key"):
            self._done(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)])
        shutil.chown(folder / "key", self.user)
        Path("/run/sshd").mkdir(exist_ok=True)
        sshd = f"""Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host
            StrictModes no\nUsePAM yes\nAuthorizedKeysFile {folder}/key.pub\nPidFile none
            PrintMotd no\nMaxStartups 50\nKbdInteractiveAuthentication no
            Subsystem sftp internal-sftp\n"""
        (folder / "sshd").write_text(sshd)
        same = f"HostName 127.0.0.1\nPort {port}\nUser {SECOND}\n"
        quiet = f"UserKnownHostsFile {folder}/known\nStrictHostKeyChecking accept-new\n"
        quiet += "LogLevel ERROR\n"
        (folder / "config").write_text(
            f"Host box\n{same}{quiet}IdentityFile {folder}/key\n"
            f"Host secret\n{same}{quiet}PubkeyAuthentication no\n"
            f"Host strange\n{same}PubkeyAuthentication no\nUserKnownHostsFile ~/strange\n"
        )
        shutil.chown(folder, self.user)
        (folder / "known").touch()
        (folder / "known").chmod(0o666)
        wrapper = f'#!/bin/sh\nexec /usr/bin/ssh -F {folder}/config "$@"\n'
        (self.bin / "ssh").write_text(wrapper)
        (self.bin / "ssh").chmod(0o755)
        self._daemon(["/usr/sbin/sshd", "-D", "-f", str(folder / "sshd")], port=port)

    def _start_redis(self) -> None:
        port = free_port()
        command = ["redis-server", "--port", str(port), "--save", "", "--bind", "127.0.0.1"]
        self._daemon(command, port=port)
        self.environment["REDISPORT"] = str(port)

    def _start_postgres(self) -> None:
        folder, port = self._mine("pg", "postgres"), free_port()
        binary, user = "/usr/lib/postgresql/15/bin", as_user("postgres")
        self._done([*user, f"{binary}/initdb", "-D", f"{folder}/data", "-A", "trust", "-N"])
        options = ["-k", str(folder), "-p", str(port), "-c", "listen_addresses=127.0.0.1"]
        self._daemon([*user, f"{binary}/postgres", "-D", f"{folder}/data", *options], port=port)
        self.environment |= {"PGHOST": str(folder), "PGPORT": str(port), "PGUSER": "postgres"}

    def _start_mariadb(self) -> None:
        folder, port = self._mine("my", "mysql"), free_port()
        where = [f"--datadir={folder}/data", "--user=mysql", "--no-defaults"]
        install = ["mariadb-install-db", where[2], where[0], where[1], "--skip-test-db"]
        self._done([*install, "--auth-root-authentication-method=normal"])
        command = ["mariadbd", where[2], where[0], where[1], f"--socket={folder}/sock"]
        self._daemon([*command, f"--port={port}", "--bind-address=127.0.0.1"], port=port)
        root = ["mariadb", "--no-defaults", f"--socket={folder}/sock", "-u", "root", "-e"]
        for host in ("localhost", "127.0.0.1"):
            user = f"app@'{host}'"
            self._done(
                [*root, f"create user {user} identified by 'apple'; grant all on *.* to {user}"]
            )
        self.environment["MYSQL_UNIX_PORT"] = f"{folder}/sock"

    def _start_ai(self) -> None:
        """The command lines where tests/real/install_ai puts them, their model."""
        port = free_port()
        for source in (ROOT / "tests/real/programs").glob("*-on-loopback"):
            program = self.bin / source.name
            program.write_text(source.read_text().replace("4099", str(port)))
            program.chmod(0o755)
        command = ["/usr/bin/python3", "-m", "tests.support.fake_apis", str(port)]
        self._daemon(command, port=port, folder=ROOT)

    def _daemon(self, command: list[str], port: int, folder: Path = Path("/")) -> None:
        with open(self.folder / "services.log", "ab") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            self.started.append(subprocess.Popen(command, cwd=folder, **streams))
        end = time.monotonic() + _STARTS
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                if time.monotonic() > end or self.started[-1].poll() is not None:
                    raise
                time.sleep(0.05)

    def _done(self, command: list[str]) -> None:
        done = run(*command, cwd="/")
        assert done.returncode == 0, (command, done.stdout, done.stderr)

    # folders

    def _mine(self, name: str, owner: str = "") -> Path:
        folder = self.folder / name
        folder.mkdir(mode=0o755)
        shutil.chown(folder, owner or self.user)
        return folder

    def _readable(self, source: Path, name: str) -> Path:
        """A copy that the ordinary user can read wherever the original lies."""
        target = self.folder / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        subprocess.run(["chmod", "-R", "a+rX", str(self.folder)], check=True)
        return target
