"""The examples of references/opencode.md, run as skill code runs them: each in a process of its
own, one after another."""

import re
import subprocess
import sys

import pytest
from hermetic import ROOT

TEXT = (ROOT / "usr/skills/cli-orchestration/references/opencode.md").read_text()
SAYS = [
    ["I will remember 4711.\nses_"],
    ["rm -r build", "rejected (rejected: no text)"],
    ["w1 SLOW-DONE"],
    ["The number is 4711.\nI know no number."],
    ["ECHO[10]: Say hello. ses_"],
]


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_the_examples_of_the_reference_run(desk):
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == len(SAYS)
    for block, says in zip(blocks, SAYS, strict=True):
        code = block.replace("<Path of this skill>", str(ROOT / "usr/skills/cli-orchestration"))
        code = code.replace("/path/to/project", str(desk.project))
        code = code.replace("Clean up.", "FAKE:bash rm -r build")
        code = code.replace("Refactor the parser.", "FAKE:slow n=1 delay=2")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for words in says:
            assert words in done.stdout, done.stdout
    assert desk.is_clean()
