"""reference.json: what was measured where, and all that is drawn.

Peers are measured seldom, ours (the tool `ours`) after each change: `renewed` puts new rows of ours
beside the peers' old ones, and `machines` says where each comes from.
"""

import json
import os
import platform
import statistics
import time
from pathlib import Path

from tests.support.run import run

HERE = Path(__file__).parent
REFERENCE = HERE / "reference.json"
_DRAWN = ("part", "mode", "shell", "scenario", "outcome", "twin", "named")  # and lag_ms
OURS, LIMIT, PEERS = "ours", "limit", "peers"


def machine(seed: int, command: str) -> dict:
    return {
        "command": command, "seed": seed, "commit": _said("git", "-C", str(HERE), "rev-parse", "--short", "HEAD"),
        "date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(),
        "cpu": _said("sh", "-c", "sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo"),
        "python": platform.python_version(), "load_at_start": list(os.getloadavg()),
        "versions": {"tmux": _said("tmux", "-V")},
    }


def _said(*command: str) -> str:
    return run(*command).stdout.partition("\n")[0].strip()


def load() -> dict:
    reference = json.loads(REFERENCE.read_text())
    records = reference["records"]
    reference["records"] = [{**one, "lag_ms": lag} for one in records for lag in one["lag_ms"]]
    return reference


def renewed(old: dict, machine: dict, new: dict) -> dict:
    """The reference, the rows of the tools in `new` replaced."""
    machine["load_at_end"] = list(os.getloadavg())
    tools = set(new["versions"])
    measured = {OURS if tool in (OURS, LIMIT) else PEERS: machine for tool in tools}

    def stays(label: str) -> bool:
        """`label`: a tool, or a tool and its way to wait."""
        return not any(label == tool or label.startswith(f"{tool} ") for tool in tools)

    return old | {
        "machines": old["machines"] | measured, "missing": new["missing"],
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
        groups.setdefault(json.dumps(rest), {**rest, "lag_ms": []})["lag_ms"].append(one.get("lag_ms"))
    rows = (f"  {json.dumps(row, ensure_ascii=False)}" for row in groups.values())
    facts = {name: value for name, value in reference.items() if name != "records"}
    head = json.dumps(facts, ensure_ascii=False, indent=1).removesuffix("\n}")
    REFERENCE.write_text(head + ',\n "records": [\n' + ",\n".join(rows) + "\n ]\n}\n")


def spread(values: list[float]) -> dict:
    if not values:
        return {"n": 0}
    p99 = values[0]
    if len(values) > 1:
        p99 = statistics.quantiles(values, n=100, method="inclusive")[98]
    three = {"median": statistics.median(values), "p99": p99, "worst": max(values)}
    return {"n": len(values)} | {name: round(value, 2) for name, value in three.items()}
