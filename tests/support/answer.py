"""An answer of the tool, and what its first line must be."""

import itertools
import os
import re

from tests.support.denied import VARIABLE, YAMA
from tests.support.late import Late

MEMORY_IS_CLOSED = os.environ.get(VARIABLE) == YAMA  # no shell's line or exit status is known
STATUS_0 = "" if MEMORY_IS_CLOSED else ", exit status 0"
READY = re.compile(r"ready \(shell\) after \d+\.\d\ds(?:, exit status \d+)?")
NOTHING, NO_OUTPUT = "(nothing new)", "(no output)"


class Answer(str):
    """An answer of the tool's."""
    @property
    def first(self) -> str:
        """Its verdict."""
        return self.partition("\n")[0]

    @property
    def notes(self) -> list[str]:
        """The lines behind it that begin with `note: `."""
        return list(itertools.takewhile(lambda row: row.startswith("note: "), self.split("\n")[1:]))

    @property
    def body(self) -> str:
        """The rest."""
        return "\n".join(self.split("\n")[1 + len(self.notes) :])


def is_verdict(answer: str, word: str, detail: str | None = None, status: int | str | None = None) -> None:
    """The first line of `answer` is as the contract's table says.

    `word` may name the evidence, `ready (shell)`. `detail`: what is behind the colon, exactly. `status`: the exit
    status in it; "": there must be none; None: any. Where the shell's memory is closed there is none.
    """
    if MEMORY_IS_CLOSED and status is not None:
        status = ""
    first = answer.partition("\n")[0]
    if " timed out after " in first and not word.endswith(" timed out"):
        raise Late(f"expected {word!r}:\n{answer}")
    if word.startswith("ready"):
        match = re.fullmatch(re.escape(word) + r" after \d+\.\d\ds(?:, exit status (\d+))?(?:: .*)?", first)
        assert match, f"expected {word!r}:\n{answer}"
        assert status is None or (match[1] or "") == str(status), f"expected {status}:\n{answer}"
        return
    words = re.escape(word)
    if MEMORY_IS_CLOSED and word == "needs input":
        words = "(?:needs input|quiet)"  # who waits cannot be proven: the question, quoted, is true
    match = re.fullmatch(words + r" after \d+\.\d\ds: (.*)", first)
    assert match, f"expected {word!r}:\n{answer}"
    assert detail is None or match[1] == detail, f"expected {detail!r}:\n{answer}"


def trimmed(text: str) -> str:
    """`text` without spaces at the ends of its lines and without empty lines at its end."""
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))
