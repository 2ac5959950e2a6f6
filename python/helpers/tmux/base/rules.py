"""Named rules: plain functions in a list that is read from top to bottom. Pure.

A rule has a name, a sentence above it that says what it is for, and plain statements. It says
something about the facts, or None: then the next one is asked. The first that says something
decides, and its name goes with what it said: a verdict, a refusal.
"""

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

Said = TypeVar("Said")


class Ruling(NamedTuple, Generic[Said]):
    """What was said, None if no rule said anything; the names of the rules that were asked, in
    order: the last of them has decided."""

    said: Said | None
    tried: list[str]

    @property
    def rule(self) -> str:
        """The name of the rule that has decided."""
        if self.said is not None:
            return self.tried[-1]
        return ""


def name_of(rule: Callable[..., object]) -> str:
    """A rule's name in words: `_nobody_reads` is "nobody reads"."""
    return rule.__name__.strip("_").replace("_", " ")


def apply(rules: Iterable[Callable[..., Said | None]], *facts: object) -> Ruling[Said]:
    """What the first rule says that says something about the facts."""
    tried: list[str] = []
    for rule in rules:
        tried.append(name_of(rule))
        said = rule(*facts)
        if said is not None:
            return Ruling(said, tried)
    return Ruling(None, tried)
