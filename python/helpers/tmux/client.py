"""The one place that starts the tmux binary: with a time limit and one error type with a hint."""

import re
import subprocess

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
        self.hint, self.gone, self.rule = hint, gone, rule


def tmux(*args: str, stdin: bytes = b"", limit: float = CALL_LIMIT) -> str:
    """The output of one tmux call. A lone ";" in `args` separates commands; text that somebody else
    has chosen comes through `word` or `stdin`.

    `-u` because in a locale that is not UTF-8 tmux prints "_" for every non-ASCII character.
    Raises TmuxError after at most `limit` seconds.
    """
    try:
        done = subprocess.run(
            ["tmux", "-u", *args], input=stdin, capture_output=True, timeout=limit, check=True
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
    return done.stdout.decode("utf-8", "replace")


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
