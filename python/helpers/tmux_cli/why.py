"""`tmux-tool why [PANE]`: what the engine sees in a pane, and which rules were asked: what a person
attaches to a bug report. No text that somebody has typed, and none of the screen, is in it."""

import time
from collections.abc import Iterator

from ..tmux.base.rules import Ruling, apply
from ..tmux.base.settings import Settings
from ..tmux.facts.pane import find
from ..tmux.facts.pattern import Searcher
from ..tmux.told.empty import is_empty
from ..tmux.told.may_type import RULES
from ..tmux.told.told import Facts, stands
from ..tmux.turn.decide import rule_on
from ..tmux.turn.turn import Turn, whose
from ..tmux.turn.watch import Watch

_GLANCE = 0.3  # seconds in which a turn must be sure
_HOW = ("reads", "polls it alone", "seems to poll it", "listens", "hidden", "polls", "works")
# Names of what is told of the look, the kernel and the record.
_SCREEN = """id pid pane_dead width height cursor_x cursor_y cursor_flag history_size history_limit
alternate_on keypad_flag bracketed attached watched mode"""
_KERNEL = "name foreground subject remote script"
_RECORD = "number open told home remote theirs place"
_CALLS = ("run", "send", "keys", "interrupt", "close")


def why(target: str | None) -> list[str]:
    """The lines about the pane. Raises TmuxError where there is none."""
    settings = Settings.load()
    pane = find(target, settings)
    watch = Watch(pane, Searcher(), time.sleep, lambda seen, seconds: None, settings.line_editor)
    here = watch.turn(_GLANCE)
    pane.end()
    return [*_facts(watch, here), "", *_rules(watch, here)]


def _line(name: str, record: object, names: str) -> str:
    """`screen: width 80, height 24`."""
    return f"{name}: " + ", ".join(f"{each} {getattr(record, each)}" for each in names.split())


def _facts(watch: Watch, here: Turn) -> Iterator[str]:
    """What is known of the pane, without a text."""
    kernel, editor, state = here.reading.kernel, here.reading.editor, watch.state

    yield _line("screen", watch.seen, _SCREEN)
    yield f"screen: {len(watch.seen.below)} rows below the cursor"
    yield _line("kernel", kernel, _KERNEL)
    yield _line("waiter", kernel.waiter, "pid size") + f", {_HOW[kernel.waiter.how]}"
    yield _line("terminal", kernel.terminal, "canonical echo unread")
    yield f"beside: {watch.beside or 'nobody'}; stopped: {kernel.stopped or 'nobody'}"

    if editor:
        yield _line("line editor", editor, "reads runs")
        yield f"line editor: {len(editor.prompt)} cells of prompt, {len(editor.text)} of text"
    else:
        yield "line editor: its memory is closed, or none waits"

    yield _line("record", state, _RECORD)
    yield f"record: input waits {bool(state.sent)}, own draft {state.draft is not None}"
    yield f"record: {len(state.prompts)} known prompts, no key since {watch.no_key}"


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
        ruling = apply(RULES[call], Facts(watch, here, call))
        yield f"{call}: {'refused: ' + ruling.rule if ruling.said else 'may act'}"


def _asked(what: str, ruling: Ruling, said: str = "") -> str:
    """`whose turn: needs input, by `it reads`; asked: nobody reads, it reads`."""
    by = f"by the rule {ruling.rule!r}" if ruling.rule else "no rule says so"
    return f"{what}: {said or ruling.said}, {by}; asked: {', '.join(ruling.tried)}"
