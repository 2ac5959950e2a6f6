"""The body of `run` is exactly the command's own output: every shape at every prompt, in panes of
three sizes with a short and a long history."""

import tomllib
from itertools import cycle

import pytest

from tests.support.played import played
from tests.support.run import ROOT
from tests.support.terminal import Server
from tests.terminal.bodies import HISTORIES, SIZES, Kind, Result, play
from tests.terminal.prompts import PROMPTS
from tests.terminal.shapes import Pane

PANES = 6  # side by side
_PANES = [Pane(*SIZES[n % 3], HISTORIES[n % 2]) for n in range(6)]
_NAMES = [name for name, prompt in PROMPTS.items() if prompt.is_there()]
PLAYS = {  # each prompt in two panes, which take turns
    f"{name}, {pane}": (name, pane)
    for name, pane in zip([one for one in _NAMES for _ in "12"], cycle(_PANES), strict=False)
}


@pytest.fixture(scope="module")
def results(request, tmp_path_factory):
    with Server(tmp_path_factory.mktemp("bodies")) as server:
        server.open("cat", name="keeper", ready=False)
        with played(request, lambda name: play(server, *PLAYS[name]), PANES) as all:
            yield all


OPEN = tomllib.loads((ROOT / "tests/real/open.toml").read_text(encoding="utf-8"))["body"]  # by play: why, the shapes
_LIKE_OTHERS = ("zsh, transient", "dash, two rows", "fish, two rows", "busybox", "mksh", "lua", "bc")
_DRAWS_IN_PIECES = "python 3.13"  # long lines, which are not always put together


def _marked(name: str) -> object:
    """An everyday run plays each prompt in one pane."""
    prompt = PLAYS[name][0]
    first = next(one for one in PLAYS if PLAYS[one][0] == prompt)
    everyday = name == first and name not in OPEN and prompt not in (_DRAWS_IN_PIECES, *_LIKE_OTHERS)
    return pytest.param(name, marks=[] if everyday else [pytest.mark.thorough])


def is_safe(one: Result) -> bool:
    """Whether no output is lost where a body cannot be exact: a history of 50 lines that several
    lines have trimmed, text that is drawn otherwise than typed (emoji in mksh)."""
    if "Enter was not pressed" in one.answers[0]:
        return True
    if one.kind is not Kind.MORE:
        return False
    noted = any("scrolled out of reach" in answer for answer in one.answers)
    trimmed = one.pane.history == 50 and one.shape in ("block", "three lines", "heredoc")
    return noted or trimmed


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", list(map(_marked, PLAYS)))
def test_the_body_is_the_output_exactly(results, name):
    found = results(name)
    wrong = [one for one in found if one.kind is not Kind.EXACT and not is_safe(one)]
    assert found
    why, shapes = OPEN.get(name, ("", []))
    if wrong and {one.shape for one in wrong} <= set(shapes):
        pytest.xfail(why)
    assert not wrong, f"{len(wrong)} of {len(found)}\n" + "\n".join(map(str, wrong))
