"""Result files: one JSON per measurement in results/ (not in git), all of them together in reference.json."""

from __future__ import annotations

import json
import os
import statistics
from pathlib import Path

from .machine import code

HERE = Path(__file__).parent
RESULTS = HERE / "results"
REFERENCE = HERE / "reference.json"
MEASUREMENTS = ("readiness", "delivery", "cost", "load", "opencode")


def save(measurement: str, machine: dict, **found: object) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{measurement}.json"
    path.write_text(
        dumps(
            {
                "machine": machine | {"load_at_end": list(os.getloadavg()), "code_at_end": code()},
                **found,
            }
        )
    )
    return path


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
            return (
                "[\n"
                + ",\n".join(pad + json.dumps(v, ensure_ascii=False) for v in o)
                + "\n"
                + " " * indent
                + "]"
            )
        return json.dumps(o, ensure_ascii=False)


def load(path: Path | None = None) -> dict:
    """`path`, or the reference with the newer results of this machine laid over it."""
    if path:
        return json.loads(path.read_text())
    found = json.loads(REFERENCE.read_text()) if REFERENCE.exists() else {}
    for name in MEASUREMENTS:
        own = RESULTS / f"{name}.json"
        if own.exists():
            found[name] = json.loads(own.read_text())
    return found


def spread(values: list[float]) -> dict:
    """Median, 99th percentile and worst."""
    if not values:
        return {"n": 0}
    p99 = (
        statistics.quantiles(values, n=100, method="inclusive")[98]
        if len(values) > 1
        else values[0]
    )
    three = {"median": statistics.median(values), "p99": p99, "worst": max(values)}
    return {"n": len(values)} | {name: round(value, 2) for name, value in three.items()}
