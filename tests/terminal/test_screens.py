"""Full-screen programs for a reader of text: whole answers in panes of three sizes. A key that moves
the choice is answered by where it is now, and by nothing that was shown before."""

from __future__ import annotations

import shutil

import pytest

from tests.support.answer import Answer
from tests.support.tables import Tables

TABLES = Tables(__file__)
SIZES = ((60, 15), (80, 24), (160, 50))
# An everyday run plays each program in one of them.
ROOMS = [
    pytest.param(name, size, id=f"{name}-{columns}x{rows}", marks=[pytest.mark.thorough] * other)
    for number, name in enumerate(TABLES["programs"])
    for at, size in enumerate(SIZES)
    for (columns, rows), other in [(size, number % len(SIZES) != at)]
]
_MOST = 600  # characters of an answer to a key that moves something


@pytest.mark.parametrize("name, size", ROOMS)
def test_what_a_full_screen_answers(bare, name, size):
    case = TABLES["programs"][name]
    if not shutil.which(case.get("tool", name.split()[0])):
        pytest.skip("not installed")
    bare.start("env PS1='$ ' bash --norc --noprofile", size=size)
    bare.ready()
    bare.file("list", "".join(f"line {n}\n" for n in range(1, 200)))
    first = bare.run(case["run"])
    assert first.startswith("needs key") and not first.startswith("needs key after 0.0s")
    assert_shown(first, case["first"])
    for keys, *texts in case["steps"]:
        answer = bare.keys(keys)
        assert answer.startswith("needs key") and len(answer) < _MOST, answer
        assert_shown(answer, texts)
        again = bare.wait()
        assert again.body == "(screen unchanged)", again
    assert bare.keys(case["leave"]).startswith("ready")
    last = bare.run("echo over")
    assert last.body.split("\n")[0].split()[0] == "over", last


def assert_shown(answer: Answer, texts: list[str]) -> None:
    """The texts stand in the answer; one with a `-` before it does not."""
    for text in texts:
        assert (text.removeprefix("-") in answer) is not text.startswith("-"), (text, str(answer))
