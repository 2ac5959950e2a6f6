"""Installing into a host and removing it again: through updates, over other files, interrupted."""

import hashlib
import json
import os
import random
import re
import shutil
import signal
import sys
from pathlib import Path

import pytest
import yaml

from python.helpers.tmux.base.settings import Settings
from tests.host import host_tree, hosts
from tests.support.examples import SEED
from tests.support.run import ROOT, TMUX_TOOL, run

PROMPT = "agent.system.tool.tmux.md"
LIST = {"tool_name": "tmux_tool", "tool_args": {"action": "list"}}
BASE = {"python": "usr/tmux_tool", "root": "usr/plugins/tmux_tool"}


@pytest.fixture
def a0(tmp_path):
    """Makes a host's tree, and with `git` puts it under its own."""
    def make(layout: str, git: bool = False) -> Path:
        host_tree.build(tmp_path / "a0", layout)
        if git:
            host_tree.under_git(tmp_path / "a0")
        return tmp_path / "a0"

    return make


@pytest.fixture(params=host_tree.LAYOUTS)
def layout(request):
    return request.param


@pytest.fixture
def root(a0, layout):
    """A host's tree of that layout; of both where a test does not choose."""
    return a0(layout)


@pytest.fixture
def project(tmp_path):
    """A copy of this project that a test may change: another version of it. With what Python has
    compiled of it, as in a working copy; but not what another process is writing."""
    place = tmp_path / "project"
    for name in host_tree.COPIED:
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("*.pyc.*"))
    return place


def another_version(project: Path, word: str) -> Path:
    """Tool and helpers know each other by `word`: a mix of versions cannot be imported."""
    with open(project / "python/helpers/tmux/base/answer.py", "a") as helper:
        helper.write(f"\n{word} = True\n")
    tool = project / "python/tools/tmux_tool.py"
    first = '        actions = importlib.import_module("..helpers.tmux.actions", _PACKAGE)\n'
    assert first in tool.read_text()
    asked = first.replace("actions =", "answer =").replace("tmux.actions", "tmux.base.answer")
    asked += f"        assert answer.{word}\n"
    tool.write_text(tool.read_text().replace(first, first + asked, 1))
    return project / "usr/bin/tmux-tool"


def said(root: Path, layout: str) -> str:
    """What the tool says to a call of `list`, or the host about the tool."""
    with hosts.Host(root, layout, None) as host:
        return host.play(LIST).history[1]["text"]


def works(root: Path, layout: str) -> bool:
    return said(root, layout).startswith("0 panes")


def without_caches(root: Path) -> dict:
    return {name: fact for name, fact in host_tree.tree(root).items() if "__pycache__" not in name}


def files(root: Path) -> dict:
    """Without folders: killed between two steps an empty one may stay."""
    return {name: fact for name, fact in without_caches(root).items() if (root / name).is_file()}


# There and back


def test_installed_used_updated_used_installed_anew_and_uninstalled(layout, a0, bare, tmp_path):
    root = a0(layout, git=True)
    host_tree.build(tmp_path / "image", layout)  # a newer one, for the fork's update
    (tmp_path / "image/CHANGES.md").write_text("what is new\n")
    host_tree.install(root)
    assert works(root, layout)
    host_tree.update(root, layout, tmp_path / "image")
    assert (root / "CHANGES.md").is_file()
    assert works(root, layout)
    host_tree.install(root)
    assert works(root, layout)
    assert host_tree.tmux_tool("uninstall", root).returncode == 0

    twin = tmp_path / "twin"  # the same host, without us
    host_tree.build(twin, layout)
    host_tree.under_git(twin)
    host_tree.update(twin, layout, tmp_path / "image")
    assert host_tree.status(root) == host_tree.status(twin)
    assert set(without_caches(root)) == set(host_tree.tree(twin))


def test_the_installed_command_works_and_uninstalls_though_python_compiled_it(layout, root, bare, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    before = host_tree.tree(root)
    host_tree.install(root)
    command = root / host_tree.COMMAND[layout]
    assert os.access(command, os.X_OK)
    done = run(command, '{"action": "list"}')
    assert done.stdout.startswith("0 panes"), done.stderr
    assert works(root, layout)
    assert list((root / host_tree.TOOL[layout]).parent.glob("__pycache__/*"))
    assert "0 of" in host_tree.install(root, command)
    assert host_tree.tmux_tool("uninstall", command=command).returncode == 0
    assert without_caches(root) == before
    caches = [name for name in host_tree.tree(root) if "__pycache__" in name]
    assert not [name for name in caches if "usr" in name or "tmux" in name]


def test_an_installation_overwrites_no_file_of_the_hosts_and_stays_out_of_its_git(layout, a0):
    root = a0(layout, git=True)
    before = host_tree.tree(root)
    host_tree.install(root)
    after = host_tree.tree(root)
    assert {name: after[name] for name in before} == before
    assert all(name.startswith("usr/") for name in set(after) - set(before))
    seen = {line[3:] for line in host_tree.status(root).splitlines()}
    assert all(name.startswith(("usr/bin/tmux-tool", "usr/skills/agent-terminal")) for name in seen)
    assert layout == "python" or not seen


def test_nobody_else_can_write_what_is_installed_and_a_second_time_only_damage_is_mended(layout, root):
    """Whatever the umask was."""
    assert run("sh", "-c", 'umask 0; "$0" install "$1"', TMUX_TOOL, root).returncode == 0
    assert not [one for one in root.rglob("*") if one.lstat().st_mode & 0o022]
    before = host_tree.tree(root)
    assert "0 of" in host_tree.install(root)
    assert host_tree.tree(root) == before
    (next((root / BASE[layout]).glob("r*")) / "python/helpers/tmux/base/answer.py").unlink()
    (root / host_tree.TOOL[layout]).unlink()
    host_tree.install(root)
    assert host_tree.tree(root) == before
    (root / host_tree.COMMAND[layout]).chmod(0o644)  # as the host unpacks a plugin's zip
    host_tree.install(root)
    assert host_tree.tree(root) == before


def test_no_host_no_usr_and_too_old_a_host_are_errors(tmp_path):
    (tmp_path / "python/helpers").mkdir(parents=True)
    (tmp_path / "python/helpers/tool.py").write_text("")
    done = host_tree.tmux_tool("install", tmp_path)
    assert done.returncode == 1 and "no Agent Zero from v0.9.8 on" in done.stdout
    (tmp_path / "python/helpers/subagents.py").write_text("")
    done = host_tree.tmux_tool("install", tmp_path)
    assert done.returncode == 1 and "No such file or directory" in done.stdout
    (tmp_path / "usr").mkdir()
    done = host_tree.tmux_tool("uninstall", tmp_path)
    assert done.returncode == 1 and "nothing of tmux-tool is installed" in done.stdout


def test_a_host_that_grew_plugins_gets_the_plugin_and_loses_the_files_of_the_older_layout(a0, bare):
    root = a0("python")
    host_tree.install(root)
    host_tree.build(root, "root")
    shutil.rmtree(root / "python")
    assert works(root, "root")  # usr/tools is looked into there too
    host_tree.install(root)
    assert works(root, "root")
    names = [name for name in host_tree.tree(root) if "tmux_tool" in name or "agent-terminal" in name]
    assert names and not [name for name in names if not name.startswith("usr/plugins/")]


# Over what lies there


@pytest.mark.parametrize("layout, tracked", [("python", True), ("python", False), ("root", True)])
def test_a_copy_made_by_hand_is_removed_and_nothing_else(layout, tracked, a0, bare):
    root = a0(layout, git=tracked)
    (root / "usr/tools").mkdir()
    (root / "usr/tools/mine.py").write_text("# the person's own\n")
    if tracked:
        host_tree.git(root, "config", "core.fsmonitor", "touch run-by-git")
    before = host_tree.tree(root)
    host_tree.copy_by_hand(root)
    host_tree.install(root)
    with hosts.Host(root, layout, None) as host:
        chat = host.play(LIST)
        assert host.executed == [host_tree.TOOL[layout]], chat.history
        assert len([name for name in host.prompts() if "tmux" in name]) == 1
    assert host_tree.tmux_tool("uninstall", root).returncode == 0
    gone = set() if tracked or layout == "root" else host_tree.REPLACED  # the copy overwrote them
    folders = {str(parent) for name in gone for parent in Path(name).parents}
    left = without_caches(root)
    assert set(before) - set(left) - folders == gone
    assert left == {name: before[name] for name in left}


def test_the_first_edition_stays_where_it_is_and_is_not_the_one_that_is_used(layout, root, bare):
    for name in host_tree.REPLACED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("# the first edition\n")
    host_tree.install(root)
    assert all((root / name).read_text() == "# the first edition\n" for name in host_tree.REPLACED)
    with hosts.Host(root, layout, None) as host:
        host.play(LIST)
        assert host.executed == [host_tree.TOOL[layout]]
        assert host.prompts()[PROMPT].startswith("### tmux_tool")
        assert "OpenCode" in host.skills()["cli-orchestration"]["body"]


def second_edition(root: Path, layout: str) -> None:
    """What the installer of the edition before this one left: a list of files and their digests."""
    tools, command = Path(host_tree.TOOL[layout]).parents[1], host_tree.COMMAND[layout]
    release = f"{BASE[layout]}/helpers/r0123456789"
    texts = {
        host_tree.TOOL[layout]: f"from {release.replace('/', '.')}.tmux.actions import Call\n",
        command: '#!/usr/bin/python3\n"""The agent\'s tmux_tool from a command line"""\n',
        f"{tools}/prompts/{PROMPT}": "### tmux_tool:\n- `needs password`\n",
        f"{release}/tmux/actions.py": "class Call: ...\n", f"{release}/opencode_cli.py": "",
        f"{BASE[layout]}/helpers/opencode_cli.py": "from .r0123456789.opencode_cli import *\n"}
    if layout == "root":
        texts[f"{BASE[layout]}/plugin.yaml"] = "name: tmux_tool\n"
    listed = {name: [hashlib.sha256(text.encode()).hexdigest()] for name, text in texts.items()}
    facts = {"version": "2.0.0", "files": listed, "folders": [f"{BASE[layout]}/helpers"]}
    texts[f"{BASE[layout]}/installed.json"] = json.dumps(facts)
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_the_second_edition_is_replaced_unless_it_was_modified(layout, root, bare):
    before = host_tree.tree(root)
    second_edition(root, layout)
    command = root / host_tree.COMMAND[layout]
    old = command.read_text()
    command.write_text(old + "# my own line\n")
    done = host_tree.tmux_tool("install", root)
    assert done.returncode == 1 and host_tree.COMMAND[layout] in done.stdout
    command.write_text(old)
    host_tree.install(root)
    assert works(root, layout)
    assert not list(root.rglob("*0123456789*")) and not list(root.rglob("installed.json"))
    assert host_tree.tmux_tool("uninstall", root).returncode == 0
    assert host_tree.tree(root) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_git_that_is_another_users_runs_nothing(a0, monkeypatch):
    """Where git itself trusts it."""
    root = a0("python", git=True)
    host_tree.copy_by_hand(root)
    host_tree.git(root, "config", "filter.x.smudge", "touch run-by-git; cat")
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/attributes").write_text("* filter=x\n")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'safe.directory=*'")
    os.chown(root / ".git", 65534, -1)
    assert host_tree.tmux_tool("uninstall", root).returncode == 0
    assert not list(root.rglob("run-by-git"))


@pytest.mark.parametrize("action", ["install", "uninstall"])
def test_a_list_of_ours_that_names_what_is_elsewhere_removes_nothing_there(layout, root, action):
    """Someone else may have written it, or a link in its place; what is inside goes, as before."""
    second_edition(root, layout)
    (away := root.parent / "away").mkdir()
    (away / "kept").write_text("theirs")
    (root / "usr/inside").write_text("theirs")
    (root / "usr/link").symlink_to(away)
    (root / "usr/kept").symlink_to(away / "kept")
    (root / "python/helpers").mkdir(parents=True, exist_ok=True)
    (root / "python/helpers/tmux").symlink_to(away)  # as a developer has it
    os.mkfifo(root / "usr/fifo")  # whose end never comes
    record = root / BASE[layout] / "installed.json"
    facts = json.loads(record.read_text())
    names = "../away/kept usr/../../away/kept usr/link/kept usr/kept usr/fifo usr/inside".split()
    names.append(str(away / "kept"))
    facts["files"] |= {name: [hashlib.sha256(b"theirs").hexdigest()] for name in names}
    record.write_text(json.dumps(facts))
    assert host_tree.tmux_tool(action, root).returncode == 0
    assert (away / "kept").read_text() == "theirs" and list(away.iterdir()) == [away / "kept"]
    assert (root / "usr/kept").is_symlink() and (root / "usr/fifo").exists()
    assert not record.exists() and not (root / "usr/inside").exists()


@pytest.mark.parametrize("layout, name", [("python", "tool"), ("root", "prompt")])
def test_a_file_of_the_users_in_our_place_is_not_overwritten(layout, name, root):
    folder = (root / host_tree.TOOL[layout]).parents[1]
    mine = {"tool": folder / "tools/tmux_tool.py", "prompt": folder / "prompts" / PROMPT}[name]
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("# mine\n")
    before = host_tree.tree(root)
    done = host_tree.tmux_tool("install", root)
    assert done.returncode == 1 and str(mine.relative_to(root)) in done.stdout
    assert host_tree.tree(root) == before


def test_a_modified_file_of_ours_is_neither_overwritten_nor_removed(layout, root):
    host_tree.install(root)
    command = root / host_tree.COMMAND[layout]
    command.write_text(command.read_text() + "# my own line\n")
    changed = command.read_text()
    assert host_tree.COMMAND[layout] in host_tree.tmux_tool("install", root).stdout
    done = host_tree.tmux_tool("uninstall", root)
    assert f"left, changed since it was installed: {host_tree.COMMAND[layout]}" in done.stdout
    assert command.read_text() == changed
    names = {name for name in host_tree.tree(root) if "tmux" in name and (root / name).is_file()}
    assert names - host_tree.REPLACED == {host_tree.COMMAND[layout]}


# Live


def test_a_running_host_sees_it_at_once_and_never_meets_old_helpers(layout, root, bare, project):
    with hosts.Host(root, layout, None) as host:
        chat = host.play(LIST)
        assert chat.history[1]["text"].startswith("Tool tmux_tool not found")
        for word in ("", "FIRST", "SECOND"):
            host_tree.install(root, another_version(project, word) if word else project / "usr/bin/tmux-tool")
            chat = host.play(LIST)
            assert chat.answers()[0].startswith("0 panes"), chat.history


def test_a_call_that_waits_goes_on_while_another_version_is_installed(layout, a0, terminal, project, tmp_path):
    root, go = a0(layout), tmp_path / "go"
    host_tree.install(root)
    with hosts.Host(root, layout, None) as host:
        text = f"until [ -e {go} ]; do sleep 0.1; done; echo through"
        call = {"action": "run", "text": text, "until": "never"}
        chat = host.chat({"tool_name": "tmux_tool", "tool_args": call}, LIST).start()
        terminal.in_front("sleep")
        host_tree.install(root, another_version(project, "LATER"))
        go.touch()
        chat.finish()
        assert chat.answers()[0].endswith("\nthrough"), chat.history
        assert chat.answers()[1].startswith("1 pane")


def test_hooks_are_written_last_for_the_hosts_watchdog(a0):
    root = a0("root")
    renamed = [path for event, path in events(root, "install") if event == "os.rename"]
    assert renamed[-1] == str(root / "usr/plugins/tmux_tool/hooks.py")


def test_what_the_host_keeps_in_the_plugins_folder_survives_an_update_and_goes_with_the_plugin(a0, project):
    root = a0("root")
    host_tree.install(root)
    plugin = root / "usr/plugins/tmux_tool"
    (plugin / "config.json").write_text('{"width": 120}')
    (plugin / ".toggle-0").write_text("")
    host_tree.install(root, another_version(project, "LATER"))
    assert (plugin / "config.json").read_text() == '{"width": 120}'
    assert (plugin / ".toggle-0").exists()
    host_tree.tmux_tool("uninstall", root)
    assert not plugin.exists()


# Cut off, no room, no access

# Runs the command line and ends by SIGKILL right before its Nth change to the disk below a folder;
# N = 0: never, and all changes are printed.
CUT = """
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


def cut_off(root: Path, limit: int, action: str, command=TMUX_TOOL):
    return run(sys.executable, "-c", CUT, root, limit, command, action, root)


def events(root: Path, action: str, **more) -> list[tuple[str, str]]:
    done = cut_off(root, 0, action, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return [tuple(event) for event in json.loads(done.stdout.splitlines()[-1])]


BEGINNINGS = ("nothing", "a hand copy", "the second edition", "this edition")


@pytest.mark.parametrize("begin", BEGINNINGS)
@pytest.mark.parametrize("layout", host_tree.LAYOUTS)
def test_wherever_it_is_killed_the_old_or_the_new_works_and_the_next_installation_repairs_it(
    layout, begin, root, bare, project, tmp_path
):
    """Eight random moments in all."""
    chance = random.Random(f"{SEED} {layout} {begin}")
    later = another_version(project, "LATER")
    if begin == "a hand copy":
        host_tree.copy_by_hand(root)
    if begin == "the second edition":
        second_edition(root, layout)
    if begin == "this edition":
        host_tree.install(root)
    start = shutil.copytree(root, tmp_path / "start", symlinks=True)
    total = len(events(root, "install", command=later))
    whole = files(root)
    assert total > 100
    # Half of them in the last third of the steps, where something is taken away.
    moment = chance.randint(chance.choice([1, total * 2 // 3]), total)
    shutil.rmtree(root)
    shutil.copytree(start, root, symlinks=True)
    assert cut_off(root, moment, "install", command=later).returncode == -signal.SIGKILL
    if begin in ("a hand copy", "this edition"):
        assert works(root, layout), moment
    host_tree.install(root, later)
    assert works(root, layout), moment
    assert files(root) == whole, moment


@pytest.mark.parametrize("layout", host_tree.LAYOUTS)
def test_an_uninstallation_that_is_killed_can_be_repeated(layout, root, tmp_path):
    before = files(root)
    host_tree.install(root)
    start = shutil.copytree(root, tmp_path / "start", symlinks=True)
    total = len(events(root, "uninstall"))
    assert files(root) == before
    for moment in [random.Random(f"{SEED} {layout}").randint(1, total), total - 1]:
        shutil.rmtree(root)
        shutil.copytree(start, root, symlinks=True)
        assert cut_off(root, moment, "uninstall").returncode == -signal.SIGKILL
        done = host_tree.tmux_tool("uninstall", root)
        assert done.returncode == 0 or "nothing of tmux-tool is installed" in done.stdout
        assert files(root) == before, moment


@pytest.fixture
def mounted():
    """Call it with a folder: another file system lies on it then, with these options of mount."""
    places = []

    def mount(folder: Path, *options: str) -> None:
        words = options if "bind" in " ".join(options) else ("-t", "tmpfs", "none", *options)
        done = run("mount", *words, folder)
        if done.returncode:
            pytest.skip(f"nothing may be mounted here: {done.stderr.strip()}")
        places.append(folder)

    yield mount
    for folder in dict.fromkeys(places):  # a second mount there was a remount
        run("umount", "-l", folder, check=True)


@pytest.mark.parametrize("layout, installed", [("python", False), ("root", True)])
def test_if_usr_cannot_be_written_it_is_an_error_and_nothing_changes(layout, installed, root, bare, project, mounted):
    if installed:
        host_tree.install(root)
    before = host_tree.tree(root)
    mounted(root / "usr", "--bind", str(root / "usr"))
    mounted(root / "usr", "-o", "remount,ro,bind")  # even root cannot write there
    done = host_tree.tmux_tool("install", root, command=another_version(project, "LATER"))
    assert done.returncode == 1 and not done.stderr
    assert re.match(r"error: .*Read-only file system; .*run it again", done.stdout)
    assert host_tree.tree(root) == before
    assert not installed or works(root, layout)


def test_on_a_full_disk_it_is_an_error_and_nothing_changes(root, mounted):
    shutil.rmtree(root / "usr")
    (root / "usr").mkdir()
    mounted(root / "usr", "-o", "size=16k")
    with pytest.raises(OSError), open(root / "usr/filler", "wb", buffering=0) as filler:
        while True:
            filler.write(bytes(4096))
    before = host_tree.tree(root)
    done = host_tree.tmux_tool("install", root)
    assert done.returncode == 1 and not done.stderr
    assert "No space left on device" in done.stdout
    assert host_tree.tree(root) == before


def test_a_folder_that_is_mounted_apart_is_installed_into_too(layout, root, bare, mounted):
    """A rename does not lead there."""
    place = (root / host_tree.TOOL[layout]).parents[1] / "prompts"
    place.mkdir(parents=True)
    mounted(place)
    host_tree.install(root)
    assert works(root, layout)
    assert (place / PROMPT).is_file()


# What it says


def test_the_skills_import_path_works_in_its_place(layout, root):
    """Every import line of the skill, in a bare interpreter as the code runner has it."""
    host_tree.install(root)
    with hosts.Host(root, layout, None) as host:
        skill = host.skills()["cli-orchestration"]["path"].parent
    pages = [page.read_text() for page in skill.rglob("*.md")]
    first = {line for page in pages for line in re.findall(r"^import sys.*", page, re.M)}
    imports = {line for page in pages for line in re.findall(r"^from .*opencode.*", page, re.M)}
    assert len(imports) > 2
    code = "\n".join([*first, *imports]).replace("<Path of this skill>", str(skill))
    done = run(sys.executable, "-I", "-B", "-c", code, cwd="/")
    assert (done.returncode, done.stderr) == (0, "")


MANIFEST = {
    "name", "title", "description", "version", "settings_sections",
    "per_project_config", "per_agent_config", "always_enabled"}


@pytest.mark.parametrize("where", ["installed", "repository"])
def test_the_plugin_is_what_the_hosts_installer_and_index_ask_for(a0, bare, where):
    root = a0("root")
    plugin = root / "usr/plugins/tmux_tool"
    if where == "installed":
        host_tree.install(root)
    else:  # as the host clones it
        done = host_tree.tmux_tool("install", "--plugin-folder", plugin)
        assert done.returncode == 0, done.stdout
    facts = yaml.safe_load((plugin / "plugin.yaml").read_text())
    assert facts["name"] == plugin.name and re.fullmatch(r"[a-z0-9_]+", facts["name"])
    assert set(facts) <= MANIFEST and len(facts["description"]) <= 500 and len(facts["title"]) <= 50
    assert set(facts["settings_sections"]) <= {"agent", "external", "mcp", "developer", "backup"}
    for name in ("LICENSE", "README.md", "default_config.yaml", "hooks.py", "webui/config.html"):
        assert (plugin / name).is_file()
    assert not [path for path in plugin.rglob("*") if path.is_symlink()]
    for path in (plugin / "tools").glob("*.py"):
        assert re.search(r"^from usr\.plugins\.tmux_tool\.", path.read_text(), re.M)
    assert Settings.load(yaml.safe_load((plugin / "default_config.yaml").read_text())) == Settings()
    assert works(root, "root")


def test_the_plugins_repository_is_built_into_an_empty_folder_only_and_uninstalled_whole(a0, tmp_path, bare):
    """What was cloned or unpacked can be updated first."""
    root, folder = a0("root"), tmp_path / "repository"
    clean = host_tree.tree(root)
    (folder / ".git").mkdir(parents=True)
    assert host_tree.tmux_tool("install", "--plugin-folder", folder).returncode == 0
    before = host_tree.tree(folder)
    done = host_tree.tmux_tool("install", "--plugin-folder", folder)
    assert done.returncode == 1 and "is not empty" in done.stdout
    assert host_tree.tree(folder) == before
    plugin = root / "usr/plugins/tmux_tool"
    for left_out in (".git", "nothing"):
        shutil.copytree(folder, plugin, ignore=shutil.ignore_patterns(left_out))
        assert "0 of" in host_tree.install(root)
        if left_out == "nothing":  # it is a clone, with what Python compiled of a release before the last pull
            (plugin / "r0/__pycache__").mkdir(parents=True)
            (plugin / "r0/__pycache__/answer.cpython-311.pyc").write_bytes(b"x")
        assert host_tree.tmux_tool("uninstall", root).returncode == 0
        assert not plugin.exists() and host_tree.tree(root) == clean
