"""The place of one world: a tmux server, its user, its home and the services that cases need.

Its end is the end of everything that it has started.
"""

import fcntl
import os
import pwd
import shutil
import socket
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from tests.support import devbox, surroundings
from tests.support.killed import carrying, kill_all
from tests.support.run import ROOT, run
from tests.support.services import as_user, delayed, free_port
from tests.support.terminal import Server, poll

from .table import ROOT_PLAYS, World

CACHE = Path("/var/cache/tmux-tool-tests")
AGENT, SECOND = "tt-agent", "tt-second"

_SUDOERS = f"""{AGENT} ALL=(ALL:ALL) NOPASSWD: ALL
{AGENT} ALL=(root) PASSWD: /usr/bin/whoami, /usr/bin/wc
{AGENT} ALL=({SECOND}) PASSWD: ALL
"""


def make_users() -> None:
    """Two ordinary users with the password `secret-NAME`; sudo asks the first one at times. One run at a time."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"  # where useradd and chpasswd are
    lock = os.open("/home", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        _make_users()
    finally:
        os.close(lock)


def _make_users() -> None:
    for name in (AGENT, SECOND):
        if run("id", name).returncode:
            run("useradd", "-m", "-s", "/bin/bash", name, check=True)
        run("chpasswd", input=f"{name}:secret-{name}", check=True)
        Path(f"/home/{name}/.hushlogin").touch()
    rules = Path("/etc/sudoers.d/tmux-tool-tests")
    if not rules.exists() or rules.read_text() != _SUDOERS:  # never empty for another run's sudo
        rules.write_text(_SUDOERS)
        rules.chmod(0o440)


class Place(Server):
    """`prefix`: the words before a command of the world's user. Who is not root plays alone."""
    python = "/usr/bin/python3"  # that any user can start

    def __init__(self, world: World):
        if ROOT_PLAYS:
            make_users()
        super().__init__()
        self.world = world
        self.user = AGENT if world is World.USER else surroundings.user()
        self.prefix = as_user(AGENT) if world is World.USER else []
        self.folder.chmod(0o755)
        self.install()
        (self.bin / "tmux").symlink_to(shutil.which("tmux") or "")  # a newer one, perhaps
        if ROOT_PLAYS:
            self._done(["chown", "-R", f"{self.user}:", str(self.folder)])
        self.tool = self._readable(ROOT / "python", "tool/python").parent
        self.caller = self._readable(ROOT / "tests/real/caller.py", "caller.py")
        self._readable(ROOT / "tests/support/denied.py", "denied.py")
        folders: list[str | Path] = [self.bin, CACHE / "python/bin"]
        folders += [CACHE / "node/node_modules/.bin"]
        folders += ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"]
        names = {name: value for name, value in self.variables.items() if value is not None}
        self.environment: dict[str, str] = {
            **names, "USER": self.user, "LOGNAME": self.user, "PATH": ":".join(map(str, folders)),
            **{f"GIT_{role}_NAME": "a" for role in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{role}_EMAIL": "a@b" for role in ("AUTHOR", "COMMITTER")}, "npm_config_update_notifier": "false"}
        start = ["tmux", "-u", "-f", "/dev/null", "new-session", "-d", "-s", "keeper", "cat"]
        for option in ("-g status off", "-s escape-time 20", "-g assume-paste-time 0"):
            start += [";", "set-option", *option.split()]
        self._done([*self.prefix, *start])
        uid = pwd.getpwnam(self.user).pw_uid
        self.words = [*self.words, "-S", str(self.socket / f"tmux-{uid}/default")]
        self._callers = self.folder / "callers"
        self._nursery: subprocess.Popen | None = None
        self._lock = threading.Lock()
        self._services = ExitStack()

    def new_caller(self) -> TextIO:
        """A connection to a process that makes calls, see caller.py."""
        with self._lock:
            if not self._nursery:  # now: the environment is complete
                words = ["/usr/bin/python3", str(self.caller), str(self.tool), self.world]
                self._nursery = subprocess.Popen(
                    [*self.prefix, *words, str(self._callers)], stdin=subprocess.DEVNULL, env=self.environment, cwd="/"
                )
        poll(lambda: self._callers.exists() or self._nursery.poll() is not None, what="a caller")
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self._callers))
            return connection.makefile("rw", encoding="utf-8")

    def end(self) -> None:
        self.tmux("kill-server", check=False)
        if self._nursery:
            self._nursery.kill()
            self._nursery.wait()
        self._services.close()
        kill_all(lambda: carrying(f"TMUX_TMPDIR={self.socket}"))  # `script` outlives its terminal
        super().end()

    # services
    def start(self, names: set[str]) -> None:
        for name in sorted(names):
            getattr(self, f"_start_{name}")()

    def _start_sshd(self) -> None:
        folder, port = self._mine("ssh", "root"), free_port()
        devbox.make_keys(folder)
        shutil.chown(folder / "key", self.user)
        far = self._services.enter_context(delayed(port))
        same = f"HostName 127.0.0.1\nPort {port}\nUser {SECOND}\n"
        quiet = f"UserKnownHostsFile {folder}/known\nStrictHostKeyChecking accept-new\n"
        quiet += "LogLevel ERROR\n"
        (folder / "config").write_text(
            f"Host box\n{same}{quiet}IdentityFile {folder}/key\n"
            f"Host far\n{same.replace(str(port), str(far))}{quiet}IdentityFile {folder}/key\n"
            f"Host secret\n{same}{quiet}PubkeyAuthentication no\n"
            f"Host strange\n{same}PubkeyAuthentication no\nUserKnownHostsFile ~/strange\n"
        )
        shutil.chown(folder, self.user)
        (folder / "known").touch()
        (folder / "known").chmod(0o666)
        devbox.put_ssh(self.bin, folder / "config")
        settings = "UsePAM yes\nMaxStartups 50\nKbdInteractiveAuthentication no\n"
        settings += "Subsystem sftp internal-sftp\n"
        self._services.enter_context(devbox.sshd(folder, port, settings))

    def _done(self, command: list[str]) -> None:
        done = run(*command, cwd="/", env=self.environment)
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
