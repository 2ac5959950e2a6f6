"""Tables of the figures, made from the JSON: every number in them was measured."""

from collections.abc import Iterable

from .results import OURS, PEERS, spread
from .scenarios import SHELLS

TARGETS = {"bash": (10, 30), "zsh": (10, 30), "fish": (16, 35), "dash": (14, 30)}  # median, p99
_IN_README = (  # each peer's own way to wait where nothing is given beforehand
    "ours run",
    "limit asleep, one call of tmux",
    "tmux-cli wait_idle 2 s",
    "libtmux-mcp wait_for_text",
    "mcp-tmux wait_for_idle",
    "emux ask",
)

_COUNTS = ("early", "timeout", "failed")
_HEADS = {"label": "way to wait", "signal": "goes by", "n": "runs"}


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def conditions(part: dict) -> str:
    names = {OURS: "Ours and the limit", PEERS: "Peers"}
    return "\n".join(
        f"- {names[group]}: {_condition(part, group, machine)}" for group, machine in part["machines"].items()
    )


def _condition(part: dict, group: str, machine: dict) -> str:
    load = f"load {machine['load_at_start'][0]:.1f} to {machine['load_at_end'][0]:.1f}"
    notes = []
    if group == PEERS:
        notes += [f"{tool} {number}" for tool, number in part.get("versions", {}).items() if number]
    if group == OURS:
        missing = part.get("missing", {})
        notes += [f"not measured: {label}: {reason}" for label, reason in missing.items()]
    commit = f"commit {machine['commit']}, " if machine.get("commit") else ""
    facts = (
        f"`{machine['command']}` (seed {machine['seed']}); {commit}{machine['date']}; "
        f"{machine['versions']['tmux']}, Python {machine['python']}, {machine['cores']} cores "
        f"({machine['cpu']}), {load}"
    )
    return "; ".join([facts, *notes]) + "."


def readiness_rows(part: dict, which: str = "") -> list[dict]:
    """One row for each way to wait: counts of early, timeout and failed, how many early ones had
    the shell's exact prompt printed (`twins`), and the lag of right answers, milliseconds."""
    rows = []
    for mode in part["modes"]:
        label = f"{mode['tool']} {mode['name']}"
        records = [r for r in part["records"] if r["mode"] == label and r["part"].startswith(which)]
        if records:
            rows.append(_row(mode, label, records))
    return rows


def _row(mode: dict, label: str, records: list[dict]) -> dict:
    asked = [r for r in records if r["scenario"] in ("yn", "pw", "tui")]
    outcomes = [r["outcome"] for r in records]
    given = "question" in label
    return {
        "label": label, "signal": mode["signal"], "n": len(records), "early": outcomes.count("early"),
        "timeout": outcomes.count("timeout"), "failed": outcomes.count("failed"),
        "twins": sum(r["outcome"] == "early" and r.get("twin", False) for r in records),
        "lag": spread([r["lag_ms"] for r in records if r["outcome"] == "right"]),
        "named": "given" if given else f"{sum(r['named'] for r in asked)} of {len(asked)}",
    }


def lag(value: dict) -> list[str]:
    keys = ("median", "p99", "worst")
    return [f"{value[key]:.0f}" if value["n"] else "–" for key in keys]


def nine(part: dict) -> str:
    return _readiness(part, "nine", ("label", "signal", "n", *_COUNTS, "named"))


def random(part: dict) -> str:
    return _readiness(part, "random", ("label", "n", *_COUNTS))


def _readiness(part: dict, which: str, keys: tuple[str, ...]) -> str:
    rows = readiness_rows(part, which)
    for row in rows:
        if row["twins"]:
            row["early"] = f"{row['early']} ({row['twins']})"
    head = [_HEADS.get(key, key) for key in keys]
    cells = ([*(row[key] for key in keys), *lag(row["lag"])] for row in rows)
    return table((*head, "median", "p99", "worst"), cells)


def shells(part: dict) -> str:
    rows = []
    for shell in SHELLS:
        ours = shell_lag(part, shell)
        rows.append((shell, ours["n"], *lag(ours), " / ".join(map(str, TARGETS[shell]))))
    return table(("shell", "answers", "median", "p99", "worst", "target"), rows)


def shell_lag(part: dict, shell: str) -> dict:
    right = [one for one in part["records"] if one["outcome"] == "right" and one["shell"] == shell]
    return spread([one["lag_ms"] for one in right if one["mode"].startswith(f"{OURS} ")])


def missed(part: dict) -> list[str]:
    problems = []
    for shell, (median, p99) in TARGETS.items():
        ours = shell_lag(part, shell)
        if not ours["n"]:
            problems.append(f"{shell}: not measured")
        elif ours["median"] > median or ours["p99"] > p99:
            got = f"median {ours['median']:.0f}, p99 {ours['p99']:.0f}"
            problems.append(f"{shell}: {got} ms; the target is {median}, {p99}")
    return problems


def skipped(part: dict) -> str:
    modes = [mode for mode in part["modes"] if mode["skips"]]
    return "; ".join(f"{one['tool']} {one['name']} in {', '.join(one['skips'])}" for one in modes)


def short(part: dict) -> str:
    rows = []
    for row in readiness_rows(part):
        if row["label"] in _IN_README:
            early, never = f"{row['early']} of {row['n']}", row["timeout"] + row["failed"]
            rows.append((row["label"], row["signal"], early, never, *lag(row["lag"])[:2]))
    return table(("way to wait", "goes by", "early", "never", "median, ms", "p99"), rows)
