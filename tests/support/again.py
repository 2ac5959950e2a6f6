"""Plays again, alone and after the rest of a run: once what was only late, three times what was wrong beyond the core
and did no harm. Each such play is told, and what was wrong is shown."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.late import plays_again

ALONE = "TMUX_TOOL_TEST_ALONE"  # set where one item is played alone
_MOST = 20  # items that are played again: where more are late, something is broken
_FIRST = "late or wrong at first"
_LIMIT = 600.0  # seconds of a second play
_SHOWN = 20_000  # characters of one that was not right again


class Again:
    """Plays some again, at the end of a run, and tells each."""
    def __init__(self, config: pytest.Config):
        self.config = config
        self.told: list[str] = []

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple | None:
        if report.failed and getattr(report, "plays", 0):
            return _FIRST, "l", ("LATE", {"yellow": True})
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        reporter = self.config.pluginmanager.getplugin("terminalreporter")
        first = reporter.stats.get(_FIRST, [])
        if not first:
            return
        done = session.exitstatus == pytest.ExitCode.TESTS_FAILED  # no interruption
        again = {one.nodeid: one for one in first}
        played = list(again)[:_MOST] if done and not os.environ.get(ALONE) else []
        right = [nodeid for nodeid in played if all(self._is_right_alone(nodeid) for _ in range(again[nodeid].plays))]
        reporter.stats[_FIRST] = [one for one in first if one.nodeid in right]
        reporter.stats.setdefault("failed", []).extend(one for one in first if one.nodeid not in right)
        for nodeid, report in again.items():
            self.told.append(f"{_how(report.plays, nodeid in right, nodeid in played)}: {nodeid}")
            if report.plays > 1:
                self.told.append(report.longreprtext[-_SHOWN:])
        if not any(reporter.stats.get(kind) for kind in ("failed", "error")):
            session.exitstatus = pytest.ExitCode.OK

    def _is_right_alone(self, nodeid: str) -> bool:
        words = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", nodeid]
        try:
            done = subprocess.run(
                words, cwd=self.config.rootpath, env={**os.environ, ALONE: "1"}, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=_LIMIT)
        except subprocess.TimeoutExpired:
            return False
        if done.returncode:
            self.told.append(done.stdout[-_SHOWN:])
        return done.returncode == 0

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.told:
            terminalreporter.section("played again, alone")
            terminalreporter.write_line("\n".join(self.told))


def _how(plays: int, right: bool, played: bool) -> str:
    what = "late" if plays == 1 else "wrong"
    if right:
        return f"{what} at first, then right ({plays} of {plays})"
    return f"{what} again" if played else f"{what}, and not played again"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo) -> Iterator[None]:
    """Marks what is played again."""
    report = yield
    if report.failed and call.excinfo:
        report.plays = plays_again(call.excinfo.value)
    return report
