"""One turn without a terminal. And the reference's examples, each in a process of its own."""

import re
import subprocess
import sys

import pytest
from hermetic import ROOT, Desk

from python.helpers import opencode_cli as cli


@pytest.fixture(scope="module")
def place(model, binary):
    with Desk(model, binary, permission={"bash": {"*": "allow", "rm *": "ask"}}) as here:
        yield here


def run(place, prompt, **more):
    return cli.opencode_run(prompt, directory=str(place.project), **{"timeout": 100, **more})


def test_the_prompt_is_exact_and_nothing_is_left(place, model):
    prompt = 'Please remember the number 4711.\n"quoted" /exit\t!'
    reply = run(place, prompt)
    assert model.prompts()[-1] == prompt
    assert (str(reply), reply.finish) == ("I will remember 4711.", "stop")
    assert reply.tokens["total"] == 110
    assert not place.processes() and not place.options()


def test_memory_goes_by_session_id(place):
    first = run(place, "Please remember the number 4711.")
    assert str(run(place, "What number?", session_id=first.session_id)) == "The number is 4711."
    with pytest.raises(cli.OpenCodeTurnFailed, match="knows no conversation"):
        run(place, "hello", session_id="ses_000000000000dead0000000000")


def test_a_tool_step_gives_the_final_answer_and_an_empty_one_says_so(place, line):
    reply = run(place, "FAKE:bash pwd; env | grep -c OPENCODE_.*PASSWORD")
    leaked = 2 - int(line)  # 2 takes its variable out of what the model's commands see
    assert reply.text.split() == ["TOOL", "SAID:", str(place.project), str(leaked)]
    assert reply.tokens["total"] == 220
    assert str(run(place, "FAKE:say")) == "(stop: no text)"


def test_what_prevents_a_turn_is_an_error_with_its_words(place):
    (place.project / "kept").touch()
    asks = r"rm kept\. The run was ended: .*OpenCodeSession"
    with pytest.raises(cli.OpenCodePermissionNeeded, match=asks) as caught:
        run(place, "FAKE:bash rm kept")
    assert caught.value.command == "rm kept"
    assert (place.project / "kept").exists()
    with pytest.raises(cli.OpenCodeQuestionAsked, match="Which one"):
        run(place, "FAKE:question")
    with pytest.raises(cli.OpenCodeTurnFailed, match="provider says 401"):
        run(place, "FAKE:error 401")
    with pytest.raises(cli.OpenCodeTurnFailed, match="fake/none"):
        run(place, "hello", model="fake/none")
    assert not place.processes()


def test_the_deadline_ends_every_descendant(place, monkeypatch):
    class Patience(cli.Patience):
        """It comes once the model's command runs."""
        @property
        def left(self):
            return 0.0 if any("sleep 271" in row for row in place.processes().values()) else super().left
    monkeypatch.setattr(cli, "Patience", Patience)
    with pytest.raises(cli.OpenCodeTimedOut, match="The run was ended") as caught:
        run(place, "FAKE:bash sleep 271")
    assert caught.value.session_id.startswith("ses_") and not place.processes()


# the examples of references/opencode.md, run as skill code runs them

TEXT = (ROOT / "usr/skills/cli-orchestration/references/opencode.md").read_text()
SAYS = [["I will remember 4711.\nses_"], ["rm -r build", "rejected (rejected: no text)"], ["w1 SLOW-DONE"]]
SAYS += [["The number is 4711.\n", "I know no number."], ["seen", "stop\n[[]"], ["ECHO[10]: Say hello. ses_"]]


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_the_examples_of_the_reference_run(desk, line):
    (desk.project / "README.md").touch()
    (desk.project / "docs").mkdir()
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == len(SAYS)
    for block, says in zip(blocks, SAYS, strict=True):
        if line == "2" and ".command(" in block:
            continue
        code = block.replace("<Path of this skill>", str(ROOT / "usr/skills/cli-orchestration"))
        code = code.replace("/path/to/project", str(desk.project))
        code = code.replace("Clean up.", "FAKE:bash rm -r build")
        code = code.replace("Say what these are.", "FAKE:say seen")
        code = code.replace("Refactor the parser.", "FAKE:slow n=1 delay=2")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for words in says:
            assert words in done.stdout, done.stdout
    assert desk.is_clean()
