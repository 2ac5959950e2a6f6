"""The README's section, made from the JSON: what stands there was measured."""

from __future__ import annotations

from collections.abc import Iterable

from .results import spread


def markdown(found: dict) -> str:
    parts = ["## Figures\n"]
    sections = {
        "readiness": _readiness,
        "delivery": _delivery,
        "cost": _cost,
        "load": _load,
        "opencode": _opencode,
    }
    for name, section in sections.items():
        if name in found:
            parts.append(section(found[name]) + f"\n\n{_where(found[name])}\n")
    parts.append(_NOT_COVERED)
    return "\n".join(parts)


_NOT_COVERED = """Not covered: terminals inside ssh or docker, other systems than Linux, peers that are not on PyPI, a model's
own time. The peers were driven by their Python functions, without their transports. A pattern told beforehand is knowledge
that an agent often lacks; a typed sentinel leaves a line in the person's terminal; both are counted as if they cost nothing.
"""


def _where(part: dict) -> str:
    machine = part["machine"]
    load = f"{machine['load_at_start'][0]:.1f} to {machine['load_at_end'][0]:.1f}"
    missing = "".join(
        f" Not measured: {label}: {why}." for label, why in part.get("missing", {}).items()
    )
    if machine.get("code_at_end") != machine.get("code"):
        missing += " The code under measurement changed during this run."
    versions = ", ".join(
        f"{tool} {version}" for tool, version in part.get("versions", {}).items() if version
    )
    return (
        f"`{machine['command']}` (seed {machine['seed']}); {machine['versions']['tmux']}, Python {machine['python']}, "
        f"{machine['cores']} cores ({machine['cpu']}), load {load}, {machine['date']}{versions and '; '}{versions}.{missing}"
    )


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def readiness_rows(part: dict, which: str = "") -> list[dict]:
    """One row for each way to wait: E, T, F, how many of E printed the shell's exact prompt, and the lag of right answers."""
    rows = []
    for mode in part["modes"]:
        label = f"{mode['tool']} {mode['name']}"
        records = [r for r in part["records"] if r["mode"] == label and r["part"].startswith(which)]
        if not records:
            continue
        asked = [r for r in records if r["scenario"] in ("yn", "pw", "tui")]
        count = {
            word: sum(r["outcome"] == word for r in records)
            for word in ("early", "timeout", "failed")
        }
        rows.append(
            {
                "label": label,
                "signal": mode["signal"],
                "n": len(records),
                "E": count["early"],
                "T": count["timeout"],
                "F": count["failed"],
                "twins": sum(r["outcome"] == "early" and r.get("twin", False) for r in records),
                "skips": mode["skips"],
                "lag": spread([r["lag_ms"] for r in records if r["outcome"] == "right"]),
                "named": "told"
                if "question" in label
                else f"{sum(r['named'] for r in asked)} of {len(asked)}",
            }
        )
    return rows


def _lag(lag: dict) -> list[str]:
    return [f"{lag[key]:.0f}" if lag["n"] else "–" for key in ("median", "p99", "worst")]


def _readiness(part: dict) -> str:
    nine, dice = readiness_rows(part, "nine"), readiness_rows(part, "random")
    text = (
        _WHOSE_TURN
        + f"Nine scenarios ({_ran(nine)}):\n\n"
        + _table(
            ("way to wait", "goes by", "E", "T", "F", "named", "median", "p99", "worst"),
            (
                (r["label"], r["signal"], r["E"], r["T"], r["F"], r["named"], *_lag(r["lag"]))
                for r in nine
            ),
        )
    )
    text += _RANDOM + _table(
        ("way to wait", "commands", "E", "T", "F", "median", "p99", "worst"),
        (
            (
                r["label"],
                r["n"],
                f"{r['E']} ({r['twins']})" if r["E"] else 0,
                r["T"],
                r["F"],
                *_lag(r["lag"]),
            )
            for r in dice
        ),
    )
    shells = [
        (
            shell,
            spread(
                [
                    r["lag_ms"]
                    for r in part["records"]
                    if r["mode"].startswith("ours")
                    and r["shell"] == shell
                    and r["outcome"] == "right"
                ]
            ),
        )
        for shell in ("bash", "zsh", "fish", "dash")
    ]
    text += (
        "\n\nOurs by shell: "
        + "; ".join(
            f"{shell} median {lag['median']:.0f} ms, worst {lag['worst']:.0f}"
            for shell, lag in shells
            if lag["n"]
        )
        + "."
    )
    skipped = [
        f"{m['tool']} {m['name']} in {', '.join(m['skips'])}" for m in part["modes"] if m["skips"]
    ]
    return text + f"\nNot asked, because their documentation rules it out: {'; '.join(skipped)}."


_WHOSE_TURN = """### Whose turn is it?

![how late, and how often wrong](tests/bench/reference.svg)

E: said "ready" before the program was. T: 12 s (20 s) ran out. F: the command never ran, or an error. Lag: milliseconds from
the moment that the program itself noted to a right answer. *Named*: question, password and pager told apart.

"""
_RANDOM = """

Random commands in bash, zsh, fish and dash (prints, prompt look-alikes, silences, busy loops, progress bars, clears, partial
lines); in brackets those that printed the shell's exact prompt:

"""


def _ran(rows: list[dict]) -> str:
    return (
        f"ours in four shells, {rows[0]['n']} runs; the others in bash"
        if rows and rows[0]["n"] > 9
        else "in bash"
    )


def _delivery(part: dict) -> str:
    rows = []
    for tool in dict.fromkeys(r["tool"] for r in part["records"]):
        records = [r for r in part["records"] if r["tool"] == tool]
        exact = {
            which: [r["exact"] for r in records if r["part"] == which]
            for which in ("hard", "random")
        }
        lost = (
            ", ".join(r["text"] for r in records if r["part"] == "hard" and not r["exact"]) or "–"
        )
        rows.append(
            (
                tool,
                f"{sum(exact['hard'])} of {len(exact['hard'])}",
                f"{sum(exact['random'])} of {len(exact['random'])}",
                sum(r["said_ok"] and not r["exact"] for r in records),
                lost,
            )
        )
    return (
        "### Is what arrives what was sent?\n\nText and one Enter into a program that reads raw bytes.\n\n"
        + _table(
            ("tool", "13 hard strings", "random", "said sent, was not", "lost or changed"), rows
        )
    )


_WAITS = ("sleep", "a line every 0.2 s")


def _cost(part: dict) -> str:
    def call(value: dict | None) -> str:
        return f"{value['median']:.1f}" if value and value.get("n") else "–"

    def share(row: dict, name: str) -> str:
        return f"{row['cpu_percent'][name]:.1f} %" if "cpu_percent" in row else "–"

    rows = [
        (
            label,
            *(share(row, name) for name in _WAITS),
            call(row.get("read_ms")),
            call(row.get("send_ms")),
            row.get("run_per_second") or "–",
        )
        for label, row in part["tools"].items()
    ]
    rows.append(
        ("tmux itself", "–", "–", call(part["tmux"]["read"]), call(part["tmux"]["send"]), "–")
    )
    return (
        "### What does waiting cost?\n\nPer cent of one core, caller, children and tmux server together, over "
        f"{part['seconds']} s; one call in milliseconds (median).\n\n"
        + _table(
            (
                "way to wait",
                *(f"on {name}" for name in _WAITS),
                "read",
                "send",
                "commands a second",
            ),
            rows,
        )
    )


def _load(part: dict) -> str:
    rows = [
        (
            count,
            f"{row['ran_once']} of {row['commands']}",
            f"{row['own_output']} of {row['commands']}",
            row["per_second"],
        )
        for count, row in part["panes"].items()
    ]
    wait = part["wait"]
    return (
        f"### Many at once, and for long\n\n{part['callers']} callers, half of them threads and half processes, "
        f"{part['each']} commands each (`run`).\n\n"
        + _table(("panes", "ran exactly once", "own output, whole", "commands a second"), rows)
        + f"\n\nOne `run` of {wait['seconds']:.0f} s: *{wait['verdict']}* {wait['lag_ms']} ms after its end, "
        f"{wait['cpu_percent']} % of a core, resident memory {wait['resident_kb'][0] / 1024:.1f} MB at the start, "
        f"{wait['resident_kb'][1] / 1024:.1f} at most, {wait['resident_kb'][2] / 1024:.1f} at the end, descriptors "
        f"{wait['descriptors'][0]}, {wait['descriptors'][1]} and {wait['descriptors'][2]}."
    )


def _opencode(part: dict) -> str:
    def two(value: dict) -> str:
        return f"{value['median']:.2f} / {value['worst']:.2f}" if value["n"] else "–"

    names = ("start", "noticed", "interrupt", "exit")
    rows = [
        (
            channel,
            *(f"{row[key]} of {row['turns']}" for key in ("exact", "same_words")),
            *(two(row[key]) for key in names),
        )
        for channel, row in part["channels"].items()
    ]
    if part.get("by_hand"):
        rows.append(("none: started by hand", "–", "–", two(part["by_hand"]), "–", "–", "–"))
    return (
        f"### OpenCode {part['version']}\n\nSeconds, median / worst; *noticed*: from the model's last token to the answer "
        "in hand.\n\n"
        + _table(("channel", "exact answers", "exact but for line breaks", *names), rows)
    )
