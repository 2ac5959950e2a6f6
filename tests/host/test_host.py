"""The tool in both hosts, through the agent loop: found, called, interrupted, stopped, masked."""

import json
import os
import re
import shutil
import sys
import textwrap
import threading
import time
from functools import cache
from pathlib import Path

import pytest

from python.helpers.tmux.arguments import ACTIONS, check
from python.helpers.tmux.base.answer import Answer
from python.helpers.tmux.base.settings import Settings
from python.helpers.tmux.base.words import Word
from tests.conftest import DEADLINE, poll
from tests.host import host_tree, hosts
from tests.support.answer import STATUS_0
from tests.support.pythons import is_program
from tests.support.run import ROOT, run

READY = Answer(word=Word.READY, first="ready", seconds=0.0)
PROMPT_FILE = "agent.system.tool.tmux.md"
PASSWORD = "correct-horse-battery"


@pytest.fixture(scope="session")
def put(tmp_path_factory):
    """By layout: puts the tool into a host's tree. It is installed once, and copied."""
    @cache
    def of(layout):
        root = tmp_path_factory.mktemp(layout)
        host_tree.build(root, layout)
        host_tree.install(root)
        return lambda place: shutil.copytree(root / "usr", place / "usr", dirs_exist_ok=True)

    return of


def host_of(*layouts):
    @pytest.fixture(params=layouts)
    def host(request, tmp_path, put):
        with hosts.Host(tmp_path / "a0", request.param, put(request.param)) as one:
            yield one

    return host


host = host_of(*host_tree.LAYOUTS)
fork, upstream = host_of("python"), host_of("root")  # for what is the same in both


def call(action, **arguments):
    return {"headline": "…", "tool_name": "tmux_tool", "tool_args": {"action": action, **arguments}}


def workers():
    return [thread for thread in threading.enumerate() if thread.name == "tmux_tool"]


# The tree


def _interpreters():
    found = [sys.executable, *map(shutil.which, ("python3.12", "python3.13"))]
    found += Path(sys.base_prefix).parent.glob("3.1[23].*/bin/python")
    there = sorted({os.path.realpath(path) for path in found if path})
    return [path for path in there if is_program(path)]


@pytest.mark.parametrize("interpreter", _interpreters())
def test_helpers_import_in_the_hosts_code_runner(interpreter):
    """Another interpreter than the host's, bare, with only the host's root added to the path."""
    files = [path.relative_to(ROOT) for path in sorted((ROOT / "python/helpers").rglob("*.py"))]
    names = [
        ".".join(path.with_suffix("").parts)
        for path in files
        if path.stem != "__main__" and "plugin" not in path.parts  # which the host imports
    ]
    code = (
        f"import sys, importlib; sys.path.insert(0, {str(ROOT)!r})\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "assert not {'agent', 'python.helpers.tool', 'helpers'} & set(sys.modules)\n"
        "from python.helpers.tmux.arguments import check; print(check({'action': 'list'}))"
    )
    done = run(interpreter, "-I", "-B", "-c", code, cwd="/")
    assert (done.stdout, done.stderr) == ("('list', {})\n", "")
    assert len(names) > 10


# Calling


@pytest.mark.parametrize("put", [host_tree.install, host_tree.copy_by_hand])
@pytest.mark.parametrize("layout", host_tree.LAYOUTS)
def test_found_loaded_and_called_again_and_again(layout, put, terminal, tmp_path):
    with hosts.Host(tmp_path / "a0", layout, put) as host:
        chat = host.play(
            call("run", text="echo one"), call("wait_ready"), call("read", lines=3),
            {"tool_name": "response", "tool_args": {"text": "done"}})
        assert chat.ended == "response"
        one, ready, read, _ = chat.answers()
        assert re.fullmatch(rf"ready \(shell\) after \d\.\d\ds{STATUS_0}\none", one)
        assert re.fullmatch(r"ready \(shell\) after \d\.\d\ds.*\n\(nothing new\)", ready)
        assert read.startswith("read 3 lines of shared") and "one" in read
        assert "tmux_tool" not in sys.modules
        poll(lambda: not workers(), what="the last thread ends")
    place = host_tree.TOOL[layout] if put is host_tree.install else "usr/tools/tmux_tool.py"
    assert host.executed.count(place) == 3  # again for every call


def test_a_method_behind_the_name_is_an_action_and_beside_the_same_action_it_is_ignored(host, terminal):
    """Hosts from v2 on write it beside."""
    chat = host.play(
        {"tool_name": "tmux_tool:run", "tool_args": {"text": "echo hi"}},
        {"tool_name": "tmux_tool:read", "tool_args": {"action": None, "lines": 1}},
        call("list", method="list"), call("list", method="read"))
    run, read, *beside = chat.answers()
    assert run.endswith("\nhi") and read.startswith("read 1 line of")
    assert beside[0].startswith("1 pane") and beside[1].startswith("error: argument 'method'")


def test_a_wrong_call_is_an_answer_and_types_nothing(upstream, terminal):
    before = terminal.screen()
    chat = upstream.play(call("send", text=["x"]), call("read", pane="no-such"))
    assert chat.roles() == ["model", "tool"] * 2, chat.history
    for answer, says in zip(chat.answers(), ("'text'", "no pane"), strict=True):
        assert answer.startswith("error: ") and says in answer
    assert terminal.screen() == before


# While it waits


def test_the_users_message_gets_through_and_the_model_learns_what_was_going_on_without_secrets(host, terminal):
    """The host stores that as it is."""
    hidden = call("run", text="echo §§secret(PW) begun; sleep 60", timeout=60)
    chat = host.chat(hidden, call("interrupt"), secrets={"PW": PASSWORD})
    chat.start()
    terminal.in_front("sleep")
    poll(lambda: chat.logs and chat.logs[0].live, what="the screen in the log")
    wrote = time.monotonic()
    chat.write("Stop that, please")
    chat.finish()
    assert chat.roles() == ["model", "tool", "user", "model", "tool"]
    left, user = chat.history[1:3]
    assert left["name"] == "tmux_tool"
    assert "the user wrote" in left["text"] and "§§secret(PW) begun" in left["text"]
    assert PASSWORD not in repr(chat.history)
    assert user["text"] == "Stop that, please" and user["time"] - wrote < DEADLINE
    heading = chat.logs[0].headings[-1]
    assert re.fullmatch(r".*begun; sleep 60 -> the user wrote after \d+s; it goes on", heading)
    assert chat.answers()[1].startswith("ready (")
    poll(lambda: not workers(), what="the thread of the first wait ends")


def test_a_message_right_at_the_start_does_not_hide_the_call(fork, terminal):
    chat = fork.chat(call("run", text="sleep 60"), call("interrupt"))
    chat.start()
    poll(workers, what="the call is under way")
    chat.write("Wait")
    chat.finish()
    assert chat.roles()[:3] == ["model", "tool", "user"]
    assert "the user wrote" in chat.answers()[0]


def test_the_answer_survives_a_message_that_comes_with_it(host, terminal):
    """The host throws a result away when a message is there; what was set as progress stays."""
    chat = host.chat(call("run", text="sleep 0.3; echo precious"), call("list"))
    look = chat.handle_intervention

    async def with_the_answer(progress=""):
        if chat.current and chat.current.progress.startswith("ready"):
            chat.write("Hello")
            chat.handle_intervention = look
        await look(progress)

    chat.handle_intervention = with_the_answer
    chat.start().finish()
    assert chat.roles() == ["model", "tool", "user", "model", "tool"]
    assert chat.answers()[0].endswith("\nprecious")


def test_stop_ends_the_wait_and_frees_the_pane(host, terminal):
    chat = host.chat(call("run", text="sleep 60", timeout=60))
    chat.start()
    terminal.in_front("sleep")
    chat.stop()
    poll(lambda: chat.ended == "stopped", what="the chat ends")
    poll(lambda: not workers(), what="its thread ends")
    heading = chat.logs[0].headings[-1]
    assert re.fullmatch(r".*run: sleep 60 -> stopped by the user after \d+s; it goes on", heading)
    assert chat.progress[-1] == (heading.removeprefix("icon://terminal "), False)
    assert terminal.fact("pane_current_command") == "sleep"  # the person's program is not touched
    other = host.play(call("interrupt"), call("run", text="echo free", timeout=5))
    assert other.answers()[1].endswith("\nfree")


def test_the_log_shows_the_screen_with_what_it_waits_for_and_how_long(upstream, terminal):
    loop = "for i in 1 2 3 4 5 6 7 8; do echo tick $i; sleep 0.4; done"
    log = upstream.play(call("run", text=loop, until="tick 8")).logs[0]
    assert len(log.live) >= 3, log.headings
    head = f"icon://terminal run: {textwrap.shorten(loop, 50, placeholder='…')}"
    for _, heading, _ in log.live:
        assert re.fullmatch(re.escape(f"{head} - waiting for tick 8, ") + r"\d+s", heading)
    assert "tick 1" in log.live[-1][2]
    gaps = [after[0] - before[0] for before, after in zip(log.live, log.live[1:], strict=False)]
    assert min(gaps) >= 0.45, gaps
    assert log.live[0][2] != log.live[-1][2]
    assert log.headings[-1] == f"{head} -> matched: tick 8"
    go = Path(os.environ["HOME"], "go")
    loop = f"until [ -e {go} ]; do sleep 0.1; done"
    chat = upstream.chat(call("run", text=loop, timeout=0), call("wait_ready")).start()
    poll(lambda: len(chat.logs) == 2 and chat.logs[1].live, what="the screen in the log")
    go.touch()
    chat.finish()
    assert chat.answers()[1].startswith("ready (shell)") and "tick 8" in chat.logs[1].live[0][2]


def test_while_a_person_is_waited_for_the_log_shows_what_is_asked_and_the_input_plain_text(upstream, terminal):
    """The newer host shows that line as it is."""
    asks = "for i in 1 2 3 4 5; do echo old $i; done; read -s -p 'Password: ' it"
    chat = upstream.chat(call("run", text=asks), call("wait_ready", person=True)).start()
    poll(lambda: len(chat.logs) == 2 and chat.logs[1].live, what="the screen in the log")
    terminal.person("secret", "Enter")
    chat.finish()
    shown = chat.logs[1].live[0][2]
    assert "Password:" in shown and "old 1" not in shown
    chat = upstream.play(call("run", text="sleep 1.5"), call("wait_ready", person=True))
    first, *more = [line for line, _ in chat.progress]
    assert first == "run: sleep 1.5 - waiting" and "wait_ready - waiting for you" in more
    assert any(re.fullmatch(r"run: sleep 1.5 - waiting, \ds", line) for line in more)
    assert not [line for line, _ in chat.progress if "icon://" in line]


def test_a_slow_tmux_does_not_hold_up_the_other_chats(upstream, terminal, tmp_path, monkeypatch):
    """The loop is shared: each call of tmux hangs until the heartbeat has gone on."""
    (slow := tmp_path / "slow").mkdir()
    hangs, real = slow / "hangs", shutil.which("tmux")
    (slow / "tmux").write_text(f'#!/bin/sh\n: >{hangs}\nwhile [ -e {hangs} ]; do sleep 0.02; done\nexec {real} "$@"\n')
    (slow / "tmux").chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
        chat = upstream.chat(call("list")).start()
        while poll(lambda: hangs.exists() or chat.ended, what="a call of tmux, or the answer") and not chat.ended:
            poll(lambda since=upstream.beats: upstream.beats > since + 9, what="the heartbeat")
            hangs.unlink()
    assert chat.answers()[0].startswith("1 pane"), chat.answers()[0]


# What the host knows


def test_a_new_session_starts_in_the_projects_directory_else_in_the_work_directory(host, bare):
    project = host.root / "usr/projects/p1"
    project.mkdir(parents=True)
    for data, place in (({"project": "p1"}, project), ({}, host.root / "usr/workdir")):
        chat = host.chat(call("run", text="pwd"))
        chat.data.update(data)
        chat.start().finish()
        assert f"\n{place}" in chat.answers()[0], chat.answers()
        bare.tmux("kill-server", check=False)
        poll(lambda: not bare.tmux("list-sessions", check=False), what="the server ends")


def test_the_plugins_configuration_holds_and_the_projects_comes_first(upstream, bare):
    settings = upstream.root / "usr/plugins/tmux_tool/config.json"
    settings.write_text('{"width": 100, "height": 30, "directory": "/usr/share"}')
    chat = upstream.play(call("run", text="pwd; tput cols"))
    assert "\n/usr/share\n100" in chat.answers()[0]
    own = upstream.root / "usr/projects/p1/.a0proj/plugins/tmux_tool/config.json"
    own.parent.mkdir(parents=True)
    own.write_text('{"run_timeout": 0.3}')
    chat = upstream.chat(call("run", text="sleep 600"))
    chat.data["project"] = "p1"
    chat.start().finish()
    limit = re.match(r"run timed out after (\d+\.\d)s", chat.answers()[0])
    assert limit and 0.3 <= float(limit[1]) < Settings().run_timeout / 2, chat.answers()


def test_where_the_host_has_a_page_answers_name_its_button(host, bare):
    """The first in a new session, and those that want a password from the person."""
    asks, button = "read -rsp 'Password: ' p", "button Terminal"
    chat = host.play(call("run", text="true"), call("run", text=asks), call("send", text=""))
    has = host.layout == "root"
    assert [answer.count(button) for answer in chat.answers()] == [has, has, 0], chat.answers()
    if has:
        (host.root / "usr/plugins/tmux_tool/config.json").write_text('{"view": "look"}')
        chat = host.play(call("run", text=asks))
        assert chat.answers()[0].startswith("needs password") and button not in chat.answers()[0]


def test_without_plugins_the_environment_holds_the_settings(fork, bare, monkeypatch):
    monkeypatch.setenv("TMUX_TOOL_SESSION", "other")
    monkeypatch.setenv("TMUX_TOOL_DIRECTORY", "/usr/share")
    assert "\n/usr/share" in fork.play(call("run", text="pwd")).answers()[0]
    assert bare.tmux("list-sessions", "-F", "#{session_name}") == "other\n"


@pytest.mark.parametrize("text", ['{"width": "wide"}', "{width"], ids=["value", "file"])
def test_a_wrong_configuration_is_a_clear_error_and_nothing_is_typed(upstream, bare, text):
    (upstream.root / "usr/plugins/tmux_tool/config.json").write_text(text)
    chat = upstream.play(call("run", text="true"))
    says = "(TMUX_TOOL_WIDTH): got 'wide'" if "wide" in text else "configuration cannot be used"
    assert chat.answers()[0].startswith("error: ") and says in chat.answers()[0]
    assert bare.tmux("list-sessions", check=False) == ""


def test_the_chat_draws_it_in_a_fixed_width_font_if_it_can(host, terminal):
    """The older chat does by the type; for the newer one the plugin brings the drawing."""
    chat = host.play(call("run", text="true"))
    assert chat.logs[0].type == ("code_exe" if host.layout == "python" else "tool")
    handlers = list(host.root.glob("usr/plugins/*/extensions/webui/get_tool_message_handler/*.js"))
    assert len(handlers) == (0 if host.layout == "python" else 1)


def test_a_heading_is_short_does_not_flicker_and_the_first_row_keeps_its_spaces(fork, terminal):
    long = call("run", text="echo " + "x" * 300 + "\necho second")
    chat = fork.play(long, call("keys", keys=["Up", "C-c"], pane="shared"))
    first, second = (log.headings[-1].removeprefix("icon://terminal ") for log in chat.logs)
    assert re.fullmatch(rf"run: echo… -> ready \(shell\){STATUS_0}", first)
    assert second.startswith("keys shared: Up C-c -> ready (shell)")
    log = fork.play(call("run", text="true")).logs[0]
    assert not log.live or log.live[0][0] - log.updates[0][0] >= 0.5  # a very busy machine
    assert log.headings[-1] == f"icon://terminal run: true -> ready (shell){STATUS_0}"
    chat = fork.play(call("run", text="clear; printf '      indented\\n'"), call("read"))
    assert chat.answers()[1].split("\n")[1] == "      indented"


# Secrets


def test_a_secret_is_typed_but_never_shown(fork, terminal):
    login = """read -rsp "Password: " p; echo; echo "got ${#p}"; exec bash --norc"""
    terminal.start(f"bash --norc -c '{login}'", "login")
    chat = fork.play(
        call("wait_ready", pane="login"), call("send", text="§§secret(PW)", pane="login"),
        call("wait_ready", pane="login", timeout=9), call("read", pane="login"), secrets={"PW": PASSWORD})
    assert chat.answers()[0].startswith("needs password after")
    assert f"got {len(PASSWORD)}" in chat.answers()[3], chat.answers()
    assert PASSWORD not in repr(chat.history) + repr([log.updates for log in chat.logs])


def test_a_secret_is_masked_in_the_heading_too_a_short_one_not_in_it_and_one_in_a_list_not_pressed(fork, terminal):
    """A heading that were cut before the host masks it would show the first half of the value."""
    value = "t0ken-" + "z" * 60
    hidden = call("run", text=": " + "-" * 40 + " §§secret(TOKEN); sleep 1.5")
    chat = fork.play(hidden, secrets={"TOKEN": value})
    assert chat.logs[0].live
    assert not any("t0ken" in heading for heading in chat.logs[0].headings)
    assert "t0ken" not in repr(chat.history)
    chat = fork.play(call("run", text="true §§secret(PIN)"), secrets={"PIN": "742"})
    assert chat.logs[0].headings[-1].startswith("icon://terminal run: true §§secret(PIN) -> ready")
    assert not any("742" in heading for heading in chat.logs[0].headings)
    before = terminal.screen()
    chat = fork.play(call("keys", keys=["§§secret(PW)"]), secrets={"PW": PASSWORD})
    assert chat.answers()[0].startswith("error: argument 'keys'")
    assert terminal.screen() == before


def test_an_unknown_secret_reaches_the_model_and_one_in_answers_stays_a_placeholder(upstream, terminal, monkeypatch):
    """The host replaces those in strings alone; nothing is typed."""
    before = terminal.screen()
    assert upstream.play(call("send", text="§§secret(NOPE)")).history[1]["text"] == "no secret NOPE"
    assert terminal.screen() == before
    upstream.play(call("list"))
    came, actions = [], upstream.helper("actions")
    monkeypatch.setattr(actions.Call, "answer", lambda self, call: came.append(call) or READY)
    answers = {"Password:": "§§secret(PW)", "Continue": "y", "Port": 80}
    chat = upstream.play(call("run", text="x", answers=answers), secrets={"PW": PASSWORD})
    assert came[0]["answers"] == {"Password:": PASSWORD, "Continue": "y", "Port": 80}
    assert PASSWORD not in repr(chat.history) + repr([log.updates for log in chat.logs])
    unknown = upstream.play(call("run", text="x", answers={"a": "§§secret(NOPE)"}))
    assert unknown.history[1]["text"] == "no secret NOPE"
    assert len(came) == 1


def test_a_secret_that_wraps_on_the_screen_is_still_masked(upstream, terminal):
    """The host masks whole values only, so an answer joins wrapped lines."""
    value = "s3cret-" + "abcdefghij" * 20
    Path(os.environ["HOME"], "token").write_text(value + "\n")
    chat = upstream.play(call("run", text="cat ~/token"), call("read"), secrets={"TOKEN": value})
    for answer in chat.answers():
        assert "§§secret(TOKEN)" in answer and "abcdefghij" not in answer
    chat = upstream.play(call("run", text="cat ~/token; sleep 1.5"), secrets={"TOKEN": value})
    shown = [content for _, _, content in chat.logs[0].live]
    assert shown and all("abcdefghij" not in content for content in shown)


# The prompt file


PROMPT = (ROOT / "prompts" / PROMPT_FILE).read_text()


def test_the_prompt_is_collected_passes_templating_unchanged_and_the_forks_copy_names_its_tools(host):
    text = (host.root / host_tree.TOOL[host.layout]).parents[1] / "prompts" / PROMPT_FILE
    assert text.read_text().startswith(PROMPT.partition("usage:")[0].rstrip())
    assert host.prompts()[PROMPT_FILE] == text.read_text()
    assert [name for name in host.prompts() if "tmux" in name] == [PROMPT_FILE]
    assert ("terminal_agent" in host.prompts()[PROMPT_FILE]) == (host.layout == "python")


def test_the_prompt_names_every_action_and_argument_and_no_other():
    arguments = PROMPT.partition("flat arguments")[2].partition("\n\n")[0]
    listed = {
        action: set(re.findall(r"`([a-z_]+)`", line))
        for action, line in re.findall(r"^- (\w+): (.*)$", arguments, flags=re.M)
    }
    assert set(listed) == set(ACTIONS)
    for action, names in listed.items():
        most = {"pane", "lines"}  # said once for all
        assert names - most == set(ACTIONS[action].arguments) - most, action
    for said, argument in ((r"all but (\w+, \w+) take `pane`", "pane"), (r"all but (\w+, \w+) `lines`", "lines")):
        without = re.search(said, arguments)
        rest = {name for name, action in ACTIONS.items() if argument not in action.arguments}
        assert without and set(re.findall(r"\w+", without[1])) == rest, argument


def test_the_prompts_examples_are_calls_that_work_and_survive_as_a_native_functions_description():
    """Hosts from v2.11 on flatten the prompt and turn each JSON example into its arguments."""
    examples = list(map(json.loads, re.findall(r"~~~json\n(.*?)~~~", PROMPT, flags=re.S)))
    assert len(examples) >= 2
    for example in examples:
        assert set(example) == {"thoughts", "headline", "tool_name", "tool_args"}
        assert example["tool_name"] == "tmux_tool"
        assert {name for name, value in example["tool_args"].items() if isinstance(value, dict)} <= {"answers"}
        check(example["tool_args"])
    bare = lambda block: json.dumps(json.loads(block[1])["tool_args"])  # noqa: E731
    flat = re.sub(r"~~~json\s*(.*?)\s*~~~", bare, PROMPT, flags=re.S)
    found = [json.loads(line) for line in flat.splitlines() if line.startswith('{"action"')]
    assert [check(one)[0] for one in found] == ["run", "run"]
    assert re.search(r'"tool_name": "(\w+)"', PROMPT)[1] == "tmux_tool"


def test_the_prompts_defaults_and_verdicts_are_the_tools():
    for name, action in ACTIONS.items():
        line = next(line for line in PROMPT.splitlines() if line.startswith(f"- {name}: "))
        for word, argument in action.arguments.items():
            default = argument.default_in(Settings())
            shown = str(default).lower() if isinstance(default, bool) else default
            if isinstance(shown, float):
                shown = f"{shown:g}"
            assert default is None or re.search(rf"`{word}`[a-z ]* \({shown}\)", line), line
    for word in set(Word) - {Word.READ, Word.LIST, Word.OPENED, Word.CLOSED, Word.TIMED_OUT}:
        assert f"`{word}" in PROMPT, word
    assert f"`… {Word.TIMED_OUT}" in PROMPT


def test_the_prompt_is_short_points_where_it_should_and_its_first_line_says_what_the_tool_is():
    """A tool policy shows only that line, and cuts out those that name a blocked tool."""
    assert PROMPT.startswith("### tmux_tool:\n")
    assert len(PROMPT) <= 3000
    assert "{{" not in PROMPT and "§§include" not in PROMPT
    others = "cli-orchestration code_execution_tool skills_tool Terminal".split()
    assert not [name for name in others if name not in PROMPT]
    first = next(line for line in PROMPT.splitlines() if not line.startswith("#"))
    assert "terminal" in first and "share" in first
    assert "open_app" not in PROMPT and "terminal_agent" not in PROMPT
