"""The nine scenarios of the survey, and random commands, which are the same for the same seed."""

import random
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

SHELLS = ("bash", "zsh", "fish", "dash")
_SIGNS = {"bash": "$", "zsh": "%", "fish": ">", "dash": "$"}
PROMPTS = {shell: f"me@bench:~{sign} " for shell, sign in _SIGNS.items()}
FANCY = "~/project on main\n❯ "


@dataclass(frozen=True)
class Scenario:
    """`text` is what the tool sends; `steps` what `play NAME` then does; `expected` whose turn it then is."""

    name: str
    text: str
    steps: list[list] = field(default_factory=list)
    expected: str = "ready"
    question: str = ""  # what will be asked: given beforehand to modes that take a pattern for it
    prepare: str = ""  # typed by the bench itself, before
    prompt: str = ""  # shown after `prepare`, and again at the end; "" is the shell's own
    twin: bool = False  # it prints the shell's exact prompt: no tool that goes by text can know

    @property
    def seconds(self) -> float:
        return sum(map(_seconds, self.steps))


def _seconds(step: list) -> float:
    match step:
        case ["pause" | "busy", seconds]:
            return seconds
        case ["progress", count, delay]:
            return (count + 1) * delay
    return 0


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
NINE = [Scenario(name, *row[:2], **(row[2] if row[2:] else {})) for name, row in _TABLES["NINE"].items()]
LOOKALIKES = tuple(_TABLES["LOOKALIKES"])
WORDS = ("building compiling linking testing ok warning error done step 12 of 40 file.c main.rs -- * ==> µs ✓").split()


_KINDS = (  # as often as they stand here; the last one is `twin` in three of ten
    *("print", "print", "lookalike", "lookalike", "pause", "pause"),
    *("busy", "progress", "clear", "partial", "lines"),
)
_PAUSES = (0.02, 0.02, 0.2, 0.2, 0.7, 0.7, 1.2, 2.8)  # seconds, at most


def random_command(seed: int, shell: str, number: int) -> Scenario:
    """The `number`th random command of this seed in this shell, however many are run."""
    dice = random.Random(f"{seed}/{shell}/{number}")
    steps: list[list] = []
    twin = False
    for _ in range(dice.randint(1, 5)):
        kind = dice.choice((*_KINDS, "twin" if dice.random() < 0.3 else "print"))
        twin = twin or kind == "twin"
        steps += _steps(dice, kind, shell)
    if dice.random() < 0.7 and steps[-1][0] != "print":
        steps.append(["print", "\n"])
    name = f"{shell}{number}"
    echo = f" '{dice.choice(LOOKALIKES)}'" if dice.random() < 0.2 else ""
    return Scenario(name, f"play {name}{echo}", steps, twin=twin)


def _steps(dice: random.Random, kind: str, shell: str) -> list[list]:
    """The steps of one kind. The dice are thrown in a fixed order: a seed stays what it was."""
    match kind:
        case "print":
            return [["print", " ".join(dice.choices(WORDS, k=dice.randint(1, 12))) + "\n"]]
        case "partial":
            return [["print", " ".join(dice.choices(WORDS, k=dice.randint(1, 4)))]]
        case "lookalike":
            text = dice.choice(("\n", "")) + dice.choice(LOOKALIKES)
            return [["print", text], ["pause", round(dice.uniform(0.05, 0.9), 3)]]
        case "twin":
            text = "\n" + PROMPTS[shell]
            return [["print", text], ["pause", round(dice.uniform(0.05, 0.9), 3)]]
        case "pause":
            return [["pause", round(dice.choice(_PAUSES) * dice.uniform(0.5, 1), 3)]]
        case "busy":
            return [["busy", round(dice.uniform(0.01, 0.3), 3)]]
        case "progress":
            return [["progress", dice.randint(2, 20), 0.02]]
        case "clear":
            return [["clear"]]
    return [["lines", dice.choice((3, 29, 30, 31, 200))]]
