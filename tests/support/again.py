"""Plays what was only late once more: alone, after the rest of a run. Each second play is told."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.late import is_late

ALONE = "TMUX_TOOL_TEST_ALONE"  # set where one item is played alone
_MOST = 20  # items that are played again: where more are late, something is broken
_LIMIT = 600.0  # seconds of a second play
_SHOWN = 20_000  # characters of one that was late again


class Again:
    """Plays what was late once more, at the end of a run, and tells each."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.told: list[str] = []

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple | None:
        if report.failed and getattr(report, "late", False):
            return "late at first", "l", ("LATE", {"yellow": True})
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        reporter = self.config.pluginmanager.getplugin("terminalreporter")
        late = reporter.stats.get("late at first", [])
        if not late:
            return
        done = session.exitstatus == pytest.ExitCode.TESTS_FAILED  # no interruption
        again = list(dict.fromkeys(one.nodeid for one in late))
        played = again[:_MOST] if done and not os.environ.get(ALONE) else []
        right = [nodeid for nodeid in played if self._is_right_alone(nodeid)]
        wrong = [one for one in late if one.nodeid not in right]
        reporter.stats["late at first"] = [one for one in late if one.nodeid in right]
        reporter.stats.setdefault("failed", []).extend(wrong)
        for nodeid in again:
            self.told.append(f"{_how(nodeid in right, nodeid in played)}: {nodeid}")
        if not any(reporter.stats.get(kind) for kind in ("failed", "error")):
            session.exitstatus = pytest.ExitCode.OK

    def _is_right_alone(self, nodeid: str) -> bool:
        words = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", nodeid]
        try:
            done = subprocess.run(
                words, cwd=self.config.rootpath, env={**os.environ, ALONE: "1"}, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=_LIMIT,
            )
        except subprocess.TimeoutExpired:
            return False
        if done.returncode:
            self.told.append(done.stdout[-_SHOWN:])
        return done.returncode == 0

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.told:
            terminalreporter.section("played again, alone")
            terminalreporter.write_line("\n".join(self.told))


def _how(right: bool, played: bool) -> str:
    if right:
        return "late at first, then right"
    return "late twice" if played else "late, and not played again"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo) -> Iterator[None]:
    """Marks what is only late."""
    report = yield
    if report.failed and call.excinfo and is_late(call.excinfo.value):
        report.late = True
    return report
