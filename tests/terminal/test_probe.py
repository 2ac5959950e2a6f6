"""What a reading of the kernel says about real programs, in three worlds: everything is readable;
Yama denies the inside of a process; root's programs are in front of an ordinary user's tool.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from python.helpers.tmux.evidence.kernel.probe import Probe, probe
from python.helpers.tmux.evidence.kernel.process import all_pids
from tests.support.denied import denied
from tests.support.killed import kill_all
from tests.support.run import ROOT, run
from tests.support.tables import Tables
from tests.support.terminal import Server, Terminal, poll

TABLES = Tables(__file__)

STEADY = 0.1  # seconds that a reading must stay as it is
SUDOERS = """
Defaults use_pty
Defaults:games !use_pty
root, nobody, games ALL=(ALL:ALL) NOPASSWD: ALL
bin ALL=(ALL:ALL) ALL
"""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is to be said. `lines`: C or - for ICANON, E or - for ECHO, ? for what is not known;
    `waiter`: its name and how, with ? where that is not proven."""

    front: str  # the leader's name
    lines: str
    waiter: str = ""
    inner: bool = False
    remote: str = ""
    hidden: bool = False
    waits_for_child: bool = False


def facts(found: Probe, pane: str) -> Facts:
    one = found.waiter
    how = f"{one.name} {one.how}{'?' * (not one.proven)}" if one else ""
    same = {name: getattr(found, name) for name in ("remote", "hidden", "waits_for_child")}
    bits = ((found.canonical, "C"), (found.echo, "E"))
    lines = "".join("?" if bit is None else letter if bit else "-" for bit, letter in bits)
    return Facts(front=found.name, lines=lines, waiter=how, inner=found.tty != pane, **same)


class Pane:
    """One shell in a pane of its own, and the readings of it."""

    def __init__(self, terminal: Terminal):
        self.terminal = terminal
        self.pid, self.tty = int(terminal.fact("pane_pid")), terminal.fact("pane_tty")

    def types(self, *lines: str) -> None:
        for line in lines:
            self.terminal.person(line, "Enter")

    def probe(self) -> Probe:
        return probe(self.pid, self.tty)

    def comes_to(self, expected: Facts, read: Callable[[], Probe]) -> Probe:
        """The reading becomes `expected` and stays so."""

        def steady() -> Probe | None:
            end = time.monotonic() + STEADY
            while facts(found := read(), self.tty) == expected:
                if time.monotonic() > end:
                    return found
                time.sleep(0.01)
            return None

        try:
            return poll(steady)
        except AssertionError:
            screen = self.terminal.screen().rstrip()
            assert facts(read(), self.tty) == expected, screen
            raise


def mounts_of(pid: int) -> str:
    """The mount namespace of a process; "" where there is none."""
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/ns/mnt")
    return ""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A tmux server in which sudo asks only one user for a password, with a sudoers file of its
    own."""
    if os.geteuid() or run("unshare", "-m", "true").returncode:
        pytest.skip("needs root, and a mount namespace")
    with Server() as server:
        server.folder.chmod(0o755)
        sudoers = server.folder / "sudoers"
        sudoers.write_text(SUDOERS)
        sudoers.chmod(0o440)
        start = (
            f"mount --bind {sudoers} /etc/sudoers && exec tmux -f /dev/null new -d -s keeper cat"
        )
        subprocess.run(["unshare", "-m", "sh", "-c", start], check=True)
        mounts = mounts_of(int(server.tmux("display-message", "-p", "#{pid}")))
        yield server
        server.tmux("kill-server", check=False)
        # `script` and sudo may outlive their terminal.
        kill_all(lambda: [pid for pid in all_pids() if mounts_of(pid) == mounts])


@pytest.fixture
def open_pane(server) -> Iterator[Callable[[str], Pane]]:
    """Call it with a shell's command: that shell at its prompt."""
    opened = []

    def start(command: str) -> Pane:
        opened.append(server.open(command, ready=False))
        pane = Pane(opened[-1])
        poll(lambda: pane.probe().name == "bash" and pane.probe().canonical is False, what="bash")
        return pane

    yield start
    for terminal in opened:
        terminal.close()


@pytest.fixture
def pane(open_pane) -> Pane:
    """Root's shell at its prompt."""
    return open_pane("bash --norc --noprofile")


# command: (in front, line mode, who waits, in an inner terminal, more). Under Yama nothing is
# proven, and a poll may be on anything: `select` becomes `listen`.
PROGRAMS = TABLES["PROGRAMS"]


def in_both_worlds(pane: Pane, front: str, lines: str, waiter: str, *more: str) -> None:
    """`more`: inner, waits, remote; or who waits under Yama, if that is another process."""
    unproven = next((one for one in more if " " in one), "")
    doubted = f"{waiter.replace('select', 'listen').rstrip('~')}?" if waiter else unproven
    for world, one in ((lambda: denied(None), waiter), (denied, doubted)):
        facts = {"inner": "inner" in more, "waits_for_child": "waits" in more}
        facts["remote"] = front if "remote" in more else ""
        expected = Facts(front=front, lines=lines, waiter=one, **facts)

        def read(world=world) -> Probe:
            with world():
                return pane.probe()

        found = pane.comes_to(expected, read)
        assert found.alive
        assert found.unread == 0
        assert found.bytes_read is not None


@pytest.mark.parametrize("command", PROGRAMS, ids=lambda command: command or "a prompt")
def test_a_program_in_front(pane, command):
    program = command.split()[0] if command else "bash"
    if not shutil.which(program) and program not in ("read", "for", "(seq"):
        pytest.skip(f"{program} is not installed")
    pane.types(command)
    in_both_worlds(pane, *PROGRAMS[command])
    if "tmux" in command:
        subprocess.run(["tmux", "-L", "inner", "kill-server"], check=True)


@pytest.fixture
def stalled() -> Iterator[tuple[int, int]]:
    """Two ports: one accepts a connection and never answers, the other accepts none."""
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        guests = [socket.socket() for _ in range(3)]
        for guest in guests:
            guest.setblocking(False)
            guest.connect_ex(full.getsockname())
        yield silent.getsockname()[1], full.getsockname()[1]
        for guest in guests:
            guest.close()


@TABLES.rows("command", of="NETWORK")
def test_a_program_that_waits_for_the_network(pane, stalled, command):
    """Under Yama its sleep has the name of a terminal read: only a doubt may come of that."""
    silent, full = stalled
    pane.types(command.replace("SILENT", str(silent)).replace("FULL", str(full)))
    name = command.split()[0]
    in_both_worlds(pane, name, "CE", "", f"{name} listen?")


def test_a_password_that_is_asked_while_a_connection_is_open(pane, stalled):
    """ssh, psql, git: a program opens /dev/tty to ask for a password; that is the difference."""
    connect = f"s = socket.create_connection(('127.0.0.1', {stalled[0]}))"
    pane.types(f'python3 -c "import socket, getpass; {connect}; getpass.getpass()"')
    in_both_worlds(pane, "python3", "C-", "python3 read")


# Another user's programs


def as_user(name: str, read: Callable[[], Probe]) -> Probe:
    """The reading, taken by an ordinary user, in a child of this interpreter: no file of ours need
    be readable for it."""
    user = pwd.getpwnam(name)
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
            os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
            with denied(None):  # the rights alone decide
                os.write(sender, pickle.dumps(read()))
        finally:
            os._exit(0)
    os.close(sender)
    with open(receiver, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(answer)


@pytest.mark.parametrize("user, command, expected", TABLES["OTHERS"], ids=str)
def test_roots_program_in_front_of_an_ordinary_user(open_pane, user, command, expected):
    """sudo with use_pty: for nobody; without: for games; with a password: for bin."""
    pane = open_pane(
        f"chown {user} $(tty); exec setpriv --reuid {user} --regid nogroup --clear-groups"
        " bash --norc --noprofile"
    )
    pane.types(command)
    found = pane.comes_to(Facts(**expected), lambda: as_user(user, pane.probe))
    if found.hidden:
        assert found.bytes_read is None
        assert found.cpu_ns > 0  # its CPU time is reported all the same


# More than one reading


def test_unread_input_of_the_outer_and_of_the_inner_terminal(pane):
    """A relay that is stopped has not carried what was typed; what it has carried the program has
    not read."""
    pane.types("bash -c 'script -qc \"sleep 60\" /dev/null; :'")
    poll(lambda: pane.probe().name == "sleep")
    pane.types("abc")
    poll(lambda: pane.probe().unread == 4)
    relay = _child(_child(pane.pid))
    os.kill(relay, signal.SIGSTOP)
    pane.types("de")
    poll(lambda: pane.probe().unread == 7)
    os.kill(relay, signal.SIGCONT)


def _child(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text())


def test_a_relay_that_ends_gives_the_pane_back(pane):
    pane.types("sudo -s")
    poll(lambda: pane.probe().tty != pane.tty)
    pane.types("exit")
    poll(lambda: pane.probe().tty == pane.tty and pane.probe().name == "bash")


def test_the_size_of_a_pane_changes_behind_a_relay(pane):
    """sudo passes it on, expect does not: both are still followed."""
    for command in ("sudo -s", "expect -c 'spawn bash --norc; interact'"):
        if not shutil.which(command.split()[0]):
            continue
        pane.types(command)
        poll(lambda: pane.probe().tty != pane.tty)
        for width in (90, 100):
            pane.terminal.tmux("resize-window", "-t", f"={pane.terminal.name}:", "-x", str(width))
            time.sleep(0.3)
            poll(lambda: pane.probe().tty != pane.tty)
        pane.types("exit")
        poll(lambda: pane.probe().tty == pane.tty)


LOOP = "[0 for _ in iter(int, 1)]"
THREAD = f"from threading import Thread; Thread(target=lambda: {LOOP}).start()"
WORK = {"one thread": f"python3 -c '{LOOP}'", "another thread": f"python3 -c '{THREAD}'"}
REST = {"asleep": "sleep 60", "a runtime at rest": "node -e 'setTimeout(() => 0, 60000)'"}


@pytest.mark.parametrize("command", WORK.values(), ids=WORK)
def test_cpu_time_shows_work(pane, command):
    pane.types(command)
    poll(lambda: pane.probe().name == "python3")
    for _ in range(3):
        before = pane.probe().cpu_ns
        poll(lambda before=before: pane.probe().cpu_ns > before)


@pytest.mark.parametrize("command", REST.values(), ids=REST)
def test_cpu_time_shows_rest(pane, command):
    if not shutil.which(command.split()[0]):
        pytest.skip("not installed")
    pane.types(command)
    poll(lambda: pane.probe().name == command.split()[0])

    def rests() -> bool:
        before = pane.probe().cpu_ns
        time.sleep(0.3)
        return pane.probe().cpu_ns == before

    poll(rests)


def test_a_pane_whose_shell_ends(pane):
    pane.terminal.tmux("set-option", "-w", "-t", f"={pane.terminal.name}:", "remain-on-exit", "on")
    pane.types("exit")
    poll(lambda: not pane.probe().alive)


def test_an_interpreter_that_a_test_starts_is_in_the_tests_world():
    code = "import os; os.close(os.open('/proc/1/wchan', 0)); os.open('/proc/1/syscall', 0)"
    for world, error in (("yama", "PermissionError"), ("", "")):
        environment = {**os.environ, "TMUX_TOOL_TEST_WORLD": world}
        enter = "from tests.support import denied; denied.enter(); import subprocess, sys; "
        child = f"sys.exit(subprocess.run([sys.executable, '-c', {code!r}]).returncode)"
        done = run(sys.executable, "-c", enter + child, env=environment, cwd=ROOT)
        assert (error in done.stderr) and bool(done.returncode) == bool(error), done.stderr
