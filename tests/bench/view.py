"""python3 -m tests.bench.view: milliseconds from a change on the screen to the page that shows it.

A program in the pane prints its clock; a browser on the same machine takes the time when a row with
that text is in the page. Target: a median of at most 50 ms on an idle machine.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.browser import Browser

ROOT = Path(__file__).resolve().parents[2]
TARGET = 50.0
WHILE_LIVELY, AFTER_REST = (40, 0.3, 1.2), (15, 2.5, 3.5)  # changes, and the seconds between two
CLOCK = (
    "import random, time\n"
    "for _ in range({}):\n"
    "    time.sleep(random.uniform({}, {}))\n"
    "    print(f'T={{time.time() * 1000:.0f}}', flush=True)\n"
)
WATCH = """(() => {
  globalThis.times = new Map();
  const root = document.querySelector('tmux-terminal').shadowRoot;
  new MutationObserver(() => {
    const now = Date.now();
    for (const [, at] of root.textContent.matchAll(/T=(\\d{13})/g)) if (!times.has(at)) times.set(at, now - at);
  }).observe(root, { childList: true, subtree: true });
})()"""


def main() -> int:
    """Exit status 1 where the target is missed."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMUX_TMPDIR"] = folder
        subprocess.run(
            [
                "tmux",
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-s",
                "shared",
                "-x",
                "160",
                "-y",
                "50",
                "cat",
            ],
            check=True,
        )
        command = [sys.executable, str(ROOT / "usr/bin/tmux-tool"), "view"]
        view = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        browser = Browser()
        try:
            assert view.stdout
            browser.open(view.stdout.readline().strip())
            print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            lively = _measured(browser, "while something happens", *WHILE_LIVELY)
            _measured(browser, "after two seconds of rest", *AFTER_REST)
        finally:
            browser.close()
            view.terminate()
            view.wait()
            subprocess.run(["tmux", "kill-server"], check=True)
    return int(lively > TARGET)


def _measured(browser: Browser, what: str, changes: int, least: float, most: float) -> float:
    clock = CLOCK.format(changes, least, most) + "time.sleep(1000)"
    subprocess.run(
        ["tmux", "respawn-pane", "-k", "-t", "=shared:", sys.executable, "-c", clock], check=True
    )
    time.sleep(1)
    browser.run(WATCH)
    browser.until(lambda: browser.run("times.size") >= changes - 1, what, changes * most + 30)
    times = sorted(browser.run("[...times.values()]"))
    median = statistics.median(times)
    print(f"{what}: median {median:.0f} ms, worst {times[-1]} of {len(times)}")
    return median


if __name__ == "__main__":
    sys.exit(main())
