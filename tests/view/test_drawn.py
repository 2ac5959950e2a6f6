"""What is drawn: rows of tmux made into runs, what differs between frames, what may be typed."""

import random

import pytest

from python.helpers.tmux.terminal.client import Kind, TmuxError
from python.helpers.tmux_view.drawn.frame import Frame, screen, sentence
from python.helpers.tmux_view.drawn.keys import PERSON, Refused, commands
from python.helpers.tmux_view.drawn.panes import chosen, parsed
from python.helpers.tmux_view.drawn.styles import Style, coloured, drawn
from python.helpers.tmux_view.served.control import printed, written

RED, GREEN = "#cc4b4b", "#6fae54"
INK, PAPER = "var(--ink)", "var(--paper)"
ROWS = {
    "plain text": ("ls -l", [["ls -l"]]),
    "an empty row": ("", []),
    "blanks at the end": ("ls  ", [["ls"]]),
    "only blanks": ("   ", []),
    "blanks at the end that are seen": ("ls\x1b[41m  ", [["ls"], ["  ", "", RED]]),
    "red": ("a\x1b[31mb\x1b[39mc", [["a"], ["b", RED], ["c"]]),
    "bright green": ("\x1b[92mb", [["b", "#98d070"]]),
    "on red": ("\x1b[41m \x1b[49m", [[" ", "", RED]]),
    "on bright red": ("\x1b[101mx", [["x", "", "#f0716f"]]),
    "of 256 colours: a base colour": ("\x1b[38;5;2mx", [["x", GREEN]]),
    "of 256 colours: the cube": ("\x1b[38;5;196mx", [["x", "#ff0000"]]),
    "of 256 colours: the last grey": ("\x1b[48;5;255mx", [["x", "", "#eeeeee"]]),
    "true colour": ("\x1b[38;2;1;2;255mx", [["x", "#0102ff"]]),
    "an underline's colour is not drawn": ("\x1b[4:3;58;2;1;2;3mx", [["x", "", "", "u"]]),
    "all flags": ("\x1b[1;2;3;4;9;53mx", [["x", "", "", "bdiuso"]]),
    "blinking is not drawn": ("\x1b[5mx", [["x"]]),
    "reset": ("\x1b[1;31mx\x1b[0my", [["x", RED, "", "b"], ["y"]]),
    "a sequence without parameters resets": ("\x1b[1mx\x1b[my", [["x", "", "", "b"], ["y"]]),
    "reverse": ("\x1b[7mx", [["x", PAPER, INK]]),
    "reverse of red": ("\x1b[7;31mx", [["x", PAPER, RED]]),
    "reverse on green": ("\x1b[7;42mx", [["x", GREEN, INK]]),
    "hidden": ("\x1b[8mx", [["x", PAPER]]),
    "hidden on red": ("\x1b[8;41mx", [["x", RED, RED]]),
    "wide characters": ("a日本b", [["a"], ["日", "", "", "", 2], ["本", "", "", "", 2], ["b"]]),
    "an emoji": ("👍|", [["👍", "", "", "", 2], ["|"]]),
    "a family is one": ("👨\u200d👩\u200d👧|", [["👨\u200d👩\u200d👧", "", "", "", 2], ["|"]]),
    "an emoji's style mark": ("❤\ufe0fx", [["❤\ufe0f", "", "", "", 1], ["x"]]),
    "combining": ("e\u0301x", [["e\u0301x"]]),
    "combining with a wide one": ("か\u3099x", [["か\u3099", "", "", "", 2], ["x"]]),
    "a narrow one that few fonts have": ("✓ x", [["✓", "", "", "", 1], [" x"]]),
    "a box": ("┌─┐█", [["┌─┐█"]]),
    "line drawing": ("\x0elqk\x0fq", [["┌─┐"], ["q"]]),
    "line drawing in red": ("\x1b[31m\x0eq\x1b[39mx\x0f", [["─", RED], ["│"]]),
    "a link": ("\x1b]8;id=1;http://x/\x1b\\here\x1b]8;;\x1b\\ x", [["here"], [" x"]]),
    "a tab": ("ab\tc", [["ab      c"]]),
    "a tab behind a wide character": ("日\tc", [["日", "", "", "", 2], ["      c"]]),
    "a tab behind colours": ("\x1b[31mab\x1b[39m\tc", [["ab", RED], ["      c"]]),
    "HTML is text": ("<b onclick=x>&amp;", [["<b onclick=x>&amp;"]]),
    "control characters are none": ("a\x07\x9bb\x7f", [["a"], ["b"]]),
}


@pytest.mark.parametrize("row, runs", ROWS.values(), ids=ROWS)
def test_a_row(row, runs):
    assert drawn([row], False) == [runs]


JOINED = {
    "a style mark makes two cells": ("⚠\ufe0f|", [["⚠\ufe0f", "", "", "", 2], ["|"]]),
    "a skin is no cell": ("👍🏽|", [["👍🏽", "", "", "", 2], ["|"]]),
    "a mark behind a letter": ("a\ufe0f|", [["a\ufe0f"], ["|"]]),
}


@pytest.mark.parametrize("row, runs", JOINED.values(), ids=JOINED)
def test_a_row_of_a_newer_tmux(row, runs):
    assert drawn([row], True) == [runs]


def test_colours_go_on_in_the_next_row():
    assert drawn(["\x1b[31ma", "b\x1b[39mc"], False) == [[["a", RED]], [["b", RED], ["c"]]]
    assert drawn(["\x0eq", "q\x0fq"], False) == [[["─"]], [["─"], ["q"]]]


def test_no_parameters_break_it():
    chance = random.Random(7)
    for _ in range(3000):
        parameters = "".join(chance.choices("0123456789;:", k=chance.randrange(20)))
        coloured(Style(), parameters)


# frames

NUMBERS = {"width": 80, "height": 3, "x": 0, "y": 0, "cursor": 1, "history": 0, "dead": 0, "brackets": ""}
WINDOW = ["%1", "shared:0 bash", "shared", "shared:0", "shared:bash", "shared:0.0", "shared:bash.0"]


def listed(*texts: str, **numbers) -> str:
    """A line of list-panes."""
    return "\t".join(map(str, [*(NUMBERS | numbers).values(), *(texts or WINDOW)]))


def frame(rows: list[str], **numbers) -> Frame:
    panes = parsed([listed(**numbers)])
    return screen(panes[0], panes, rows, 0)


def test_a_page_without_a_frame_gets_all():
    assert frame(["a", "b"], x=4).since(None) == {
        "say": "",
        "pane": "%1",
        "size": [80, 3],
        "cursor": [4, 0],
        "history": 0,
        "top": None,
        "brackets": False,
        "panes": [["%1", "shared:0 bash"]],
        "rows": {0: [["a"]], 1: [["b"]], 2: []},
    }


def test_a_typed_letter_is_one_row_and_the_cursor():
    old, new = frame(["$ ", "b"], x=2), frame(["$ x", "b"], x=3)
    assert new.since(old) == {"cursor": [3, 0], "rows": {0: [["$ x"]]}}


def test_nothing_new_is_nothing():
    assert frame(["a"]).since(frame(["a"])) == {}


def test_a_larger_screen_brings_its_new_rows():
    changed = frame(["a"], height=4).since(frame(["a"]))
    assert changed == {"size": [80, 4], "rows": {3: []}}


def test_a_hidden_cursor_is_told():
    assert frame([], cursor=0).since(frame([])) == {"cursor": None}


def test_after_a_sentence_all_is_told_again():
    assert frame(["a"], cursor=0).since(sentence("gone")).keys() == frame([]).since(None).keys()
    assert sentence("gone").since(frame(["a"])) == {"say": "gone"}


def test_above_the_screen_there_is_no_cursor():
    panes = parsed([listed(history=10)])
    shown = screen(panes[0], panes, ["old"], 4)
    assert (shown.head["cursor"], shown.head["top"]) == (None, 6)


# panes

THREE = parsed(
    [
        listed(),
        listed("%2", "shared:1.0 a b", "", "shared:1", "shared:a b", "shared:1.0", "shared:a b.0"),
        listed("%3", "shared:1.1 a b", "", "", "", "shared:1.1", "shared:a b.1"),
        listed("%4", "other:0 shared", "other", "other:0", "other:shared", "other:0.0", "other:shared.0"),
    ]
)


@pytest.mark.parametrize(
    "wanted, id",
    [("", "%1"), ("shared", "%1"), ("=shared:", "%1"), ("%3", "%3"), ("shared:1", "%2"), ("shared:a b", "%2"), ("shared:1.1", "%3"),
     ("shared:a b.1", "%3"), ("other", "%4"), ("other:shared", "%4"), ("%9", "%1"), (":", "%1"), ("%1; kill-server", "%1")],
)  # fmt: skip
def test_which_pane_is_meant(wanted, id):
    assert chosen(THREE, wanted, "shared").id == id


def test_without_the_session_there_is_no_pane():
    with pytest.raises(TmuxError, match="no session nothing"):
        chosen(THREE, "", "nothing")


# keys

FIRST = ["copy-mode", "-q", "-t", "%1", ";", "set-option", "-p", "-t", "%1", PERSON, "5", ";"]


def typed(*items):
    return commands("%1", list(items), 5)


def test_text_goes_as_bytes_and_leaves_the_stamp():
    assert typed({"text": "é'"}) == [([*FIRST, "send-keys", "-t", "%1", "-H", "c3", "a9", "27"], "")]


def test_long_text_goes_in_parts():
    parts = [words[words.index("-H") + 1 :] for words, _ in typed({"text": "x" * 205})]
    assert [len(part) for part in parts] == [100, 100, 5]


@pytest.mark.parametrize("key", ["Enter", "C-Left", "S-Tab", "M-F12", "C-M-S-PPage", "BSpace"])
def test_a_key_goes_by_its_name(key):
    assert typed({"key": key}) == [([*FIRST, "send-keys", "-t", "%1", key], "")]


def test_a_paste_goes_through_a_buffer():
    (words, text), = typed({"paste": "a\n\tb\x1b[201~\x00c'"})
    assert text == "a\n\tb[201~c'"
    assert words[:4] == ["load-buffer", "-b", "tmux-tool-view", "-"]
    assert words[-7:] == ["paste-buffer", "-p", "-d", "-b", "tmux-tool-view", "-t", "%1"]
    assert FIRST[:-1] == words[5 : 5 + len(FIRST) - 1]


def test_an_empty_paste_is_nothing():
    assert typed({"paste": "\x1b\x00"}, {"text": ""}) == []


BAD = {
    "another command in the key": {"key": "Enter; kill-server"},
    "a letter as a key": {"key": "a"},
    "F13": {"key": "F13"},
    "an option as a key": {"key": "-X"},
    "a number": {"text": 5},
    "nothing": {},
    "no object": "Enter",
    "another kind": {"run": "ls"},
    "too much": {"text": "x" * 1_000_001},
}


@pytest.mark.parametrize("item", BAD.values(), ids=BAD)
def test_what_is_not_on_the_list_is_refused(item):
    with pytest.raises(Refused):
        typed({"text": "a"}, item)


@pytest.mark.parametrize("pane", ["", "%", "shared", "%1; kill-server", "%1\n", "-t"])
def test_only_ids_of_panes_are_typed_into(pane):
    with pytest.raises(Refused):
        commands(pane, [{"text": "a"}], 5)


@pytest.mark.parametrize("items", [None, "text", {"text": "a"}, [{"text": "a"}] * 1001])
def test_only_a_list_is_typed(items):
    with pytest.raises(Refused):
        commands("%1", items, 5)


# the control protocol

BLOCK = ["%begin 17 5 1", "one", "two", "%end 17 5 1"]


def test_a_block():
    assert printed(["%end 17 4 1", *BLOCK, "%begin 17 6 1"]) == ["one", "two"]
    assert printed(["%begin 17 5 1", "%end 17 5 1"]) == []


def test_notifications_around_a_block_are_not_in_it():
    around = ["%sessions-changed", "%window-renamed @1 %end 17 5 1"]
    assert printed([*around, *BLOCK, *around, "%begin 17 6 1"]) == ["one", "two"]


def test_a_block_of_a_hook_is_not_the_commands():
    assert printed(["%begin 17 4 0", "hook", "%end 17 4 0", *BLOCK]) == ["one", "two"]


def test_a_screen_that_imitates_the_protocol_is_text():
    hostile = ["%end 17 5 1", "%error 17 5 1", "%exit", "%begin 17 6 1", "%end 17 6 1", "%output %1 x"]
    for cut in range(len(hostile)):
        body = [*hostile[cut:], *hostile[:cut]]
        assert printed(["%begin 17 5 1", *body, "%end 17 5 1", "%begin 17 6 1"]) == body


def test_a_failed_command():
    with pytest.raises(TmuxError, match="can't find pane: %9") as failed:
        printed(["%begin 17 5 1", "can't find pane: %9", "%error 17 5 1"])
    assert failed.value.kind is Kind.NO_TARGET


@pytest.mark.parametrize("cut", [[], ["%begin 17 5 1"], ["%begin 17 5 1", "one"], ["%exit"]])
def test_a_cut_block_is_no_answer(cut):
    with pytest.raises(TmuxError):
        printed(cut)


def test_commands_are_written_for_tmuxs_parser():
    assert written(["send-keys", "-t", "%1", "-H", "0a", ";", "x"]) == "send-keys -t %1 -H 0a ; x"
    assert written(["list-panes", "-F", "#{a} $b; c"]) == "list-panes -F '#{a} $b; c'"
