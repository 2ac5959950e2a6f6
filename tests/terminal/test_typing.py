"""`send`: the whole text arrives, and nothing else; receipts, and answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from python.helpers.tmux.actions import Stopped
from python.helpers.tmux.facts.pane import Pane
from tests.conftest import poll
from tests.support.examples import examples
from tests.support.reader import Reader, as_typed
from tests.support.tables import Tables

TABLES = Tables(__file__)

HARD = [
    *TABLES["HARD"], *("x" * 160, "y" * 4095, "z" * 4096, "w" * 20_000), ("é漢👍" * 40_000)[:100_000],
    "\n".join(f"line {n} of many; with #{{it}} and \\" for n in range(400)),
]


def names(text: str) -> str:
    return f"{text[:24]!r}{f'… {len(text)}' if len(text) > 24 else ''}"


FRAGMENTS = st.sampled_from([text for text in HARD if 0 < len(text) < 40])
LETTERS = st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n\t;\\#${}'\"`-~ \x20%^&*!?")
TEXTS = st.lists(FRAGMENTS | st.text(LETTERS, max_size=30), min_size=1, max_size=8).map("".join).filter(bool)


# byte for byte


def test_every_hard_text_arrives_byte_for_byte(bare, reader):
    for text in HARD:
        answer = bare.call("send", text=text, enter=False)
        assert answer.startswith("sent to shared without Enter"), (names(text), answer)
        reader.expect(as_typed(text), text)
    reader.nothing_more()


def as_block(text: str) -> bytes:
    """What a program that asks for bracketed paste gets: a line is typed, more goes as a block."""
    typed = as_typed(text)
    return b"\x1b[200~" + typed + b"\x1b[201~" if set(text) & set("\n\t") else typed


ARRIVING = pytest.mark.parametrize(
    "options, arriving", [([], as_typed), (["--brackets"], as_block)], ids=["typed", "pasted"]
)


@ARRIVING
def test_random_texts_arrive_byte_for_byte(bare, tmp_path, options, arriving):
    reader = Reader(bare, tmp_path / "typed", *options).start()

    @examples(30)
    @given(TEXTS)
    def arrives(text):
        answer = bare.call("send", text=text, enter=False)
        assert answer.startswith("sent"), answer
        reader.expect(arriving(text), text)

    arrives()
    reader.nothing_more()


ENTERED = ["", " ", "a\\;", "-l", "👍" * 5000, "a\n", "one\r\ntwo", "one\rtwo", "a\tb"]
ENTERED.append("\n".join(["x" * 900] * 12))


@ARRIVING
def test_enter_comes_once_after_a_text_and_outside_of_a_block(bare, tmp_path, options, arriving):
    """The empty text is Enter alone."""
    reader = Reader(bare, tmp_path / "typed", *options).start()
    for text in ENTERED:
        several = len(text.splitlines()) > 2  # where they go one by one, each is waited for
        answer = bare.call("send", text=text, timeout=30 if several else 0)
        assert answer.startswith("needs key" if several else "sent "), (names(text), answer)
        reader.expect(arriving(text.replace("\r\n", "\n").replace("\r", "\n")) + b"\r", text)
    reader.nothing_more()


# a program that reads whole lines


ANSWERED = "needs input after "  # cat has taken the line and reads the next one


def test_the_longest_line_that_the_kernel_keeps_and_many_arrive_whole_and_a_longer_one_is_refused(bare, tmp_path):
    """Its parts are counted together."""
    out = tmp_path / "lines"
    bare.start(f"sh -c 'cat > {out}; sleep 1000'")
    poll(lambda: bare.call("wait_ready", timeout=5).startswith("needs input"), what="cat")
    for text in ("x" * 4096, "é" * 2048, "short\n" + "y" * 5000 + "\nshort"):
        answer = bare.call("send", text=text)
        assert answer.startswith("error: "), names(text)
        assert all(part in answer for part in ("4095", "nothing was typed", "'text'")), answer
    assert bare.call("send", text="x" * 4095).startswith(ANSWERED)
    assert bare.call("send", text="x" * 3000, enter=False).startswith("sent")
    assert bare.call("send", text="y" * 3000).startswith("error: ")
    assert bare.call("send", text="z" * 1000).startswith(ANSWERED)
    wanted = "x" * 4095 + "\n" + "x" * 3000 + "z" * 1000 + "\n"
    poll(lambda: out.read_text() == wanted, what="the longest line, and both parts")
    lines = "\n".join(f"{n:03} " + "é" * 1500 for n in range(20))
    assert bare.call("send", text=lines, timeout=100).startswith(ANSWERED)
    poll(lambda: out.read_text() == wanted + lines + "\n", what="60 KB in lines")


def test_nothing_is_left_in_the_persons_clipboard(terminal):
    terminal.tmux("set-buffer", "the person's own")
    for text in ["one", "a\nb", ""]:
        terminal.call("send", text=text)
    terminal.call("keys", keys=["C-c"])
    assert terminal.buffers().splitlines() == ['buffer0: 16 bytes: "the person\'s own"']


# the person is there too


def test_what_is_typed_and_pressed_bypasses_a_person_who_scrolls_back(terminal, tmp_path):
    """They go on seeing the same lines: new ones come below."""
    terminal.call("send", text="seq 200")
    terminal.see("\n200")
    terminal.person.scroll_back(50)
    line, block, plain = tmp_path / "line", tmp_path / "block", tmp_path / "plain"
    assert terminal.call("send", text=f"echo x >> {line}").startswith("ready (shell)")
    assert terminal.call("keys", keys=["Up", "Enter"]).startswith("ready (shell)")
    assert line.read_text() == "x\nx\n"
    terminal.call("send", text=f"cat > {block} <<'X'\n\tq\nX")
    assert block.read_text() == "\tq\n"
    terminal.call("send", text=f"touch {plain} q", enter=False)
    answer = terminal.call("keys", keys=["BSpace", "C-h", "Enter"])
    assert answer.startswith("ready (shell)") and "note:" not in answer, answer
    assert plain.exists() and terminal.fact("pane_in_mode") == "1"
    assert int(terminal.fact("scroll_position")) >= 50


def test_synchronized_panes_do_not_get_what_was_sent_to_one(bare, tmp_path):
    first = Reader(bare, tmp_path / "first").start()
    second = Reader(bare, tmp_path / "second")
    bare.tmux("split-window", "-d", "-t", "=shared:", second.command)
    second.wait()
    bare.tmux("set-option", "-w", "-t", "=shared:", "synchronize-panes", "on")
    bare.call("send", text="only here", pane="shared:0.0", timeout=0)
    first.expect(b"only here\r")
    bare.call("keys", keys="C-c y", pane="shared:0.0", timeout=0)
    first.expect(b"\x03y")
    bare.call("keys", keys="Up", pane="shared:0.0", timeout=0)
    first.expect(b"\x1b[A")
    bare.tmux("set-option", "-w", "-t", "=shared:", "synchronize-panes", "off")
    second.nothing_more("shared:0.1")


# a caller that ends in the middle


def test_a_caller_that_ends_between_text_and_enter_leaves_a_text_that_is_its_own(terminal):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pane, "look_and_enter", ends)
        with pytest.raises(Stopped):
            terminal.run("echo half")
    poll(lambda: "echo half" in terminal.screen(), what="the text")
    assert terminal.run("true").startswith("error: a half-typed line is at the prompt, your own: 'echo half'")
    assert terminal.call("send", text="; echo whole", timeout=10).body == "half\nwhole"


def test_a_command_that_somebody_else_enters_is_no_error_and_is_not_typed_again(terminal):
    """Their Enter comes between text and Enter; what it runs reads raw keys, and must get none."""
    log, script, look_and_enter = terminal.folder / "log", terminal.folder / "reads", Pane.look_and_enter
    script.write_text(f'echo a >> {log}; read -t 1 -rsn 99 keys; printf "%s" "$keys" >> {log}')
    person = terminal.person  # attaches

    def enters(pane, enter_if, data="", type_if="0"):
        if not data:
            return look_and_enter(pane, enter_if)
        assert pane.type(data, type_if)
        person.press("Enter")
        poll(log.exists, what=terminal.screen)
        return pane.look(), True, False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pane, "look_and_enter", enters)
        answer = terminal.run(f"bash {script}")
    assert "note: someone typed at the same moment" in answer and not answer.startswith("error"), answer
    poll(lambda: terminal.call("wait_ready").startswith("ready"), what="the end")
    assert log.read_text() == "a\n"


def ends(pane, enter_if, data="", type_if="0"):
    pane.type(data, type_if)
    raise Stopped
