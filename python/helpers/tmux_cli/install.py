"""`tmux-tool install` and `uninstall`.

An installation can be cut off anywhere: it first writes down what will be ours, then writes every
file beside its place, then renames them one by one. The tool names the folder of its own helpers
(`helpers/r...`), so the old one works until the rename and the new one from then on, and a running
host that remembers old modules never mixes the two.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from . import hand_copy
from .layout import HOOKS, LAYOUTS, PLUGIN, File, InstallError, files_for, layout_of, version
from .manifest import Manifest, digest, files_in, lost, manifests

# What the host writes into a plugin's folder; its own removal of a plugin takes them too.
_WRITTEN_BY_HOST = ("config.json", ".toggle-0", ".toggle-1")


def install(root: Path) -> list[str]:
    """Puts everything in place, or brings it up to date. Returns what it did, a line each.

    Raises InstallError; the tool then works as it did before.
    """
    root = root.resolve()
    layout = layout_of(root)
    files = files_for(root, layout)
    with _alone(root):
        before = manifests(root) + [one for one in lost(root) if one.layout is layout]
        copied = _hand_copied(root, before)
        # Ours from now on: where this one is killed, the next must know them.
        taken_over = {name: [digest(root / name)] for name in copied if name in files}
        before.append(Manifest(layout=layout, files=taken_over))
        _refuse_strangers(root, files, before)
        manifest = Manifest(layout=layout, version=version())
        manifest.folders = _folders_to_make(root, manifest, files, before, copied)
        manifest.files = {name: [file.digest] for name, file in files.items()}
        changed = _put_in_place(root, manifest, files, before)
        lines = [
            f"installed {manifest.version} in {root} {layout.title} ({layout.base})",
            f"{len(changed)} of {len(files)} files written; command: {root / layout.command}",
            *_removed(root, before, keep=manifest),
            *_hand_copy_removed(root, [name for name in copied if name not in files]),
        ]
        _write(root, manifest.path, File(content=manifest.to_json()))
        _announce(root, files)
    if not shutil.which("tmux"):
        lines.append("tmux is missing: apt-get update && apt-get install -y tmux")
    return lines


def uninstall(root: Path) -> list[str]:
    """Removes what `install` put there, and a hand copy. Returns what it did, a line each.

    Raises InstallError.
    """
    root = root.resolve()
    with _alone(root):
        _refuse_lost(root)
        before = manifests(root)
        copied = _hand_copied(root, before)
        if not before and not copied:
            # a removal that was killed at its very end
            _remove_folders(root, [layout.base for layout in LAYOUTS])
            raise InstallError(f"nothing of tmux-tool is installed in {root}")
        lines = [f"uninstalled {manifest.version} from {root}" for manifest in before]
        return lines + _removed(root, before, keep=None) + _hand_copy_removed(root, copied)


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """One installation at a time; the system's errors are ours."""
    try:
        holder = os.open(root / "usr", os.O_RDONLY | os.O_DIRECTORY)
    except OSError as problem:
        raise InstallError(f"{root}/usr: {problem.strerror}; is this Agent Zero's root?") from None
    try:
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise InstallError(f"another installation is under way in {root}") from None
    except OSError as problem:
        advice = "make room or give write access, then run it again"
        raise InstallError(f"{problem.filename}: {problem.strerror}; {advice}") from None
    finally:
        os.close(holder)


def _hand_copied(root: Path, before: list[Manifest]) -> list[str]:
    """What an installation has put there is no hand copy, also where somebody has changed it."""
    found = hand_copy.find(root)
    return [name for name in found if not any(name in one.files for one in before)]


def _refuse_strangers(root: Path, files: dict[str, File], before: list[Manifest]) -> None:
    """No file that we did not write is overwritten."""
    strangers = [
        name
        for name, file in files.items()
        if os.path.lexists(root / name)
        and digest(root / name) != file.digest
        and not any(manifest.owns(root, name) for manifest in before)
    ]
    if strangers:
        raise InstallError(
            f"not ours, or changed since it was installed: {', '.join(strangers)}; "
            "move it away and run it again; nothing was changed"
        )


def _refuse_lost(root: Path) -> None:
    """Nothing is taken away where it cannot be told what is ours."""
    for one in lost(root):
        raise InstallError(
            f"{one.path} is missing or broken, so nothing was taken away; run tmux-tool install "
            f"{root} from the project's folder and then this again, or remove by hand: "
            f"{', '.join(one.layout.places)}"
        )


def _folders_to_make(
    root: Path,
    manifest: Manifest,
    names: Iterable[str],
    before: list[Manifest],
    copied: list[str],
) -> list[str]:
    """Those that are missing, that we made earlier, or that hold nothing but a hand copy."""
    base = manifest.layout.base
    made = {folder for one in before for folder in one.folders}
    parents = {str(parent) for name in names for parent in Path(name).parents[:-2]} | {base}
    return [
        folder
        for folder in parents
        if folder in made
        or f"{folder}/".startswith(f"{base}/")
        or not (root / folder).exists()
        or _holds_only(root / folder, [root / name for name in copied])
    ]


def _holds_only(folder: Path, ours: list[Path]) -> bool:
    files = files_in(folder)
    return bool(files) and set(files) <= set(ours)


def _put_in_place(
    root: Path, manifest: Manifest, files: dict[str, File], before: list[Manifest]
) -> list[str]:
    """Returns the names whose content is new. Where not all of it can be written, none is."""
    changed = [name for name, file in files.items() if not _is(root / name, file)]
    new = [folder for folder in manifest.folders if not (root / folder).exists()]
    first = not (root / manifest.path).exists()
    try:
        _write(root, manifest.path, File(content=manifest.joined_with(before).to_json()))
        for name in changed:
            _stage(root, name, files[name])
    except OSError:
        _unlink(root, [_staged(name) for name in [*changed, manifest.path]])
        _unlink(root, [manifest.path] if first else [])
        _remove_folders(root, new)
        raise
    for name in changed:
        _rename(root, name)
    return changed


def _removed(root: Path, before: list[Manifest], keep: Manifest | None) -> list[str]:
    """Takes away what earlier installations wrote and this one did not. Returns what it left."""
    left = []
    for manifest in before:
        names = [name for name in manifest.files if not keep or name not in keep.files]
        _unlink(root, [_staged(name) for name in manifest.files])
        _unlink(root, [name for name in names if manifest.owns(root, name)])
        left += [name for name in names if os.path.lexists(root / name)]
        folders = [name for name in manifest.folders if not keep or name not in keep.folders]
        _remove_folders(root, folders)  # before the manifest, which tells of them
        if not keep or keep.layout is not manifest.layout:
            if manifest.layout is PLUGIN:
                _unlink(root, [f"{PLUGIN.base}/{name}" for name in _WRITTEN_BY_HOST])
            _unlink(root, [manifest.path])
        _remove_folders(root, [name for name in folders if manifest.path.startswith(f"{name}/")])
    return [f"left, changed since it was installed: {name}" for name in left]


def _hand_copy_removed(root: Path, names: list[str]) -> list[str]:
    """What the host's own git has under such a name comes back."""
    count = restored = 0
    for name in names:
        content = hand_copy.tracked_content(root, name)
        if content is None:
            _unlink(root, [name])
        elif content != (root / name).read_bytes():
            _write(root, name, File(content=content))
            restored += 1
        else:
            continue
        count += 1
        parents = [str(parent) for parent in Path(name).parents[:-1]]
        _remove_folders(root, [parent for parent in parents if parent != "usr"])
    return [f"took away a copy made by hand: {count} files, {restored} restored"] if count else []


def _announce(root: Path, files: dict[str, File]) -> None:
    """The host's watchdog sees that this one file is written; all others are in place by now."""
    hooks = f"{PLUGIN.base}/{HOOKS}"
    if hooks in files:
        _write(root, hooks, files[hooks])


# single files: written beside their place, then renamed


def _is(path: Path, file: File) -> bool:
    return (
        not path.is_symlink()
        and digest(path) == file.digest
        and path.stat().st_mode & 0o777 == file.mode
    )


def _staged(name: str) -> str:
    path = Path(name)
    return str(path.with_name(f".{path.name}.new"))


def _stage(root: Path, name: str, file: File) -> None:
    path = root / _staged(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.content)
    path.chmod(file.mode)


def _rename(root: Path, name: str) -> None:
    os.replace(root / _staged(name), root / name)
    _forget_bytecode(root / name)


def _write(root: Path, name: str, file: File) -> None:
    _stage(root, name, file)
    _rename(root, name)


def _unlink(root: Path, names: Iterable[str]) -> None:
    for name in names:
        (root / name).unlink(missing_ok=True)
        _forget_bytecode(root / name)


def _forget_bytecode(path: Path) -> None:
    """Python takes a .pyc for good whose source has the same size and second of change."""
    cache = path.parent / "__pycache__"
    if path.suffix == ".py" and cache.is_dir():
        for compiled in cache.glob(f"{path.stem}.*.pyc"):
            compiled.unlink(missing_ok=True)
        _remove_folders(cache.parent, [cache.name])


def _remove_folders(root: Path, folders: Iterable[str]) -> None:
    """The empty ones of them, the deepest first."""
    for folder in sorted(folders, key=lambda name: name.count("/"), reverse=True):
        try:
            (root / folder).rmdir()
        except OSError:
            pass  # the person's files are in it, or it has gone
