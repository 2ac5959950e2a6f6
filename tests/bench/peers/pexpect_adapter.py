"""pexpect as a control: a terminal of its own, no person in it, and the shell set up as
pexpect.replwrap does it (a unique prompt, zsh without its line editor)."""

from __future__ import annotations

import os

import pexpect
from worker import Adapter, serve

UNIQUE = "[PEXPECT_PROMPT>"  # replwrap's own
SHELLS = {
    "bash": ["bash", "--norc", "--noprofile"],
    "zsh": ["zsh", "--no-rcs", "-V", "+Z"],
    "dash": ["dash", "-i"],
}


class Pexpect(Adapter):
    package = "pexpect"

    def open(self, place: dict) -> None:
        super().open(place)
        environment = {**os.environ, **place["environment"]}
        argv = SHELLS.get(place["shell"], place["argv"])
        self.prompt = UNIQUE
        if place["prompt"] and place["prompt"] not in place["environment"].get("PS1", ""):
            self.prompt = place["prompt"]  # a REPL's; the shell's own is unique all the same
        elif "\n" in place["prompt"]:
            self.prompt = place["prompt"].split("\n")[-1]  # the scenario is about this prompt
        if self.prompt == UNIQUE or place["prompt"] == ">>> ":
            environment["PS1"] = UNIQUE
        how = {"dimensions": (30, 120), "encoding": "utf-8", "echo": False, "timeout": 20}
        where = {"env": environment, "cwd": place["folder"]}
        self.child = pexpect.spawn(argv[0], argv[1:], **where, **how)
        if place["shell"] in SHELLS:
            self.child.expect_exact(UNIQUE if place["prompt"] == ">>> " else self.prompt)

    def prepare(self, text: str) -> None:
        self.child.sendline(text)
        self.child.expect_exact(self.prompt)

    def do(self, text: str, timeout: float) -> str:
        while True:  # what an answer too early left behind
            try:
                self.child.read_nonblocking(65536, 0.05)
            except pexpect.TIMEOUT:
                break
        self.child.sendline(text)
        patterns = [self.prompt] + ([self.question] if self.question else []) + [pexpect.TIMEOUT]
        found = self.child.expect_exact(patterns, timeout=timeout)
        return "timeout" if found == len(patterns) - 1 else "ready"


if __name__ == "__main__":
    serve(Pexpect)
