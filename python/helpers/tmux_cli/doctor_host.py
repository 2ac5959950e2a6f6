"""`tmux-tool doctor`: which Agent Zero is here, and how the tool is installed in it."""

from __future__ import annotations

from pathlib import Path

from . import hand_copy
from .finding import Finding, do, ok
from .layout import HELPER_DOOR, InstallError, Layout, layout_of
from .manifest import Manifest, lost, manifests


def host_state(root: Path) -> Finding:
    root = root.resolve()
    again = f"tmux-tool install {root}, from the project's folder"
    try:
        layout = layout_of(root)
    except InstallError as problem:
        if not root.exists():
            return ok("host", f"no Agent Zero in {root}; the command line needs none")
        return do("host", str(problem))
    installed = manifests(root)
    copied = hand_copy.find(root)
    if remains := lost(root):
        state = f"{remains[0].path} is missing or broken"
        return do("host", f"Agent Zero in {root}: {state}: {again}")
    if not installed:
        state = (
            "copied by hand, and the host's next update breaks it" if copied else "not installed"
        )
        return do("host", f"Agent Zero in {root}: {state}: {again}")
    if [one.layout for one in installed] != [layout]:
        return do("host", f"Agent Zero in {root} has another layout by now: {again}")
    return _installed(root, layout, installed[0], again)


def _installed(root: Path, layout: Layout, manifest: Manifest, again: str) -> Finding:
    state = f"Agent Zero in {root}, {manifest.version} {layout.title} ({layout.base})"
    wrong = [name for name in manifest.files if not manifest.owns(root, name)]
    if wrong:
        return do("host", f"{state}: {len(wrong)} files missing or changed ({wrong[0]} …): {again}")
    if (root / layout.base / ".toggle-0").exists():
        return do("host", f"{state}: switched off in the host's list of plugins")
    skill_code = f"{layout.package}.{HELPER_DOOR}"
    return ok(
        "host", f"{state}, {len(manifest.files)} files whole; skill code imports {skill_code}"
    )
