"""The one place that starts the tmux binary: with a time limit and one error type with a hint."""

import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress

_Client = subprocess.Popen[bytes]
_PIPE = 1 << 16  # bytes that a pipe holds before somebody reads it
_FROM_STDIN = ["source-file", "-"]  # the tmux command that runs what comes there
CALL_LIMIT = 3.0  # seconds: a healthy server answers in 2 ms

# Parts of tmux's messages (3.3a to 3.8) that say that the pane, or the server, is not there.
_GONE = re.compile(
    "can't find|no such|no server running|No such file|server exited|lost server|no sessions"
    "|no current"
)


class TmuxError(RuntimeError):
    """A call failed, or must not be made. `hint`: what to do instead; `gone`: there is no such
    pane or no server; `late`: it may be done still; `rule`: the name of the rule that refused it.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        gone: bool = False,
        late: bool = False,
        rule: str = "",
    ):
        super().__init__(message)
        self.hint = hint
        self.gone = gone
        self.late = late
        self.rule = rule


def tmux(*args: str, stdin: bytes = b"", before: str = "", limit: float = CALL_LIMIT) -> str:
    """The output of one tmux call. A lone ";" in `args` separates commands; text that somebody else
    has chosen comes through `word` or `stdin`, which the argument "-" stands for. `before`: a
    command that the call begins with, and that nobody else is to see: arguments stand in `ps`.

    `-u` because in a locale that is not UTF-8 tmux prints "_" for every non-ASCII character.
    Raises TmuxError after at most `limit` seconds.
    """
    files: list[int] = []
    words = list(args)
    if before and len(stdin) > _PIPE:
        tmux(before=before, limit=limit)
        before = ""

    if before and stdin:
        files.append(_file_of(stdin))
        words[words.index("-")] = f"/dev/fd/{files[0]}"

    if before:
        words = [*_FROM_STDIN, ";", *words]
        stdin = before.encode()

    return _finish(_start(words, files), stdin, limit)


def _start(words: list[str], files: Sequence[int] = ()) -> _Client:
    """A client that will read `files` too, which are closed here. Raises TmuxError."""
    # A lone ";" is memory that tmux 3.3a loses; behind a word, unless that is empty or ends with
    # one, it does the same.
    line = re.sub(r"(?<=[^\0;])\0;(?=\0)", ";", "\0".join(["tmux", "-u", *words, ""]))
    try:
        return subprocess.Popen(
            line.split("\0")[:-1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=files,
        )
    except FileNotFoundError:
        hint = "install it: apt-get update && apt-get install -y tmux"
        raise TmuxError("tmux is not installed", hint) from None
    except OSError as problem:  # one argument over 131,071 bytes, no more processes
        raise TmuxError(f"tmux cannot be started: {problem}") from None
    finally:
        for file in files:
            os.close(file)


def _finish(client: _Client, stdin: bytes, limit: float) -> str:
    """What the client prints, which gets `stdin`."""
    with client:
        try:
            said, complaint = client.communicate(stdin, limit)
        except subprocess.TimeoutExpired:
            client.kill()
            hint = "it is stopped or overloaded, and what was asked for may come later; "
            hint += "find its process (pgrep -a tmux), kill -CONT it"
            what = f"the tmux server did not answer within {limit:g}s"
            raise TmuxError(what, hint, late=True) from None

    if client.returncode:
        why = complaint.decode(errors="replace").strip() or f"status {client.returncode}"
        raise TmuxError(f"tmux: {why}", gone=bool(_GONE.search(why)))

    return said.decode("utf-8", "replace")


class Ahead:
    """Clients that are started while nobody waits for what they tell, and get their commands later.

    Of the 3.5 ms of a call their start takes 2.5. They end with this process, whatever ends it: by
    the end of their standard input.
    """

    def __init__(self) -> None:
        self._clients: list[_Client] = []

    def start(self) -> None:
        """Starts two: for the look that shows a turn, and for the record that it leaves."""
        with suppress(TmuxError):  # which `tmux` tells
            while len(self._clients) < 2:
                self._clients.append(_start(_FROM_STDIN))

    def begin(self, *args: str, stdin: bytes) -> None:
        """Starts one that runs these at once, and then those of `tmux`. `stdin`: at most 64 KiB.
        Raises TmuxError."""
        file = _file_of(stdin)
        words = [f"/dev/fd/{file}" if each == "-" else each for each in args]
        self._clients.append(_start([*words, ";", *_FROM_STDIN], [file]))

    def __len__(self) -> int:
        return len(self._clients)

    def tmux(self, *args: str, before: str = "") -> str:
        """As the function `tmux`, by a client that was started, if there is one."""
        if not self._clients:
            return tmux(*args, before=before)
        commands = f"{before}\n{as_command(*args)}"
        return _finish(self._clients.pop(), commands.encode(), CALL_LIMIT)

    def end(self) -> None:
        """Ends those that were not needed; a server that stands still does not keep them."""
        while self._clients:
            with self._clients.pop() as client:
                client.kill()


def _file_of(text: bytes) -> int:
    """A descriptor from which `text` can be read, of at most _PIPE bytes."""
    file, end = os.pipe()
    os.write(end, text)
    os.close(end)
    return file


def as_command(*args: str) -> str:
    """Words as `tmux` takes them, as the text of commands, which a lone ";" separates."""
    return " ".join(each if each == ";" else as_word(re.sub(r"\\;$", ";", each)) for each in args)


def as_word(text: str) -> str:
    """`text` as one word of a command in `before`."""
    return "'" + text.replace("'", "'\\''") + "'"


def word(text: str, expanded: bool = False) -> str:
    """`text` as one word of a tmux command: a ";" at its end would end the command. `expanded`:
    tmux expands formats in it, so `#(…)` would be run (directories, names of windows). A "#" is
    doubled, but not before "[", where tmux leaves it alone."""
    if expanded:
        text = re.sub(r"#+(?![#\[])", lambda signs: signs[0] * 2, text)
    if text.endswith(";"):
        return text[:-1] + "\\;"
    return text


def rows_of(*args: str) -> list[str]:
    """The lines that one tmux call prints; none if there is no server. Raises TmuxError."""
    try:
        return tmux(*args).splitlines()
    except TmuxError as problem:
        if problem.gone:
            return []
        raise


def version_of(text: str) -> tuple[int, int]:
    """("3.3a") -> (3, 3); ("next-3.8") -> (3, 8); unknown -> (0, 0)."""
    found = re.search(r"(\d+)(?:\.(\d+))?", text)
    if found is None:
        return 0, 0
    return int(found[1]), int(found[2] or 0)
