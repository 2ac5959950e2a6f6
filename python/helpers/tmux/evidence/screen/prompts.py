"""Prompts: what they look like, which are known on a pane, and the text typed after one.

This is the one home of that knowledge. Everything here is pure. Three functions are kept apart:

* `has_form(line)`: whether the line, up to the cursor, may be a prompt. Used if nothing else shows
  one (ssh, node), so it is strict.
* `continuation(line, traits)`: whether the program asks for the rest of a command.
* `split(line, known)`: where the prompt on the line ends. Used if a prompt is known to be there, so
  it is liberal: every sign that `has_form` knows splits, and some more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile

from ..programs import Program
from .question_line import LONGEST

_BY_CHANCE = 2  # characters of a prompt that a command may contain by chance

# Signs that end a prompt: `root@vm:~#`, `me@host ~>`, `host%` (but not `57%`, which is progress).
_ASCII_SIGN = r"(?:[$#>]|(?<!\d)%)"
# Signs of prompt themes, which are not typed in commands: `❯`, `➜`, `λ`, `⚡`.
_THEME_SIGN = r"[❯➜»λ→▶⟩›❱⮞⇒⚡]"
# oh-my-zsh marks a changed repository after its arrow: `➜  src git:(main) ✗`.
_STATUS_SIGN = r"[✗✘✔✓±]"
# Powerline's separators: ` me@host \ue0b0 ~/src \ue0b0 main \ue0b0 `.
_SEPARATORS = "\ue0b0\ue0b4\ue0b8\ue0bc\ue0c0\ue0c4\ue0c6\ue0c8\ue0cc\ue0d2"
# Whole-line prompts without such a sign at their end: `(gdb)`, `(Pdb++)`, `In [3]:`, `>>>`.
_REPL = r"(?:>>>|\((?:gdb|lldb|rr|[iI]?[pP]db\+*)\)|In \[\d+\]:|pry\([^()]*\)>)"

_FORM = re.compile(rf"(?:{_ASCII_SIGN}|{_THEME_SIGN}|^\s*➜.*{_STATUS_SIGN})$|^{_REPL}$")
# `sqlite>`, `scheme@(guile-user) [1]>`, `DB<1>`: prompts of REPLs, also in canonical mode.
_REPL_LINE = re.compile(rf"^(?:{_REPL}|[\w.@()\[\]:*-]+(?: \[\d+\])?>|DB<+\d+>+)$")
_SPLITS = re.compile(
    rf"(?:^{_REPL}|{_ASCII_SIGN}|{_THEME_SIGN}|{_STATUS_SIGN}|[{_SEPARATORS}])(?=\s|$)"
)
# Texts that themes show between two signs: `~/src`, `src git:(main)`, `(main)`.
_SHOWN_BY_THEME = re.compile(r"^(?:[~/]\S*|(?:\S+ )?\S*\([^()]*\))?$")
_BRANCH = r"(?:\s+(?:git:)?\([^()\s]*\))?"  # ` git:(main)`, ` (main)`
_THEMED = re.compile(rf"(?<!\S)(?:{_THEME_SIGN}|[{_SEPARATORS}])(?=\s|$)")
_VENV = r"\([\w.+/-]+\)"  # `(venv)`, put before a prompt
# A first word of one symbol, such as `🚀 `, which is not typed. Letters are words: `λ`, `и`.
_SYMBOL = re.compile(rf"\s*(?:{_VENV}\s+)?[^\w\s\x00-\x7f]+(?=\s|$)")

# A line typed after a prompt of one word: `> 1 + 1`, `me@host:~$ ls`.
_AT_FIRST_WORD = re.compile(rf"^(?:{_REPL}|\S{{0,80}}(?:{_ASCII_SIGN}|{_THEME_SIGN})) \S")
# What changes from prompt to prompt: a directory, a counter, a clock.
_VARYING = r"(?>[~/][^\s$#%>\]):]*|\d+)++"

# Continuations: `...`, `   ...>` (sqlite), `   ...:` (ipython), `-> '>` (mysql), `...(2)>` (iex);
# `db-#` (psql).
_REST = r"\w+[-'\"($*][#>]"
_SIGNS = " >|*:#$%/[{(\"'`)]}"
_CONTINUATION = re.compile(
    r"^(?:\.{3,}(?:\(\d+\)>)?|\s+\.{3}>|\s*\.{3}:|\s*[-'\"`/]\*?>|[\w()\[\]]*[-'\"`]>"
    rf"|{_REST})$"
)
# The signs before the further lines of one command on the screen; `>>>` is python's prompt.
CONTINUED = re.compile(
    r"^(?!>>>)\s*(?:>>|(?:[a-z]+(?: [a-z]+){0,5})?>|\.{2,}(?:\(\d+\))?[>:]?|[\w()]*[-'\"(*$]>"
    rf"|php [{{(\"'*\[]|irb\([^()]*\):\d+(?::\d+)?\*|\||{_REST}) ?"
)


@dataclass(frozen=True, slots=True)
class Split:
    """A line with a prompt on it: the prompt and the text typed after it, both stripped.
    `known`: that prompt was seen before; `begin`: the column at which it begins."""

    prompt: str
    typed: str
    known: bool = field(default=False, compare=False)
    begin: int = field(default=0, compare=False)


def has_form(line: str) -> bool:
    """Whether `line`, up to the cursor, has the form of a prompt."""
    return bool(_FORM.search(line.rstrip()[-LONGEST:]))


def is_repl(line: str) -> bool:
    """Whether the whole `line` is a REPL's prompt, with no word before it."""
    return bool(_REPL_LINE.match(line.strip()[:LONGEST]))


def continuation(line: str, traits: Program, known: Iterable[str] = ()) -> bool:
    """Whether `line`, up to the cursor, asks for the rest of a command. `traits`: the program's. It
    may be a known prompt except for the signs at its end: `ghci|`, `php {`, `irb(main):002:1*`."""
    end = line.rstrip()[-LONGEST:]
    if not end or traits.indents:
        return False
    if traits.rest is not None and traits.rest.match(end):
        return True
    if traits.shell:
        return end == ">"
    stem = end.rstrip(_SIGNS)
    alike = stem != end and any(same(stem, prompt.rstrip(_SIGNS)) for prompt in known)
    return bool(_CONTINUATION.match(end) or (alike and not has_form(end)))


def same(first: str, second: str) -> bool:
    """Whether both are the same prompt, except for directories and numbers in it."""
    return bool(first.strip()) and bool(re.fullmatch(_pattern(first), second.strip()))


def is_prompt(line: str, known: Iterable[str]) -> bool:
    """Whether `line` is a known prompt and nothing else."""
    return any(same(line, prompt) for prompt in known)


def contains_prompt(text: str, known: Iterable[str]) -> bool:
    """Whether the typed `text` contains a known prompt that is too long for a coincidence (`$`)."""
    return any(len(p.strip()) > _BY_CHANCE and _at_known(text, p) for p in known)


def typed_behind(line: str, known: Iterable[str]) -> bool:
    """Whether text is typed after a prompt on `line`, in a program that hides its state. Stricter
    than `split`: the prompt is a known one, or is the line's first word."""
    result = split(line, known)
    if result is None or not result.typed:
        return False
    return result.known or bool(_AT_FIRST_WORD.match(line))


def begins(line: str, known: Iterable[str]) -> bool:
    """Whether `line` begins with a known prompt."""
    found = filter(None, (_at_known(line[:LONGEST], prompt) for prompt in known))
    return any(prompt.begin == 0 for prompt in found)


def edited(line: str, known: Iterable[str]) -> bool:
    """Whether `line` begins with a known prompt, followed by typed text."""
    result = split(line[:LONGEST], known)
    if result is None or not (result.known and result.typed):
        return False
    return line.lstrip().startswith(f"{result.prompt} ")


def is_themed(line: str) -> bool:
    """Whether `line` contains a prompt theme's sign as a separate word. No question has one."""
    return bool(_THEMED.search(line[-LONGEST:]))


def directory_names(path: str, home: str) -> tuple[str, ...]:
    """The names of the directory `path` in prompts, the longest first: `/home/me/src`, `~/src`,
    `src`."""
    if not path:
        return ()
    inside = path == home or path.startswith(home + "/")
    last = path.rpartition("/")[2] or "/"
    names = {path, last, "~" + path[len(home) :] if inside else path}
    return tuple(sorted(names, key=len, reverse=True))


def split(
    line: str,
    known: Iterable[str] = (),
    rows: Sequence[str] = (),
    directory: Sequence[str] = (),
    untouched: bool = False,
) -> Split | None:
    """The prompt on `line` and the text typed after it; None if unknown.

    `known`: prompts seen here, the likeliest first; `rows`: rows above, which may show earlier
    prompts; `directory`: names of the directory that a prompt may show. The order of evidence:
    known prompts, the signs, earlier rows. `untouched`: nobody has typed on the line, so the text
    before the last known prompt is output.
    """
    line = line[-8 * LONGEST :]
    found = list(filter(None, (_at_known(line, prompt, untouched) for prompt in known)))
    if found:  # one prompt may end with another: `#`, `root@host:~#`
        return min(found, key=lambda each: (untouched and len(each.typed), each.begin))
    behind = _sign_end(line, directory)
    if behind is None:
        behind = _rows_end(line, rows)
    return None if behind is None else Split(line[:behind].strip(), line[behind:].strip())


@lru_cache(maxsize=64)
def _at_known(line: str, prompt: str, last: bool = False) -> Split | None:
    """`line`, split at the known `prompt`: at the beginning of the line; else, or with `last`, at
    the prompt's last occurrence, after output without a line break."""
    if not prompt.strip():
        return None
    for pattern in (re.escape(prompt.strip()), _pattern(prompt)):
        sign = rf"((?:^\s*(?:{_VENV}\s*)?)?{pattern})"
        first = None if last else re.match(rf"{sign}(?=\s|$)", line)
        if found := first or next(iter([*re.finditer(sign, line)][-1:]), None):
            return Split(found[1].strip(), line[found.end() :].strip(), True, found.start())
    return None


def _pattern(prompt: str) -> str:
    """A regex that matches `prompt` with any directory and any numbers in it."""
    return _VARYING.join(map(re.escape, re.split(_VARYING, prompt.strip())))


def _sign_end(line: str, directory: Sequence[str]) -> int | None:
    """The end of the prompt by its signs; None if there is none.

    The first sign ends it. After a theme's sign comes the text that the theme shows, perhaps with
    one more sign: `➜ ~ $`, `➜  src git:(main) ✗`. All of Powerline's separators belong to it.
    """
    signs = list(_SPLITS.finditer(line))
    if symbol := _SYMBOL.match(line):
        signs = [symbol, *(sign for sign in signs if sign.start() >= symbol.end())]
    if not signs:
        return None
    shown = "|".join([*map(re.escape, directory), r"\S+(?=\s+git:\()"])
    behind = re.compile(rf"\s*(?:{shown})(?=\s|$){_BRANCH}")
    last = max((at for at, sign in enumerate(signs) if sign[0] in _SEPARATORS), default=0)
    end, theme = 0, False
    for sign in signs[last:]:
        if end and not (theme and _SHOWN_BY_THEME.match(line[end : sign.start()].strip())):
            break
        end, theme = sign.end(), not sign.group().isascii()
        if theme and (named := behind.match(line, end)):
            end = named.end()
    return end


def _rows_end(line: str, rows: Sequence[str]) -> int | None:
    """The end of the prompt by earlier rows that begin alike: of the shortest common beginning."""
    ends = []
    for row in rows:
        alike = takewhile(lambda pair: pair[0] == pair[1], zip(f"{line} ", row, strict=False))
        end = min(row.rfind(" ", 0, len(list(alike))) + 1, len(line))
        if line[:end].strip():
            ends.append(end)
    return min(ends, default=None)


def glued(left: str, known: Iterable[str]) -> int | None:
    """Where the known prompt at the end of `left` begins: 0 if it is alone, more after output
    without a line break. None if `left` does not end with a known prompt."""
    end = left[-8 * LONGEST :]
    found = filter(None, (_at_known(end, prompt, True) for prompt in known))
    begins = (each.begin + len(left) - len(end) for each in found if not each.typed)
    return min(begins, default=None)
