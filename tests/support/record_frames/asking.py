"""What the scenarios of all prompt libraries have in common."""

from __future__ import annotations

from .steps import Frame, Keys, Scenario, See, Step, Text, asked

NAME = "What is your name?"
LONG = "Which of the many possible names do you want to give to it?"
COLOUR = "Pick a colour"
COLOURS = "Pick colours"
SECRET = "Secret word"
SURE = "Shall we go on?"
DONE = See("\n$\n")
ANSWERED = (Keys("Enter"), DONE, Frame("done"))
NARROW = 44  # columns, fewer than LONG has characters


def question(program: str, form: str, kind: str, text: str, *more: Step, see: str = "") -> Scenario:
    """`program` is `ask-node LIBRARY` or `ask-python LIBRARY`: it asks `text`, then come `more`."""
    library = program.split()[1]
    steps = (*asked(kind, text, see), *more)
    return Scenario(name=f"{library}-{form}", command=f"{program} {form}", steps=steps)


def wrapped(program: str, kind: str, text: str) -> Scenario:
    """A question that is longer than a row."""
    library = program.split()[1]
    steps = (See("it?"), Frame("asking", kind, text))
    return Scenario(name=f"narrow-{library}", command=f"{program} long", steps=steps, width=NARROW)


def typed(text: str, kind: str, quote: str) -> tuple[Step, ...]:
    """Something is typed and not sent yet."""
    return (Text(text), Frame("typed", kind, quote))


def refused(kind: str, quote: str) -> tuple[Step, ...]:
    """An empty answer is refused with an error message."""
    return (Keys("Enter"), See("Please say"), Frame("error", kind, quote))
