"""How to say the same few things in shells and REPLs: commands whose output is known."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

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
    """A REPL in which `%s` in `prints` is a text and `counts` prints the numbers up to %d."""

    prints: str
    counts: str
    shown: str = "%s"  # how a printed text stands there
    ends: str = ""  # what stands below the output of `counts`
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


SHELL, DASH, BUSYBOX, FISH = Shell(), Dash(), Busybox(), Fish()
PYTHON = Python(
    "print('%s')",
    r"print(*range(1,%d+1),sep='\n')",
    comment=(" #", ""),
    multi=("print('one')\nx=1\nprint('three')", "one\nthree"),
    nested=("for i in (1,2,3):\n    print(i)\n", "1\n2\n3"),
    raw=("import sys;n=sys.stdout.write('no end')", "no end"),
    pausing=r"import time;print(*(time.sleep(%s*(i==4)) or i for i in range(1,%d+1)),sep='\n')",
)
# its editor takes several lines for one block, which an empty line ends
PYTHON_313 = replace(PYTHON, multi=("print('one')\nx=1\nprint('three')\n", "one\nthree"))
SQLITE = Repl(
    "select '%s';",
    "with recursive c(n) as (select 1 union all select n+1 from c where n<%d) select n from c;",
    multi=("select 1;\nselect 2;\nselect 3;", "1\n2\n3"),
    nested=("select\n 'one'\n;", "one"),
)
NODE = Repl(
    "'%s'",
    "for(let i=1;i<=%d;i++)console.log(i)",
    shown="'%s'",
    ends="\nundefined",
    multi=("1+0\n2+0\n3+0", "1\n2\n3"),
    nested=("for(let i=1;i<3;i++){\nconsole.log(i)\n}", "1\n2\nundefined"),
    raw=("process.stdout.write('no end')", "no endtrue"),
)
LUA = Repl(
    "print('%s')",
    "for i=1,%d do print(i) end",
    comment=(" --", ""),
    multi=("print(1)\nprint(2)\nprint(3)", "1\n2\n3"),
    nested=("for i=1,3 do\nprint(i)\nend", "1\n2\n3"),
)
IRB = Repl(
    "'%s'",
    "1.upto(%d){|i|puts i}",
    shown='=> "%s"',
    ends="\n=> 1",
    comment=(" #", ""),
    multi=("1+0\n2+0\n3+0", "=> 1\n=> 2\n=> 3"),
    nested=("3.times do |i|\nputs i\nend", "0\n1\n2\n=> 3"),
)
BC = Repl(
    'print "%s\\n"',
    "for(i=1;i<=%d;i++) i",
    multi=("1+0\n2+0\n3+0", "1\n2\n3"),
    nested=("for(i=1;i<4;i++) {\ni\n}", "1\n2\n3"),
    action="send",
)
