"""A reading in a few words, for tables: what stands on the screen, and how the program waits."""

import json
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from python.helpers.tmux.base.cells import Line, breadth, pieces
from python.helpers.tmux.base.process import Terminal
from python.helpers.tmux.base.words import Word
from python.helpers.tmux.facts import kernel
from python.helpers.tmux.facts.editor import Editor
from python.helpers.tmux.facts.kernel import Kernel, Waiter
from python.helpers.tmux.facts.line import shape
from python.helpers.tmux.facts.look import Look, digest
from python.helpers.tmux.facts.place import place_at
from python.helpers.tmux.facts.reader import Reader
from python.helpers.tmux.facts.state import Prompt, Sent, State, draft_of, left_at
from python.helpers.tmux.turn.reading import Reading

HOW = {name.lower(): getattr(kernel, name) for name in "READ SELECT SEEMS LISTEN HIDDEN POLLS WORKS".split()}
MODES = {"cooked": (True, True), "secret": (True, False), "raw": (False, False), "char": (False, True)}
MODES["closed"] = (None, None)
FLAGS = {  # words behind how it waits: facts that many rows have; `sent.` is of the last input
    "touched": {"no_key": False}, "alternate": {"look.alternate_on": True}, "no_cursor": {"look.cursor_flag": False},
    "typed_beside": {"look.stamp": "9", "no_key": False}, "taken": {"cpu": 11},
    "keypad": {"look.keypad_flag": True}, "brackets": {"look.bracket_paste_flag": "1"}, "key": {"sent.enter": False},
    "no_brackets": {"look.bracket_paste_flag": "0"}, "no_command": {"sent.at_prompt": False},
    "calls_read": {"sent.reads": True}, **{it: {f"sent.{it}": True} for it in ("shown", "again", "edits", "escape")}}
# A reading's own fields, which a row may give; the others are for what it is made of.
_OWN = ("no_key", "still", "full", "asleep", "pattern", "last_new")
# At a prompt the agent has typed a command, and Enter has been read.
_PROMPTED = {"at": -9.0, "enter": True, "at_prompt": True}
WIDTH = 40


def input_to(reader: Sequence[int] = (7, 5), used: Sequence[int] = (0, 0), pid: int = 1, **more: Any) -> Sent:
    """An input. `reader`: the process that waited, and its group; `used`: its CPU, and the bytes that it had read."""
    return Sent(**{"reader": Reader(pid, reader[1], reader[0], used[0], bytes_read=used[1]), "left": [0, 0, 0], **more})


def rows(it: str | list[str]) -> list[str]:
    """The rows of a table's text, in which `|` stands between them; of an empty list none."""
    return it.split("|") if isinstance(it, str) else list(it)


def entered(then: str | list[str], more: dict | None) -> dict:
    """The facts of a row: `then`, and as `typed` what stands behind `»` in it, if anything does."""
    before, is_marked, typed = then.rpartition("»") if isinstance(then, str) else ("", "", "")
    return {"then": before + typed if is_marked else then, **({"typed": typed} if is_marked else {}), **(more or {})}


def seen(screen: list[str], width: int = WIDTH, height: int = 24, limit: int = 2000, **more: Any) -> Look:
    """A look at a pane with these rows, the cursor behind the last one; `right`: what follows it, `below`: rows."""
    right, below = more.pop("right", ""), more.pop("below", [])
    placed, row = [], 0
    for line in [*screen[:-1], screen[-1] + right, *below]:
        placed.append(Line(row, line))
        row += max(len(list(pieces(line, width))), 1)
    history = max(row - height, 0)
    facts = {field.name: field.type() if isinstance(field.type, type) else [] for field in fields(Look)}
    facts |= {"width": width, "height": height, "history_size": history, "history_limit": limit, "cursor_flag": True}
    x, y = breadth(screen[-1]) % width, row - 1 - len(below) - history
    return Look(**{**facts, "cursor_x": x, "cursor_y": y, "lines": placed, **more})


def facts_of(words: list[str]) -> dict[str, Any]:
    """FLAGS, other names are true, and `name=value`: a number, several with commas, or a text whose blanks are written
    `_`; `sent.at=-1.0`: a fact of a part."""
    found: dict[str, Any] = {}
    for word in words:
        name, is_given, value = word.partition("=")
        for fact, it in ({name: _value(value)} if is_given else FLAGS.get(word, {word: True})).items():
            whole, _, part = fact.partition(".")
            found[whole] = {**found.get(whole, {}), part: it} if part else it
    return found


def _value(text: str) -> Any:
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return json.loads(text)
    return json.loads(f"[{text}]") if re.fullmatch(r"\d+(,\d+)+", text) else text.replace("_", " ")


def reading(screen: str | list[str], waits: str, more: dict | None = None) -> Reading:
    """What follows from a row of a table. `screen`: its `rows`; `waits`: the program, its terminal's
    mode, how it waits, then `facts_of`; `known`: prompts of the program, or the only one; `prompted`: the last command
    was typed at a prompt; `sent`: more of that input, what stood there (`was`, `again`: the same as now), its text
    (`typed`), `key`: no Enter; `question`: what the last answer quoted, it needs input where `open` does not say what
    else; `editor`: its prompt, where it shows that alone and is ready, else rows: its prompt, text, what it reads."""
    program, mode, how, *words = waits.split(" ")
    found, more = facts_of(words), dict(more or {})
    more = {**found, **more, "look": {**found.get("look", {}), **more.get("look", {})}}
    canonical, echo = MODES[mode]
    look = seen(rows(screen), right=more.pop("right", ""), below=rows(more.pop("below", [])), **more.pop("look", {}))
    known, asked = more.pop("known", []), "needs input" if "question" in more else ""
    prompts = [Prompt(program, text) for text in ([known] if isinstance(known, str) else known)]
    state = State(prompts=prompts, open=more.pop("open", asked))
    state.screen, state.draft = more.pop("screen", 0), draft_of(more.pop("draft", ""))
    state.home, state.told = Reader(group=more.pop("home", 0)), Reader(subject=more.pop("told", 0))
    question = more.pop("question", "")
    state.question, state.question_cells = digest(question) if question else 0, breadth(question)
    state.ghost = digest(more.pop("ghost", ""))
    sent = dict(more.pop("sent", {}))
    if more.pop("prompted", False) or sent:
        typed, moved = sent.pop("typed", ""), sent.pop("rows_ago", None)
        was = sent.pop("was", look.line_left if sent.pop("again", False) else None)
        before = {} if was is None else {"before": digest(shape(was))}
        if sent.pop("shown", False):  # the screen is as the input has left it
            sent["left"] = left_at(look, sent.get("enter", True))
        state.sent = input_to(**{**_PROMPTED, **before, **sent})
        if typed or moved is not None:
            state.sent.place = place_at(look, typed)
            state.sent.place.row -= moved or 0
    editor = more.pop("editor", None)
    if editor is not None:
        prompt, text, reads = [*parts, "", "ready"] if len(parts := rows(editor)) == 1 else parts
        editor = Editor(prompt, [], text, text, Word(reads), hidden=more.pop("hides", False))
    waiter = Waiter() if how == "works" else Waiter(pid=7, how=HOW[how], size=more.pop("size", 0))
    facts = Kernel(
        terminal=Terminal(path="/dev/pts/9", canonical=canonical, echo=echo, unread=more.pop("unread", 0),
                          stopped=more.pop("stopped", False), signals=more.pop("signals", 1) == 1),
        foreground=more.pop("group", 5), name=program, waiter=waiter, remote=more.pop("remote", False),
        script=more.pop("script", False),
        piped=more.pop("piped", False), subject=more.pop("subject", 7), cpu_ns=more.pop("cpu", 10),
        bytes_read=more.pop("read", 10), stopped=more.pop("halted", ""), beside=more.pop("second", 0))
    own = {name: more.pop(name) for name in _OWN if name in more}
    assert not more, f"no fact of a reading: {', '.join(more)}"
    return Reading(seen=look, kernel=facts, editor=editor, state=state, now=0.0, **{"no_key": True, **own})
