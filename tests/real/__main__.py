"""python -m tests.real: plays the cases, prints what was not right and a table per world.

Exit status 0: at least GOOD of the calls are right in each world, and none is early.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from tests.support import surroundings

from .cases import CASES
from .judge import Finding
from .place import Place
from .play import Judged, described, play
from .table import Case, World

GOOD = 0.98  # of the calls must be right in each world, and none early


def chosen(arguments: argparse.Namespace) -> list[Case]:
    cases = [case for case in CASES if not arguments.core or case.core]
    return [case for case in cases if not arguments.k or any(k in case.name for k in arguments.k)]


def world_of(world: World, cases: Iterable[Case], jobs: int) -> list[Judged]:
    """All calls of the cases in this world, judged, side by side."""
    cases = [case for case in cases if world.value in case.worlds]
    place = Place(world)
    cases = [case for case in cases if _possible(case, place.environment["PATH"])]
    pool = ThreadPoolExecutor(jobs)
    try:
        place.start({name for case in cases for name in case.needs})
        done = pool.map(lambda case: play(place, case), cases)
        return [one for case in done for one in _printed(case)]
    finally:
        pool.shutdown(cancel_futures=True)
        place.end()


def _possible(case: Case, path: str) -> bool:
    if why := case.impossible(path):
        print(f"left out, {why}: {case.name}")
    return not why


def _printed(case: list[Judged]) -> list[Judged]:
    wrong = [one for one in case if one.finding is not Finding.RIGHT]
    print(
        f"{case[0].world:9}{len(case):3} calls, {len(wrong)} not right: {case[0].case}", flush=True
    )
    return case


def report(judged: list[Judged]) -> bool:
    """Prints what was not right and the table; whether that is good enough."""
    for one in judged:
        if one.finding is not Finding.RIGHT:
            print("\n" + described(one))
    print(f"\n{'world':10}{'calls':>7}{'right':>7}{'early':>7}{'late':>7}{'wrong':>7}   share")
    good, names = True, []
    for world in dict.fromkeys(one.world for one in judged):
        here = [one for one in judged if one.world == world]
        count = Counter(one.finding for one in here)
        share = count[Finding.RIGHT] / len(here)
        good = good and share >= GOOD and not count[Finding.EARLY]
        count[Finding.LATE] += count.pop(Finding.SLOW, 0)
        kinds = (Finding.RIGHT, Finding.EARLY, Finding.LATE, Finding.WRONG)
        figures = "".join(f"{count[kind]:7}" for kind in kinds)
        print(f"{world:10}{len(here):7}{figures}{share:8.1%}")
        wrong = (one for one in here if one.finding is not Finding.RIGHT)
        steps = (f"{one.case}, step {one.number} {one.finding}" for one in wrong)
        names.append(f"{world}: not right: {'; '.join(steps) or 'none'}")
    print("\n".join(names))
    return good


def main() -> int:
    surroundings.enter()
    parser = argparse.ArgumentParser(prog="tests/real/run", description=__doc__)
    parser.add_argument(
        "-k", action="append", help="cases whose name contains this; may be repeated"
    )
    parser.add_argument("--world", action="append", choices=[*World], help="all by default")
    parser.add_argument("--core", action="store_true", help="the cases that tests/run plays too")
    parser.add_argument("--list", action="store_true", help="the cases' names")
    parser.add_argument("-j", type=int, default=4, help="cases side by side")
    arguments = parser.parse_args()
    cases = chosen(arguments)
    if arguments.list:
        print("\n".join(f"{case.name}  ({len(case.steps)} steps)" for case in cases))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    began, judged = time.monotonic(), []
    for world in arguments.world or World:
        judged += world_of(World(world), cases, arguments.j)
    good = report(judged)
    print(f"{len(cases)} cases in {time.monotonic() - began:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
