"""The cursor's line: what a prompt, a continuation and a question look like; what is typed. Pure.

The words of the engine: a *line* is a row with the rows into which it was wrapped. What is *left*
stands left of the cursor, in its row or its line. A *prompt* asks for a command, a *continuation*
for the rest of one, a *question* for anything else. A prompt is *known* if it was proven here
before; else it may have the *form* of one: it ends with a *sign* (`$`, `❯`), or is a REPL's. What
is *typed* stands behind the prompt, *behind* a question.

`has_form` is strict: it is used if nothing else shows a prompt. `split` is liberal: it is used if a
prompt is known to be there. Every pattern sees at most LONGEST characters.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ..base.cells import in_one_line
from ..base.words import Word

LONGEST = 400  # characters of a row that are looked at, or quoted
_LONGEST_LINE = 2000  # characters of a line that may hold a prompt and what is typed
_SHORT = 3  # characters of a prompt that output may end with by chance: `$`, `>>>`

_ASCII_SIGN = r"(?:[$#>]|(?<!\d)%)"  # `root@vm:~#`, `me@host ~>`, `host%`, but not `57%`
_THEME_SIGN = r"[❯➜»λ→▶⟩›❱⮞⇒⚡✗✘✔✓±\ue0b0\ue0b4\ue0b8\ue0bc]"  # signs that nobody types
_REPL = r"(?:>>>|\((?:gdb|lldb|rr|[iI]?[pP]db\+*)\)|In \[\d+\]:|pry\([^()]*\)>)"
# `➜  ~`, `➜  src git:(main)`: the default of oh-my-zsh, whose sign stands in front.
_SIGN_IN_FRONT = rf"^{_THEME_SIGN}[ ]{{1,2}}(?:~\S*|\S+[ ]\w+:\([^()\s]+\))$"
_FORM = re.compile(rf"(?:{_ASCII_SIGN}|{_THEME_SIGN})$|^{_REPL}$|{_SIGN_IN_FRONT}")
_REPL_LINE = re.compile(
    rf"^(?:{_REPL}|(?!(?i:user ?name|login|e-?mail)>)[\w.@()\[\]:*-]+(?: \[\d+\])?>|DB<+\d+>+)$"
)
_PLAIN = re.compile(  # `me@host ~/src (main)>`, `[me@host ~]$`, `(venv) $`
    rf"^(?:(?:\(\S+\) )?(?:\[[^\[\]]*\]|(?:\S+@\S+ )?\S*?(?: \([^\s()]+\))?)"
    rf"(?:{_ASCII_SIGN}|{_THEME_SIGN})|{_REPL})$"
)
_SPLITS = re.compile(rf"(?:^{_REPL}|{_ASCII_SIGN}|{_THEME_SIGN}+)(?=\s|$)")
# `me@host:/srv$`, `[me@host srv]$`
_ME_AT_HOST = re.compile(
    rf"[\w.-]+@[\w.-]+[: ][~/][^\s$#>]*{_ASCII_SIGN}|\[\S+@\S+ \S+\]{_ASCII_SIGN}"
)
_IN_FRONT = r"(?:\([^()\s]+\) )*"  # of a prompt, the environment: `(venv) `
# A directory, a counter, a clock, a branch: `(main)`; a directory's name: `➜  src`
_VARYING = (
    r"(?>[~/][^\s$#%>\]):]*|(?:(?<=➜ )|(?<=➜  ))[\w.-]+|\d+"
    r"|(?:(?<=[ ]\()|(?<=git:\())[^()\s]+(?=\)))++"
)
_SHOWN_BY_THEME = re.compile(r"^(?:[~/]\S*|(?:\S+ )?\S*\([^()]*\))$")  # `~/src`, `git:(main)`
_SEARCH = re.compile(r"(?i)\(?(?:fail(?:ed|ing)[ -])?(?:\w+-)?i-search\b|search: ?")
_RIGHT_PROMPT = re.compile(r"\s{3,}\S")  # text that does not adjoin the cursor

# What a terminal answers, as far as a line editor shows it: `62;22c`, `;40R`, `?2026;2$y`, `0n`;
# `11;rgb:1e1e/1e1e/1e1e`; `>|tmux 3.3a`. Nobody types these.
_REPLY = re.compile(
    r"""(?x)
    (?: (?:\^\[)? (?:
        \[? (?: [?>=]?\d*;[\d;]* | [?>=]\d+ | 0(?=n) ) (?<=\d) \$?[cRnty]
      | \]? (?:\d+;)* rgb:[\da-f/]+ (?:\^G|\^\[\\)?
      | P? >\|tmux\ [\w.-]+ (?:\^\[\\)?
    ) )+
    """
)

# `...`, `...>` (sqlite), `...:` (ipython), `-> '>` (mysql), `db-#` (psql), `quote>` (zsh), `php {`,
# `irb(main):002:1*`.
_CONTINUATION = re.compile(
    r"^(?:\.{3,}(?:\(\d+\)>)?|\.{3}[>:]|[-'\"`/]\*?>|\w+ [{('\"]|\w+\([^()]*\)[\d:]+[*'\"]"
    r"|[\w()\[\]]*[-'\"`]>|\w+[-'\"($*][#>]"
    r"|(?:[a-z]*quote|heredocd?|cmdsubst|subsh|pipe|function|for|while|until|if|then|else|elif|case"
    r"|select|repeat|braceparam|math|array|cmdand|cmdor)(?: [a-z]+)*>|\?>|\||>>)$"
)
_KEY = re.compile(
    r"""(?ix)
    ^\W*(?:please\ )? (?:press|hit|strike)\ (?:the\ |a\ )?
        [<\["'(]? (?:any(?:\ other)?\ key|key\b|enter|ret(?:urn)?\b|space|esc|[b-z]\b)
    | [.!,;(\[<-]\ * press\ [<\["'(]? (?:any\ key|enter|return|space|[b-z]\b) [^\n]*[^:?\s]$
    | ^display\ all\ \d+\ possib | type\ <ret>
    | --\ ?more\ ?-- | ^\(END\)$ | ^lines\ \d+-\d+ | ^:$ | ^zsh:\ .*\[[a-z]+\]\?$
    """
)
_PAGER = re.compile(r"(?i)-- ?more|^\(END\)$|^lines \d+-\d+|^:$|\(press h for help")
_YES_NO = re.compile(
    r"""(?ix)
    [\[(] (?:[^\[\]()\n]{0,60}[/|,\ ])? \[?(?:y|yes|j|o|s)\]?
    \ ?(?:/|,|\||\ or\ ) [^()\n]{1,80} [\])] (?:\ ?[\[(][^\[\]()\n]{0,80}[\])])? \ ?[:?>]{0,2}$
    """
)  # `Continue? [y/N]`, `(yes/no/[fingerprint])?`, `(y or [n])`
_SECRET = r"""
    (?: pass\ ?(?:word|phrase|code) | passwort | kennwort | mot\ de\ passe | contrase[nñ]a | senha
      | wachtwoord | парол\w* | 密码 | パスワード | \b(?:api|secret)[ -]?key
      | \b(?:api|auth\w*|access|security)\ token )
"""
_PASSWORD = re.compile(
    rf"""(?ix)
    (?: (?: {_SECRET} | \bpin\b | verification\ code | one-time\ \w+ | \botp\b )
        [^\n]{{0,120}} [:：]
      | \b(?:secret|token)\ ?[:：] ) (?:\ ?[\[(][^\[\]()\n]{{1,80}}[\])])?$
    | ^[?◆]\ (?: [^\n]{{0,120}} pass(?:word|phrase|code)
      | (?:(?:enter|paste|your|the|an?)\ )* {_SECRET} )\ ?[›‣»]?$ | ^🔐
    | [\[(] [^\[\]()\n]{{0,80}} \b(?:hidden|masked|invisible|no\ echo|not\ be\ (?:echoed|shown))\b
      [^\[\]()\n]{{0,80}} [\])]\ ?[:：]?$
    """
)  # `root@host's password:`, `PIN: (6 digits)`, `? API token ›`, `Token (output is hidden):`
_STRONG = re.compile(
    r"""(?ix)
    [\[(] (?:[a-z][\w-]{0,30} (?:/|,\ ?|\|))+ [a-z?][\w-]{0,30} [\])]
        (?:\ ?[\[(][^\[\]()\n]{0,80}[\])])? \ ?[:?]$
    | ^(?: (?:please\ )? (?:enter|choose|select|pick|specify|provide|paste)\b [^\n]* [:?\])]
      | (?:[\w.-]+\ )? (?:user\ ?name|login|e-?mail(?:\ address)?) (?:\ for\ [^\n]{1,120})? [:>]
      | read> | \#\? | \?\# )$
    | ^[?◆]\ \w[^\n]*$
    | \w[^\n]*(?:\?\ ?[\[(][^\[\]()\n]{1,120}[\])]:?|\s\[(?!\d+/\d+\])[^\[\]\n]{0,120}\]\ ?[:?])$
    """
)  # `Colour [red/green] (red):`, `? Where ›`, `Enter a name:`, `host login:`, `Ok? (y)`
# A question's offer of yes or no: `[y/N]`, `(no/yes)`, `'yes' or 'no'`, `[y]es, [n]o`, `< Yes >`
_YES = r"(?:y\W?es|y|ja|j|oui|o|sim|s[ií]?|tak|t|да|д)"
_NO = r"(?:n\W?o|nein|nej|nee|non|não|nie|n|нет|н)"
_OR = r"\W*(?:[/,|]|\bor\b)\W*"
_OFFER = re.compile(
    rf"\b(?:{_YES}\b{_OR}{_NO}|{_NO}\b{_OR}{_YES})\b"
    rf"|(?<=\[)(?:yes|y|no|n)(?=\])|(?<=<) *(?:{_YES}|{_NO}) *(?=>)"
)
# What is needed by a form that output practically never has; the first that fits counts.
_FORMS = (
    (_KEY, Word.NEEDS_KEY),
    (_YES_NO, Word.NEEDS_INPUT),
    (_PASSWORD, Word.NEEDS_PASSWORD),
    (_STRONG, Word.NEEDS_INPUT),
)
_IPYTHON = re.compile(r"^(?:In \[\d+\]|\.{3,}):$")  # its prompts end like a question
_WEAK = re.compile(r"\w[^\n]*(?:[?:：？]|[:：]\ ?[\[(][^\[\]()\n]{1,120}[\])])$")
_LIBRARY = re.compile(r"^[?◆]\s+\w")
_CHOICE_OF_KEYS = re.compile(r"[\[(]\w(?:[,/|][\w/?]){2,}[\])] ?[?:]?$")
_OUTPUT = re.compile(
    r"(?i)\w://\S*$|^\[?\d{2,4}[-/:]\d\d|^\[?(?:info|warn|error|debug|fatal|traceback)|\d ?%"
)


@dataclass(frozen=True, slots=True)
class Question:
    """`word`: what is needed. Output practically never has a `strong` form."""

    word: Word
    text: str
    strong: bool = True


@dataclass(frozen=True, slots=True)
class Split:
    """A line with a prompt on it, and the text typed after it. `known`: the prompt was seen here
    before."""

    prompt: str
    typed: str
    known: bool = False


def has_form(line: str) -> bool:
    """Whether `line`, up to the cursor, may be a prompt."""
    return bool(_FORM.search(line.rstrip()[-LONGEST:]))


def is_plain_prompt(line: str) -> bool:
    """Whether the whole `line` is a shell's usual prompt: `me@host ~>`, `[me@host ~]$`, `$`."""
    return bool(_PLAIN.fullmatch(line.strip()[:LONGEST]))


def is_reply(text: str) -> bool:
    """Whether a text on the line is a terminal's late reply to a program that has ended."""
    return bool(_REPLY.fullmatch(text[:LONGEST]))


def is_repl(line: str, sure: bool = False) -> bool:
    """Whether the whole `line` is a REPL's prompt; `sure`: one that is nothing else (`>>>`)."""
    text = line.strip()[:LONGEST]
    if sure:
        return bool(re.fullmatch(_REPL, text))
    return bool(_REPL_LINE.fullmatch(text))


def continues(line: str, sure: bool = False) -> bool:
    """Whether `line`, up to the cursor, asks for the rest of a command, if one was begun; `sure`:
    not `>`, which is the prompt of many programs."""
    end = line.strip()[-LONGEST:]
    if end == ">":
        return not sure
    return bool(_CONTINUATION.match(end))


def is_of_library(left: str) -> bool:
    """Whether a prompt library has drawn `left`, which begins with its sign: `? Add tests? `."""
    return bool(_LIBRARY.search(left.strip()[:LONGEST]))


def has_choice_of_keys(left: str) -> bool:
    """Whether `left` ends with three keys or more to choose from: `[y,n,q,?]? `."""
    return bool(_CHOICE_OF_KEYS.search(left.rstrip()[-LONGEST:]))


def is_pager(left: str) -> bool:
    """Whether a pager has drawn `left`, which asks nothing."""
    return bool(_PAGER.search(left[-LONGEST:]))


def question(left: str) -> Question | None:
    """The question in the text left of the cursor, by its form alone."""
    line = in_one_line(left[-LONGEST:])
    if _IPYTHON.search(line):
        return None

    for form, word in _FORMS:
        if form.search(line):
            return Question(word, line)

    if _WEAK.search(line) and not _OUTPUT.search(line):
        return Question(Word.NEEDS_INPUT, line, strong=False)
    return None


def offers(asked: str) -> list[str]:
    """What a question offers that takes yes or no: `[y/n/q]`; nothing of one that takes others."""
    offer = _OFFER.search(asked[-LONGEST:].lower())
    return re.findall(r"\w+", offer.string[offer.start() :]) if offer else []


def is_yes_no(text: str) -> bool:
    """Whether a text says yes or no."""
    return bool(re.fullmatch(f"{_YES}|{_NO}", text.lower()))


def is_known(left: str, known: Iterable[str]) -> bool:
    """Whether `left` is a known prompt and nothing else, except for directories and numbers."""
    return any(re.fullmatch(shape(prompt), left.strip()) for prompt in known)


def glued(left: str, known: Iterable[str]) -> int | None:
    """Where the known prompt at the end of `left` begins: 0 if it is alone, more after output
    without a line break. None if `left` does not end with one.

    Behind `$ ` a prompt that ends with it is another one (`PS1=`), not output.
    """
    cut = max(len(left) - _LONGEST_LINE, 0)
    begins = []
    for prompt in filter(None, known):
        match = re.search(rf"{_IN_FRONT}{shape(prompt)}\s*$", left[cut:])
        if match:
            begins.append(match.start() + cut)

    begin = min(begins, default=None)
    if begin and len(left) <= begin + _SHORT + 1 and _ME_AT_HOST.fullmatch(left.strip()):
        return 0
    return begin


def repeated(left: str, known: Iterable[str]) -> str:
    """The known prompt of which `left` consists, drawn more than once: `$ $ `, where not even Enter
    is echoed; "" if it does not."""
    for prompt in filter(None, known):
        if re.fullmatch(rf"(?:\s*{shape(prompt)}){{2,}}\s*", left[:_LONGEST_LINE]):
            return prompt
    return ""


def ends_with_prompt(left: str, known: Iterable[str]) -> bool:
    """Whether `left` ends with a known prompt, after output without a line break. A short one may
    be the output's own end."""
    return glued(left, [prompt for prompt in known if len(prompt) > _SHORT]) is not None


def split(line: str, known: list[str], directory: str = "") -> Split | None:
    """The prompt on `line` and the text typed after it; None if unknown. Known prompts count
    before signs, of which the first ends the prompt, and a theme shows the directory's name."""
    line = line[:_LONGEST_LINE]
    return _split_at_known(line, known) or _split_at_sign(line, directory)


def _split_at_known(line: str, known: list[str]) -> Split | None:
    """Behind a known prompt: `box$ ls`. Behind output without a line break, `5box$ ls`, a short one
    (`$`) counts only if nothing is typed."""
    forms = [rf"\s*({_IN_FRONT}{shape(prompt)})(?=\s|$)" for prompt in known if prompt]
    for prompt in filter(None, known):
        end = r"(?=\s|$)"
        if len(prompt) <= _SHORT:
            end = r"\s*$"
        forms.append(rf".*({shape(prompt)}){end}")

    if "" in known:
        forms.append("()")

    for form in forms:
        if match := re.match(form, line):
            return Split(match[1], line[match.end() :].strip(), True)

    return None


def _split_at_sign(line: str, directory: str) -> Split | None:
    """Behind the sign of a prompt: `me@box ~ % ls`; of a theme the last: `➜  src git:(main) ✗`."""
    sign = _SPLITS.search(line)
    if not sign:
        return None

    while not sign[0].isascii():
        more = _SPLITS.search(line, sign.end())
        if not more:
            break
        sign = more

    prompt = line[: sign.end()].strip()
    typed = line[sign.end() :].strip()
    if not sign[0].isascii() and _is_of_theme(typed, directory):
        return Split(line.strip(), "")
    return Split(prompt, typed)


def _is_of_theme(text: str, directory: str) -> bool:
    """Whether a theme shows `text` behind its sign: `➜  src git:(main)`."""
    return text == directory or bool(_SHOWN_BY_THEME.match(text))


def searched(line: str, below: str) -> str:
    """The row in which a line editor searches its history: the cursor's line, or the row below
    (zsh, node); "" if it does not."""
    for row in (line.strip(), below.strip()):
        if _SEARCH.match(row):
            return row
    return ""


def adjoining(right: str) -> str:
    """The text right of the cursor, if it is not a right prompt."""
    if _RIGHT_PROMPT.match(right):
        return ""
    return right.rstrip()


@lru_cache(maxsize=64)
def shape(prompt: str) -> str:
    """A regex that matches `prompt` with any directory and any numbers in it."""
    return _VARYING.join(map(re.escape, re.split(_VARYING, prompt.strip())))
