"""The skill cli-orchestration: valid for both hosts, short, and every example in it is true."""

import contextlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from python.helpers.tmux.actions import Call
from python.helpers.tmux.arguments import ACTIONS
from python.helpers.tmux.base.words import Word
from python.helpers.tmux.facts import editor as line_editor
from tests.host import host_tree, hosts
from tests.support import denied
from tests.support.devbox import devbox, is_there
from tests.support.pythons import PY313
from tests.support.run import ROOT
from tests.support.services import free_port

SKILL = ROOT / "usr/skills/cli-orchestration"
PAGES = [SKILL / "SKILL.md", *sorted((SKILL / "references").glob("*.md"))]
PROMPT = ROOT / "prompts/agent.system.tool.tmux.md"
PROGRAMS = ("less", "ssh", "vim")  # that an example needs beside bash, python3 and curl
CHARACTERS_A_TOKEN = 3.6  # of text like this one; a tokenizer is not available everywhere

# What the examples find in the home directory.
INSTALLER = """\
#!/bin/bash
read -rp 'Install 3 packages? [Y/n] ' go
for try in 1 2; do
    read -rsp 'Password for admin: ' password; echo
    [ $try = 2 ] || echo 'Sorry, try again.'
done
read -rsn1 -p 'Press any key to continue... '
echo; echo installed
"""
FILES = {
    "install.sh": INSTALLER, "notes": "one\ntwo\nthree\n", "todo": "pick 1a first\npick 2b second\n",
    "app.py": "print(1)\n",
}
# And a row of the table, in a git repository with something to stage and something to commit.
REPOSITORY = """\
git init -q && git config user.email a@b.c && git config user.name A
git add notes todo && git commit -qm first
echo more >> notes && echo more >> todo && git add todo
"""


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), flags=re.S | re.M)


def _name(page, number, block):
    return f"{page.stem}-{number}-{json.loads(block.splitlines()[0]).get('text', 'no text')[:20]}"


EXAMPLES = [
    pytest.param(block, id=_name(page, number, block))
    for page in PAGES
    for number, block in enumerate(blocks(page, "tmux_tool"), 1)
]


def steps(block):
    """(the call, its whole answer) of each call."""
    calls = []
    for line in block.splitlines():
        if line.startswith("{"):
            calls.append((json.loads(line), []))
        else:
            assert line == "" or line.startswith("   "), f"neither a call nor an answer: {line!r}"
            calls[-1][1].append(line[3:])
    return [(call, "\n".join(answer)) for call, answer in calls]


def rows(page):
    """Cells of the first table of `page`; a | inside a cell is written \\|."""
    for row in page.read_text().partition("|---")[2].partition("\n\n")[0].splitlines()[1:]:
        yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


ROWS = [
    pytest.param(start.strip("`"), answer, leave, id=start.strip("`"))
    for start, answer, leave, _ in rows(SKILL / "references/clis.md")
]
LEAVES = {"run": "text", "send": "text", "keys": "keys"}  # the action's argument in the table


def without_times(answer):
    """`ready (shell) after 0.02s` -> `ready (shell)`; `[22/Nov/2026 08:46:31]` of a log -> `[]`."""
    answer = re.sub(r"^([^\n]*?) after \d+\.\d\d?s", r"\1", answer)
    if os.environ.get(denied.VARIABLE) == denied.YAMA:
        answer = re.sub(r"^(ready[^\n]*), exit status \d+", r"\1", answer)  # none is reported there
    answer = re.sub(r"^([^\n]*), silent for \d+\.\ds", r"\1", answer)
    return re.sub(r"\[\d+/\w+/\d+ [\d:]+\]", "[]", answer)


@pytest.fixture
def at_home(bare, tmp_path, monkeypatch):
    """The shared session with a plain bash in a home that holds FILES; `ssh devbox` works."""
    home = Path(os.environ["HOME"])
    for name, text in FILES.items():
        (home / name).write_text(text)
        (home / name).chmod(0o755 if text.startswith("#!") else 0o644)
    for name in ("LESS", "PAGER", "MANPAGER", "PS1", "PROMPT_COMMAND", "FZF_DEFAULT_OPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHON_BASIC_REPL", "1")  # 3.13 has another one, see below
    monkeypatch.chdir(home)
    bare.folder = home
    bare.start()
    bare.ready()
    return bare


@pytest.mark.parametrize("block", EXAMPLES)
def test_every_example_gives_the_answer_that_is_printed_there(block, request):
    needed = [name for name in PROGRAMS if re.search(rf'"(?:[^"]*[ ;|])?{name}\b', block)]
    missing = [name for name in needed if not shutil.which(name)]
    with contextlib.ExitStack() as stack:
        if "ssh devbox" in block:
            if is_there():
                folder = request.getfixturevalue("tmp_path") / "devbox"
                path = f"{stack.enter_context(devbox(folder))}:{os.environ['PATH']}"
                request.getfixturevalue("monkeypatch").setenv("PATH", path)
            else:
                missing.append("sshd")
        if missing:
            pytest.skip(f"not installed: {missing}")
        terminal = request.getfixturevalue("at_home")
        block = block.replace("8765", str(free_port())).replace("/home/user", os.environ["HOME"])
        for call, answer in steps(block):
            assert without_times(Call().answer(call).text) == without_times(answer), call
        assert terminal.call("wait_ready").startswith("ready"), "an example leaves nothing behind"
        assert terminal.call("list").startswith("1 pane, nobody attached\n")


@pytest.mark.parametrize(("start", "answer", "leave"), ROWS)
def test_every_program_of_the_table_starts_asks_and_ends_as_it_says(start, answer, leave, request):
    program = re.findall(r"[\w.-]+", start.split("|")[-1])[0]
    if not shutil.which(program) and program != "select":
        pytest.skip(f"not installed: {program}")
    request.getfixturevalue("monkeypatch").setenv("GIT_EDITOR", "vim -u NONE")
    terminal = request.getfixturevalue("at_home")
    if program == "git":
        subprocess.run(["bash", "-ec", REPOSITORY], check=True, capture_output=True, timeout=30)
    first = terminal.call("run", text=start, timeout=60).partition("\n")[0]
    assert without_times(first) == without_times(answer)
    action, _, what = leave.partition(" ")
    arguments = {LEAVES[action]: what.strip("`")} if what else {}
    assert terminal.call(action, **arguments).startswith("ready (shell)")


@pytest.mark.skipif(not PY313, reason="not installed: Python 3.13")
def test_python_3_13_takes_several_lines_as_it_says(at_home):
    at_home.call("run", text=f"unset PYTHON_BASIC_REPL; {PY313} -q")
    answer = at_home.call("run", text="def double(x):\n    return 2 * x\n\ndouble(21)")
    assert without_times(answer) == "ready (prompt matched): >>>\n42"
    assert at_home.call("run", text="exit()").startswith("ready (shell)")


def test_the_setting_switches_the_reading_of_line_editors_off(at_home, monkeypatch):
    """As troubleshooting.md says."""
    page = (SKILL / "references/troubleshooting.md").read_text()
    assert "`line_editor`" in page and "`TMUX_TOOL_LINE_EDITOR=false`" in page
    monkeypatch.setenv("TMUX_TOOL_LINE_EDITOR", "false")
    monkeypatch.setattr(line_editor, "_Variables", lambda *_: pytest.fail("it was read"))
    assert without_times(at_home.call("run", text="(exit 3)").partition("\n")[0]) == "ready (shell)"


def test_no_example_is_left_out_and_they_show_every_action_and_nearly_every_verdict():
    """Every fence is one that a test runs: tests/opencode has the Python of opencode.md."""
    for page in PAGES:
        for language in re.findall(r"^```(\w+)\n", page.read_text(), flags=re.M):
            assert language == ("python" if page.stem == "opencode" else "tmux_tool"), page.name
        assert page.read_text().count("```") % 2 == 0
    assert len(EXAMPLES) >= 9 and len(ROWS) >= 30
    calls = [step for block in EXAMPLES for step in steps(block.values[0])]
    assert {call["action"] for call, _ in calls} == set(ACTIONS)
    words = {word for word in Word for _, answer in calls if word.value in answer.split("\n")[0]}
    assert words >= set(Word) - {Word.PRESSED, Word.READ, Word.GONE, Word.LIST, Word.QUIET}


def test_the_front_matter_is_what_the_standard_and_both_hosts_ask_for():
    text = (SKILL / "SKILL.md").read_text()
    assert text.startswith("---\n")
    matter = yaml.safe_load(text.split("---\n")[1])
    # No triggers: they load it unasked.
    assert set(matter) == {"name", "description", "version", "tags"}
    assert matter["name"] == SKILL.name == "cli-orchestration"
    # The standard allows 1024, the fork lists the first 500.
    assert 100 < len(matter["description"]) <= 500
    assert "Use when" in matter["description"] and ": " not in matter["description"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", matter["version"])
    assert all(isinstance(tag, str) for tag in matter["tags"])


@pytest.mark.parametrize("layout", host_tree.LAYOUTS)
def test_both_hosts_list_it_and_load_it_unchanged(layout, tmp_path):
    with hosts.Host(tmp_path / "a0", layout) as host:
        skill = host.skills()["cli-orchestration"]
        body = (SKILL / "SKILL.md").read_text().split("---\n", 2)[2]
        assert skill["body"].strip() == body.strip()
        assert (skill["path"].parent / "references/clis.md").is_file()


def test_it_is_short_points_to_files_that_are_there_templating_leaves_it_alone_and_no_prompt_is_repeated():
    """A loaded skill costs at most 2300 tokens."""
    assert len((SKILL / "SKILL.md").read_text()) / CHARACTERS_A_TOKEN <= 2300
    assert len((SKILL / "references/clis.md").read_bytes()) <= 5000
    assert len((SKILL / "references/troubleshooting.md").read_bytes()) <= 5000
    for page in PAGES:
        assert "{{" not in page.read_text() and "§§include" not in page.read_text()
    targets = set(re.findall(r"references/(\w+\.md)", (SKILL / "SKILL.md").read_text()))
    assert targets == {path.name for path in PAGES} - {"SKILL.md"}
    prompt, skill = PROMPT.read_text().lower(), (SKILL / "SKILL.md").read_text().lower()
    lines = {line.strip("-* ") for line in prompt.splitlines() if len(line) > 40}
    assert not [line for line in lines if line in skill]
    texts = [set(re.findall(r'"text": "[^"]*"', page)) for page in (prompt, skill)]
    assert not texts[0] & texts[1]
