"""Result files: what was measured last in results/ (not in git), what is drawn in reference.json.

Peers are measured seldom, ours (the tool `ours`) after each change: `renewed` puts new rows of ours
beside the peers' old ones, and `machines` says where each comes from.
"""

from __future__ import annotations

import json
import os
import statistics
from pathlib import Path

HERE = Path(__file__).parent
RESULT = HERE / "results/readiness.json"
REFERENCE = HERE / "reference.json"
_DRAWN = ("part", "mode", "shell", "scenario", "outcome", "twin", "named")  # and lag_ms
OURS, PEERS = "ours", "peers"


def save(machine: dict, **figures: object) -> Path:
    RESULT.parent.mkdir(exist_ok=True)
    end = {"load_at_end": list(os.getloadavg())}
    RESULT.write_text(json.dumps({"machine": machine | end, **figures}))
    return RESULT


def load() -> dict:
    """The reference, with this machine's newer results put into it."""
    reference = json.loads(REFERENCE.read_text())
    records = reference["records"]
    reference["records"] = [{**one, "lag_ms": lag} for one in records for lag in one["lag_ms"]]
    return renewed(reference, json.loads(RESULT.read_text())) if RESULT.exists() else reference


def renewed(old: dict, new: dict) -> dict:
    """The reference, its rows of ours (and the peers', where `new` has any) replaced."""
    machine = new.pop("machine")
    tools = set(new["versions"])
    measured = dict.fromkeys([OURS, PEERS] if tools - {OURS} else [OURS], machine)
    kept = {name: one for name, one in old["machines"].items() if name not in measured}

    def stays(label: str) -> bool:
        """`label`: a tool, or a tool and its way to wait."""
        return not any(label == tool or label.startswith(f"{tool} ") for tool in tools)

    return old | {
        "machines": measured | kept,
        "missing": new["missing"],
        "versions": old["versions"] | new["versions"],
        "modes": new["modes"] + [mode for mode in old["modes"] if stays(mode["tool"])],
        "records": new["records"] + [one for one in old["records"] if stays(one["mode"])],
    }


def write(reference: dict) -> None:
    """What is drawn of a record; those that differ in nothing but `lag_ms` are one, with a list."""
    groups: dict[str, dict] = {}
    for one in reference["records"]:
        rest = {key: one[key] for key in _DRAWN if one.get(key) is not None}
        if one["part"] == "random":  # each is another program
            rest["scenario"] = "random"
        group = groups.setdefault(json.dumps(rest), {**rest, "lag_ms": []})
        group["lag_ms"].append(one.get("lag_ms"))
    rows = (f"  {json.dumps(row, ensure_ascii=False)}" for row in groups.values())
    facts = {name: value for name, value in reference.items() if name != "records"}
    head = json.dumps(facts, ensure_ascii=False, indent=1).removesuffix("\n}")
    REFERENCE.write_text(head + ',\n "records": [\n' + ",\n".join(rows) + "\n ]\n}\n")


def spread(values: list[float]) -> dict:
    """Median, 99th percentile and worst."""
    if not values:
        return {"n": 0}
    p99 = values[0]
    if len(values) > 1:
        p99 = statistics.quantiles(values, n=100, method="inclusive")[98]
    three = {"median": statistics.median(values), "p99": p99, "worst": max(values)}
    return {"n": len(values)} | {name: round(value, 2) for name, value in three.items()}
