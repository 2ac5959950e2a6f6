"""`tmux-tool mcp install CLIENT` and `uninstall`: our server in the settings of an MCP client.

The client's own command writes them, in the client's own way. What that command cannot say is put
beside what it wrote, as text, so that nothing else in the file changes.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .layout import InstallError
from .mcp_wire import Json

_NAME = "shared"  # of our server, in every client
_TOOL = "tmux-tool"
_COMMAND_LIMIT = 120.0  # seconds: some start in one, on a busy machine in thirty

# Not JSON, outside strings: comments, then a comma behind the last of several.
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMAS = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_ENTRY = rf'"{_NAME}"\s*:\s*\{{[^{{}}]*(?:\{{[^{{}}]*\}}[^{{}}]*)*\}}'
_CUT = re.compile(rf",\s*{_ENTRY}|\s*{_ENTRY},?")


class Client(NamedTuple):
    """A row of clients.toml, which says what is what."""

    home: tuple[str, str]
    file: str
    table: str
    add: str
    remove: str
    says: str
    needs: Json


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
CLIENTS = {name: Client(**row) for name, row in _TABLE.items()}


class Entry(NamedTuple):
    """What a client's settings have under our name: the file, its text, the values there."""

    file: Path
    text: str
    values: Json

    @property
    def command(self) -> list[str]:
        words = self.values["command"]
        if isinstance(words, str):
            words = [words, *self.values.get("args", [])]
        return words

    def is_right(self, client: Client) -> bool:
        """Whether the command can be run, and all that the client needs is set, to whatever."""
        has = client.needs.keys() <= self.values.keys()
        return has and os.access(self.command[0], os.X_OK)


def install(name: str) -> list[str]:
    """Sets our server up in a client; again is once. Returns lines that say what it did.

    Raises InstallError, OSError.
    """
    client = _client(name)
    there = _ours(name, client)
    tool = next(word for word in sys.orig_argv if word.endswith(_TOOL))
    command = [os.path.abspath(tool), "mcp"]
    if there and there.command == command and there.is_right(client):
        return [f"{name} has the server `{_NAME}` already: {there.file}"]

    if there:  # of another place, or half
        _remove(name, client, there)

    _run(name, client.add, *command)
    there = _entry(client)
    if there and not there.is_right(client):
        _complete(there, client)
        there = _entry(client)

    if not there or not there.is_right(client):
        raise InstallError(f"{name} has not stored it; do it by hand, as the README says")

    done = f"{name} has the server `{_NAME}` from its next start on: {there.file}"
    return [done, client.says]


def uninstall(name: str) -> list[str]:
    """Takes our server out of a client's settings. Returns lines that say what it did.

    Raises InstallError, OSError.
    """
    client = _client(name)
    there = _ours(name, client)
    if not there:
        raise InstallError(f"{name} has no server of ours")
    _remove(name, client, there)
    return [f"{name} has no server `{_NAME}` any more: {there.file}"]


def states() -> Iterator[tuple[str, bool | None, str]]:
    """Of each client that is there: its name, whether our server is set up rightly, None where it
    is not, and what is wrong."""
    for name, client in CLIENTS.items():
        if not shutil.which(name):
            continue

        try:
            there = _ours(name, client)
            right = there.is_right(client) if there else None
            yield name, right, "its settings of our server are not whole; to mend them:"
        except InstallError as problem:
            yield name, False, str(problem)


def _client(name: str) -> Client:
    if name not in CLIENTS:
        raise InstallError(f"no client {name!r} is known; there are {', '.join(CLIENTS)}")
    if not shutil.which(name):
        raise InstallError(f"{name} is not installed here, or not in PATH")
    return CLIENTS[name]


def _ours(name: str, client: Client) -> Entry | None:
    """Our server in the client's settings. Raises InstallError where the name is somebody's."""
    there = _entry(client)
    if there and not there.command[0].endswith(_TOOL):
        other = f"another server of {name} is called {_NAME} ({there.file}); nothing was changed"
        raise InstallError(f"{other}: give that another name")
    return there


def _entry(client: Client) -> Entry | None:
    """What stands under our name in the client's settings. Raises InstallError."""
    variable, folder = client.home
    home = Path(os.environ.get(variable) or Path.home() / folder)
    for file in sorted(home.glob(client.file)):
        text = file.read_text("utf-8")
        try:
            found = _parsed(file, text).get(client.table, {}).get(_NAME)
            if found and found["command"][0]:
                return Entry(file, text, found)
        except (ValueError, AttributeError, LookupError, TypeError) as problem:
            fault = f"{file} cannot be read: {problem!r}; nothing was changed"
            raise InstallError(f"{fault}: mend it first") from None

    return None


def _parsed(file: Path, text: str) -> Any:
    if file.suffix == ".toml":
        return tomllib.loads(text)
    for pattern in (_COMMENTS, _COMMAS):
        text = pattern.sub(lambda found: found[1] or "", text)
    return json.loads(text or "{}")


def _complete(added: Entry, client: Client) -> None:
    """Puts what the client needs besides into the entry that its command has written."""
    begin, line = f'"{_NAME}": {{', '\n      "{}": {},'
    if added.file.suffix == ".toml":
        begin, line = f"[{client.table}.{_NAME}]", "\n{} = {}"

    lines = "".join(line.format(key, json.dumps(value)) for key, value in client.needs.items())
    for found in re.finditer(re.escape(begin), added.text):  # another table may have that name too
        text = added.text[: found.end()] + lines + added.text[found.end() :]
        values = _parsed(added.file, text)[client.table][_NAME]
        if client.needs.keys() <= values.keys():
            _write(added.file, text)
            return


def _remove(name: str, client: Client, there: Entry) -> None:
    """Takes out our server, and nothing else. Raises InstallError."""
    before = _parsed(there.file, there.text)
    del before[client.table][_NAME]
    if client.remove:
        _run(name, client.remove)
        return

    for found in _CUT.finditer(there.text):
        left = there.text[: found.start()] + there.text[found.end() :]
        if _parsed(there.file, left) == before:
            _write(there.file, left)
            return

    fault = f"`{_NAME}` stands in {there.file} in a form that is not known"
    raise InstallError(f"{fault}: take it out by hand")


def _write(file: Path, text: str) -> None:
    """Replaces the file at once, whoever may read it stays as it was."""
    new = file.resolve().with_name(f"{file.name}.tmux-tool")
    new.write_text(text, "utf-8")
    shutil.copymode(file, new)
    new.replace(file.resolve())


def _run(name: str, words: str, *command: str) -> None:
    """Carries out the client's own command. Raises InstallError."""
    try:
        done = subprocess.run(
            [name, *words.split(), *command],
            cwd=Path.home(),  # a project's folder may have settings of its own
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_COMMAND_LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise InstallError(f"{name} {words}: no end after {_COMMAND_LIMIT:g}s") from None

    if done.returncode:
        raise InstallError(f"{name} {words}: {(done.stderr or done.stdout).strip()}")
