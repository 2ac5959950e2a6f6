"""Key names: as people and models write them, and as tmux takes them. Pure."""

from __future__ import annotations

import difflib
import re

# tmux's own names (man tmux, KEY BINDINGS), by the lower-case form in which they are looked up.
_NAMED = {
    name.lower(): name
    for name in (
        "Up Down Left Right Enter Escape Tab BTab Space BSpace Home End PPage NPage IC DC "
        "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12"
    ).split()
}
_SPELLINGS = _NAMED | {
    "return": "Enter",
    "ret": "Enter",
    "cr": "Enter",
    "newline": "Enter",
    "esc": "Escape",
    "backspace": "BSpace",
    "bs": "BSpace",
    "delete": "DC",
    "del": "DC",
    "insert": "IC",
    "ins": "IC",
    "pageup": "PPage",
    "pgup": "PPage",
    "prior": "PPage",
    "pagedown": "NPage",
    "pgdn": "NPage",
    "pgdown": "NPage",
    "next": "NPage",
    "backtab": "BTab",
    "spacebar": "Space",
    "arrowup": "Up",
    "arrowdown": "Down",
    "arrowleft": "Left",
    "arrowright": "Right",
    "uparrow": "Up",
    "downarrow": "Down",
    "leftarrow": "Left",
    "rightarrow": "Right",
    "plus": "+",
    "minus": "-",
}
_MODIFIERS = {
    "c": "C",
    "ctrl": "C",
    "control": "C",
    "strg": "C",
    "m": "M",
    "alt": "M",
    "meta": "M",
    "opt": "M",
    "option": "M",
    "s": "S",
    "shift": "S",
}
_BYTES = {"Enter": "\r", "Escape": "\x1b", "Tab": "\t", "Space": " ", "BSpace": "\x7f"}
_CONTROL = {
    **{chr(c): chr(c & 0x1F) for c in range(ord("a"), ord("z") + 1)},
    "@": "\0",
    "Space": "\0",
    "[": "\x1b",
    "\\": "\x1c",
    "]": "\x1d",
    "^": "\x1e",
    "_": "\x1f",
    "?": "\x7f",
}


class UnknownKey(ValueError):
    """A name that no spelling rule knows; the message names the nearest ones."""


def parse(keys: str | list[str]) -> list[str]:
    """Names in tmux's form: parse("Ctrl+C esc") == ["C-c", "Escape"]. A string is parted by blanks.

    Raises UnknownKey before anything could be pressed.
    """
    names = keys.split() if isinstance(keys, str) else keys
    return [_one(name) for name in names]


def _one(written: str) -> str:
    name = " " if written == " " else written.strip()
    if len(name) == 1 and (name == " " or name.isprintable()):
        return "Space" if name == " " else name
    modifiers, base = set(), name
    if len(name) == 2 and name[0] == "^":
        modifiers, base = {"C"}, name[1]
    else:
        while match := re.match(r"([A-Za-z]+)[-+](?=.)", base):
            modifier = _MODIFIERS.get(match[1].lower())
            if modifier is None:
                break
            modifiers.add(modifier)
            base = base[match.end() :]
    base = (
        base
        if len(base) == 1
        else _SPELLINGS.get(base.lower().replace("_", "").replace(" ", ""), "")
    )
    if not base or not base.isprintable():
        raise UnknownKey(_complaint(written))
    if "C" in modifiers and len(base) == 1:
        base = (
            base.lower()
        )  # tmux has no C-C apart from C-c; with Shift it needs an extended-keys program
    if base == "Tab" and "S" in modifiers:
        base, modifiers = "BTab", modifiers - {"S"}
    if len(base) == 1 and "S" in modifiers:
        if "C" in modifiers or not base.isalpha() or len(base.upper()) > 1:
            raise UnknownKey(
                f"unknown key {written!r}: a terminal has no such key; write the character itself"
            )
        base, modifiers = base.upper(), modifiers - {"S"}
    if "C" in modifiers and len(base) == 1 and base not in _CONTROL:
        raise UnknownKey(f"unknown key {written!r}: Ctrl goes with letters and @ [ \\ ] ^ _ ?")
    return "".join(f"{m}-" for m in "CMS" if m in modifiers) + base


def as_text(names: list[str]) -> str | None:
    """What these keys send, where each has one fixed form (letters, C-c, Enter, M-x …); None where
    it depends on the program's mode (arrows, function keys)."""
    sent = []
    for name in names:
        meta, plain = ("\x1b", name.replace("M-", "", 1)) if "M-" in name[:-1] else ("", name)
        if plain.startswith("C-") and plain[2:] in _CONTROL:
            sent.append(meta + _CONTROL[plain[2:]])
        elif plain in _BYTES or len(plain) == 1:
            sent.append(meta + _BYTES.get(plain, plain))
        else:
            return None
    return "".join(sent)


def echo_of(names: list[str]) -> str | None:
    """What a terminal that echoes shows for these keys, before the first Enter; None where that
    depends on the program (arrows)."""
    shown = ""
    for name in names:
        if name == "Enter":
            return shown
        if len(name) == 1 or name == "Space":
            shown += " " if name == "Space" else name
        elif name.startswith("C-") and len(name) == 3:
            shown += "^" + name[2].upper()
        else:
            return None
    return shown


def _complaint(written: str) -> str:
    written = written if len(written) <= 40 else written[:39] + "…"
    known = sorted({*_SPELLINGS, *_SPELLINGS.values()} - set(_NAMED))
    last = re.split(r"[-+]", written)[-1] or written
    near = [_SPELLINGS.get(n, n) for n in difflib.get_close_matches(last, known, 3, 0.5)]
    near = list(dict.fromkeys(near)) or ["Enter", "Escape", "C-c", "Tab", "Up", "PPage", "F5"]
    return (
        f"unknown key {written!r}: did you mean {', '.join(near)}? (text is typed with action send)"
    )
