"""What is typed of a text, of keys, of `answers`: each piece only at the turn for which it is meant."""

from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from python.helpers.tmux.base.client import TmuxError
from python.helpers.tmux.base.words import Word
from python.helpers.tmux.facts.pattern import Searcher
from python.helpers.tmux.facts.place import place_at
from python.helpers.tmux.facts.state import Sent
from python.helpers.tmux.told import asking, may_type
from python.helpers.tmux.turn.turn import Turn
from python.helpers.tmux.turn.verdict import RUNS, Verdict
from python.helpers.tmux.typed import dialogue
from tests.support.readings import reading, rows
from tests.support.stage import joined, turn_of
from tests.support.tables import Tables

TABLES = Tables(__file__)
_PLAYS = ("untyped", "fails", "gone", "left", "word", "last")

_SAID = {"shell": "as=bash_raw_select known=$ group=6", "bash": "as=bash_raw_select known=$",
    **{f"needs_{what}": f"word=needs_{what}" for what in ("input", "key", "password")}}
_NOTES = {"unfit": f"answers: {dialogue._NO_FIT}", "why": "answers: {}",
    "untyped": "not typed: the last {} of text", "unpressed": "not pressed, because of what is here by now: {}"}


class Play:
    """A call at which one turn comes after another: of each its rows (`works`: none, and nobody reads), and what is
    said more of it (`joined`, or _SAID). `word`: its verdict; what comes of a text typed there: it is not (untyped), an
    error (fails), the end (gone); of keys so many are `left`; `last`: the second of a person's last key."""

    def __init__(self, waits: str, turns: list, answers: dict | None = None) -> None:
        self.action, self.notes, self.body, self.typed, self.kept = "send", [], [], [], 0
        self._waits, self._turns = waits, [(turn, "") if isinstance(turn, str) else tuple(turn) for turn in turns]
        self.watch = SimpleNamespace(search=Searcher(answers), first_call=False, pane=SimpleNamespace(name="shared"),
                                     wait=self.next, turn=self.next, read=lambda: None, nap=lambda _: None)
        self.keep_unseen = lambda _: None

    def next(self, limit: float = 0.0) -> Turn:
        screen, says = self._turns.pop(0)
        if screen == "works":
            screen, says = "", "as=x_cooked_works"
        words = " ".join(_SAID.get(word, word) for word in says.split()).split()
        self._plays = dict(word.partition("=")[::2] for word in words if word.partition("=")[0] in _PLAYS)
        waits = joined(self._waits, " ".join(word for word in words if word.partition("=")[0] not in _PLAYS))
        here = turn_of(screen, waits)
        if word := self._plays.get("word", "").replace("_", " "):
            detail = rows(screen)[-1].strip() or here.reading.last_new or here.program
            here = Turn(here.reading, RUNS if word == Word.TIMED_OUT else Verdict(word=Word(word), detail=detail))
        last = int(self._plays.get("last", 0))
        here.seen.session_activity = last
        state = here.reading.state
        state.sent = state.sent or Sent(place=place_at(here.seen))
        self.watch.state, self.watch.reader, self.watch.seen = state, here.reading.reader, here.seen
        self._shown = lambda text: reading([*rows(screen)[:-1], rows(screen)[-1] + text], waits)
        return here

    def type_text(self, _: object, here: Turn, text: str, enter: bool) -> object:
        if "untyped" in self._plays:
            return None
        if "fails" in self._plays or "gone" in self._plays:
            raise TmuxError("it is not drawn", "", gone="gone" in self._plays)
        self.typed.append(text.replace("x" * 4090, "LONG"))
        return self._shown(text)

    def press(self, _: object, here: Turn, keys: list, patience: float) -> list:
        self.typed.append(" ".join(keys))
        return keys[len(keys) - int(self._plays.get("left", 0)):]

    def keep(self, here: Turn) -> None:
        self.kept += 1

    @contextmanager
    def doubles(self):
        """What the call stands on: the rules of told decide as they do."""
        painted = patch.object(asking, "painted", lambda _: "ask\n\x1b[7m<Yes>\x1b[0m <No>\n \n")
        doubles = {"type_text": self.type_text, "press": self.press, "may_type": lambda *_: self.next()}
        with painted, patch.multiple(dialogue, **doubles):
            yield

    def is_right(self, right: list[str], more: dict | None) -> bool:
        found = {"notes": [note.partition("; nothing")[0] for note in self.notes], "body": self.body, "kept": self.kept}
        expected = {"notes": [], **(more or {})}
        expected["notes"] += [note.format(expected.pop(name)) for name, note in _NOTES.items() if name in expected]
        assert (self.typed, {name: found[name] for name in expected}) == (right, expected)
        return True


@TABLES.rows("waits, text, turns, right, more")
def test_lines(waits, text, turns, right, more):
    """`right`: what is typed; `error`: the beginning of what is raised instead; `enter`: false."""
    play, more = Play(waits, turns), dict(more or {})
    text, error, enter = text.replace("LONG", "x" * 4090), more.pop("error", ""), more.pop("enter", True)
    entered, stays = more.pop("entered", not error), more.pop("stays", False)
    with play.doubles():
        call = dialogue.Dialogue(play, 9.0)
        if error:
            with pytest.raises(TmuxError, match=error):
                call.enter(text, enter)
        else:
            left = call.enter(text, enter)
            assert bool(left) is (stays or any("not typed" in note for note in play.notes))
    assert play.is_right(right, more) and call.entered is entered


@TABLES.rows("waits, keys, turns, right, more")
def test_keys(waits, keys, turns, right, more):
    play = Play(waits, turns)
    with play.doubles():
        left = dialogue.Dialogue(play, 9.0).press(play.next(), keys.split())
    assert play.is_right(right, more) and bool(left) is any("not pressed" in note for note in play.notes)


@TABLES.rows("waits, answers, turns, right, more")
def test_answers(waits, answers, turns, right, more):
    play = Play(waits, turns, answers)
    with play.doubles():
        call = dialogue.Dialogue(play, 9.0)
        call.answer(play.next())
    assert play.is_right(right, more) and call.entered is bool(right)


@TABLES.rows("waits, turns, right")
def test_taken_over(waits, turns, right):
    """Their password was asked in second 5; by then `answers` knows `Go on`. Right: the screen at which it ends."""
    play = Play(waits, turns, {"Go on": "y"})
    here = play.next()
    play.watch.state.stamp = None
    with patch.object(dialogue, "settle", may_type.settle):
        found = dialogue.Dialogue(play, 9.0).take_over(here, 5)
    assert found.seen.line_left.strip() == right
