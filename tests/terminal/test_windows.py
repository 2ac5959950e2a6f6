"""Windows of the agent's own, and the default pane: what the person looks at. Their view never
moves, and nothing that `open` did not make is ever closed."""

import time

import pytest

from python.helpers.tmux.base import client
from python.helpers.tmux.facts.look import PAGE
from tests.conftest import Terminal, poll
from tests.support.answer import is_verdict
from tests.support.callers import together


def windows(terminal: Terminal) -> list[str]:
    """Index, name and whether the person looks at it."""
    form = "#{window_index} #{window_name}#{?window_active, *,}"
    return terminal.tmux("list-windows", "-t", "=shared:", "-F", form).splitlines()


def in_front(terminal: Terminal, program: str) -> None:
    command = "pane_current_command"
    poll(lambda: terminal.fact(command, "shared:server") == program, what=program)


def opened(terminal: Terminal, name: str) -> str:
    place = terminal.fact("pane_current_path")
    return f"opened shared:{name} in {place}; the person's view stays at shared:0"


def refused(answer: str, *says: str) -> None:
    assert answer.startswith("error: ") and all(part in answer for part in says), answer


BEFORE = ["0 main *", "1 theirs"]


@pytest.fixture
def person(terminal):
    """The person has a window of their own beside the first one, and looks at the first."""
    terminal.tmux("rename-window", "-t", "=shared:0", "main")
    terminal.tmux("new-window", "-d", "-t", "=shared:", "-n", "theirs", "bash --norc --noprofile")
    return terminal


# open


def test_a_hook_that_sleeps_longer_than_a_call_may_take_costs_neither_the_session_nor_the_window(bare, monkeypatch):
    """`after-new-session` in a person's tmux.conf that starts a VPN: tmux answers when it is through."""
    monkeypatch.setitem(client.tmux.__kwdefaults__, "limit", 1.5)
    hooks = [f"set-hook -g after-new-{one} 'run-shell \"sleep 3\"'\n" for one in ("session", "window")]
    (bare.server.home / ".tmux.conf").write_text("".join(hooks))
    answer = bare.call("run", text="echo hi")
    assert answer.startswith("ready (") and "created in" in answer.notes[0] and answer.body == "hi", answer
    answer = bare.call("open", name="server")
    assert answer.startswith("opened shared:server in "), answer
    assert bare.call("close", pane="shared:server") == "closed shared:server"


def test_open_makes_a_window_beside_the_persons_view(person):
    """The same name twice is the same window."""
    assert person.call("open", name="server").first == opened(person, "server")
    assert windows(person) == [*BEFORE, "2 server"]
    answer = person.call("run", text="mark=$((6*7)); echo $mark", pane="shared:server")
    is_verdict(answer, "ready (shell)")
    assert answer.body == "42" and "42" not in person.screen("shared:main")
    *rows, own = person.call("list").split("\n")[1:]
    assert own.endswith("opened by the agent") and "opened" not in "".join(rows)
    assert own.startswith(f"shared:server ({person.fact('pane_id', 'shared:server')})"), own
    answer = person.call("open", name="server")
    assert answer == f"{opened(person, 'server')}\nnote: it was already open; bash is in front"
    assert windows(person) == [*BEFORE, "2 server"]
    assert person.call("run", text="echo $mark", pane="shared:server").endswith("\n42")
    person.call("run", text="exec sleep 1000", pane="shared:server", timeout=0)
    in_front(person, "sleep")
    assert windows(person)[2] == "2 server"  # its name is not its program's
    assert person.call("read", pane="shared:server").startswith("read ")


def test_open_runs_a_command_there_and_waits_as_run_does(person):
    text = "echo up on 8080; read -p 'Go on? ' a; echo $a"
    answer = person.call("open", name="server", text=text, until="up on .*", timeout=20)
    assert answer.first.startswith(opened(person, "server") + "; matched"), answer
    assert answer.first.endswith(": up on 8080")
    answer = person.call("open", name="server", text="echo no", timeout=20)
    refused(answer, "bash is in front in shared:server", "note: it was already open")
    more = {"answers": {"Go on": "yes"}, "until": "yes$"}
    answer = person.call("wait_ready", pane="shared:server", timeout=20, **more)
    assert "yes" in answer
    refused(person.call("open", name="other", until="x"), "'text'")


def test_what_an_own_window_prints_is_told_once_beside_other_answers(person):
    person.call("open", name="server", text="echo begun; cat", until="begun", timeout=20)
    tty = person.fact("pane_tty", "shared:server")
    is_verdict(person.call("run", text=f"echo Listening on 8080 > {tty}"), "ready (shell)")
    poll(lambda: "Listening" in person.screen("shared:server"), what="the line")
    answers = [person.call("run", text=f"echo {n}") for n in range(2)]
    told = [answer for answer in answers if "note: shared:server: Listening on 8080\n" in answer]
    assert len(told) <= 1 and answers[1].body == "1", answers
    assert "Listening on 8080" in person.call("wait_ready", pane="shared:server", timeout=1)


def test_open_and_close_leave_a_persons_line_and_place_and_list_tells_them(person):
    person.call("run", text="seq 200")
    person.person("half")
    person.see("half", "shared:main")
    person.person.scroll_back(9)
    before = person.screen("shared:main"), person.screen("shared:theirs")
    person.call("open", name="server")
    person.call("run", text="true", pane="shared:server")
    assert person.call("close", pane="shared:server") == "closed shared:server"
    assert (person.screen("shared:main"), person.screen("shared:theirs")) == before
    assert person.fact("scroll_position", "shared:main") == "9" and person.buffers() == ""
    row = person.call("list").split("\n")[1]
    assert row.endswith("ready (shell), a half-typed line 'half', scrolled back 9 lines"), row
    person.person("q")
    person.tmux("clock-mode", "-t", "=shared:main")
    assert person.call("list").split("\n")[1].endswith("'half', in a mode of tmux's")


def test_what_cannot_be_opened_is_an_error_and_callers_of_one_name_at_once_get_one_window(person, tmp_path):
    refused(person.call("open", name="theirs"), "theirs")
    nowhere = str(tmp_path / "nowhere")
    refused(person.call("open", name="server", directory=nowhere), "'directory'", "that exists")
    for name in ("", "a b", "a:b", "a.b", "é", "a;", "#{pane_id}", "x\ny", None):
        refused(person.call("open", name=name), "name")
    assert windows(person) == BEFORE
    calls = [[{"action": "open", "name": "server"}] for _ in range(4)]
    assert [answer.partition("\n")[0] for (answer,) in together(calls)] == [opened(person, "server")] * 4
    assert [row.split()[1] for row in windows(person)] == ["main", "theirs", "server"]


def test_open_in_a_directory_and_begin_in_one(person, tmp_path, monkeypatch):
    (place := tmp_path / "my work; é #(touch made)").mkdir()
    answer = person.call("open", name="server", directory=str(place))
    assert answer.startswith(f"opened shared:server in {place}; the person's"), answer
    answer = person.call("run", text="pwd", pane="shared:server")
    assert answer.endswith(f"\n{place}"), answer
    person.tmux("kill-server")
    monkeypatch.chdir(place)
    answer = person.call("run", text="pwd")
    assert answer.startswith("ready") and answer.endswith(f"\n{place}"), answer
    assert not [*tmp_path.rglob("made")]  # tmux expands what it gets as a directory


def test_open_names_the_directory_of_a_program_that_is_no_more(person):
    """As of one that has just been begun: the kernel knows no directory of it."""
    person.tmux("set-option", "-g", "remain-on-exit", "on")
    person.call("open", name="server")
    person.call("run", text="exec true", pane="shared:server", timeout=5)
    poll(lambda: person.fact("pane_dead", "shared:server") == "1", what="its end")
    assert person.fact("pane_current_path", "shared:server") == ""
    assert person.call("open", name="server").first == opened(person, "server")


# close


def test_keys_in_another_window_are_none_in_one_that_nobody_ever_saw(person):
    """Half a password may wait unseen only where a person has been."""
    asks = "sh -c \"printf 'Password: '; stty -echo; read x; stty echo; echo got \\$x\""
    with person.attach() as typist:
        answer = person.call("open", name="far", text=asks)
        assert answer.first.endswith(": Password:") and "needs password" in answer.first, answer
        asked = person.fact("session_activity")
        poll(lambda: typist("", "Enter") or person.fact("session_activity") != asked, what="a key of a later second")
        assert person.call("send", text="abc", pane="shared:far").body == "got abc"
        is_verdict(person.call("run", text=asks, pane="shared:far"), "needs password", "Password:")
        person.tmux("select-window", "-t", "=shared:far")
        typist("half")
        person.tmux("select-window", "-t", "=shared:main")
        refused(person.call("send", text="abc", pane="shared:far"), "someone typed before", "nothing was typed")


def test_close_ends_what_open_made_and_nothing_else(person):
    """Renamed by the person: the name is not what makes it the agent's."""
    for pane in ("shared:theirs", "shared:main", "shared", "%0", None):
        refused(person.call("close", pane=pane))
    person.call("open", name="server")
    person.tmux("select-window", "-t", "=shared:server")  # in which the person sits
    assert person.call("close", pane="shared:server") == "closed shared:server"
    assert [row.removesuffix(" *") for row in windows(person)] == ["0 main", "1 theirs"]
    assert person.call("read", pane="shared:server").startswith("error: there is no pane")
    person.tmux("rename-window", "-t", "=shared:theirs", "server")
    refused(person.call("close", pane="shared:server"))
    assert len(windows(person)) == 2


def test_close_ends_no_shell_that_the_person_has_moved_into_the_agents_window(person):
    person.call("open", name="server")
    person.tmux("swap-pane", "-d", "-s", "=shared:theirs", "-t", "=shared:server")
    person.call("read", pane="shared:server")
    refused(person.call("close", pane="shared:server"), "another pane is there", "nothing was closed")
    refused(person.call("close", pane="shared:theirs"), "not a window that open made")
    person.tmux("swap-pane", "-d", "-s", "=shared:theirs", "-t", "=shared:server")
    person.call("read", pane="shared:server")
    assert person.call("close", pane="shared:server") == "closed shared:server"


def test_close_refuses_while_something_runs(person):
    """A command, a job, another program in the shell's place."""
    person.call("open", name="server")
    person.call("run", text="sleep 1000", pane="shared:server", timeout=0)
    in_front(person, "sleep")
    refused(person.call("close", pane="shared:server"), "sleep", "interrupt")
    is_verdict(person.call("interrupt", pane="shared:server"), "ready (shell)")
    person.call("run", text="sleep 1000 &", pane="shared:server")
    poll(lambda: "sleep" in person.call("close", pane="shared:server"), what="the job's name")
    person.call("run", text="kill %1; exec sleep 1000", pane="shared:server", timeout=0)
    in_front(person, "sleep")
    refused(person.call("close", pane="shared:server"), "sleep is still running")


def test_close_leaves_a_window_that_the_person_has_split_or_has_typed_a_line_in(person):
    person.call("open", name="server")
    person.tmux("split-window", "-d", "-t", "=shared:server", "sleep 1000")
    refused(person.call("close", pane="shared:server.0"), "other panes")
    person.tmux("kill-pane", "-t", "=shared:server.1")
    person.tmux("select-window", "-t", "=shared:server")
    person.person("echo precious")
    poll(lambda: "precious" in person.call("read", pane="shared:server"), what="the typed line")
    answer = person.call("close", pane="shared:server")
    assert answer.startswith("error: a half-typed line is in shared:server: 'echo precious'")
    assert len(windows(person)) == 3
    person.call("keys", keys="C-u", pane="shared:server")
    assert person.call("close", pane="shared:server") == "closed shared:server"


# list


def test_list_counts_those_who_look_and_no_program(person):
    """Attached, or at the page; a stamp of a minute ago is nobody's."""
    for age, said in (60, ""), (1, ", somebody looks at the page"):
        person.tmux("set-option", "-g", PAGE, f"{time.time() - age:.0f}")
        assert person.call("list").first == f"2 panes, nobody attached{said}"
    person.tmux("set-option", "-gu", PAGE)
    with person.attached_program():
        assert person.call("list").first == "2 panes, nobody attached"
        person.attach()
        assert person.call("list").first == "2 panes, 1 person attached"
        person.attach()
        assert person.call("list").first == "2 panes, 2 people attached"


def test_list_without_a_server_says_how_to_begin(bare):
    begin = "use send, run or read to create the session shared"
    assert bare.call("list") == f"0 panes, nobody attached: {begin}"
    assert bare.tmux("list-sessions", check=False) == ""


def test_of_windows_with_one_name_none_is_taken(person):
    for _ in range(2):
        person.tmux("new-window", "-d", "-t", "=shared:", "-n", "build", "cat")
    answer = person.call("read", pane="shared:build")
    assert answer.startswith("error: there is no pane 'shared:build'; use")
    assert "shared:2.0 (%2)" in answer, answer


# the default pane


def test_the_default_is_what_the_person_looks_at_and_never_the_agents_own(person):
    """They look into it; the default is their last other one."""
    assert person.call("run", text="echo here").endswith("\nhere")
    person.tmux("select-window", "-t", "=shared:theirs")
    assert "the person looks at" in person.call("run", text="echo there").first
    assert person.call("run", text="echo there").endswith("\nthere")
    person.see("\nthere", "shared:theirs")
    assert "note:" not in person.call("run", text="echo again")
    person.tmux("split-window", "-t", "=shared:theirs", "bash --norc --noprofile")
    assert "the person looks at" in person.call("run", text="echo below").first
    assert person.call("run", text="echo below").endswith("\nbelow")
    panes = person.tmux("list-panes", "-t", "=shared:theirs", "-F", "#{pane_id}").split()
    assert "below" in person.tmux("capture-pane", "-p", "-t", panes[1])
    person.call("open", name="server")
    person.tmux("select-window", "-t", "=shared:theirs")
    person.call("wait_ready")
    person.tmux("select-window", "-t", "=shared:server")
    answer = person.call("run", text="echo theirs")
    assert answer.endswith("\ntheirs"), answer
    person.see("\ntheirs", "shared:theirs")
