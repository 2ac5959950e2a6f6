"""What is typed in a page, as tmux commands. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

PERSON = "@tmux_tool_person"  # on the pane: when the person last typed in a view, in nanoseconds
_BUFFER = "tmux-tool-view"  # the paste's; gone with it
_PANE = re.compile(r"%\d+")
# tmux's names of keys, and Ctrl or Alt with a character.
_KEY = re.compile(
    r"(C-)?(M-)?(S-)?(Up|Down|Left|Right|Home|End|PageUp|PageDown|Insert|Delete|F\d\d?"
    r"|Enter|Escape|Tab|BTab|BSpace)|(C-|M-|C-M-)([!-~]|Space)"
)
_BYTES = 100  # in one send-keys: tmux takes a thousand words at most
# A pasted text must not end its own brackets, or press a key.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def commands(pane: str, items: Iterable[tuple[str, str]], stamp: int) -> list[list[str]]:
    """The tmux commands that type `items`: text, key or paste, and its value. Text goes as bytes.

    They leave any mode that a person scrolled in (it would take the keys), and `stamp` on the pane.
    Raises ValueError for what is not on the list of what a page may send.
    """
    if not _PANE.fullmatch(pane):
        raise ValueError("no such pane")
    result = [["copy-mode", "-q", "-t", pane], ["set-option", "-pt", pane, PERSON, str(stamp)]]
    for kind, value in items:
        if kind == "text":
            data = value.encode()
            for at in range(0, len(data), _BYTES):
                words = data[at : at + _BYTES].hex(" ").split()
                result.append(["send-keys", "-t", pane, "-H", *words])
        elif kind == "paste":
            result.append(["set-buffer", "-b", _BUFFER, "--", _CONTROL.sub("", value)])
            result.append(["paste-buffer", "-p", "-d", "-b", _BUFFER, "-t", pane])
        elif kind == "key" and _KEY.fullmatch(value):
            result.append(["send-keys", "-t", pane, value])
        else:
            raise ValueError("a key that is not on the list")
    return result
