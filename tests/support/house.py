"""Situations side by side: one tmux server for a module, a room (a `Terminal`) for each situation.

`in_rooms` makes a pytest item of every situation, so `-k` selects one; those that are selected run
side by side, since mostly they wait. Small programs (this folder's) write down the true moment at
which they ended or asked: `$TRUTH`, time.monotonic_ns().
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.answer import (
    MEMORY_IS_CLOSED,
    NO_OUTPUT,
    NOTHING,
    STATUS_0,
    Answer,
    is_verdict,
    trimmed,
)
from tests.support.terminal import LIMIT, SHELLS, Server, Terminal, poll

Room = Terminal
PY311 = "/usr/bin/python3.11" if os.path.exists("/usr/bin/python3.11") else sys.executable
PY313 = next(
    (
        path
        for path in [
            shutil.which("python3.13"),
            *Path(sys.base_prefix).parent.glob("3.1[3-9]*/bin/python"),
        ]
        if path and subprocess.run([path, "-V"], capture_output=True).returncode == 0
    ),
    "",
)
AT_ONCE = 16  # situations side by side: mostly they wait


class House:
    """The server, and the situations that run in its rooms."""

    def __init__(self, server: Server):
        self.server, self.home, self.bin = server, server.home, server.bin
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._begun: dict[str, dict[str, Future]] = {}

    def close(self) -> None:
        """Waits for the situations that still run."""
        self._pool.shutdown(cancel_futures=True)

    def result(self, bundle: Bundle, name: str, chosen: list[str]) -> None:
        """What became of the situation `name`; the first call starts all the chosen ones."""
        if bundle.name not in self._begun:
            self._begin(bundle, chosen)
        self._begun[bundle.name].pop(name).result()

    def _begin(self, bundle: Bundle, names: list[str]) -> None:
        futures: dict[str, Future] = {one: Future() for one in names}
        self._begun.setdefault(bundle.name, {}).update(futures)
        for group in bundle.groups(names):
            self._pool.submit(bundle.play, self, group, futures)

    def room(
        self,
        shell: str = "bash",
        start: str = "",
        options: Iterable[tuple[str, str]] = (),
        **more: Any,
    ) -> Room:
        """A session of its own; `start`: instead of the shell's command; `options`: global ones of
        tmux's."""
        for option, value in options:
            self.server.tmux("set-option", "-g", option, value)
        return self.server.open(shell, command=start, **more)


# Situations as pytest items that run side by side


@dataclass(frozen=True)
class Situation:
    """One item: `task(room, *case)` in a room with this shell."""

    shell: str
    case: tuple[Any, ...]


@dataclass
class Bundle:
    """The situations of one test function."""

    name: str
    task: Callable[..., object]
    situations: dict[str, Situation]
    each: int  # situations that one room takes, one after the other
    options: dict[str, Any]  # of the rooms

    def groups(self, chosen: list[str]) -> Iterator[list[str]]:
        """The names that share a room."""
        for _, names in itertools.groupby(
            sorted(chosen, key=lambda name: self.situations[name].shell),
            key=lambda name: self.situations[name].shell,
        ):
            same = list(names)
            for begin in range(0, len(same), self.each):
                yield same[begin : begin + self.each]

    def play(self, house: House, names: list[str], futures: dict[str, Future]) -> None:
        """After a failure the others of the group get a new room."""
        while names:
            names = self._in_one_room(house, names, futures)

    def _in_one_room(self, house: House, names: list[str], futures: dict[str, Future]) -> list[str]:
        at = 0
        try:
            with house.room(self.situations[names[0]].shell, **self.options) as room:
                for at, name in enumerate(names):  # noqa: B007
                    self.task(room, *self.situations[name].case)
                    futures[name].set_result(None)
        except BaseException as problem:
            if not futures[names[at]].done():
                futures[names[at]].set_exception(problem)
            return names[at + 1 :]
        return []


def in_rooms(
    cases: Mapping[str, Any] | Iterable[Any] = (),
    shells: Iterable[str] = SHELLS,
    each: int = 1,
    turns: bool = False,
    **options,
) -> Callable[[Callable[..., object]], Callable[..., None]]:
    """A test `task(room, case)`, or `task(room)` without cases: a pytest item for every shell and
    case, `-k "zsh and some_case"`.

    Of a mapping, `task` gets the values, and each name that begins with a shell's is for that shell
    only. `each`: how many cases one room takes, one after the other. `turns`: each case in one
    shell, which take turns. `options`: the rooms'.
    """

    def decorate(task: Callable[..., object]) -> Callable[..., None]:
        bundle = Bundle(task.__name__, task, _situations(cases, list(shells), turns), each, options)

        @pytest.mark.parametrize("situation", list(bundle.situations), ids=_as_id)
        def test(house: House, request: pytest.FixtureRequest, situation: str) -> None:
            mine = (
                item
                for item in request.session.items
                if getattr(item, "originalname", "") == bundle.name
                and item.path == request.node.path
            )
            chosen = [item.callspec.params["situation"] for item in mine]  # type: ignore[attr-defined]
            house.result(bundle, situation, chosen)

        test.__name__ = test.__qualname__ = task.__name__
        test.__doc__ = task.__doc__
        return test

    return decorate


def _situations(cases, shells: list[str], turns: bool) -> dict[str, Situation]:
    if not isinstance(cases, Mapping):
        cases = {str(case): case for case in cases}
    if not cases:
        return {shell: Situation(shell, ()) for shell in shells}
    situations = {}
    for number, (name, case) in enumerate(cases.items()):
        own = name.split()[0] if name.split() else ""
        if own in SHELLS:
            situations[name] = Situation(own, (case,))
            continue
        chosen = [shells[number % len(shells)]] if turns else shells
        situations |= {f"{shell}: {name}": Situation(shell, (case,)) for shell in chosen}
    return situations


def _as_id(name: str) -> str:
    """A name that `-k` can be asked for: words, without its signs for `and`, brackets, quotes."""
    return re.sub(r"[^\w.,:$#%>?!+-]+", " ", name).strip()


def alone(task: Callable[..., object]) -> Callable[..., None]:
    """A test `task(room)` with one bash."""
    return in_rooms(shells=["bash"])(task)


def installed(commands: Mapping[str, str]) -> dict[str, str]:
    """Those whose command can be started here; of the others a warning is left."""
    there = {
        name: command
        for name, command in commands.items()
        if command and shutil.which(command.split()[0])
    }
    if missing := [name for name in commands if name not in there]:
        warnings.warn(f"not installed, so not tried: {', '.join(missing)}", stacklevel=2)
    return there


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A tmux server of this module's own, in a home without anybody's settings."""
    with Server(tmp_path_factory.mktemp("house")) as server:
        server.install()
        server.open("cat", name="keeper", ready=False)
        rooms = House(server)
        yield rooms
        rooms.close()


__all__ = [
    "LIMIT",
    "MEMORY_IS_CLOSED",
    "NOTHING",
    "NO_OUTPUT",
    "SHELLS",
    "STATUS_0",
    "Answer",
    "House",
    "Room",
    "alone",
    "house",
    "in_rooms",
    "installed",
    "is_verdict",
    "poll",
    "trimmed",
]
