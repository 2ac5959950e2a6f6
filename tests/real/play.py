"""Plays one case in a pane of its own and judges every call."""

import itertools
import json
import os
import shlex
import shutil
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.late import Late
from tests.support.person import Person
from tests.support.services import as_user
from tests.support.still import until_still
from tests.support.terminal import Terminal, poll

from .judge import Finding, Seen, claims_turn, judge
from .place import CACHE, Place
from .table import ROOT_PLAYS, Case, Step, World

_LATER = 0.3  # seconds after an answer in which the screen must not change
_STILL = 0.3  # seconds without a change after which a screen is taken for drawn
_SHOWN = 2.0  # seconds until what was typed is on the screen, if it is shown
_SETTLES = 4.0  # seconds a shell may take to draw its prompt; an empty one is never seen
_PROGRAMS = Path(__file__).parent / "programs"
_numbers = itertools.count()


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One call, and what was found about it."""
    case: str
    world: str
    number: int
    step: Step
    seen: Seen
    finding: Finding
    reason: str
    missing: str  # programs that were started and are not installed


class Room(Terminal):
    """A session with one pane, a process that makes the agent's calls, and a look at the screen."""
    def __init__(self, place: Place, case: Case):
        super().__init__(place, f"room{next(_numbers)}")
        self.place, self.case = place, case
        self.folder.mkdir()
        texts = {name: (_PROGRAMS / name).read_text() for name in case.programs}
        for name, text in {**texts, **case.files}.items():
            self.file(name, text).chmod(0o755)
        login = case.login or place.user if place.world is not World.USER else place.user
        for path in [self.folder, *self.folder.iterdir()] if ROOT_PLAYS else []:
            shutil.chown(path, login)
        self.folder.chmod(0o777)
        if any(name.endswith(".mjs") for name in case.programs):
            (self.folder / "node_modules").symlink_to(CACHE / "node/node_modules")
        home = {"HOME": f"/home/{login}", "USER": login} if login != place.user else {}
        # by `env`: the shell by which tmux starts it would drop a PS1
        own = [shlex.quote(f"{name}={value}") for name, value in case.environment.items()]
        shell = " ".join([*(as_user(login) if home else []), "env", *own, case.shell])
        if rows := os.environ.get("TMUX_TOOL_TEST_HISTORY"):
            shell = shlex.join(["sh", "-c", f"seq {rows}; printf '\\033[H\\033[2J'; exec {shell}"])
        self.start(shell, size=case.size, environment={**place.environment, **home})
        self.caller = place.new_caller()
        self._last = ""  # what the last look has shown
        self._later: list[tuple[str, ...]] = []  # what the person types while the next call lasts

    def close(self) -> None:
        super().close()
        self.caller.close()

    def screen(self, pane: str = "") -> str:
        """Text and cursor; empty where the pane has gone."""
        cursor = "#{cursor_x},#{cursor_y} #{history_size}"
        pane = f"={self.name}:"
        look = ["capture-pane", "-p", "-t", pane, ";", "display-message", "-p", "-t", pane, cursor]
        return self.tmux(*look, check=False)

    def settled(self) -> None:
        """The shell has drawn its first prompt."""
        last, end = "", time.monotonic() + _SETTLES
        while time.monotonic() < end:
            now = self.screen()
            if now == last and "\n0,0 " not in now:
                return
            last = now
            time.sleep(0.3)

    def judged(self, arguments: dict, asked: bool, untouched: bool) -> Seen:
        """`untouched`: what the screen shows right before is compared with what it shows after."""
        if arguments["action"] in ("run", "send", "keys"):  # a wait may begin after the truth
            self.truth.unlink(missing_ok=True)
        before = self.screen() if untouched or not self._last else self._last
        if arguments["action"] != "list":
            arguments = {"pane": self.name, **arguments}
        person = self.person if self._later else None  # attached before
        print(json.dumps(arguments), file=self.caller, flush=True)
        while self._later:
            threading.Thread(target=self._types_once, args=[person, *self._later.pop(0)]).start()
        answer, began, ended = json.loads(self.caller.readline())  # empty where it died
        after = self._last = self.screen()
        if claims_turn(answer):
            time.sleep(_LATER)
            self._last = self.screen()
        return Seen(
            answer=answer, began=began, ended=ended, before=before, after=after, later=self._last,
            truth=int(self.truth.read_text()) / 1e9 if self.truth.exists() else None, asked=asked,
            denied=self.place.world is not World.READABLE)

    def do(self, step: Step) -> bool:
        """The person's step. Whether what it waits for has come."""
        pane = f"={self.name}:"
        if step.what == "person":
            self.person(*step.keys)
            self.still()
        elif step.what == "later":
            self._later.append(step.keys)
        elif step.what == "still":
            self.still()
        elif step.what == "open":
            self.open_gate()
        elif step.what == "pause":
            time.sleep(float(step.keys[0]))
        elif step.what == "tmux":
            self.tmux(*(pane if word == "PANE" else word for word in step.keys))
        else:
            try:
                {"see": self.see, "front": self.in_front}[step.what](step.keys[0])
            except Late:
                return False
        return True

    def still(self) -> None:
        """What was typed has been read and drawn."""
        with suppress(AssertionError):  # it has gone
            until_still(self.screen, int(self.fact("pane_pid")), _STILL)

    def open_gate(self) -> None:
        """The program `gate` of support/programs ends."""
        (self.folder / "open").touch()

    def _types_once(self, person: Person, shown: str, *keys: str) -> None:
        self.see(shown)
        person(*keys)
        with suppress(Late):  # it may be hidden
            poll(lambda: keys[0] in self.screen(), _SHOWN, "what was typed")
        self.open_gate()


def play(place: Place, case: Case) -> list[Judged]:
    """Every judged call of the case. After a wrong answer the rest is played all the same."""
    findings = []
    with Room(place, case) as room:
        room.settled()
        asked, came, drafted = False, True, False
        for number, step in enumerate(case.steps, 1):
            if step.call is None:
                came = room.do(step) and came
                continue
            if drafted and step.untouched:
                room.still()  # the call before has typed, and has not waited until that was drawn
            seen = room.judged(step.call, asked, step.untouched)
            asked, drafted = seen.answer.startswith("needs "), step.call.get("enter") is False
            finding, reason = judge(step, seen)
            if not came and finding is not Finding.RIGHT:
                finding, reason = Finding.LATE, f"what was waited for did not come; {reason}"
            where = {"case": case.name, "world": place.world.value, "number": number}
            found = {"finding": finding, "reason": reason, "missing": room.lacks()}
            findings.append(Judged(step=step, seen=seen, **where, **found))
    return findings


def described(calls: list[Judged]) -> str:
    """All calls of a case, so that what led to the one that is not right can be seen."""
    return "\n".join(map(_described, calls))


def _described(one: Judged) -> str:
    seen, call = one.seen, json.dumps(one.step.call, ensure_ascii=False)
    if one.finding is Finding.RIGHT:
        took = seen.ended - seen.began
        return f"-- step {one.number}, right: {call}\n   after {took:.2f} s: {seen.answer[:400]!r}"
    screen = "\n".join(row for row in seen.later.splitlines() if row.strip())
    return (
        f"== {one.world}: {one.case}, step {one.number}: {one.finding}: {one.reason}\n"
        f"   {call}  expected: {one.step.right}\n"
        f"   answer after {seen.ended - seen.began:.2f} s:\n{_indented(seen.answer)}\n"
        f"   screen:\n{_indented(screen)}"
    )


def _indented(text: str) -> str:
    return "\n".join("     | " + row for row in text.split("\n"))
