"""Guards of a person's line that few situations need, each alone: without it, its test fails."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock, patch

import pytest

from python.helpers.tmux import actions
from python.helpers.tmux.actions import Call
from python.helpers.tmux.base import process
from python.helpers.tmux.base.keys import Typed
from python.helpers.tmux.base.words import Word
from python.helpers.tmux.facts import editor
from python.helpers.tmux.facts.editor import Editor
from python.helpers.tmux.facts.pane import at_cell
from python.helpers.tmux.facts.pattern import Searcher
from python.helpers.tmux.facts.reader import Reader
from python.helpers.tmux.facts.state import Stamp, State, load
from python.helpers.tmux.told.told import Telling, tell
from python.helpers.tmux.turn.turn import Turn
from python.helpers.tmux.turn.verdict import RUNS
from python.helpers.tmux.turn.watch import Watch
from python.helpers.tmux.typed import dialogue, entering, pressing, typing
from tests.support.readings import input_to, reading, seen

LINE = Editor("$ ", [], "rm x", "rm x", Word.READY)


def watch(**look) -> Watch:
    return Watch(Mock(seen=seen(["$ "], **look)), Searcher(), lambda _: None, lambda *_: None, False)


@pytest.mark.parametrize("stamp, look, untouched", [
    (Stamp("5", True), {}, True), (Stamp("5", True), {"attached": True}, True),
    (Stamp("4", True), {"attached": True}, False),  # a key since
    (Stamp("5", False), {"attached": True}, False),  # a later key of the same second leaves it as it is
    (Stamp("5", False), {}, True),  # nobody is there
    (Stamp("5", True), {"unseen": True}, False),  # keys of a client in control mode leave no stamp
    (None, {}, False),  # of keys that may wait unseen
])  # fmt: skip
def test_that_nobody_has_typed_is_proven_by_the_stamp(stamp, look, untouched):
    here = watch(stamp="5", **look)
    here.state.stamp = stamp
    assert here.no_key is untouched


@pytest.mark.parametrize("kept, stamp", [(True, None), (False, Stamp("5", True))])
def test_keys_that_may_wait_unseen_count_in_the_next_call_too(kept, stamp):
    here = watch(stamp="5", now=100)
    here.reader = Reader(1, 5, 7, 10)
    tell(here, Word.READY, Telling(kept=kept))
    assert here.state.stamp == stamp


def test_an_input_to_an_earlier_process_is_none():
    """The pane was started anew: what stands there is not of it."""
    state = State(sent=input_to([7, 1], pid=7, at=1.0, enter=True))
    assert [bool(load(seen([""], state=state.dumps(), pid=pid)).sent) for pid in (7, 8)] == [True, False]


@pytest.mark.parametrize("second, believed", [(LINE, True), (replace(LINE, text="rm xy"), False), (None, False)])
def test_memory_counts_where_two_readings_are_the_same(second, believed):
    with patch.multiple(editor, _Variables=lambda *_: (), _readline=Mock(side_effect=[LINE, second])):
        assert (editor.read_editor(7) == LINE) is believed


def test_memory_that_is_not_what_is_drawn_counts_only_where_it_holds_a_text():
    """`bind -x` gives the keys to another editor (ble.sh): readline's memory stays empty."""
    assert not replace(LINE, text="", before="").is_believed("mine> rm x", ["$ ls"])
    assert replace(LINE, text="", before="").is_believed("$ ", []) and LINE.is_believed("elsewhere", [])


def test_memory_counts_where_a_job_has_printed_behind_its_prompt():
    empty = replace(LINE, text="", before="")
    assert empty.is_believed("noise", ["$ ls", "a", "$", "more"]) and not empty.is_believed("noise", ["$", "$ ls"])
    assert empty.is_believed("$ noise", []) and empty.printed_at("$ noise") == "noise"
    assert not replace(empty, prompt="").is_believed("$ noise", ["$"]) and not LINE.printed_at("$ noise")


def test_a_text_is_taken_back_in_the_cell_where_it_ends():
    """A key that comes meanwhile moves the cursor: nothing is erased then."""
    shown = seen(["$ ls"])
    pane = Mock(look=lambda: shown, type=Mock(return_value=False))
    assert not entering._taken_back(SimpleNamespace(pane=pane), "ls")
    pane.type.assert_called_once_with("\x7f\x7f", at_cell(shown, shown.cell))


@pytest.mark.parametrize("text, silent", [
    ("PROMPT_COMMAND='echo --; pwd'", True), ("export A=b", True), ("precmd() { print -P '%~' }", True),
    ("function fish_prompt; pwd; echo '> '; end", True), ("precmd() { print -P '%F{blue}%~' }", True),
    ("function rule --on-event fish_prompt; echo --; end", True), ("function f; pwd; end; f", False),
    ("A=$(ls)", False), ("A=1 ls", False), ("cd src", False), ("f() { ls; }; f", False), ("A='x' && ls", False)])
def test_a_text_that_prints_nothing_by_itself(text, silent):
    assert bool(typing._SILENT.fullmatch(text)) is silent


@pytest.mark.parametrize("program, leave", [("ssh", "Enter ~ ."), ("telnet", "C-]"), ("make", "C-\\")])
def test_a_frozen_connection_is_left_by_its_own_keys(program, leave):
    waits = f"{program} raw works" if program == "make" else f"{program} raw works remote"
    assert leave in actions._why_it_runs(Turn(reading("$ ls|", waits), RUNS))


def test_a_question_mark_that_ends_a_key_of_answers_means_itself():
    keys = ("#?", "Age?", "age\\?", "a.*?", "Go (y/n)?")
    assert [key for key in keys if Searcher({key: "y"}).answers("Your age? ")] == ["Age?", "age\\?", "a.*?"]
    assert [key for key in keys if Searcher({key: "y"}).answers("Go (y/n)? ")] == ["Go (y/n)?"]


@pytest.mark.parametrize("pid, hidden", [(0, False), (1, True)])  # 3.8 forgets an ended one before its pane is dead
def test_only_a_process_that_lives_is_hidden(pid, hidden):
    with patch.object(process, "fact", lambda *_: ""), patch.object(process.os, "kill", lambda *_: None):
        assert process.is_hidden(pid) is hidden


def enter(here, typed, state: State) -> list[str]:
    """The notes of a text that is entered where each try tells lines that came."""
    turn = SimpleNamespace(verdict=True, seen=seen([""], state=state.dumps()))
    report = SimpleNamespace(watch=here, action="run", body=[], notes=[])
    report.keep_unseen = lambda _: report.notes.append("2 lines came")
    with patch.multiple(dialogue, may_type=lambda *_: turn, type_text=typed, _pieces_of=lambda *_: ["ls"]):
        dialogue.Dialogue(report, 1.0).enter("ls", True)
    return report.notes


def test_what_another_caller_has_answered_meanwhile_is_read_before_anything_is_typed():
    here, newer = Mock(state=State(number=1)), State(number=2)
    here.reload.side_effect = lambda: setattr(here, "state", newer)
    enter(here, typed := Mock(side_effect=lambda *_: here.state.number), newer)
    assert typed.call_count == 1 and here.state is newer


def test_a_try_in_which_nothing_was_typed_leaves_no_note():
    """Another caller has answered in between, and has told those lines."""
    here, typed = Mock(state=State()), Mock(side_effect=[None, True])
    assert enter(here, typed, here.state) == ["2 lines came"] and typed.call_count == 2


@pytest.mark.parametrize("waited", [True, False])
def test_a_caller_that_has_waited_for_another_reads_the_pane_anew(waited):
    here = Mock()
    here.pane.lock.return_value = nullcontext(waited)
    Call()._lock(here, 1.0)
    assert here.reload.called is waited


@pytest.mark.parametrize("key, now, settled", [(5, 6, True), (5, 5, False), (6, 5, False), (9, 5, True)])
def test_a_look_is_settled_where_one_more_key_would_leave_a_trace(key, now, settled):
    """A key of this second leaves the stamp as it is; after one of the future the clock was set back."""
    assert seen([""], session_activity=key, now=now).settled is settled


@pytest.mark.parametrize("takes, asked", [(9.0, [1.1, 0.1, 0.1]), (0.1, [1.1, 1.1, 1.1]), (0.6, [1.1, 0.6, 0.1])])
def test_patience_with_who_does_not_read_is_spent_once_a_call(monkeypatch, takes, asked):
    """Twenty lines behind `sleep` took 20 s. A REPL that takes each at once gets all of them."""
    now, waited = [100.0], []
    monkeypatch.setattr(dialogue.time, "monotonic", lambda: now[0])
    typing = dialogue.Dialogue(Mock(), 0)

    def wait(least):
        waited.append(round(least, 3))
        now[0] += min(least, takes)

    for _ in asked:
        typing._patiently(wait)
    assert waited == asked


@pytest.mark.parametrize("key, canonical, kept", [
    ("a", True, True), ("Down", True, True), (Typed("a"), True, True), ("Enter", True, False), ("C-c", True, False),
    ("C-d", True, False), ("a", False, False)])
def test_a_key_in_canonical_mode_waits_in_the_terminal_until_enter(key, canonical, kept):
    here = Mock(hidden=False, full_screen=False)
    kernel = Mock(out_of_sight=False)
    kernel.terminal.canonical = canonical
    assert pressing._is_kept(here, key, kernel) is kept
