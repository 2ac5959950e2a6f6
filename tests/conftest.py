"""A throwaway tmux server for every test that asks for one, driven as an agent drives it.

`TMUX_TOOL_TEST_WORLD=yama` is a mode of the whole suite, see support/denied.py.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # what tests start or install leaves no file of its own
sys.dont_write_bytecode = False  # the tests themselves are compiled once, not for every worker

from tests.support import denied  # noqa: E402

denied.enter()
from tests.support.terminal import DEADLINE, SHELLS, Server, Terminal, poll  # noqa: E402

__all__ = ["DEADLINE", "ROOT", "Server", "Terminal", "in_shells", "poll"]


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A tmux of one's own with no server yet, and a home without anybody's settings."""
    server = Server(tmp_path)
    for name, value in server.variables.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    terminal = Terminal(server)
    terminal.folder = server.socket
    terminal.truth = server.socket / "truth"
    yield terminal
    terminal.close()
    server.end()


@pytest.fixture
def terminal(bare):
    """The shared session with a plain bash at its prompt."""
    bare.start()
    bare.ready()
    return bare


@pytest.fixture
def room(bare, request):
    """A shell at its prompt, bash where `in_shells` says nothing, and the programs of
    support/programs on its PATH."""
    bare.server.install()
    bare.shell = getattr(request, "param", "bash")
    bare.start()
    bare.ready()
    return bare


def in_shells(*shells: str) -> pytest.MarkDecorator:
    """An item for each shell, of a test with the fixture `room`."""
    return pytest.mark.parametrize("room", shells or tuple(SHELLS), indirect=True)


def _is_heavy(name: str) -> bool:
    """Starts OpenCode: 8 s of CPU each time."""
    return name.startswith("tests/opencode/")


TURNS = re.compile(r"test_opencode_turns\.py")
LONG = re.compile(r"test_(core|install|together)\.py")  # few items, 20 CPU seconds and more


class OneAtATime(LoadScopeScheduling):
    """A worker takes a module or class at a time; two take all that start OpenCode: one has the
    modules about turns, which take as long as the others together."""

    def _split_scope(self, nodeid: str) -> str:
        if not _is_heavy(nodeid):
            return super()._split_scope(nodeid)
        return "opencode's turns" if TURNS.search(nodeid) else "opencode's life"


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    return OneAtATime(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first: OpenCode, then the largest modules."""
    sys.dont_write_bytecode = True
    size = Counter(item.path for item in items)

    def place(item: pytest.Item) -> tuple:
        long = LONG.search(item.nodeid)
        return (not _is_heavy(item.nodeid), not long, -size[item.path], str(item.path))

    items.sort(key=place)


def pytest_terminal_summary(terminalreporter) -> None:
    """How long each part took, where CI asks for it; pytest's own line stays the last."""
    if (before := os.environ.get("TEST_PARTS")) is None:
        return
    parts: dict[str, list[pytest.TestReport]] = {}
    for one in itertools.chain(*terminalreporter.stats.values()):
        if isinstance(one, pytest.TestReport):
            parts.setdefault(one.nodeid.split("/")[1], []).append(one)
    terminalreporter.section("how long each part took")
    terminalreporter.write(before)
    for name, reports in parts.items():
        seconds = sum(one.duration for one in reports)
        wall = max(one.stop for one in reports) - min(one.start for one in reports)
        items = sum(one.when == "call" for one in reports)
        row = f"{name}: {items} items, {seconds:.0f} s in all, over {wall:.0f} s"
        terminalreporter.write_line(row)
