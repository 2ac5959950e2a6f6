"""A person works in the same OpenCode: no reply has another turn's text. FUZZ=40: so many turns."""

import os
import random
import time

import pytest

from python.helpers.opencode_cli import OpenCodeError, OpenCodeSession
from python.helpers.tmux.base.process import until

pytestmark = pytest.mark.thorough
TURNS = int(os.environ.get("FUZZ", "8"))
SEED = int(os.environ.get("SEED", "1"))
BOTH = ("draft", "scroll", "/new", "FAKE:say the persons own", "stop", "quit")
ACTS = {"1": (*BOTH, "palette", "/undo", "/compact"), "2": BOTH}
KEYS = {"scroll": "PPage", "stop": "C-z", "quit": "C-c"}


def toggled(desk, key, shown):
    desk.person.press(key)
    time.sleep(3)  # events that reach the TUI meanwhile may close it; two Escapes are another
    return ("Switch session" in desk.screen()) == shown


def done(desk, act):
    """What the person does; after the turn it is taken back."""
    if act in KEYS:
        desk.person.press(KEYS[act])
    elif act == "palette":
        desk.until(lambda: toggled(desk, "C-p", True))
    else:
        desk.type("half a thought" if act == "draft" else act)
        time.sleep(0.3)
        desk.person.press(*["Enter"] * (act != "draft"))
        time.sleep(0.3)
    yield
    if act in ("draft", "/undo"):
        desk.person.press("C-u")
    elif act == "scroll":
        desk.person.press("NPage")
    elif act == "palette":
        desk.until(lambda: toggled(desk, "Escape", False))
    elif act == "stop":
        desk.until(lambda: desk.fact("pane_current_command") == "bash")
        desk.type("fg", "Enter")
        desk.until(lambda: desk.fact("pane_current_command") != "bash")


def settle(session, desk):
    """OpenCode at rest with an empty input, started again where the person has ended it."""
    desk.until(lambda: session.status in ("idle", "gone"))
    if session.status == "gone":
        session.start(resume=session.session_id, progress=False)
    desk.until(lambda: session.status == "idle")
    for _ in range(2):
        desk.person.press("Escape")
        time.sleep(1)  # with the next key it would be an Alt
    desk.until(lambda: is_read(desk))


def is_read(desk):
    """Whether all keys so far were read, by a text that is drawn; it is taken back."""
    desk.type("at rest")
    drawn = until(lambda: "at rest" in desk.screen(), 10)
    desk.person.press("C-u")
    time.sleep(1)
    return drawn and "at rest" not in desk.screen()


def one_turn(session, desk, act, number, in_turn):
    """An act of the person's before or in a turn; what came of the turn."""
    words = " ".join(f"w{i}" for i in range(1, 13)) + " SLOW-DONE"
    slow, quick = f"FAKE:slow n=12 delay=0.05 x={number}", f"FAKE:say answer {number}"
    prompt, whole = (slow, words) if in_turn else (quick, f"answer {number}")
    rest = done(desk, act)
    try:
        if not in_turn:
            next(rest)
        session.submit(prompt)
        if in_turn:
            desk.until(lambda: session.status in ("busy", "idle"))
            next(rest)
        reply = session.wait(timeout=60, progress=False)
    except OpenCodeError as problem:
        return f"{type(problem).__name__}: {problem}"
    finally:
        next(rest, None)
        settle(session, desk)
    assert whole.startswith(reply.text), (act, in_turn, reply)
    assert reply.text == whole or reply.finish == "aborted", (act, in_turn, reply)
    return reply.finish


@pytest.mark.timeout(240 + 120 * TURNS)
def test_with_a_person_at_work_no_answer_is_another_turns(desk, line):
    session = OpenCodeSession(desk.project, timeout=100).start(progress=False)
    chance = random.Random(SEED)
    acts = chance.sample(ACTS[line], len(ACTS[line]))
    acts += chance.choices(acts, k=max(0, TURNS - len(acts)))
    for number, act in enumerate(acts[:TURNS]):
        in_turn = chance.random() < 0.5
        print(act, in_turn, one_turn(session, desk, act, number, in_turn), flush=True)
    assert session.turn("FAKE:say at the end") == "at the end"
    session.exit()
    desk.until(desk.is_clean)
