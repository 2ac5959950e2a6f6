"""python3 -m tests.bench: measures this tool beside others; README.md here explains it."""

import argparse
import shlex
import sys
import time

from tests.support import surroundings

from . import calls, growth, keys, limits, page, pages, results, tables
from .peers import Mode, chosen
from .readiness import measure
from .tool import python_for

SEED = 20261121


def main() -> int:
    surroundings.enter()
    parser = argparse.ArgumentParser(prog="python3 -m tests.bench", description=__doc__)
    kinds = ("all", "refresh", "calls", "keys", "growth", "limits", "page")
    parser.add_argument("what", choices=kinds, nargs="?", default="all", help="see there")
    parser.add_argument("--quick", action="store_true", help="a few minutes, nothing is written")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", default=f"{results.OURS},{results.LIMIT}", help="tools: emux,tmux-cli")
    parser.add_argument("--talk", action="store_true", help="calls, keys: print each one")
    options = parser.parse_args()
    if options.what == "calls":
        return calls.play(talk=options.talk)
    if options.what == "limits":
        _renew("limits", limits.play(quick=options.quick), options)
    failed = 0
    for name, kind in {"keys": keys, "growth": growth, "page": page}.items():
        if options.what in (name, "all"):
            _renew(name, kind.play(talk=options.talk), options)
    if options.what in ("refresh", "all"):
        failed = _refresh(options)
    return failed


def _renew(name: str, section: str, options: argparse.Namespace) -> None:
    """Writes a table into the page, with where and when it was measured."""
    if options.quick:
        return
    machine = results.machine(options.seed, "")
    facts = f"commit {machine['commit']}, {machine['date']}, {machine['versions']['tmux']}"
    load = f"load {machine['load_at_start'][0]:.1f}"
    where = f"`python3 -m tests.bench {name}`, {facts}, {machine['cores']} cores, {load}."
    pages.renew(results.HERE / "README.md", name, f"{where}\n\n{section}")


def _refresh(options: argparse.Namespace) -> int:
    """Exit status 1 where a target is missed."""
    machine = results.machine(options.seed, f"python3 -m tests.bench {shlex.join(sys.argv[1:])}")
    began = time.monotonic()
    load = f"load {machine['load_at_start'][0]:.1f} on {machine['cores']} cores"
    print(f"seed {options.seed}, {load}", flush=True)
    modes, missing = _installed(chosen(options.only))
    figures = measure(modes, options.seed, options.quick)
    figures["missing"].update(missing)
    reference = results.renewed(results.load(), machine, figures)
    print(f"{time.monotonic() - began:.0f} s")
    if not options.quick:
        results.write(reference)
        for path in [results.REFERENCE, *pages.write(reference)]:
            print(f"wrote {path}")
    problems = tables.missed(reference)
    print(f"\n{pages.short(reference)}\n\n{tables.shells(reference)}")
    print("\n".join(f"TARGET MISSED: {problem}" for problem in problems))
    return int(bool(problems))


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
