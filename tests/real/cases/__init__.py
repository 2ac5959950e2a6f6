"""All cases: those that are written out, a TOML file for each theme, and the computed ones."""

import tomllib
from pathlib import Path
from typing import Any

from tests.support.terminal import SHELLS

from ..table import Case, step
from . import computed

_WORDS = {"worlds", "tools", "needs", "programs"}  # several in a text


def _case(row: dict) -> Case:
    """A row of a file; of a file of the case's, a number means that many numbered lines."""
    steps = []
    for action, *arguments in _singly(row.pop("steps")):
        more = dict(arguments.pop()) if arguments and isinstance(arguments[-1], dict) else {}
        steps.append(step(action, *arguments, **more))
    files = row.pop("files", {})
    numbered = {name: range(it) for name, it in files.items() if isinstance(it, int)}
    texts = {**files, **{name: "".join(f"line {n}\n" for n in it) for name, it in numbered.items()}}
    row |= {name: row[name].split() for name in _WORDS & row.keys() if isinstance(row[name], str)}
    lists = {name: tuple(it) if isinstance(it, list) else it for name, it in row.items()}
    lists["shell"] = SHELLS.get(row.get("shell", "bash"), row.get("shell"))
    if "prompt" in row:
        shell, environment = _at_prompt(row["shell"], lists.pop("prompt"))
        lists |= {"shell": shell, "environment": environment}
    return Case(steps=steps, files=texts, **lists)


def _singly(steps: list[list]) -> list[list]:
    """A list of texts that are run or sent is a call for each, one of actions (`[["run", "send"], "ls", …]`) too.
    `["each", "TEXT TOLD", [["ls", "a"], …], steps …]`: the steps for each row of values, filled in for these words."""
    single = []
    for action, *arguments in steps:
        if action == "each":
            names, rows, *repeated = arguments
            for row in rows:
                values = row if isinstance(row, list) else [row]
                single += _singly(_filled(repeated, dict(zip(names.split(), values, strict=True))))
        elif isinstance(action, list):
            for one in action:
                single += _singly([[one, *(arguments[1:] if one in ("interrupt", "wait") else arguments)]])
        elif action in ("run", "send", "type", "begin") and isinstance(arguments[0], list):
            single += [[action, text, *arguments[1:]] for text in arguments[0]]
        else:
            single.append([action, *arguments])
    return single


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
        absent = {name for name, one in it.items() if _is_list(words, one) and not words[one]}
        return {name: _filled(one, words) for name, one in it.items() if name not in absent}
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
    """A case for each of `rows`, by name: `shells` are such rows, and a shell's name says which it is. A name in
    capitals stands for its value in the steps, any other one is the case's own."""
    rows = row.pop("rows", {name: {} for name in row.pop("shells", "").split()})
    if not rows:
        return [_case(row)]
    cases = []
    for name, own in rows.items():
        words = {"CURSOR": []} | {key: it for key, it in own.items() if key.isupper()}
        steps = _filled(row["steps"], words)
        facts = {key: it for key, it in own.items() if key not in words}
        shell = name if name in SHELLS else "bash"
        one = {"shell": shell, "theme": row["name"], **row, **facts, "steps": steps}
        one["name"] = f"{row['name']}, {name}"
        cases.append(_case(one))
    return cases


def _rows(path: Path) -> list[dict]:
    """The cases of a file by name: the list of the steps, where a table of other facts may come first, or all in a
    table. They need no more programs than tests/run installs where nothing is said."""
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return [{"name": name, "core": True, **_facts(row)} for name, row in tables.items()]


def _facts(row: dict | list) -> dict:
    if isinstance(row, dict):
        return row
    more = row[0] if isinstance(row[0], dict) else {}
    return {**more, "steps": row[1:] if more else row}


CASES = [case for path in sorted(Path(__file__).parent.glob("*.toml")) for row in _rows(path) for case in _cases(row)]
CASES += computed.CASES
