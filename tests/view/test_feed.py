"""What is served: looks and keys, on a real tmux."""

import re
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from python.helpers.tmux.base import client
from python.helpers.tmux.base.client import tmux
from python.helpers.tmux.facts.look import PAGE
from python.helpers.tmux_view.served import feed, size
from python.helpers.tmux_view.served.feed import answer
from tests.conftest import DEADLINE, poll
from tests.support.killed import stopped
from tests.support.tables import Tables
from tests.support.terminal import SIGN

TABLES = Tables(__file__)

PROMPT = "bash-"  # bash --norc
LOOK = {"page": 1, "pane": "", "top": None, "have": 0}


class Page:
    """A page that has drawn what it was sent."""
    def __init__(self):
        self.wanted, self.top, self.size = "", None, None
        self.seen = self.wanted, self.top
        self.head: dict = {"say": "", "height": 0, "history": 0, "number": 0}

    @property
    def place(self) -> dict:
        if self.seen != (self.wanted, self.top):
            self.seen = self.wanted, self.top
            self.head["number"] = 0
        return {"page": id(self), "pane": self.wanted, "top": self.top, "have": self.head["number"]}

    def look(self) -> dict:
        return self.came(answer(None, "tmux_look", {**self.place, "size": self.size}))

    def came(self, frame: dict) -> dict:
        """Its rows, as terminal.js takes them."""
        shown, head = self.head, {**self.head, **frame}
        up = int(head["history"]) - int(shown["history"])
        rows = {at: shown[at] for at in range(int(shown["height"]))}
        for at in range(int(head["height"])):
            old = rows.get(at + up, rows.get(at, []))
            head[at] = [self.run(old, *each) for each in enumerate(frame[at])] if at in frame else old
        self.head = head
        return frame

    @staticmethod
    def run(old: list, at: int, came) -> list:
        return [came, *old[at][1:]] if isinstance(came, str) else came

    @property
    def text(self) -> str:
        rows = [self.head[at] for at in range(int(self.head["height"]))]
        return "\n".join("".join(run[0] for run in row) for row in rows)

    def until(self, condition, what: str) -> None:
        def seen() -> bool:
            self.look()
            return condition()

        if not condition():
            poll(seen, what=lambda: f"{what} in: {self.head['say']}\n{self.text}")

    def see(self, text: str) -> None:
        self.until(lambda: text in self.text or text in self.head["say"], text)

    def live(self) -> None:
        self.until(lambda: not self.head["say"], "live")

    def type(self, *items: tuple) -> dict:
        """Without what it draws."""
        return answer(None, "tmux_type", {"pane": self.head["pane"], "items": items})

    def press(self, *items: tuple) -> dict:
        return self.came(answer(None, "tmux_type", {"pane": self.head["pane"], "items": items, "look": self.place}))

    def line(self, text: str) -> None:
        assert self.type(("text", text), ("key", "Enter")) == {}


@pytest.fixture
def blank(monkeypatch):
    """A page that has not looked yet."""
    monkeypatch.setattr(feed, "_LONGEST_WAIT", 0.3)
    monkeypatch.setattr(feed, "_pages", {})
    monkeypatch.setattr(feed, "_marked", 0.0)
    monkeypatch.setattr(size, "_fitted", {})
    return Page()


@pytest.fixture
def page(terminal, blank):
    # tmux renames a window on its own while its program starts: that is news, too.
    terminal.tmux("rename-window", "-t", "=shared:", "work")
    blank.see(PROMPT)
    return blank


def clients(terminal) -> str:
    return terminal.tmux("list-clients", "-F", "#{client_control_mode}", check=False)


def test_a_letter_brings_one_row_and_every_bundle_leaves_another_stamp(page, terminal):
    page.type(("text", "x"))
    while f"{SIGN} x" not in page.text:
        assert page.look().keys() <= {"x", 0, "number"}
    stamps = []
    for letter in "abc":
        page.type(("text", letter))
        stamps.append(int(terminal.fact("@tmux_tool_person")))
    assert sorted(set(stamps)) == stamps


def test_what_is_typed_is_in_the_same_answer(terminal, page):
    for letter in "abcdef":
        came = page.press(("text", letter))
        assert came.keys() <= {"x", 0, "number"} and came["x"] == page.head["x"], came
    assert page.text.startswith(f"{page.text.split()[0]} abcdef")
    terminal.tmux("new-window", "-d", "-t", "=shared:", "stty -echo; echo here; cat")
    page.wanted = "shared:1"
    page.see("here")
    assert page.press(("text", "hush")).keys() <= {"number"}  # at once, though nothing is drawn


def test_a_letter_for_a_pane_that_has_ended_is_refused_and_one_whose_page_asks_anew_is_typed(page, monkeypatch):
    typed = {"pane": "%99", "items": [("text", "x")], "look": page.place}
    assert answer(None, "tmux_type", typed) == {"refused": "tmux: can't find pane: %99"}
    page.wanted = "gone"  # the session's is shown instead
    assert "refused" not in page.press(("text", "a"))
    page.see(f"{SIGN} a")
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(feed, "bytes_read", lambda server: feed._begun(id(page), 0) and None)
        page.press(("text", "b"))
    page.see(f"{SIGN} ab")


def test_a_letter_and_its_look_are_one_call(page, monkeypatch):
    calls, start = [], client._start
    monkeypatch.setattr(client, "_start", lambda *words: calls.append(words) or start(*words))
    for letter in "abcdefghij":
        page.press(("text", letter))
    page.see("abcdefghij")
    assert len(calls) < 20, calls


def test_tmux_keeps_no_memory_of_a_key(page, terminal):
    def kept() -> int:
        return int(re.findall(r"RssAnon:\s+(\d+)", Path(f"/proc/{terminal.fact('pid')}/status").read_text())[0])

    page.line("cat > /dev/null; stty -echo")
    for count in range(500):
        if count == 100:
            before = kept()
        page.type(("text", "x"))
    assert kept() - before < 400, "kB, of 400 keys"  # with if-shell 2 kB each, before tmux 3.7


def test_output_that_scrolls_brings_the_new_rows_alone(terminal, page):
    page.line("seq 300")
    page.see("\n300\n")
    while page.look():
        pass
    page.line("echo o''k")
    rows = set()
    while "\nok\n" not in page.text:
        rows |= {at for at in page.look() if isinstance(at, int)}
    assert len(rows) <= 4 and page.text == terminal.screen().rstrip("\n")


def test_a_frame_whose_answer_was_lost_comes_whole(page):
    page.line("echo o''k")
    before = page.place
    while "ok" not in str(answer(None, "tmux_look", before)):
        pass
    page.see("\nok\n")


def test_keys_and_pastes_stay_in_order_and_text_arrives_byte_for_byte(terminal, page, tmp_path):
    page.line("cat > /dev/null")
    poll(lambda: terminal.fact("pane_current_command") == "cat")
    page.type(("paste", "a\nb\n"), ("text", "c"), ("key", "Enter"))
    page.type(("paste", "d\n"), ("text", "e\x04\x04"))
    page.see("\na\nb\nc\nd\ne")
    assert terminal.buffers() == ""
    file = tmp_path / "came"
    page.line(f"stty raw; cat > {file}")
    poll(lambda: terminal.fact("pane_current_command") == "cat")
    text = "".join(map(chr, range(1, 127))) + "é日👍; ' \" \\ $x #{pane_id} " + "y" * 300
    page.type(("text", text), ("key", "Enter"))
    poll(lambda: file.exists() and len(file.read_bytes()) > len(text.encode()))
    assert file.read_bytes() == text.encode() + b"\r"


def test_keys_leave_a_scrolled_back_view_and_reading_the_history_moves_none(terminal, page):
    terminal.tmux("copy-mode", "-t", "=shared:")
    page.type(("text", "echo o''k"), ("key", "Enter"))
    page.see("\nok\n")
    assert terminal.fact("pane_in_mode") == "0"
    page.line("seq 200")
    page.see("\n200\n")
    page.top = 10
    page.look()
    first = page.text.split("\n")[0]
    assert first.isdigit() and int(first) < 12
    assert terminal.fact("pane_in_mode") == "0"
    page.line("seq 201 230")
    terminal.see("230")
    page.look()
    assert page.text.split("\n")[0] == first


def test_windows_are_chosen_and_a_closed_one_falls_back(terminal, page):
    terminal.tmux("new-window", "-d", "-t", "=shared:", "-n", "build", "cat")
    page.until(lambda: len(page.head["panes"]) == 2, "two panes")
    page.wanted = "shared:build"
    page.look()
    page.type(("text", "there"), ("key", "Enter"))
    page.see("there\nthere")
    assert "there" not in terminal.screen()
    assert terminal.fact("window_index") == "0"
    old = page.head["pane"]
    terminal.tmux("kill-window", "-t", "=shared:=build")
    page.see(PROMPT)
    assert page.head["pane"] != old
    page.head["pane"] = old
    assert page.type(("text", "x")) == {"refused": f"tmux: can't find pane: {old}"}


def test_panes_are_distinguished_and_found_by_every_target(terminal, page):
    terminal.tmux("new-window", "-d", "-t", "=shared:", "-n", "a b, c}", "cat")
    terminal.tmux("split-window", "-d", "-t", "=shared:1", "cat")
    terminal.tmux("new-session", "-d", "-s", "other", "-n", "x", "cat")
    page.until(lambda: len(page.head["panes"]) == 4, "all panes")
    labels = {label: id for id, label in page.head["panes"]}
    name = terminal.fact("window_name", "shared:1")
    targets = {
        "shared:0 work": ["shared", "=shared:", "shared:0.0", "gone"],
        f"shared:1.0 {name}": ["shared:1", f"shared:{name}"], f"shared:1.1 {name}": ["shared:1.1"],
        "other:0 x": ["other", "other:x", labels["other:0 x"]]}
    assert labels.keys() == targets.keys()
    for label, target in ((label, target) for label, some in targets.items() for target in some):
        assert answer(None, "tmux_look", LOOK | {"pane": target})["pane"] == labels[label], target
    terminal.tmux("rename-window", "-t", "=shared:1", "a\tb", check=False)  # 3.8 refuses it
    renamed = lambda: [label[:12] for id, label in page.head["panes"] if id == "%1"]  # noqa: E731
    page.until(lambda: renamed() == ["shared:1.0 a"], "the new name")


def test_a_page_changes_the_windows_size_only_if_it_gives_its_own_while_nobody_is_attached(terminal, page):
    size_now = lambda: (terminal.fact("window_width"), terminal.fact("window_height"))  # noqa: E731
    before = size_now()
    page.type(("text", "x"))
    assert size_now() == before
    page.size = (70, 20)
    page.until(lambda: (page.head["width"], page.head["height"]) == ("70", "20"), "its size")
    assert terminal.tmux("show-options", "-wv", "-t", "=shared:", "window-size") == ""
    page.size = None
    size._take_back(0.0)
    assert size_now() == before
    terminal.attach()
    poll(lambda: "0" in clients(terminal))
    before, page.size = size_now(), (70, 20)
    for _ in range(3):
        page.look()
    assert size_now() == before
    size._take_back(0.0)
    assert size_now() == before
    terminal.tmux("resize-window", "-t", "=shared:", "-x", "90", "-y", "20")
    page.until(lambda: (page.head["width"], page.head["height"]) == ("90", "20"), "the new size")


def test_a_screen_that_imitates_what_is_read_is_text_and_so_is_a_line_like_tmuxs_own(terminal, page):
    """Its first line ends where a frame's head does."""
    page.line("clear; printf '\\n\\n%%1\\tshared:7 x\\n\\n<script>alert(1)</script>\\n'")
    page.see("\n\n<script>alert(1)</script>\n")
    assert (page.head["say"], len(page.head["panes"])) == ("", 1)
    page.line("echo %abc; %if")
    page.see("\n%abc\n")


def test_no_client_stays_two_pages_see_the_same_and_the_agents_calls_are_told_that_somebody_looks(terminal, page):
    other = Page()
    other.see(PROMPT)
    page.type(("text", "x"))
    other.see(f"{SIGN} x")
    assert clients(terminal) == ""
    poll(lambda: page.look() is None or terminal.fact(PAGE), what="the mark")
    assert abs(int(terminal.fact(PAGE)) - time.time()) < DEADLINE


def test_the_kernel_shows_when_to_look(page, monkeypatch):
    calls = []
    monkeypatch.setattr(feed, "_CALM", 1000)
    monkeypatch.setattr(feed, "_LONGEST_WAIT", 1000)
    monkeypatch.setattr(feed, "tmux", lambda *words, **more: calls.append(words) or tmux(*words, **more))
    threading.Timer(1.0, page.line, ["echo $((6*7))"]).start()
    page.see("\n42\n")
    assert len(calls) < 20


def test_what_draws_all_the_time_is_looked_at_some_times_a_second_while_nobody_types(page, monkeypatch):
    page.line("while printf '\\r%s' $((i++)); do sleep 0.01; done")
    page.until(lambda: re.search(r"^\d+$", page.text, re.M), "a number")
    monkeypatch.setattr(feed, "_typed", -feed._TYPES)
    page.look()
    began = time.monotonic()
    assert all(page.look()["number"] for _ in range(4))
    assert time.monotonic() - began > 3 * feed._REST


def test_without_the_kernels_counter_it_polls(page, monkeypatch):
    monkeypatch.setattr(feed, "bytes_read", lambda server: None)
    page.line("echo $((6*7))")
    page.see("\n42\n")


def test_a_pages_new_request_ends_its_old_one(page, monkeypatch):
    monkeypatch.setattr(feed, "_LONGEST_WAIT", 60.0)
    came = []
    known = feed._pages[id(page)]
    waits = threading.Thread(target=lambda: came.append(page.look()))
    waits.start()
    poll(lambda: feed._pages[id(page)] is not known)
    # of a page that shows nothing: at once
    answer(None, "tmux_look", LOOK | {"page": id(page)})
    waits.join(20)
    assert came == [{}]


def test_what_an_old_request_finds_is_not_taken_for_what_the_page_shows(page, monkeypatch):
    """The page has thrown it away: rows and windows would be missing."""
    seen = feed._seen

    def meanwhile(*where):
        feed._begun(id(page), False)  # the next request comes
        return seen(*where)

    page.line("echo o''k")
    page.see("\nok\n")
    page.line("echo $((6*7))")
    monkeypatch.setattr(feed, "_seen", meanwhile)
    page.look()
    assert feed._pages[id(page)] == {}


def test_no_session_then_one(bare, blank):
    blank.look()
    assert blank.head["say"].startswith("There is no session shared.")
    assert answer(None, "tmux_type", {"pane": "%0", "items": [("text", "x")]})["refused"]
    bare.start()
    blank.see(PROMPT)
    assert blank.head["say"] == ""


def test_a_page_starts_the_session(bare, blank):
    opens = LOOK | {"start": True}
    assert "no session" in answer({"view": "look"}, "tmux_look", opens)["say"]
    assert answer({"width": 90}, "tmux_look", opens)["width"] == "90"
    blank.see(SIGN)
    assert answer({"width": 70}, "tmux_look", opens)["width"] == "90"  # the same one


def test_nothing_that_is_typed_stands_in_tmuxs_message_log(terminal, page):
    terminal.attach()
    page.type(("text", "-hush; #{x}"), ("key", "Enter"), ("paste", "hush-paste"))
    page.see("-hush; #{x}")
    page.see("hush-paste")
    shown = terminal.tmux("show-messages")
    assert "send-keys" in shown and "hush" not in shown


def test_of_two_pages_the_size_is_that_of_the_last_in_which_somebody_typed(page):
    other = Page()
    page.size, other.size = (70, 20), (90, 25)
    page.until(lambda: page.head["width"] == "70", "its size")
    why = "another page has another size: Fit"
    other.until(lambda: other.head.get("fits") == why, "why it does not fit")
    for _ in range(4):  # it does not fight for it
        other.look()
    assert other.head["width"] == "70"
    typed = {"pane": other.head["pane"], "items": [("text", "x")], "owns": id(other)}
    assert answer(None, "tmux_type", typed) == {}
    other.until(lambda: other.head["width"] == "90", "its size")
    page.until(lambda: "another page" in page.head["fits"], "why it does not fit")
    assert page.head["width"] == "90"


def test_a_page_that_is_closed_leaves_the_size_to_the_next(page, monkeypatch):
    other = Page()
    page.size, other.size = (70, 20), (90, 25)
    page.until(lambda: page.head["width"] == "70", "its size")
    monkeypatch.setattr(size, "_AWAY", 0.0)
    other.until(lambda: other.head.get("width") == "90", "its size")


def test_rows_are_found_by_a_text_in_any_case_and_a_window_is_opened_beside_what_is_attached(terminal, page):
    page.line("for n in $(seq 300); do echo Row$n; done")
    page.see("Row300\n")
    page.top = answer(None, "tmux_find", {"pane": page.head["pane"], "text": "rOW77"})["rows"][0] - 1
    page.look()
    assert page.text.split("\n")[:2] == ["Row76", "Row77"]
    opened = answer(None, "tmux_open", {})["pane"]
    assert terminal.tmux("display-message", "-p", "-t", opened, "#{window_index}").strip() == "1"
    assert terminal.fact("window_index") == "0"
    assert answer({"view": "look"}, "tmux_open", {})["refused"]


def begun(terminal) -> bool:
    """Whether a session begins. A server that is just ending takes a new one with it."""
    with suppress(AssertionError):
        terminal.start()
        return True
    return False


def test_a_session_that_ends_beside_another(terminal, page):
    terminal.start(session="other")
    terminal.tmux("kill-session", "-t", "=shared")
    page.see("There is no session shared")
    assert clients(terminal) == ""


def test_a_server_that_does_not_answer_then_is_killed_and_a_new_one(terminal, page):
    with stopped(terminal.fact("pid")):
        page.see("did not answer")
    page.live()
    terminal.tmux("kill-server")
    page.see("There is no session shared")
    poll(lambda: begun(terminal), what="a new server")
    page.live()
    page.type(("text", "echo a''gain"), ("key", "Enter"))
    page.see("\nagain")


def test_no_tmux(bare, blank):
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("PATH", "/nowhere")
        blank.look()
    assert blank.head["say"].startswith("tmux is not installed; install it: apt-get")


def test_a_session_that_would_end_with_its_last_client_stays(terminal, blank):
    terminal.tmux("new-session", "-d", "-s", "other")  # keeps the server
    terminal.attach()
    terminal.tmux("set-option", "-t", "=shared:", "destroy-unattached", "on")
    blank.see(PROMPT)
    blank.line("echo $((6*7))")
    blank.see("\n42\n")
    assert clients(terminal) == "0\n"


def test_an_ended_program_is_reported(terminal, page):
    terminal.tmux("set-option", "-g", "remain-on-exit", "on")
    page.type(("text", "exit"), ("key", "Enter"))
    page.see("the program in this pane has ended")


@TABLES.rows("view, event, why", of="SETTINGS")
def test_what_the_setting_allows(view, event, why):
    assert why in answer({"view": view}, event, {"pane": "", "items": []})["refused"]


def test_a_value_of_a_wrong_type_is_refused(terminal, monkeypatch):
    monkeypatch.setattr(feed, "_pages", {})
    for name, (event, data) in TABLES["WRONG"].items():
        data = LOOK | data if "of another type" in name else data
        assert "not understood" in answer(None, event, data)["refused"], name


# text typed in a view is the person's: whole answers to the agent's calls meanwhile


SECRET = "correct horse"


def settled(answer: str) -> str:
    return re.sub(r" after \d+\.\d\ds", "", answer)


def test_what_two_pages_type_at_the_same_time_gets_to_the_pane_of_each(terminal, page):
    other = terminal.tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", "=shared:", "bash --norc").strip()
    panes = {page.head["pane"]: "x", other: "y"}

    def types(pane: str, letter: str) -> None:
        for _ in range(30):
            answer(None, "tmux_type", {"pane": pane, "items": [("text", letter)]})

    threads = [threading.Thread(target=types, args=each) for each in panes.items()]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for pane, letter in panes.items():
        poll(lambda pane=pane, letter=letter: f" {letter * 30}\n" in terminal.tmux("capture-pane", "-p", "-t", pane))
    assert "tmux-tool" not in terminal.tmux("list-buffers")


def test_a_question_answered_there_and_a_password_that_is_in_no_answer(terminal, page):
    asked = terminal.call("run", text="read -p 'Continue? [y/N] ' x; echo got $x")
    assert settled(asked).startswith("needs input: Continue? [y/N]")
    page.line("y")
    page.see("\ngot y")
    answer = terminal.call("wait_ready")
    assert settled(answer).startswith("ready (shell)") and answer.endswith("\ngot y")
    answers = [terminal.call("run", text="read -s -p 'Password: ' x; echo; echo ${#x} characters")]
    assert settled(answers[0]).startswith("needs password: Password:")
    page.line(SECRET)
    page.see("13 characters")
    answers += [terminal.call("wait_ready"), terminal.call("read"), terminal.call("list")]
    assert settled(answers[1]).startswith("ready (shell)")
    assert not [answer for answer in answers if SECRET in answer]


def test_neither_type_ahead_nor_a_half_typed_line_is_touched(terminal, page):
    terminal.call("send", text="sleep 1", timeout=0)
    page.type(("text", "mine"))
    assert terminal.call("wait_ready").startswith("ready")
    page.see(f"{SIGN} mine")
    answer = terminal.call("run", text="echo no")
    assert answer.startswith("error: ") and "mine" in answer
    page.type(("key", "C-u"), ("text", "git commit -m 'half"))
    page.see("half")
    answer = terminal.call("run", text="echo no")
    assert answer.startswith("error: ") and "git commit -m 'half" in answer
    assert answer.endswith("nothing was typed")
    assert "echo no" not in terminal.screen()
