"""May this call act here: the told turn, the empty line, whose a text is. A situation, and the rule that decides."""

from types import SimpleNamespace
from unittest.mock import Mock, patch

import pytest

from python.helpers.tmux.base.client import TmuxError
from python.helpers.tmux.base.rules import apply, name_of
from python.helpers.tmux.base.words import Word
from python.helpers.tmux.facts.look import digest
from python.helpers.tmux.facts.place import place_at
from python.helpers.tmux.facts.reader import Reader
from python.helpers.tmux.facts.screen import colours
from python.helpers.tmux.facts.state import Draft, Ran, Stamp, State, draft_of
from python.helpers.tmux.told import asking, may_type
from python.helpers.tmux.told import told as told_of
from python.helpers.tmux.told.empty import EMPTY, is_empty
from python.helpers.tmux.told.may_type import RULES, allow, may_go_on
from python.helpers.tmux.told.told import Facts, stands, telling
from python.helpers.tmux.turn.decide import decide
from python.helpers.tmux.turn.turn import Turn, whose
from tests.support.readings import facts_of, input_to, reading, rows, seen
from tests.support.tables import Tables

TABLES = Tables(__file__)
_DRAWN = ("unmoved", "entered_since", "prompted_since")
_LOOKED_UP = ("descends", "below_a_prompt", "begun_by_us", "same_picture", "started_at_home", *_DRAWN)
_TOLD = "pane group cpu was home subject was_remote was_touched theirs kept sent read ran unvisited first".split()
_TOLD += ["beside", "doubt", "hid", "lost", "nobodys", "then_look.cursor_x", "then_look.cursor_y"]
# Facts in a word: who has started what is in front, at the prompt that was told.
_SEVERAL = {"somebodys": "group=3 home=3 descends", "ours": "home=3 descends",
    "quietly": "touched remote descends still=9 open=quiet"}


def facts(call: str, screen: str, waits: str, more: dict | None, then: str | bool = False) -> Facts:
    """`waits`: as of a reading, among its words what was told: who (group, 5 is in front; pane), `home`, _SEVERAL,
    and what is looked up: descends, unmoved, …; what is drawn since follows from `then`, the rows of that answer,
    where they are given."""
    *how, words = waits.split(" ", 3) if waits.count(" ") > 2 else [waits, ""]
    words = " ".join(_SEVERAL.get(word, word) for word in words.split()).split()
    own = [word for word in words if word.partition("=")[0] in (*_TOLD, *_LOOKED_UP)]
    told, more = facts_of(own), dict(more or {})
    then = more.pop("then", then)
    here = reading(screen, " ".join([*how, *(word for word in words if word not in own)]), more)
    state = here.state
    name = told.pop("was", here.kernel.name)
    subject = told.pop("subject", 7)
    who = (told.pop("pane", 1), told.pop("group", 5), subject, told.pop("cpu", 10), name)
    state.told = Reader(*who, told.pop("read", 8))
    state.home = Reader(1, told.pop("home", 5), subject, 0, name)
    flags = ("was_remote", "theirs", "was_touched")
    state.remote, state.theirs, state.touched = (told.pop(flag, False) for flag in flags)
    state.doubt = told.pop("doubt", 0)
    state.stamp = None if told.pop("kept", False) else Stamp("", True)
    if told.pop("sent", False):
        state.sent = input_to([7, 5], at=-9.0, enter=True)
    given = tuple(name for name in _LOOKED_UP if not (told.get("lost") and name in _DRAWN))
    told.pop("lost", None)
    if then is not False:
        then = seen(rows(then), **told.pop("then_look", {}))
        state.place, state.rows = place_at(then, prompt=True), [digest(line.text) for line in then.lines]
        given = tuple(name for name in _LOOKED_UP if name not in _DRAWN)
    if "ran" in told:
        state.ran = Ran(7, told.pop("ran"))
    if "nobodys" in told:
        state.draft = draft_of(told.pop("nobodys"), nobodys=True)
    here.seen.visited = not told.pop("unvisited", False)
    pane = SimpleNamespace(name="shared")
    reader = Reader(1, 5, 7, 10, here.kernel.name, here.kernel.bytes_read)
    watch = SimpleNamespace(state=state, reader=reader, first_call=told.pop("first", False), pane=pane)
    watch.beside, watch.seek_beside = told.pop("beside", ""), Mock()
    if watch.first_call:
        state.told = state.home = Reader()
    hid = told.pop("hid", "")
    state.note_secret(hid)
    found = Facts(watch, Turn(here, decide(here)), call, hid)
    found.__dict__.update({name: told.pop(name, False) for name in given})
    assert not told, f"no fact of a told turn: {', '.join(told)}"
    return found


@pytest.mark.parametrize(
    "of, rules, none", [("told", told_of.TOLD_TURN, {"nothing decides"}), ("empty", EMPTY, {"nothing decides"}),
    ("refused", RULES["run"], {"may act"})],
)
def test_every_rule_has_a_row(of, rules, none):
    assert {name_of(rule) for rule in rules} | none == set(TABLES[of])


@TABLES.rows("rule, call, screen, waits, right, more")
def test_told(rule, call, screen, waits, right, more):
    ruling = stands(facts(call, screen, waits, more))
    assert (ruling.rule or "nothing decides", bool(ruling.said)) == (rule, right)


@TABLES.rows("rule, screen, waits, right, more")
def test_empty(rule, screen, waits, right, more):
    ruling = is_empty(facts("send", screen, waits, more))
    assert (ruling.rule or "nothing decides", bool(ruling.said)) == (rule, right)


@TABLES.rows("rule, call, screen, waits, more")
def test_refused(rule, call, screen, waits, more):
    """`says`: the beginning of what is said."""
    more = dict(more or {})
    says = more.pop("says", "")
    with patch.object(asking, "painted", lambda _: "ask\n\x1b[7m<Yes>\x1b[0m <No>\n \n"):
        ruling = apply(RULES[call], facts(call, screen, waits, more))
    assert (ruling.rule if ruling.said else "may act") == rule
    assert not says or f"{ruling.said.what}; {ruling.said.advice}".startswith(says), ruling.said


@TABLES.rows("then, screen, waits, right, more")
def test_drawn(then, screen, waits, right, more):
    """What has been drawn since the last answer."""
    found = facts("send", screen, waits, more, then)
    assert [name for name in (*_DRAWN, "untouched") if getattr(found, name)] == right.split()


@TABLES.rows("then, screen, waits, right, more")
def test_telling(then, screen, waits, right, more):
    """What an answer tells of the turn: a command may go home to it, the line is theirs, keys are kept unseen."""
    found = facts("send", screen, waits, more, then)
    commands, theirs, kept = telling(found.watch, found.here)
    told = [commands.name.lower(), "theirs" if theirs else "", "kept" if kept else ""]
    assert [one for one in told if one not in ("", "none")] == right.split()


@TABLES.rows("right, told", of="started")
def test_who_has_started_what_is_in_front(right, told):
    """`parent`: process and group of what descends from a group; `runs`, `age`: as shell and kernel tell them."""
    told = facts_of(told.split())
    state = State(told=Reader(1, told.get("told", 5), 7, 1), home=Reader(1, told.get("home", 5)))
    state.ran = Ran(*told["ran"]) if "ran" in told else None
    if "sent" in told:
        state.sent = input_to(**told["sent"])
    here = SimpleNamespace(reading=SimpleNamespace(now=9.0, traits=SimpleNamespace(remote=told.get("remote"))))
    watch = SimpleNamespace(state=state, reader=Reader(1, 5, 7, 1), seen=SimpleNamespace(launched=False))
    found = Facts(watch, here, "run")
    found.below_a_prompt = told.get("below_a_prompt", False)
    descends = Mock(side_effect=lambda *pair: [*pair] == told.get("parent"))
    process = patch.multiple(
        told_of.process, descends=descends, age=lambda _: told.get("age"), can_be_read=lambda _: not told.get("closed"))
    with process, patch.object(told_of, "runs_of", lambda _: told.get("runs")):
        names = ("descends", "started_at_home", "begun_by_us")
        assert [name for name in names if getattr(found, name)] == right.split()


@pytest.mark.parametrize("then, same", [("a\nb\n", True), ("a\nc\n", False)])
def test_a_picture_is_the_same_with_its_colours(then, same):
    look = seen(["a", "b"])
    state = State(colours=colours(then, look))
    with patch.object(told_of, "painted", lambda _: "a\nb\n"):
        assert Facts(SimpleNamespace(state=state), SimpleNamespace(seen=look), "keys").same_picture is same


@TABLES.rows("call, screen, waits, right, more")
def test_tells(call, screen, waits, right, more):
    """What a refusal notes on the record, so that the same call again may act: whose turn, the line; or nothing."""
    found = facts(call, screen, waits, more)
    watch, state = found.watch, found.state
    watch.pane.id, watch.pane.store = "%1", Mock()
    with patch.multiple(may_type, Facts=lambda *_: found, painted=lambda _: "a\n"), pytest.raises(TmuxError) as refused:
        allow(watch, found.here, call, "text" if call == "keys" else "")
    assert "nothing was typed" in refused.value.hint and refused.value.rule
    told = [str(state.open).replace(" ", "_")]
    told += ["theirs" if state.theirs else "", "line" if state.doubt else "", "sent" if state.sent else ""]
    told += ["picture" if state.colours else "", "asked" if state.question_cells else ""]
    assert [one for one in told if one] == right.split()
    assert watch.pane.store.called is bool(state.doubt)
    if state.doubt:  # the same call again goes on, as far as the line is concerned
        assert apply([may_type._it_cannot_be_told_who_has_typed], found).said is None


def test_the_same_call_again_goes_on_where_a_job_has_printed_behind_roots_prompt():
    found = facts("send", "$ noise|", "sudo raw works touched remote descends prompted_since known=$", None)
    assert apply(RULES["send"], found).rule == "a turn that nobody told"
    found.state.doubt = may_type._doubt_of(found)
    assert apply(RULES["send"], found).said is None


def test_what_was_told_of_a_line_does_not_tell_a_turn():
    found = facts("send", "", "cat cooked read touched somebodys", None)
    found.state.doubt = may_type._doubt_of(found)
    assert apply(RULES["send"], found).rule == "a turn that nobody told"


def test_refusals_where_the_program_has_ended_and_where_somebody_searches_in_node():
    """It quotes the row below too."""
    ended = SimpleNamespace(word=Word.GONE)
    with pytest.raises(TmuxError, match="has ended"):
        allow(SimpleNamespace(pane=SimpleNamespace(name="shared", id="%1")), ended, "run")
    here = facts("run", "> ", "node raw listen touched group=4", {"below": "bck-i-search: _"})
    refusal = apply(RULES["run"], here).said
    assert "'> / bck-i-search: _'" in refusal.what


@TABLES.rows("above, right")
def test_below_a_prompt(above, right):
    jobs = [job.partition("=")[::2] for job in above.split()]
    found = [SimpleNamespace(pid=pid, name=name.removesuffix(":script"), group=int(group))
             for pid, (name, group) in enumerate(jobs)]
    watch = SimpleNamespace(state=State(home=Reader(1, 3)), reader=Reader(1, 5, 7, 1))
    scripts = patch.object(told_of, "runs_script", lambda shell: jobs[shell.pid][0].endswith(":script"))
    with scripts, patch.object(told_of.process, "ancestors", lambda _: found):
        assert Facts(watch, SimpleNamespace(), "run").below_a_prompt is right


@TABLES.rows("watched, settles, right")
def test_settled(watched, settles, right):
    """Before anything is typed one more key of a person's must leave a trace."""
    clock = SimpleNamespace(now=0.0)

    def look() -> SimpleNamespace:
        return SimpleNamespace(watched=watched, settled=round(clock.now, 2) >= settles)

    watch = SimpleNamespace(seen=look(), nap=lambda seconds: setattr(clock, "now", clock.now + seconds))
    watch.read = lambda: setattr(watch, "seen", look())
    with patch.object(may_type, "time", SimpleNamespace(monotonic=lambda: clock.now)):
        may_type.settle(watch)
    assert abs(clock.now - right) < 0.06


@pytest.mark.parametrize("word, screen, noted", [("needs key", 0, True), ("needs key", 7, False), ("ready", 0, False)])
def test_the_picture_of_a_menu_is_noted_unless_news_have_noted_it(word, screen, noted):
    look, state = seen(["a", "> b"]), State(screen=screen)
    store = SimpleNamespace(store=lambda _: None)
    watch = SimpleNamespace(state=state, seen=look, note_keys=lambda: None, reader=Reader(1, 5), pane=store)
    with patch.object(told_of, "painted", lambda _: "a\n> b\n"):
        told_of.tell(watch, Word(word), told_of.Telling())
    assert bool(state.colours) is noted and state.stamp


@TABLES.rows("screen, waits, right, more", of="going_on")
def test_more_of_the_same_call_is_typed(screen, waits, right, more):
    found = facts("answer", screen, waits, more)
    with patch.object(may_type, "Facts", lambda *_: found):
        assert may_go_on(found.watch, found.here) is right


@TABLES.rows("screen, waits, right, more")
def test_whose(screen, waits, right, more):
    ruling = whose(facts("send", screen, waits, more).here)
    assert (f"{ruling.said.name.lower()}, {ruling.rule}" if ruling.said else "a person's") == right


def test_what_a_program_has_put_behind_its_question_is_a_proposal():
    here = facts("read", "Name: Bob", "x raw select question=Name:_ sent.used=0,0 sent.at=-9.0", None).here
    assert here.line_note == "it proposes 'Bob'; what you send follows it, keys C-u empty it"


def test_a_draft_is_known_however_it_is_wrapped():
    assert draft_of("echo a b") == draft_of("echo a\nb") != draft_of("echo a c")
    assert isinstance(draft_of("x"), Draft) and draft_of("") is None


@pytest.mark.parametrize("call", RULES)
def test_every_call_asks_for_the_told_turn(call):
    assert "_a_turn_that_nobody_told" in [rule.__name__ for rule in RULES[call]]
