"""python3 -m tests.bench: measures this tool beside others; README.md here explains it."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

from . import machine, pages, results, tables
from .peers import Mode, chosen
from .venvs import python_for

SEED = 20261121
REFRESHED = "readiness,cost"  # what may change with each change of the code


def main() -> int:
    options = _parser().parse_args()
    if options.what == "picture":
        from .picture import draw

        print(f"wrote {draw()}")
    elif options.what == "reference":
        _write(results.load())
    elif options.what == "calls":
        from .calls import play

        return play(options.tree, talk=options.talk)
    elif options.what == "refresh":
        return _refresh(options)
    else:
        _measure(options.what, options)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m tests.bench", description=__doc__)
    parser.add_argument(
        "what",
        choices=(*results.MEASUREMENTS, "calls", "refresh", "reference", "picture"),
        help="see there",
    )
    parser.add_argument("--parts", default=REFRESHED, help=f"refresh: which ({REFRESHED})")
    parser.add_argument("--quick", action="store_true", help="a few minutes; bash only")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", help="tools, separated by commas: ours,emux,two captures")
    parser.add_argument("--count", type=int, help="random commands of ours in each shell ")
    parser.add_argument("--peers", type=int, help="the same for each peer")
    parser.add_argument(
        "--lanes", type=int, default=2, help="tools measured side by side, a tmux server each"
    )
    parser.add_argument("--tree", type=Path, help="calls: another work tree, whose tool is played")
    parser.add_argument("--talk", action="store_true", help="calls: print each one")
    return parser


def _refresh(options: argparse.Namespace) -> int:
    """Exit status 1 where a target is missed."""
    parts = tuple(options.parts.split(","))
    unknown = set(parts) - set(results.MEASUREMENTS)
    if unknown:
        raise SystemExit(f"--parts: {', '.join(unknown)}: not in {', '.join(results.MEASUREMENTS)}")
    options.only = results.OURS
    for part in parts:
        _measure(part, options)
    reference = results.load(parts)
    _write(reference)
    print(f"\n{pages.short(reference)}")
    if "readiness" not in parts:
        return 0
    problems = tables.missed(reference["readiness"])
    print(f"\n{tables.shells(reference['readiness'])}")
    print("\n".join(f"TARGET MISSED: {problem}" for problem in problems))
    return int(bool(problems))


def _write(reference: dict) -> None:
    results.write(reference)
    for path in [results.REFERENCE, *pages.write(reference)]:
        print(f"wrote {path}")


def _measure(what: str, options: argparse.Namespace) -> Path:
    command = f"python3 -m tests.bench {shlex.join(sys.argv[1:])}"
    facts = machine.facts(options.seed, command)
    began = time.monotonic()
    load = f"load {facts['load_at_start'][0]:.1f} on {facts['cores']} cores"
    print(f"{what}: seed {options.seed}, {load}", flush=True)
    modes, missing = _installed(chosen(options.only))
    figures = _figures(what, options, modes)
    figures.setdefault("missing", {}).update(missing)
    path = results.save(what, facts, **figures)
    print(f"{time.monotonic() - began:.0f} s; wrote {path}", file=sys.stderr)
    return path


def _figures(what: str, options: argparse.Namespace, modes: list[Mode]) -> dict:
    """One measurement; the numbers are those of `--quick` and of a whole run."""
    quick, count, peers = options.quick, options.count, options.peers
    if what == "readiness":
        from .readiness import measure as readiness

        ours, others = (10, 3) if quick else (100, 12)
        seed, lanes = options.seed, options.lanes
        return readiness(modes, seed, count or ours, peers or others, lanes, quick)
    from .cost import measure as cost

    return cost(modes, 6 if quick else 60, 20 if quick else 200, options.lanes)


def _installed(modes: list[Mode]) -> tuple[list[Mode], dict[str, str]]:
    """The modes whose tool can be had, and what pip says about the others."""
    missing: dict[str, str] = {}
    for package in dict.fromkeys(mode.package for mode in modes):
        try:
            python_for(package)
        except RuntimeError as problem:
            missing[package] = str(problem)
            print(f"NOT MEASURED: {problem}", flush=True)
    return [mode for mode in modes if mode.package not in missing], missing


if __name__ == "__main__":
    sys.exit(main())
