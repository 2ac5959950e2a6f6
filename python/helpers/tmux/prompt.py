"""Prompts: what they look like, which are known on a pane, and what somebody has typed behind one.

This is the one home of that knowledge. Everything here is pure. Three questions are kept apart:

* `has_form(line)`: could this line, as it ends at the cursor, be a prompt? Asked where nothing else
  tells (ssh, node), so it is strict.
* `continuation(line, program)`: does the program ask for the rest of a command?
* `split(line, known)`: a prompt is on this line; where does it end? Asked where a prompt is known
  to be there, so it is liberal: every sign that `has_form` knows splits, and some more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

LONGEST = 400  # characters of a line that patterns look at: they stay linear, no prompt is longer
TALLEST = 4  # rows of a prompt above its last one
ALIKE = 3  # characters that the prompts of one shell have in common: fish's holds a status
_VARIES = "·"  # for a part of a prompt that changes

# Signs that end a prompt: `root@vm:~#`, `me@host ~>`, `host%` (not 57%: progress says that).
_ASCII_SIGN = r"(?:[$#>]|(?<!\d)%)"
# Signs of prompt themes, which nobody types into a command: `❯`, `➜`, `λ`, `⚡`.
_THEME_SIGN = r"[❯➜»λ→▶⟩›❱⮞⇒⚡]"
# oh-my-zsh marks a changed repository behind its arrow: `➜  src git:(main) ✗`.
_STATUS_SIGN = r"[✗✘✔✓±]"
# Whole-line prompts without such a sign at their end: `(gdb)`, `(Pdb++)`, `In [3]:`, `>>>`.
_REPL = r"(?:>>>|\((?:gdb|lldb|rr|[iI]?[pP]db\+*)\)|In \[\d+\]:|pry\([^()]*\)>)"

_FORM = re.compile(rf"(?:{_ASCII_SIGN}|{_THEME_SIGN}|^\s*➜.*{_STATUS_SIGN})$|^{_REPL}$")
# `sqlite>`, `scheme@(guile-user) [1]>`, `DB<1>`: a REPL's, also where it collects whole lines.
_REPL_LINE = re.compile(rf"^(?:{_REPL}|[\w.@()\[\]:*-]+(?: \[\d+\])?>|DB<+\d+>+)$")
_SPLITS = re.compile(rf"(?:^{_REPL}|{_ASCII_SIGN}|{_THEME_SIGN}|{_STATUS_SIGN})(?=\s|$)")
# What themes show between two signs: `~/src`, `src git:(main)`, `(main)`.
_SHOWN_BY_THEME = re.compile(r"^(?:[~/]\S*|(?:\S+ )?\S*\([^()]*\))?$")

_ENVIRONMENT = re.compile(r"^\([\w.+/-]+\)\s*$")  # `(venv) `, put before a prompt that was known
# A line typed behind a prompt in its first word: `> 1 + 1`, `me@host:~$ ls`.
_AT_FIRST_WORD = re.compile(rf"^(?:{_REPL}|\S{{0,80}}(?:{_ASCII_SIGN}|{_THEME_SIGN})) \S")
# What changes from prompt to prompt: a directory, a counter, a clock.
_VARYING = re.compile(r"[~/][^\s$#%>\]):]*|\d+")
_PATH = re.compile(r"[~/]\S*|\d+")  # the same in its upper rows, where a path may hold anything

# Continuations. What zsh calls each kind of open construct: `quote>`, `for then>`.
_PS2_ZSH = re.compile(
    r"^(?:(?:d|b)?quote|heredocd?|cmdsubst|subsh|cursh|math|pipe|function|for|foreach|select|repeat"
    r"|while|until|if|then|else|elif|case|braceparam|mathsubst|cmdand|cmdor|array|errmathsubst)"
    r"(?: [a-z]+){0,8}>$"
)
# `...`, `   ...>` (sqlite), `   ...:` (ipython), `-> '>` (mysql), `db-#` (psql), `...(2)>` (iex).
_CONTINUATION = re.compile(
    r"^(?:\.{3,}(?:\(\d+\)>)?|\s+\.{3}>|\s*\.{3}:|\s*[-'\"`/]\*?>|\w+[-'\"($*][#>]"
    r"|irb\([^()]*\):\d+(?::\d+)?\*|[\w()\[\]]*[-'\"`]>)$"
)
_CONTINUATION_OF = {  # text that is a continuation in this program only
    "lua": re.compile(r"^>>$"),
    "gdb": re.compile(r"^>+$"),
    "node": re.compile(r"^\|$"),
    "php": re.compile(r"^php [{(\"'*\[]$"),
    "R": re.compile(r"^\+$"),
    "octave": re.compile(r"^>$"),
    "zsh": _PS2_ZSH,
}
# What precedes a further line of one command on the screen.
CONTINUED = re.compile(
    r"^\s*(?:>>|(?:[a-z]+(?: [a-z]+){0,5})?>|\.{2,}(?:\(\d+\))?[>:]?|[\w()]*[-'\"(*$]>"
    r"|\w+[-'\"($*][#>]"
    r"|irb\([^()]*\):\d+(?::\d+)?\*|php [{(\"'*\[]|\|) ?"
)
# dash prints one for each line that was typed ahead, and perhaps its prompt: `> > $ `.
AHEAD = re.compile(r"\s*(?:> ?)+(?:[^\s>]{1,40} ?)?")


@dataclass(frozen=True, slots=True)
class Split:
    """A line with a prompt on it: the prompt and what is typed behind it, both without blanks."""

    prompt: str
    typed: str


def has_form(line: str) -> bool:
    """Has `line`, up to the cursor, the form of a prompt?"""
    return bool(_FORM.search(line.rstrip()[-LONGEST:]))


def is_repl(line: str) -> bool:
    """Is `line` as a whole a REPL's prompt, with no word before it?"""
    return bool(_REPL_LINE.match(line.strip()[:LONGEST]))


def continuation(line: str, program: str, shell: bool) -> bool:
    """Does `line`, up to the cursor, ask for the rest of a command? `shell`: program is a shell."""
    end = line.rstrip()[-LONGEST:]
    if not end or program == "fish":  # fish has no such text, it indents
        return False
    if shell and end == ">":
        return True
    form = _CONTINUATION_OF.get(program)
    if form is not None and form.match(end):
        return True
    return not shell and bool(_CONTINUATION.match(end))


def foreign_continuation(line: str) -> bool:
    """The same where the program is remote: any shell's or REPL's."""
    end = line.rstrip()[-LONGEST:]
    return end == ">" or bool(_CONTINUATION.match(end) or _PS2_ZSH.match(end))


def _normal(text: str, varies: re.Pattern[str] = _VARYING) -> tuple[str, list[int]]:
    """`text` with what varies in a prompt replaced by one sign each, and the place in `text` of
    each character of it."""
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for varying in varies.finditer(text):
        parts += [text[at : varying.start()], _VARIES]
        places += [*range(at, varying.start()), varying.start()]
        at = varying.end()
    return "".join([*parts, text[at:]]), [*places, *range(at, len(text) + 1)]


def same(one: str, other: str) -> bool:
    """Are both one prompt, but for directories and numbers in it?"""
    return _normal(one.strip())[0] == _normal(other.strip())[0] != ""


def typed_behind(line: str, known: Iterable[str]) -> bool:
    """Is something typed behind a prompt on `line`, of a program that hides its state? Stricter
    than `split`: the prompt is a known one, or is the line's first word."""
    result = split(line, known)
    if result is None or not result.typed:
        return False
    return result.prompt in [p.strip() for p in known] or bool(_AT_FIRST_WORD.match(line))


def split(line: str, known: Iterable[str] = (), rows: Sequence[str] = ()) -> Split | None:
    """Where the prompt on `line` ends. None: it cannot be told.

    `known`: prompts seen here, the likeliest first; `rows`: rows above, in which earlier prompts
    may show. The order of evidence: known prompts, the signs, earlier rows.
    """
    line = line.strip("\n")[-8 * LONGEST :]
    normal, places = _normal(line)
    for prompt in known:
        pattern = _normal(prompt.strip())[0]
        at = normal.rfind(pattern) if pattern else -1
        if at >= 0:  # output may be glued before it
            begin, end = places[at], places[at + len(pattern)]
            return Split(line[begin:end].strip(), line[end:].strip())
    behind = _sign_end(line)
    if behind is None:
        behind = _rows_end(line, rows)
    return None if behind is None else Split(line[:behind].strip(), line[behind:].strip())


def _sign_end(line: str) -> int | None:
    """The end of the prompt by its signs; None where there is none.

    It is the first sign. A theme's sign is never typed, so a later one belongs to the prompt too;
    and so does `$` behind a theme's sign and what a theme shows: `➜ ~ $`.
    """
    signs = list(_SPLITS.finditer(line[: 8 * LONGEST]))
    if not signs:
        return None
    end, theme = signs[0].end(), not signs[0].group().isascii()
    for sign in signs[1:]:
        shown = _SHOWN_BY_THEME.match(line[end : sign.start()].strip())
        if sign.group().isascii() and not (theme and shown):
            break
        end, theme = sign.end(), not sign.group().isascii()
    return end


def _rows_end(line: str, rows: Sequence[str]) -> int | None:
    """The end of the prompt by earlier rows that begin alike: the shortest common beginning."""
    ends = []
    for row in rows:
        count = 0
        for mine, other in zip(line + " ", row, strict=False):
            if mine != other:
                break
            count += 1
        end = line.rfind(" ", 0, count + 1) + 1 if count < len(line) else len(line)
        if end and line[:end].strip() and len(row.rstrip()) > len(line[:end].rstrip()):
            ends.append(end)
    return min(ends, default=None)


def glued(left: str, known: Iterable[str]) -> int | None:
    """Where in `left` a known prompt begins that ends it: 0 alone, more behind output without a
    line break. None where no known prompt ends `left`.
    """
    left = left.rstrip()
    known = [prompt.rstrip() for prompt in known]
    if left in known:
        return 0
    ends = [prompt for prompt in known if prompt and left.endswith(prompt)]
    if ends:
        begin = len(left) - max(map(len, ends))
        return 0 if _ENVIRONMENT.match(left[:begin]) else begin
    normal, places = _normal(left)
    for pattern in (_normal(prompt)[0] for prompt in known if prompt):
        if normal.endswith(pattern):
            return places[len(normal) - len(pattern)]
    return None


def same_row(one: str, other: str) -> bool:
    """Are both the same upper row of a prompt, but for directories and numbers?"""
    return _normal(one.rstrip(), _PATH)[0] == _normal(other.rstrip(), _PATH)[0]


def upper_rows(above: Sequence[str], prompts: Sequence[str]) -> list[str] | None:
    """The rows of a prompt above its last one: those at the end of `above` (all that is above the
    last row) that are above every earlier prompt like it too. None where no earlier one is there.
    `prompts`: the one that is there, then older ones."""
    alike = [prompt for prompt in prompts if prompt[:ALIKE] == prompts[0][:ALIKE]]
    earlier = [at for prompt in alike for at in _places(above, prompt)]
    tall = min((_common(above, above[:at]) for at in earlier), default=None)
    return None if tall is None else list(above[len(above) - tall :])


def still_above(above: Sequence[str], upper: list[str]) -> list[str]:
    """The rows of `upper`, from the last one on, that are above this prompt too; all where not
    enough is in `above` to tell."""
    if len(above) < len(upper) or without_rows(list(above), upper) is not None:
        return upper
    return upper[len(upper) - _common(above, upper) :]


def _places(rows: Sequence[str], prompt: str) -> list[int]:
    """The rows that begin with `prompt`."""
    pattern = _normal(prompt.strip())[0]
    if not pattern:
        return []
    return [at for at, row in enumerate(rows) if _normal(row[:LONGEST])[0].startswith(pattern)]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many rows at the end of both are the same, and may be a prompt's: a number is none."""
    pairs = zip(reversed(one[-TALLEST:]), reversed(other[-TALLEST:]), strict=False)
    alike = takewhile(lambda pair: same_row(*pair) and not pair[0].strip().isdecimal(), pairs)
    return sum(1 for _ in alike)


def without_rows(body: list[str], upper: Sequence[str]) -> list[str] | None:
    """`body` without the rows `upper` at its end, the first of which may follow output without a
    line break; None where `body` does not end so.
    """
    if not upper or len(body) < len(upper):
        return None
    if not all(map(same_row, body[len(body) - len(upper) + 1 :], upper[1:])):
        return None
    row, top, rest = body[-len(upper)].rstrip(), upper[0].rstrip(), body[: -len(upper)]
    if same_row(row, top):
        return rest
    if row.endswith(top):
        return [*rest, row.removesuffix(top)]
    (text, places), pattern = _normal(row, _PATH), _normal(top, _PATH)[0]
    glued_to = pattern.strip(_VARIES) and text.endswith(pattern)
    return [*rest, row[: places[len(text) - len(pattern)]]] if glued_to else None
