"""Cost: processor time while waiting, and how long one call takes beside tmux's own."""

from __future__ import annotations

import concurrent.futures
import statistics
import time
from collections.abc import Callable
from functools import partial

from .lane import Lane, Room
from .machine import cpu_seconds
from .peers import Mode
from .results import spread
from .tool import Reply, Tool

WAITS = {"sleep": "sleep {seconds}", "a line every 0.2 s": "play chatter"}


def measure(modes: list[Mode], seconds: int, calls: int, lanes: int) -> dict:
    """The waits in lanes side by side (processor time is counted by process); the calls one after
    the other."""
    compared = [mode for mode in modes if not mode.nine_only]
    figures: dict = {
        "seconds": seconds,
        "versions": {},
        "missing": {},
        "tools": {mode.label: {} for mode in compared},
    }

    def part(mode: Mode, measured: Callable[[Lane, Tool], dict]) -> None:
        try:
            with Lane() as lane, Tool(lane, mode) as tool:
                figures["versions"][mode.tool] = tool.version
                row = measured(lane, tool)
                figures["tools"][mode.label] |= row
                print(f"{mode.label}: {row}", flush=True)
        except RuntimeError as problem:
            figures["missing"][mode.label] = str(problem)
            print(f"{mode.label}: {problem}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
        list(pool.map(lambda mode: part(mode, partial(_waits, seconds=seconds)), compared))
    for mode in compared:
        part(mode, partial(_quick, calls=calls))
    figures["tmux"] = _tmux_itself(calls)
    print(f"tmux itself: {figures['tmux']}", flush=True)
    return figures


def _waits(lane: Lane, tool: Tool, seconds: int) -> dict:
    shares = {name: _waiting(lane, tool, command, seconds) for name, command in WAITS.items()}
    return {"cpu_percent": shares}


def _quick(lane: Lane, tool: Tool, calls: int) -> dict:
    single = _calls(lane, tool, calls) if tool.mode.types else {}
    return single | {"run_per_second": _runs(lane, tool, max(3, calls // 10))}


def _tmux_itself(calls: int) -> dict:
    with Lane() as lane, Room(lane, "bash") as room:
        room.start()
        return {
            "read": _own(lane, calls, "capture-pane", "-p", "-t", room.pane),
            "send": _own(lane, calls, "send-keys", "-t", room.pane, ""),
        }


def _enter(room: Room, tool: Tool) -> None:
    if not tool.mode.own_terminal:
        room.start()
    opened = tool.ask("open", place=room.place)
    if not opened.ok:
        raise RuntimeError(f"cannot be opened: {opened.value}")


def _waiting(lane: Lane, tool: Tool, command: str, seconds: int) -> float:
    """Per cent of one core, of the tool with its children and of the tmux server, while one command
    runs. A tool that says "ready" before the end is asked to wait again, as a caller who sees that
    it is not over would do."""
    (lane.folder / "scripts" / "chatter").write_text(
        "[" + ", ".join(['["print", "a line\\n"], ["pause", 0.2]'] * (seconds * 5)) + "]"
    )
    with Room(lane, "bash") as room:
        _enter(room, tool)
        pids = [tool.process.pid] + ([] if tool.mode.own_terminal else [lane.server])
        before, began = sum(map(cpu_seconds, pids)), time.monotonic()
        tool.ask("do", seconds, text=command.format(seconds=seconds + 30), timeout=seconds)
        while (left := began + seconds - time.monotonic()) > 0.5:
            if not tool.ask("wait", left, timeout=left).ok:
                time.sleep(min(left, 1))
        return round(100 * (sum(map(cpu_seconds, pids)) - before) / (time.monotonic() - began), 2)


def _calls(lane: Lane, tool: Tool, count: int) -> dict:
    """Milliseconds of one call, in the tool's own process: no transport is in it."""
    typing = 3 if tool.mode.tool == "emux" else count  # its send waits for the pane to settle
    with Room(lane, "bash") as room:
        _enter(room, tool)
        return {
            "read_ms": _spent(tool.ask("read", 120, times=count)),
            "send_ms": _spent(tool.ask("type", 120, times=typing, text=":")),
        }


def _spent(reply: Reply) -> dict | None:
    return spread([value / 1e6 for value in reply.spent]) if reply.ok else None


def _runs(lane: Lane, tool: Tool, count: int) -> float | None:
    """Commands a second: send `:`, wait for the prompt, the next one."""
    with Room(lane, "bash") as room:
        _enter(room, tool)
        spent = []
        for _ in range(count):
            reply = tool.ask("do", 20, text=":", timeout=20)
            if not reply.ok or reply.value != "ready":
                return None
            spent.append((reply.at - reply.began) / 1e9)
        return round(1 / statistics.mean(spent), 2)


def _own(lane: Lane, count: int, *words: str) -> dict:
    """The same by the tmux binary alone, started as everybody starts it."""
    spent = []
    for _ in range(count):
        began = time.monotonic()
        lane.tmux(*words)
        spent.append((time.monotonic() - began) * 1e3)
    return spread(spent)
