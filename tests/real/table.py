"""What a case consists of: steps of the agent and the person, and the right results. Data only; in
the files of `cases` a step is `[function of this module, arguments …, {named arguments}]`."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from enum import StrEnum

from tests.support.terminal import LIMIT

_JUDGED = "body notes has lacks takes truth untouched moving denied doubt".split()
ROOT_PLAYS = os.geteuid() == 0  # it starts shells of other users
_WAITING = ("run", "send", "keys", "wait_ready")


class World(StrEnum):
    """Who calls, and what the kernel denies to them."""

    READABLE = "readable"  # nothing is denied
    YAMA = "yama"  # what ptrace_scope 1 denies is denied
    USER = "user"  # root plays an ordinary user: root's programs are closed, Yama besides


@dataclass(frozen=True, kw_only=True)
class Step:
    """`call`: tool_args of the agent's, or None where the person does something (`what`, `keys`).

    right: the first line without its seconds; `…` matches anything, ` | ` separates alternatives,
        "" is anything; `ready` alone allows any evidence and exit status
    denied: more alternatives where `/proc` is denied
    body: what follows the first line and its notes, exactly; None: anything
    notes: the lines between that begin with `note: `, exactly; None: any
    has, lacks: texts that the whole answer must, must not hold
    takes: seconds the program works at least: a turn before that is early
    truth: the program writes the moment of the turn into $TRUTH
    untouched: the screen is the same before and after
    doubt: a note that cannot determine whether someone has typed will do
    moving: the screen goes on changing after the answer
    """

    call: dict | None = None
    what: str = ""
    keys: tuple[str, ...] = ()
    right: str = ""
    denied: str = ""
    body: str | None = None
    notes: tuple[str, ...] | None = None
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    takes: float = 0.0
    truth: bool = False
    untouched: bool = False
    moving: bool = False
    doubt: bool = False


@dataclass(frozen=True, kw_only=True)
class Case:
    """A pane of its own with `shell` in it, and what happens there.

    login: whose shell it is where root plays: "" for the tool's user, "root" (the case needs it), or
        "tt-agent" (sudo asks that one for a password at whoami and wc, and for every command as
        tt-second)
    programs: files of tests/real/programs, put into the folder where the shell starts
    files: name -> text, put there too
    needs: services ("sshd", "postgres", "ai")
    tools: programs without which it is left out
    core, everyday: it belongs to tests/run, and is not thorough there
    theme: what it has in common with the others of its row in the file
    """

    name: str
    steps: list[Step]
    shell: str = "bash --norc --noprofile"
    login: str = ""
    programs: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    worlds: tuple[str, ...] = tuple(World)
    size: tuple[int, int] = (120, 30)
    core: bool = False
    everyday: bool = True
    theme: str = ""
    tools: tuple[str, ...] = ()

    def impossible(self, path: str) -> str:
        """Why it cannot be played, where programs are looked for on `path`; "" if it can."""
        if self.login and not ROOT_PLAYS:
            return "only root starts shells of other users"
        missing = [name for name in self.tools if not shutil.which(name, path=path)]
        return f"not installed: {' '.join(missing)}" if missing else ""


def _step(action: str, right: str, arguments: dict) -> Step:
    judged = {name: arguments.pop(name) for name in _JUDGED if name in arguments}
    for name in {"notes", "has", "lacks"} & judged.keys():
        texts = judged[name]
        judged[name] = (texts,) if isinstance(texts, str) else tuple(texts)
    if action in _WAITING:
        arguments.setdefault("timeout", LIMIT)
    return Step(call={"action": action, **arguments}, right=right, **judged)


def numbered(count: int) -> str:
    """That many lines, each with its number."""
    return "".join(f"line {n}\n" for n in range(count))


def run(text: str | int, right: str = "ready", **more) -> Step:
    return _step("run", right, {"text": text, **more})


def send(text: str, right: str = "ready", **more) -> Step:
    return _step("send", right, {"text": text, **more})


def press(keys, right: str = "ready", **more) -> Step:
    return _step("keys", right, {"keys": keys, **more})


def wait(right: str = "ready", **more) -> Step:
    return _step("wait_ready", right, more)


def interrupt(right: str = "ready", **more) -> Step:
    return _step("interrupt", right, more)


def read(right: str = "read …", **more) -> Step:
    return _step("read", right, more)


def panes(right: str = "", **more) -> Step:
    return _step("list", right, more)


def person(text: str = "", *keys: str) -> Step:
    """The person types `text`, then presses `keys` (tmux's names)."""
    return Step(what="person", keys=(text, *keys))


def later(shown: str, text: str = "", *keys: str) -> Step:
    """The person types that while the next call lasts, once `shown` is on the screen."""
    return Step(what="later", keys=(shown, text, *keys))


def see(text: str) -> Step:
    """Until `text` is on the screen."""
    return Step(what="see", keys=(text,))


def front(program: str) -> Step:
    """Until `program` is in front."""
    return Step(what="front", keys=(program,))


def still() -> Step:
    """Until the program in front has read and drawn what was typed."""
    return Step(what="still")


def pause(seconds: float) -> Step:
    return Step(what="pause", keys=(str(seconds),))


def tmux(*words: str) -> Step:
    """A command to the server; `PANE` is replaced by the pane."""
    return Step(what="tmux", keys=words)
