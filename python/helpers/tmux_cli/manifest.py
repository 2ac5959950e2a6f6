"""What an installation put where, in `installed.json` in the folder that is ours alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from .layout import LAYOUTS, MANIFEST, Layout


@dataclass(kw_only=True)
class Manifest:
    """`files`: path relative to the host's root -> the contents (sha256) that are ours; while an
    installation is under way the old and the new one. `folders`: those that were made for them."""

    layout: Layout
    version: str = ""
    files: dict[str, list[str]] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"{self.layout.base}/{MANIFEST}"

    def to_json(self) -> bytes:
        facts = {"version": self.version, "files": self.files, "folders": sorted(self.folders)}
        return json.dumps(facts, indent=1).encode() + b"\n"

    @classmethod
    def read(cls, root: Path, layout: Layout) -> Manifest | None:
        """None where nothing is installed in this layout, or where that cannot be read."""
        manifest = cls(layout=layout)
        try:
            facts = json.loads((root / manifest.path).read_bytes())
            manifest.version = str(facts["version"])
            manifest.files = {str(name): list(known) for name, known in facts["files"].items()}
            manifest.folders = [str(name) for name in facts["folders"]]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        return manifest

    def joined_with(self, before: Iterable[Manifest]) -> Manifest:
        """What is ours while this installation takes the place of earlier ones in its folder."""
        joined = Manifest(layout=self.layout, version=self.version, folders=[*self.folders])
        joined.files = {name: [*known] for name, known in self.files.items()}
        for old in (one for one in before if one.layout is self.layout):
            joined.folders += [name for name in old.folders if name not in joined.folders]
            for name, known in old.files.items():
                joined.files[name] = joined.files.get(name, []) + known
        return joined

    def owns(self, root: Path, name: str) -> bool:
        """The file is there, and as an installation wrote it."""
        path = root / name
        return not path.is_symlink() and digest(path) in self.files.get(name, [])


def manifests(root: Path) -> list[Manifest]:
    found = (Manifest.read(root, layout) for layout in LAYOUTS)
    return [manifest for manifest in found if manifest]


def lost(root: Path) -> list[Manifest]:
    """Installations without an `installed.json` that can be read. Of their files only the helpers
    are known for ours; of folders those in their places, and those that hold nothing else."""
    found = []
    for layout in LAYOUTS:
        helpers = root / layout.base / "helpers"
        if not helpers.is_dir() or Manifest.read(root, layout):
            continue
        files = {str(path.relative_to(root)): [digest(path)] for path in files_in(helpers)}
        folders = [str(path.relative_to(root)) for path in _folders(root, layout)]
        found.append(Manifest(layout=layout, files=files, folders=folders))
    return found


def _folders(root: Path, layout: Layout) -> set[Path]:
    places = [root / place for place in layout.places]
    found = {path for place in places for path in (place, *place.rglob("*")) if path.is_dir()}
    for around in {root.joinpath(*Path(place).parts[:2]) for place in layout.places}:
        if all(any(path.is_relative_to(place) for place in places) for path in files_in(around)):
            found.add(around)
    return found


def files_in(folder: Path) -> list[Path]:
    """Without what Python has compiled."""
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]


def digest(path: Path) -> str:
    """The file's sha256; empty where there is none to read."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
