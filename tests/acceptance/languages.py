"""Commands with known output, each in the language of several shells and, by languages.toml, of
REPLs."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path

ENDLESS = "no end"  # the text in a row's `raw`


class Shell:
    """A POSIX shell. Each method returns a command and its output, or None where it has none."""

    canonical = False  # the kernel takes at most 4,095 bytes of a line
    longest = 100_000  # characters of a line that the program takes
    action = "run"

    def say(self, text: str) -> tuple[str, str] | None:
        return f"echo {text}", text

    def padded(self, length: int) -> tuple[str, str] | None:
        """A command of `length` characters."""
        command = "echo M; true "
        return command + "a" * (length - len(command)), "M"

    def silent(self, length: int = 4) -> tuple[str, str] | None:
        return "true" if length < 6 else "true " + "a" * (length - 5), ""

    def rows(self, last: int) -> tuple[str, str] | None:
        return f"seq {last}", numbers(1, last)

    def unended(self, text: str) -> tuple[str, str] | None:
        return f"printf '{text}'", text

    def blank_rows(self) -> tuple[str, str] | None:
        return r"printf '\n\none\n\n two\n'", "\n\none\n\n two"

    def file(self, name: str, text: str) -> tuple[str, str] | None:
        return f"cat {shlex.quote(name)}", text

    def lines(self) -> tuple[str, str] | None:
        return "echo one\ntrue\necho three", "one\nthree"

    def block(self) -> tuple[str, str] | None:
        return "for i in 1 2 3; do\necho i$i\ndone", "i1\ni2\ni3"

    def heredoc(self) -> tuple[str, str] | None:
        return "cat <<END\nfirst\n  second\nEND", "first\n  second"

    def slow(self, last: int, pause: float) -> tuple[str, str] | None:
        return f"seq 3; sleep {pause}; seq 4 {last}", numbers(1, last)

    def cleared(self) -> tuple[str, str] | None:
        return "clear; echo after", "after"


class Dash(Shell):
    canonical, longest = True, 4000


class Busybox(Shell):
    longest = 1000


class Fish(Shell):
    def block(self):
        return "for i in 1 2 3\necho i$i\nend", "i1\ni2\ni3"

    def heredoc(self):
        return None


@dataclass
class Repl(Shell):
    """A REPL; see the file."""

    prints: str
    counts: str
    shown: str = "%s"
    ends: str = ""
    comment: tuple[str, str] = (" /*", "*/")
    multi: tuple[str, str] | None = None
    nested: tuple[str, str] | None = None
    raw: tuple[str, str] | None = None
    pausing: str = ""
    action: str = "run"
    longest: int = 100_000

    def say(self, text):
        return self.prints % text, self.shown % text

    def padded(self, length):
        command = self.prints % "M"
        rest = length - len(command) - sum(map(len, self.comment))
        if rest < 0:
            return None
        before, behind = self.comment
        if command.endswith(";"):
            return command[:-1] + before + "a" * rest + behind + ";", self.shown % "M"
        return command + before + "a" * rest + behind, self.shown % "M"

    def silent(self, length=4):
        return None

    def rows(self, last):
        return self.counts % last, numbers(1, last) + self.ends

    def unended(self, text):
        return self.raw and (self.raw[0].replace(ENDLESS, text), self.raw[1].replace(ENDLESS, text))

    def blank_rows(self):
        return None

    def file(self, name, text):
        return None

    def lines(self):
        return self.multi

    def block(self):
        return self.nested

    def heredoc(self):
        return None

    def slow(self, last, pause):
        if not self.pausing:
            return None
        return self.pausing % (pause, last), numbers(1, last)

    def cleared(self):
        return None


class Python(Repl):
    def silent(self, length=4):
        return ("x=1", "") if length < 6 else ("x=1 #" + "a" * (length - 5), "")

    def blank_rows(self):
        return r"print('\n\none\n\n two')", "\n\none\n\n two"

    def file(self, name, text):
        return f"print(open('{name}').read(),end='')", text


def numbers(first: int, last: int) -> str:
    return "\n".join(map(str, range(first, last + 1)))


def _repls() -> dict[str, Shell]:
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    kinds = {name: Python if name.startswith("PYTHON") else Repl for name in rows}
    return {name: kinds[name](**row) for name, row in rows.items()}


LANGUAGES = {"SHELL": Shell(), "DASH": Dash(), "BUSYBOX": Busybox(), "FISH": Fish(), **_repls()}
