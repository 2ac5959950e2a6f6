"""Load: many callers at once on one pane and on eight, and one wait of minutes. Ours alone."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from .lane import Lane, Room
from .machine import cpu_seconds

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
CALLERS = 8
LIMIT = 600.0  # seconds that a caller may take for its turn
SAMPLE = 5.0  # seconds between two looks at a waiting process's memory and descriptors


def measure(calls: int, seconds: float) -> dict:
    """`calls`: commands of each caller; `seconds`: how long one wait takes."""
    panes = {str(count): _callers(count, calls) for count in (1, CALLERS)}
    return {"callers": CALLERS, "each": calls, "panes": panes, "wait": _long_wait(seconds)}


def _callers(count: int, calls: int) -> dict:
    """Every caller runs its commands on `count` panes, each noting itself in a file and printing
    two lines of its own."""
    from tests.support.callers import together

    names = [
        [f"caller{caller}-command{number}" for number in range(calls)] for caller in range(CALLERS)
    ]
    with Lane() as lane, Room(lane, "bash") as first:
        rooms = [first.start()] + [Room(lane, "bash").start() for _ in range(count - 1)]
        log = lane.folder / "log"
        work = [
            [
                _note(name, log, rooms[(caller + number) % count].pane)
                for number, name in enumerate(own)
            ]
            for caller, own in enumerate(names)
        ]
        began = time.monotonic()
        with lane.here():
            answers = together(work, LIMIT * 2)
        took = time.monotonic() - began
        ran = Counter(log.read_text().split())
    figures = {
        "commands": CALLERS * calls,
        "ran_once": sum(ran[name] == 1 for own in names for name in own),
        "own_output": sum(
            _is_own(answer, name)
            for own, its in zip(names, answers, strict=True)
            for name, answer in zip(own, its, strict=True)
        ),
        "seconds": round(took, 2),
        "per_second": round(CALLERS * calls / took, 2),
    }
    print(f"{CALLERS} callers on {count} pane{'s' * (count > 1)}: {figures}", flush=True)
    return figures


def _note(name: str, log: Path, pane: str) -> dict:
    text = f"echo {name} | tee -a {log}; echo {name[::-1]}"
    return {"action": "run", "text": text, "timeout": LIMIT, "pane": pane}


def _is_own(answer: str, name: str) -> bool:
    rows = answer.split("\n")
    return rows[0].startswith("ready (shell)") and _body(rows) == [name, name[::-1]]


def _body(rows: list[str]) -> list[str]:
    return [row for row in rows[1:] if not row.startswith("note: ")]


def _long_wait(seconds: float) -> dict:
    """One `run` of a silent command in a process of its own: memory and descriptors while it waits,
    and how late it answers."""
    from tests.support.callers import InProcess

    with Lane() as lane, Room(lane, "bash") as room:
        room.start()
        text = f"sleep {seconds}; date +%s.%N"
        call = {"action": "run", "text": text, "timeout": seconds + 60, "pane": room.pane}
        with lane.here():
            caller = InProcess([call])
        caller.start()
        done: list[float] = []

        def finish() -> None:
            caller.finish(time.monotonic() + seconds + 90)
            done.append(time.time())

        watcher = threading.Thread(target=finish)
        time.sleep(min(SAMPLE, seconds / 4))  # the interpreter is up and waits
        watcher.start()
        samples = []
        while not done and (sample := _sample(caller.process.pid)):
            samples.append(sample)
            watcher.join(min(SAMPLE, seconds / 10))
        watcher.join()
    rows = caller.answers[0].split("\n")
    memory, files, spent = zip(*samples, strict=True)
    figures = {
        "seconds": seconds,
        "verdict": rows[0].partition(" after")[0],
        "lag_ms": round((done[0] - float(_body(rows)[0])) * 1e3),
        "resident_kb": [memory[0], max(memory), memory[-1]],
        "descriptors": [files[0], max(files), files[-1]],
        "cpu_percent": round(100 * spent[-1] / seconds, 2),
    }
    print(f"one wait: {figures}", flush=True)
    return figures


def _sample(pid: int) -> tuple[int, int, float] | None:
    """Resident memory in KB, open descriptors, seconds of processor time; None: it has ended."""
    try:
        return _resident(pid), len(os.listdir(f"/proc/{pid}/fd")), cpu_seconds(pid)
    except (OSError, StopIteration):
        return None


def _resident(pid: int) -> int:
    with open(f"/proc/{pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1])
