"""python3 -m tests.bench: measures this tool beside others; README.md here explains it."""

from __future__ import annotations

import argparse
import shlex
import sys
import time

from tests.support import surroundings

from . import machine, pages, results, tables
from .peers import Mode, chosen
from .readiness import measure
from .venvs import python_for

SEED = 20261121


def main() -> int:
    surroundings.enter()
    options = _parser().parse_args()
    if options.what == "reference":
        _write(results.load())
    elif options.what == "calls":
        from .calls import play

        return play(talk=options.talk)
    elif options.what == "refresh":
        return _refresh(options)
    else:
        _measure(options)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m tests.bench", description=__doc__)
    parser.add_argument(
        "what", choices=("readiness", "calls", "refresh", "reference"), help="see there"
    )
    parser.add_argument("--quick", action="store_true", help="a few minutes; bash only")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", help="tools, separated by commas: ours,emux,two captures")
    parser.add_argument("--talk", action="store_true", help="calls: print each one")
    return parser


def _refresh(options: argparse.Namespace) -> int:
    """Exit status 1 where a target is missed."""
    options.only = results.OURS
    _measure(options)
    reference = results.load()
    _write(reference)
    problems = tables.missed(reference)
    print(f"\n{pages.short(reference)}\n\n{tables.shells(reference)}")
    print("\n".join(f"TARGET MISSED: {problem}" for problem in problems))
    return int(bool(problems))


def _write(reference: dict) -> None:
    results.write(reference)
    for path in [results.REFERENCE, *pages.write(reference)]:
        print(f"wrote {path}")


def _measure(options: argparse.Namespace) -> None:
    """Into results/."""
    facts = machine.facts(options.seed, f"python3 -m tests.bench {shlex.join(sys.argv[1:])}")
    began = time.monotonic()
    load = f"load {facts['load_at_start'][0]:.1f} on {facts['cores']} cores"
    print(f"seed {options.seed}, {load}", flush=True)
    modes, missing = _installed(chosen(options.only))
    figures = measure(modes, options.seed, options.quick)
    figures["missing"].update(missing)
    path = results.save(facts, **figures)
    print(f"{time.monotonic() - began:.0f} s; wrote {path}", file=sys.stderr)


def _installed(modes: list[Mode]) -> tuple[list[Mode], dict[str, str]]:
    """The modes whose tool can be installed, and pip's error for the others."""
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
