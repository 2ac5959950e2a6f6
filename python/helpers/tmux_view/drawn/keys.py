"""Text and keys typed in a page, as tmux calls. Pure.

Text goes by stdin: what stands in a command can be read in tmux's message log, by the agent too.
"""

from __future__ import annotations

import re

from ...tmux.base.client import word
from ...tmux.facts.look import HOOK, PERSON

_PANE = re.compile(r"%\d+")
# tmux's names of keys, and Ctrl or Alt with a character.
_KEY = re.compile(
    r"(C-)?(M-)?(S-)?(Up|Down|Left|Right|Home|End|PageUp|PageDown|Insert|Delete|F([1-9]|1[0-2])"
    r"|Enter|Escape|Tab|BTab|BSpace)|(C-|M-|C-M-)([!-~]|Space)"
)
_SHORT = 100  # characters
# A pasted text must not end its own brackets, or press a key.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# From 3.7 on paste-buffer shows control characters as text without -S.
_RAW = "#{?#{m/r:([4-9]|3[.]([7-9]|1[0-9])),#{version}},-S,}"


def call(pane: str, kind: str, value: str, stamp: int) -> tuple[list[str], bytes]:
    """Arguments and stdin of the tmux call that types one item: a text, key or paste.

    It leaves the mode in which a person has scrolled (it would take the keys), and stores `stamp`,
    the time in nanoseconds, on the pane. Raises ValueError for anything that a page may not send.
    """
    begin = f"copy-mode -q -t {checked(pane)} ; set-option -pt {pane} {PERSON} {stamp} ;".split()
    if kind == "key" and _KEY.fullmatch(value):
        return [*begin, "send-keys", "-t", pane, word(value)], b""
    if kind not in ("text", "paste"):
        raise ValueError("a key that is not on the list")

    how = "-r"
    if kind == "paste":
        how = "-p"
        value = _CONTROL.sub("", value)

    buffer = f"tmux-tool-view-{pane[1:]}-{stamp}"  # another page may type at the same time
    begin += f"load-buffer -b {buffer} - ;".split()
    paste = f"paste-buffer {how} -d -b {buffer} -t"
    if value.isprintable():
        return [*begin, *paste.split(), pane], value.encode()

    # `if-shell` would lose memory: before 3.7 2 kB a call. In what is expanded "%" begins a date.
    raw = f"{paste} #{{pane_id}} {_RAW}"
    run = f"; set-hook -Rpt {pane} {HOOK} ; set-hook -put {pane} {HOOK}".split()
    return [*begin, "set-option", "-Fpt", pane, HOOK, raw, *run], value.encode()


def is_short(items: list[tuple[str, str]]) -> bool:
    """Whether they are a short text, which one call can type before it looks.

    After another key the program may have ended, and its pane is gone: the look would fail, as if
    nothing had been typed.
    """
    texts = [text for kind, text in items if kind == "text"]
    if len(items) != 1 or not texts:
        return False
    return len(texts[0]) < _SHORT


def checked(pane: str) -> str:
    """The id of a pane. Raises ValueError for anything else."""
    if not _PANE.fullmatch(pane):
        raise ValueError("no such pane")
    return pane
