"""A throwaway tmux server for every test that asks for one, driven as an agent drives it.

`TMUX_TOOL_TEST_WORLD=yama` is a mode of the whole suite, see support/denied.py.
"""

import gc
import os
import re
import shutil
import signal
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
sys.dont_write_bytecode = False  # the tests themselves are compiled once, not for every worker

from tests.support import denied, surroundings  # noqa: E402

surroundings.enter()
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # programs that tests start or install write no .pyc
denied.enter()
from tests.support.again import Again, pytest_runtest_makereport  # noqa: E402
from tests.support.killed import carrying, kill_all  # noqa: E402
from tests.support.surroundings import FOLDER  # noqa: E402
from tests.support.terminal import DEADLINE, MISSING, Server, Terminal, poll  # noqa: E402

__all__ = ["DEADLINE", "ROOT", "Server", "Terminal", "poll", "pytest_runtest_makereport"]

_OWN = pytest.StashKey[str]()
SEED = os.environ.setdefault("SEED", "1")  # of what is random; a run tells it
WIDTH = 160  # columns of the report: a terminal of 80 would cut the names of what failed


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job would ignore it
    if hasattr(config, "workerinput"):
        config.stash[_OWN] = os.environ[FOLDER]
        return
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    os.environ.pop(FOLDER, None)  # of the run that plays something again
    folder = tempfile.mkdtemp(prefix="tt-", dir=surroundings.temporary())
    os.chmod(folder, 0o1777)  # other users play too
    os.environ[FOLDER] = os.environ["TMPDIR"] = folder
    config.stash[_OWN] = folder
    tempfile.tempdir = None  # asked for anew
    config.option.basetemp = config.option.basetemp or f"{folder}/pytest"
    config.pluginmanager.register(Again(config))


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.get_terminal_writer().fullwidth = WIDTH


def pytest_unconfigure(config: pytest.Config) -> None:
    """Nothing stays, however the run has ended: no server, no program, no folder."""
    if not hasattr(config, "workerinput"):
        folder = config.stash[_OWN]
        kill_all(lambda: carrying(f"{FOLDER}={folder}"))
        shutil.rmtree(folder, ignore_errors=True)


def pytest_report_header() -> str:
    return f"seed {SEED} (SEED=N plays other random rounds)"


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder whose path is as long in every run: some tests type it."""
    folder = tempfile.mkdtemp(prefix="p-", dir=request.config.stash[_OWN])
    yield Path(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A tmux socket of its own without a server yet, and an empty home."""
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
def reader(bare, tmp_path):
    """A program that stores its input, byte for byte."""
    from tests.support.reader import Reader

    return Reader(bare, tmp_path / "typed").start()


@pytest.fixture
def room(bare, request):
    """A shell at its prompt, bash unless the test asks for another (`indirect`), and the programs of
    support/programs on its PATH."""
    bare.server.install()
    bare.shell = getattr(request, "param", "bash")
    bare.start()
    bare.ready()
    return bare


# Of a test with several situations the core plays some, spread over its table; of those that guard a
# person's line, and of the examples that are printed, all. CI plays all.
SEVERAL = re.compile(r"tests/(host|terminal)/[^[]*")
GUARDS = re.compile(r"/test_(guards|secrets|together|two_typists|typing)\.py|test_every_example")
SHARE, MOST = 3, 10  # one in so many, and at most so many

# Tests that share a fixture run in one worker: each OpenCode 1 takes 8 s of CPU to start, so never
# more than two of them do; its turns are as long as the rest.
REAL = re.compile(r"tests/opencode/test_opencode_(turns)?.*\[1[]-]")
SHARED = re.compile(
    r"tests/terminal/test_(bodies|two_typists)\.py|tests/opencode/test_opencode_(turns|run)\.py"
    r"|tests/host/test_mcp\.py|tests/host/test_clients\.py"  # the SDK takes a second to import
)
FIRST = """
    tests/host/test_clients tests/opencode/test_opencode_turns tests/opencode/test_opencode_run tests/real/
    tests/opencode/
    tests/terminal/test_guards tests/terminal/test_typing tests/terminal/test_secrets
    tests/host/test_install tests/host/ tests/terminal/test_bodies tests/terminal/test_two_typists tests/
""".split()  # long tests first; the rest by the names of files: some wait, some compute


class OneAtATime(LoadScopeScheduling):
    """A worker takes one test with all its parameters, or all tests that share a fixture."""
    def _split_scope(self, nodeid: str) -> str:
        if real := REAL.match(nodeid):
            return f"opencode 1 {real[1]}"
        in_one_piece = SHARED.match(nodeid) or nodeid.count("::") > 1  # a class
        test = nodeid.partition("[")[0]
        half = zlib.crc32(test.encode()) % 2 if "_turns." in test else ""  # with a stand-in each
        return f"{super()._split_scope(nodeid)}{half}" if in_one_piece else test


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    return OneAtATime(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    sys.dont_write_bytecode = True
    gc.freeze()  # what was imported stays: no collection need look at it
    items.sort(key=_place)
    daily = [one for one in items if not one.get_closest_marker("thorough")]
    tests: dict[str, list[pytest.Item]] = {}
    for item in daily:
        test = SEVERAL.match(item.nodeid)
        if test and not GUARDS.search(item.nodeid):
            tests.setdefault(test[0], []).append(item)
    for name, situations in tests.items():
        count, first = len(situations), zlib.crc32(name.encode())  # not the first one in all
        core = min(max(1, count // SHARE), MOST)
        chosen = {(first + number * count // core) % count for number in range(core)}
        for number, item in enumerate(situations):
            if number not in chosen:
                item.add_marker("thorough")


def _place(item: pytest.Item) -> tuple[int, str]:
    return next(n for n, name in enumerate(FIRST) if item.nodeid.startswith(name)), item.path.name


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A situation that is of a missing program is skipped."""
    parameters = getattr(item, "callspec", None)
    for value in parameters.params.values() if parameters else ():
        if isinstance(value, str) and value in MISSING:
            pytest.skip(f"not installed: {value}")


@pytest.hookimpl(tryfirst=True, wrapper=True, specname="pytest_runtest_makereport")
def skipped_where_missing(item: pytest.Item) -> Iterator[None]:
    """What fails because a program is missing is skipped."""
    report = yield
    terminal = getattr(item, "funcargs", {}).get("bare")
    if report.failed and terminal and (missing := terminal.lacks()):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: not installed: {missing}")
    return report
