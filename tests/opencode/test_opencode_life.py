"""Starting, finding and ending OpenCode, and everything that can prevent it."""

import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import ASKS
from hermetic import ROOT, Desk

from python.helpers import opencode_cli as cli
from python.helpers.opencode import launch, record
from python.helpers.opencode.http_wire import HttpWire
from python.helpers.opencode.record import LINE, Record
from python.helpers.opencode.server import must_fit
from python.helpers.opencode_cli import OpenCodeSession, OpenCodeStartFailed, opencode_run
from python.helpers.tmux.actions import Call
from python.helpers.tmux.base.words import Word
from python.helpers.tmux_cli.command import main
from tests.support.fake_model import Handler, Served
from tests.support.tables import Tables


@pytest.fixture
def session(desk):
    return OpenCodeSession(desk.project).start()  # one that runs there already goes on


def mends_the_line(desk, version):
    """The person does: up to 1.14 npm wraps OpenCode, whose TUI lives on a moment, and spoils the shell's line."""
    if version < (1, 15):
        desk.person.press("Enter")


def goes_to(desk, name):
    desk.until(lambda: desk.fact("pane_current_command") == name)


class TestOneAfterTheOther:
    """In one pane, because a start is what takes long: each may leave OpenCode running."""
    @pytest.fixture(scope="class")
    @classmethod
    def desk(cls, model, binary):
        with Desk(model, binary, permission=ASKS) as here:
            yield here

    def test_an_opencode_started_by_hand_is_refused_and_continued_after_exit(self, desk, model):
        desk.type(f"opencode {desk.project}", "Enter")
        desk.see("Ask anything")
        desk.type("Please remember the number 8.", "Enter")
        desk.until(lambda: "Please remember the number 8." in model.prompts())  # 1.2 may not show it
        with pytest.raises(OpenCodeStartFailed, match=r"by hand and has no API.*/exit"):
            OpenCodeSession(desk.project).start()
        desk.type("/exit", "Enter")
        desk.see("Continue")
        goes_to(desk, "bash")
        assert OpenCodeSession(desk.project).start().turn("What number?") == "The number is 8."

    def test_a_conversation_that_the_person_ends_is_continued(self, session, desk, capsys):
        session.turn("Please remember the number 31.")
        identity = session.session_id
        desk.type("/exit", "Enter")
        desk.until(lambda: not desk.processes())
        assert {name for name, value in desk.record().items() if value} == {"session", "directory"}
        assert session.status == "gone" and session.session_id == identity
        capsys.readouterr()
        again = OpenCodeSession(desk.project).start()  # for a caller who does not know that
        assert f"continues the conversation {identity}" in capsys.readouterr().out
        again.submit("FAKE:slow n=400 delay=0.05")
        desk.until(lambda: again.status == "busy")
        desk.person.press("C-c")  # in mid-turn
        with pytest.raises(cli.OpenCodeGone) as caught:
            again.wait()
        assert caught.value.session_id == identity == again.exit() and again.status == "gone"
        again.start(resume=identity)
        assert again.session_id == identity and again.turn("What number?") == "The number is 31."

    def test_one_that_the_agent_has_ended_is_not_continued_by_itself(self, session, desk, capsys):
        session.turn("Please remember the number 42.")
        identity = session.exit()
        desk.until(desk.is_clean)
        capsys.readouterr()
        with pytest.raises(OpenCodeStartFailed, match="no conversation ses_nope"):
            session.start("ses_nope")
        desk.until(desk.is_clean)  # it failed, so none runs
        session.start()
        assert "continues" not in capsys.readouterr().out and session.session_id != identity
        assert session.turn("What number?") == "I know no number."
        desk.person.press("C-c")
        desk.until(lambda: session.status == "gone")
        with pytest.raises(cli.OpenCodeGone, match=session.session_id):
            OpenCodeSession(desk.project).adopt()
        session.exit()
        desk.until(desk.is_clean)

    @pytest.mark.parametrize("victim", ["the program in the pane", "the server", "the TUI"])
    def test_killed_in_mid_turn_it_is_gone_and_is_continued(self, session, desk, victim, capsys, version):
        session.submit("FAKE:bash sleep 271")
        desk.until(lambda: session.status == "needs permission")
        session.answer("once")
        desk.until(lambda: any("sleep 271" in line for line in desk.processes().values()))
        words = {"the server": " serve ", "the TUI": f" {session.session_id}"}.get(victim)
        rows = desk.processes().items()
        found = [pid for pid, row in rows if words and words in row and "helpers" not in row]
        for pid in found or [desk.record()["pid"]]:
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(cli.OpenCodeGone, match=session.session_id):
            session.wait(timeout=60)
        desk.until(lambda: not desk.processes())
        if not found:
            mends_the_line(desk, version)
        capsys.readouterr()
        identity = session.session_id
        again = OpenCodeSession(desk.project).start()  # for a caller who does not know that
        assert f"continues the conversation {identity}" in capsys.readouterr().out
        assert again.session_id == identity and again.turn("FAKE:say again") == "again"

    def test_what_came_before_it_was_killed_is_told(self, session, desk, version):
        session.submit("FAKE:slow n=400 delay=0.05")
        desk.see("w9 ")
        with pytest.raises(cli.OpenCodeGone) as caught, ThreadPoolExecutor(1) as pool:
            waited = pool.submit(session.wait, timeout=60)
            time.sleep(1)  # it has heard some words then
            os.kill(desk.record()["pid"], signal.SIGKILL)
            waited.result()
        assert re.match(r"w\d+ w\d+ ", caught.value.text)
        desk.until(lambda: not desk.processes())
        mends_the_line(desk, version)
        session.start()

    def test_a_conversation_runs_in_one_pane(self, session, desk):
        session.turn("FAKE:say here")
        identity, pane = session.session_id, desk.fact("pane_id")
        desk.tmux("new-window", "-dn", "second", "-t", "=shared:", "bash --norc --noprofile")
        with pytest.raises(OpenCodeStartFailed, match=f"{identity} runs in pane {pane}"):
            OpenCodeSession(desk.project, pane="shared:second").start(resume=identity)
        with pytest.raises(OpenCodeStartFailed, match=f"{identity} runs in pane {pane}"):
            opencode_run("FAKE:say there", identity, directory=str(desk.project))
        desk.tmux("kill-window", "-t", "=shared:second")

    def test_two_side_by_side_and_from_another_window(self, session, desk, capsys):
        desk.tmux("new-window", "-t", "=shared:", "bash --norc --noprofile")
        desk.tmux("new-window", "-dn", "unseen", "-t", "=shared:", "env -u TMUX_PANE bash --norc --noprofile")
        (other_place := desk.root / "other").mkdir()
        other = OpenCodeSession(other_place, pane="shared:unseen").start()  # as the first one, nobody looks at it
        assert "session_id='ses_" in repr(other)
        for number in (1, 2):
            session.submit(f"FAKE:slow n=20 delay=0.05 x={number}")
            assert other.turn(f"FAKE:say beside {number}") == f"beside {number}"
            assert session.wait().text.endswith("SLOW-DONE")
        third, identity = OpenCodeSession(desk.project).start(), session.session_id
        assert "continues in pane" in capsys.readouterr().out and third.session_id == identity
        other.exit()
        assert third.turn("FAKE:say still here") == "still here"
        assert other.turn("FAKE:say a new one") == "a new one" and other.exit() in repr(other)
        for window in ("1", "unseen"):
            desk.tmux("kill-window", "-t", f"=shared:{window}")

    def test_stopped_by_the_person_it_answers_and_is_ended(self, session, desk):
        session.turn("FAKE:say before")
        desk.person.press("C-z")
        goes_to(desk, "bash")
        assert session.turn("FAKE:say stopped") == "stopped"
        assert OpenCodeSession(desk.project).start().turn("FAKE:say adopted") == "adopted"
        desk.type("fg", "Enter")
        desk.see("adopted")
        desk.person.press("C-z")
        goes_to(desk, "bash")
        session.exit()
        desk.person.press("Enter")
        desk.until(desk.is_clean)

    def test_a_pane_that_is_closed_is_an_opencode_that_is_gone(self, session, desk):
        """The last one: it is this pane."""
        desk.tmux("new-session", "-d", "-s", "other", "bash --norc --noprofile")
        with pytest.raises(cli.OpenCodeGone), session._held():
            desk.tmux("kill-pane", "-t", "=shared:")
            desk.until(lambda: session.status == "gone")
            session._write(raised="in the middle of a call")
        with pytest.raises(cli.OpenCodeGone):
            session.send("hello?")
        session.exit()
        desk.until(lambda: not desk.processes())


def test_an_unknown_model_of_the_configuration_is_named_at_once(model, binary):
    with Desk(model, binary, model="fake/nope") as desk:
        session = OpenCodeSession(desk.project).start()
        began = time.monotonic()
        with pytest.raises(cli.OpenCodeTurnFailed, match=r"fake/nope\. OpenCode's screen"):
            session.send("hello")
        assert time.monotonic() - began < 10
        session.exit()


@pytest.mark.only("1")
def test_without_a_provider_it_is_told_at_once(model, binary):
    with Desk(model, binary) as desk:
        for path in (desk.home / "opencode.json", desk.home / "config/opencode/opencode.json"):
            path.write_text("{}")
        with pytest.raises(cli.OpenCodeTurnFailed, match=r"has no model\. The user sets up a provider"):
            opencode_run("hello", directory=str(desk.project))


def test_who_is_faster_at_the_port_gets_no_password(model, binary, monkeypatch):
    """Another user can see the port in the list of processes and be the first to use it."""
    came = []

    class Thief(Handler):
        def do_GET(self):
            came.append(self.headers)
    with Desk(model, binary) as desk:
        thief = Served(Thief)
        words = ["serve", "--port", str(thief.server.server_port), "--hostname", "127.0.0.1"]
        monkeypatch.setattr(HttpWire, "serve", classmethod(lambda _: words))
        with contextlib.suppress(OpenCodeStartFailed):  # or it takes another port
            run = opencode_run("FAKE:say elsewhere", directory=str(desk.project))
            assert run.text == "elsewhere"
        thief.end()
    assert not came


# what line 2 alone has: a TUI that cannot be told what to show, and line 1's data

@pytest.mark.only("2")
def test_another_conversation_is_another_start_unless_somebody_has_typed(desk, capsys):
    """A TUI that is slow to come costs none."""
    (slow := desk.home / "double").write_text("import time; time.sleep(1)")
    session = OpenCodeSession(desk.project).start()
    session.turn("FAKE:say the first")
    first = session.session_id
    session.reset()
    assert [session.turn(f"FAKE:say {n}") for n in (1, 2)] == ["1", "2"]
    desk.see("FAKE:say 2")
    assert "the first" not in desk.screen()
    slow.unlink()
    assert session.send("FAKE:say the second").note == ""
    desk.see("the second")
    session.start(resume=first)
    desk.see("the first")
    assert "the second" not in desk.screen()
    desk.type("half a thought")
    desk.see("half a thought")
    capsys.readouterr()
    session.reset()
    assert cli.ELSEWHERE in capsys.readouterr().out
    for prompt in ("the third", "the fourth"):
        assert session.send(f"FAKE:say {prompt}").text == prompt
    assert "> half a thought" in desk.screen() and "the first" in desk.screen()
    desk.person.press("C-u")
    desk.type("/exit", "Enter")
    desk.until(lambda: session.status == "gone")
    session.start()
    desk.see("the fourth")
    assert session.send("FAKE:say the fifth").note == ""
    desk.type("/new", "Enter")  # a person who goes elsewhere is left there
    desk.see("Ask anything")
    assert session.turn("FAKE:say still ours") == "still ours"
    assert "Ask anything" in desk.screen()


@pytest.mark.only("2")
def test_a_tui_that_ends_at_its_start_is_told_in_its_words(desk):
    wanted = desk.home / "double"
    wanted.write_text("sys.exit('no colours here')")
    with pytest.raises(OpenCodeStartFailed, match="TUI has ended: no colours here"):
        OpenCodeSession(desk.project).start()
    desk.until(desk.is_clean)
    assert "Traceback" not in desk.screen()
    wanted.unlink()
    session = OpenCodeSession(desk.project)
    session.reset()  # there is nothing to leave
    session.start()
    identity = session.session_id
    desk.type("/exit", "Enter")
    desk.until(lambda: not desk.processes())
    wanted.write_text("sys.exit('no colours here')")
    with pytest.raises(OpenCodeStartFailed, match="no colours here"):
        session.start()
    desk.until(lambda: not desk.processes())
    wanted.unlink()
    assert session.start().session_id == identity  # a start that fails loses no conversation


def test_a_proxy_of_the_persons_is_not_between_it_and_its_server(desk):
    desk.type("export http_proxy=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 no_proxy=a.b NO_PROXY=a.b", "Enter")
    with OpenCodeSession(desk.project) as session:
        assert session.turn("FAKE:say past it") == "past it"
    desk.until(desk.is_clean)


def lines_database(path, *tables):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as database:
        for table in tables:
            database.execute(f"create table {table} (id text)")


@pytest.mark.only("2")
def test_a_first_start_that_changes_line_1s_data_is_announced_once(desk, monkeypatch):
    path = desk.home / "data/opencode/opencode.db"
    lines_database(path, "session", "message")
    with pytest.raises(OpenCodeStartFailed, match=f"{path} for good.*OPENCODE_DB=FILE"):
        OpenCodeSession(desk.project).start()
    desk.until(desk.is_clean)
    assert opencode_run("FAKE:say ran", directory=str(desk.project)).text == "ran"
    path.with_name("opencode.db.before-2").unlink()
    lines_database(path, "session", "session_v2")
    assert opencode_run("FAKE:say ran", directory=str(desk.project)).text == "ran"
    lines_database(desk.root / "other.db", "session")
    monkeypatch.setenv("OPENCODE_DB", str(desk.root / "other.db"))
    with pytest.raises(OpenCodeStartFailed, match=r"other\.db for good"):
        opencode_run("FAKE:say ran", directory=str(desk.project))


# before it starts

def test_the_program_in_the_pane_finds_its_package_wherever_a_host_keeps_it(tmp_path):
    place = tmp_path / "usr/plugins/tmux_tool/helpers/r1"
    quiet = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python/helpers", place, ignore=quiet)
    words = [sys.executable, "-I", place / "opencode", "--keep", "no such tag", "", "0"]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/")
    assert (done.returncode, done.stderr) == (0, "")


VERSION = '[ "$1" = --version ] && {{ printf "%b\\n" \'{}\'; exit; }}'
TABLES = Tables(__file__)
REFUSED = TABLES["REFUSED"]


def test_what_prevents_a_start_is_said_in_its_words(bare):
    bare.program(r"printf '\033[91m\033[1mError: \033[0mbroken\n'; exit 1")
    for says in "ended: Error: broken", REFUSED["1.2.26"]:
        with pytest.raises(OpenCodeStartFailed, match=says):
            OpenCodeSession(bare.project).start()
        bare.until(bare.is_clean)
        bare.program(version=VERSION.format("1.2.26"))
    for version, says in REFUSED.items():
        bare.program(version=VERSION.format(version))
        with pytest.raises(OpenCodeStartFailed, match=says):
            must_fit(str(bare.root / "bin/opencode"))
    for version, line in TABLES["TAKEN"].items():
        bare.program(version=VERSION.format(version))
        assert must_fit(str(bare.root / "bin/opencode")).OLDEST[0] == line


def test_what_is_wrong_with_the_arguments_is_said(bare, monkeypatch):
    for what, says in (
        (lambda: OpenCodeSession(timeout="soon"), "number of seconds"),
        (lambda: OpenCodeSession(pane="nowhere").start(), "no pane"),
        (lambda: OpenCodeSession(bare.project).send(""), "the prompt is empty"),
        (lambda: OpenCodeSession(bare.project).send(None), "the prompt is empty"),
        (lambda: OpenCodeSession(command="/nowhere/it").start(), "nowhere/it is not in")):
        with pytest.raises(RuntimeError, match=says):
            what()
    assert LINE not in bare.screen()
    bare.program()
    with pytest.raises(OpenCodeStartFailed, match=r"No such file or directory: .*nowhere"):
        OpenCodeSession(bare.project / "nowhere").start()
    (bare.root / "bin/opencode").unlink()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(cli.OpenCodeNotInstalled, match=r"^opencode is not installed") as caught:
        OpenCodeSession(bare.project).start()
    assert str(caught.value).count("npm install -g opencode-ai") == 1
    bare.until(bare.is_clean)


@pytest.mark.parametrize("how", ["exec env", "env", "env -i"])
def test_a_shell_that_does_not_know_its_tmux_is_told_at_once(bare, how):
    bare.program()
    bare.type(f"{how} TMUX= TMUX_TMPDIR=/nowhere PS1='$ ' bash --norc --noprofile", "Enter")
    bare.until(lambda: bare.screen().rstrip().endswith("$"))
    with pytest.raises(OpenCodeStartFailed, match=r"has ended: .*(tmp/tmux|nowhere).*own tmux"):
        OpenCodeSession(bare.project).start()


def test_what_a_killed_caller_has_typed_without_enter_is_typed_anew(bare):
    bare.program('echo "Error: started"; exit 1')
    line = {"text": launch.TYPED.format(bare.fact("pane_id")), "enter": False}
    bare.until(lambda: Call().answer({"action": "read"}).word is not Word.ERROR and bare.screen().strip())
    assert Call().answer({"action": "send", **line}).word is Word.SENT
    with pytest.raises(OpenCodeStartFailed, match="Error: started"):
        OpenCodeSession(bare.project).start()


@pytest.mark.parametrize("half_typed", [True, False])
def test_nothing_is_typed_to_another_program_or_a_half_typed_line(bare, monkeypatch, half_typed):
    monkeypatch.setattr(launch, "QUIET_LIMIT", 0.2)
    bare.program()
    typed = "; touch ran.txt" if half_typed else "sleep 60"
    bare.type(typed, "Home" if half_typed else "Enter")
    goes_to(bare, "bash" if half_typed else "sleep")
    with pytest.raises(OpenCodeStartFailed, match="half-typed" if half_typed else "sleep"):
        OpenCodeSession(bare.project).start()
    (row,) = bare.screen().strip().splitlines()
    assert row.endswith(typed) and not bare.options()


@pytest.mark.parametrize("shell", ["zsh -f", "fish --no-config", "dash", "bash --norc"])
def test_every_shell_starts_it_and_says_nothing_else(bare, monkeypatch, shell):
    if not shutil.which(shell.split()[0]):
        pytest.skip(f"{shell} is not installed")
    place = bare.root / "it's a place; $HOME" / ("long " * 40)
    place.mkdir(parents=True)
    bare.program('echo "Error: started in $(pwd)"; exit 1')
    bare.tmux("respawn-pane", "-k", "-t", "=shared:", shell)
    bare.tmux("rename-session", "-t", "=shared:", "work")
    monkeypatch.setenv("TMUX_TOOL_SESSION", "work")  # the pane is the one of the settings
    with pytest.raises(OpenCodeStartFailed, match=r"Error: started in .*it's a place; .HOME"):
        OpenCodeSession(place).start()
    bare.tmux("rename-session", "-t", "=work:", "shared")
    rows = [row for row in bare.screen().splitlines() if LINE in row]
    typed = launch.TYPED.format(bare.fact("pane_id")).strip()
    assert len(rows) == 1 and rows[0].endswith(typed) and len(typed) < 60
    assert bare.screen().count("Error: started in") == 1


def test_the_program_that_the_shell_finds_by_now_is_started(bare):
    place = bare.root / "elsewhere"
    bare.program('echo "Error: this is $0"; exit 1')
    shutil.copytree(bare.root / "bin", place)
    bare.type(f"PATH={place}:$PATH", "Enter")
    with pytest.raises(OpenCodeStartFailed, match=f"Error: this is {place}/opencode"):
        OpenCodeSession(bare.project).start()


@pytest.mark.parametrize("killed", [False, True], ids=["by exit()", "by SIGKILL"])
def test_one_that_hangs_at_its_start_can_be_ended(bare, monkeypatch, capsys, killed):
    bare.program("exec sleep 100")
    monkeypatch.setattr(launch, "START_LIMIT", 2.0)
    monkeypatch.setattr("python.helpers.opencode.reply.PROGRESS", 0.3)
    session = OpenCodeSession(bare.project)
    with pytest.raises(OpenCodeStartFailed, match="exit\\(\\) ends it"):
        session.start()
    assert "opencode: starting" in capsys.readouterr().out
    there = bare.until(bare.record)  # on a loaded machine it begins after that limit
    if killed:
        os.kill(there["pid"], signal.SIGKILL)
        bare.until(lambda: not bare.processes())
    session.exit()
    bare.until(bare.is_clean)
    assert "error" not in bare.screen()


def test_the_command_line_starts_none_to_end_or_answer_it(bare, capsys):
    bare.program("touch started")
    assert main(["opencode", "--help"], "") == 0 and "--timeout" in capsys.readouterr().out
    for words in ("--exit", "--answer once", "--wait", "--status", "--interrupt", "--reset", "--hlep"):
        assert main(["opencode", *words.split()], "") == 1
        says = "not understood" if words == "--hlep" else "OpenCode is not running"
        assert capsys.readouterr().out.startswith(f"error: {says}")
    assert not list(bare.root.rglob("started"))


def test_the_state_in_a_pane_survives_any_directory_and_writers_at_the_same_time(bare):
    place = "/it's #{pid} $x `%H` \\ é\n/"
    there = Record(pid=1, since=2, folder="f", directory=place, session="s", raised="x")
    pane = bare.fact("pane_id")
    record.write(pane, there)
    assert record.load(pane) == there
    record.write(pane, Record())
    assert record.load(pane) == Record() == record.load("%99") and not bare.options()
    bare.tmux("set-option", "-p", "-t", pane, "@opencode_fact", '"of another edition"')
    assert record.load(pane) == Record()
    with ThreadPoolExecutor() as callers:
        for i in range(10):
            facts = [{"prompt": f"msg_{i}"}, {"stopped": f"msg_{i}"}, {"raised": f"per_{i}"}]
            list(callers.map(lambda one: record.change(pane, **one), facts))
            there = record.load(pane)
            expected = (f"msg_{i}", f"msg_{i}", f"per_{i}")
            assert (there.prompt, there.stopped, there.raised) == expected


# a killed caller

CALLER = """
import sys; sys.path.insert(0, {root!r})
from python.helpers.opencode_cli import OpenCodeSession
session = OpenCodeSession({project!r}, timeout=100)
print("start", flush=True); session.start()
print("send", flush=True); session.send("FAKE:slow n=10 delay=0.03")
print("exit", flush=True); session.exit()
print("end", flush=True)
"""


@contextlib.contextmanager
def caller(desk, code=CALLER):
    """A process with this code; it is killed at the end."""
    words = [sys.executable, "-c", code.format(root=str(ROOT), project=str(desk.project))]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes) as process:
        yield process
        process.kill()


MOMENTS = [("start", 0.3), ("start", 1.5), ("send", 0.1), ("exit", 0.1)]


@pytest.mark.timeout(400)
@pytest.mark.thorough
@pytest.mark.parametrize("word, after", MOMENTS)
def test_a_killed_caller_leaves_nothing_that_the_next_one_does_not_go_on_with(desk, word, after):
    """So many seconds after it said that word."""
    with caller(desk) as one:
        while one.stdout.readline().strip() not in (word, ""):
            pass
        time.sleep(after)
    session = OpenCodeSession(desk.project, timeout=100).start()
    assert session.turn("FAKE:say after the kill") == "after the kill"
    assert desk.screen().count(LINE) <= 1
    session.exit()
    desk.until(desk.is_clean)


def test_a_run_that_hangs_ends_with_its_caller_and_all_that_it_started(bare):
    """Cast off, deaf to the signal, stopped."""
    deaf = "sh -c \"trap '' TERM; while :; do sleep 1; done\" &"
    bare.program("setsid sleep 101 &", deaf, "sh -c 'kill -STOP $$' &", "exec sleep 100")
    code = "import sys; sys.path.insert(0, {root!r})\n"
    code += "from python.helpers.opencode_cli import opencode_run; opencode_run('hello')"
    with caller(bare, code):
        bare.until(lambda: any("sleep 100" in line for line in bare.processes().values()))
    bare.until(bare.is_clean)
