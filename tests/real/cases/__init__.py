"""All cases: those that are written out, a TOML file for each theme, and the computed ones."""

import tomllib
from pathlib import Path
from typing import Any

from tests.support.terminal import SHELLS

from ..table import Case, step
from . import computed


def _numbered(count: int) -> str:
    return "".join(f"line {n}\n" for n in range(count))


def _case(row: dict) -> Case:
    """A row of a file; of a file of the case's, a number means that many numbered lines."""
    steps = []
    for action, *arguments in row.pop("steps"):
        more = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        steps.append(step(action, *arguments, **more))
    files = row.pop("files", {})
    texts = {name: _numbered(it) if isinstance(it, int) else it for name, it in files.items()}
    lists = {name: tuple(it) if isinstance(it, list) else it for name, it in row.items()}
    lists["shell"] = SHELLS.get(row.get("shell", "bash"), row.get("shell"))
    if "prompt" in row:
        shell, environment = _at_prompt(row["shell"], lists.pop("prompt"))
        lists |= {"shell": shell, "environment": environment}
    return Case(steps=steps, files=texts, **lists)


def _at_prompt(shell: str, prompt: str) -> tuple[str, dict[str, str]]:
    """The shell's command and environment, with that prompt."""
    if shell == "fish":
        shown = prompt.replace("\n", "\\n").replace("$", "\\$")
        return f"{SHELLS[shell]} -C \"function fish_prompt; printf '%b' '{shown}'; end\"", {}
    sign, quoted = ("%", "%%") if shell == "zsh" else ("$", "\\$")
    return SHELLS[shell], {"PS1": prompt.replace(sign, quoted)}


def _filled(it: Any, words: dict[str, Any]) -> Any:
    """`it` with the words in capitals filled in; of a list its items, of an empty one nothing."""
    if isinstance(it, dict):
        filled = {name: _filled(one, words) for name, one in it.items()}
        return {name: one for name, one in filled.items() if one != []}
    if isinstance(it, list):
        spliced = [words[one] if _is_list(words, one) else [_filled(one, words)] for one in it]
        return [one for some in spliced for one in some]
    if not isinstance(it, str):
        return it
    if it in words:
        return words[it]
    for name, text in words.items():
        it = it.replace(name, text) if isinstance(text, str) else it
    return it


def _is_list(words: dict[str, Any], name: Any) -> bool:
    return isinstance(name, str) and isinstance(words.get(name), list)


def _cases(row: dict) -> list[Case]:
    """A case for each of `rows`, by name: `shells` are such rows. A name in capitals stands for its
    value in the steps, any other one is the case's own."""
    rows = row.pop("rows", {name: {"shell": name} for name in row.pop("shells", ())})
    if not rows:
        return [_case(row)]
    cases = []
    for name, own in rows.items():
        words = {"CURSOR": []} | {key: it for key, it in own.items() if key.isupper()}
        steps = _filled(row["steps"], words)
        facts = {key: it for key, it in own.items() if key not in words}
        one = {"shell": "bash", "theme": row["name"], **row, **facts, "steps": steps}
        one["name"] = f"{row['name']}, {name}"
        cases.append(_case(one))
    return cases


def _written() -> list[Case]:
    files = sorted(Path(__file__).parent.glob("*.toml"))
    rows = [row for path in files for row in tomllib.loads(path.read_text())["case"]]
    return [case for row in rows for case in _cases(row)]


CASES = [*_written(), *computed.CASES]
