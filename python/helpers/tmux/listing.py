"""The answer to `list`: how many panes and people there are, and a row for each pane."""

import time
from collections.abc import Callable

from .answer import Answer, Word
from .client import TmuxError, rows_of
from .look import PAGE
from .output import clean
from .watch import Watch
from .windows import panes

_LOOKED = 15  # seconds for which a page that has looked counts as open
_GLANCE = 0.02  # seconds in which a pane's state must be sure


def listing(session: str, watch_of: Callable[[str], Watch]) -> Answer:
    """`session`: the one that a first call creates; `watch_of`: a watch on the pane of that id."""
    rows = []
    for id, target in panes().items():
        try:
            rows.append(f"{target} ({id}) {_described(watch_of(id))}")
        except TmuxError as problem:
            if not problem.gone:  # it ended meanwhile
                rows.append(f"{target} ({id}): {problem}")
    count = sum(map(bool, rows_of("list-clients", "-F", "#{client_tty}")))
    people = f"{count} {'person' if count == 1 else 'people'}" if count else "nobody"
    page = "".join(rows_of("show-options", "-gqv", PAGE))
    seen = ", somebody looks at the page" * (page.isdigit() and time.time() - int(page) < _LOOKED)
    first = f"{len(rows)} pane{'s' * (len(rows) != 1)}, {people} attached{seen}"
    if not rows:
        first += f": use action send, run or read to create the session {session}"
    return Answer(word=Word.LIST, first=first, body=rows)


def _described(watch: Watch) -> str:
    """`160x50 bash /root: ready (shell), a half-typed line 'ls'`."""
    here = watch.turn(_GLANCE)
    seen, verdict, state = watch.seen, here.verdict, "running"
    if verdict:
        state = f"{verdict.word} ({verdict.evidence or clean(verdict.detail)})"
    states = [state]
    if typed := here.own or here.persons:
        states.append(f"{'your' if here.own else 'a'} half-typed line {typed!r}")
    if seen.mode:
        states.append(seen.mode)
    if seen.opened:
        states.append("opened by the agent")
    size, where = f"{seen.width}x{seen.height}", clean(seen.pane_current_path).replace("\n", " ")
    if seen.pane_dead:
        return f"{size}: its program has ended (exit status {seen.pane_dead_status or 'unknown'})"
    return f"{size} {clean(here.reading.program)} {where}: {', '.join(states)}"
