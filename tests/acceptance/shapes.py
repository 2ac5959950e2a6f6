"""The shapes of a command and its output, for any language and any size of pane."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from .languages import Repl, Shell
from .prompts import Prompt

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
class Shape:
    """`pair(language, pane, prompt)`; `limit`: seconds after which a call is cut off and another
    one waits for the rest; `lossy`: its output is longer than the history; `refusable`: it may be
    refused; `by_program`: only what is known of the program by its name shows where it begins, so
    not over ssh."""

    pair: Callable[[Shell, Pane, Prompt], Pair]
    limit: float = 0
    lossy: bool = False
    refusable: bool = False
    by_program: bool = False


PAUSE = 2.5  # seconds for which a command that is cut off by a limit works


def width(text: str) -> int:
    """Cells that tmux draws `text` in."""
    return sum(1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)


def _filling(rows: int, less: int = 0, silent: bool = False):
    """A command that ends `less` cells before the end of its row number `rows`."""

    def pair(language: Shell, pane: Pane, prompt: Prompt) -> Pair:
        length = pane.columns * rows - width(prompt.last) - less
        return language.silent(length) if silent else language.padded(length)

    return pair


def _taller(language: Shell, pane: Pane, prompt: Prompt) -> Pair:
    length = pane.columns * (pane.rows + 2) + 7
    return language.padded(length) if length <= language.longest else None


def _blank_between(language: Shell, *_: object) -> Pair:
    """Two commands of which the first ends with blank rows."""
    if isinstance(language, Repl):
        return None
    return "printf 'one\\n\\n'\necho two", "one\n\ntwo"


def _wide(text: str):
    def pair(language: Shell, pane: Pane, prompt: Prompt) -> Pair:
        return language.say(text * (pane.columns // 8))

    return pair


def _like_the_prompt(language: Shell, pane: Pane, prompt: Prompt) -> Pair:
    command = (language.file("p", "") or ("", ""))[0]
    return language.file("p", f"top\n{prompt.last}{command}\nmid")


def _the_command_itself(language: Shell, *_: object) -> Pair:
    command = (language.file("q", "") or ("", ""))[0]
    return language.file("q", f"{command}\n{command}")


SHAPES = {
    "short": Shape(lambda language, *_: language.say("short")),
    "three rows": Shape(_filling(3, less=4)),
    "exactly one row": Shape(_filling(1)),
    "exactly two rows": Shape(_filling(2)),
    "one cell less than a row": Shape(_filling(1, less=1)),
    "one cell less than two rows": Shape(_filling(2, less=1)),
    "no output": Shape(lambda language, *_: language.silent()),
    "no output, a full row": Shape(_filling(1, silent=True)),
    "wide characters": Shape(_wide("漢字")),
    "emoji": Shape(_wide("🎉👍")),
    "taller than the screen": Shape(_taller, refusable=True),
    "no newline": Shape(lambda language, *_: language.unended("no end")),
    "no newline, a full row": Shape(lambda language, pane, _: language.unended("r" * pane.columns)),
    "repeats the command": Shape(_the_command_itself),
    "like the prompt": Shape(_like_the_prompt),
    "blank rows": Shape(lambda language, *_: language.blank_rows()),
    "blank rows between": Shape(_blank_between),
    "more rows than the screen": Shape(lambda language, pane, _: language.rows(pane.rows * 3 // 2)),
    "three lines": Shape(lambda language, *_: language.lines()),
    "block": Shape(lambda language, *_: language.block()),
    "heredoc": Shape(lambda language, *_: language.heredoc()),
    "cut off by the limit": Shape(
        lambda language, pane, _: language.slow(pane.rows + 10, PAUSE), limit=0.5
    ),
    "clear first": Shape(lambda language, *_: language.cleared()),
    "clear first, again": Shape(lambda language, *_: language.cleared()),
    "more than the history": Shape(lambda language, *_: language.rows(200), lossy=True),
}
