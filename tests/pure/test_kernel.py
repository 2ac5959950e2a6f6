"""What the kernel says: who waits for which terminal, and how; see tests/support/kernels.py."""

import os
import termios
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from python.helpers.tmux.base import process as proc
from python.helpers.tmux.facts import kernel
from python.helpers.tmux.facts.kernel import probe
from tests.support.kernels import World
from tests.support.tables import Tables

TABLES = Tables(__file__)
HOW = {getattr(kernel, name): name.lower() for name in "READ SELECT SEEMS LISTEN HIDDEN POLLS WORKS".split()}
X86 = kernel._Calls(read="0", poll="7", select="23", epoll="232", restarted="219")


@TABLES.rows("processes, right, more", of="probes")
def test_probe(processes, right, more):
    more = {"terminals": {"5": more}} if isinstance(more, str) else more or {}
    with World(processes, more).entered(), patch.object(kernel, "_CALLS", X86):
        found = probe(more.get("pane", 10), *(more.get(name, False) for name in ("strangers", "drawn", "launched")))
    waits = HOW[found.waiter.how] + (f" {found.waiter.size}" if found.waiter.size else "")
    on = found.terminal.path.removeprefix("/dev/pts/")
    said = f"{found.name} {found.subject} {waits}" + (f" on {on}" if on != "5" else "")
    for fact in ("remote", "script", "out_of_sight"):
        said += f", {fact}" if getattr(found, fact) else ""
    said += "" if found.open else ", closed"
    said += f", {found.terminal.unread} unread" if found.terminal.unread else ""
    said += f", beside {found.beside}" if found.beside else ""
    said += f", stopped: {found.stopped}" if found.stopped else ""
    assert said == right


@TABLES.rows("words, script")
def test_a_shell_that_runs_a_script_is_known_by_its_words(words, script):
    assert bool(kernel._SCRIPT.match("".join(f"{word}\0" for word in words.split(" ")))) is script


@TABLES.rows("scope, capabilities, stranger, allows")
def test_who_can_be_read_under_yama(scope, capabilities, stranger, allows, monkeypatch, tmp_path):
    """`capabilities`: CapEff, Docker's or all."""
    setting = tmp_path / "ptrace_scope"
    setting.write_text(f"{scope}\n")
    monkeypatch.setattr(proc, "fact", lambda pid, name: f"CapPrm:\t0\nCapEff:\t{capabilities}\n")
    monkeypatch.setattr(proc, "open", lambda path: setting.open() if "yama" in path else None, raising=False)
    proc._may_trace.cache_clear()
    found = [proc.can_be_read(allows=each) for each in (False, True)]
    monkeypatch.undo()
    proc._may_trace.cache_clear()
    assert found == [stranger, allows]


@pytest.mark.parametrize("code, key", [(7, "C-g"), (28, "C-\\"), (0, "C-c")])
def test_the_key_that_interrupts_is_the_terminals_own(code, key):
    outer, inner = os.openpty()
    modes = termios.tcgetattr(inner)
    modes[6][termios.VINTR] = bytes([code])
    termios.tcsetattr(inner, termios.TCSANOW, modes)
    assert proc.terminal(SimpleNamespace(terminal=os.fstat(inner).st_rdev)).interrupt == key
    os.close(outer)
    os.close(inner)
