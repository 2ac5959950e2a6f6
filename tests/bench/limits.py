"""What a call may cost: no more than 2 s beyond its limit, whatever is in front; and no memory, however many there are.

`overruns`: things in front, calls and limits: by how much the longest call of each kind passed its limit.
`memory`: many calls of one server process: growth of the tmux server and of ours, answers that were wrong.
"""

import os
import signal
import time
from pathlib import Path

from python.helpers.tmux.base import process
from tests.support.terminal import Server, Terminal, poll

from .tables import table

LIMITS = (0.0, 0.5, 2.0)  # seconds
CALLS = 10_000
FEW = 300  # calls, where it is to be quick
BEFORE = 400  # calls after which a server has grown to its size
HISTORY = 100  # rows, soon full
TWENTY = "\n".join(f"line {n}" for n in range(20))
FRONT = {
    "a prompt": "",
    "sleep": "sleep 1000",
    "yes": "yes",
    "cat": "cat",
    "a question": "read -p 'Name: ' name",
    "a password": "read -sp 'Password: ' name",
    "a key": "read -n 1 -p 'Go on? [y/n] ' key",
    "python": "python3 -q",
    "python, busy": "python3 -ic 'while True: pass'",
    "less": "less /etc/services",
    "top": "top",
    "stopped": "sh -c 'cat; true'",  # no shell with jobs takes over
}
SENT = {
    "run": {"text": "true"},
    "send, a line": {"text": "x"},
    "send, 20 lines": {"text": TWENTY},
    "keys, 12 letters": {"keys": list("abcdefghijkl")},
    "keys, 4 lines": {"keys": [{"text": "a"}, "Enter"] * 4},
    "keys, 12 names": {"keys": ["Down"] * 12},
    "wait_ready": {},
    "wait_ready, until": {"until": "never seen"},
    "wait_ready, person": {"person": True},
    "interrupt": {},
    "open": {"name": "own", "text": "sleep 1000"},
    "read": {},
    "list": {},
    "close": {"pane": "shared:nothing"},
}


def stand(terminal: Terminal, what: str) -> None:
    """Puts the thing in front, and tells the tool who is there."""
    if FRONT[what]:
        terminal.call("run", text=FRONT[what], timeout=0.5)
    if what == "stopped":
        poll(lambda: stopped(int(terminal.fact("pane_pid"))), what="cat")
    terminal.call("read")


def stopped(pid: int) -> bool:
    """Stops the cat below the shell, if it is there."""
    for child in process.children(process.read(pid)):
        for cat in process.children(child):
            os.kill(cat.pid, signal.SIGSTOP)
            return True
    return False


def overrun(what: str, call: str, limit: float) -> float:
    """Seconds by which one call in a new terminal passes its limit."""
    action = call.partition(",")[0]
    takes = {} if action in ("read", "list", "close") else {"timeout": limit}
    with Server() as server, server.open("bash", name="shared") as terminal:
        stand(terminal, what)
        began = time.monotonic()
        answer = terminal.call(action, **SENT[call], **takes)
        passed = time.monotonic() - began - limit
    assert answer, (what, call)
    return passed


def overruns(limits: tuple[float, ...]) -> str:
    rows = []
    for what in FRONT:
        row: list[object] = [what]
        for limit in limits:
            found = {call: overrun(what, call, limit) for call in SENT}
            longest = max(found, key=lambda call: found[call])
            row.append(f"{found[longest]:.1f} ({longest})")
        print(row, flush=True)
        rows.append(row)
    return table(("in front", *(f"timeout {limit:g}" for limit in limits)), rows)


def own_bytes(pid: int) -> int:
    """Bytes that only this process holds."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(1024 * int(row.split()[1]) for row in rows if row.startswith("Private_Dirty"))


def memory(calls: int) -> str:
    with Server() as server, server.open("bash", size=(160, 50), history=HISTORY) as terminal:
        wrong = 0
        pids = (int(terminal.fact("pid")), os.getpid())
        before: list[int] = []
        for number in range(BEFORE + calls):
            if number == BEFORE:
                before = list(map(own_bytes, pids))
            answer = terminal.call("run", text=f"echo {number}")
            wrong += not (answer.startswith("ready (shell)") and answer.body == str(number))
        grown = [f"{(own_bytes(pid) - then) / calls:.0f}" for pid, then in zip(pids, before, strict=True)]
        version = server.tmux("-V").strip()
    return table(("calls of `run`", "tmux", "its server, bytes a call", "ours, bytes a call", "wrong"),
                 [[f"{calls:,}", version, *grown, wrong]])


def play(*, quick: bool = False) -> str:
    limits = LIMITS[:1] if quick else LIMITS
    return f"{overruns(limits)}\n\n{memory(FEW if quick else CALLS)}"
