"""python3 -m tests.bench readiness | delivery | cost | load | opencode | figures | reference"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

from . import machine, results
from .peers import Mode, chosen
from .venvs import python_for

SEED = 20261121


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python3 -m tests.bench", description="Measures this tool beside others; see README."
    )
    parser.add_argument(
        "what",
        choices=(*results.MEASUREMENTS, "figures", "reference", "picture"),
        help="figures prints the README's section; reference writes reference.json and .svg from results/",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a few minutes: fewer commands, bash only"
    )
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--only",
        help="tools, parted by commas: ours,tmux-cli,libtmux-mcp,mcp-tmux,emux,pexpect,two captures",
    )
    parser.add_argument(
        "--count",
        type=int,
        help="random commands of ours in each shell (texts, turns, a caller's calls)",
    )
    parser.add_argument("--peers", type=int, help="the same for each peer")
    parser.add_argument(
        "--lanes",
        type=int,
        default=2,
        help="tools measured side by side, each with a tmux server of its own",
    )
    parser.add_argument(
        "--file", type=Path, help="figures: this JSON, not the reference and results/"
    )
    asked = parser.parse_args()
    if asked.what == "picture":
        from .picture import draw

        print(f"wrote {draw()}")
    elif asked.what == "figures":
        from .figures import markdown

        print(markdown(results.load(asked.file)), end="")
    elif asked.what == "reference":
        from .chart import svg

        found = results.load()
        results.REFERENCE.write_text(results.dumps(found))
        results.REFERENCE.with_suffix(".svg").write_text(svg(found["readiness"]))
        print(f"wrote {results.REFERENCE} and {results.REFERENCE.with_suffix('.svg')}")
    else:
        _measure(asked)


def _measure(asked: argparse.Namespace) -> None:
    where, began = (
        machine.facts(asked.seed, f"python3 -m tests.bench {shlex.join(sys.argv[1:])}"),
        time.monotonic(),
    )
    print(
        f"seed {asked.seed}, load {where['load_at_start'][0]:.1f} on {where['cores']} cores",
        flush=True,
    )
    modes, missing = (
        _installed(chosen(asked.only)) if asked.what not in ("load", "opencode") else ([], {})
    )
    if asked.what == "readiness":
        from .readiness import measure

        found = measure(
            modes,
            asked.seed,
            asked.count or (10 if asked.quick else 100),
            asked.peers or (3 if asked.quick else 12),
            asked.lanes,
            asked.quick,
        )
    elif asked.what == "delivery":
        from .delivery import measure

        found = measure(
            modes,
            asked.seed,
            asked.count or (100 if asked.quick else 2000),
            asked.peers or (20 if asked.quick else 100),
        )
    elif asked.what == "cost":
        from .cost import measure

        found = measure(modes, 6 if asked.quick else 60, 20 if asked.quick else 200, asked.lanes)
    elif asked.what == "load":
        from .load import measure

        found = measure(asked.count or (10 if asked.quick else 50), 20.0 if asked.quick else 600.0)
    else:
        from .opencode import measure

        found = measure(asked.count or (2 if asked.quick else 10))
    found.setdefault("missing", {}).update(missing)
    path = results.save(asked.what, where, **found)
    print(f"{time.monotonic() - began:.0f} s; wrote {path}", file=sys.stderr)


def _installed(modes: list[Mode]) -> tuple[list[Mode], dict[str, str]]:
    """The modes whose tool can be had, and what pip said about the others. All before anything is measured."""
    missing: dict[str, str] = {}
    for package in dict.fromkeys(mode.package for mode in modes):
        try:
            python_for(package)
        except RuntimeError as problem:
            missing[package] = str(problem)
            print(f"NOT MEASURED: {problem}", flush=True)
    return [mode for mode in modes if mode.package not in missing], missing


if __name__ == "__main__":
    main()
