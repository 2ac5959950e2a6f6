"""The live view's page beside xterm.js over a WebSocket and a pty: the same keys, the same programs.

Both in the same browser, one after the other. A key's milliseconds are from the page's `keydown` to the change of its
rows in the DOM; bytes are what is sent, HTTP's own heads excluded; CPU is that of all processes of the browser, and of
the server: Python, and tmux with its clients. The heap is the page's, after a collection.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from tests.support.browser import BINARY, CTRL, Browser
from tests.support.run import ROOT, TMUX_TOOL
from tests.support.terminal import SHELLS, Server

from .tool import cache

XTERM = "@xterm/xterm@6.0.0"
KEYS = 150
SECONDS = 6.0  # of each program
BASH = SHELLS["bash"].split()
PROGRAMS = {
    "nothing": "",
    "a date each 0.1 s": r"while printf '\r%s' $(date +%T.%N); do sleep 0.1; done",
    "a line each 0.1 s": "while date; do sleep 0.1; done",
    "htop": "htop -d 5",
    "yes": "yes",
}
TICK = os.sysconf("SC_CLK_TCK")
OURS = "document.querySelector('tmux-terminal')?.shadowRoot?.querySelector('.rows')"
THEIRS = "document.querySelector('.xterm-rows')"
WATCH = """{ const rows = %s; let typed = "", at = 0; globalThis.took = [];
addEventListener("keydown", ({ key, timeStamp }) => {
  if (key.length === 1) { typed += key; at = timeStamp; } }, true);
new MutationObserver(() => {
  if (!at || !rows.textContent.includes(typed)) return;
  took.push(performance.now() - at); at = 0;
}).observe(rows, { childList: true, characterData: true, subtree: true }); }"""


@dataclass
class Row:
    name: str
    keys: list[float]
    interrupt: float = 0.0  # seconds from C-c in `yes` to a prompt
    heap: float = 0.0  # MiB
    programs: dict[str, str] = field(default_factory=dict)


def play(*, talk: bool = False) -> str:
    if not BINARY:
        raise SystemExit("without chromium the page cannot be measured: apt-get install chromium")
    with Server() as server, server.open("bash", name="shared", size=(120, 40)) as terminal:
        with _process(TMUX_TOOL, "view") as (process, address):
            pids = [process.pid, int(terminal.fact("pid"))]
            ours = _measured("this page", address, OURS, pids, talk=talk)
        xterm = _installed(XTERM)
        with _process(ROOT / "tests/bench/programs/xterm_page.py", xterm, *BASH) as (process, address):
            theirs = _measured("xterm.js", address, THEIRS, [process.pid], talk=talk)
    section = table([ours, theirs])
    print(section)
    return section


def table(rows: list[Row]) -> str:
    heads = ["", *(row.name for row in rows)]
    key = [f"{_at(row.keys, 50):.0f} / {_at(row.keys, 95):.0f} ms" for row in rows]
    lines = [heads, ["---"] * len(heads), ["a key, p50 / p95", *key]]
    for name in PROGRAMS:
        lines.append([f"{name}: KiB/s; CPU of browser, server", *(row.programs[name] for row in rows)])
    lines.append(["C-c in `yes`, until the prompt", *(f"{row.interrupt:.1f} s" for row in rows)])
    lines.append(["heap at the end", *(f"{row.heap:.1f} MiB" for row in rows)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _measured(name: str, address: str, rows: str, pids: list[int], *, talk: bool) -> Row:
    browser = Browser(1300, 800)
    try:
        browser.open(address)
        shows = lambda text: text in browser.run(f"{rows}?.textContent ?? ''").replace("\xa0", " ")  # noqa: E731
        browser.until(lambda: shows("bash-"), "a prompt")
        row = Row(name, list(_keys(browser, rows)))
        browser.key("u", CTRL)
        for program, command in PROGRAMS.items():
            if command and not shutil.which(command.split()[0]) and program == command.split()[0]:
                continue
            browser.type(command)
            browser.key("Enter")
            time.sleep(1.5)  # a key makes looks faster for a second
            row.programs[program] = _cost(browser, pids)
            if talk:
                print(f"    {name}: {program}: {row.programs[program]}", flush=True)
            began = time.monotonic()
            browser.key("c", CTRL)
            browser.type("echo e''nd")
            browser.key("Enter")
            browser.until(lambda: shows("end"), "the prompt")
            row.interrupt = time.monotonic() - began
            browser.type("clear")
            browser.key("Enter")
            browser.until(lambda: not shows("end"), "nothing")
        browser.call("HeapProfiler.collectGarbage")
        row.heap = browser.call("Runtime.getHeapUsage")["usedSize"] / 2**20
        return row
    finally:
        browser.close()


def _keys(browser: Browser, rows: str) -> Iterator[float]:
    browser.run(WATCH % rows)
    chance = random.Random(7)
    for count in range(KEYS):
        browser.key("abcdefghij"[count % 10])
        time.sleep(chance.uniform(0.08, 0.2))
    browser.until(lambda: browser.run("took.length") > KEYS * 0.9, "the keys")
    yield from browser.run("took")


def _cost(browser: Browser, pids: list[int]) -> str:
    browser.run("0")
    browser.events.clear()
    before = _cpu([browser.pid]), _cpu(pids)
    began = time.monotonic()
    while time.monotonic() - began < SECONDS:
        time.sleep(0.2)
        browser.run("0")  # takes what has come
    seconds = time.monotonic() - began
    came = 0
    for event in browser.events:
        facts = event["params"]
        if event["method"] == "Network.dataReceived":
            came += facts["encodedDataLength"]
        if event["method"] == "Network.webSocketFrameReceived":
            came += len(facts["response"]["payloadData"]) * (3 / 4 if facts["response"]["opcode"] == 2 else 1)
    shares = [(now - then) / seconds for now, then in zip((_cpu([browser.pid]), _cpu(pids)), before, strict=True)]
    return f"{came / 1024 / seconds:.1f}; {shares[0]:.0%}, {shares[1]:.0%}"


def _cpu(pids: list[int]) -> float:
    """Seconds of these processes and all their children, also of those that have ended."""
    parents, spent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(path.parent.name)
        parents[pid], spent[pid] = int(fields[1]), sum(map(int, fields[11:15])) / TICK
    found = set(pids)
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sum(spent.get(pid, 0.0) for pid in found)


def _at(values: list[float], percent: int) -> float:
    return quantiles(values, n=100)[percent - 1]


@contextmanager
def _process(*command: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    started = subprocess.Popen([sys.executable, *map(str, command)], stdout=subprocess.PIPE, text=True)
    try:
        assert started.stdout
        yield started, re.findall(r"http://\S+", started.stdout.readline())[0]
    finally:
        started.terminate()
        started.wait()


def _installed(package: str) -> Path:
    """From npm, into the tests' cache."""
    folder = cache() / "xterm"
    it = folder / "node_modules/@xterm/xterm"
    if not it.exists():
        subprocess.run(["npm", "install", "--silent", "--prefix", str(folder), package], check=True)
    return it
