"""The examples of references/opencode.md, run as skill code runs them: each in a process of its
own, one after another."""

import re
import subprocess
import sys

import pytest
from hermetic import ROOT, Desk

TEXT = (ROOT / "usr/skills/cli-orchestration/references/opencode.md").read_text()
SAYS = [
    ["I will remember 4711.", "The number is 4711. stop ses_"],
    ["ECHO[20]: Refactor the parser."],
    ["bash echo hi", "TOOL SAID: hi"],
    ["The number is 7.", "ECHO[10]: Say hello."],
]


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_the_examples_of_the_reference_run(model, binary):
    desk = Desk(model, binary, permission={"bash": "ask"})
    try:
        blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
        assert len(blocks) == len(SAYS)
        for block, says in zip(blocks, SAYS, strict=True):
            code = block.replace('"/a0"', repr(str(ROOT))).replace(
                "/path/to/project", str(desk.project)
            )
            code = code.replace("Run the tests.", "FAKE:bash echo hi")
            done = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, timeout=120
            )
            assert done.returncode == 0, done.stderr
            for words in says:
                assert words in done.stdout, done.stdout
        assert desk.is_clean()
    finally:
        desk.close()
