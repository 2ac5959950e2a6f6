"""Readiness: when each tool reports a turn, against the moment that the program itself recorded.

Early: an answer before that moment. Timeout: the limit ran out. Failed: the command never ran, or
the tool raised an error. The rest is right, and late by its lag.
"""

import concurrent.futures
import time
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import repeat

from .lane import Lane, Room
from .peers import Mode
from .scenarios import NINE, SHELLS, Scenario, random_command
from .tool import Reply, Tool

OWN = ("ours", "limit")  # measured in all shells, and often
LANES = 1  # tools measured side by side, a tmux server each: with two, a machine of two cores is not idle
COUNTS = {False: (100, 12), True: (10, 3)}  # random commands of ours, of a peer; quick
LIMIT = 12.0  # seconds a tool may wait in one of the nine scenarios
RANDOM_LIMIT = 20.0  # in a random command; the longest takes about 7
AFTER = 3.0  # seconds beyond a scenario's length in which its program must have noted the truth
SETTLED = 0.25  # seconds before the next random command: every shell then shows its prompt


@dataclass(frozen=True, kw_only=True)
class Job:
    """One part (`nine` or `random`) of one way to wait in one shell; `count`: random commands."""

    mode: Mode
    shell: str
    part: str
    count: int

    @property
    def label(self) -> str:
        return f"{self.mode.label}, {self.shell}, {self.part}"


def measure(modes: list[Mode], seed: int, quick: bool) -> dict:
    jobs = _jobs(modes, quick)
    figures: dict = {"versions": {}, "missing": {}, "records": []}
    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        for number, (job, done) in enumerate(zip(jobs, pool.map(_play, jobs, repeat(seed)), strict=False), 1):
            figures["records"] += done["records"]
            for name in ("versions", "missing"):
                figures[name] |= done[name]
            print(f"[{number}/{len(jobs)}] {job.label}: {_tally(done['records'])}", flush=True)
            for record in done["records"]:
                if job.mode.tool == "ours" and record["outcome"] != "right":
                    print(f"    NOT RIGHT: {record}", flush=True)
    return {"modes": [asdict(mode) for mode in modes], **figures}


def _jobs(modes: list[Mode], quick: bool) -> list[Job]:
    ours, peers = COUNTS[quick]
    return [
        Job(mode=mode, shell=shell, part=part, count=ours if mode.tool in OWN else peers)
        for mode in modes
        for shell in (SHELLS[:1] if quick else SHELLS)
        for part in ("nine", "random")
        if shell not in mode.skips
        and (part == "nine" or not mode.nine_only)
        and (part == "random" or shell == "bash" or mode.tool in OWN)
    ]


def _play(job: Job, seed: int) -> dict:
    """The job's records: what was measured stays, whatever ends the rest."""
    records: list[dict] = []
    versions, missing = {}, {}
    try:
        with Lane() as lane, Tool(lane, job.mode) as tool:
            versions[job.mode.tool] = tool.version
            if job.part == "nine":
                _nine(lane, tool, job.shell, records)
            else:
                _random(lane, tool, job, seed, records)
    except (RuntimeError, AssertionError) as problem:
        missing[f"{job.label}, after {len(records)}"] = str(problem)
        print(f"    BROKEN OFF: {problem}", flush=True)
    return {"records": records, "versions": versions, "missing": missing}


def _nine(lane: Lane, tool: Tool, shell: str, records: list[dict]) -> None:
    for scenario in NINE:
        if scenario.name in tool.mode.skips:
            continue
        lane.store(scenario)
        with Room(lane, shell, scenario) as room:
            _enter(room, tool)
            records.append({"part": "nine", **_one(room, tool, scenario, LIMIT)})


def _enter(room: Room, tool: Tool) -> None:
    """The tool is shown the pane; what the scenario is about runs in it."""
    room.begin()
    if prepare := room.scenario.prepare if room.scenario else "":
        room.type(prepare)
        room.shows(room.prompt)
    opened = tool.ask("open", place=room.place)
    if not opened.ok:
        raise RuntimeError(f"cannot be opened: {opened.value}")


def _random(lane: Lane, tool: Tool, job: Job, seed: int, records: list[dict]) -> None:
    """One shell for all, as in life; a new one after whatever went wrong."""
    while len(records) < job.count:
        with Room(lane, job.shell) as room:
            _enter(room, tool)
            while len(records) < job.count:
                scenario = random_command(seed, job.shell, len(records))
                lane.store(scenario)
                record = _one(room, tool, scenario, RANDOM_LIMIT)
                records.append({"part": "random", "twin": scenario.twin, **record})
                if record["outcome"] != "right":
                    break
                time.sleep(SETTLED)


def _one(room: Room, tool: Tool, scenario: Scenario, limit: float) -> dict:
    room.truth.unlink(missing_ok=True)
    reply = tool.ask("do", limit, text=scenario.text, timeout=limit)
    truth = room.noted(scenario.seconds + AFTER)
    outcome = _outcome(reply, truth)
    record = {
        "mode": tool.mode.label, "shell": room.shell, "scenario": scenario.name, "word": reply.value,
        "named": reply.value == scenario.expected, "outcome": outcome,
        "lag_ms": round((reply.at - truth) / 1e6, 2) if truth else None,
    }
    return record | ({} if outcome == "right" else {"steps": scenario.steps})


def _outcome(reply: Reply, truth: int | None) -> str:
    if truth is None or not reply.ok:
        return "failed"
    if reply.value == "timeout":
        return "timeout"
    return "early" if reply.at < truth else "right"


def _tally(records: list[dict]) -> str:
    count = Counter({"right": 0})
    count.update(record["outcome"] for record in records)
    return ", ".join(f"{number} {word}" for word, number in count.items())
