"""How many calls a task takes: the tasks of calls.toml, played by a script that knows only what answers say.

It does what the tool's texts advise for each verdict: `run` at `ready` and at the quoted prompt of `quiet`, else
`send`; `wait_ready` after a receipt or a time-out; a `prompt_pattern` if that times out again at a prompt. Answers that
the task gives beforehand are part of the call before the question, as `answers`. Text that the script must see, and
that no answer has shown, it reads.
"""

import json
import re
import sys
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.devbox import devbox
from tests.support.run import TMUX_TOOL, run
from tests.support.services import free_port
from tests.support.terminal import Terminal

from .lane import PROGRAMS, SIZE, Lane

TASKS = Path(__file__).with_suffix(".toml")
TARGET = 39  # calls of all tasks, at most
_PATIENCE = 3  # time-outs in a row after which the task has failed
# `ready (shell) after 0.02s`, `opened shared:web`, `quiet after 2.03s: >>>`
_AT_PROMPT = re.compile(r"(?:opened .*; )?ready|opened [^;]*; [^;]*$|quiet.*[>$#%]$")


@dataclass(frozen=True, kw_only=True)
class Step:
    """See calls.toml."""

    act: str = "line"
    text: str = ""
    keys: list | None = None
    see: str = ""
    prompt: str = ""
    until: str = ""
    window: str = ""
    asked: str = ""


def tasks() -> dict[str, dict]:
    text = TASKS.read_text().replace("PORT", str(free_port())).replace("PROGRAMS", str(PROGRAMS))
    return {task["name"]: task for task in tomllib.loads(text)["task"]}


class Player:
    """Plays one task on the session `shared` of a lane; counts its calls."""

    def __init__(self, environment: Mapping[str, str], *, talk: bool):
        self.environment, self.talk = dict(environment), talk
        self.calls = 0
        self.ready: dict[str, bool] = {}  # by window

    def play(self, name: str, steps: list[Step]) -> int:
        for step, *answering in _joined(steps):
            self._step(step, answering)
        if not self.ready.get(""):
            raise RuntimeError(f"{name}: no prompt at the end")
        return self.calls

    def _step(self, step: Step, answering: list[Step]) -> None:
        """Takes `step`, and with the same call what answers its questions."""
        answers = [self._act(step, {one.asked: one.text for one in answering})]
        late = 0
        while (first := answers[-1].partition("\n")[0]) and _undecided(first):
            late += " timed out " in first
            if late > _PATIENCE:
                raise RuntimeError(f"no turn after {step}: {answers}")
            pattern = {"prompt_pattern": step.prompt} if late > 1 and step.prompt else {}
            answers.append(self._on(step, action="wait_ready", **pattern))
        self.ready[step.window] = bool(_AT_PROMPT.match(first))
        awaited = [one.see for one in (step, *answering)]
        if not all(_shown(text, answers) for text in awaited):
            answers.append(self._on(step, action="read"))
        if not all(_shown(text, answers) for text in awaited):
            raise RuntimeError(f"{awaited} is not shown after {step}: {answers}")

    def _act(self, step: Step, beforehand: Mapping[str, str]) -> str:
        if step.act == "open":
            more = {"text": step.text, "until": step.until} if step.text else {}
            return self._call(action="open", name=step.window, **more)
        if step.act in ("close", "interrupt"):
            return self._on(step, action=step.act)
        if step.act == "keys":
            return self._on(step, action="keys", keys=step.keys or step.text)
        if self.ready.get(step.window, True):
            more: dict[str, Any] = {"until": step.until} if step.until else {}
            more |= {"answers": beforehand} if beforehand else {}
            answer = self._on(step, action="run", text=step.text, **more)
            if not answer.startswith("error:"):
                return answer
        return self._on(step, action="send", text=step.text)

    def _on(self, step: Step, **arguments: Any) -> str:
        if step.window:
            arguments["pane"] = f"shared:{step.window}"
        return self._call(**arguments)

    def _call(self, **arguments: Any) -> str:
        self.calls += 1
        call = json.dumps(arguments)
        done = run(sys.executable, TMUX_TOOL, call, env=self.environment)
        if self.talk:
            print(f"    {call}\n      {done.stdout.partition(chr(10))[0]}")
        return done.stdout


def _joined(steps: list[Step]) -> list[list[Step]]:
    calls: list[list[Step]] = []
    for step in steps:
        if step.asked:
            calls[-1].append(step)
        else:
            calls.append([step])
    return calls


def _undecided(first: str) -> bool:
    return first.startswith(("sent", "pressed")) or " timed out " in first


def _shown(text: str, answers: list[str]) -> bool:
    return any(text in answer for answer in answers)


def play(*, talk: bool = False) -> int:
    """Prints the calls by task, beside those of a plain script; 1 where they are more than TARGET,
    or more than the script's."""
    plain = {name: task["plain"] for name, task in tasks().items()}
    calls = {name: _played(task, talk=talk) for name, task in tasks().items()}
    calls["all"], plain["all"] = sum(calls.values()), sum(plain.values())
    print(f"{'':<10} {'calls':>5} {'plain':>5}")
    print("\n".join(f"{name:<10} {calls[name]:>5} {plain[name]:>5}" for name in calls))
    return int(calls["all"] > TARGET or any(calls[name] > plain[name] for name in calls))


def _played(task: dict, *, talk: bool) -> int:
    with ExitStack() as stack:
        lane = stack.enter_context(Lane())
        home, environment = lane.home, lane.environment
        if task["name"] == "ssh":
            ssh = stack.enter_context(devbox(lane.folder / "devbox", known=False))
            environment["PATH"] = f"{ssh}:{environment['PATH']}"
        run("bash", "-ec", task.get("prepare", ":"), cwd=home, env=environment, check=True)
        Terminal(lane).start(size=SIZE, folder=home)
        steps = [Step(**step) for step in task["steps"]]
        return Player(environment, talk=talk).play(task["name"], steps)
