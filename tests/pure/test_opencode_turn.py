"""Whose a message is: the turns that are read from a conversation's messages."""

import pickle

import pytest

from python.helpers.opencode import reply
from python.helpers.opencode.reply import OpenCodeTurnFailed, Status
from python.helpers.opencode.turn import AT_REST, MARK, Turn, conversation_of, new_id, text_of
from python.helpers.opencode.wire_1 import Wire1
from python.helpers.opencode.wire_2 import _worded

OURS, SECOND, THEIRS = f"msg_10{MARK}", f"msg_30{MARK}", "msg_2"
LATER = f"msg_9{AT_REST}"
ASKS = Status("needs permission", request={"id": "per_1"})


def user(id, text="do it", at=1000, **facts):
    part = {"type": "text", "text": text, **facts}
    return {"role": "user", "id": id, "parts": [part], "time": {"created": at}}


def compacts(id, auto=True):
    return {**user(id), "parts": [{"type": "compaction", "auto": auto}]}


def answer(to, text="", finish="stop", until=2000, **facts):
    part = {"type": "text", "text": text, "id": "prt_1"}
    time = {"created": 1000, **({"completed": until} if finish is not None else {})}
    facts = {"finish": finish, "parts": [part], "time": time, **facts}
    return {"role": "assistant", "parentID": to, **facts}


SUMMARY = answer("c", "SUMMARY", summary=True)
REFUSED = answer(OURS, finish="", time={"created": 1, "completed": 1})
CONTINUE = user("a", "Continue", synthetic=True)
DONE = answer("a", "DONE")
LONG = {  # what OpenCode makes of a conversation that has become too long
    "asked again": [user(OURS), REFUSED, compacts("c"), SUMMARY, user("a"), DONE],
    "continued": [user(OURS), answer(OURS, "x", "tool-calls"), compacts("c"), SUMMARY, CONTINUE, DONE],
    "after its end": [user(OURS), answer(OURS, "x"), compacts("c"), SUMMARY, CONTINUE, DONE],
    "before its first step": [user(OURS), compacts("c"), SUMMARY, CONTINUE, DONE],
    "twice": [
        *[user(OURS), compacts("c"), SUMMARY, user("a"), answer("a", finish="")],
        *[compacts("d"), answer("d", "SUMMARY", summary=True), user("b"), answer("b", "DONE")]]}


@pytest.mark.parametrize("messages", LONG.values(), ids=LONG)
def test_what_opencode_asks_after_it_has_compacted_belongs_to_the_turn(messages):
    found = conversation_of(messages)
    assert found.of(OURS) is found.last and not found.last.goes_on
    told = found.last.reply(OURS)
    assert (told.text, told.finish, told.note) == ("DONE", "stop", "")
    assert conversation_of(messages[:-1]).told(ASKS) == ASKS


STOPPED = answer(OURS, finish="", error={"name": "MessageAbortedError"})
UNANSWERED = {  # what stands before a prompt that is sent while OpenCode idles
    "passed over behind a turn that was ended": [user(OURS), STOPPED, user(THEIRS, at=1500)],
    "passed over between two steps": [user(OURS), answer(OURS, finish="tool-calls"), user(THEIRS, at=1500)],
    "a note of another client's": [user(OURS), answer(OURS, "x"), user(THEIRS, at=3000)],
    "refused before it began": [user(THEIRS, at=3000)]}


@pytest.mark.parametrize("before", UNANSWERED.values(), ids=UNANSWERED)
def test_what_is_sent_to_an_opencode_that_idles_has_no_part_of_what_stands_unanswered(before):
    at_once = [*before, user(LATER, at=4000)]
    for messages in at_once, [*at_once, answer(LATER, "x", finish=None)]:
        found = conversation_of(messages)
        assert found.told(ASKS) == ASKS and not any(one.theirs for one in found.works(ASKS))
    with pytest.raises(OpenCodeTurnFailed, match="passed over"):
        found.of(THEIRS).reply(THEIRS)
    late = [*at_once, answer(THEIRS, "x", finish=None)]  # it had begun after all
    assert conversation_of(late).told(ASKS).theirs


def test_a_persons_prompt_in_mid_turn_stays_theirs_after_a_compaction_and_one_behind_it_is_theirs():
    messages = [user(OURS), answer(OURS, "x", "tool-calls"), user(THEIRS, "and"), compacts("c")]
    messages += [SUMMARY, user("a", "and"), DONE]
    found = conversation_of(messages)
    assert found.of(OURS) is found.of(THEIRS) is found.last
    assert "'and'" in found.last.reply(OURS).note and found.told(ASKS).theirs
    messages = [user(OURS), answer(OURS, "x"), compacts("c"), SUMMARY, user(THEIRS, "and this?")]
    found = conversation_of(messages)
    assert found.told(ASKS).theirs and found.told(Status("idle")) == "idle"
    found = conversation_of([*messages, answer(THEIRS, "that")])
    assert found.of(OURS).reply(OURS).text == "x" and found.is_past(found.of(OURS), Status("busy"))


def test_a_persons_own_compact_is_over_with_its_summary_and_a_turn_before_the_messages_is_not_known():
    messages = [user(OURS), answer(OURS, "x"), compacts("c", auto=False)]
    assert conversation_of(messages).told(Status("busy")).theirs
    messages += [SUMMARY, user(SECOND, at=3000), answer(SECOND, finish="tool-calls")]
    assert conversation_of(messages).told(ASKS) == ASKS
    messages = [compacts("c"), SUMMARY, CONTINUE, answer("a", finish="tool-calls")]
    assert not conversation_of(messages).last.known
    assert not conversation_of([answer(THEIRS)]).last.known
    assert conversation_of([answer(OURS)]).last.known


def test_the_prompt_with_which_a_tool_changes_the_agent_belongs_to_the_turn():
    plan = user("p", "The plan has been approved", synthetic=True)
    messages = [user(OURS), answer(OURS, finish="tool-calls"), plan, answer("p", "DONE")]
    assert conversation_of(messages).of(OURS).reply(OURS).text == "DONE"
    shell = user("s", "The following tool was executed by the user", synthetic=True)
    messages = [user(OURS), answer(OURS, "x"), shell, answer("s", finish="")]
    assert conversation_of(messages).of(OURS).reply(OURS).text == "x"


WHOSE = {
    "their first": ([user(THEIRS), answer(THEIRS, finish=None)], True),
    "ours behind it": ([user(THEIRS), answer(THEIRS, finish=None), user(OURS)], True),
    "older than the newest messages": ([answer(THEIRS, finish=None)], True),
    "ours, older": ([answer(OURS, finish="tool-calls")], False),
    "theirs behind ours": ([user(OURS), answer(OURS, finish=None), user(THEIRS)], False),
    "it has taken ours over": (
        [user(OURS), answer(OURS, finish="tool-calls"), user(THEIRS), answer(THEIRS, finish=None)], True),
    "theirs is over": ([user(THEIRS), answer(THEIRS), user(OURS, at=3000)], False),
    "a subagent in the background": ([user(THEIRS), answer(THEIRS)], True),
    "nothing": ([], False),
}


@pytest.mark.parametrize(("messages", "theirs"), WHOSE.values(), ids=WHOSE)
def test_whose_prompt_asks(messages, theirs):
    told = conversation_of(messages).told(ASKS)
    assert told.theirs == theirs and bool(told.request) != theirs


def test_a_persons_prompt_that_waits_behind_ours_is_not_lost_and_one_answer_serves_all_that_wait():
    messages = [user(OURS), answer(OURS, finish=None), user(THEIRS)]
    found = conversation_of(messages)
    assert found.told(ASKS) == ASKS  # what ours asks is for the agent
    assert [turn.theirs for turn in found.works(Status("busy"))] == [False, True]
    assert not found.works(Status("idle"))
    behind = conversation_of([*messages, user(SECOND)])  # and another of ours
    assert [turn.theirs for turn in behind.works(Status("busy"))] == [False, True, False]
    messages = [user(THEIRS), answer(THEIRS, "theirs", until=5000)]
    messages += [user(OURS, "first", 2000), user(SECOND, "second", 3000), answer(SECOND, "both")]
    found = conversation_of(messages)
    assert found.of(OURS) is found.of(SECOND) and not found.last.theirs
    for prompt, other in ((OURS, "second"), (SECOND, "first")):
        told = found.of(prompt).reply(prompt)
        assert told.text == "both" and repr(other) in told.note


def test_a_turn_that_was_cut_off_does_not_get_the_next_ones_answer():
    later = 1000 * 60
    messages = [user(OURS), answer(OURS, "half", "tool-calls"), user(SECOND, at=later)]
    found = conversation_of([*messages, answer(SECOND, "another's")])
    assert found.of(OURS).reply(OURS).text == "half"
    messages = [user(OURS), answer(OURS, "x"), user(SECOND, at=later), user(THEIRS, at=later * 2)]
    found = conversation_of([*messages, answer(THEIRS, "another's")])
    assert not found.of(SECOND).answers  # its model was missing


def test_how_long_it_must_idle_and_what_came_of_it():
    asked = [user(OURS)]
    half = Turn(asked, asked, [answer(OURS, "half", None)])
    failed = Turn(asked, asked, [answer(OURS, error={"name": "APIError"})])  # idle comes before it has done with that
    assert half.patience() == half.patience(known=True) > Turn(asked, asked).patience(known=True)
    assert Turn(asked, asked).patience(known=True) == failed.patience() > 0
    assert half.reply(OURS, stopped=True).finish == "aborted" and half.reply(OURS).text == "half"
    with pytest.raises(OpenCodeTurnFailed, match="broken") as caught:
        half.reply(OURS, failure="broken")
    assert caught.value.text == "half"
    assert Turn().reply(new_id(True), stopped=True).finish == "aborted"
    with pytest.raises(OpenCodeTurnFailed, match="did not begin: broken"):
        Turn(asked, asked).reply(OURS, failure="broken")
    with pytest.raises(OpenCodeTurnFailed, match="did not begin: it never arrived"):
        Turn().reply(OURS)


def test_what_was_heard_of_a_step_that_is_ended_before_it_is_kept_is_its_text_and_no_reminder_is():
    asked = [user(OURS)]
    half = Turn(asked, asked, [answer(OURS, "", "", error={"name": "MessageAbortedError"})])
    assert half.reply(OURS).text == "" and half.reply(OURS, live={"prt_1": "heard"}).text == "heard"
    parts = [{"type": "text", "text": "mine"}, {"type": "text", "text": "<reminder>", "synthetic": True}]
    assert text_of({"parts": parts}) == "mine"


def test_what_a_turn_did_to_files_may_be_told_after_its_end():
    patch, changes, asked = {"type": "patch", "files": ["made.txt"]}, [{"file": "made.txt"}], [user(OURS)]
    works, says = answer(OURS, finish="tool-calls", parts=[patch]), answer(OURS, "done")
    assert Turn(asked, asked, [says]).patience() == 0.0 < Turn(asked, asked, [works, says]).patience()
    told = Turn(asked, [{**user(OURS), "summary": {"diffs": changes}}], [works, says])
    assert told.patience() == 0.0 and told.changes == changes
    ended = answer(OURS, finish="", parts=[patch], error={"name": "MessageAbortedError"})
    assert Turn(asked, asked, [ended]).patience() == 0.0  # of that it is never told


@pytest.mark.parametrize("told_at", [1, 3])
def test_a_permission_that_is_asked_before_its_call_is_told_has_the_command(monkeypatch, told_at):
    looks = []  # 1.3 asks 0.1 s before it writes down what the call is given

    def about(self, session, path):
        looks.append(path)
        given = {"command": "rm x"} if len(looks) >= told_at else {}
        return {"parts": [{"type": "step-start"}, {"type": "tool", "callID": "call_1", "state": {"input": given}}]}

    monkeypatch.setattr(Wire1, "about", about)
    asked = {"sessionID": "ses_1", "tool": {"messageID": "msg_1", "callID": "call_1"}, "metadata": {}}
    wire = Wire1("", "", reply.AT_ONCE, lambda: None, "ses_1", "/")
    assert wire._with_command(asked)["metadata"] == {"command": "rm x"}
    assert looks == ["/message/msg_1"] * told_at


def idle(outcome, **error):
    return {"type": "idle", "id": "i", "outcome": outcome, "error": error}


PROMPT = {"type": "user", "id": OURS, "text": "do it", "time": {"created": 1000}}
RETRIES = {"type": "assistant", "id": "r", "content": [], "time": {"created": 1000}, "retry": {}}


def test_idle_of_line_2_is_the_end_of_what_came_before():
    stopped = conversation_of(_worded([PROMPT, RETRIES, idle("interrupted")])).of(OURS)
    assert stopped.patience() == 0 and stopped.reply(OURS).finish == "aborted"
    failed = conversation_of(_worded([PROMPT, idle("failed", message="Model unavailable")])).of(OURS)
    with pytest.raises(OpenCodeTurnFailed, match="did not begin: Model unavailable"):
        failed.reply(OURS)
    later = [{**RETRIES, "content": [{"type": "text", "text": "from a subagent"}]}, idle("succeeded")]
    step = {**RETRIES, "finish": "stop", "time": {"created": 1000, "completed": 2000}}
    found = conversation_of(_worded([PROMPT, step, idle("succeeded"), *later]))
    assert found.of(OURS).answers != found.last.answers and not found.last.theirs


PERMISSION = {"permission": "edit", "metadata": {"filepath": "/x", "diff": "-a\n+b"}}
QUESTION = {"questions": [{"question": "Which?", "options": [{"label": "A"}]}]}


ERRORS = [
    reply.OpenCodePermissionNeeded(PERMISSION), reply.OpenCodeQuestionAsked(QUESTION), reply.OpenCodeGone("ses_1"),
    reply.OpenCodeTimedOut("late", text="half", status=Status("retrying", attempt=2))]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_goes_from_one_process_to_another(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)
    assert vars(again).keys() == vars(error).keys()


def test_a_limit_that_is_no_number_is_refused():
    for wrong in ("soon", -1, float("nan")):
        with pytest.raises(reply.OpenCodeError, match="number of seconds"):
            reply.Patience(wrong)
