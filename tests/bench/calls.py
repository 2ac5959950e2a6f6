"""How many calls a task takes: six tasks, played by a script that knows only what answers say.

The player does what the tool's texts say of the verdict it has: `run` at `ready` and at the quoted
prompt of `quiet`, else `send`; `wait_ready` after a receipt or a time-out; a `prompt_pattern` where
that times out again at a prompt; `read` at a `quiet` that neither quotes nor shows. What answers a
question that the task tells beforehand goes along with the call before it, as `answers`. A tool
without that is played by the texts of its time, step by step; one without `open`, too: the screen
is read before the first write, a session of tmux is the second window, a block goes line by line.
What the player must see before it goes on, and no answer has shown, it reads too.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from tests.support.devbox import devbox, free_port

from .lane import PROGRAMS, SIZE, Lane

ROOT = Path(__file__).resolve().parents[2]
# The calls before `send` and `keys` waited: commit 9becd44, 2026-11-22, tmux 3.3a, by
# python3 -m tests.bench calls --tree THAT_COMMITS_WORK_TREE
BEFORE = {"installer": 16, "rebase": 8, "pager": 8, "repl": 10, "server": 7, "ssh": 17}
TARGET = 24  # calls of all tasks, at most
_LIMIT = 60.0  # seconds one call may take, the tool's own limits are below
_PATIENCE = 3  # time-outs in a row after which the task has failed
# `ready (shell) after 0.02s`, `opened shared:web`, `quiet after 2.03s: >>>`
_AT_PROMPT = re.compile(r"ready|opened|quiet.*[>$#%]$")


class Act(StrEnum):
    LINE = "line"
    KEYS = "keys"
    INTERRUPT = "interrupt"
    OPEN = "open"
    CLOSE = "close"


@dataclass(frozen=True, kw_only=True)
class Step:
    """`see`: what the player must have been shown before its next step; `prompt`: of a program that
    the step starts, as a pattern; `window`: one of its own; `asked`: a pattern of the question that
    the step answers, where the task tells it beforehand."""

    act: Act = Act.LINE
    text: str = ""
    see: str = ""
    prompt: str = ""
    until: str = ""
    window: str = ""
    asked: str = ""


@dataclass(frozen=True, kw_only=True)
class Task:
    """`steps` as the texts of today say; `earlier`: as those before `answers` said, where that
    differs; `files` of the home directory; `prepare`: bash, before the task."""

    name: str
    steps: tuple[Step, ...]
    files: Mapping[str, str]
    earlier: tuple[Step, ...] = ()
    prepare: str = ":"


_INSTALLER = f"""\
#!/bin/bash
read -rp 'Install 3 packages? [Y/n] ' go
read -rsp 'Password: ' password; echo
PS3='Mirror? '; select mirror in de us; do break; done
node {PROGRAMS}/questions.mjs
read -rsn1 -p 'Press any key to finish'; echo
echo installed
"""
_REPOSITORY = """\
git init -q && git config user.email a@b.c && git config user.name A
for i in 1 2 3; do echo $i > file; git add file; git commit -qm "step $i"; done
"""
_LOG = "".join(f"line {number}\n" for number in range(1, 900))
_LOG = _LOG.replace("line 300\n", "error 17\n").replace("line 700\n", "error 171\n")
_VENV = r"\(venv\).*#$"
_FUNCTION = "def double(x):\n    return 2 * x\n\ndouble(21)"
_INPUT = "input('Name: ')"
_FURTHER = (Step(act=Act.KEYS, text="n", see="error 171"), Step(act=Act.KEYS, text="q"))


def tasks(port: int) -> list[Task]:
    return [
        Task(
            name="installer",
            files={"install.sh": _INSTALLER},
            steps=(
                Step(text="bash install.sh", see="Install 3 packages?"),
                Step(text="y", see="Password", asked="Install 3"),
                Step(text="secret", see="Mirror?", asked="Password"),
                Step(text="2", see="Which database?", asked="Mirror"),
                Step(act=Act.KEYS, text="Down Enter", see="Ok to proceed?"),
                Step(text="y", see="Press any key"),
                Step(act=Act.KEYS, text="Space", see="installed"),
            ),
        ),
        Task(
            name="rebase",
            files={},
            prepare=_REPOSITORY,
            steps=(
                Step(text="GIT_EDITOR='vim -u NONE' git rebase -i HEAD~2", see="step 3"),
                Step(text=":2s/pick/squash/ | wq", see="a combination of 2 commits"),
                Step(text=":wq", see="Successfully rebased"),
            ),
        ),
        Task(
            name="pager",
            files={"log": _LOG},
            steps=(Step(text="less +/error log", see="error 17"), *_FURTHER),
            earlier=(
                Step(text="less log", see="line 2"),
                Step(text="/error", see="error 17"),
                *_FURTHER,
            ),
        ),
        Task(
            name="repl",
            files={},
            steps=(
                Step(text="/usr/bin/env python3 -q"),
                Step(text=f"{_FUNCTION}\n{_INPUT}", see="42"),
                Step(text="Ada", see="'Ada'", asked="Name"),
                Step(text="exit()"),
            ),
            earlier=(
                Step(text="/usr/bin/env python3 -q"),
                Step(text=_FUNCTION, see="42"),
                Step(text=_INPUT, see="Name:"),
                Step(text="Ada", see="'Ada'"),
                Step(text="exit()"),
            ),
        ),
        Task(
            name="server",
            files={"page": "hello\n"},
            steps=(
                Step(act=Act.OPEN, window="web"),
                Step(
                    text=f"python3 -u -m http.server {port} --bind 127.0.0.1",
                    until=r"port \d+",
                    window="web",
                ),
                Step(text=f"curl -s 127.0.0.1:{port}/page", see="hello"),
                Step(act=Act.INTERRUPT, window="web"),
                Step(act=Act.CLOSE, window="web"),
            ),
        ),
        Task(
            name="ssh",
            files={},
            steps=(
                Step(text="ssh devbox", see="continue connecting"),
                Step(text="yes", asked="continue connecting"),
                Step(text="PS1='(venv) '\"$PS1\"", prompt=_VENV),
                Step(text="python3 -q", prompt=">>>$"),
                Step(text="6 * 7", see="42"),
                Step(text="exit()", prompt=_VENV),
                Step(text="exit"),
            ),
        ),
    ]


class Player:
    """Plays one task on one pane, with the tool of the work tree `tree`."""

    def __init__(self, tree: Path, environment: Mapping[str, str], *, talk: bool):
        self.command = [sys.executable, str(tree / "usr/bin/tmux-tool")]
        self.environment, self.talk = dict(environment), talk
        self.calls = 0
        self.ready: dict[str, bool] = {}
        self.opens = ", open" in self._call(action="which?")
        self.answers = ", answers" in self._call(action="wait_ready", which="?")

    def play(self, task: Task) -> int:
        """The calls that `task` took."""
        self.calls, self.ready = 0, {}
        if not self.opens:
            self._call(action="read", lines="20")
        for step, *answering in _joined(task, self.answers):
            self._step(step, answering)
        if not self.ready.get(""):
            raise RuntimeError(f"{task.name}: no prompt at the end")
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
        unseen = not all(_shown(one, answers) for one in (step, *answering))
        if unseen or first.startswith("quiet") and not (_AT_PROMPT.match(first) or self.opens):
            answers.append(self._on(step, action="read"))
        if not all(_shown(one, answers) for one in (step, *answering)):
            raise RuntimeError(f"{step.see!r} is not shown after {step}: {answers}")

    def _act(self, step: Step, beforehand: Mapping[str, str]) -> str:
        if step.act is Act.OPEN:
            return self._open(step.window)
        if step.act is Act.CLOSE:
            return self._close(step.window)
        if step.act is Act.INTERRUPT:
            return self._on(step, action="interrupt")
        if step.act is Act.KEYS:
            return self._on(step, action="keys", keys=step.text)
        if self.ready.get(step.window, True):
            if "\n" in step.text and not self.opens:
                return self._by_lines(step)
            more: dict[str, Any] = {"until": step.until} if step.until else {}
            more |= {"answers": beforehand} if beforehand else {}
            answer = self._on(step, action="run", text=step.text, **more)
            if not answer.startswith("error:"):
                return answer
        return self._on(step, action="send", text=step.text)

    def _by_lines(self, step: Step) -> str:
        """A block, its rest and a blank line, and what follows it."""
        block, _, after = step.text.partition("\n\n")
        first, _, rest = block.partition("\n")
        self._on(step, action="run", text=first)
        self._on(step, action="send", text=rest + "\n")
        self._on(step, action="wait_ready")
        return self._on(step, action="run", text=after)

    def _open(self, window: str) -> str:
        if self.opens:
            return self._call(action="open", name=window)
        self._call(action="run", text=f"tmux new-session -d -s {window}")
        return self._call(action="wait_ready", pane=window)

    def _close(self, window: str) -> str:
        if self.opens:
            return self._call(action="close", pane=f"shared:{window}")
        return self._call(action="run", text=f"tmux kill-session -t {window}")

    def _on(self, step: Step, **arguments: Any) -> str:
        if step.window:
            arguments["pane"] = f"shared:{step.window}" if self.opens else step.window
        return self._call(**arguments)

    def _call(self, **arguments: Any) -> str:
        self.calls += 1
        done = subprocess.run(
            [*self.command, json.dumps(arguments)],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=_LIMIT,
        )
        if self.talk:
            print(f"    {json.dumps(arguments)}\n      {done.stdout.partition(chr(10))[0]}")
        return done.stdout


def _joined(task: Task, answers: bool) -> list[list[Step]]:
    """The steps of `task`, each with those that answer what it asks."""
    if not answers:
        return [[step] for step in task.earlier or task.steps]
    calls: list[list[Step]] = []
    for step in task.steps:
        if step.asked:
            calls[-1].append(step)
        else:
            calls.append([step])
    return calls


def _undecided(first: str) -> bool:
    return first.startswith(("sent", "pressed")) or " timed out " in first


def _shown(step: Step, answers: list[str]) -> bool:
    return not step.see or any(step.see in answer for answer in answers)


def play(tree: Path | None = None, *, talk: bool = False) -> int:
    """Prints the calls by task; 1 where this tree's are more than TARGET."""
    root = (tree or ROOT).resolve()
    calls = {task.name: _played(task, root, talk=talk) for task in tasks(free_port())}
    now, before = sum(calls.values()), sum(BEFORE.values())
    rows = [("task", "calls", "before"), *((name, calls[name], BEFORE[name]) for name in calls)]
    print("\n".join(f"{name:<10} {one:>5} {two:>6}" for name, one, two in rows))
    print(f"all        {now:>5} {before:>6}   {now / before:.0%}")
    return int(tree is None and now > TARGET)


def _played(task: Task, tree: Path, *, talk: bool) -> int:
    with ExitStack() as stack:
        lane = stack.enter_context(Lane())
        home = lane.folder / "home"
        for name, text in task.files.items():
            (home / name).write_text(text)
        environment = lane.environment
        if task.name == "ssh":
            ssh = stack.enter_context(devbox(lane.folder / "devbox", known=False))
            environment["PATH"] = f"{ssh}:{environment['PATH']}"
        prepared = ["bash", "-ec", task.prepare]
        subprocess.run(prepared, cwd=home, env=environment, check=True, capture_output=True)
        size = ["-x", str(SIZE[0]), "-y", str(SIZE[1])]
        shell = ["bash", "--norc", "--noprofile"]
        lane.tmux("new-session", "-d", "-s", "shared", *size, "-c", str(home), *shell)
        player = Player(tree, environment, talk=talk)
        return player.play(task)
