"""A throwaway tmux server, a scripted model and the real OpenCode, each in a home of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for place in (ROOT, Path(__file__).parent):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

from hermetic import DOUBLE, PINNED, Desk, find_opencode  # noqa: E402

from python.helpers.opencode_cli import OpenCodeSession  # noqa: E402
from tests.support.fake_model import FakeModel  # noqa: E402
from tests.support.run import TMUX_TOOL  # noqa: E402

ASKS = {"bash": "ask", "edit": "ask"}


def pytest_generate_tests(metafunc):
    """What takes place with OpenCode is played on both lines: on the real 1, which takes long, and
    on the stand-in for 2."""
    if "line" in metafunc.fixturenames:
        marked = metafunc.definition.get_closest_marker
        real = pytest.param("1", marks=[] if marked("real") else [pytest.mark.thorough])
        lines = {"1": [real], "2": ["2"]}.get(marked("only").args[0] if marked("only") else "")
        metafunc.parametrize("line", lines or [real, "2"], indirect=True, scope="module")


@pytest.fixture(scope="module")
def line(request):
    return request.param


@pytest.fixture(scope="module")
def binary(line):
    """The OpenCode of that line."""
    found = DOUBLE if line == "2" else find_opencode()
    if not found:
        pytest.skip(f"opencode is not installed: npm install opencode-ai@{PINNED}, or $OPENCODE_BIN")
    return os.path.abspath(found)


@pytest.fixture(scope="module")
def version(binary):
    """That OpenCode's, as numbers: what only some versions do is named by theirs."""
    said = subprocess.run([binary, "--version"], capture_output=True, text=True).stdout
    return tuple(map(int, re.findall(r"\d+", said)[:3]))


@pytest.fixture(scope="session")
def model():
    with FakeModel() as fake:
        yield fake


@pytest.fixture
def bare():
    """A desk without OpenCode, for what comes before it starts."""
    with Desk(None, None) as here:
        yield here


@pytest.fixture
def desk(model, binary):
    """One with OpenCode, which asks before it runs a command or writes a file."""
    with Desk(model, binary, permission=ASKS) as here:
        yield here


@pytest.fixture(scope="module")
def place(model, binary):
    """The same for all tests of a module."""
    server = {"type": "local", "command": [str(TMUX_TOOL), "mcp"], "enabled": True}
    own = {"echoed": "FAKE:say $ARGUMENTS and more", "touching": "FAKE:bash touch $ARGUMENTS"}
    commands = {name: {"template": words} for name, words in own.items()}
    with Desk(model, binary, permission=ASKS, mcp={"terminal": server}, command=commands) as here:
        here.keeps_files()
        yield here


@pytest.fixture(scope="module")
def running(place):
    """A conversation for all tests of a module."""
    one = OpenCodeSession(place.project, timeout=100).start()
    yield one
    assert one.exit().startswith("ses_")
    place.until(place.is_clean)


@pytest.fixture
def session(running, place):
    place.until(lambda: "Allow once" not in place.screen())  # the next one is another
    yield running
    if running.status not in ("idle", "gone"):
        running.interrupt()
