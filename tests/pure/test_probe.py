"""What a reading says about every kind of sleep, group and chain of terminals, with a fake /proc;
tests/terminal/test_probe.py reads real programs."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from python.helpers.tmux.evidence.kernel import probe as kernel_probe
from python.helpers.tmux.evidence.kernel import waiter
from python.helpers.tmux.evidence.kernel.probe import How, Probe, exit_status, probe
from python.helpers.tmux.evidence.kernel.relay import Terminal
from tests.support.fake_proc import DENIED, FakeProc, call, fd_set, pollfds
from tests.support.tables import Tables

TABLES = Tables(__file__)

TTY = "/dev/pts/7"
COOKED = Terminal(path=TTY, canonical=True, echo=True, signals=True, size=(30, 120))
LINE = replace(COOKED, canonical=False, echo=False)  # a line editor's, a pager's
RAW = replace(LINE, signals=False)  # a relay's, an editor's
FOREVER = 0xFFFFFFFF
AT = 0x7FFD0000  # where the memory of the tests lies
FDS = {0: TTY, 1: TTY, 2: TTY, 3: "socket:[9]", 4: "anon_inode:[eventpoll]", 5: "/dev/tty", 64: TTY}
ONLY = {0: TTY, 1: TTY, 2: TTY}
FUTEX = call(202, 0x1000, 0x189)  # x86-64's


@pytest.fixture
def proc(monkeypatch) -> FakeProc:
    """The pane's shell, 100, has put the group 200 in front; on x86-64."""
    monkeypatch.setattr(waiter, "_MACHINE", "x86_64")
    monkeypatch.setattr(kernel_probe, "_line_editors", {})
    fake = FakeProc(terminals={TTY: COOKED})
    fake.process(100, front=200, syscall=call(61, FOREVER), wchan="do_wait", fds=FDS)
    return fake.install(monkeypatch)


def program(proc: FakeProc, name: str = "cat", **facts) -> Probe:
    """What is said where the shell has started `name`."""
    proc.process(200, name, parent=100, session=100, front=200, **{"fds": FDS, **facts})
    return probe(100, TTY)


def sleep(found: Probe) -> tuple | None:
    """How it waits, in short."""
    one = found.waiter
    return (one.how, one.size, one.proven) if one else None


READ_9, SELECT = (How.READ, 9, True), (How.SELECT, 0, True)
MAYBE = (How.LISTEN, 0, False)
EPOLL_BOTH = "pos:\t0\ntfd:        0 events:       19 data: 0\ntfd:        3 events: 19 data: 3\n"
EPOLL_SOCKET = "pos:\t0\ntfd:        3 events:       19 data: 3\n"

WORDS = {"AT": AT, "FOREVER": FOREVER}


@pytest.mark.parametrize("name", TABLES["CALLS"])
def test_a_sleep_is_recognised_by_its_system_call(proc, monkeypatch, name):
    row = TABLES["CALLS"][name]
    set_, polled = fd_set(*row.get("fd_set", ())), pollfds(*row.get("pollfds", ()))
    proc.memory[200] = {AT: set_ if "fd_set" in row else polled}
    proc.files["/proc/200/fdinfo/4"] = EPOLL_BOTH.encode()
    how, *size = row.get("waits", [""])
    expected = (
        (How(how.replace("maybe", "listen")), *(size or [0]), how != "maybe") if how else None
    )
    for machine in {"x86_64", "aarch64"} & row.keys():
        monkeypatch.setattr(waiter, "_MACHINE", machine)
        found = program(proc, syscall=call(*(WORDS.get(one, one) for one in row[machine])))
        assert sleep(found) == expected, machine
        assert (found.subject, found.name, found.foreground) == (200, "cat", 200)
        assert (found.bytes_read, found.remote) == (4711, "")


def test_a_stopped_process_waits_for_nothing(proc):
    """It shows the call in which it slept when it was stopped."""
    asleep = {"syscall": call(0, 0, AT, 9), "wchan": "do_signal_stop"}
    assert sleep(program(proc, state="S", **asleep)) == READ_9
    assert sleep(program(proc, state="T", **asleep)) is None


def test_an_epoll_that_does_not_watch_the_terminal_is_not_a_wait(proc):
    proc.files["/proc/200/fdinfo/4"] = EPOLL_SOCKET.encode()
    assert sleep(program(proc, syscall=call(232, 4, AT, 9, FOREVER))) is None


def test_the_other_machines_with_the_common_numbers(proc, monkeypatch):
    for machine in ("riscv64", "loongarch64"):
        monkeypatch.setattr(waiter, "_MACHINE", machine)
        assert sleep(program(proc, syscall=call(63, 0, AT, 9))) == READ_9


def test_a_machine_without_a_table_goes_by_wchan(proc, monkeypatch):
    monkeypatch.setattr(waiter, "_MACHINE", "s390x")
    facts = {"syscall": call(3, 0, AT, 9), "fds": {0: TTY, 3: "socket:[9]"}}
    assert sleep(program(proc, wchan="wait_woken", **facts)) == MAYBE
    assert sleep(program(proc, wchan="hrtimer_nanosleep", **facts)) is None


TORN = {
    "it runs": "running\n",
    "it is outside a system call": "-1 0x7ffc0 0x7f1c0\n",
    "half a line": "0 0x0 0x7f",
    "an address of the kernel": call(7, 2**64 - 4096, 1, FOREVER),
    "an address without memory": call(7, 0x1000, 1, FOREVER),
    "a null pointer": call(7, 0, 1, FOREVER),
    "a table without entries": call(7, AT, 0, FOREVER),
    "an epoll that was closed": call(232, 9, AT, 9, FOREVER),
    "a select of a million": call(23, 1_000_000, AT),
}


@pytest.mark.parametrize("syscall", TORN.values(), ids=TORN)
def test_a_torn_reading_says_nothing(proc, syscall):
    proc.memory[200] = {AT: bytes(3)}
    found = program(proc, syscall=syscall)
    assert (found.alive, found.waiter, found.hidden) == (True, None, False)


def test_a_poll_table_that_ends_in_the_middle_of_an_entry(proc):
    proc.memory[200] = {AT: pollfds((0, 1)) + b"\3\0\0"}
    assert sleep(program(proc, syscall=call(7, AT, 2, FOREVER))) == SELECT


@pytest.mark.parametrize("last", ["/stat", "/children", "/syscall", "/wchan", "/schedstat"])
def test_a_program_that_ends_in_the_middle_of_a_reading(proc, last):
    proc.vanish = f"/200{last}" if last in ("/stat", "/schedstat") else f"/task/200{last}"
    syscall = DENIED if last == "/wchan" else call(0, 0, AT, 9)
    found = program(proc, syscall=syscall, wchan="wait_woken")
    assert found.alive
    assert found.foreground == 200
    assert not found.hidden


def test_a_thread_that_reads_beside_a_sleeping_main_thread(proc):
    """java, docker, fzf."""
    proc.process(200, "java", parent=100, front=200, fds=FDS, threads=(201, 202), syscall=FUTEX)
    proc.thread(200, 202, call(0, 0, AT, 9))
    assert sleep(probe(100, TTY)) == READ_9


def test_a_thread_that_reads_counts_more_than_a_main_thread_that_listens(proc):
    """As in fzf and other Go programs; which thread does what changes from start to start."""
    proc.memory[200] = {AT: pollfds((0, 1), (3, 1))}
    listens = call(7, AT, 2, FOREVER)
    proc.process(200, "fzf", parent=100, front=200, fds=FDS, threads=(201,), syscall=listens)
    proc.thread(200, 201, call(0, 0, AT, 9))
    assert sleep(probe(100, TTY)) == READ_9


@pytest.mark.parametrize(
    "first, second", [("poll_schedule_timeout", "wait_woken"), ("wait_woken",) * 2]
)
def test_under_yama_a_reading_thread_counts_more_than_a_polling_one(proc, first, second):
    facts = {"syscall": DENIED, "wchan": first, "fds": ONLY, "threads": (201,)}
    proc.process(200, "java", parent=100, front=200, **facts)
    proc.thread(200, 201, DENIED, second)
    assert sleep(probe(100, TTY)) == (How.READ, 0, False)


def test_a_fish_whose_other_thread_polls_a_pipe_is_not_at_a_prompt(proc):
    facts = {"syscall": DENIED, "wchan": "futex_do_wait", "fds": ONLY, "threads": (201,)}
    proc.process(200, "fish", parent=100, front=200, **facts)
    proc.thread(200, 201, DENIED, "poll_schedule_timeout")
    assert probe(100, TTY).waiter is None


@pytest.mark.parametrize("name", TABLES["DENIED_SLEEPS"])
def test_under_yama_a_sleep_is_inferred_from_wchan_and_open_files_and_never_proven(proc, name):
    wchan, how, *files = TABLES["DENIED_SLEEPS"][name]
    opened = ONLY | {int(fd): target for more in files for fd, target in more.items()}
    proc.files["/proc/200/fdinfo/4"] = EPOLL_BOTH.encode()
    proc.files["/proc/200/fdinfo/6"] = EPOLL_SOCKET.encode()
    fds = {fd: TTY if target == "TTY" else target for fd, target in opened.items() if target}
    found = program(proc, syscall=DENIED, wchan=wchan, fds=fds)
    assert sleep(found) == ((How(how), 0, False) if how else None)
    assert not found.hidden


def hidden_program(proc: FakeProc, name: str, state: str = "S", **facts) -> None:
    """A process of another user's in the foreground group 200."""
    pid = facts.pop("pid", 200)
    proc.process(
        pid,
        name,
        group=facts.pop("group", 200),
        front=200,
        syscall=DENIED,
        wchan="0",
        state=state,
        **facts,
    )
    proc.links[f"/proc/{pid}/exe"] = DENIED
    proc.files[f"/proc/{pid}/io"] = DENIED


@pytest.mark.parametrize("state, hidden", [("S", True), ("R", False)])
def test_another_users_program_that_sleeps_is_hidden(proc, state, hidden):
    hidden_program(proc, "passwd", state, parent=100, cpu=55)
    found = probe(100, TTY)
    assert (found.hidden, found.waiter, found.bytes_read, found.cpu_ns) == (hidden, None, None, 55)
    assert not found.waits_for_child


def test_a_process_that_is_not_visible_at_all(proc, monkeypatch):
    """/proc mounted with hidepid."""
    proc.process(200, "sudo", front=200)
    proc.files["/proc/200/stat"] = DENIED
    found = probe(100, TTY)
    assert (found.foreground, found.name, found.hidden) == (200, "", True)


def test_a_kernel_that_exposes_nothing(proc):
    proc.process(100, front=100, syscall=DENIED, wchan="", fds=FDS)
    assert probe(100, TTY).hidden


# groups


def test_a_pipeline_without_its_leader_that_works(proc):
    proc.terminals[TTY] = LINE
    proc.process(201, "less", parent=100, group=200, front=200, syscall="running\n", state="R")
    found = probe(100, TTY)
    assert (found.name, found.subject, found.waiter, found.remote) == ("less", 201, None, "")


def test_a_program_that_has_ended_and_is_not_collected_yet(proc):
    proc.process(200, "sudo", parent=100, front=200, state="Z")
    found = probe(100, TTY)
    assert (found.name, found.hidden, found.waiter) == ("sudo", False, None)


def test_a_group_whose_parents_are_gone(proc):
    proc.process(
        200, "cat", parent=1, children=False, front=200, syscall=call(0, 0, AT, 9), fds=FDS
    )
    assert probe(100, TTY).waiter.pid == 200


def test_a_nested_shell(proc):
    proc.process(100, front=300, wchan="do_wait", syscall=call(61), fds=FDS)
    proc.process(200, "zsh", parent=100, front=300, wchan="sigsuspend", syscall=call(130), fds=FDS)
    proc.process(300, "cat", parent=200, front=300, syscall=call(0, 0, AT, 9), fds=FDS)
    proc.process(301, "job", parent=200, front=300, syscall=call(0, 0, AT, 1), fds=FDS)
    proc.process(150, "make", parent=100, front=300, syscall=call(61), fds=FDS)
    proc.process(151, "cc1", parent=150, group=150, front=300, syscall=call(61), fds=FDS)
    found = probe(100, TTY)
    assert (found.name, found.waiter.pid) == ("cat", 300)
    assert "/proc/151/stat" not in proc.opened
    assert proc.opened.count("/proc/200/stat") == 1


def test_the_child_waits_not_the_parent_that_waits_in_the_same_way(proc):
    """npm and the program it has started both listen."""
    proc.memory = {pid: {AT: pollfds((0, 1), (3, 1))} for pid in (200, 201)}
    listens = call(7, AT, 2, FOREVER)
    proc.process(200, "npm", parent=100, front=200, syscall=listens, fds=FDS)
    proc.process(201, "vite", parent=200, group=200, front=200, syscall=listens, fds=FDS)
    assert probe(100, TTY).waiter.name == "vite"


def test_a_reader_counts_more_than_a_listener(proc):
    proc.memory[201] = {AT: pollfds((0, 1), (3, 1))}
    proc.process(200, "cat", parent=100, front=200, syscall=call(0, 0, AT, 9), fds=FDS)
    listens = call(7, AT, 2, FOREVER)
    proc.process(201, "node", parent=200, group=200, front=200, syscall=listens, fds=FDS)
    assert probe(100, TTY).waiter.name == "cat"


def test_a_build_with_hundreds_of_workers_stays_cheap(proc):
    proc.process(200, "make", parent=100, front=200, syscall=call(61), fds=FDS)
    for pid in range(300, 700):
        proc.process(pid, "cc1", parent=200, group=200, front=200, syscall=call(61), fds=FDS)
    probe(100, TTY)
    assert sum(path.endswith("/syscall") for path in proc.opened) <= 64


# terminals


def relay(proc: FakeProc, size=(30, 120), name: str = "sudo", outer: Terminal = RAW) -> None:
    """The shell 100 has started the relay 200, and that a monitor and `cat` on /dev/pts/8."""
    proc.terminals = {
        TTY: outer,
        "/dev/pts/8": replace(COOKED, path="/dev/pts/8", size=size, unread=2),
    }
    proc.memory[200] = {AT: pollfds((0, 1), (6, 1))}
    listens = call(271, AT, 2, 0)
    fds = {**FDS, 6: "/dev/ptmx"}
    proc.process(200, name, parent=100, front=200, syscall=listens, fds=fds)
    proc.process(300, name, parent=200, tty=8, front=301, syscall=call(271), fds=FDS)
    inner = {0: "/dev/pts/8", 1: "/dev/pts/8"}
    proc.process(301, "cat", parent=300, tty=8, front=301, syscall=call(0, 0, AT, 9), fds=inner)


def inside(found: Probe) -> bool:
    return found.tty == "/dev/pts/8"


def test_a_relay_is_followed_inwards(proc):
    relay(proc)
    proc.terminals[TTY] = replace(RAW, unread=3)
    found = probe(100, TTY)
    assert inside(found)
    assert (found.name, found.foreground, found.canonical, found.echo) == ("cat", 301, True, True)
    assert (found.waiter.pid, found.remote, found.hidden) == (301, "", False)
    assert found.unread == 5  # what the relay has not carried yet is unread too


NOT_RELAYED = {
    "a program with a terminal of its own": {"size": (14, 120), "name": "vim"},
    "a file manager with its subshell": {"name": "mc", "outer": LINE},
    "expect before it interacts": {"name": "expect", "outer": COOKED},
    "sshpass, whose ssh has only its password there": {"name": "sshpass"},
}


@pytest.mark.parametrize("facts", NOT_RELAYED.values(), ids=NOT_RELAYED)
def test_a_program_that_does_not_relay_is_not_followed(proc, facts):
    relay(proc, **facts)
    assert probe(100, TTY).tty == TTY


@pytest.mark.parametrize("name", ["expect", "tclsh8.6", "python3"])
def test_a_relay_that_keeps_its_inner_size(proc, name):
    relay(proc, size=(0, 0), name=name)
    assert inside(probe(100, TTY))


def test_two_inner_terminals_are_not_a_relay(proc):
    relay(proc)
    proc.process(310, "cat", parent=200, tty=9, front=310, syscall=call(0, 0, AT, 9))
    assert not inside(probe(100, TTY))


def test_under_yama_a_relay_beside_an_editor_is_not_followed(proc):
    """`sudo journalctl -f | vim -`: who polls this terminal cannot be seen, and vim is not sudo."""
    relay(proc)
    denied = {"syscall": DENIED, "wchan": "poll_schedule_timeout"}
    proc.files["/proc/200/task/200/syscall"] = DENIED
    proc.files["/proc/200/task/200/wchan"] = b"poll_schedule_timeout"
    assert inside(probe(100, TTY))
    proc.process(210, "vim", parent=100, group=200, front=200, fds=FDS, **denied)
    found = probe(100, TTY)
    assert (found.tty, found.waiter.name) == (TTY, "vim")


def test_another_users_relay_shows_only_which_program_is_in_front_inside(proc, monkeypatch):
    relay(proc)
    del proc.terminals["/dev/pts/8"]  # it may not be opened
    monkeypatch.setattr(os.path, "exists", lambda path: True)
    for pid in (200, 300, 301):
        proc.files[f"/proc/{pid}/task/{pid}/syscall"] = DENIED
        proc.files[f"/proc/{pid}/task/{pid}/wchan"] = b"0"
        proc.links[f"/proc/{pid}/exe"] = DENIED
    found = probe(100, TTY)
    assert inside(found)
    assert (found.name, found.foreground, found.remote, found.hidden) == ("cat", 301, "sudo", True)
    assert found.blind
    assert not found.waits_for_child


def test_an_inner_terminal_that_has_just_been_closed_is_not_another_users(proc, monkeypatch):
    relay(proc)
    del proc.terminals["/dev/pts/8"]
    monkeypatch.setattr(os.path, "exists", lambda path: False)
    found = probe(100, TTY)
    assert (found.blind, found.remote) == (True, "")


CARRIERS = {
    "ssh": ("ssh", RAW, call(7, AT, 2, FOREVER), "ssh"),
    "docker, whose thread reads": ("docker", RAW, call(0, 0, AT, 9), "docker"),
    "a tmux client, which has handed its terminal away": (
        "tmux: client",
        RAW,
        call(232, 9),
        "tmux: client",
    ),
    "ssh without a terminal at its other end": ("ssh", COOKED, call(7, AT, 2, FOREVER), ""),
    "ssh that asks a password": ("ssh", replace(COOKED, echo=False), call(0, 5, AT, 1), ""),
    "an editor": ("vim", RAW, call(7, AT, 2, FOREVER), ""),
}


@pytest.mark.parametrize("name, terminal, syscall, remote", CARRIERS.values(), ids=CARRIERS)
def test_which_program_carries_a_terminal_that_cannot_be_followed(
    proc, name, terminal, syscall, remote
):
    proc.terminals[TTY] = terminal
    proc.memory[200] = {AT: pollfds((0, 1), (3, 1))}
    assert program(proc, name, syscall=syscall).remote == remote


def test_a_pager_behind_ssh_is_in_front_not_ssh(proc):
    proc.terminals[TTY] = LINE
    proc.process(200, "ssh", parent=100, front=200, syscall=call(7), fds=FDS)
    reads = call(0, 0, AT, 1)
    proc.process(201, "less", parent=100, group=200, front=200, syscall=reads, fds=FDS)
    found = probe(100, TTY)
    assert (found.remote, found.waiter.name) == ("", "less")


# the rest


@TABLES.rows("name, known_as")
def test_a_program_has_one_name(proc, name, known_as):
    proc.files["/proc/200/cmdline"] = b"busybox\0ash\0"
    proc.process(200, name, parent=100, front=200, syscall=call(0, 0, AT, 1), fds=FDS)
    targets = {"pager": "/usr/bin/less", "editor": "/usr/bin/vim.basic"}
    proc.links["/proc/200/exe"] = targets.get(name, "/bin/x")
    found = probe(100, TTY)
    assert (found.name, found.waiter.name) == (known_as, known_as)


def test_the_work_of_other_threads_counts(proc):
    threads = {"threads": (201,), "syscall": FUTEX, "fds": FDS}
    proc.process(200, "java", parent=100, front=200, cpu=5, ticks=3, **threads)
    before = probe(100, TTY).cpu_ns
    proc.process(200, "java", parent=100, front=200, cpu=5, ticks=4, children=False, **threads)
    assert (before, probe(100, TTY).cpu_ns - before) == (30_000_005, 10_000_000)


def test_a_terminal_that_was_closed_or_a_shell_without_one(proc):
    proc.terminals = {}
    assert probe(100, TTY).blind
    proc.terminals = {TTY: COOKED}
    proc.process(100, tty=0, front=-1, fds=FDS)
    assert probe(100, TTY).blind


@pytest.mark.parametrize(
    "state, status, expected", [("Z", 2 << 8, 2), ("Z", 9, None), ("S", 0, None)]
)
def test_the_exit_status_of_an_ended_process(proc, state, status, expected):
    proc.process(100, state=state, status=status)
    assert exit_status(100) == expected
    assert exit_status(999) is None


# the words of a shell under Yama: whether it runs a script or is at its prompt

AT_ITS_PROMPT = TABLES["AT_ITS_PROMPT"]
RUNS_A_SCRIPT = TABLES["RUNS_A_SCRIPT"]


def test_a_shells_command_line_says_whether_it_runs_a_script(proc):
    for words in AT_ITS_PROMPT + RUNS_A_SCRIPT:
        name = "ash" if "ash" in words else words[0].lstrip("-")
        proc.files["/proc/200/cmdline"] = b"\0".join(word.encode() for word in words) + b"\0"
        found = program(proc, name, syscall=DENIED, wchan="wait_woken", fds=ONLY)
        assert found.waiter and found.waiter.script is (words in RUNS_A_SCRIPT), words


# Under Yama: whether a line editor is loaded

LIBRARY = b"7f40-7f41 r--p 00000000 fe:00 132  /usr/lib/libm.so.6\n"
READLINE = b"7f42-7f43 r--p 00000000 fe:00 133  /usr/lib/libreadline.so.8.2\n"


def polls(proc: FakeProc, maps: bytes, name: str = "python3", since: int = 1) -> How:
    """How a program waits that has set the terminal's modes and polls."""
    proc.terminals[TTY] = LINE
    proc.files["/proc/200/maps"] = maps
    denied = {"syscall": DENIED, "wchan": "poll_schedule_timeout", "fds": ONLY}
    found = program(proc, name, since=since, **denied)
    assert found.waiter
    return found.waiter.how


def test_a_program_with_a_line_editor_waits_for_the_terminal_alone(proc):
    assert polls(proc, LIBRARY) is How.LISTEN
    assert polls(proc, LIBRARY + READLINE) is How.SELECT, "python loads it at its first prompt"
    assert polls(proc, LIBRARY) is How.SELECT, "once loaded it stays"


def test_a_line_editor_is_found_in_maps_of_many_pages(proc):
    assert polls(proc, LIBRARY * 200 + READLINE) is How.SELECT


def test_another_program_with_the_same_pid_has_no_line_editor(proc):
    assert polls(proc, READLINE) is How.SELECT
    assert polls(proc, LIBRARY, since=2) is How.LISTEN, "the pid was reused"
    assert polls(proc, READLINE) is How.SELECT
    assert polls(proc, LIBRARY, name="node") is How.LISTEN, "exec"
