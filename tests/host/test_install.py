"""Into a host and out again, through its updates, over whatever lies there, cut off anywhere."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from python.helpers.tmux.settings import Settings
from tests.host import hosts

REPO = hosts.REPO
PROMPT = "agent.system.tool.tmux.md"
LIST = {"tool_name": "tmux_tool", "tool_args": {"action": "list"}}
both = pytest.mark.parametrize("layout", hosts.LAYOUTS)


@pytest.fixture
def a0(tmp_path):
    """Makes a host's tree, under its own git, and, for the fork's update, a newer image."""

    def make(layout: str) -> Path:
        for place in (tmp_path / "a0", tmp_path / "image"):
            hosts.build(place, layout)
        (tmp_path / "image/CHANGES.md").write_text("what is new\n")
        hosts.under_git(tmp_path / "a0")
        return tmp_path / "a0"

    return make


@pytest.fixture
def project(tmp_path):
    """A copy of this project that a test may change: another version of it. With what Python has
    compiled of it, as it is where somebody works; but what another process is writing."""
    place = tmp_path / "project"
    for name in hosts.COPIED:
        shutil.copytree(REPO / name, place / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    return place


def another_version(project: Path, word: str) -> Path:
    """Tool and helpers know each other by `word`: a mix of versions cannot be imported."""
    with open(project / "python/helpers/tmux/output.py", "a") as helper:
        helper.write(f"\n{word} = True\n")
    tool = project / "python/tools/tmux_tool.py"
    first = "        from python.helpers.tmux.actions import Call, Stopped\n"
    assert first in tool.read_text()
    asked = f"        from python.helpers.tmux.output import {word}\n"
    tool.write_text(tool.read_text().replace(first, first + asked, 1))
    return project / "usr/bin/tmux-tool"


def answers(root: Path, layout: str, *arguments: dict) -> list[str]:
    """What the tool answers in a process of its own, found and loaded as that host does it."""
    code = (
        "import json, pathlib, sys; sys.path[:0] = sys.argv[1:2]\n"
        "from tests.host import hosts\n"
        "host = hosts.Host(pathlib.Path(sys.argv[2]), sys.argv[3], None)\n"
        "chat = host.chat(*json.loads(sys.argv[4])).start().finish()\n"
        "print(json.dumps([entry['text'] for entry in chat.history if entry['role'] != 'model']))\n"
        "host.close()"
    )
    script = json.dumps([{"tool_name": "tmux_tool", "tool_args": one} for one in arguments])
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, REPO, root, layout, script],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def works(root: Path, layout: str) -> bool:
    return "pane" in answers(root, layout, {"action": "list"})[0].partition("\n")[0]


# There and back


@both
def test_installed_used_updated_used_installed_anew_and_uninstalled(layout, a0, bare, tmp_path):
    root = a0(layout)
    hosts.install(root)
    assert works(root, layout)
    hosts.update(root, layout, tmp_path / "image")
    assert (root / "CHANGES.md").is_file()
    assert works(root, layout)
    hosts.install(root)
    assert works(root, layout)
    done = hosts.tmux_tool("uninstall", root)
    assert done.returncode == 0, done.stdout

    twin = tmp_path / "twin"  # the same host, without us
    hosts.build(twin, layout)
    hosts.under_git(twin)
    hosts.update(twin, layout, tmp_path / "image")
    assert hosts.status(root) == hosts.status(twin)
    ours, theirs = hosts.tree(root), hosts.tree(twin)
    for name in ("python/helpers", "helpers"):  # they name their own root
        for text in (f"{name}/{file}.py" for file in ("projects", "settings", "plugins")):
            ours.pop(text, None), theirs.pop(text, None)
    assert ours == theirs


@both
def test_uninstall_leaves_what_was_there_though_python_compiled_it(layout, a0, bare, monkeypatch):
    root = a0(layout)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    before = hosts.tree(root)
    hosts.install(root)
    host = hosts.Host(root, layout, None)
    host.chat(LIST).start().finish()
    host.close()
    assert list((root / hosts.TOOL[layout]).parent.glob("__pycache__/*"))
    assert hosts.tmux_tool("uninstall", root).returncode == 0
    left = hosts.tree(root)
    caches = [name for name in left if "__pycache__" in name]
    assert not [name for name in caches if "usr" in name or "tmux" in name]
    assert {name: left[name] for name in left if name not in caches} == before


@both
def test_the_installed_command_works_and_uninstalls_without_the_project(layout, a0, bare):
    root = a0(layout)
    before = hosts.tree(root)
    hosts.install(root)
    command = root / hosts.COMMAND[layout]
    assert os.access(command, os.X_OK)
    done = subprocess.run([command, '{"action": "list"}'], capture_output=True, text=True)
    assert done.stdout.startswith("0 panes"), done.stderr
    done = hosts.tmux_tool("install", root, command=command)
    assert done.returncode == 1 and "installed copy" in done.stdout
    assert hosts.tmux_tool("uninstall", command=command).returncode == 0
    assert hosts.tree(root) == before


@both
def test_an_installation_overwrites_no_file_of_the_hosts_and_stays_out_of_its_git(layout, a0):
    root = a0(layout)
    before = hosts.tree(root)
    hosts.install(root)
    after = hosts.tree(root)
    assert {name: after[name] for name in before} == before
    assert all(name.startswith("usr/") for name in set(after) - set(before))
    seen = {line[3:] for line in hosts.status(root).splitlines()}
    assert all(name.startswith(("usr/bin/tmux-tool", "usr/skills/agent-terminal")) for name in seen)
    assert layout == "python" or not seen


@both
def test_the_second_installation_of_the_same_changes_nothing(layout, a0):
    root = a0(layout)
    hosts.install(root)
    before = hosts.tree(root)
    assert "0 of" in hosts.install(root)
    assert hosts.tree(root) == before


def test_no_host_no_usr_and_too_old_a_host_are_errors(tmp_path):
    for place, says in (("empty", "no Agent Zero"), ("old", "older than v0.9.8")):
        root = tmp_path / place
        (root / "python/helpers").mkdir(parents=True)
        if place == "old":
            (root / "python/helpers/tool.py").write_text("")
        done = hosts.tmux_tool("install", root)
        assert done.returncode == 1 and says in done.stdout, done
    (tmp_path / "usr").mkdir()
    done = hosts.tmux_tool("uninstall", tmp_path)
    assert done.returncode == 1 and "nothing of tmux-tool is installed" in done.stdout


def test_a_host_that_grew_plugins_gets_the_plugin_and_loses_the_files_of_the_older_layout(a0, bare):
    root = a0("python")
    hosts.install(root)
    hosts.build(root, "root")
    shutil.rmtree(root / "python")
    assert works(root, "root")  # usr/tools is looked into there too
    hosts.install(root)
    assert works(root, "root")
    names = [name for name in hosts.tree(root) if "tmux_tool" in name or "agent-terminal" in name]
    assert names and all(name.startswith("usr/plugins/") for name in names)


# Over what lies there


@pytest.mark.parametrize("tracked", [True, False], ids=["with git", "without git"])
@both
def test_a_hand_copy_is_taken_away_and_only_that(layout, tracked, a0, bare):
    root = a0(layout)
    if not tracked:
        shutil.rmtree(root / ".git")
    before = hosts.tree(root)
    hosts.copy_by_hand(root)
    (root / "usr/tools/mine.py").write_text("# the person's own\n")
    before = {
        **before,
        **{name: hosts.tree(root)[name] for name in ("usr/tools", "usr/tools/mine.py")},
    }
    assert "made by hand" in hosts.install(root)
    host = hosts.Host(root, layout, None)
    chat = host.chat(LIST).start().finish()
    assert host.executed == [hosts.TOOL[layout]], chat.history
    skill = host.skills()["cli-orchestration"]
    page = next(root.rglob("usr/**/references/opencode.md")).read_text()
    assert ".helpers.opencode_cli import" in page and "python.helpers" not in skill["body"] + page
    assert "python.helpers" not in host.prompts()[PROMPT]
    host.close()
    assert hosts.tmux_tool("uninstall", root).returncode == 0
    left = {name: fact for name, fact in hosts.tree(root).items() if "__pycache__" not in name}
    gone = set() if tracked or layout == "root" else hosts.REPLACED
    missing = set(before) - set(left)
    assert missing - {str(parent) for name in gone for parent in Path(name).parents} == gone
    assert {name: left[name] for name in before if name in left} == {
        name: before[name] for name in before if name in left
    }
    assert set(left) <= set(before)


@both
def test_the_first_edition_stays_where_it_is_and_is_not_the_one_that_is_used(layout, a0, bare):
    root = a0(layout)
    for name in hosts.REPLACED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("# the first edition\n")
    hosts.install(root)
    assert all((root / name).read_text() == "# the first edition\n" for name in hosts.REPLACED)
    host = hosts.Host(root, layout, None)
    host.chat(LIST).start().finish()
    assert host.executed == [hosts.TOOL[layout]]
    assert host.prompts()[PROMPT].startswith("### tmux_tool")
    assert "OpenCode" in host.skills()["cli-orchestration"]["body"]
    host.close()


@pytest.mark.parametrize("name", ["tool", "prompt"])
@both
def test_a_file_of_the_users_in_our_place_is_not_overwritten(layout, name, a0):
    root = a0(layout)
    folder = (root / hosts.TOOL[layout]).parents[1]
    mine = {"tool": folder / "tools/tmux_tool.py", "prompt": folder / "prompts" / PROMPT}[name]
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("# mine\n")
    before = hosts.tree(root)
    done = hosts.tmux_tool("install", root)
    assert done.returncode == 1 and str(mine.relative_to(root)) in done.stdout
    assert hosts.tree(root) == before


@both
def test_a_file_of_ours_that_somebody_changed_is_neither_overwritten_nor_removed(layout, a0):
    root = a0(layout)
    hosts.install(root)
    prompt = (root / hosts.TOOL[layout]).parents[1] / "prompts" / PROMPT
    prompt.write_text("### my own words\n")
    assert str(prompt.relative_to(root)) in hosts.tmux_tool("install", root).stdout
    done = hosts.tmux_tool("uninstall", root)
    assert f"left, changed since it was installed: {prompt.relative_to(root)}" in done.stdout
    assert prompt.read_text() == "### my own words\n"
    names = {name for name in hosts.tree(root) if "tmux" in name and (root / name).is_file()}
    assert names - hosts.REPLACED == {str(prompt.relative_to(root))}


@both
def test_a_command_of_ours_that_somebody_changed_is_no_hand_copy(layout, a0):
    root = a0(layout)
    hosts.install(root)
    command = root / hosts.COMMAND[layout]
    changed = command.read_text() + "# my own line\n"
    command.write_text(changed)
    done = hosts.tmux_tool("install", root)
    assert done.returncode == 1 and hosts.COMMAND[layout] in done.stdout
    assert command.read_text() == changed
    done = hosts.tmux_tool("uninstall", root)
    assert f"left, changed since it was installed: {hosts.COMMAND[layout]}" in done.stdout
    assert "made by hand" not in done.stdout
    assert command.read_text() == changed


@pytest.mark.parametrize("written", [None, b"", b'{"version": "1", "fil'], ids=str)
@both
def test_an_installation_whose_list_is_lost_goes_whole_after_another_one(layout, written, a0):
    root = a0(layout)
    if layout == "root":
        shutil.rmtree(root / "usr/plugins")
    before = hosts.tree(root)
    hosts.install(root)
    _lose_list(root, layout, written)
    lost = hosts.tree(root)
    done = hosts.tmux_tool("uninstall", root)
    assert done.returncode == 1 and f"tmux-tool install {root}" in done.stdout
    assert "installed.json is missing or broken" in done.stdout
    assert hosts.tree(root) == lost
    assert "installed.json is missing or broken" in hosts.tmux_tool("doctor", root).stdout
    hosts.install(root)
    assert hosts.tmux_tool("uninstall", root).returncode == 0
    assert hosts.tree(root) == before


@both
def test_another_version_over_a_lost_list_overwrites_nothing_and_leaves_no_old_helpers(
    layout, a0, project
):
    root = a0(layout)
    before = hosts.tree(root)
    hosts.install(root)
    _lose_list(root, layout, None)
    later = another_version(project, "LATER")
    done = hosts.tmux_tool("install", root, command=later)
    assert done.returncode == 1 and hosts.TOOL[layout] in done.stdout
    for name in re.findall(r"usr/[\w/.-]+", done.stdout.partition("; move it away")[0]):
        (root / name).unlink()
    hosts.install(root, later)
    assert len(list(root.rglob("helpers/r??????????/tmux"))) == 1
    assert hosts.tmux_tool("uninstall", root).returncode == 0
    assert hosts.tree(root) == before


def _lose_list(root: Path, layout: str, written: bytes | None) -> None:
    """The list is gone, or holds what was `written`."""
    name = {"python": "usr/tmux_tool", "root": "usr/plugins/tmux_tool"}[layout]
    (root / name / "installed.json").unlink()
    if written is not None:
        (root / name / "installed.json").write_bytes(written)


# Live


@both
def test_a_running_host_sees_the_tool_at_once_and_an_update_never_meets_old_helpers(
    layout, a0, bare, project
):
    root = a0(layout)
    host = hosts.Host(root, layout, None)
    try:
        chat = host.chat(LIST).start().finish()
        assert chat.history[1]["text"].startswith("Tool tmux_tool not found")
        for word in ("", "FIRST", "SECOND"):
            command = another_version(project, word) if word else project / "usr/bin/tmux-tool"
            hosts.install(root, command)
            chat = host.chat(LIST).start().finish()
            assert chat.answers()[0].startswith("0 panes"), chat.history
            loaded = [
                name for name in sys.modules if name.endswith(".tmux.output") and ".r" in name
            ]
            assert not word or any(hasattr(sys.modules[name], word) for name in loaded)
    finally:
        host.close()


@both
def test_a_call_that_waits_goes_on_while_another_version_is_installed(
    layout, a0, terminal, project
):
    root = a0(layout)
    hosts.install(root)
    host = hosts.Host(root, layout, None)
    try:
        call = {"action": "run", "text": "sleep 3; echo through", "until": "never"}
        chat = host.chat({"tool_name": "tmux_tool", "tool_args": call}, LIST).start()
        terminal.see("sleep 3")
        hosts.install(root, another_version(project, "LATER"))
        chat.finish()
        assert chat.answers()[0].endswith("\nthrough"), chat.history
        assert chat.answers()[1].startswith("1 pane")
    finally:
        host.close()


def test_hooks_are_written_last_for_the_hosts_watchdog(a0):
    root = a0("root")
    written = _events(root, "install")
    place = str(root / "usr/plugins/tmux_tool/hooks.py")
    assert written[-1] == ("os.rename", place), written[-3:]


def test_what_the_host_keeps_in_the_plugins_folder_survives_an_update_and_goes_with_the_plugin(
    a0, project
):
    root = a0("root")
    hosts.install(root)
    plugin = root / "usr/plugins/tmux_tool"
    (plugin / "config.json").write_text('{"width": 120}')
    (plugin / ".toggle-0").write_text("")
    hosts.install(root, another_version(project, "LATER"))
    assert (plugin / "config.json").read_text() == '{"width": 120}'
    assert (plugin / ".toggle-0").exists()
    hosts.tmux_tool("uninstall", root)
    assert not plugin.exists()


# Cut off, no room, no access

# Runs the command line and ends by SIGKILL right before its Nth change to the disk below a folder;
# N = 0: never, and all changes are printed.
_CUT = """
import json, os, runpy, signal, sys
root, limit, command = sys.argv[1], int(sys.argv[2]), sys.argv[3]
sys.argv[:] = sys.argv[3:]
events = []
def hook(event, arguments):
    where = {"open": 0, "os.rename": 1, "os.remove": 0, "os.mkdir": 0, "os.rmdir": 0, "os.chmod": 0}
    if event not in where or event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR):
        return
    path = os.fsdecode(arguments[where[event]])
    if path.startswith(root + "/"):
        events.append((event, path))
        if len(events) == limit:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
sys.dont_write_bytecode = True
try:
    runpy.run_path(command, run_name="__main__")
except SystemExit as ended:
    assert not ended.code, ended.code
if not limit:
    print(json.dumps(events))
"""


def _cut_off(root: Path, limit: int, *arguments: str, command=REPO / "usr/bin/tmux-tool"):
    return subprocess.run(
        [sys.executable, "-c", _CUT, root, str(limit), command, *arguments, root],
        capture_output=True,
        text=True,
        timeout=60,
    )


def _events(root: Path, *arguments: str, **more) -> list[tuple[str, str]]:
    done = _cut_off(root, 0, *arguments, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return [tuple(event) for event in json.loads(done.stdout.splitlines()[-1])]


def _points(total: int) -> list[int]:
    """Before which of so many changes to the disk; all of them with FUZZ=1 in the environment."""
    step = 1 if os.environ.get("FUZZ") else max(total // 8, 1)
    return [*range(1, total - 2, step), total - 1, total]


@pytest.mark.parametrize(
    "begin",
    [
        pytest.param("nothing", marks=pytest.mark.thorough),
        pytest.param("hand copy", marks=pytest.mark.thorough),
        "older version",
    ],
)
@both
@pytest.mark.timeout(3600 if os.environ.get("FUZZ") else 120)
def test_an_installation_that_is_killed_anywhere_can_be_repeated(
    layout, begin, a0, bare, project, tmp_path
):
    """And in between the tool works as before or as after."""
    root = a0(layout)
    later = another_version(project, "LATER")
    if begin == "hand copy":
        hosts.copy_by_hand(root)
    if begin == "older version":
        hosts.install(root)
    start = tmp_path / "start"
    shutil.copytree(root, start, symlinks=True)
    total = len(_events(root, "install", command=later))
    whole = hosts.tree(root)
    assert total > 100
    for limit in _points(total):
        shutil.rmtree(root)
        shutil.copytree(start, root, symlinks=True)
        done = _cut_off(root, limit, "install", command=later)
        assert done.returncode == -signal.SIGKILL
        said = answers(root, layout, {"action": "list"})[0]
        assert said.startswith("0 panes") or begin == "nothing" and "not found" in said, limit
        hosts.install(root, later)
        assert hosts.tree(root) == whole, limit


@both
@pytest.mark.timeout(3600 if os.environ.get("FUZZ") else 120)
def test_an_uninstallation_that_is_killed_can_be_repeated(layout, a0, tmp_path):
    root = a0(layout)
    before = hosts.tree(root)
    hosts.install(root)
    start = tmp_path / "start"
    shutil.copytree(root, start, symlinks=True)
    total = len(_events(root, "uninstall"))
    assert hosts.tree(root) == before
    for limit in _points(total)[:-2]:
        shutil.rmtree(root)
        shutil.copytree(start, root, symlinks=True)
        assert _cut_off(root, limit, "uninstall").returncode == -signal.SIGKILL
        done = hosts.tmux_tool("uninstall", root)
        assert done.returncode == 0 or "nothing of tmux-tool is installed" in done.stdout
        assert hosts.tree(root) == before, limit


@pytest.fixture
def read_only():
    """Call it with a folder: nothing can be written in it from then on, not even by root."""
    mounted = []

    def mount(folder: Path) -> None:
        place = str(folder)
        for words in (["--bind", place, place], ["-o", "remount,ro,bind", place]):
            done = subprocess.run(["mount", *words], capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"nothing may be mounted here: {done.stderr.strip()}")
            if folder not in mounted:
                mounted.append(folder)

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("installed", [False, True], ids=["first", "update"])
@both
def test_where_usr_cannot_be_written_it_is_an_error_and_all_is_as_before(
    layout, installed, a0, bare, project, read_only
):
    root = a0(layout)
    if installed:
        hosts.install(root)
    before = hosts.tree(root)
    read_only(root / "usr")
    done = hosts.tmux_tool("install", root, command=another_version(project, "LATER"))
    assert done.returncode == 1 and not done.stderr
    assert re.match(r"error: .*Read-only file system; .*run it again", done.stdout)
    assert hosts.tree(root) == before
    assert not installed or works(root, layout)


@both
def test_on_a_full_disk_it_is_an_error_and_all_is_as_before(layout, a0, fill_up):
    root = a0(layout)
    place = root / ("usr/tools" if layout == "python" else "usr/plugins")
    (place / ".gitkeep").unlink(missing_ok=True)
    place.mkdir(exist_ok=True)
    fill_up(place)
    before = hosts.tree(root)
    done = hosts.tmux_tool("install", root)
    assert done.returncode == 1 and not done.stderr
    assert "No space left on device" in done.stdout
    assert hosts.tree(root) == before


# What it says


@pytest.mark.parametrize("tools", [(), ("open_app",), ("open_app", "terminal_agent")], ids=str)
@both
def test_prompt_and_skill_name_only_tools_that_the_host_has(layout, tools, a0):
    root = a0(layout)
    code = root / "python" if layout == "python" else root
    for name in ("open_app", "terminal_agent"):
        (code / f"tools/{name}.py").unlink()
    for name in tools:
        (code / f"tools/{name}.py").write_text("")
    hosts.install(root)
    pages = (root / hosts.TOOL[layout]).parents[1]
    text = "".join(page.read_text() for page in pages.rglob("*.md"))
    for name in ("open_app", "terminal_agent"):
        assert (name in text) == (name in tools)


@both
def test_the_skills_import_path_is_true_where_it_lies(layout, a0):
    """Every import line of the skill, in a bare interpreter as the code runner has it."""
    root = a0(layout)
    hosts.install(root)
    host = hosts.Host(root, layout, None)
    skill = host.skills()["cli-orchestration"]["path"].parent
    host.close()
    pages = [page.read_text() for page in skill.rglob("*.md")]
    lines = {
        line
        for page in pages
        for line in re.findall(r"^(?:import sys.*|sys\.path.*|from .*opencode_cli.*)$", page, re.M)
    }
    assert len(lines) > 3
    order = ("import", "sys.path", "from")
    code = "\n".join(sorted(lines, key=lambda line: [line.startswith(word) for word in order][1:]))
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", code], cwd="/", capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_plugin_is_what_the_hosts_installer_and_index_ask_for(a0):
    import yaml

    root = a0("root")
    hosts.install(root)
    plugin = root / "usr/plugins/tmux_tool"
    facts = yaml.safe_load((plugin / "plugin.yaml").read_text())
    assert facts["name"] == plugin.name and len(facts["description"]) <= 500
    assert set(facts) <= {
        "name", "title", "description", "version", "settings_sections",
        "per_project_config", "per_agent_config", "always_enabled",
    }  # fmt: skip
    assert set(facts["settings_sections"]) <= {"agent", "external", "mcp", "developer", "backup"}
    for name in ("LICENSE", "README.md", "default_config.yaml", "hooks.py"):
        assert (plugin / name).is_file()
    defaults = yaml.safe_load((plugin / "default_config.yaml").read_text())
    assert Settings.load(defaults) == Settings()
