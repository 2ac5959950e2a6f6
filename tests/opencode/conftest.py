"""A throwaway tmux server, a scripted model and the real OpenCode, each in a home of its own."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for place in (ROOT, Path(__file__).parent):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

from fake_model import FakeModel  # noqa: E402
from hermetic import PINNED, Desk, find_opencode  # noqa: E402

from python.helpers.opencode_cli import OpenCodeSession  # noqa: E402


@pytest.fixture(scope="session")
def binary():
    found = find_opencode()
    if not found:
        text = f"opencode is not installed: npm install opencode-ai@{PINNED}, or $OPENCODE_BIN"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(text)
    return os.path.abspath(found)


@pytest.fixture(scope="session")
def model():
    with FakeModel() as fake:
        yield fake


@pytest.fixture
def desk(model, binary):
    here = Desk(model, binary)
    yield here
    here.close()


@pytest.fixture(scope="module")
def place(model, binary):
    """A desk for all tests of a module, where OpenCode asks before it runs a command or writes."""
    here = Desk(model, binary, permission={"bash": "ask", "edit": "ask"})
    yield here
    here.close()


@pytest.fixture(scope="module")
def running(place, request):
    """A conversation for all tests of a module, on the channel that the module names."""
    one = OpenCodeSession(str(place.project), timeout=30, channel=request.module.CHANNEL).start()
    yield one
    assert one.exit().startswith("ses_")
    place.until(place.is_clean)


@pytest.fixture
def session(running):
    yield running
    if running.status != "idle":
        running.interrupt()


@pytest.fixture
def slowly(session, place):
    """Begins a turn of so many words, 0.05 s each; returns when the first are on the screen, which
    showed none before."""

    def begin(words):
        session.reset()
        place.until(lambda: "w3 " not in place.screen())
        session.submit(f"FAKE:slow n={words} delay=0.05")
        place.until(lambda: "w3 " in place.screen())

    return begin
