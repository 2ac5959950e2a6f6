"""A real sshd on loopback: `ssh devbox` gets a bash without anyone's settings.

`bin` goes in front of PATH: its `ssh` is the real one with a configuration of our own, since ssh
looks for the user's in the home of the password file, whatever HOME says.
"""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.fish import has_read_manuals

_SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
_START = 20.0  # seconds sshd may take to listen


def is_there() -> bool:
    return bool(_SSHD and shutil.which("ssh") and shutil.which("ssh-keygen"))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def devbox(folder: Path, known: bool = True, forced: bool = True) -> Iterator[Path]:
    """The folder to put in front of PATH, while the sshd runs. `folder` must not exist.

    `known`: whether ssh knows the host key, so that it does not ask; `forced`: every command is
    that bash.
    """
    folder.mkdir(mode=0o700)
    port = free_port()
    for name in ("host", "key"):
        key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(folder / name)]
        subprocess.run(key, check=True, timeout=30)
    _write(folder, port, forced)
    if known:
        host = (folder / "host.pub").read_text()
        (folder / "known").write_text(f"devbox {host}")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd's own, where its service never ran
    assert _SSHD
    log = (folder / "log").open("wb")
    daemon = subprocess.Popen([_SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=log)
    try:
        _listening(port, daemon, folder / "log")
        yield folder / "bin"
    finally:
        daemon.terminate()
        daemon.wait()
        log.close()


def _write(folder: Path, port: int, forced: bool) -> None:
    for name in ("home", "bin"):
        (folder / name).mkdir()
    has_read_manuals(folder / "home/.local/share")
    shell = f"cd && PATH={shlex.quote(os.environ['PATH'])} exec bash --norc --noprofile"
    home = shlex.quote(str(folder / "home"))
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/key.pub\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"
        "PrintMotd no\nPrintLastLog no\nPasswordAuthentication no\n"
        + f"ForceCommand env HISTFILE= HOME={home} LANG=C.UTF-8 bash -c {shlex.quote(shell)}\n"
        * forced
    )
    (folder / "ssh_config").write_text(
        f"Host devbox\nHostName 127.0.0.1\nPort {port}\nUser {getpass.getuser()}\n"
        f"IdentityFile {folder}/key\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known\n"
        "HostKeyAlias devbox\nLogLevel ERROR\n"
    )
    command = folder / "bin/ssh"
    command.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/ssh_config "$@"\n')
    command.chmod(0o755)


def _listening(port: int, daemon: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START
    while time.monotonic() < end and daemon.poll() is None:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"sshd does not listen: {log.read_text()[-300:]}")
