"""`tmux-tool why [PANE]`: what the engine sees in a pane, and which rules were asked: what a person
attaches to a bug report. No text that somebody has typed, and none of the screen, is in it."""

import time
from collections.abc import Iterator

from ..tmux.decide import rule_on
from ..tmux.empty import is_empty
from ..tmux.may_type import RULES
from ..tmux.pane import find
from ..tmux.pattern import Searcher
from ..tmux.rules import Ruling, first
from ..tmux.settings import Settings
from ..tmux.told import Facts, stands
from ..tmux.turn import Turn, whose
from ..tmux.watch import Watch

_GLANCE = 0.3  # seconds in which a turn must be sure
_HOW = ("reads", "polls it alone", "seems to poll it", "listens", "hidden", "polls", "works")
_CALLS = ("run", "send", "keys", "interrupt", "close")


def why(target: str | None) -> list[str]:
    """The lines about the pane. Raises TmuxError where there is none."""
    settings = Settings.load()
    pane = find(target, settings)
    watch = Watch(pane, Searcher(), time.sleep, lambda seen, seconds: None, settings.line_editor)
    here = watch.turn(_GLANCE)
    facts = [*_screen(watch), *_kernel(here), *_editor(here), *_record(watch)]
    return [*facts, "", *_rules(watch, here)]


def _line(name: str, facts: dict[str, object]) -> str:
    return f"{name}: " + ", ".join(f"{key} {value}" for key, value in facts.items())


def _screen(watch: Watch) -> Iterator[str]:
    seen = watch.seen
    yield _line("pane", {"id": seen.id, "first process": seen.pid, "dead": seen.pane_dead})
    yield _line(
        "screen",
        {
            "size": f"{seen.width}x{seen.height}",
            "cursor": f"row {seen.cursor_y} column {seen.cursor_x}, shown {seen.cursor_flag}",
            "history": f"{seen.history_size} of {seen.history_limit}",
            "alternate": seen.alternate_on,
            "keypad": seen.keypad_flag,
            "bracketed paste": seen.bracketed,
            "rows below": len(seen.below),
            "person": f"attached {seen.attached}, looks here {seen.watched}, {seen.mode or 'live'}",
        },
    )


def _kernel(here: Turn) -> Iterator[str]:
    kernel = here.reading.kernel
    terminal = kernel.terminal
    yield _line(
        "kernel",
        {
            "in front": f"{kernel.name} (group {kernel.foreground}, process {kernel.subject})",
            "waiter": f"{kernel.waiter.pid or 'nobody'} {_HOW[kernel.waiter.how]}",
            "asks for": f"{kernel.waiter.size} bytes",
            "lines": terminal.canonical,
            "echo": terminal.echo,
            "unread": terminal.unread,
            "far end": kernel.remote,
            "script": kernel.script,
        },
    )


def _editor(here: Turn) -> Iterator[str]:
    editor = here.reading.editor
    if editor is None:
        yield "line editor: its memory is closed, or none waits"
        return
    yield _line(
        "line editor",
        {
            "reads": editor.reads,
            "prompt": f"of {len(editor.prompt)} characters",
            "text": f"of {len(editor.text)} characters",
            "commands": editor.runs,
        },
    )


def _record(watch: Watch) -> Iterator[str]:
    state = watch.state
    yield _line(
        "record",
        {
            "answers": state.number,
            "left open": state.open or "nothing",
            "told": f"group {state.front.group}, process {state.front.subject}",
            "home": f"group {state.home}, far end {state.remote}",
            "somebody's line": state.theirs,
            "keys since": not watch.untouched,
            "input waits": bool(state.sent),
            "own draft": state.draft is not None,
            "known prompts": len(state.prompts),
            "place": f"row {state.place.row} column {state.place.x}" if state.place else "none",
        },
    )


def _rules(watch: Watch, here: Turn) -> Iterator[str]:
    reading, verdict = here.reading, here.verdict
    yield _asked("whose turn", rule_on(reading), str(here.word))
    yield f"  evidence {verdict.evidence or 'none'}, {verdict.after:g} s still wanted"
    yield f"  still for {reading.still:.2f} s, asleep for {reading.asleep:.2f} s"
    text = whose(here)
    yield _asked("whose line", text, here.whose.name.lower().replace("_", " "))
    facts = Facts(watch, here, "send")
    yield _asked("nothing typed", is_empty(facts))
    yield _asked("the told turn", stands(facts))
    for call in _CALLS:
        ruling = first(RULES[call], Facts(watch, here, call))
        yield f"{call}: {'refused: ' + ruling.rule if ruling.said else 'may act'}"


def _asked(what: str, ruling: Ruling, said: str = "") -> str:
    """`whose turn: needs input, by `it reads`; asked: nobody reads, it reads`."""
    by = f"by the rule {ruling.rule!r}" if ruling.rule else "no rule says so"
    return f"{what}: {said or ruling.said}, {by}; asked: {', '.join(ruling.asked)}"
