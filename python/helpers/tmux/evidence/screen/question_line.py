"""What a question looks like on one line, left of the cursor. Pure.

Every pattern sees at most LONGEST characters, so that its time is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

LONGEST = 400  # characters of a row that are looked at, or quoted; no question is longer


class Kind(StrEnum):
    """What the program asks for."""

    INPUT = "input"  # a line and Enter
    PASSWORD = "password"  # a line that is not shown
    KEY = "key"  # keys, each of which acts at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`text`: one line as it is on the screen, without boxes, masks and the mark before the answer.
    `strong`: output practically never has this form; a weak question (`Loading: `) may be output.
    """

    kind: Kind
    text: str
    strong: bool


_PROMPT = re.compile(r"^(?:In \[\d+\]|\.{3,}):$")  # IPython's prompts look like questions
_KEY = re.compile(
    r"""(?ix)
    ^\W*(?:please\ )? (?:press|hit|strike|touch)\ (?:the\ |a\ )?
        [<\["'(]? (?:any(?:\ other)?\ key|key\b|enter|ret(?:urn)?\b|space|esc|[b-z]\b)
    | (?:[.!,;(\[<-]\ * | \ (?-i:(?=P))) press\ [<\["'(]?
        (?:any\ key|enter|return|space|[b-z]\b) [^\n]*[^:?\s]$
    | type\ <ret> | --\ ?more\ ?-- | ^\(END\)$ | ^lines\ \d+-\d+ | ^:$
    """
)  # `Press any key to continue...`, `Log file (press RETURN)`; gdb, more, vim, less, systemctl
_YES_NO = re.compile(
    r"""(?ix)
    [\[(] (?:[^\[\]()\n]{0,60}[/|,\ ])? \[?(?:y|yes|j|o|s)\]?
    \ ?(?:/|,|\||\ or\ ) [^()\n]{1,80} [\])]
    (?:\ ?[\[(][^\[\]()\n]{0,80}[\])])?  # the default
    \ ?[:?>]{0,2}$
    """
)  # `Continue? [y/N]`, `(yes/no/[fingerprint])?`, `(y or [n])`, `(Y/I/N/O/D/Z) [default=N] ?`
_PASSWORD = re.compile(
    r"""(?ix)
    (?: pass\ ?(?:word|phrase|code|wort) | kennwort | mot\ de\ passe | contraseña | senha | \bpin\b
      | verification\ code | one-time\ \w+ | \botp\b | \b2fa\b | \b(?:api|secret)[ -]?key
      | \b(?:api|auth|authentication|authorization|access|bearer|personal|security)\ token
    ) [^\n]{0,120} [:：]$
    | \b(?:secret(?:\ (?:word|value))?|token) \ ?[:：]$
    """
)  # `root@host's password:`, `[sudo] password for jo:`, `Enter passphrase for key '/root/.ssh/id':`
_CHOICE = re.compile(
    r"""(?ix)
    [\[(] (?:[a-z][\w-]{0,30} (?:/|,\ ?|\|))+ [a-z?][\w-]{0,30} [\])]
    (?:\ ?[\[(][^\[\]()\n]{0,80}[\])])?
    \ ?[:?]$
    | [\[(][a-z][\])][a-z]+,\ [^\n]{0,120} [\[(][a-z][\])][a-z]+\ ?[:?]$
    """
)  # `Colour [red/green/blue] (red):`, `Stage [y,n,q,a,d,e,?]?`, `[Y]es, (N)o, (C)ancel:`
_WORDS = re.compile(
    r"""(?ix)
    ^(?: (?:please\ )? (?:enter|type\ in|choose|select|pick|specify|provide|paste)\b [^\n]* [:?]
      | (?:[\w.-]+\ )? (?:user\ ?name|login|e-?mail(?:\ address)?) (?:\ for\ [^\n]{1,120})? :
      | read> | \#\? | \?\# )$
    """
)  # `Enter a name:`, `host login:`, `Username for 'https://github.com':`; fish, bash, zsh
_DEFAULT = re.compile(
    r"\w[^\n]*(?:\?\ ?[\[(][^\[\]()\n]{1,120}[\])]:?|\s\[(?!\d+/\d+\])[^\[\]\n]{0,120}\]\ ?[:?])$"
)  # `Ok to proceed? (y)`, `Country Name (2 letter code) [AU]:`
_WEAK = re.compile(
    r"\w[^\n]*(?:[?:：？]|[:：]\ ?[\[(][^\[\]()\n]{1,120}[\])])$"
)  # `Did it work?`, `Installing packages:`, `package name: (p)`
_OUTPUT = re.compile(
    r"""(?ix)
    \w://\S*$  # an address
    | ^\[?\d{2,4}[-/:]\d\d[-/:]\d\d | ^\[?(?:info|warn(?:ing)?|error|debug|trace|fatal)\b  # a log
    | ^traceback\b | \b\d{1,3}\ ?%
    """
)

# A request for a second C-c: `(interrupt again to give up)`, `press Ctrl+C again to exit`.
_AGAIN = re.compile(r"(?i)\b(?:again|twice|once more|second time)\b")
_AGAIN_ROWS = 3  # last rows that are searched for it
_ZSH_KEYS = re.compile(r"\[[a-z]+\]\?$")  # `zsh: correct 'sl' to 'ls' [nyae]?`


def on_line(left: str) -> Question | None:
    """The question in the text left of the cursor, by its form alone."""
    line = left[-LONGEST:].strip()
    if not line or _PROMPT.search(line):
        return None
    kind, strong = Kind.INPUT, True
    if _KEY.search(line):
        kind = Kind.KEY
    elif _PASSWORD.search(line) and not _YES_NO.search(line):
        kind = Kind.PASSWORD
    elif not any(form.search(line) for form in (_YES_NO, _CHOICE, _WORDS, _DEFAULT)):
        if not _WEAK.search(line) or _OUTPUT.search(line):
            return None
        strong = False
    return Question(kind=kind, text=" ".join(line.split()), strong=strong)


_OFFER = re.compile(r"(?i)\bpress \S{1,9} to \w|^› press \S+ [│|]")
_OFFER_ROWS = 5  # last rows, in which a program may say what its keys do
_PAGER = re.compile(
    r"(?i)--\ ?more\ ?--|\(END\)$|^lines \d+|^:$|^Manual page \S+ line \d+"
)  # `--More--(57%)`, `lines 1-20`, `:`: a pager's own prompts ask nothing


def is_pager(text: str) -> bool:
    """Whether `text` is a pager's own prompt, which says no more than its name."""
    return bool(_PAGER.search(text.strip()[-LONGEST:]))


def offers_keys(rows: Sequence[str]) -> bool:
    """Whether the last rows name keys: `press q to quit`, `› Press ? │ show all commands`."""
    shown = list(filter(str.strip, rows))
    return any(_OFFER.search(row[:LONGEST]) for row in shown[-_OFFER_ROWS:])


def zsh_asks(line: str) -> bool:
    """Whether `line`, up to the cursor, is a question of zsh itself, which one key answers."""
    return line.startswith("zsh: ") and bool(_ZSH_KEYS.search(line[-LONGEST:].rstrip()))


def is_key(line: str) -> bool:
    """Whether `line`, up to the cursor, asks for a key: a pager's prompt, `Press any key`."""
    question = on_line(line)
    return question is not None and question.kind is Kind.KEY


def asks_again(rows: Sequence[str]) -> bool:
    """Whether the newest rows ask for a second C-c."""
    return any(_AGAIN.search(row[:LONGEST]) for row in rows[-_AGAIN_ROWS:])
