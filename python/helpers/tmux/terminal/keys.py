"""Key names, as people and models write them and as tmux takes them. Pure."""

from __future__ import annotations

import difflib
import re
from itertools import takewhile
from string import ascii_lowercase

# tmux's own names (man tmux, KEY BINDINGS), and other spellings of them.
_NAMES = (
    "Up Down Left Right Enter Escape Tab BTab Space BSpace Home End PPage NPage IC DC"
    " F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12"
).split()
_OTHERS = """
    return=Enter ret=Enter cr=Enter newline=Enter esc=Escape spacebar=Space backtab=BTab
    backspace=BSpace bs=BSpace delete=DC del=DC insert=IC ins=IC
    pageup=PPage pgup=PPage prior=PPage pagedown=NPage pgdn=NPage pgdown=NPage next=NPage
    arrowup=Up uparrow=Up arrowdown=Down downarrow=Down arrowleft=Left leftarrow=Left
    arrowright=Right rightarrow=Right plus=+ minus=-
"""
_MODIFIER_NAMES = """
    c=C ctrl=C control=C strg=C m=M alt=M meta=M opt=M option=M s=S shift=S
"""


def _table(pairs: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in pairs.split())


_SPELLINGS = {name.lower(): name for name in _NAMES} | _table(_OTHERS)
_MODIFIERS = _table(_MODIFIER_NAMES)
_BYTES = {"Enter": "\r", "Escape": "\x1b", "Tab": "\t", "Space": " ", "BSpace": "\x7f"}
# What Ctrl makes of a key. tmux has no C-C beside C-c.
_CONTROL = {char: chr(ord(char) & 0x1F) for char in ascii_lowercase + "@[\\]^_"}
_CONTROL |= {"Space": "\0", "?": "\x7f"}


class UnknownKey(ValueError):
    """Not the name of a key; the message suggests the nearest names."""


def parse(keys: str | list[str]) -> list[str]:
    """Names in tmux's form: parse("Ctrl+C esc") == ["C-c", "Escape"]. A string is split on
    whitespace. Raises UnknownKey."""
    return [_one(name) for name in (keys.split() if isinstance(keys, str) else keys)]


def _one(written: str) -> str:
    name = written.strip() or written
    if len(name) == 1 and name.isprintable():
        return "Space" if name == " " else name
    modifiers, base = _split(name)
    if len(base) > 1:
        base = _SPELLINGS.get(base.lower().replace("_", "").replace(" ", ""), "")
    if not base or not base.isprintable():
        raise UnknownKey(_suggestion(written))
    if base == "Tab" and "S" in modifiers:
        base, modifiers = "BTab", modifiers - {"S"}
    if len(base) == 1 and "S" in modifiers:
        if "C" in modifiers or not base.isalpha() or len(base.upper()) > 1:
            raise UnknownKey(f"unknown key {written!r}: write the character itself, not with Shift")
        base, modifiers = base.upper(), modifiers - {"S"}
    if len(base) == 1 and "C" in modifiers:
        base = base.lower()
        if base not in _CONTROL:
            raise UnknownKey(f"unknown key {written!r}: Ctrl goes with letters and @ [ \\ ] ^ _ ?")
    return "".join(f"{m}-" for m in "CMS" if m in modifiers) + base


def _split(name: str) -> tuple[set[str], str]:
    """ "Ctrl+Alt+x" -> ({"C", "M"}, "x"); "^C" -> ({"C"}, "C")."""
    if len(name) == 2 and name[0] == "^":
        return {"C"}, name[1]
    modifiers = set()
    while match := re.match(r"([A-Za-z]+)[-+](?=.)", name):
        modifier = _MODIFIERS.get(match[1].lower())
        if modifier is None:
            break
        modifiers.add(modifier)
        name = name[match.end() :]
    return modifiers, name


def _suggestion(written: str) -> str:
    last = re.split(r"[-+]", written)[-1] or written
    near = difflib.get_close_matches(last.lower(), _SPELLINGS, 3, 0.5)
    names = dict.fromkeys(_SPELLINGS[name] for name in near) or ["Enter", "Escape", "C-c", "F5"]
    meant = f"did you mean {', '.join(names)}? (text is typed with action send)"
    return f"unknown key {written[:40]!r}: {meant}"


def as_text(names: list[str]) -> str | None:
    """The text that these keys send; None if it depends on the program's mode (arrows, F keys)."""
    sent = ""
    for name in names:
        key = name.replace("M-", "")
        char = _CONTROL.get(key[2:], key) if key.startswith("C-") else _BYTES.get(key, key)
        if len(char) > 1:
            return None
        sent += "\x1b" * (key != name) + char
    return sent


def echo_of(names: list[str]) -> str | None:
    """The echo of these keys, up to the first Enter, in a terminal that echoes; None if it depends
    on the program (arrows, Tab)."""
    sent = as_text(list(takewhile(lambda name: name != "Enter", names)))
    if sent is None or set(sent) & set("\t\x1b\x7f"):
        return None
    return "".join(char if char >= " " else "^" + chr(ord(char) | 0x40) for char in sent)
