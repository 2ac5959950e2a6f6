"""One turn without a terminal: what `opencode run` can do to its caller."""

import os
import time

import pytest
from hermetic import Desk

from python.helpers.opencode_cli import (
    OpenCodeError,
    OpenCodeNotInstalled,
    OpenCodePermissionNeeded,
    OpenCodeTimedOut,
    OpenCodeTurnFailed,
    opencode_run,
)


@pytest.fixture(scope="module")
def place(model, binary):
    here = Desk(model, binary, permission={"bash": {"*": "allow", "rm *": "ask"}})
    yield here
    here.close()


def run(place, prompt, **more):
    return opencode_run(prompt, directory=str(place.project), **{"timeout": 30, **more})


def test_the_prompt_is_exact_and_memory_goes_by_session_id(place, model):
    first = run(place, 'Please remember the number 4711.\n"quoted" /exit\t!')
    assert model.prompts()[-1] == 'Please remember the number 4711.\n"quoted" /exit\t!'
    assert (str(first), first.finish, first.channel, first.tokens["total"]) == (
        "I will remember 4711.",
        "stop",
        "run",
        110,
    )
    assert str(run(place, "What number?", session_id=first.session_id)) == "The number is 4711."
    assert str(run(place, "What number?")) == "I know no number."


@pytest.mark.thorough
def test_a_tool_step_gives_the_final_answer(place):
    reply = run(place, "FAKE:bash pwd")
    assert reply.text.strip() == f"TOOL SAID: {place.project}" and reply.tokens["total"] == 220


@pytest.mark.thorough
def test_a_rejected_permission_is_no_success(place):
    (place.project / "kept").touch()
    with pytest.raises(OpenCodePermissionNeeded, match="rm kept") as caught:
        run(place, "FAKE:bash rm kept")
    assert (caught.value.tool, caught.value.command) == ("bash", "rm kept")
    assert (place.project / "kept").exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("prompt", "words"),
    [("FAKE:empty", "empty answer"), ("FAKE:error 401", "fake provider says 401")],
)
def test_failures_are_no_success(place, prompt, words):
    with pytest.raises(OpenCodeTurnFailed, match=words):
        run(place, prompt)


@pytest.mark.thorough
def test_a_dead_session_id(place):
    with pytest.raises(OpenCodeTurnFailed, match="not found"):
        run(place, "hello", session_id="ses_000000000000dead0000000000")


@pytest.mark.thorough
def test_the_deadline_ends_every_descendant(place):
    began = time.monotonic()
    with pytest.raises(OpenCodeTimedOut) as caught:
        run(place, "FAKE:bash sleep 271", timeout=25)  # long enough for the session to be known
    assert time.monotonic() - began < 60 and caught.value.session_id.startswith("ses_")
    assert not place.processes()


def test_what_is_wrong_before_it_starts(place, monkeypatch):
    with pytest.raises(OpenCodeError, match="empty"):
        run(place, " ")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(OpenCodeNotInstalled, match="npm install"):
        run(place, "hello")
    monkeypatch.setenv("OPENCODE_BIN", os.path.join(place.root, "none"))
    with pytest.raises(OpenCodeNotInstalled):
        run(place, "hello")
