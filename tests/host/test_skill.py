"""The skill cli-orchestration: valid for both hosts, short, and every example in it does what stands beside it."""

import importlib.util
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from python.helpers.tmux.actions import Call

ROOT = Path(__file__).resolve().parents[2]
SKILL = ROOT / "usr/skills/cli-orchestration"
PAGES = sorted(path for path in [SKILL / "SKILL.md", *(SKILL / "references").glob("*.md")])
# What an example starts, and what a machine without it is told.
PROGRAMS = (
    "zsh",
    "fish",
    "dash",
    "ipython",
    "node",
    "sqlite3",
    "bc",
    "gdb",
    "less",
    "more",
    "git",
    "vim",
    "top",
    "watch",
    "whiptail",
    "dialog",
    "sudo",
    "ssh-keygen",
    "ssh",
)


def _load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), flags=re.S | re.M)


EXAMPLES = [
    pytest.param(
        block,
        id=f"{page.stem}-{number}-{json.loads(block.splitlines()[0]).get('text', 'read')[:20]}",
    )
    for page in PAGES
    for number, block in enumerate(blocks(page, "tmux_tool"), 1)
]


def steps(block):
    """(arguments, first line, further lines that must be in the answer) of each call."""
    found = []
    for line in block.splitlines():
        if line.startswith("{"):
            found.append((json.loads(line), [], []))
        elif line.startswith("-> "):
            found[-1][1].append(line[3:])
        else:
            assert line.startswith("   ") and line.strip(), line
            found[-1][2].append(line.strip())
    return found


@pytest.mark.parametrize("block", EXAMPLES)
def test_every_example_answers_as_it_says(block, terminal):
    missing = [
        name
        for name in PROGRAMS
        if re.search(rf'"(?:[^"]*[ ;|])?{name}\b', block) and not shutil.which(name)
    ]
    if missing:
        (pytest.fail if os.environ.get("CI") == "true" and missing != ["ipython"] else pytest.skip)(
            f"not installed: {missing}"
        )
    terminal.person("cd", "Enter")
    terminal.ready()
    for arguments, first, further in steps(block):
        answer = Call().perform(arguments)
        said = re.sub(r" after \d+\.\d+s", "", answer.partition("\n")[0])
        assert len(first) == 1, f"one line beside each call: {arguments}"
        assert said.startswith(first[0]), f"{arguments}\n{answer}"
        assert first[0] == "read" or len(first[0]) >= len(re.split("[:;]", said)[0]), (
            f"more of {said!r} should be said"
        )
        for line in further:
            assert line in answer.partition("\n")[2], f"{arguments}\n{answer}"
    assert Call().perform({"action": "wait_ready"}).startswith("ready"), (
        "an example leaves the terminal as it was"
    )


def test_no_example_is_left_out():
    """Every fence is one that a test runs."""
    for page in PAGES:
        for language in re.findall(r"^```(\w+)\n", page.read_text(), flags=re.M):
            assert language in ("tmux_tool", "python", "text"), (page.name, language)
        assert page.read_text().count("```") % 2 == 0
    assert len(EXAMPLES) > 20


def front_matter():
    import yaml

    text = (SKILL / "SKILL.md").read_text()
    assert text.startswith("---\n")
    return yaml.safe_load(text.split("---\n")[1])


def test_the_front_matter_is_what_the_standard_and_both_hosts_want():
    matter = front_matter()
    assert set(matter) == {
        "name",
        "description",
        "version",
        "tags",
    }  # no triggers: they load it unasked
    assert matter["name"] == SKILL.name == "cli-orchestration"
    assert (
        100 < len(matter["description"]) <= 500
    )  # the standard allows 1024, the fork lists the first 500
    assert "Use when" in matter["description"] and ": " not in matter["description"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", matter["version"])
    assert all(isinstance(tag, str) for tag in matter["tags"])


@pytest.mark.parametrize("layout", ["python", "root"])
def test_both_hosts_list_it_and_load_it_unchanged(layout, tmp_path):
    hosts = _load(ROOT / "tests/host/hosts.py")
    host = hosts.Host(tmp_path / "a0", layout)
    try:
        skill = host.skills()["cli-orchestration"]
        assert (
            skill["body"].strip() == (SKILL / "SKILL.md").read_text().split("---\n", 2)[2].strip()
        )
        assert (skill["path"].parent / "references/clis.md").is_file()
    finally:
        host.close()


def test_a_loaded_skill_costs_at_most_3000_tokens():
    assert len((SKILL / "SKILL.md").read_text()) / 3.5 <= 3000


def test_it_points_to_files_that_are_there_and_templating_leaves_it_alone():
    for page in PAGES:
        assert "{{" not in page.read_text() and "§§include" not in page.read_text()
    named = set(re.findall(r"references/(\w+\.md)", (SKILL / "SKILL.md").read_text()))
    assert named == {path.name for path in PAGES} - {"SKILL.md"}


def test_it_does_not_repeat_the_prompt():
    prompt = (ROOT / "prompts/agent.system.tool.tmux.md").read_text()
    lines = {line.strip("-* ").lower() for line in prompt.splitlines() if len(line) > 40}
    text = (SKILL / "SKILL.md").read_text().lower()
    assert not [line for line in lines if line in text]
    texts = [set(re.findall(r'"text": "[^"]*"', page)) for page in (prompt.lower(), text)]
    assert not texts[0] & texts[1]


def test_every_program_of_the_table_was_run():
    page = (SKILL / "references/clis.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("| ")
    ][1:]
    calls = "\n".join(blocks(SKILL / "references/clis.md", "tmux_tool"))
    by_hand = {"htop", "npm init"}  # seen, not worth the seconds here
    for program, _version, at_rest, *_ in rows:
        name = program.split(",")[0].split(" to ")[0]
        if name not in by_hand:
            assert re.search(rf'"[^\n]*\b{re.escape(name)}\b', calls), program
        assert f"-> {at_rest}" in calls, (program, at_rest)


def test_its_python_is_python_that_runs(tmp_path):
    """The turns of SKILL.md with the real OpenCode and a scripted model."""
    if not (ROOT / "tests/opencode/hermetic.py").exists():
        pytest.skip("tests/opencode is not there")
    hermetic = _load(ROOT / "tests/opencode/hermetic.py")
    model = _load(ROOT / "tests/opencode/fake_model.py")
    binary = hermetic.find_opencode()
    if not binary:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(
            "opencode is not installed"
        )
    sources = blocks(SKILL / "SKILL.md", "python")
    assert len(sources) == 1
    with model.FakeModel() as fake:
        desk = hermetic.Desk(fake, binary)
        try:
            source = (
                sources[0].replace("/a0", str(ROOT)).replace("/path/to/project", str(desk.project))
            )
            said = []
            path = list(sys.path)
            exec(
                compile(source, "SKILL.md", "exec"),
                {"print": lambda *what: said.append(" ".join(map(str, what)))},
            )
            sys.path[:] = path
            assert fake.prompts()[-2:] == ["What does this project do?", "And how is it tested?"]
            assert len(said) == 3 and said[2].startswith("ses_")
        finally:
            desk.close()
