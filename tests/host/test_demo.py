"""`tmux-tool demo`: right whatever the person's shell is, and it says so where it is not."""

import shutil

import pytest

from tests.support.run import ROOT, TMUX_TOOL, run
from tests.support.terminal import SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_the_demo_is_right_in_every_shell(bare, monkeypatch, shell):
    found = shutil.which(shell)
    if not found:
        pytest.skip(f"not installed: {shell}")
    (bare.server.home / ".zshrc").touch()  # else zsh asks what to write there
    monkeypatch.setenv("SHELL", found)
    monkeypatch.delenv("OPENCODE_BIN", raising=False)
    done = run(TMUX_TOOL, "demo", timeout=120)
    assert done.returncode == 0 and "not right" not in done.stdout, done.stdout


@pytest.mark.thorough
def test_the_demo_fails_where_an_answer_is_not_what_it_shows(bare, tmp_path):
    demo = tmp_path / "demo"
    shutil.copytree(ROOT, demo, ignore=shutil.ignore_patterns(".*", "bench", "real", "view"))
    steps = demo / "tests/demo.toml"
    steps.write_text(steps.read_text().replace("you said y$", "you said n$"))
    done = run(demo / "usr/bin/tmux-tool", "demo", timeout=120)
    assert done.returncode == 1 and "this is not right: expected" in done.stdout, done.stdout
