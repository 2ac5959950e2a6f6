"""What a case consists of: steps of the agent and the person, and the right results. Data only; in
the files of `cases` a step is `[what, arguments …, {named arguments}]`, see `step`."""

import os
import re
import shutil
from dataclasses import dataclass, field
from enum import StrEnum

from tests.support import devbox
from tests.support.terminal import LIMIT

_JUDGED = "body notes has lacks takes truth untouched moving denied doubt".split()
ROOT_PLAYS = os.geteuid() == 0  # it starts shells of other users
_CALLS: dict[str, tuple] = {  # the action, the argument that comes first, what is right where nothing is said; others
    "run": ("run", "text", "ready"), "send": ("send", "text", "ready"), "press": ("keys", "keys", "ready"),
    "type": ("send", "text", "sent …", {"enter": False}), "begin": ("send", "text", "sent …", {"timeout": 0}),
    "wait": ("wait_ready", "", "ready"), "interrupt": ("interrupt", "", "ready"), "read": ("read", "", "read …"),
    "panes": ("list", "", ""),
}
_BODY = re.compile(r"(?s)(.*?)(?:^| )=(?: (.*))?")  # ready (shell) = its output
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
    body: what follows the first line and its notes, exactly; a number: the numbers up to it; None: anything
    notes: the lines between that begin with `note: `, exactly; None: any
    has, lacks: texts that the whole answer must, must not hold
    takes: seconds the program works at least: a turn before that is early
    truth: the program writes the moment of the turn into $TRUTH
    untouched: the screen is the same before and after, as always where an error is right
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
    needs: services ("sshd")
    tools: programs without which it is left out
    core: it needs no more programs than tests/run installs
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
    theme: str = ""
    tools: tuple[str, ...] = ()

    def impossible(self, path: str) -> str:
        """Why it cannot be played, where programs are looked for on `path`; "" if it can."""
        if self.login and not ROOT_PLAYS:
            return "only root starts shells of other users"
        if "sshd" in self.needs and not (ROOT_PLAYS and devbox.is_there()):
            return "no sshd that root could start"
        names = (self.shell.split()[0], *self.tools)
        missing = [name for name in names if not shutil.which(name, path=path)]
        return f"not installed: {' '.join(missing)}" if missing else ""


def step(it: str, *words, **more) -> Step:
    """A row of a file. The agent's: `run`, `send`, `press` (what), `type` (without Enter), `begin` (without waiting),
    `wait`, `interrupt`, `read`, `panes`; each with the right first line, behind ` = ` the body (in `= hi` behind the
    line that is right where nothing is said), then texts that it has, a number is its time-out. The person's:
    `person` (text, keys), `later` (that while the next call lasts, once this is on the screen: shown, text, keys; it
    opens the gate), `see` and `front` (until that is on the screen, in front), `still` (until what was typed is read
    and drawn), `open` (the program `gate` ends), `pause` (seconds), `tmux` (words; PANE is the pane)."""
    if it not in _CALLS:
        return Step(what=it, keys=tuple(map(str, words)))
    action, argument, right, *given = _CALLS[it]
    arguments, words = ({argument: words[0]}, words[1:]) if argument else ({}, words)
    limits = [one for one in words if not isinstance(one, str)]
    texts = [one for one in words if isinstance(one, str)]
    more = {**(given[0] if given else {}), **({"timeout": limits[0]} if limits else {}), **more}
    judged = {name: more.pop(name) for name in _JUDGED if name in more}
    for name in {"notes", "has", "lacks"} & judged.keys():
        judged[name] = (judged[name],) if isinstance(judged[name], str) else tuple(judged[name])
    if isinstance(judged.get("body"), int):
        judged["body"] = "\n".join(map(str, range(1, judged["body"] + 1)))
    if action in _WAITING:
        more.setdefault("timeout", LIMIT)
    if texts and (parts := _BODY.fullmatch(texts[0])):
        texts[0], judged["body"] = parts[1] or right, parts[2] or ""
    right, *has = texts or [right]
    judged["has"] = (*judged.get("has", ()), *has)
    judged.setdefault("untouched", right.startswith("error:"))
    return Step(call={"action": action, **arguments, **more}, right=right, **judged)
