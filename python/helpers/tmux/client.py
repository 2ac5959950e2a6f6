"""The one place that starts the tmux binary: with a time limit and one error type with a hint."""

import os
import re
import subprocess

_PIPE = 1 << 16  # bytes that a pipe holds before somebody reads it
CALL_LIMIT = 3.0  # seconds: a healthy server answers in 2 ms

# Parts of tmux's messages (3.3a to 3.8) that say that the pane, or the server, is not there.
_GONE = re.compile(
    "can't find|no such|no server running|No such file|server exited|lost server|no sessions"
    "|no current"
)


class TmuxError(RuntimeError):
    """A call failed, or must not be made. `hint`: what to do instead; `gone`: there is no such
    pane or no server; `rule`: the name of the rule that refused it."""

    def __init__(self, message: str, hint: str = "", gone: bool = False, rule: str = ""):
        super().__init__(message)
        self.hint = hint
        self.gone = gone
        self.rule = rule


def tmux(*args: str, stdin: bytes = b"", before: str = "", limit: float = CALL_LIMIT) -> str:
    """The output of one tmux call. A lone ";" in `args` separates commands; text that somebody else
    has chosen comes through `word` or `stdin`, which the argument "-" stands for. `before`: a
    command that the call begins with, and that nobody else is to see: arguments stand in `ps`.

    `-u` because in a locale that is not UTF-8 tmux prints "_" for every non-ASCII character.
    Raises TmuxError after at most `limit` seconds.
    """
    files: list[int] = []
    words = ["tmux", "-u", *args]
    if before and len(stdin) > _PIPE:
        tmux(before=before, limit=limit)
        before = ""
    if before and stdin:
        files.append(_file_of(stdin))
        words[words.index("-")] = f"/dev/fd/{files[0]}"
    if before:
        words[2:2] = ["source-file", "-", ";"]
        stdin = before.encode()
    try:
        done = subprocess.run(
            words, input=stdin, capture_output=True, timeout=limit, check=True, pass_fds=files
        )
    except FileNotFoundError:
        hint = "install it: apt-get update && apt-get install -y tmux"
        raise TmuxError("tmux is not installed", hint) from None
    except subprocess.TimeoutExpired:
        hint = "it is stopped or overloaded, and what was asked for may come later; "
        hint += "find its process (pgrep -a tmux), kill -CONT it"
        raise TmuxError(f"the tmux server did not answer within {limit:g}s", hint) from None
    except subprocess.CalledProcessError as failed:
        said = failed.stderr.decode(errors="replace").strip() or f"status {failed.returncode}"
        raise TmuxError(f"tmux: {said}", gone=bool(_GONE.search(said))) from None
    except OSError as problem:  # one argument over 131,071 bytes, no more processes
        raise TmuxError(f"tmux cannot be started: {problem}") from None
    finally:
        for file in files:
            os.close(file)
    return done.stdout.decode("utf-8", "replace")


def _file_of(text: bytes) -> int:
    """A descriptor from which `text` can be read, of at most _PIPE bytes."""
    file, end = os.pipe()
    os.write(end, text)
    os.close(end)
    return file


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
