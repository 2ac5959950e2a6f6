"""The body of `run` against the command's own output: shapes x prompts x panes."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import mkdtemp

from tests.support.answer import NO_OUTPUT, NOTHING, Answer, trimmed
from tests.support.terminal import Server, Terminal, poll

from .prompts import PROMPTS
from .shapes import SHAPES, Pane, Shape

SIZES = ((20, 5), (60, 20), (120, 40))
HISTORIES = (50, 2000)
_LIMIT = 15.0  # seconds; only a fault reaches it
_NOT_THERE = {  # the prompt is drawn over the output: the screen itself does not hold it
    ("bash, a right prompt", "no newline, a full row"),
    ("python 3.13", "no newline, a full row"),
}


class Kind(StrEnum):
    EXACT = "exact"
    MORE = "more"  # the output and something else
    REFUSED = "refused"
    WRONG = "wrong"


@dataclass(frozen=True)
class Result:
    prompt: str
    pane: Pane
    shape: str
    kind: Kind
    text: str
    answers: list[Answer]
    expected: str

    def __str__(self) -> str:
        shown = "\n".join("     | " + row for one in self.answers for row in one.split("\n")[:60])
        wanted = "\n".join("     = " + row for row in self.expected.split("\n")[:8])
        place = f"{self.prompt}, {self.pane}: {self.shape}"
        return f"== {self.kind}: {place}: {self.text[:90]!r}\n{shown}\n{wanted}"


def judged(shape: Shape, expected: str, answers: list[Answer], action: str = "run") -> Kind:
    """What the answers to one command, and to the wait for its rest, are."""
    if answers[0].startswith("error"):
        return Kind.REFUSED
    body = "\n".join(one.body for one in answers if one.body not in (NO_OUTPUT, NOTHING, ""))
    if not _same(shape, body, expected, answers):
        return Kind.MORE if trimmed(expected) in trimmed(body) else Kind.WRONG
    return Kind.WRONG if (action == "run" and not answers[-1].startswith("ready")) else Kind.EXACT


def _same(shape: Shape, body: str, expected: str, answers: list[Answer]) -> bool:
    got, wanted = trimmed(body), trimmed(expected)
    if not shape.lossy or not any("lost" in note for one in answers for note in one.notes):
        return got == wanted
    rows = got.split("\n")
    return len(rows) > 30 and wanted.endswith("\n".join(rows))


def played(terminal: Terminal, name: str, pane: Pane) -> Iterator[Result]:
    """One shape after the other in the pane of `terminal`. After a fault that leaves it unusable
    the rest is not played."""
    prompt = PROMPTS[name]
    for shape_name, shape in SHAPES.items():
        pair = shape.pair(prompt.language, pane, prompt.last)
        if pair is None or shape.lossy and pane.history > 150 or (name, shape_name) in _NOT_THERE:
            continue
        text, expected = pair
        if shape.name:
            terminal.file(shape.name, expected + "\n")
        limit = shape.limit or _LIMIT
        action = prompt.language.action
        answers = [terminal.call(action, text=text, timeout=limit)]
        if shape.limit and " timed out" in answers[0].first:
            answers.append(terminal.wait())
        kind = judged(shape, expected, answers, action)
        if kind is Kind.REFUSED and shape.refusable:
            terminal.keys("C-u")
            continue
        yield Result(name, pane, shape_name, kind, text, answers, expected)
        if action == "run" and not answers[-1].startswith("ready"):
            terminal.person("", "C-e", "C-u", "C-c")
            if not terminal.wait(timeout=5).startswith(("ready", "needs input")):
                return


def play(server: Server, name: str, pane: Pane) -> list[Result]:
    prompt = PROMPTS[name]
    place = Path(mkdtemp(dir=server.folder))
    folder = place / "play"
    folder.mkdir()
    command = prompt.start(place / "rc")
    more = {"size": (pane.columns, pane.rows), "history": pane.history, "folder": folder}
    with server.open(command, ready=False, **more) as terminal:
        last = prompt.last.rstrip()
        poll(lambda: last in terminal.screen(), what=f"{last!r} on the screen")
        terminal.wait(timeout=5)
        if pane.history < 100:
            fills, _ = prompt.language.pair("rows", last=pane.history + pane.rows) or ("", "")
            terminal.call(prompt.language.action, text=fills, timeout=_LIMIT)
        return list(played(terminal, name, pane))
