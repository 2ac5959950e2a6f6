"""Single parts with stand-ins: what messages say about a turn, ids, records. No OpenCode."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from python.helpers.opencode import record, turn
from python.helpers.opencode.http_wire import labels_of
from python.helpers.opencode.record import Record
from python.helpers.opencode.reply import OpenCodeError, OpenCodeTurnFailed


def message(id, role, parent=None, *parts, **info):
    times = {"created": 1000, "completed": 3000} if role == "assistant" else {"created": 500}
    known = {"id": id, "role": role, "parentID": parent, "time": times, "finish": "stop"}
    return {**known, **info, "parts": list(parts)}


def text(said):
    return {"id": f"prt_{said}", "type": "text", "text": said}


def tool(**state):
    return {"type": "tool", "tool": "bash", "state": state}


HIDDEN = {**text("hidden"), "synthetic": True}
MINE = message("p1", "user", None, text("do it"))
THEIRS = message("p2", "user", None, text("and that"))


def test_a_reply_is_the_answers_to_its_prompt():
    used = {"input": 5, "output": 2, "cache": {"read": 1}}
    steps = [
        message("a1", "assistant", "p1", text("I look"), tool(), finish="tool-calls", tokens=used),
        message("a2", "assistant", "p1", text("done"), HIDDEN, tokens=used, cost=0.5),
    ]
    summary = message("a3", "assistant", "p1", text("we spoke"), summary=True)  # by /compact
    later = [THEIRS, message("a4", "assistant", "p2", text("not mine"))]
    reply = turn.reply_of([MINE, *steps, summary, *later], 0.0)
    assert (reply.text, reply.finish, reply.note, reply.duration) == ("done", "stop", "", 2.5)
    assert (reply.tokens["total"], reply.tokens["cache_read"], reply.cost) == (16, 2, 0.5)
    both = message("a2", "assistant", "p2", text("for both"))
    reply = turn.reply_of([MINE, steps[0], THEIRS, both], 0.0)
    assert reply.text == "for both" and "'and that'" in reply.note


REJECTED = tool(error="The user rejected permission to use this")
ENDED = [  # the answer's parts and facts, how the turn has ended
    ([], {"error": {"name": "MessageAbortedError"}}, "aborted"),
    ([], {"finish": None}, "aborted"),
    ([tool(error="The user rejected …")], {"finish": "tool-calls"}, "tool-calls"),
    ([REJECTED], {"finish": "tool-calls"}, "rejected"),
    ([REJECTED], {"error": {"name": "MessageAbortedError"}, "finish": "error"}, "rejected"),
]


def test_how_a_turn_has_ended():
    for parts, facts, finish in ENDED:
        answer = message("a", "assistant", "p1", *parts, **facts)
        assert turn.reply_of([MINE, answer], 100.0).finish == finish
    error = {"name": "APIError", "data": {"message": "no money"}}
    with pytest.raises(OpenCodeTurnFailed, match="no money") as caught:
        turn.reply_of([MINE, message("a", "assistant", "p1", text("so far"), error=error)], 0.0)
    assert caught.value.text == "so far"


def test_a_turn_is_not_over_before_its_last_step():
    open_step = message("a", "assistant", "p1", text("so far"), time={"created": 1000})
    calls = message("a", "assistant", "p1", tool(), finish="tool-calls")
    for messages in ([], [MINE], [MINE, open_step], [MINE, calls]):
        assert turn.reply_of(messages, 0.0) is None
    for messages, says in (([], "never arrived, .* was undone"), ([MINE], "did not begin")):
        with pytest.raises(OpenCodeTurnFailed, match=says):
            turn.reply_of(messages, 100.0)
    assert turn.reply_of([MINE], 0.0, stopped=True).finish == "aborted"
    with pytest.raises(OpenCodeTurnFailed, match="no model x"):
        turn.reply_of([MINE], 1.0, failure="no model x")
    assert turn.reply_of([MINE], 0.0, failure="of a turn before") is None
    assert turn.reply_of([], 1.0, failure="of what was deleted") is None


def test_ids_sort_by_time_and_an_answer_has_labels_for_each_question():
    ids = [turn.new_id() for _ in range(3) if not time.sleep(0.002)]
    assert ids == sorted(ids) and {len(id) for id in ids} == {30}
    one, two = ({"questions": [{}] * count} for count in (1, 2))
    assert labels_of(("A",), one) == [["A"]]
    assert labels_of(("A", "B"), one) == [["A", "B"]]
    assert labels_of(("A", ["B", "C"]), two) == [["A"], ["B", "C"]]
    for choices, request in (((), one), (("A",), two), (([],), one)):
        with pytest.raises(OpenCodeError):
            labels_of(choices, request)


def test_the_state_in_a_pane_survives_any_directory_and_writers_at_the_same_time(bare):
    place = "/it's #{pid} $x `%H` \\ é\n/"
    there = Record(pid=1, since=2, folder="f", directory=place, session="s", raised="x")
    pane = bare.fact("pane_id")
    record.write(pane, there)
    assert record.load(pane) == there
    record.write(pane, Record())
    assert record.load(pane) == Record() == record.load("%99") and not bare.options()
    bare.tmux("set-option", "-p", "-t", pane, "@opencode_fact", '"of another edition"')
    assert record.load(pane) == Record()
    with ThreadPoolExecutor() as callers:
        for i in range(10):
            facts = [{"prompt": f"msg_{i}"}, {"stopped": f"msg_{i}"}, {"raised": f"per_{i}"}]
            list(callers.map(lambda one: record.change(pane, **one), facts))
            there = record.load(pane)
            expected = (f"msg_{i}", f"msg_{i}", f"per_{i}")
            assert (there.prompt, there.stopped, there.raised) == expected
