"""The shapes of a command and its output, in the language of a shell or REPL (languages.toml), for any size of pane."""

import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path

PAUSE = 2.5  # seconds for which a command that is cut off by a limit works
Pair = tuple[str, str] | None  # a command and its output; None: not in this language


@dataclass(frozen=True)
class Pane:
    """Columns, rows, and rows of history."""
    columns: int
    rows: int
    history: int

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows}, history {self.history}"


@dataclass(frozen=True)
class Language:
    """See the file. `longest`: characters of a line that the program takes."""
    forms: dict[str, list[str]]
    action: str = "run"
    longest: int = 100_000

    def pair(self, form: str, length: int = 0, **words: object) -> Pair:
        """A command and its output; `words` stand for those in capitals, and `length` characters are reached by PAD."""
        if not self.forms.get(form):
            return None
        command, output = self.forms[form]
        for name, it in words.items():
            command, output = (one.replace(name.upper(), str(it)) for one in (command, output))
        pad = length - len(command.replace("PAD", ""))
        if "PAD" in command and (pad < 0 or length > self.longest):
            return None
        return command.replace("PAD", "a" * pad), output


@dataclass(frozen=True)
class Shape:
    """form: of the language's; rows, less: the command ends `less` cells before the end of its row number `rows`,
    counted from below the screen if it is `taller`; text: what is printed, by so many `columns` a time if that is
    given; last, screens: how many numbers are printed; limit: seconds after which a call is cut off and another one
    waits for the rest; lossy: the output is longer than the history; refusable: it may be refused."""
    form: str
    rows: int = 0
    less: int = 0
    taller: bool = False
    text: str = ""
    columns: int = 0
    name: str = ""
    last: int = 0
    screens: float = 0
    limit: float = 0
    lossy: bool = False
    refusable: bool = False

    def pair(self, language: Language, pane: Pane, prompt: str) -> Pair:
        length = pane.columns * (self.rows + (pane.rows if self.taller else 0)) - width(prompt) - self.less
        text = self.text * (pane.columns // self.columns if self.columns else 1)
        command, _ = language.pair(self.form, name=self.name) or ("", "")
        text = text.replace("PROMPT", prompt).replace("COMMAND", command)
        last = self.last or int(pane.rows * self.screens)
        words = {"text": text, "numbers": numbers(last), "last": last, "name": self.name}
        return language.pair(self.form, length, **words, pause=PAUSE)


def width(text: str) -> int:
    return sum(1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)


def numbers(last: int) -> str:
    return "\n".join(map(str, range(1, last + 1)))


def _languages() -> dict[str, Language]:
    rows = tomllib.loads(Path(__file__).with_name("languages.toml").read_text(encoding="utf-8"))
    found = {}
    for name, row in rows.items():
        facts = {key: row.pop(key) for key in ("action", "longest") if key in row}
        found[name] = Language({**rows.get(row.pop("like", ""), {}), **row}, **facts)
    return found


LANGUAGES = _languages()
SHAPES = {
    "short": Shape("say", text="short"), "three rows": Shape("padded", rows=3, less=4),
    "exactly one row": Shape("padded", rows=1), "exactly two rows": Shape("padded", rows=2),
    "one cell less than a row": Shape("padded", rows=1, less=1),
    "one cell less than two rows": Shape("padded", rows=2, less=1), "no output": Shape("silent"),
    "no output, a full row": Shape("silent_row", rows=1), "wide characters": Shape("say", text="漢字", columns=8),
    "emoji": Shape("say", text="🎉👍", columns=8),
    "taller than the screen": Shape("padded", rows=2, taller=True, refusable=True),
    "no newline": Shape("unended", text="no end"), "no newline, a full row": Shape("unended", text="r", columns=1),
    "repeats the command": Shape("file", name="q", text="COMMAND\nCOMMAND"),
    "like the prompt": Shape("file", name="p", text="top\nPROMPTCOMMAND\nmid"), "blank rows": Shape("blank_rows"),
    "blank rows between": Shape("blank_rows_between"), "more rows than the screen": Shape("rows", screens=1.5),
    "three lines": Shape("lines"), "block": Shape("block"), "heredoc": Shape("heredoc"),
    "cut off by the limit": Shape("slow", screens=2, limit=0.5), "clear first": Shape("cleared"),
    "clear first, again": Shape("cleared"), "more than the history": Shape("rows", last=200, lossy=True)}
