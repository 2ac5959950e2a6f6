"""Cost: processor time while waiting, and how long one call takes beside tmux's own."""

from __future__ import annotations

import concurrent.futures
import statistics
import time
from collections.abc import Callable

from .lane import Lane, Room
from .machine import cpu_seconds
from .peers import Mode
from .results import spread
from .tool import Tool

WAITS = {"sleep": "sleep {seconds}", "a line every 0.2 s": "play chatter"}


def measure(modes: list[Mode], seconds: int, calls: int, lanes: int) -> dict:
    """The waits in lanes side by side (processor time is counted by process); the calls one after
    the other."""
    wanted = [mode for mode in modes if not mode.nine_only]
    found: dict[str, dict] = {mode.label: {} for mode in wanted}
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}

    def part(mode: Mode, measured: Callable[[Lane, Tool], dict]) -> None:
        try:
            with Lane() as lane, Tool(lane, mode) as tool:
                versions[mode.tool] = tool.version
                got = measured(lane, tool)
                found[mode.label] |= got
                print(f"{mode.label}: {got}", flush=True)
        except RuntimeError as problem:
            missing[mode.label] = str(problem)
            print(f"{mode.label}: {problem}", flush=True)

    def waits(lane: Lane, tool: Tool) -> dict:
        return {
            "cpu_percent": {
                name: _waiting(lane, tool, command, seconds) for name, command in WAITS.items()
            }
        }

    def quick(lane: Lane, tool: Tool) -> dict:
        single = _calls(lane, tool, calls) if tool.mode.types else {}
        return single | {"run_per_second": _runs(lane, tool, max(3, calls // 10))}

    with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
        list(pool.map(lambda mode: part(mode, waits), wanted))
    for mode in wanted:
        part(mode, quick)
    with Lane() as lane, Room(lane, "bash") as room:
        room.start()
        own = {
            "read": _own(lane, calls, "capture-pane", "-p", "-t", room.pane),
            "send": _own(lane, calls, "send-keys", "-t", room.pane, ""),
        }
    print(f"tmux itself: {own}", flush=True)
    return {
        "seconds": seconds,
        "versions": versions,
        "missing": missing,
        "tools": found,
        "tmux": own,
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
    with Room(lane, "bash") as room:
        _enter(room, tool)
        found = {}
        for name, action, arguments in (
            ("read_ms", "read", {}),
            ("send_ms", "type", {"text": ":"}),
        ):
            slow = (
                tool.mode.tool == "emux" and action == "type"
            )  # its send waits for the pane to settle
            said = tool.ask(action, 120, times=3 if slow else count, **arguments)
            found[name] = spread([value / 1e6 for value in said.spent]) if said.ok else None
        return found


def _runs(lane: Lane, tool: Tool, count: int) -> float | None:
    """Commands a second: send `:`, wait for the prompt, the next one."""
    with Room(lane, "bash") as room:
        _enter(room, tool)
        spent = []
        for _ in range(count):
            said = tool.ask("do", 20, text=":", timeout=20)
            if not said.ok or said.value != "ready":
                return None
            spent.append((said.at - said.began) / 1e9)
        return round(1 / statistics.mean(spent), 2)


def _own(lane: Lane, count: int, *words: str) -> dict:
    """The same by the tmux binary alone, started as everybody starts it."""
    spent = []
    for _ in range(count):
        began = time.monotonic()
        lane.tmux(*words)
        spent.append((time.monotonic() - began) * 1e3)
    return spread(spent)
