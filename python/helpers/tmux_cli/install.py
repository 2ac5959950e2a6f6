"""`tmux-tool install` and `uninstall`.

The release's folder is written beside its place and renamed, then the files outside it, one by one.
Each works with the old folder or the new one, so if this is interrupted, the old or the new version
works. An earlier release is removed when no file names it any more.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .earlier import content, earlier_files, restored_by_git
from .layout import (
    LAYOUTS,
    PLACED,
    PLUGIN,
    InstallError,
    Release,
    files_in,
    layout_of,
    release,
    version,
)

_WORK = ".tmux_tool"  # folder in usr/ for files that are not yet, or no longer, in their places
# Files that the host writes into a plugin's folder, and removes with a plugin.
_WRITTEN_BY_HOST = ("config.json", ".toggle-0", ".toggle-1")
_HOSTS_FOLDERS = (".", "usr", "usr/plugins", "usr/skills")  # which it needs, empty or not

Known = list[tuple[str, bytes]]  # paths relative to the host's root, and our content there


def install(root: Path) -> list[str]:
    """Installs or updates everything. Returns lines that say what it did.

    Raises InstallError, OSError; the tool then works as it did before.
    """
    layout = layout_of(root)
    new = release(layout)
    with _alone(root / "usr") as work:
        known = known_files(root)
        changed = differing(root, new.placed)
        if strangers := [name for name in changed if not _is_free(root, known, name)]:
            raise InstallError(
                f"not ours, or changed since it was installed: {', '.join(strangers)}; "
                "move it away and run install again; nothing was changed"
            )

        _put_in_place(root, work, new, changed)
        command = root / layout.places["usr/bin"] / "tmux-tool"
        command.chmod(0o755)  # the host unpacks a plugin's zip without modes
        lines = [
            f"installed {version()} in {root / new.folder}",
            f"{len(changed)} of {len(new.placed)} other files were new or changed",
            f"command: {command}",
            *_removed(root, work, known, new),
        ]

    if not shutil.which("tmux"):
        lines.append("tmux is missing: apt-get update && apt-get install -y tmux")

    if layout is PLUGIN:
        lines.append("next: reload Agent Zero's page and press Terminal under the chat")
    return lines


def uninstall(root: Path) -> list[str]:
    """Removes what `install` wrote, and a copy made by hand. Returns lines that say what it did.

    Raises InstallError, OSError.
    """
    nothing = InstallError(f"nothing of tmux-tool is installed in {root}")
    if not (root / "usr").is_dir():
        raise nothing

    with _alone(root / "usr") as work:
        known = known_files(root)
        lines = _removed(root, work, known, None)

    if not known:
        raise nothing
    return [f"uninstalled from {root}", *lines]


def plugin_folder(folder: Path) -> list[str]:
    """Writes the plugin as a repository of its own into `folder`. Raises InstallError, OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    if set(os.listdir(folder)) - {".git"}:
        raise InstallError(f"{folder} is not empty: remove all but .git, or name another one")
    new = release(PLUGIN)
    for name, text in (new.tree | new.placed).items():
        _write(folder / name.removeprefix(f"{PLUGIN.base}/"), text)
    return [f"wrote the plugin {version()} into {folder}: commit it as the root of a repository"]


def releases(root: Path) -> list[Path]:
    """The folders of the releases that are in a host, in any layout."""
    return [path.parent for one in LAYOUTS for path in root.glob(f"{one.base}/r*/{PLACED}")]


def differing(root: Path, files: dict[str, bytes]) -> list[str]:
    """The names of those `files` of a release that are missing or different."""
    return [name for name, text in files.items() if content(root / name) != text]


def known_files(root: Path) -> Known:
    """The files that releases have put outside their folders, and other files of ours."""
    placed = [item for folder in releases(root) for item in files_in(folder / PLACED).items()]
    return placed + [(name, content(root / name)) for name in earlier_files(root)]


def _is_free(root: Path, known: Known, name: str) -> bool:
    """Whether nothing is there, or only what is known to be ours."""
    return not os.path.lexists(root / name) or (name, content(root / name)) in known


@contextmanager
def _alone(place: Path) -> Iterator[Path]:
    """One installation at a time, with a folder to work in."""
    work = place / _WORK
    holder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(work, ignore_errors=True)  # left by an installation that was killed
        work.mkdir()
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except BlockingIOError:
        raise InstallError(f"another installation is under way in {place}") from None
    finally:
        os.close(holder)


def _put_in_place(root: Path, work: Path, new: Release, changed: list[str]) -> None:
    """Writes everything before changing anything."""
    folder = root / new.folder
    missing = new.tree if differing(root, new.tree) else {}
    for name, text in (missing | {name: new.placed[name] for name in changed}).items():
        _write(work / name, text)

    if missing and folder.exists():
        shutil.move(folder, work / "damaged")

    names = list(changed)
    if missing:
        names.insert(0, new.folder)

    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(work / name, root / name)  # a rename, unless something is mounted there
        _forget_bytecode(root / name)


def _removed(root: Path, work: Path, known: Known, keep: Release | None) -> list[str]:
    """Removes everything that is not `keep`'s, and restores the host's own files; returns lines
    about what it left."""
    left = []
    for name in dict(known):
        if keep and name in keep.placed:
            continue
        if not _is_free(root, known, name):
            left.append(f"left, changed since it was installed: {name}")
        elif not restored_by_git(root, name):
            _unlink(root, root / name)

    for folder in releases(root):
        if not keep or folder != root / keep.folder:
            shutil.move(folder, work / folder.name)
            _unlink(root, folder)

    plugin = root / PLUGIN.base
    if not (plugin / "plugin.yaml").exists():
        for name in _WRITTEN_BY_HOST:
            _unlink(root, plugin / name)
        if (plugin / ".git").exists():  # a clone, of the host's installer
            shutil.rmtree(plugin)

    return left


def _write(path: Path, text: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    path.chmod(0o755 if text.startswith(b"#!") else 0o644)


def _unlink(root: Path, path: Path) -> None:
    """Removes the file, and the folders around it that are then empty."""
    path.unlink(missing_ok=True)
    _forget_bytecode(path)
    for folder in path.parents:
        if str(folder.relative_to(root)) in _HOSTS_FOLDERS:
            break
        with suppress(OSError):  # something else is in it
            folder.rmdir()


def _forget_bytecode(path: Path) -> None:
    """Removes the file's .pyc: Python would accept it if the new source has the same size and was
    modified in the same second."""
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink(missing_ok=True)
        with suppress(OSError):
            compiled.parent.rmdir()
