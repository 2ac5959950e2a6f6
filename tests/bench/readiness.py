"""Readiness: who says "your turn" when, measured against the moment that the program itself noted.

E: an answer before that moment. T: the limit ran out. F: the command never ran, or the tool raised an error. The rest is
right, and late by its lag.
"""

from __future__ import annotations

import concurrent.futures
import queue
import threading
import time
from dataclasses import asdict

from .lane import Lane, Room
from .peers import Mode
from .scenarios import NINE, SHELLS, Scenario, random_command
from .tool import Tool

LIMIT = 12.0  # seconds a tool may wait in one of the nine scenarios
RANDOM_LIMIT = 20.0  # in a random command; the longest takes about 7
AFTER = 3.0  # seconds beyond a scenario's length in which its program must have noted the truth
SETTLED = (
    0.25  # seconds between the truth and the next random command: every shell then shows its prompt
)


def measure(modes: list[Mode], seed: int, ours: int, peers: int, lanes: int, quick: bool) -> dict:
    """`ours`, `peers`: random commands in each shell. Every lane takes the next (mode, shell) that is left."""
    jobs: queue.SimpleQueue[tuple[Mode, str, str]] = queue.SimpleQueue()
    total = 0
    for mode in modes:
        for shell in SHELLS[:1] if quick else SHELLS:
            if shell not in mode.skips:
                if shell == "bash" or mode.tool == "ours":
                    jobs.put((mode, shell, "nine"))
                    total += 1
                if not mode.nine_only:
                    jobs.put((mode, shell, "random"))
                    total += 1
    records: list[dict] = []
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}
    said = threading.Lock()
    done = 0

    def lane() -> None:
        nonlocal done
        with Lane() as here:
            while True:
                try:
                    mode, shell, part = jobs.get_nowait()
                except queue.Empty:
                    return
                got: list[dict] = []  # what was measured stays, whatever ends the rest
                try:
                    with Tool(here, mode) as tool:
                        versions[mode.tool] = tool.version
                        if part == "nine":
                            _nine(here, tool, shell, got)
                        else:
                            _random(
                                here, tool, shell, seed, ours if mode.tool == "ours" else peers, got
                            )
                except RuntimeError as problem:
                    missing[f"{mode.label}, {shell}, {part}, after {len(got)}"] = str(problem)
                    print(f"    BROKEN OFF: {problem}", flush=True)
                with said:
                    done += 1
                    records.extend(got)
                    print(
                        f"[{done}/{total}] {mode.label}, {shell}, {part}: {_tally(got)}", flush=True
                    )
                    for record in got:
                        if mode.tool == "ours" and record["outcome"] != "right":
                            print(f"    NOT RIGHT: {record}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
        running = [pool.submit(lane) for _ in range(lanes)]
        try:
            for future in running:
                future.result()
        except KeyboardInterrupt:  # the servers must be ended by those who started them
            print("stops after what is under way", flush=True)
            while not jobs.empty():
                jobs.get()
    return {
        "modes": [asdict(mode) for mode in modes],
        "versions": versions,
        "missing": missing,
        "records": records,
    }


def _nine(lane: Lane, tool: Tool, shell: str, found: list[dict]) -> None:
    for scenario in NINE:
        if scenario.name in tool.mode.skips:
            continue
        lane.script(scenario)
        with Room(lane, shell, scenario) as room:
            _enter(room, tool)
            found.append({"part": "nine", **_one(room, tool, scenario, LIMIT)})


def _enter(room: Room, tool: Tool) -> None:
    """The tool is shown the pane; what the scenario is about runs in it."""
    prepare = room.scenario.prepare if room.scenario else ""
    if not tool.mode.own_terminal:
        room.start()
        if prepare:
            room.type(prepare)
            room.see(room.prompt)
    opened = tool.ask("open", place=room.place)
    if opened.ok and prepare:
        opened = tool.ask("prepare", text=prepare)
    if not opened.ok:
        raise RuntimeError(f"cannot be opened: {opened.value}")


def _random(lane: Lane, tool: Tool, shell: str, seed: int, count: int, found: list[dict]) -> None:
    """One shell for all, as in life; a new one after whatever went wrong."""
    while len(found) < count:
        with Room(lane, shell) as room:
            _enter(room, tool)
            while len(found) < count:
                scenario = random_command(seed, shell, len(found))
                lane.script(scenario)
                record = _one(room, tool, scenario, RANDOM_LIMIT)
                found.append({"part": "random", "twin": scenario.twin, **record})
                if record["outcome"] != "right":
                    break
                time.sleep(SETTLED)


def _one(room: Room, tool: Tool, scenario: Scenario, limit: float) -> dict:
    room.forget()
    said = tool.ask("do", limit, text=scenario.text, timeout=limit)
    truth = room.truth(scenario.seconds + AFTER)
    lag = round((said.at - truth) / 1e6, 2) if truth else None
    outcome = (
        "failed"
        if truth is None or not said.ok
        else "timeout"
        if said.value == "timeout"
        else "early"
        if said.at < truth
        else "right"
    )
    record = {
        "mode": tool.mode.label,
        "shell": room.shell,
        "scenario": scenario.name,
        "word": said.value,
        "named": said.value == scenario.expected,
        "outcome": outcome,
        "lag_ms": lag,
    }
    return record | ({} if outcome == "right" else {"steps": scenario.steps})


def _tally(records: list[dict]) -> str:
    count = {
        word: sum(record["outcome"] == word for record in records)
        for word in ("right", "early", "timeout", "failed")
    }
    return ", ".join(
        f"{number} {word}" for word, number in count.items() if number or word == "right"
    )
