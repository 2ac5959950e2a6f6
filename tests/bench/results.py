"""Result files: one JSON per measurement in results/ (not in git), all of them in reference.json.

In the reference the rows of this project have the tool `ours`, and those of its last edition the
tool `before:`, so that one table shows both. Peers are measured seldom, ours after each change:
`renewed` puts new rows of ours beside the peers' old ones, and `machines` says where each comes
from.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterable
from pathlib import Path

from .machine import code

HERE = Path(__file__).parent
RESULTS = HERE / "results"
REFERENCE = HERE / "reference.json"
MEASUREMENTS = ("readiness", "cost")
_DRAWN = ("part", "mode", "shell", "scenario", "outcome", "twin", "named")  # and lag_ms
OURS, BEFORE, PEERS = "ours", "before:", "peers"


def save(measurement: str, machine: dict, **figures: object) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{measurement}.json"
    end = {"load_at_end": list(os.getloadavg()), "code_at_end": code()}
    path.write_text(dumps({"machine": machine | end, **figures}))
    return path


def load(measurements: tuple[str, ...] = MEASUREMENTS) -> dict:
    """The reference, with this machine's newer results of `measurements` put into it."""
    reference = json.loads(REFERENCE.read_text())
    for part in reference.values():
        if "records" in part:
            part["records"] = [
                {**one, "lag_ms": lag} for one in part["records"] for lag in one["lag_ms"]
            ]
    for name in measurements:
        own = RESULTS / f"{name}.json"
        if own.exists():
            reference[name] = renewed(reference[name], json.loads(own.read_text()))
    return reference


def renewed(old: dict, new: dict) -> dict:
    """A part of the reference, its rows of ours (and the peers', where `new` has any) replaced."""
    machine = new.pop("machine")
    tools = set(new.get("versions", ()))
    measured = dict.fromkeys([OURS, PEERS] if tools - {OURS} else [OURS], machine)
    part = old | new | {"machines": measured | _without(old["machines"], measured)}
    if tools:
        part["versions"] = old["versions"] | new["versions"]

    def stays(label: str) -> bool:
        """`label`: a tool, or a tool and its way to wait."""
        return not any(label == tool or label.startswith(f"{tool} ") for tool in tools)

    if "modes" in new:
        part["modes"] = new["modes"] + [mode for mode in old["modes"] if stays(mode["tool"])]
    if "records" in new:
        kept = [one for one in old["records"] if stays(one.get("mode") or one["tool"])]
        part["records"] = new["records"] + kept
    if "tools" in new:
        rows = {label: row for label, row in old["tools"].items() if stays(label)}
        part["tools"] = new["tools"] | rows
    return part


def _without(machines: dict, names: Iterable[str]) -> dict:
    return {name: machine for name, machine in machines.items() if name not in names}


def write(reference: dict) -> None:
    """The reference: what is drawn of a record, and those that differ in nothing but `lag_ms` are
    one, with a list of those."""
    small = {}
    for name, part in reference.items():
        small[name] = dict(part)
        groups: dict[str, dict] = {}
        for one in part.get("records", ()):
            rest = {key: one.get(key) for key in _DRAWN if one.get(key) is not None}
            if one["part"] == "random":  # each is another program
                rest["scenario"] = "random"
            group = groups.setdefault(json.dumps(rest), {**rest, "lag_ms": []})
            group["lag_ms"].append(one.get("lag_ms"))
        if groups:
            small[name]["records"] = list(groups.values())
    REFERENCE.write_text(dumps(small))


def dumps(value: object) -> str:
    """Indented, but a list of numbers, and each record of a list, on one line."""
    return _Compact(ensure_ascii=False).encode(value) + "\n"


class _Compact(json.JSONEncoder):
    def encode(self, o: object, indent: int = 0) -> str:
        pad = " " * (indent + 1)
        if isinstance(o, dict) and any(isinstance(v, (dict, list)) for v in o.values()):
            inner = ",\n".join(
                f"{pad}{json.dumps(k, ensure_ascii=False)}: {self.encode(v, indent + 1)}"
                for k, v in o.items()
            )
            return "{\n" + inner + "\n" + " " * indent + "}"
        if isinstance(o, list) and any(isinstance(v, (dict, list)) for v in o):
            inner = ",\n".join(pad + json.dumps(v, ensure_ascii=False) for v in o)
            return "[\n" + inner + "\n" + " " * indent + "]"
        return json.dumps(o, ensure_ascii=False)


def spread(values: list[float]) -> dict:
    """Median, 99th percentile and worst."""
    if not values:
        return {"n": 0}
    p99 = values[0]
    if len(values) > 1:
        p99 = statistics.quantiles(values, n=100, method="inclusive")[98]
    three = {"median": statistics.median(values), "p99": p99, "worst": max(values)}
    return {"n": len(values)} | {name: round(value, 2) for name, value in three.items()}
