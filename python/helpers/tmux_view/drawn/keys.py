"""What is typed in a page, as tmux commands. Pure.

Text goes as bytes and keys by names of a fixed list, so there is nothing to quote.
"""

from __future__ import annotations

import re
from typing import Any

PERSON = "@tmux_tool_person"  # on the pane: when the person last typed in a view, in nanoseconds
_BUFFER = "tmux-tool-view"  # the paste's; gone with it
_ID = re.compile(r"%\d+")
_NAME = re.compile(
    r"(?:[CMS]-){0,3}(?:Up|Down|Left|Right|Enter|Escape|Tab|BTab|BSpace|Home|End|PPage|NPage|IC|DC"
    r"|F(?:[1-9]|1[0-2]))"
)
_MOST_ITEMS, _MOST_TEXT = 1000, 1_000_000  # of one bundle: items, characters of one
_BYTES = 100  # in one send-keys: tmux takes a thousand words at most
# A pasted text must not end its own brackets, or press a key.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Refused(ValueError):
    """Not from the list of what a page may send; nothing was typed."""


def commands(pane: str, items: Any, stamp: int) -> list[tuple[list[str], str]]:
    """A tmux command list for each piece of `items`, and what goes to its stdin.

    `items`: dicts with one of `text`, `key`, `paste`. Each list leaves any mode that a person
    scrolled in (its keys would go there) and leaves `stamp` on the pane. Raises Refused.
    """
    if not (isinstance(pane, str) and _ID.fullmatch(pane)):
        raise Refused("no such pane")
    if not (isinstance(items, list) and len(items) <= _MOST_ITEMS):
        raise Refused("no list of keys")
    target = ["-t", pane]
    first = ["copy-mode", "-q", *target, ";", "set-option", "-p", *target, PERSON, str(stamp), ";"]
    result: list[tuple[list[str], str]] = []
    for item in items:
        kind, value = _kind(item)
        if kind == "key":
            result.append(([*first, "send-keys", *target, value], ""))
        elif kind == "paste":
            load = ["load-buffer", "-b", _BUFFER, "-", ";"]
            paste = ["paste-buffer", "-p", "-d", "-b", _BUFFER, *target]
            text = _CONTROL.sub("", value)
            result += [([*load, *first, *paste], text)] if text else []
        else:
            data = [f"{byte:02x}" for byte in value.encode("utf-8", "replace")]
            for at in range(0, len(data), _BYTES):
                words = data[at : at + _BYTES]
                result.append(([*first, "send-keys", *target, "-H", *words], ""))
    return result


def _kind(item: Any) -> tuple[str, str]:
    if isinstance(item, dict) and len(item) == 1:
        kind, value = next(iter(item.items()))
        text = kind in ("text", "paste") and isinstance(value, str) and len(value) <= _MOST_TEXT
        if text or kind == "key" and _NAME.fullmatch(str(value)):
            return kind, value
    raise Refused("a key that is not on the list")
