"""Text and keys typed in a page, as tmux commands. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from ...tmux.look import PERSON

_BUFFER = "tmux-tool-view"  # of a paste, which deletes it
_PANE = re.compile(r"%\d+")
# tmux's names of keys, and Ctrl or Alt with a character.
_KEY = re.compile(
    r"(C-)?(M-)?(S-)?(Up|Down|Left|Right|Home|End|PageUp|PageDown|Insert|Delete|F\d\d?"
    r"|Enter|Escape|Tab|BTab|BSpace)|(C-|M-|C-M-)([!-~]|Space)"
)
# A pasted text must not end its own brackets, or press a key.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def commands(pane: str, items: Iterable[tuple[str, str]], stamp: int) -> Iterator[list[str]]:
    """The tmux commands that type `items`: each is text, key or paste, and its value.

    They leave the mode in which a person has scrolled (it would take the keys), and store `stamp`,
    the time in nanoseconds, on the pane. Raises ValueError for anything that a page may not send.
    """
    if not _PANE.fullmatch(pane):
        raise ValueError("no such pane")
    yield ["copy-mode", "-q", "-t", pane]
    yield ["set-option", "-pt", pane, PERSON, str(stamp)]
    for kind, value in items:
        if kind == "text":
            yield ["send-keys", "-t", pane, "-l", "--", value]
        elif kind == "paste":
            yield ["set-buffer", "-b", _BUFFER, "--", _CONTROL.sub("", value)]
            yield ["paste-buffer", "-p", "-d", "-b", _BUFFER, "-t", pane]
        elif kind == "key" and _KEY.fullmatch(value):
            yield ["send-keys", "-t", pane, value]
        else:
            raise ValueError("a key that is not on the list")


def written(commands: Iterable[list[str]]) -> str:
    """The commands as a line for tmux's parser, which reads quotes as a shell does."""
    return " ; ".join(map(shlex.join, commands)).replace("\n", "'\"\\n\"'")
