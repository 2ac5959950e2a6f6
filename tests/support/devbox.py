"""A real sshd on loopback: `ssh devbox` gives a bash without any user's settings.

`bin` is put first on the PATH: its `ssh` is the real one with a configuration of our own, since ssh
takes the user's from the home in the password file, whatever HOME says.
"""

import grp
import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.run import run
from tests.support.services import free_port, listening
from tests.support.surroundings import has_read_manuals, user

_SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
_SSH = shutil.which("ssh")


def is_there() -> bool:
    return bool(_SSHD and _SSH and shutil.which("ssh-keygen") and _gives_terminals())


def _gives_terminals() -> bool:
    """An ordinary user's sshd cannot give a terminal to the group tty, where it has not got it."""
    master, slave = os.openpty()
    group = os.fstat(slave).st_gid
    os.close(master), os.close(slave)
    return os.geteuid() == 0 or group == grp.getgrnam("tty").gr_gid


def make_keys(folder: Path) -> None:
    """The host's and the user's: `host`, `key`."""
    for name in ("host", "key"):
        key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / name]
        run(*key, check=True)


def put_ssh(place: Path, config: Path) -> None:
    """`ssh` into the folder `place`, which goes by that configuration."""
    (place / "ssh").write_text(f'#!/bin/sh\nexec {_SSH} -F {config} "$@"\n')
    (place / "ssh").chmod(0o755)


@contextmanager
def sshd(folder: Path, port: int, settings: str) -> Iterator[None]:
    """The daemon with the keys in `folder`, while the block lasts."""
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/key.pub\nStrictModes no\nPrintMotd no\n{settings}"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd's own, where its service never ran
    assert _SSHD
    with listening([_SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], port, folder / "log"):
        yield


@contextmanager
def devbox(folder: Path, known: bool = True, forced: bool = True) -> Iterator[Path]:
    """The folder to put in front of PATH, while the sshd runs. `folder` must not exist.

    `known`: whether ssh knows the host key, so that it does not ask; `forced`: every command is that bash.
    """
    folder.mkdir(mode=0o700)
    port = free_port()
    make_keys(folder)
    for name in ("home", "bin"):
        (folder / name).mkdir()
    has_read_manuals(folder / "home/.local/share")
    if known:
        host = (folder / "host.pub").read_text()
        (folder / "known").write_text(f"devbox {host}")
    (folder / "ssh_config").write_text(
        f"Host devbox\nHostName 127.0.0.1\nPort {port}\nUser {user()}\n"
        f"IdentityFile {folder}/key\nIdentitiesOnly yes\nUserKnownHostsFile {folder}/known\n"
        "HostKeyAlias devbox\nLogLevel ERROR\n"
    )
    put_ssh(folder / "bin", folder / "ssh_config")
    settings = "UsePAM no\nPermitRootLogin yes\nPrintLastLog no\nPasswordAuthentication no\n"
    if forced:
        shell = f"cd && PATH={shlex.quote(os.environ['PATH'])} exec bash --norc --noprofile"
        home = shlex.quote(str(folder / "home"))
        words = f"env HISTFILE= HOME={home} LANG=C.UTF-8 bash -c {shlex.quote(shell)}"
        settings += f"ForceCommand {words}\n"
    with sshd(folder, port, settings):
        yield folder / "bin"
